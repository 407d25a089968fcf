"""Published patients of the source, with what maps their ids and dates: for tables that go with the documents.

It reads the warehouse and the ledger as a worker does, and needs the secret.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from deid.config.policy import SubstitutionPolicy
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.document import Document
from deid.ledger import audit
from deid.ledger.date_bounds import read_date_bounds
from deid.ledger.identity import Translator
from deid.ledger.keys import check_keyring
from deid.ledger.opt_outs import find_opted_out
from deid.privacy.stream import pseudonym
from deid.source.contract import Source, open_source
from deid.source.patient_parts import read_own_contents
from deid.source.rows import Content
from deid.substitution.date_mapping import DateMapping, check_mapping

APPLICATION = "nocturne link"
_DOCUMENTS = 500  # read from the source at once


@dataclass(frozen=True, slots=True)
class LinkedPatient:
    """A patient as published: pseudonym, and the mapping of dates."""

    patient_id: str
    dates: DateMapping


def read_patients(source_ids: Collection[str], policy: SubstitutionPolicy) -> dict[str, LinkedPatient]:
    """Return the patients of the source, among `source_ids`, who have documents published under this key and policy.

    A document that the source has corrected or given to another patient since does not count. A patient who opted out,
    or is of another project's part now, is absent, and so is one of whom the warehouse knows no birth date: documents
    may have one from their text, and move with it.

    Raises:
        PolicyError: the policy gives dates no mapping that a table could share.
        SettingsError: the secret is missing, or is not the ledger's.
        ContractBroken: the source's query lacks a column of the contract.
    """
    check_mapping(policy)
    key = settings().keyring.current
    with open_cursor("worker", APPLICATION, readonly=True) as cursor:
        check_keyring(cursor, settings().keyring)
        execute(cursor, "identity", "mapping", "to_ledger", {"kind": "patient", "source_ids": list(source_ids)})
        ledger_ids = dict(cursor.fetchall())
        asked = {
            "patient_ids": sorted(ledger_ids.values()),
            "key_fingerprint": key.fingerprint,
            "source": settings().source,
        }
        execute(cursor, "deid", "document", "linkable", asked)
        wanted = policy.model_dump(mode="json", exclude={"rotation"})
        found = {document: version for document, *version, told in cursor.fetchall() if _same(told, wanted)}
    opposed = find_opted_out({patient for patient, _ in found.values()})
    kept = {document for document, (patient, _) in found.items() if patient not in opposed}
    documents: dict[str, list[Document]] = {}
    for content in _read(Translator().to_source("document", kept).values()):
        key_of_patient, version = content.patient.key, [content.patient_id, content.content_hash]
        if key_of_patient and content.patient.birth_date and version == found[content.document_id]:
            documents.setdefault(key_of_patient, []).append(_without_text(content))
    dated = iter(read_date_bounds([one for told in documents.values() for one in told]))
    documents = {whose: [next(dated) for _ in told] for whose, told in documents.items()}
    return {
        patient_id: LinkedPatient(pseudonym(key.secret, "patient", patient_id), DateMapping(told, policy, key.secret))
        for patient_id, told in documents.items()
    }


def stay_pseudonym(source_id: str) -> str:
    """Return the pseudonym of a stay of the source under the key in force."""
    return pseudonym(settings().keyring.current.secret, "stay", source_id)


def integer_ids(kind: Literal["patient", "stay"], names: Collection[str]) -> dict[str, int]:
    """Return the integer ids that schema research gives pseudonyms; one without a published document gets its own."""
    with open_cursor("worker", APPLICATION) as cursor:
        return dict(execute(cursor, "deid", "omop_id", "of_names", {"kind": kind, "names": sorted(names)}).fetchall())


def record(actor: str, **counts: int) -> None:
    """Write to the audit trail that a table was linked: counts alone."""
    with open_cursor("worker", APPLICATION) as cursor:
        audit.write(cursor, actor, audit.Action.LINK_TABLE, "table", **counts)


def _same(told: Mapping[str, object] | None, wanted: Mapping[str, object]) -> bool:
    """Return whether documents were substituted as the policy in force says."""
    return told is not None and {name: value for name, value in told.items() if name != "rotation"} == wanted


def _read(source_ids: Collection[str]) -> list[Content]:
    """Return documents as the source has them now, under the ledger's ids."""
    source, ids = Source(settings().source), sorted(source_ids)
    found: list[Content] = []
    with open_source(APPLICATION) as warehouse:
        for start in range(0, len(ids), _DOCUMENTS):
            found += read_own_contents(warehouse, source, ids[start : start + _DOCUMENTS])
    return Translator().rename(found)


def _without_text(content: Content) -> Document:
    return Document(
        content.document_id, "", content.patient, content.reference_date, content.document_type, content.stay
    )
