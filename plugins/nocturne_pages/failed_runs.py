"""Runs of Airflow that failed, of which the ledger knows no end or nothing at all: their first failed task."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.sdk.exceptions import AirflowFailException
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunType
from nocturne_airflow.launch import period
from sqlalchemy import select

from deid.domain import PARIS
from deid.domain.errors import NocturneError
from deid.release.interval import INTERVAL_KEY

DAG = "deidentify_documents"


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A failed run: its id, its first failed task if Airflow still knows it, its end, its interval and that one's end.

    `task` is the name that people read, `task_id` Airflow's, of the try `tries` and, of a batch, the place `map_index`.
    """

    run_id: str
    task: str | None
    task_id: str | None
    tries: int
    map_index: int
    ended_at: datetime | None
    interval_key: str | None
    interval_end: datetime | None


def read_failed_runs(names: Collection[str]) -> dict[str, FailedRun]:
    """Return by their names the runs of `deidentify_documents` that Airflow knows to have failed.

    A name is a run's id, or the key of an interval: that is the last run that was asked for it, dry ones apart.
    """
    keys = {name for name in names if INTERVAL_KEY.fullmatch(name)}
    if not names:
        return {}
    chosen = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_id.in_(set(names) - keys))
    with create_session() as session:
        found = {run.run_id: run for run in session.scalars(chosen)} | dict(_last_of(session, keys))
        return {name: _told(session, run) for name, run in found.items() if run.state == DagRunState.FAILED}


def read_last_failed() -> FailedRun | None:
    """Return the last scheduled run of `deidentify_documents` if it has failed, be it unknown to the ledger."""
    scheduled = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_type == DagRunType.SCHEDULED)
    with create_session() as session:
        run = session.scalars(scheduled.order_by(DagRun.run_after.desc()).limit(1)).first()
        return _told(session, run) if run is not None and run.state == DagRunState.FAILED else None


def _last_of(session: Any, keys: Collection[str]) -> Iterator[tuple[str, DagRun]]:
    """Yield each of some intervals with its runs, the last one last; none is asked for before its interval begins."""
    try:
        begun = datetime.fromisoformat(min(keys)[:10]).replace(tzinfo=PARIS).astimezone(UTC)
    except (ValueError, OverflowError):  # no keys, or no day of any calendar
        return
    asked = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_after >= begun).order_by(DagRun.run_after)
    for run in session.scalars(asked):
        if (key := _interval_of(run)) in keys and not (run.conf or {}).get("dry_run"):
            yield key, run


def _interval_of(run: DagRun) -> str | None:
    """Return the key of the interval that a run was asked for, as its first task reads it; None if it cannot."""
    form = {"interval_start": None, "interval_end": None} | (run.conf or {})
    try:
        return str(period(form, run.data_interval_start, run.data_interval_end).key)
    except (AirflowFailException, NocturneError, TypeError, ValueError):  # what the form holds is a person's
        return None


def _told(session: Any, run: DagRun) -> FailedRun:
    tasks = select(TaskInstance).where(
        TaskInstance.dag_id == DAG, TaskInstance.run_id == run.run_id, TaskInstance.state == TaskInstanceState.FAILED
    )
    task = session.scalars(tasks.order_by(TaskInstance.end_date).limit(1)).first()
    named = (task.task_display_name, task.task_id, task.try_number, task.map_index) if task else (None, None, 0, -1)
    return FailedRun(run.run_id, *named, run.end_date, _interval_of(run), run.data_interval_end)
