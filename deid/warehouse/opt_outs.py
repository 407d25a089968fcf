"""Patients who object: recognised under every key that is held, their rows removed, their documents never let out.

An opposition names a pseudonym, or the source's own patient id. Only a process that holds the secret can lead from one
to the other; the source's id is then kept with the opposition, so that it outlives the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.config.keys import Keyring
from deid.config.settings import settings
from deid.privacy.pseudonyms import pseudonym
from deid.warehouse import audit
from deid.warehouse.audit import Action
from deid.warehouse.connection import connect
from deid.warehouse.keys import admit, published_by
from deid.warehouse.queries import query

OPPOSITION_LOCK = 0x6F707073  # "opps": an opposition and the writing of a batch never cross
ACTOR = "nocturne"
APPLICATION = "nocturne oppositions"


def opposed_among(patient_ids: Collection[str | None]) -> set[str]:
    """Those of the source's patients who have objected, as the worker sees it now.

    Raises:
        SettingsError: the secret is missing.
        WarehouseUnreachable, WarehouseError: it could not be read; nobody may go on.
    """
    known = sorted({one for one in patient_ids if one})
    if not known:
        return set()
    with connect(settings().dsn("worker"), application=APPLICATION) as link, link.cursor() as cursor:
        return opposed(cursor, known, settings().keyring)


def opposed(cursor: Cursor, patient_ids: Collection[str], keyring: Keyring) -> set[str]:
    """The same, for a cursor: by the source's id, and by the pseudonym under each key held."""
    pseudonyms = {pseudonym(key.secret, "patient", one): one for key in keyring.keys for one in patient_ids}
    parameters = {"patient_ids": sorted(set(pseudonyms.values())), "pseudonyms": list(pseudonyms)}
    cursor.execute(query("deid", "opt_out", "opposed"), parameters)
    found: set[str] = set()
    for patient_id, named in cursor.fetchall():
        found |= {one for one in (patient_id, pseudonyms.get(named)) if one}
    return found & set(pseudonyms.values())


def hold_off(cursor: Cursor) -> None:
    """Until the transaction ends no opposition is recorded or applied: those there are all that count for it."""
    cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", (OPPOSITION_LOCK,))


def apply(actor: str = ACTOR) -> dict[str, int]:
    """Apply every opposition in force, in one transaction: match, remove from research, withdraw from the ledger.

    Texts that wait for publication or lie in a review go with it. The second call changes nothing. Returns counts:
    oppositions (in force), unmatched (whose patient no key held leads to), removed (rows of the research schema) and
    withdrawn (documents of the ledger).

    Raises:
        SettingsError: the secret is missing, or a version that published documents is not held.
        WarehouseUnreachable, WarehouseError: nothing was changed.
    """
    keyring = settings().keyring
    with connect(settings().dsn("publisher"), application=APPLICATION) as link, link.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", (OPPOSITION_LOCK,))
        cursor.execute(query("deid", "opt_out", "in_force"))
        if not (found := cursor.fetchall()):
            return {"oppositions": 0, "unmatched": 0, "removed": 0, "withdrawn": 0}
        admit(cursor, keyring, published_by(cursor))
        _match(cursor, [(opt_out_id, named) for opt_out_id, named, patient, _ in found if patient is None], keyring)
        cursor.execute(query("deid", "opt_out", "in_force"))
        found = cursor.fetchall()
        removed, withdrawn = _remove(cursor, found, keyring), _withdraw(cursor, found)
        _conclude(cursor, actor, found, removed, withdrawn)
    return {
        "oppositions": len(found),
        "unmatched": sum(patient is None for _, _, patient, _ in found),
        "removed": sum(removed.values()),
        "withdrawn": sum(withdrawn.values()),
    }


def _match(cursor: Cursor, unmatched: list[tuple[int, str]], keyring: Keyring) -> None:
    """Find the source patient of each pseudonym among all that the ledger knows, under each key held."""
    if not unmatched:
        return
    wanted = {named: opt_out_id for opt_out_id, named in unmatched}
    cursor.execute(query("deid", "document", "patients"))
    matched = [
        {"opt_out_id": wanted[named], "patient_id": patient_id}
        for (patient_id,) in cursor.fetchall()
        for key in keyring.keys
        if (named := pseudonym(key.secret, "patient", patient_id)) in wanted
    ]
    for match in matched:
        cursor.execute(query("deid", "opt_out", "match"), match)


def _remove(cursor: Cursor, found: list[Any], keyring: Keyring) -> Counter[int]:
    """Rows leave the research schema under every key held; how many, by opposition."""
    whose: dict[str, int] = {}
    for opt_out_id, named, patient_id, _ in found:
        under_each = [pseudonym(key.secret, "patient", patient_id) for key in keyring.keys] if patient_id else []
        for one in (*under_each, *([named] if named else [])):
            whose.setdefault(one, opt_out_id)
    cursor.execute(query("research", "document", "remove_patients"), {"pseudonyms": list(whose)})
    removed: Counter[int] = Counter()
    for named, release_id, document_type, documents in cursor.fetchall():
        removed[whose[named]] += documents
        row = {"opt_out_id": whose[named], "release_id": release_id, "document_type": document_type}
        cursor.execute(query("deid", "opt_out_removal", "insert"), row | {"documents": documents})
    return removed


def _withdraw(cursor: Cursor, found: list[Any]) -> Counter[int]:
    """The ledger's documents are withdrawn, in whatever state, and their texts erased; how many, by opposition."""
    whose = {patient_id: opt_out_id for opt_out_id, _, patient_id, _ in reversed(found) if patient_id}
    cursor.execute(query("deid", "document", "withdraw_patients"), {"patient_ids": list(whose)})
    return Counter(whose[patient_id] for (patient_id,) in cursor.fetchall())


def _conclude(cursor: Cursor, actor: str, found: list[Any], removed: Counter[int], withdrawn: Counter[int]) -> None:
    """Write what was done, once per opposition, where anything was."""
    for opt_out_id, _, patient_id, applied in found:
        if not (removed[opt_out_id] or withdrawn[opt_out_id] or (patient_id and not applied)):
            continue
        if patient_id:
            cursor.execute(query("deid", "opt_out", "applied"), {"opt_out_id": opt_out_id})
        counts = {"removed": removed[opt_out_id], "withdrawn": withdrawn[opt_out_id]}
        audit.write(cursor, actor, Action.OPT_OUT_APPLIED, f"opt-out {opt_out_id}", **counts)
