"""Alerts: a decision that waits, is overdue or was lost, a late night, a failed publication, a queue without a worker.

An alert holds the first and last night of an interval, or a queue's name, and a link, nothing else. It is always
logged, and sent by the Airflow connection that NOCTURNE_ALERT_CONNECTION names, if any: one of type SMTP whose extra
holds `to` (a list of addresses), or one of type HTTP whose extra holds `url`, to which `{"text": …}` is posted, as chat
services take it.
NOCTURNE_ALERT_NOTIFIER, a JSON object of `classpath` and `kwargs`, names an Airflow notifier for the same, whose
templates read `{{ alert.subject }}`, `{{ alert.body }}` and `{{ alert.link }}`.
"""

from __future__ import annotations

import json
import logging
import os
from datetime import time, timedelta
from html import escape
from typing import Any
from urllib.parse import quote

import requests
from airflow.sdk import DeadlineAlert, SyncCallback
from airflow.sdk.module_loading import import_string

from deid.domain import NIGHT_TURNS
from deid.domain.errors import NocturneError
from nocturne_airflow.deadlines import RunDue
from nocturne_airflow.launch import interval_key, moment

CONNECTION = "NOCTURNE_ALERT_CONNECTION"
NOTIFIER = "NOCTURNE_ALERT_NOTIFIER"
TIMEOUT_S = 30
SUBJECTS = {
    "staging": "pas prêt à l'heure prévue",
    "decision": "la décision est en retard",
    "waiting": "une décision est attendue",
    "lost": "la question posée est perdue",
    "failed": "la publication a échoué",
    "unserved": "aucun worker ne sert cette file",
}
BODIES = {
    "staging": "Le traitement n'est pas terminé, ou a échoué.",
    "decision": "Personne n'a encore répondu ; le silence ne publie jamais.",
    "waiting": "Les documents sont prêts ; rien n'est publié sans réponse.",
    "lost": "L'exécution qui la posait s'est arrêtée sans décision ; elle est reposée dans l'heure, ou par la page.",
    "failed": "La page dit où en est la décision ; l'équipe technique corrige la cause, puis rejoue l'étape en échec.",
    "unserved": "Des tâches y attendent ; l'équipe technique démarre un worker de cette file (docs/operators.md).",
}

log = logging.getLogger(__name__)


def staging() -> DeadlineAlert:
    """Alert if a night is not staged by the policy's `release.ready_by`, counted from when it was due."""
    ready = time.fromisoformat(_release().ready_by)
    minutes = (ready.hour * 60 + ready.minute - NIGHT_TURNS.hour * 60 - NIGHT_TURNS.minute) % (24 * 60)
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
    _announce(kind, key, _decision_link(key) if kind == "decision" else _run_link(run))
    return True


def waiting(key: str) -> None:
    """Announce that people are asked about an interval."""
    _announce("waiting", key, _decision_link(key))


def lost(key: str) -> None:
    """Announce that the run that asked people ended without their decision."""
    _announce("lost", key, _decision_link(key))


def publication_failed(context: Any) -> None:
    """Announce that a publication failed for good: the callback of its task."""
    key = interval_key(context.get("partition_key"))
    _announce("failed", key, _decision_link(key))


def unserved(queue: str) -> None:
    """Announce that tasks wait in a queue that no worker serves."""
    _announce("unserved", f"file {queue}", f"{_base()}/dags")


def _announce(kind: str, key: str, link: str) -> None:
    subject = f"Nocturne : {_nights(key)} : {SUBJECTS[kind]}"
    log.warning("%s : %s", subject, link)
    if name := os.environ.get(CONNECTION):
        _send(name, subject, BODIES[kind], link)
    if notifier := os.environ.get(NOTIFIER):
        _notify(notifier, {"subject": subject, "body": BODIES[kind], "link": link})


def _nights(key: str) -> str:
    """Return an interval in words; the name of a run that has none as it is."""
    from deid.release.interval import INTERVAL_KEY
    from deid.reports.numbers import Writer

    words = Writer("fr").interval(key) if INTERVAL_KEY.fullmatch(key) else key
    return words[:1].lower() + words[1:]


def _alert(kind: str, interval: timedelta) -> DeadlineAlert:
    callback = SyncCallback(tell, kwargs={"kind": kind})
    return DeadlineAlert(reference=RunDue(), interval=interval, callback=callback, name=f"late {kind}")


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
    from deid.ledger.planning import Interval

    return Interval(start, end).key


def _decision_link(key: str) -> str:
    return f"{_base()}/nocturne/releases/{key}/decision"


def _run_link(run: dict[str, Any]) -> str:
    return f"{_base()}/dags/{run['dag_id']}/runs/{quote(run['dag_run_id'], safe='')}"


def _base() -> str:
    from airflow.sdk.configuration import conf

    return str(conf.get("api", "base_url", fallback="/")).rstrip("/")


def _send(name: str, subject: str, body: str, link: str) -> None:
    """Send by the connection; a failure is logged without the server's message."""
    try:
        from airflow.sdk import Connection

        made = Connection.get(name)
        if made.conn_type == "http":
            said = requests.post(
                made.extra_dejson["url"], json={"text": f"{subject}\n{body}\n{link}"}, timeout=TIMEOUT_S
            )
            said.raise_for_status()
            return
        from airflow.providers.smtp.hooks.smtp import SmtpHook

        page = f'<p>{body}</p><p><a href="{escape(link)}">{escape(link)}</a></p>'
        with SmtpHook(smtp_conn_id=name) as hook:
            hook.send_email_smtp(to=made.extra_dejson["to"], subject=subject, html_content=page)
    except Exception as error:
        log.error("The alert could not be sent by the connection %s: %s", name, type(error).__name__)


def _notify(notifier: str, alert: dict[str, str]) -> None:
    """Give the alert to a notifier; a failure is logged without its message."""
    try:
        named = json.loads(notifier)
        import_string(named["classpath"])(**named.get("kwargs", {}))({"alert": alert})
    except Exception as error:
        log.error("The alert could not be given to the notifier of %s: %s", NOTIFIER, type(error).__name__)
