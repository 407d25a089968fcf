"""Clear of Airflow, as operators press it, on the DAGs whose runs have deadlines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import requests
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
from airflow.models.dagrun import DagRun
from airflow.models.deadline import Deadline
from airflow.models.serialized_dag import SerializedDagModel
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import select

from tests.airflow_home import ROOT
from tests.pages.serving import Server


@pytest.mark.parametrize(("dag_id", "failing"), [("deidentify_documents", "plan"), ("release_dataset", "summarise")])
def test_a_failed_run_is_cleared_though_it_has_a_deadline(server: Server, dag_id: str, failing: str) -> None:
    run_id, started = f"cleared_{dag_id}", datetime.now(UTC)
    DagBundlesManager().sync_bundles_to_db()
    bag = DagBag(ROOT / "dags" / f"{dag_id}.py", bundle_path=ROOT, bundle_name="nocturne")
    sync_bag_to_db(bag, "nocturne", None)
    with create_session() as session:
        made = SerializedDagModel.get_dag(dag_id, session=session).create_dagrun(
            run_id=run_id,
            run_after=started,
            run_type=DagRunType.MANUAL,
            triggered_by=DagRunTriggeredByType.TEST,
            state=DagRunState.QUEUED,
            session=session,
        )
        session.flush()
        made.state = DagRunState.FAILED
        asked = select(TaskInstance).filter_by(dag_id=dag_id, run_id=run_id, task_id=failing)
        session.scalars(asked).one().state = TaskInstanceState.FAILED
        (due,) = session.scalars(select(Deadline.deadline_time).where(Deadline.dagrun_id == made.id))
    assert due > started + timedelta(hours=1)
    answer = requests.post(
        f"{server.url}/api/v2/dags/{dag_id}/clearTaskInstances",
        json={"dry_run": False, "dag_run_id": run_id, "only_failed": True},
        headers={"Authorization": f"Bearer {server.token('exploitant')}"},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    with create_session() as session:
        run = session.scalars(select(DagRun).filter_by(dag_id=dag_id, run_id=run_id)).one()
        assert run.state == DagRunState.QUEUED
        assert list(session.scalars(select(Deadline.deadline_time).where(Deadline.dagrun_id == run.id))) == [due]
