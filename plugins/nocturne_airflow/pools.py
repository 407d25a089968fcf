"""Listener of Airflow's components that makes the pools of `docker/pools.json` where they are missing.

Tasks of a pool that does not exist wait for ever, and only the scheduler's log says so. A pool that is there keeps its
slots. The session is its own: the scheduler's may not commit where it starts a run.
"""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path
from typing import Any

from airflow.listeners import hookimpl

log = logging.getLogger(__name__)

POOLS = Path(__file__).resolve().parents[2] / "docker" / "pools.json"


@hookimpl
def on_starting(component: Any) -> None:
    """Make the missing pools when a component that holds Airflow's database starts; a task does not."""
    if type(component).__name__ == "Job":
        make_missing()


@hookimpl
def on_dag_run_running(dag_run: Any, msg: str) -> None:  # noqa: ARG001 - Airflow's names
    """Make the missing pools when the scheduler starts a run: one that was deleted since would hold it for ever."""
    make_missing()


def make_missing() -> None:
    """Make the pools that are missing, with the slots of `docker/pools.json`."""
    if not POOLS.exists():
        return
    from airflow.models.pool import Pool
    from airflow.utils.session import create_session
    from sqlalchemy.exc import IntegrityError

    for name, pool in json.loads(POOLS.read_text(encoding="utf-8")).items():
        options = (pool["slots"], pool["description"], pool["include_deferred"])
        with (
            contextlib.suppress(IntegrityError),
            create_session(scoped=False) as session,
        ):
            if Pool.get_pool(name, session=session) is None:
                Pool.create_or_update_pool(name, *options, session=session)
                log.warning("Pool %s was missing; it was made with slots: %d.", name, pool["slots"])
