"""Airflow behaviour of every step: hidden return value, retries by exception type, errors without values."""

from __future__ import annotations

import functools
import logging
import os
import warnings
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from airflow.configuration import conf
from airflow.providers.standard.decorators.python import _PythonDecoratedOperator
from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule, task
from airflow.sdk.bases.decorator import task_decorator_factory
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from deid.domain.errors import NocturneError, SettingsError
from nocturne_airflow.connections import export_connections

log = logging.getLogger(__name__)

GPU_POOL = "gpu"  # one slot per device, in docker/pools.json
# For CeleryExecutor: the workers of a queue hold the connection strings of its tasks and no others
# (docker/compose.yaml). LocalExecutor has no queues: one process holds all.
READING_QUEUE = "cpu"  # reads the warehouse, writes the ledger; draws surrogates
GPU_QUEUE = "gpu"  # the same, for detection
PUBLISHING_QUEUE = "publication"  # decides, publishes, applies opt-outs, writes reports
REFERENCES_QUEUE = "references"  # loads open data
LAB_QUEUE = "NOCTURNE_LAB_QUEUE"  # names the queue whose workers have nocturne-lab; else READING_QUEUE and GPU_QUEUE
POD_TEMPLATE = "NOCTURNE_POD_TEMPLATE"  # names a file, for KubernetesExecutor: docker/kubernetes/pod-gpu.yaml
# Settings that the tasks of a queue need (docs/operators.md, "Queues"); the last one's database is Nocturne's.
NEEDED = {
    PUBLISHING_QUEUE: ("secret", "steward_dsn", "publisher_dsn"),
    REFERENCES_QUEUE: ("refresher_dsn",),
}
READING = ("secret", "reader_dsn", "worker_dsn")  # of every other queue
XCOM_BACKEND = "nocturne_airflow.xcom.GuardedXCom"

RETRIES = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            [f"deid.domain.errors.{name}" for name in ("WarehouseUnreachable", "KeyServiceUnreachable", "DiskFull")],
            RetryAction.RETRY,
            timedelta(minutes=5),
        ),
        RetryRule(
            ["deid.domain.errors.NocturneError", "nocturne_airflow.xcom.TextInXCom"],
            RetryAction.FAIL,
            reason="the same input would be refused again: a person must look",
        ),
    ]
)
DEFAULT_ARGS: dict[str, Any] = {
    "owner": "nocturne",
    "queue": READING_QUEUE,
    "retries": 2,
    "retry_delay": timedelta(seconds=30),
    "retry_policy": RETRIES,
}


class Tag(StrEnum):
    """Permitted tags of a DAG: subject, and impact of a missed run."""

    DEIDENTIFICATION = "deidentification"
    RELEASE = "release"
    REFERENCE = "reference"
    LEARNING = "learning"
    IMPACT_CRITICAL = "impact:critical"
    IMPACT_LOW = "impact:low"


class StepFailed(Exception):
    """An unforeseen error in a step, by type and place; its message is dropped, because it may hold text."""


def time_limit(hours: float) -> timedelta:
    """Return `hours` times the setting `task_time_factor`: how long a task may run before Airflow stops it.

    Settings that cannot be read count as the default, since `plan` reports them.
    """
    from deid.config.settings import settings

    try:
        return timedelta(hours=hours * settings().task_time_factor)
    except NocturneError:
        return timedelta(hours=hours)


def in_lab(*, device: bool = False) -> dict[str, Any]:
    """Return the options of `@task` for a task of nocturne-lab: its queue, and the pool where it may use a GPU."""
    queue = os.environ.get(LAB_QUEUE)
    if device:
        return {"pool": GPU_POOL, "queue": queue} if queue else on_device()
    return {"queue": queue or READING_QUEUE}


def on_device() -> dict[str, Any]:
    """Return the options of `@task` for a task that may use a GPU: pool, queue and, on Kubernetes, a pod of its own.

    Where NOCTURNE_POD_TEMPLATE names a file, each such task is a pod made from it; the pool bounds their number too.

    Raises:
        SettingsError: the file is not there, of which KubernetesExecutor would make a pod without any secret.
    """
    options: dict[str, Any] = {"pool": GPU_POOL, "queue": GPU_QUEUE}
    if template := os.environ.get(POD_TEMPLATE):
        if not Path(template).is_file():
            raise SettingsError(f"{POD_TEMPLATE}: {template} is not a file.", "Name a pod template of the image.")
        options |= {"executor": "KubernetesExecutor", "executor_config": {"pod_template_file": template}}
    return options


class Step(_PythonDecoratedOperator):
    """The operator of a step: `@task` that gives OpenLineage, where that is on, its datasets and counts."""

    returned: Any = None

    def execute(self, context: Any) -> Any:
        """Run the step where its deployment is whole, and keep the counts that it returns."""
        redacted_errors(require_deployment)(self.queue)
        self.returned = super().execute(context)
        return self.returned

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:  # noqa: ARG002 - Airflow's name
        """Return the datasets of the step; Airflow's OpenLineage provider calls this after a success or a failure."""
        from nocturne_airflow.lineage_events import lineage_of

        return lineage_of(f"{self.dag_id}.{self.task_id}", self.returned)


def step(hours: float, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`@task` for the product's steps; `hours` is its time limit (`time_limit`), `options` are those of `@task`.

    Return values are not logged. An error of `deid` passes without its causes; any other is replaced by
    `StepFailed`: driver and parser messages quote the values they choke on, and Airflow shows them to viewers.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        limited = {"execution_timeout": time_limit(hours), **options}
        return task_decorator_factory(
            redacted_errors(function), decorated_operator_class=Step, show_return_value_in_logs=False, **limited
        )

    return decorate


def sensor(**options: Any) -> Callable[[Callable[..., bool]], Any]:
    """`@task.sensor` that leaves its worker between two looks; see `step`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the provider imports a deprecated name of Airflow
        made = task.sensor(mode="reschedule", execution_timeout=time_limit(1), **options)
    return lambda function: made(redacted_errors(function))


def redacted_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `function` so that its errors hold only types, places and messages written by `deid`.

    An error is first logged as words, what to do ahead of what happened: Airflow's own line of it is a stack.
    """

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        try:
            require_guard()
            export_connections()
            return function(*args, **kwargs)
        except AirflowException as error:
            if isinstance(error, AirflowFailException):
                log.error("%s", error)
            raise error from None
        except Exception as error:
            from deid.domain.unforeseen import foreseen, kind_and_place

            if ours := foreseen(error):
                log.error("%s", in_words(ours))
                raise ours from None
            failed = StepFailed(f"{function.__name__}: {kind_and_place(error)}")
        again = NocturneError("", "Run the step again, which is safe; if it fails again, report this line.")
        log.error("%s %s", in_words(again), failed)
        raise failed

    return inside


def require_guard() -> None:
    """Refuse to work where what tasks return is not guarded against texts, or Airflow does not load the plugins.

    The plugin makes the pools that tasks of the GPU wait for, and records who may answer.

    Raises:
        AirflowFailException: Airflow has another XCom back end, or a plugins' folder without Nocturne's.
    """
    if conf.get("core", "xcom_backend") != XCOM_BACKEND:
        raise AirflowFailException(
            f"Donner AIRFLOW__CORE__XCOM_BACKEND={XCOM_BACKEND} à chaque composant d'Airflow, puis relancer : "
            "sans lui, un texte pourrait passer d'une tâche à l'autre."
        )
    if not Path(conf.get("core", "plugins_folder"), "stewards.py").is_file():
        raise AirflowFailException(
            f"Donner AIRFLOW__CORE__PLUGINS_FOLDER={Path(__file__).parents[1]} à chaque composant d'Airflow, les "
            "redémarrer, vérifier par « python -m deid doctor », puis relancer : sans ce dossier, la détection attend "
            "sans fin un pool qui manque, et aucune réponse ne compte."
        )


def require_deployment(queue: str) -> None:
    """Refuse to work where a setting of the queue is absent, or the database has not the form of this version.

    Raises:
        SettingsError, WarehouseError: names what lacks, and the command or variable that mends it.
        WarehouseUnreachable: the database does not answer.
    """
    from deid.config.settings import settings
    from deid.schema.migrations import require_migrations

    needed = NEEDED.get(queue, READING)
    settings().require(*needed)
    require_migrations(settings().dsn(needed[-1].removesuffix("_dsn")))


def in_words(error: NocturneError) -> str:
    """Return an error in the language of the command line, its remedy first, if it names one."""
    from deid.cli.language import translated_error

    return translated_error(error, remedy_first=True)
