"""End state of a deployment, by meaning: without the numbers of runs and releases, and without instants.

Two databases in which the same documents were processed, whatever happened on the way, compare equal.
"""

from __future__ import annotations

from typing import Any

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

# Surrogate numbers and instants differ between two ways to the same result; so does what a document disagreed with when
# it was staged, which depends on those that were there.
COLUMNS = """
SELECT column_name FROM information_schema.columns
WHERE
    (table_schema, table_name) = (%s, %s) AND data_type NOT IN ('bigint', 'timestamp with time zone')
    AND column_name <> 'disagreements'
ORDER BY column_name
"""
# The ledger's ids are random, its digests salted: rows are compared by the hospital's ids, without digests.
LEDGER = {
    "states": """
        SELECT i.source_id, d.pipeline_version, p.source_id, d.state
        FROM deid.document AS d INNER JOIN identity.mapping AS i ON d.document_id = i.ledger_id
        LEFT JOIN identity.mapping AS p ON d.patient_id = p.ledger_id""",
    "mentions": """
        SELECT i.source_id, m.ordinal, m.start_offset, m.end_offset, m.label, m.subtype, m.score, m.votes::text
        FROM deid.mention AS m INNER JOIN deid.document AS d ON m.run_id = d.run_id AND m.document_id = d.document_id
        INNER JOIN identity.mapping AS i ON m.document_id = i.ledger_id
        WHERE d.state IN ('published', 'staged', 'quarantined')""",
    "verdicts": """
        SELECT i.source_id, v.check_name, v.severity, v.success, v.observed, v.waived
        FROM deid.verdict AS v INNER JOIN deid.document AS d ON v.run_id = d.run_id AND v.document_id = d.document_id
        INNER JOIN identity.mapping AS i ON v.document_id = i.ledger_id
        WHERE d.state IN ('published', 'staged', 'quarantined')""",
    "budgets": """
        SELECT DISTINCT i.source_id, p.source_id, b.category, b.mechanism, b.epsilon, b.elements
        FROM deid.budget AS b INNER JOIN identity.mapping AS i ON b.document_id = i.ledger_id
        INNER JOIN identity.mapping AS p ON b.patient_id = p.ledger_id WHERE b.published""",
    "waiting in quarantine": """
        SELECT i.source_id, q.step, q.reason
        FROM deid.quarantine AS q INNER JOIN identity.mapping AS i ON q.document_id = i.ledger_id
        WHERE q.standing = 'waiting'""",
    "texts left": "SELECT count(*) FROM deid.candidate",
    "releases": "SELECT DISTINCT interval_key, published_at IS NOT NULL FROM deid.release",
    "intervals": "SELECT interval_key, state FROM deid.interval_state",
    "unfinished runs": "SELECT interval_key, planned FROM deid.run WHERE state = 'planned'",
    "unpublished withdrawals": """
        SELECT i.source_id FROM deid.withdrawal AS w
        INNER JOIN deid.document AS d ON w.document_id = d.document_id
        INNER JOIN identity.mapping AS i ON w.document_id = i.ledger_id
        WHERE d.state IN ('published', 'staged') AND d.run_id <= w.run_id""",
}
State = dict[str, list[tuple[Any, ...]]]


def read_end_state(owner_dsn: str, researcher_dsn: str) -> State:
    """Return each part of the end state as sorted rows, by its name."""
    state: State = {}
    with psycopg2.connect(owner_dsn) as link, link.cursor() as cursor:
        for name, statement in LEDGER.items():
            state[name] = _rows(cursor, statement)
        state["published"] = _table(cursor, "deid", "published_document")
    link.close()
    with psycopg2.connect(researcher_dsn) as link, link.cursor() as cursor:
        state["research"] = _table(cursor, "research", "document")
    link.close()
    return state


def _table(cursor: Cursor, schema: str, name: str) -> list[tuple[Any, ...]]:
    cursor.execute(COLUMNS, (schema, name))
    listed = sql.SQL(", ").join(sql.Identifier(column) for (column,) in cursor.fetchall())
    return _rows(cursor, sql.SQL("SELECT {} FROM {}").format(listed, sql.Identifier(schema, name)))


def differences(expected: State, found: State) -> dict[str, tuple[int, int]]:
    """Return, for each part that differs, how many rows are missing and how many are too many."""
    return {
        name: (len(_without(expected[name], found[name])), len(_without(found[name], expected[name])))
        for name in expected
        if expected[name] != found[name]
    }


def _without(rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    left, without = [*others], []
    for row in rows:
        if row in left:
            left.remove(row)
        else:
            without.append(row)
    return without


def _rows(cursor: Cursor, statement: str | sql.Composable) -> list[tuple[Any, ...]]:
    cursor.execute(statement)
    return sorted(((*map(_plain, row),) for row in cursor.fetchall()), key=repr)


def _plain(value: Any) -> Any:
    return repr(value) if isinstance(value, dict | list) else value
