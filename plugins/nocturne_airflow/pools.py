"""Listener of Airflow's components that makes the pools of `docker/pools.json` where they are missing.

Tasks of a pool that does not exist wait for ever, and only the scheduler's log says so. A pool that is there keeps its
slots.
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
    if type(component).__name__ != "Job" or not POOLS.exists():
        return
    from airflow.models.pool import Pool
    from airflow.utils.session import create_session
    from sqlalchemy.exc import IntegrityError

    for name, pool in json.loads(POOLS.read_text(encoding="utf-8")).items():
        options = (pool["slots"], pool["description"], pool["include_deferred"])
        with contextlib.suppress(IntegrityError), create_session() as session:  # another component made it now
            if Pool.get_pool(name, session=session) is None:
                Pool.create_or_update_pool(name, *options, session=session)
                log.warning("Pool %s was missing; it was made with slots: %d.", name, pool["slots"])
