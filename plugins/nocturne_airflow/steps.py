"""Airflow behaviour of every step: hidden return value, retries by exception type, errors without values."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from typing import Any

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule, task
from airflow.sdk.exceptions import AirflowException

from deid.domain.errors import NocturneError
from nocturne_airflow.secret import export_secret

GPU_POOL = "gpu"  # one slot per device, in docker/pools.json
# For CeleryExecutor: the workers of a queue hold the connection strings of its tasks and no others
# (docker/compose.yaml). LocalExecutor has no queues: one process holds all.
READING_QUEUE = "cpu"  # reads the warehouse, writes the ledger; draws surrogates
GPU_QUEUE = "gpu"  # the same, for detection
PUBLISHING_QUEUE = "publication"  # decides, publishes, applies opt-outs, writes reports
REFERENCES_QUEUE = "references"  # loads open data

RETRIES = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            ["deid.domain.errors.WarehouseUnreachable", "deid.domain.errors.KeyServiceUnreachable"],
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


def step(hours: float, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`@task` for the product's steps; `hours` is its time limit (`time_limit`), `options` are those of `@task`.

    Return values are not logged. An error of `deid` passes without its causes; any other is replaced by
    `StepFailed`: driver and parser messages quote the values they choke on, and Airflow shows them to viewers.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        limited = {"execution_timeout": time_limit(hours), **options}
        return task(show_return_value_in_logs=False, **limited)(redacted_errors(function))

    return decorate


def sensor(**options: Any) -> Callable[[Callable[..., bool]], Any]:
    """`@task.sensor` that leaves its worker between two looks; see `step`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the provider imports a deprecated name of Airflow
        made = task.sensor(mode="reschedule", execution_timeout=time_limit(1), **options)
    return lambda function: made(redacted_errors(function))


def redacted_errors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `function` so that its errors hold only types, places and messages written by `deid`."""

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        try:
            export_secret()
            return function(*args, **kwargs)
        except (NocturneError, AirflowException) as error:
            raise error from None
        except Exception as error:
            raise StepFailed(f"{function.__name__}: {type(error).__name__} at {place(error)}") from None

    return inside


def place(error: BaseException) -> str:
    """Return file name and line of the statement that raised `error`."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}" if trace else "?"
