"""What a launch or a person's answer asks for, as plain arguments; refuses a launch that says too little."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

from deid.errors import ReleaseRefused

HOSPITAL_TIME = ZoneInfo("Europe/Paris")


def plan_arguments(
    params: Mapping[str, Any], dag_run: Any, start: datetime | None, end: datetime | None
) -> dict[str, Any]:
    """Keyword arguments of `deid.nightly.plan`.

    The interval of the form wins over the run's own `start` and `end`; a date without offset is hospital time.

    Raises:
        AirflowFailException: no reason was given outside the schedule, or the interval is missing or empty.
    """
    reason = params["reason"].strip()
    if dag_run.run_type != "scheduled" and not reason:
        raise AirflowFailException("Un lancement hors de la nuit planifiée exige un motif : paramètre « reason ».")
    start = moment(params["interval_start"]) or start
    end = moment(params["interval_end"]) or end
    if start is None or end is None or start >= end:
        raise AirflowFailException(
            "L'intervalle manque ou est vide : donnez « interval_start » et « interval_end », le début avant la fin."
        )
    return {
        "interval_start": start,
        "interval_end": end,
        "document_types": list(params["document_types"]),
        "services": list(params["services"]),
        "dry_run": params["dry_run"],
        "reason": reason,
        "triggered_by": dag_run.run_id,
        "batch_size": params["batch_size"],
    }


def interval_key(partition_key: str | None) -> str:
    """The interval that a release run is about.

    Raises:
        AirflowFailException: a manual run was started without its partition key.
    """
    if not partition_key:
        raise AirflowFailException("Donnez la clé de l'intervalle (« partition key »), par exemple 2026-10-03.")
    return partition_key


def answered(decision: Mapping[str, Any] | None, dag_run: Any) -> dict[str, Any] | None:
    """The answer of the approval task, with who asked for the run; None where nobody was asked."""
    return None if decision is None else {**decision, "requested_by": getattr(dag_run, "triggering_user_name", None)}


@contextmanager
def refusal_skips(decision: Mapping[str, Any] | None) -> Iterator[None]:
    """A person's refusal is an outcome, not a failure: the step inside is then skipped, not failed."""
    try:
        yield
    except ReleaseRefused as refused:
        if decision is None or decision["chosen_options"] != ["Reject"]:
            raise
        raise AirflowSkipException(str(refused)) from None


def moment(text: str | None) -> datetime | None:
    """An ISO date and time of the form, or None."""
    if not text:
        return None
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=HOSPITAL_TIME)
