"""Great Expectations on a sample of what was staged: columns in order, their types, the form of their values."""

from __future__ import annotations

from typing import Any

from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import ReferenceRefused
from deid.refresh.sources import Source

SAMPLE = 2_000
# Whole pages of the table, by a fixed seed, are enough of a big one: the same file is judged on the same rows.
_SAMPLE = sql.SQL(
    "SELECT {} FROM stage TABLESAMPLE SYSTEM (%(percent)s) REPEATABLE (0) ORDER BY hashtext(stage::text) LIMIT %(most)s"
)


def check_sample(cursor: Cursor, source: Source, rows: int) -> None:
    """Judge a sample of the staging table, of `rows` rows, by the source's rules.

    Raises:
        ReferenceRefused: a column or a value is not what it should be; names the columns, never a value.
    """
    columns = [rule.column for rule in source.rules]
    # The staging table is this transaction's own, so the sample is brought to Great Expectations, not the other way.
    percent = min(100.0, 100 * 5 * SAMPLE / max(rows, 1))
    statement = _SAMPLE.format(sql.SQL(", ").join(map(sql.Identifier, columns)))
    cursor.execute(statement, {"percent": percent, "most": SAMPLE})
    sample = cursor.fetchall()
    if failed := _failed(source, columns, sample):
        raise ReferenceRefused(
            f"{source.name}: in a sample of {len(sample)} rows {'; '.join(failed)}.",
            "It is not the expected file; the release in use stays.",
        )


def _failed(source: Source, columns: list[str], rows: list[tuple[Any, ...]]) -> list[str]:
    """What the suite of the source finds wrong, in words."""
    from deid.refresh.suite import judge  # Great Expectations takes seconds to import

    return judge(source.name, source.rules, columns, rows)
