"""Moment from which a deadline of Airflow counts: when a run was due by its schedule, or else was made.

Airflow's own reference to the moment of queueing makes *Clear* of a run answer 500 (apache/airflow#70368).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from airflow.sdk.definitions.deadline import BaseDeadlineReference


class RunDue(BaseDeadlineReference):
    """Reference of a deadline, evaluated once when a run is made; a run that is cleared keeps it."""

    required_kwargs: ClassVar[set[str]] = {"dag_id", "run_id"}  # Airflow's name: of `_evaluate_with`

    def _evaluate_with(self, *, session: Any, dag_id: str, run_id: str) -> datetime:
        """Return when the schedule asked for the run; the present for a backfill or a run by hand or by an asset."""
        from airflow.models.dagrun import DagRun
        from airflow.sdk.timezone import utcnow
        from airflow.utils.types import DagRunType
        from sqlalchemy import select

        scheduled = DagRun.run_type == DagRunType.SCHEDULED
        due = select(DagRun.run_after).where(DagRun.dag_id == dag_id, DagRun.run_id == run_id, scheduled)
        return session.scalar(due) or utcnow()
