"""Arguments of the steps from a run's launch form or a person's answer; incomplete launches are refused."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from airflow.sdk.configuration import conf
from airflow.sdk.exceptions import AirflowFailException, AirflowRuntimeError, AirflowSkipException

from deid.domain import PARIS


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
    interval = period(params, start, end)
    return {
        "interval_start": interval.start,
        "interval_end": interval.end,
        "document_types": list(params["document_types"]),
        "services": list(params["services"]),
        "dry_run": params["dry_run"],
        "reason": reason,
        "triggered_by": dag_run.run_id,
        "requested_by": requested_by(dag_run),
        "batch_size": params["batch_size"],
        "most_batches": conf.getint("core", "max_map_length"),  # a longer list would fail after it was planned
    }


def take_over_failed(dag_run: Any, ti: Any) -> None:
    """Declare dead the unfinished runs of the ledger that Airflow knows to have failed, for `plan` to take them up.

    What started elsewhere, or Airflow has forgotten, is left alone. A run that is cleared afterwards shows a sign of
    life, and keeps what nobody has taken.
    """
    from deid.ledger import runs

    for run in runs.list_unfinished():
        taken = run.taken_over_at is not None and run.taken_over_at >= run.active_at
        if run.documents and not taken and _has_failed(dag_run.dag_id, run.triggered_by, ti):
            runs.take_over(run.run_id, "airflow", f"failed in Airflow; {dag_run.run_id} plans anew", confirmed=True)


def _has_failed(dag_id: str, run_id: str, ti: Any) -> bool:
    try:
        return bool(ti.get_dagrun_state(dag_id, run_id) == "failed")
    except AirflowRuntimeError:  # Airflow has no such run
        return False


def stated_reason(params: Mapping[str, Any]) -> str:
    """Return the reason of a launch.

    Raises:
        AirflowFailException: none was given.
    """
    reason = " ".join(params["reason"].split())
    if not reason:
        raise AirflowFailException("Un motif est exigé : paramètre « reason ».")
    return reason


def asked_for(params: Mapping[str, Any], action: str) -> None:
    """Skip a step that belongs to another action of the form.

    Raises:
        AirflowSkipException: the form asks for another one.
    """
    if params["action"] != action:
        raise AirflowSkipException("Ce lancement demande une autre action.")


def period(params: Mapping[str, Any], start: datetime | None, end: datetime | None) -> Any:
    """Return the period of a form, or of the run, as a `deid.ledger.planning.Interval`.

    Raises:
        AirflowFailException: it is missing or empty.
    """
    from deid.ledger.planning import Interval

    start = moment(params["interval_start"]) or start
    end = moment(params["interval_end"]) or end
    if start is None or end is None or start >= end:
        raise AirflowFailException(
            "L'intervalle manque ou est vide : donnez « interval_start » et « interval_end », le début avant la fin."
        )
    return Interval(start, end)


def round_arguments(
    params: Mapping[str, Any], dag_run: Any, start: datetime | None, end: datetime | None
) -> dict[str, Any]:
    """Return the keyword arguments of `nocturne_lab.learning.exchange.rounds.RoundOrder`.

    Raises:
        AirflowFailException: no reason was given, or the period is missing or empty.
    """
    same = ("method", "size", "shared", "seed", "pre_annotate")
    return {
        **{name: params[name] for name in same},
        **{name: tuple(params[name]) for name in ("annotators", "document_types", "services")},
        "name": params["round"],
        "form": params["format"],
        "interval": period(params, start, end),
        "reason": stated_reason(params),
        "requested_by": requested_by(dag_run),
        "triggered_by": dag_run.run_id,
    }


def training_arguments(params: Mapping[str, Any], dag_run: Any) -> dict[str, Any]:
    """Return the keyword arguments of `nocturne_lab.learning.training_orders.TrainingOrder`.

    Raises:
        AirflowFailException: no reason was given, or half a period.
    """
    given = params["interval_start"] or params["interval_end"]
    asked = period(params, None, None) if given else None
    return {
        **{name: params[name] for name in ("kind", "recipe", "seed", "bound", "size", "canaries")},
        **{name: params[name].strip() for name in ("start", "continued", "second", "teacher")},
        "period": () if asked is None else (asked.start.isoformat(), asked.end.isoformat()),
        **{name: tuple(params[name]) for name in ("corpora", "evaluation", "open_corpora", "texts", "remember")},
        "name": params["training"],
        "reason": stated_reason(params),
        "requested_by": requested_by(dag_run),
    }


def interval_key(partition_key: str | None) -> str:
    """Return the interval key of a release run.

    Raises:
        AirflowFailException: a manual run was started without its partition key.
    """
    if not partition_key:
        raise AirflowFailException("Donnez la clé de l'intervalle (« partition key »), par exemple 2026-10-03.")
    return partition_key


def approved(decision: Mapping[str, Any] | None, key: str) -> None:
    """Skip a step, rather than fail it, unless people approved and nobody has rejected since.

    Raises:
        AirflowSkipException: people rejected the interval, or sent it back.
    """
    from deid.release.decisions import is_vetoed

    if decision is not None and (decision["outcome"] != "approve" or is_vetoed(key)):
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


def evaluation_wanted(dag_run: Any) -> None:
    """Skip the evaluation that a release starts, unless the policy wants one; whoever starts one by hand gets it.

    Raises:
        AirflowSkipException: `release.evaluate` is off.
    """
    from deid.nightly import runtime

    if dag_run.run_type == "asset_triggered" and not runtime.policy().release.evaluate:
        raise AirflowSkipException("La politique ne demande pas d'évaluer les publications (release.evaluate).")


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
    return read if read.tzinfo else read.replace(tzinfo=PARIS)
