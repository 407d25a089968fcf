"""Random ids of the ledger and the hospital's ids that they stand for (schema `identity`).

The ledger, the logs and the stewards' pages know documents, patients and stays by random ids. Only the worker and
whoever reads originals translate them: the worker as `worker`, originals and commands as `identity` (the role
nocturne_reader). Pseudonyms of the research schema are computed here, from the hospital's ids and the secret, and kept
encrypted under the secret in `deid.pseudonym`: a publication needs no id of the hospital.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from deid.config.keys import Key
from deid.config.settings import settings
from deid.domain.errors import InputRefused, WarehouseError
from deid.privacy.stream import KeyedStream, pseudonym
from deid.warehouse import audit
from deid.warehouse.connection import open_cursor
from deid.warehouse.extraction import Content, Listed
from deid.warehouse.keys import check_keyring
from deid.warehouse.queries import Cursor, one, query

Kind = Literal["document", "patient", "stay"]
Role = Literal["worker", "identity"]
Record = TypeVar("Record", Listed, Content)
APPLICATION = "nocturne identity"
PAGE = 5000
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"  # of a pseudonym: 32, so that five bits are a letter


@dataclass(frozen=True, slots=True)
class Translator:
    """Translation between the hospital's ids and the ledger's. As `worker` it makes ids for what it has not met."""

    role: Role = "worker"

    def to_ledger(self, kind: Kind, source_ids: Iterable[str | None]) -> dict[str, str]:
        """Return the ledger's id of each id of the source; as `identity`, those never met are absent.

        Raises:
            WarehouseUnreachable, WarehouseError: they could not be read or made.
        """
        wanted = {"kind": kind, "source_ids": sorted({one for one in source_ids if one is not None})}
        if not wanted["source_ids"]:
            return {}
        with open_cursor(self.role, APPLICATION) as cursor:
            if self.role == "worker":
                cursor.execute(query("identity", "mapping", "add"), wanted)
            cursor.execute(query("identity", "mapping", "to_ledger"), wanted)
            return dict(cursor.fetchall())

    def to_source(self, kind: Kind, ledger_ids: Collection[str | None]) -> dict[str, str]:
        """Return the source's id of each id of the ledger; one cut off with a destroyed secret is absent."""
        if not ledger_ids:
            return {}
        with open_cursor(self.role, APPLICATION) as cursor:
            cursor.execute(query("identity", "mapping", "to_source"), {"kind": kind, "ledger_ids": list(ledger_ids)})
            return dict(cursor.fetchall())

    def rename(self, records: Sequence[Record]) -> list[Record]:
        """Return records of the source under the ledger's ids, their digests salted.

        As `identity`, a patient or stay never met has none.
        """
        documents = self.to_ledger("document", (record.document_id for record in records))
        patients = self.to_ledger("patient", (record.patient_id for record in records))
        stays = self.to_ledger("stay", (getattr(record, "stay_id", None) for record in records))
        salt = self._salt()
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

    def _salt(self) -> str:
        with open_cursor(self.role, APPLICATION) as cursor:
            cursor.execute(query("identity", "mapping", "salt"))
            return str(one(cursor)[0])


def salted(salt: str, content_hash: str) -> str:
    """Return the SHA-256 of a version's digest behind the deployment's salt, in hexadecimal."""
    return hashlib.sha256((salt + content_hash).encode()).hexdigest()


def pseudonym_row(key: Key, kind: Kind, ledger_id: str, source_id: str) -> tuple[str, str, str, str]:
    """Return a row of `deid.pseudonym`: kind, ledger's id, fingerprint of the key, encrypted pseudonym."""
    return (kind, ledger_id, key.fingerprint, encrypt(key, ledger_id, pseudonym(key.secret, kind, source_id)))


def encrypt(key: Key, ledger_id: str, name: str) -> str:
    """Return a pseudonym as it is stored, or a stored one as it is published.

    Each letter is moved by five bits of a keyed stream of the ledger's id: a copy of the database tells nobody without
    the secret which published row is whose.
    """
    stream = KeyedStream(key.secret, "encrypted pseudonym", ledger_id)
    return "".join(_LETTERS[_LETTERS.index(letter) ^ stream.bits(5)] for letter in name)


def read_pseudonyms(cursor: Cursor, kind: Kind, ledger_ids: Collection[str]) -> list[tuple[str, str]]:
    """Return ledger's id and pseudonym of documents or patients, under every key held."""
    cursor.execute(query("deid", "pseudonym", "of"), {"kind": kind, "ledger_ids": list(ledger_ids)})
    return decrypt_pseudonyms(cursor.fetchall())


def decrypt_pseudonyms(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Return ledger's id and pseudonym of (ledger's id, fingerprint, encrypted pseudonym), where the key is held."""
    keys = {key.fingerprint: key for key in settings().keyring.keys}
    return [
        (name, encrypt(keys[fingerprint], name, encrypted))
        for name, fingerprint, encrypted in rows
        if fingerprint in keys
    ]


def adopt() -> int:
    """Compute, as the worker, the pseudonyms of the ids of an earlier version, under each key held.

    Returns the number of ids. A second call does nothing.

    Raises:
        SettingsError: the secret is missing, or a version of it that published documents need.
        WarehouseUnreachable, WarehouseError: the ids of the current page wait on.
    """
    keyring, adopted = settings().keyring, 0
    while True:
        with open_cursor("worker", APPLICATION) as cursor:
            cursor.execute(query("identity", "mapping", "to_adopt"), {"page": PAGE})
            if not (found := cursor.fetchall()):
                return adopted
            check_keyring(cursor, keyring)
            rows = [pseudonym_row(key, kind, ledger, source) for kind, ledger, source in found for key in keyring.keys]
            kinds, ledger_ids, fingerprints, names = (list(column) for column in zip(*rows, strict=True))
            columns = {"kinds": kinds, "ledger_ids": ledger_ids, "fingerprints": fingerprints, "encrypted": names}
            cursor.execute(query("deid", "pseudonym", "add"), columns)
            for key in keyring.keys:
                known = {"key_version": key.version, "key_fingerprint": key.fingerprint}
                cursor.execute(query("deid", "run", "name_key"), known)
            cursor.execute(query("identity", "mapping", "adopted"), {"ledger_ids": ledger_ids})
            adopted += len(found)


def ensure_adopted(cursor: Cursor) -> None:
    """Adopt the ids of an earlier version, if some wait and this process may.

    Raises:
        WarehouseError: some wait, and this process is not the worker's: a removal would not reach what they published.
    """
    cursor.execute(query("deid", "pseudonym", "wait"))
    if not one(cursor)[0]:
        return
    if settings().worker_dsn is None:
        raise WarehouseError(
            "ids of an earlier version wait for their pseudonyms: a removal would not reach their rows.",
            "Run `python -m deid ids adopt` where NOCTURNE_WORKER_DSN and the secret are set, or wait for the night.",
        )
    adopt()


def find_ledger_id(actor: str, kind: Kind, source_id: str) -> str:
    """Return the ledger's id of an id of the hospital; the search is recorded for `actor`, under the ledger's id.

    Raises:
        InputRefused: the ledger never met it.
        WarehouseUnreachable, WarehouseError: it could not be read or recorded.
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
        WarehouseUnreachable, WarehouseError: it could not be read or recorded.
    """
    found = Translator("identity").to_source(kind, [ledger_id])
    if ledger_id not in found:
        raise InputRefused(f"the ledger knows no such {kind}.", "Check the id, and its kind.")
    _record(actor, kind, ledger_id)
    return found[ledger_id]


def _record(actor: str, kind: Kind, ledger_id: str) -> None:
    with open_cursor("identity", APPLICATION) as cursor:
        audit.write(cursor, actor, audit.Action.TRANSLATE_ID, f"{kind} {ledger_id}")
