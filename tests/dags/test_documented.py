"""The tables of DAGs in the documents are those of the DAGs: `make docs` writes them."""

from __future__ import annotations

from typing import Any

from deid.refresh.sources import SOURCES
from docs import tables
from tests import ROOT


def test_the_tables_of_dags_are_current(bag: Any) -> None:
    for document, table in (("docs/architecture.md", tables.dag_table), ("README.md", tables.short_dag_table)):
        assert tables.block((ROOT / document).read_text(), "dags")["body"].strip() == table(bag), "run `make docs`"


def test_every_dag_has_a_purpose_and_no_other(bag: Any) -> None:
    assert set(tables.PURPOSES) == set(bag.dags)


def test_every_task_has_a_name_in_words_that_its_documentation_uses(bag: Any) -> None:
    for dag in bag.dags.values():
        for task in dag.tasks:
            assert task.task_display_name != task.task_id, f"{dag.dag_id}: {task.task_id} has no name in words"
            if "| Étape |" in dag.doc_md:
                step = task.task_id.rpartition(".")[2]  # without its group
                assert f"{task.task_display_name} (`{step}`) |" in dag.doc_md, (dag.dag_id, step)
    named = {task.task_id: task.task_display_name for task in bag.dags["refresh_references"].tasks}
    assert {source: named[source] for source in SOURCES} == {name: source.title for name, source in SOURCES.items()}
