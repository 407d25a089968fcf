"""Runs of Airflow that the ledger believes to be at work, and that have failed: their first failed task."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from sqlalchemy import select

DAG = "deidentify_documents"


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that failed: its id, the name of its first failed task if Airflow still knows it, and when it ended."""

    run_id: str
    task: str | None
    ended_at: datetime | None


def read_failed_runs(run_ids: Collection[str]) -> dict[str, FailedRun]:
    """Return by their ids those of some runs of `deidentify_documents` that Airflow knows to have failed."""
    if not run_ids:
        return {}
    failed = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_id.in_(run_ids), DagRun.state == DagRunState.FAILED)
    tasks = (
        select(TaskInstance)
        .where(TaskInstance.dag_id == DAG, TaskInstance.state == TaskInstanceState.FAILED)
        .order_by(TaskInstance.end_date)
    )
    found = {}
    with create_session() as session:
        for run in session.scalars(failed):
            task = session.scalars(tasks.where(TaskInstance.run_id == run.run_id).limit(1)).first()
            found[run.run_id] = FailedRun(run.run_id, task.task_display_name if task else None, run.end_date)
    return found
