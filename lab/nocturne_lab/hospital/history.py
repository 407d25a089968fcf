"""Documents of the source as they are now, whenever they came: what a hospital learns its own detector from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from deid.domain.document import Document
from deid.domain.limits import Limits
from deid.domain.outcomes import Refused
from deid.ledger.identity import Translator
from deid.ledger.opt_outs import find_opted_out
from deid.source.contract import Source, open_source
from deid.source.extraction import list_documents, open_contents
from deid.source.patient_parts import open_part_in_force, read_own_contents
from deid.source.rows import Content

_BATCH = 64


def read_history(
    source_name: str, since: datetime, limits: Limits, tell: Callable[[Refused], None]
) -> Iterator[Document]:
    """Yield the documents that came since an instant, in plain text, a batch in memory.

    Those withdrawn since, and those of patients with an opt-out in force or of another project's part, are left out.

    Args:
        source_name: the source contract.
        since: an instant, with its time zone.
        limits: of time and memory for one document.
        tell: is given each document that cannot be read.

    Raises:
        ContractBroken: the source's query lacks a column of the contract.
        WarehouseUnreachable: the source, or a root of its files, does not answer.
    """
    source = Source(source_name)
    with open_source("nocturne distant") as link:
        part = open_part_in_force(link, source)
        for page in list_documents(link, source, since, datetime.now(UTC)):
            ours = [one for one in page if part.has(one.document_id, one.patient_id)]
            present = [one.document_id for one in ours if not one.withdrawn]
            for start in range(0, len(present), _BATCH):
                contents = _consenting(read_own_contents(link, source, present[start : start + _BATCH]))
                for outcome in open_contents(contents, source.rules(), limits=limits):
                    if isinstance(outcome, Refused):
                        tell(outcome)
                    else:
                        yield outcome.document


def _consenting(contents: Iterable[Content]) -> list[Content]:
    """Return the documents of patients without an opt-out in force; those without a patient too."""
    given = list(contents)
    ids = Translator().to_ledger("patient", (one.patient_id for one in given))
    opted_out = find_opted_out(ids.values())
    return [one for one in given if ids.get(one.patient_id or "") not in opted_out]
