"""Airflow in this process, with its own database; a steward who answers; a search for what must not be there."""

import tests.airflow_home  # noqa: F401, I001 - before Airflow is imported

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from airflow.dag_processing import dagbag
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag
from airflow.jobs.job import Job
from airflow.jobs.scheduler_job_runner import SchedulerJobRunner
from airflow.models import DagModel, DagRun
from airflow.models import dagrun as dagruns
from airflow.models.asset import AssetPartitionDagRun
from airflow.models.hitl import HITLDetail
from airflow.models.pool import Pool
from airflow.models.taskinstance import TaskInstance
from airflow.triggers.base import TriggerEvent
from airflow.utils.db import initdb
from airflow.utils.session import create_session
from sqlalchemy import delete, select, update

from deid.refresh.refreshing import refresh
from deid.refresh.sources import SOURCES
from deid.release.decisions import record_right
from tests.airflow_home import ROOT
from tests.conftest import Database, Deploy


def load_references(database: Database) -> None:
    """Load every source that ships, as the first night of `refresh_references` does."""
    for source in SOURCES:
        refresh(source, dsn=database.dsn("refresher"))


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lookups")


@pytest.fixture
def loaded(deploy: Deploy, _built: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A deployment after the first night of the references, whose tables one test builds for all."""
    monkeypatch.setenv("NOCTURNE_LOOKUP_FOLDER", str(_built))
    return deploy(load_references)


@pytest.fixture(scope="session")
def _tables() -> None:
    """Airflow's tables with the DAGs in them, and the pool that the plugin makes when a component starts."""
    initdb()
    Job()
    assert Pool.get_pool("gpu").slots == 1
    DagBundlesManager().sync_bundles_to_db()
    dagbag.sync_bag_to_db(_read_dags(), "nocturne", None)


def _read_dags() -> DagBag:
    return DagBag(ROOT / "dags", bundle_path=ROOT, bundle_name="nocturne", known_pools={"default_pool", "gpu"})


@pytest.fixture
def bag(_tables: None) -> DagBag:
    """The DAGs, read anew: a run leaves its parameters in them."""
    read = _read_dags()
    for dag in read.dags.values():
        dag.deadline = None  # `dag.test()` takes the alert for its id and fails; the scheduler does not
        for task in dag.tasks:
            task.retry_delay = timedelta(seconds=0)  # nobody waits here for a machine to recover
    return read


@dataclass(frozen=True)
class Ended:
    """A run that has ended: its state, and that of each step; a mapped step gives one state per batch."""

    state: str
    steps: Mapping[str, list[str]]


@pytest.fixture
def play(bag: DagBag, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Run a DAG in this process: `play("release_dataset", key="2026-03-02")`, `play("deidentify…", at=…, reason=…)`.

    `run_id` is of a run that the scheduler created, which is run in the place of a new one.
    """
    make = dagruns.get_or_create_dagrun
    # `dag.test()` would read every DAG below the root and write it again, for half a second of each run.
    monkeypatch.setattr(dagbag, "BundleDagBag", lambda **_: None)
    monkeypatch.setattr(dagbag, "sync_bag_to_db", lambda *_: None)

    def run(
        dag_id: str, *, at: datetime | None = None, key: str | None = None, run_id: str | None = None, **conf: Any
    ) -> Ended:
        def keyed(**given: Any) -> Any:
            if run_id is None:
                made = make(**given)
                made.partition_key = key
            else:
                made = given["session"].scalars(select(DagRun).filter_by(dag_id=dag_id, run_id=run_id)).one()
                made.dag, made.state = given["dag"], "running"
            given["session"].commit()
            return made

        monkeypatch.setattr(dagruns, "get_or_create_dagrun", keyed)
        done = bag.dags[dag_id].test(logical_date=at or datetime.now(UTC), run_conf=conf)
        steps: dict[str, list[str]] = {}
        with create_session() as session:
            found = session.scalars(select(TaskInstance).filter_by(dag_id=dag_id, run_id=done.run_id))
            for instance in found:
                steps.setdefault(instance.task_id, []).append(str(instance.state))
        return Ended(str(done.state), steps)

    return run


def unpause(dag_id: str) -> None:
    """Let a DAG follow its assets, as an operator does once after the installation."""
    with create_session() as session:
        session.execute(update(DagModel).where(DagModel.dag_id == dag_id).values(is_paused=False))


def follow_assets(key: str) -> list[tuple[str, str]]:
    """Create, as the scheduler does, the runs that the assets of a partition ask for; return the DAG and id of each."""
    pending = AssetPartitionDagRun.created_dag_run_id.is_(None)
    with create_session() as session:
        # What other tests published is no longer in any database.
        session.execute(delete(AssetPartitionDagRun).where(pending, AssetPartitionDagRun.partition_key != key))
        before = set(session.scalars(select(DagRun.id)))
        SchedulerJobRunner(Job())._create_dagruns_for_partitioned_asset_dags(session)
        session.flush()
        return [(one.dag_id, one.run_id) for one in session.scalars(select(DagRun)) if one.id not in before]


@pytest.fixture
def steward(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Answers approvals while a run waits: set `steward["chosen"]` and `steward["motif"]`.

    Where several people answer in turn, set `steward["people"]`; the last one goes on answering. The API server's check
    of each is recorded, without the right to decide for those in `steward["barred"]`, and not at all for those in
    `steward["unchecked"]`. What already waited, as the runs that other modules park for their pages, waits on.
    """
    from airflow.api_fastapi.core_api.routes.public.hitl import handle_event_submit

    answers: dict[str, Any] = {"chosen": "Approuver", "motif": "lu", "asked": 0, "people": ["steward"]}
    answers |= {"barred": [], "unchecked": []}
    waiting = select(TaskInstance).where(TaskInstance.state == "awaiting_input")
    with create_session() as session:
        others = {instance.id for instance in session.scalars(waiting)}
    real_sleep = time.sleep

    def respond(seconds: float) -> None:
        with create_session() as session:
            parked = session.scalars(waiting.where(TaskInstance.id.not_in(others))).all()
            for instance in parked:
                who = answers["people"][min(answers["asked"], len(answers["people"]) - 1)]
                answers["asked"] += 1
                detail = session.get(HITLDetail, instance.id)
                detail.responded_at = datetime.now(UTC)
                detail.responded_by = {"id": who, "name": who}
                detail.chosen_options = [answers["chosen"]]
                detail.params_input = {"motif": answers["motif"]}
                answers.update(form=detail.params, options=detail.options)
                if who not in answers["unchecked"]:
                    record_right(instance.run_id, who, may_decide=who not in answers["barred"])
                event = TriggerEvent(detail.as_resume_event_payload())
                handle_event_submit(event, task_instance=instance, session=session)
        if not parked:
            real_sleep(seconds)

    monkeypatch.setattr(time, "sleep", respond)
    return answers
