"""Privacy account of a patient: total ε (nats) of the published documents, and admission of new ones under a limit."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import groupby
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import Reason
from deid.privacy.budget import ROUNDING, rational
from deid.warehouse.connection import open_cursor
from deid.warehouse.queries import query

STAGE_LOCK = 0x73746167  # "stag": one run closes at a time, so that two do not spend the same rest of an account


def hold_to_limit(cursor: Cursor, run_id: int, limit: float) -> int:
    """Quarantine the run's staged documents that would exceed their patient's `limit` (nats); return their number.

    Documents are admitted in the order of their own dates, then of their ids, each if it still fits: neither the
    order of batches nor that of arrival matters. A run that is staged already has been judged, and is left alone.
    """
    cursor.execute("SELECT pg_advisory_xact_lock(%s)", (STAGE_LOCK,))
    cursor.execute("SELECT state FROM deid.run WHERE run_id = %s", (run_id,))
    if cursor.fetchone() != ("planned",):
        return 0
    cursor.execute(query("deid", "budget", "accounts"), {"run_id": run_id})
    refused = past_limit(cursor.fetchall(), rational(limit))
    parameters = {"run_id": run_id, "document_ids": refused, "reason": Reason.BUDGET_EXCEEDED}
    cursor.execute(query("deid", "document", "refuse"), parameters)
    return len(refused)


def past_limit(accounts: Iterable[tuple[str, str, Any, Any]], limit: Fraction) -> list[str]:
    """Return the ids of documents over the limit, from (patient, document, spent before, added) in admission order."""
    refused = []
    for _, documents in groupby(accounts, key=lambda account: account[0]):
        total: Fraction | None = None
        for _, document_id, spent, added in documents:
            total = Fraction(spent) if total is None else total
            # What adds nothing has been published before: keeping it out would hide nothing.
            if added and total + Fraction(added) > limit + ROUNDING:
                refused.append(document_id)
            else:
                total += Fraction(added)
    return refused


def list_patient_totals() -> list[tuple[int, float]]:
    """Return documents and ε (nats) of each patient with published documents, greatest ε first, without identifiers.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
    """
    with open_cursor("steward", "nocturne budget") as cursor:
        cursor.execute(query("deid", "budget", "patients"))
        return [(int(documents), float(epsilon)) for documents, epsilon in cursor.fetchall()]
