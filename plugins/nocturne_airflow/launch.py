"""Arguments of the steps from a run's launch form or a person's answer; incomplete launches are refused."""

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
    """Return the keyword arguments of `deid.nightly.steps.plan`.

    The form's interval takes precedence over the run's `start` and `end`; a date without offset is in hospital time.

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
    """Return the interval key of a release run.

    Raises:
        AirflowFailException: a manual run was started without its partition key.
    """
    if not partition_key:
        raise AirflowFailException("Donnez la clé de l'intervalle (« partition key »), par exemple 2026-10-03.")
    return partition_key


def approved(decision: Mapping[str, Any] | None) -> None:
    """Skip a step, rather than fail it, unless people approved.

    Raises:
        AirflowSkipException: people rejected the interval, or sent it back.
    """
    if decision is not None and decision["outcome"] != "approve":
        raise AirflowSkipException("Une personne a rejeté ou renvoyé l'intervalle : rien n'est publié.")


def rework(decision: Mapping[str, Any] | None, key: str) -> dict[str, Any]:
    """Return the run of `deidentify_documents` that a sent-back interval needs.

    Raises:
        AirflowSkipException: it was not sent back.
    """
    from deid.release.decisions import rework_run

    asked = rework_run(key) if decision is not None and decision["outcome"] == "rework" else None
    if asked is None:
        raise AirflowSkipException("L'intervalle n'a pas été renvoyé en traitement.")
    return asked


def requested_by(dag_run: Any) -> str:
    """Return the account that started a run by hand or sent its interval back; empty for the schedule.

    Only a run started by another DAG may name another account in its form.
    """
    conf = getattr(dag_run, "conf", None) or {}
    named = conf.get("requested_by", "") if dag_run.run_type == "operator_triggered" else ""
    return str(named or getattr(dag_run, "triggering_user_name", None) or "")


def moment(text: str | None) -> datetime | None:
    """Return an ISO date and time of the form, or None."""
    if not text:
        return None
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=HOSPITAL_TIME)
