"""Runs of Airflow that the ledger believes to be at work, and that have failed: their first failed task."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunType
from sqlalchemy import select

DAG = "deidentify_documents"


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A failed run: its id, its first failed task's name if Airflow still knows it, its end, its interval's end."""

    run_id: str
    task: str | None
    ended_at: datetime | None
    interval_end: datetime | None


def read_failed_runs(run_ids: Collection[str]) -> dict[str, FailedRun]:
    """Return by their ids those of some runs of `deidentify_documents` that Airflow knows to have failed."""
    if not run_ids:
        return {}
    failed = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_id.in_(run_ids), DagRun.state == DagRunState.FAILED)
    with create_session() as session:
        return {run.run_id: _told(session, run) for run in session.scalars(failed)}


def read_last_failed() -> FailedRun | None:
    """Return the last scheduled run of `deidentify_documents` if it has failed, be it unknown to the ledger."""
    scheduled = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_type == DagRunType.SCHEDULED)
    with create_session() as session:
        run = session.scalars(scheduled.order_by(DagRun.run_after.desc()).limit(1)).first()
        return _told(session, run) if run is not None and run.state == DagRunState.FAILED else None


def _told(session: Any, run: DagRun) -> FailedRun:
    tasks = select(TaskInstance).where(
        TaskInstance.dag_id == DAG, TaskInstance.run_id == run.run_id, TaskInstance.state == TaskInstanceState.FAILED
    )
    task = session.scalars(tasks.order_by(TaskInstance.end_date).limit(1)).first()
    return FailedRun(run.run_id, task.task_display_name if task else None, run.end_date, run.data_interval_end)
