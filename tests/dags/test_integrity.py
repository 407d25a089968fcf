"""The DAG files as Airflow reads them: complete, documented, light, and with every safeguard on."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from nocturne_airflow.steps import (
    GPU_POOL,
    GPU_QUEUE,
    LAB_QUEUE,
    PUBLISHING_QUEUE,
    READING_QUEUE,
    REFERENCES_QUEUE,
    RETRIES,
    Tag,
)

from tests import ROOT

FILES = {
    "apply_oppositions",
    "ask_again",
    "deidentify_documents",
    "evaluate_release",
    "exchange_annotations",
    "link_table",
    "release_dataset",
    "train_detector",
    "refresh_references",
}
HEAVY = {"torch", "transformers", "pandas", "great_expectations", "matplotlib", "numpy", "deid.nightly.steps"}


def read_dags() -> Any:
    from airflow.dag_processing.dagbag import DagBag

    return DagBag(ROOT / "dags", known_pools={"default_pool", *json.loads((ROOT / "docker/pools.json").read_text())})


@pytest.fixture(scope="module")
def bag() -> Any:
    return read_dags()


def test_every_file_is_read_without_a_word(bag: Any) -> None:
    assert bag.import_errors == {}
    assert bag.captured_warnings == {}
    assert bag.dag_warnings == set()
    assert {path.stem for path in (ROOT / "dags").glob("*.py")} == FILES == set(bag.dags)


def test_the_repository_is_a_bundle_with_these_dags_only() -> None:
    from airflow.utils.file import list_py_file_paths

    found = {Path(path).relative_to(ROOT) for path in list_py_file_paths(str(ROOT), safe_mode=False)}
    assert found == {Path("dags") / f"{name}.py" for name in FILES}


@pytest.mark.parametrize("dag_id", sorted(FILES))
def test_a_steward_can_read_what_it_is(bag: Any, dag_id: str) -> None:
    dag = bag.dags[dag_id]
    assert dag.doc_md
    assert dag.dag_display_name != dag_id
    assert dag.tags
    assert dag.tags <= {tag.value for tag in Tag}
    assert len([tag for tag in dag.tags if tag.startswith("impact:")]) == 1
    assert all(parameter.schema.get("title") for _, parameter in dag.params.items() if hasattr(parameter, "schema"))


@pytest.mark.parametrize("dag_id", sorted(FILES))
def test_every_step_has_its_safeguards(bag: Any, dag_id: str) -> None:
    for task in bag.dags[dag_id].tasks:
        options = task.partial_kwargs if task.is_mapped else vars(task)
        assert task.retry_policy == RETRIES, task.task_id
        if task.task_type != "ReleaseApproval":  # people have a deadline of their own
            assert timedelta(hours=1) <= options["execution_timeout"] <= timedelta(hours=24), task.task_id
        if task.task_type not in (
            "ReleaseApproval",
            "TriggerDagRunOperator",
            "DecoratedSensorOperator",
        ):  # log no value
            assert options["show_return_value_in_logs"] is False, task.task_id


def test_detection_waits_for_the_device(bag: Any) -> None:
    found = [("deidentify_documents", "batch.detect"), ("exchange_annotations", "give")]
    for dag_id, task_id in [*found, ("train_detector", "train"), ("train_detector", "evaluate")]:
        task = bag.dags[dag_id].get_task(task_id)
        assert (task.pool, task.queue) == (GPU_POOL, GPU_QUEUE)


def test_each_task_waits_for_a_worker_that_has_what_it_needs(bag: Any) -> None:
    queues = {
        name: {task.queue for task in dag.tasks} for name, dag in bag.dags.items() if name != "refresh_references"
    }
    assert queues == {
        "deidentify_documents": {READING_QUEUE, GPU_QUEUE},
        "release_dataset": {PUBLISHING_QUEUE},
        "apply_oppositions": {PUBLISHING_QUEUE},
        "ask_again": {PUBLISHING_QUEUE},
        "evaluate_release": {READING_QUEUE, PUBLISHING_QUEUE},
        "exchange_annotations": {READING_QUEUE, GPU_QUEUE},
        "link_table": {READING_QUEUE},
        "train_detector": {READING_QUEUE, GPU_QUEUE},
    }
    loads = {task.task_id: task.queue for task in bag.dags["refresh_references"].tasks}
    assert loads.pop("lookup") == READING_QUEUE
    assert set(loads.values()) == {REFERENCES_QUEUE}
    on_device = ("batch.detect", "give", "train", "evaluate")
    others = [task for dag in bag.dags.values() for task in dag.tasks if task.task_id not in on_device]
    assert {task.pool for task in others} == {"default_pool"}


def test_the_laboratory_has_the_queue_that_the_setting_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAB_QUEUE, "lab")
    dags = read_dags().dags
    assert {name: {task.queue for task in dag.tasks} for name, dag in dags.items() if name != "refresh_references"} == {
        "deidentify_documents": {READING_QUEUE, GPU_QUEUE},
        "release_dataset": {PUBLISHING_QUEUE},
        "apply_oppositions": {PUBLISHING_QUEUE},
        "ask_again": {PUBLISHING_QUEUE},
        "evaluate_release": {"lab", PUBLISHING_QUEUE},
        "exchange_annotations": {"lab"},
        "link_table": {READING_QUEUE},
        "train_detector": {"lab"},
    }
    assert dags["train_detector"].get_task("train").pool == GPU_POOL


def test_the_night_has_its_interval_and_its_form(bag: Any) -> None:
    dag = bag.dags["deidentify_documents"]
    assert type(dag.timetable).__name__ == "CronDataIntervalTimetable"
    assert (dag.timetable.expression, str(dag.timetable.timezone)) == ("30 3 * * *", "Europe/Paris")
    assert dag.catchup is False
    assert dag.max_active_runs == 2
    assert set(dag.params) == {
        *("reason", "interval_start", "interval_end", "document_types", "services", "batch_size", "dry_run"),
    }


def test_one_silent_steward_does_not_stop_the_nights(bag: Any) -> None:
    dag = bag.dags["release_dataset"]
    assert type(dag.timetable).__name__ == "PartitionedAssetTimetable"
    assert dag.max_active_runs > 7
    approve = dag.get_task("approve")
    assert approve.defaults is None  # silence never publishes
    assert approve.retries == 0


def test_sources_of_references_are_those_of_the_library(bag: Any) -> None:
    from deid.refresh.sources import SOURCES

    assert set(bag.dags["refresh_references"].task_ids) == {*SOURCES, "lookup", "ages", "alert"}


def test_communes_come_after_every_source_that_their_features_may_name(bag: Any) -> None:
    from deid.refresh.configuration import Feature

    named = {*get_args(Feature.model_fields["source"].annotation)} - {"communes"}
    assert named <= bag.dags["refresh_references"].get_task("communes").upstream_task_ids


def test_reading_the_dags_imports_nothing_heavy() -> None:
    program = (
        "import sys; from airflow.dag_processing.dagbag import DagBag;"
        f"bag = DagBag({str(ROOT / 'dags')!r}); assert not bag.import_errors;"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=110, cwd=ROOT
    )
    assert done.stdout.strip().splitlines()[-1] == "[]", done.stderr[-2000:]


def test_no_plugin_fails_silently() -> None:
    from airflow import plugins_manager

    assert plugins_manager._get_plugins()[1] == {}
