"""What a launch or a person's answer asks for, as plain arguments; refuses a launch that says too little."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException

HOSPITAL_TIME = ZoneInfo("Europe/Paris")


def plan_arguments(
    params: Mapping[str, Any], dag_run: Any, start: datetime | None, end: datetime | None
) -> dict[str, Any]:
    """Keyword arguments of `deid.nightly.steps.plan`.

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
        "requested_by": requested_by(dag_run),
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


def approved(decision: Mapping[str, Any] | None) -> None:
    """Let a step go on unless people decided otherwise: that is an outcome, so the step is skipped, not failed.

    Raises:
        AirflowSkipException: people rejected the interval, or sent it back.
    """
    if decision is not None and decision["outcome"] != "approve":
        raise AirflowSkipException("Une personne a rejeté ou renvoyé l'intervalle : rien n'est publié.")


def rework(decision: Mapping[str, Any] | None, key: str) -> dict[str, Any]:
    """What an interval that was sent back asks `deidentify_documents` to run.

    Raises:
        AirflowSkipException: it was not sent back.
    """
    from deid.release.decisions import rework_run

    asked = rework_run(key) if decision is not None and decision["outcome"] == "rework" else None
    if asked is None:
        raise AirflowSkipException("L'intervalle n'a pas été renvoyé en traitement.")
    return asked


def requested_by(dag_run: Any) -> str:
    """Who asked for a run: the account that started it by hand, or that sent the interval back; empty for the schedule.

    Only a run that another DAG started may name somebody else than who started it.
    """
    conf = getattr(dag_run, "conf", None) or {}
    named = conf.get("requested_by", "") if dag_run.run_type == "operator_triggered" else ""
    return str(named or getattr(dag_run, "triggering_user_name", None) or "")


def moment(text: str | None) -> datetime | None:
    """An ISO date and time of the form, or None."""
    if not text:
        return None
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=HOSPITAL_TIME)
