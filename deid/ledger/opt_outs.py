"""Opt-outs applied: patients recognised under every key held, published rows removed, documents withdrawn.

An opt-out names a pseudonym or the source's patient id. The ledger's id of the latter is found in the database, that of
a pseudonym with the secret; it is stored with the opt-out, which thus remains valid after the key is destroyed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.config.settings import settings
from deid.database.connection import open_cursor, open_identity
from deid.database.queries import execute
from deid.domain.errors import WarehouseError
from deid.ledger import audit
from deid.ledger.audit import Action
from deid.ledger.keys import check_keyring, count_published_by_key
from deid.ledger.pseudonyms import decrypt_pseudonyms, ensure_adopted, read_pseudonyms

ACTOR = "nocturne"
APPLICATION = "nocturne oppositions"


def find_opted_out(patient_ids: Collection[str | None]) -> set[str]:
    """Return the patients of the ledger, among `patient_ids`, with an opt-out in force, as the worker.

    Raises:
        WarehouseUnreachable, WarehouseError: opt-outs could not be read; the caller must stop.
    """
    known = sorted({one for one in patient_ids if one})
    if not known:
        return set()
    with open_cursor("worker", APPLICATION) as cursor:
        return select_opted_out(cursor, known, role="worker")


def select_opted_out(cursor: Cursor, patient_ids: Collection[str], *, role: str) -> set[str]:
    """Return the opted-out patients through a cursor of `role`: by their id, and by a pseudonym under any key."""
    resolve_opt_outs(cursor, role)
    names = {named: patient_id for patient_id, named in read_pseudonyms(cursor, "patient", patient_ids)}
    parameters = {"patient_ids": sorted(patient_ids), "pseudonyms": list(names)}
    execute(cursor, "deid", "opt_out", "opted_out", parameters)
    return {patient_id or names[named] for patient_id, named in cursor.fetchall()}


def resolve_opt_outs(cursor: Cursor, role: str) -> None:
    """Give the opt-outs by the hospital's id the ledger's id of their patient, made if absent, as `role`.

    Raises:
        WarehouseError: the patient of one is not in `identity`, which is then older than the ledger.
    """
    if not (waiting := [opt_out_id for (opt_out_id,) in execute(cursor, "deid", "opt_out", "unresolved").fetchall()]):
        return
    with open_identity(role, APPLICATION) as ids:
        found = execute(ids, "identity", "opt_out", "resolve", {"opt_out_ids": waiting}).fetchall()
    if lacking := len(waiting) - len(found):
        raise WarehouseError(
            f"the patients of {lacking} opt-outs are not in the schema identity.",
            "Restore a schema identity as late as the ledger, or later (docs/operators.md, “Backup and restore”).",
        )
    for opt_out_id, patient_id in found:
        execute(cursor, "deid", "opt_out", "match", {"opt_out_id": opt_out_id, "patient_id": patient_id})


def block_opt_outs(cursor: Cursor) -> None:
    """Block recording and applying of opt-outs until the transaction ends."""
    cursor.execute("SELECT deid.share_opt_outs()")


def apply_opt_outs(actor: str = ACTOR) -> dict[str, int]:
    """Apply every opt-out in force, in one transaction: match, remove from research, withdraw from the ledger.

    Staged texts and texts under review are erased. A second call changes nothing. Returns counts: oppositions (opt-outs
    in force), unmatched (no key held gave the pseudonym), removed (rows of the research schema) and withdrawn
    (documents of the ledger).

    Raises:
        SettingsError: the secret is missing, or a version that published documents is not held.
    """
    keyring = settings().keyring
    with open_cursor("publisher", APPLICATION) as cursor:
        ensure_adopted("publisher")
        cursor.execute("SELECT deid.lock_opt_outs()")
        if not (found := execute(cursor, "deid", "opt_out", "in_force").fetchall()):
            return {"oppositions": 0, "unmatched": 0, "removed": 0, "withdrawn": 0}
        check_keyring(cursor, keyring, count_published_by_key(cursor))
        resolve_opt_outs(cursor, "publisher")
        _match_patients(cursor, {named: number for number, named, patient, _ in found if patient is None and named})
        found = execute(cursor, "deid", "opt_out", "in_force").fetchall()
        persons = execute(cursor, "deid", "opt_out", "persons").fetchall()
        removed, withdrawn = _remove_rows(cursor, found, persons), _withdraw_documents(cursor, persons)
        _record_applied(cursor, actor, found, removed, withdrawn)
    return {
        "oppositions": len(found),
        "unmatched": sum(patient is None for _, _, patient, _ in found),
        "removed": sum(removed.values()),
        "withdrawn": sum(withdrawn.values()),
    }


def _match_patients(cursor: Cursor, unmatched: dict[str, int]) -> None:
    """Find the patient of each pseudonym among the ledger's, under each key held."""
    if not unmatched:
        return
    for patient_id, named in decrypt_pseudonyms(execute(cursor, "deid", "pseudonym", "patients").fetchall()):
        if named in unmatched:
            match = {"opt_out_id": unmatched[named], "patient_id": patient_id}
            execute(cursor, "deid", "opt_out", "match", match)


def _remove_rows(cursor: Cursor, found: list[Any], persons: list[Any]) -> Counter[int]:
    """Remove rows of the research schema under every pseudonym of each person; return their number by opt-out."""
    whose: dict[str, int] = {named: opt_out_id for opt_out_id, named, _, _ in reversed(found) if named}
    opposed = {patient_id: opt_out_id for opt_out_id, patient_id in reversed(persons)}
    for patient_id, named in read_pseudonyms(cursor, "patient", opposed):
        whose.setdefault(named, opposed[patient_id])
    execute(cursor, "deid", "published_document", "remove_patients", {"pseudonyms": list(whose)})
    removed: Counter[int] = Counter()
    for named, release_id, document_type, documents in cursor.fetchall():
        removed[whose[named]] += documents
        row = {"opt_out_id": whose[named], "release_id": release_id, "document_type": document_type}
        execute(cursor, "deid", "opt_out_removal", "insert", row | {"documents": documents})
    return removed


def _withdraw_documents(cursor: Cursor, persons: list[Any]) -> Counter[int]:
    """Withdraw the ledger's documents in any state and erase their texts; return their number by opt-out."""
    whose = {patient_id: opt_out_id for opt_out_id, patient_id in reversed(persons)}
    execute(cursor, "deid", "document", "withdraw_patients", {"patient_ids": list(whose)})
    return Counter(whose[patient_id] for (patient_id,) in cursor.fetchall())


def _record_applied(
    cursor: Cursor, actor: str, found: list[Any], removed: Counter[int], withdrawn: Counter[int]
) -> None:
    """Write one audit line per opt-out with an effect."""
    for opt_out_id, _, patient_id, applied in found:
        if not (removed[opt_out_id] or withdrawn[opt_out_id] or (patient_id and not applied)):
            continue
        if patient_id:
            execute(cursor, "deid", "opt_out", "applied", {"opt_out_id": opt_out_id})
        counts = {"removed": removed[opt_out_id], "withdrawn": withdrawn[opt_out_id]}
        audit.write(cursor, actor, Action.OPT_OUT_APPLIED, f"opt-out {opt_out_id}", **counts)
