"""Checks on the lines and rows of a new version, before it takes the place of the one in use.

Bounds and the figures that they come from: docs/reference-data.md, “What is refused”.
"""

from __future__ import annotations

import io
from fractions import Fraction

from psycopg2.extensions import cursor as Cursor

from deid.database.queries import execute, one
from deid.domain.errors import ReferenceRefused
from deid.reference.packaged import packaged_rows
from deid.refresh.reference_versions import ReferenceVersion, versions_in_use
from deid.refresh.sources import ReferenceSource
from deid.refresh.sources.source import LineCounts

# Most lines that repeat another one, as a share of all.
REPEATED = Fraction(1, 100)


def check_lines(cursor: Cursor, source: ReferenceSource, tally: LineCounts) -> None:
    """Refuse files with too many malformed, repeated or damaged lines; take the damaged rows out of the stage.

    Raises:
        ReferenceRefused: names the fault and how many lines have it.
    """
    remedy = "Download the file again, or see docs/reference-data.md for what is expected; the version in use stays."
    if tally.malformed > source.tolerance * tally.read:
        raise ReferenceRefused(
            f"{source.name}: {tally.malformed} of {tally.read} lines are not as they should be, "
            f"the first is line {tally.first_malformed}.",
            remedy,
        )
    if tally.lines.share > REPEATED:
        raise ReferenceRefused(f"{source.name}: {float(tally.lines.share):.0%} of the lines are given twice.", remedy)
    damaged, rows = one(execute(cursor, "ref", "stage", "drop_damaged", {}))
    tally.malformed += damaged
    if damaged > source.tolerance * rows:
        raise ReferenceRefused(
            f"{source.name}: {damaged} of {rows} rows have characters that another encoding left behind.",
            "The file was saved in an encoding that is not its own: download it again, without opening it in a "
            "spreadsheet; the version in use stays.",
        )


def check_rows(cursor: Cursor, source: ReferenceSource) -> None:
    """Refuse staged rows that break a check of `sql/ref/<table>.sql`: keys, sample lookups, positions.

    Raises:
        ReferenceRefused: names each check that failed, with the number of rows.
    """
    if source.placed:
        _stage_known_communes(cursor)
    bounds = {rule.column: (rule.least, rule.most) for rule in source.rules}
    least, most = bounds.get("value", (None, None))
    about = {"source": source.name, "least": least, "most": most}
    found = execute(cursor, "ref", source.table, "checks", about)
    failed = [f"{what} ({observed})" for what, observed in found if observed > 0]
    if failed:
        raise ReferenceRefused(
            f"{source.name}: {'; '.join(failed)}.", "It is not the expected file; the version in use stays."
        )


def _stage_known_communes(cursor: Cursor) -> None:
    """Make the table of the communes in use; of those that ship if no version was ever loaded."""
    execute(cursor, "ref", "known_commune", "stage", {})
    if (present := versions_in_use(cursor, "communes").get("communes")) is not None:
        execute(cursor, "ref", "known_commune", "fill", {"release_id": present.release_id})
        return
    columns = ("insee", "name", "department", "lon", "lat")
    shipped = (row for row in packaged_rows("communes") if row["kind"] == "COM")
    lines = "".join("\t".join(row[column] for column in columns) + "\n" for row in shipped)
    cursor.copy_expert(f"COPY known_commune ({', '.join(columns)}) FROM STDIN", io.StringIO(lines))


def check_drift(source: ReferenceSource, rows: int, location: str, present: ReferenceVersion | None) -> None:
    """Refuse a version with fewer rows than the floor, or too far from the number of the version in use.

    Raises:
        ReferenceRefused: names both numbers.
    """
    remedy = "Check that the file is whole; the version in use stays."
    if rows < source.floor:
        raise ReferenceRefused(f"{source.name}: {rows} rows, fewer than {source.floor}.", remedy)
    # Another location may hold another extent, such as a department instead of the country.
    if present is None or not (source.whole or present.location == location):
        return
    if abs(rows - present.rows) > source.drift * present.rows:
        raise ReferenceRefused(
            f"{source.name}: {rows} rows where the version in use has {present.rows}, "
            f"more than {float(source.drift):.0%} apart.",
            remedy,
        )
