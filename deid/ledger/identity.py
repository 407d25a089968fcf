"""Random ids of the ledger and the hospital's ids that they stand for (schema `identity`).

The ledger, the logs and the stewards' pages know documents, patients and stays by random ids. Only the worker and
whoever reads originals translate them: the worker as `worker`, originals and commands as `identity` (the role
nocturne_reader).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from psycopg2.extensions import cursor as Cursor

from deid.database.connection import open_cursor, open_identity
from deid.database.queries import execute, one
from deid.domain.errors import InputRefused
from deid.ledger import audit
from deid.ledger.pseudonyms import Kind
from deid.source.rows import Content, Listed

Role = Literal["worker", "identity"]
Record = TypeVar("Record", Listed, Content)
APPLICATION = "nocturne identity"


@dataclass(frozen=True, slots=True)
class Translator:
    """Translation between the hospital's ids and the ledger's. As `worker` it makes ids for what it has not met."""

    role: Role = "worker"

    def to_ledger(self, kind: Kind, source_ids: Iterable[str | None]) -> dict[str, str]:
        """Return the ledger's id of each id of the source; as `identity`, those never met are absent."""
        with open_identity(self.role, APPLICATION) as cursor:
            return self._ledger_ids(cursor, kind, source_ids)

    def to_source(self, kind: Kind, ledger_ids: Collection[str | None]) -> dict[str, str]:
        """Return the source's id of each id of the ledger; one cut off with a destroyed secret is absent."""
        if not ledger_ids:
            return {}
        with open_identity(self.role, APPLICATION) as cursor:
            execute(cursor, "identity", "mapping", "to_source", {"kind": kind, "ledger_ids": list(ledger_ids)})
            return dict(cursor.fetchall())

    def rename(self, records: Sequence[Record]) -> list[Record]:
        """Return records of the source under the ledger's ids, their digests salted.

        As `identity`, a patient or stay never met has none.
        """
        with open_identity(self.role, APPLICATION) as cursor:
            documents = self._ledger_ids(cursor, "document", (record.document_id for record in records))
            patients = self._ledger_ids(cursor, "patient", (record.patient_id for record in records))
            stays = self._ledger_ids(cursor, "stay", (getattr(record, "stay_id", None) for record in records))
            salt = str(one(execute(cursor, "identity", "mapping", "salt"))[0])
        renamed = []
        for record in records:
            names: dict[str, Any] = {
                "document_id": documents[record.document_id],
                "patient_id": patients.get(record.patient_id or ""),
                "content_hash": salted(salt, record.content_hash),
            }
            if isinstance(record, Content):
                names["stay_id"] = stays.get(record.stay_id or "")
            renamed.append(replace(record, **names))
        return renamed

    def _ledger_ids(self, cursor: Cursor, kind: Kind, source_ids: Iterable[str | None]) -> dict[str, str]:
        wanted = {"kind": kind, "source_ids": sorted({one for one in source_ids if one is not None})}
        if not wanted["source_ids"]:
            return {}
        if self.role == "worker":
            execute(cursor, "identity", "mapping", "add", wanted)
        return dict(execute(cursor, "identity", "mapping", "to_ledger", wanted).fetchall())


def salted(salt: str, content_hash: str) -> str:
    """Return the SHA-256 of a version's digest behind the deployment's salt, in hexadecimal."""
    return hashlib.sha256((salt + content_hash).encode()).hexdigest()


def find_ledger_id(actor: str, kind: Kind, source_id: str) -> str:
    """Return the ledger's id of an id of the hospital; the search is recorded for `actor`, under the ledger's id.

    Raises:
        InputRefused: the ledger never met it.
    """
    found = Translator("identity").to_ledger(kind, [source_id])
    if source_id not in found:
        raise InputRefused(f"the ledger never met this {kind}.", "Check the id, and its kind.")
    _record(actor, kind, found[source_id])
    return found[source_id]


def find_source_id(actor: str, kind: Kind, ledger_id: str) -> str:
    """Return the hospital's id of an id of the ledger; the search is recorded for `actor`.

    Raises:
        InputRefused: there is none, or it was cut off with a destroyed secret.
    """
    found = Translator("identity").to_source(kind, [ledger_id])
    if ledger_id not in found:
        raise InputRefused(f"the ledger knows no such {kind}.", "Check the id, and its kind.")
    _record(actor, kind, ledger_id)
    return found[ledger_id]


def _record(actor: str, kind: Kind, ledger_id: str) -> None:
    with open_cursor("identity", APPLICATION) as cursor:
        audit.write(cursor, actor, audit.Action.TRANSLATE_ID, f"{kind} {ledger_id}")
