"""Rows of a batch lie in the order of random ids, whatever order the source gave: a role that reads a table sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from deid.database.queries import SQL

NAMES = {"document_id", "patient_id", "stay_id", "ledger_id"}
INTO = re.compile(r"\bINSERT INTO (?:deid|research|identity)\.\w+(?: AS \w+)? \(([^)]*)\)\s*(.*)", re.DOTALL)
ONE_ROW = "document_id = %(document_id)s"
DRAWN = {"ordinal"}  # of a review, drawn at random
READ_BY_NONE = {"identity/move.sql mapping"}  # moved as they lie, into a schema that no such role reads


def insertions() -> Iterator[tuple[str, str]]:
    """Each statement that inserts what it selects under an id, and what follows the columns."""
    for path in sorted(SQL.glob("*/*.sql")):
        if path.parent.name in ("deid", "research", "identity"):
            for part in path.read_text(encoding="utf-8").split("-- name: ")[1:]:
                name = f"{path.parent.name}/{path.name} {part.split(maxsplit=1)[0]}"
                found = INTO.search(part)
                if (
                    found
                    and NAMES & set(re.findall(r"\w+", found[1]))
                    and re.search(r"\bFROM\b", found[2])
                    and ONE_ROW not in found[2]
                    and name not in READ_BY_NONE
                ):
                    yield name, found[2]


STATEMENTS = dict(insertions())


def test_the_insertions_are_found() -> None:
    assert {"deid/mention.sql insert", "deid/document.sql plan", "research/document.sql fill"} <= set(STATEMENTS)


@pytest.mark.parametrize("name", STATEMENTS)
def test_rows_are_inserted_in_the_order_of_ids(name: str) -> None:
    ordered = re.search(r"^ORDER BY (?:\w+\.)?(\w+)", STATEMENTS[name], re.MULTILINE)
    assert ordered, "no order: the rows lie as the source gave them, or as the planner likes"
    assert ordered[1] in NAMES | DRAWN | {"kind"}
