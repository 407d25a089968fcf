"""Deadline alerts of Airflow: a night that is not staged in the morning, a decision that is overdue.

An alert holds the interval's key and a link, nothing else. It is always logged, and sent by e-mail if
NOCTURNE_ALERT_CONNECTION names an Airflow connection of type SMTP whose extra holds `to` (a list of addresses).
"""

from __future__ import annotations

import logging
import os
from datetime import time, timedelta
from html import escape
from typing import Any
from urllib.parse import quote

from airflow.sdk import DeadlineAlert, DeadlineReference, SyncCallback

from deid.domain.errors import NocturneError
from nocturne_airflow.launch import moment

CONNECTION = "NOCTURNE_ALERT_CONNECTION"
STARTS_AT = time(3, 30)  # when the schedule queues a night, in hospital time
SUBJECTS = {
    "staging": "Nocturne : {key} n'est pas prêt à l'heure prévue",
    "decision": "Nocturne : {key} attend une décision depuis trop longtemps",
}
BODIES = {
    "staging": "Le traitement n'est pas terminé, ou a échoué.",
    "decision": "Personne n'a encore répondu ; le silence ne publie jamais.",
}

log = logging.getLogger(__name__)


def staging() -> DeadlineAlert:
    """Alert if a night is not staged by the policy's `release.ready_by`, counted from when it was queued."""
    ready = time.fromisoformat(_release().ready_by)
    minutes = (ready.hour * 60 + ready.minute - STARTS_AT.hour * 60 - STARTS_AT.minute) % (24 * 60)
    return _alert("staging", timedelta(minutes=minutes or 24 * 60))


def decision() -> DeadlineAlert:
    """Alert if an interval is not decided within the policy's `release.decision_hours`."""
    return _alert("decision", timedelta(hours=_release().decision_hours))


def tell(kind: str, context: dict[str, Any] | None = None, **_: Any) -> bool:
    """Log that a run is late, and send the alert if configured; True if the run is late.

    A run that succeeded meanwhile is not late; nor is a failed release, which awaits no decision.
    """
    run = (context or {})["dag_run"]
    if run["state"] == "success" or (kind == "decision" and run["state"] == "failed"):
        return False
    key = _key(run)
    subject, link = SUBJECTS[kind].format(key=key), _link(kind, run, key)
    log.warning("%s : %s", subject, link)
    if name := os.environ.get(CONNECTION):
        _send(name, subject, f'<p>{BODIES[kind]}</p><p><a href="{escape(link)}">{escape(link)}</a></p>')
    return True


def _alert(kind: str, interval: timedelta) -> DeadlineAlert:
    callback = SyncCallback(tell, kwargs={"kind": kind})
    return DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT, interval=interval, callback=callback, name=f"late {kind}"
    )


def _release() -> Any:
    """Return the policy's release section; its defaults if the policy cannot be read, which `plan` reports."""
    from deid.config.policy import Release, load
    from deid.config.settings import settings

    try:
        return load(settings().policy).release
    except NocturneError:
        return Release()


def _key(run: dict[str, Any]) -> str:
    if run.get("partition_key"):
        return str(run["partition_key"])
    form = run.get("conf") or {}
    start = moment(form.get("interval_start") or run.get("data_interval_start"))
    end = moment(form.get("interval_end") or run.get("data_interval_end"))
    if start is None or end is None:
        return str(run["dag_run_id"])
    from deid.warehouse.planning import Interval

    return Interval(start, end).key


def _link(kind: str, run: dict[str, Any], key: str) -> str:
    from airflow.sdk.configuration import conf

    base = conf.get("api", "base_url", fallback="/").rstrip("/")
    if kind == "decision":
        return f"{base}/nocturne/releases/{key}/decision"
    return f"{base}/dags/{run['dag_id']}/runs/{quote(run['dag_run_id'], safe='')}"


def _send(name: str, subject: str, page: str) -> None:
    """Send by the connection; a failure is logged without the server's message."""
    try:
        from airflow.providers.smtp.hooks.smtp import SmtpHook
        from airflow.sdk import Connection

        to = Connection.get(name).extra_dejson["to"]
        with SmtpHook(smtp_conn_id=name) as hook:
            hook.send_email_smtp(to=to, subject=subject, html_content=page)
    except Exception as error:
        log.error("The alert could not be sent by the connection %s: %s", name, type(error).__name__)
