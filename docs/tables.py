"""Write the tables that the documents take from the code: `make docs`, or `python -m docs.tables`.

Each table stands between two comments, `<!-- NAME -->` and `<!-- /NAME -->`. Tests compare them with the code.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deid.quality.reasons import REASON_WORDS
from docs import claims, machines, policy_keys, raw_text, settings_table

ROOT = Path(__file__).resolve().parents[1]

# DAG → its purpose. The DAGs' own documentation is in French, for the stewards who read it in Airflow.
BY_HAND = "by hand"
PURPOSES = {
    "apply_oppositions": "removes patients who opted out from the research schema, the ledger and open reviews",
    "ask_again": "asks lost questions again",
    "deidentify_documents": "finds, replaces and checks the documents of an interval, in batches, and stages them",
    "evaluate_release": "attacks and measures a sample of it, by policy",
    "exchange_annotations": "gives documents of a period to annotators through a folder, or checks what they return",
    "link_table": "gives a structured table the pseudonyms and moved dates of the published documents",
    "refresh_references": "loads reference data beside the version in use, checks it, swaps them",
    "train_detector": "trains a model on annotated documents, compares it with what serves, promotes it or asks",
    "release_dataset": "publishes a staged interval under the policy's conditions, and writes its report",
}


def bag() -> Any:
    """The DAGs of this checkout, read by an Airflow that writes to a temporary folder."""
    if "airflow" not in sys.modules:
        os.environ.update(AIRFLOW_HOME=tempfile.mkdtemp(prefix="nocturne-docs-"), AIRFLOW__CORE__LOAD_EXAMPLES="False")
        sys.path.insert(0, str(ROOT / "plugins"))
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(ROOT / "dags", known_pools={"default_pool", "gpu"})


def schedule(dag: Any) -> str:
    """Tell when a DAG starts."""
    kind, timetable = type(dag.timetable).__name__, dag.timetable
    if kind == "NullTimetable":
        return BY_HAND
    if kind == "PartitionedAssetTimetable":
        return f"each time `{timetable.asset_condition.name}` gains an interval"
    after = ", over the interval before" if kind == "CronDataIntervalTimetable" else ""
    return f"`{timetable.expression}` {timetable.timezone}{after}"


def tasks(dag: Any) -> str:
    """List the tasks of a DAG in order; a mapped one is marked ×, for it runs once per batch."""
    return ", ".join(f"`{task.task_id}`{' ×' if task.is_mapped else ''}" for task in dag.topological_sort())


def dag_table(dags: Any = None) -> str:
    """The Markdown table of the DAGs: id, schedule, tasks, purpose."""
    read = (dags or bag()).dags
    rows = [f"| `{name}` | {schedule(dag)} | {tasks(dag)} | {PURPOSES[name]} |" for name, dag in sorted(read.items())]
    return "\n".join(["| DAG | starts | tasks | purpose |", "|---|---|---|---|", *rows])


def short_dag_table(dags: Any = None) -> str:
    """The same without the tasks, of the DAGs that start by themselves."""
    read = sorted((dags or bag()).dags.items())
    started = [(name, schedule(dag)) for name, dag in read if schedule(dag) != BY_HAND]
    rows = [f"| `{name}` | {when} | {PURPOSES[name]} |" for name, when in started]
    return "\n".join(["| DAG | starts | purpose |", "|---|---|---|", *rows])


def reason_table() -> str:
    """The Markdown table of the reasons of quarantine, in French."""
    rows = (
        f"| **{one.title}** (`{reason}`) | {one.meaning} | {one.remedy} |" for reason, one in REASON_WORDS["fr"].items()
    )
    return "\n".join(["| Raison | Ce qui s'est passé | Que faire |", "|---|---|---|", *rows])


# (document, name of its block) → the function that writes it
BLOCKS: Mapping[tuple[str, str], Callable[[], str]] = {
    ("CONTRIBUTING.md", "raw text"): raw_text.table,
    ("README.md", "dags"): short_dag_table,
    ("docs/architecture.md", "dags"): dag_table,
    ("docs/evaluation.md", "attacks"): claims.english_attacks,
    ("docs/evaluation.md", "machines"): machines.english_machines,
    ("docs/fr/dossier-dpo.md", "attaques"): claims.french_attacks,
    ("docs/fr/dossier-dpo.md", "autres attaques"): claims.french_limits,
    ("docs/fr/dossier-dpo.md", "colonnes"): claims.french_columns,
    ("docs/fr/dossier-dpo.md", "réglages"): claims.french_settings,
    ("docs/fr/dossier-dpo.md", "faits publics"): claims.french_public_facts,
    ("docs/operators.md", "settings"): settings_table.table,
    ("docs/policy.md", "keys"): policy_keys.policy,
    ("docs/stewards.md", "raisons"): reason_table,
}


def block(text: str, name: str) -> re.Match[str]:
    """Find a block in a document; its group `body` is what stands between the comments.

    Raises:
        LookupError: the document has no such block, or has it twice.
    """
    found = list(re.finditer(rf"<!-- {name} -->\n(?P<body>.*?)<!-- /{name} -->", text, re.DOTALL))
    if len(found) != 1:
        raise LookupError(f"{len(found)} blocks called {name}")
    return found[0]


def main() -> None:
    """Write every block anew."""
    for (document, name), write in BLOCKS.items():
        path = ROOT / document
        text = path.read_text(encoding="utf-8")
        old = block(text, name)
        path.write_text(f"{text[: old.start('body')]}{write()}\n{text[old.end('body') :]}", encoding="utf-8")


if __name__ == "__main__":
    main()
