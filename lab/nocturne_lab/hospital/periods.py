"""Documents that the source ingested in a period, under the ledger's ids, to be annotated or trained on.

Opted-out patients, those of another project's part, withdrawn documents and documents without a patient are left out at
each step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deid.config.settings import settings
from deid.domain.limits import Limits
from deid.domain.outcomes import Opened
from deid.ledger import opt_outs
from deid.ledger.identity import Translator
from deid.ledger.planning import Interval
from deid.source.contract import Source, open_source
from deid.source.extraction import list_documents, open_contents, present_documents
from deid.source.patient_parts import open_part_in_force, read_own_contents
from deid.source.rows import Listed

APPLICATION = "nocturne annotations"


def list_period(interval: Interval, document_types: Sequence[str] = (), services: Sequence[str] = ()) -> list[Listed]:
    """Return the documents ingested in the interval that may be read; empty filters take every type and service.

    Raises:
        ContractBroken: the source's query does not give what it must.
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    found: dict[str, Listed] = {}
    with open_source(APPLICATION, snapshot=True) as warehouse:
        source = Source(settings().source)
        part = open_part_in_force(warehouse, source)
        for page in list_documents(warehouse, source, interval.start, interval.end):
            renamed = Translator().rename([one for one in page if part.has(one.document_id, one.patient_id)])
            opposed = opt_outs.find_opted_out({one.patient_id for one in renamed})
            found |= {one.document_id: one for one in renamed if _may_be_read(one, opposed)}
    return [
        one
        for one in found.values()
        if (not document_types or one.document_type in document_types) and (not services or one.service in services)
    ]


def open_period(document_ids: Sequence[str], limits: Limits, versions: Mapping[str, str] | None = None) -> list[Opened]:
    """Return the documents of the ledger's ids, in their order, in the source's present version.

    One that is gone or withdrawn, cannot be opened or is of a patient who opted out, or of another project's part, is
    absent; so is one whose content hash is not that of `versions`.

    Raises:
        ContractBroken: the source's query lacks a column of the contract.
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    source = Source(settings().source)
    there = Translator().to_source("document", document_ids)
    with open_source(APPLICATION) as warehouse:
        ours = read_own_contents(warehouse, source, list(there.values()))
        present = present_documents(warehouse, source, [one.document_id for one in ours]) if ours else {}
    known = {
        one.document_id: one
        for one in Translator().rename([one for one in ours if one.document_id in present])
        if versions is None or versions[one.document_id] == one.content_hash
    }
    opposed = opt_outs.find_opted_out({one.patient_id for one in known.values()})
    wanted = [known[name] for name in document_ids if name in known and known[name].patient_id not in opposed]
    return [one for one in open_contents(wanted, source.rules(), limits=limits) if isinstance(one, Opened)]


def _may_be_read(one: Listed, opposed: set[str]) -> bool:
    return not one.withdrawn and one.patient_id is not None and one.patient_id not in opposed
