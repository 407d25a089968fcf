"""A release run of the tests' Airflow that waits for an answer, as the scheduler leaves it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

from airflow import settings
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
from airflow.models.dagrun import DagRun
from airflow.models.hitl import HITLDetail
from airflow.models.serialized_dag import SerializedDagModel
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import select

from deid.release import actions
from deid.release.decisions import ask_question
from tests.airflow_home import ROOT

DAG = "release_dataset"


@cache
def _known_to_airflow(_metadata: str) -> DagBag:
    DagBundlesManager().sync_bundles_to_db()
    bag = DagBag(ROOT / "dags" / f"{DAG}.py", bundle_path=ROOT, bundle_name="nocturne")
    assert bag.import_errors == {}
    sync_bag_to_db(bag, "nocturne", None)
    return bag


def ask_people(run_id: str, interval_key: str, asked_by: str | None = None) -> str:
    """Ask people about what is staged, by the form that the task writes; returns the digest of it."""
    summary = actions.summarise(interval_key)
    digest = str(summary["staged_digest"])
    asking = _known_to_airflow(settings.SQL_ALCHEMY_CONN).dags[DAG].get_task("approve")
    asking.present(summary)
    with create_session() as session:
        dag = SerializedDagModel.get_dag(DAG, session=session)
        dag.create_dagrun(
            run_id=run_id,
            run_after=datetime.now(UTC),
            run_type=DagRunType.ASSET_TRIGGERED,
            triggered_by=DagRunTriggeredByType.ASSET,
            triggering_user_name=asked_by,
            state=DagRunState.RUNNING,
            partition_key=interval_key,
            session=session,
        )
        session.flush()
        task = _approve(session, run_id)
        task.state, task.next_method, task.next_kwargs = "awaiting_input", "execute_complete", {}
        form = {name: getattr(asking, name) for name in ("options", "subject", "body")}
        session.add(HITLDetail(ti_id=task.id, **form, params=asking.serialized_params))
    ask_question(run_id, interval_key, digest, requested_by=asked_by)
    return digest


def read_answer(run_id: str) -> tuple[str, str | None, list[str], dict[str, str]]:
    """State of the waiting task, who answered, what, with which form."""
    with create_session() as session:
        task = _approve(session, run_id)
        detail = session.get(HITLDetail, task.id)
        by = detail.responded_by["name"] if detail.responded_by else None
        return str(task.state), by, list(detail.chosen_options or []), dict(detail.params_input or {})


def park_again(run_id: str) -> None:
    """The task waits again with the same question, as after an answer that does not settle it."""
    with create_session() as session:
        task = _approve(session, run_id)
        task.state = "awaiting_input"
        detail = session.get(HITLDetail, task.id)
        detail.responded_at, detail.responded_by = None, None
        detail.chosen_options, detail.params_input = None, {}


def fail_task(run_id: str) -> None:
    """The task that asks fails, and its run, as when the ledger could not take the answer."""
    with create_session() as session:
        task = _approve(session, run_id)
        task.state = "failed"
        session.scalars(select(DagRun).filter_by(dag_id=DAG, run_id=run_id)).one().state = DagRunState.FAILED


def forget_questions() -> None:
    """No run of before is left: the next hospital names its own as it likes."""
    with create_session() as session:
        for run in session.scalars(select(DagRun)):
            session.delete(run)


def _approve(session: Any, run_id: str) -> TaskInstance:
    return session.scalars(select(TaskInstance).filter_by(dag_id=DAG, run_id=run_id, task_id="approve")).one()
