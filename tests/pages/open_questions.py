"""A release run of the tests' Airflow that waits for an answer, as the scheduler leaves it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
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
def _known_to_airflow() -> None:
    DagBundlesManager().sync_bundles_to_db()
    bag = DagBag(ROOT / "dags" / f"{DAG}.py", bundle_path=ROOT, bundle_name="nocturne")
    assert bag.import_errors == {}
    sync_bag_to_db(bag, "nocturne", None)


def ask_people(run_id: str, interval_key: str, asked_by: str | None = None) -> str:
    """Ask people about what is staged; returns the digest of it."""
    _known_to_airflow()
    digest = str(actions.summarise(interval_key)["staged_digest"])
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
        options = ["Approve", "Reject", "Rework"]
        session.add(
            HITLDetail(ti_id=task.id, options=options, subject="Publier ?", params={"motif": "", "empreinte": ""})
        )
    ask_question(run_id, interval_key, digest, requested_by=asked_by)
    return digest


def read_answer(run_id: str) -> tuple[str, str | None, list[str], dict[str, str]]:
    """State of the waiting task, who answered, what, with which form."""
    with create_session() as session:
        task = _approve(session, run_id)
        detail = session.get(HITLDetail, task.id)
        by = detail.responded_by["name"] if detail.responded_by else None
        return str(task.state), by, list(detail.chosen_options or []), dict(detail.params_input or {})


def fail_task(run_id: str) -> None:
    """The task that asks fails, as when the ledger could not take the answer."""
    with create_session() as session:
        _approve(session, run_id).state = "failed"


def _approve(session: Any, run_id: str) -> TaskInstance:
    return session.scalars(select(TaskInstance).filter_by(dag_id=DAG, run_id=run_id, task_id="approve")).one()
