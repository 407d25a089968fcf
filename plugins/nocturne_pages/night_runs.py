"""Runs of Airflow that failed, or are under way, of which the ledger knows no end or nothing at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from airflow.models.dagrun import DagRun
from airflow.models.taskinstance import TaskInstance
from airflow.models.taskinstancehistory import TaskInstanceHistory
from airflow.sdk.exceptions import AirflowFailException
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunType
from nocturne_airflow.launch import period
from sqlalchemy import select

from deid.database.connection import open_cursor
from deid.domain import PARIS
from deid.domain.errors import NocturneError
from deid.release.interval import INTERVAL_KEY
from deid.reports.intervals import read
from deid.stewardship.overview import AT_WORK

DAG = "deidentify_documents"


TOLD = (DagRunState.FAILED, DagRunState.QUEUED, DagRunState.RUNNING)


@dataclass(frozen=True, slots=True)
class NightRun:
    """A run that failed, or is under way: its id, the failed task, that one's end, its interval and that one's end.

    The task is the first one that failed; of a run that is under way after a Clear, the last one that had failed
    before; None where there is none. `task` is the name that people read, `task_id` Airflow's, of the try `tries` and,
    of a batch, the place `map_index`.
    """

    run_id: str
    failed: bool
    task: str | None
    task_id: str | None
    tries: int
    map_index: int
    ended_at: datetime | None
    interval_key: str | None
    interval_end: datetime | None


def read_runs(names: Collection[str]) -> dict[str, NightRun]:
    """Return by their names the runs of `deidentify_documents` that have failed or are under way.

    A name is a run's id, or the key of an interval: that is the last run that was asked for it, dry ones apart.
    """
    keys = {name for name in names if INTERVAL_KEY.fullmatch(name)}
    if not names:
        return {}
    chosen = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_id.in_(set(names) - keys))
    with create_session() as session:
        found = {run.run_id: run for run in session.scalars(chosen)} | dict(_last_of(session, keys))
        return {name: _told(session, run) for name, run in found.items() if run.state in TOLD}


def read_failed_runs(names: Collection[str]) -> dict[str, NightRun]:
    """Return those of `read_runs` that have failed."""
    return {name: run for name, run in read_runs(names).items() if run.failed}


def find_night(interval_key: str) -> tuple[bool, NightRun | None]:
    """Return whether the ledger knows an interval, and its run where one is to come to its end, failed or not."""
    with open_cursor("steward", "nocturne pages", readonly=True) as cursor:
        found = read(cursor, limit=1, keys=[interval_key])
    names = [one.triggered_by or one.key for one in found if one.state in AT_WORK] if found else [interval_key]
    return bool(found), next(iter(read_runs(names).values()), None)


def read_night(interval_key: str) -> NightRun | None:
    """Return the run of an interval where one is to come to its end, failed or not."""
    return find_night(interval_key)[1]


def read_last() -> NightRun | None:
    """Return the last scheduled run of `deidentify_documents` if it has failed or is under way."""
    scheduled = select(DagRun).where(DagRun.dag_id == DAG, DagRun.run_type == DagRunType.SCHEDULED)
    with create_session() as session:
        run = session.scalars(scheduled.order_by(DagRun.run_after.desc()).limit(1)).first()
        return _told(session, run) if run is not None and run.state in TOLD else None


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


def _told(session: Any, run: DagRun) -> NightRun:
    failed = run.state == DagRunState.FAILED
    task = _first_failed(session, run) if failed else _failed_before(session, run) if run.clear_number else None
    named = (task.task_display_name, task.task_id, task.try_number, task.map_index) if task else (None, None, 0, -1)
    ended_at = run.end_date if failed else task and task.end_date
    return NightRun(run.run_id, failed, *named, ended_at, _interval_of(run), run.data_interval_end)


def _first_failed(session: Any, run: DagRun) -> Any:
    tasks = select(TaskInstance).where(
        TaskInstance.dag_id == DAG, TaskInstance.run_id == run.run_id, TaskInstance.state == TaskInstanceState.FAILED
    )
    return session.scalars(tasks.order_by(TaskInstance.end_date).limit(1)).first()


def _failed_before(session: Any, run: DagRun) -> Any:
    """Return the try that failed last among those that a Clear put aside: the last one of its task each."""
    kept = TaskInstanceHistory
    tries = select(kept).where(kept.dag_id == DAG, kept.run_id == run.run_id).order_by(kept.try_number)
    last = {(one.task_id, one.map_index): one for one in session.scalars(tries)}
    failed = [one for one in last.values() if one.state == TaskInstanceState.FAILED]
    return max(failed, key=lambda one: one.end_date or run.run_after, default=None)
