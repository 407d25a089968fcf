"""Pseudonyms of the research schema: computed from the hospital's ids and the secret, kept encrypted under the secret.

A publication and an opt-out read them from `deid.pseudonym` and need no id of the hospital.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from deid.config.keys import Key
from deid.config.settings import settings
from deid.database.connection import open_cursor, open_identity
from deid.database.queries import Cursor, execute, one
from deid.domain.errors import WarehouseError
from deid.ledger.keys import check_keyring
from deid.privacy.stream import KeyedStream, pseudonym

Kind = Literal["document", "patient", "stay"]
APPLICATION = "nocturne identity"
PAGE = 5000
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"  # of a pseudonym: 32, so that five bits are a letter


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
    execute(cursor, "deid", "pseudonym", "of", {"kind": kind, "ledger_ids": list(ledger_ids)})
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
        with open_identity("worker", APPLICATION) as ids, open_cursor("worker", APPLICATION) as cursor:
            if not (found := execute(ids, "identity", "mapping", "to_adopt", {"page": PAGE}).fetchall()):
                return adopted
            check_keyring(cursor, keyring)
            rows = [pseudonym_row(key, kind, ledger, source) for kind, ledger, source in found for key in keyring.keys]
            kinds, ledger_ids, fingerprints, names = (list(column) for column in zip(*rows, strict=True))
            columns = {"kinds": kinds, "ledger_ids": ledger_ids, "fingerprints": fingerprints, "encrypted": names}
            execute(cursor, "deid", "pseudonym", "add", columns)
            for key in keyring.keys:
                known = {"key_version": key.version, "key_fingerprint": key.fingerprint}
                execute(cursor, "deid", "run", "name_key", known)
            execute(ids, "identity", "mapping", "adopted", {"ledger_ids": ledger_ids})
            adopted += len(found)


def ensure_adopted(role: str) -> None:
    """Adopt the ids of an earlier version, if some wait and this process may.

    Raises:
        WarehouseError: some wait, and this process is not the worker's: a removal would not reach what they published.
    """
    with open_identity(role, APPLICATION) as cursor:
        if not one(execute(cursor, "identity", "mapping", "wait"))[0]:
            return
    if settings().worker_dsn is None:
        raise WarehouseError(
            "ids of an earlier version wait for their pseudonyms: a removal would not reach their rows.",
            "Run `python -m deid ids adopt` where NOCTURNE_WORKER_DSN and the secret are set, or wait for the night.",
        )
    adopt()
