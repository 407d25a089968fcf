"""Listener of the scheduler that names a queue whose tasks wait while no worker serves it.

Celery keeps a task of such a queue until a worker comes, and nothing says so. The scheduler asks the broker who serves
what while a task waits; a queue is named in its log, and by an alert (`nocturne_airflow.alerts`), once in ten minutes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from airflow.configuration import conf
from airflow.listeners import hookimpl

log = logging.getLogger(__name__)

LOOK_S = 15
WAITED_S = 20  # a task that has waited for less may be on its way to a worker
AGAIN_S = 600
ANSWER_S = 5.0  # in which workers say what they serve


@hookimpl
def on_starting(component: Any) -> None:
    """Begin to watch where a scheduler of CeleryExecutor may start: a job is given its kind later."""
    if type(component).__name__ == "Job" and "CeleryExecutor" in conf.get("core", "executor"):
        threading.Thread(target=_watch, args=(component,), name="nocturne queues", daemon=True).start()


def _watch(job: Any) -> None:
    told: dict[str, float] = {}
    kind = None
    while kind in (None, "SchedulerJob"):
        time.sleep(LOOK_S)
        kind = kind or vars(job).get("job_type")  # not as an attribute, which may ask the database
        if kind != "SchedulerJob":
            continue
        try:
            found = unserved_queues()
        except Exception as error:  # of Airflow's database, which the scheduler itself reports
            log.warning("Queues could not be looked at: %s", type(error).__name__)
            continue
        now = time.monotonic()
        for queue, tasks in found.items():
            if now - told.get(queue, -AGAIN_S) >= AGAIN_S:
                told[queue] = now
                tell(queue, tasks)


def tell(queue: str, tasks: int) -> None:
    """Name a queue that no worker serves, in the log and by an alert."""
    from nocturne_airflow import alerts

    log.error(
        "Start a worker: airflow celery worker --queues %s, or the service of docker/compose.yaml; a worker that "
        "runs does not reach the broker. %d tasks wait in the queue %s, which no worker serves.",
        *(queue, tasks, queue),
    )
    alerts.unserved(queue)


def unserved_queues() -> dict[str, int]:
    """Return the queues of Celery that no worker serves, with the tasks that have waited there for some seconds.

    Where the broker does not answer, nobody serves any.
    """
    waiting = _waiting_tasks()
    served = _served_queues() if waiting else set()
    return {queue: tasks for queue, tasks in waiting.items() if queue not in served}


def _waiting_tasks() -> dict[str, int]:
    from airflow.models.taskinstance import TaskInstance
    from airflow.utils import timezone
    from airflow.utils.session import create_session
    from airflow.utils.state import TaskInstanceState
    from sqlalchemy import func, or_, select

    waiting = (
        select(TaskInstance.queue, func.count())
        .where(TaskInstance.state == TaskInstanceState.QUEUED)
        .where(TaskInstance.queued_dttm < timezone.utcnow() - timedelta(seconds=WAITED_S))
        .where(or_(TaskInstance.executor.is_(None), TaskInstance.executor == "CeleryExecutor"))
        .group_by(TaskInstance.queue)
    )
    with create_session(scoped=False) as session:
        return {str(queue): int(tasks) for queue, tasks in session.execute(waiting)}


def _served_queues() -> set[str]:
    from airflow.providers.celery.executors.celery_executor_utils import app

    try:
        with app.connection_for_read() as link:
            if link.transport.driver_type == "redis":  # its client waits for ever for a broker that says nothing
                link.transport_options = {**link.transport_options, "socket_timeout": ANSWER_S}
            link.ensure_connection(max_retries=1, timeout=ANSWER_S)  # a question alone would wait for ever
            asked = app.control.inspect(timeout=ANSWER_S, connection=link)
            answers: dict[str, Iterable[dict[str, Any]]] = asked.active_queues() or {}
    except Exception as error:  # of the broker's client, whose kinds are many
        log.error("The broker of Celery does not answer: %s", type(error).__name__)
        return set()
    return {str(queue["name"]) for queues in answers.values() for queue in queues}
