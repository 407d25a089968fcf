"""The tables of DAGs in the documents are those of the DAGs: `make docs` writes them."""

from __future__ import annotations

from typing import Any

from docs import tables
from tests import ROOT


def test_the_tables_of_dags_are_current(bag: Any) -> None:
    for document, table in (("docs/architecture.md", tables.dag_table), ("README.md", tables.short_dag_table)):
        assert tables.block((ROOT / document).read_text(), "dags")["body"].strip() == table(bag), "run `make docs`"


def test_every_dag_has_a_purpose_and_no_other(bag: Any) -> None:
    assert set(tables.PURPOSES) == set(bag.dags)
