"""Absence of text in Airflow: the guard on XCom, errors without values, informative launch failures."""

from __future__ import annotations

import json
import re
import traceback
from datetime import datetime, timedelta
from pathlib import Path
from socket import gethostname
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.jobs.job import Job
from airflow.models import DagRun
from airflow.models.pool import Pool
from airflow.sdk import RetryAction
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException
from hypothesis import given
from hypothesis import strategies as st
from nocturne_airflow.launch import interval_key, plan_arguments
from nocturne_airflow.steps import RETRIES, StepFailed, redacted_errors
from nocturne_airflow.xcom import MAX_BYTES, MAX_STRING, GuardedXCom, TextInXCom, strings
from psycopg2.extensions import parse_dsn
from sqlalchemy import make_url

from deid.config.settings import settings
from deid.domain.errors import DiskFull, Reason, ReleaseRefused
from tests import ROOT
from tests.airflow_home import HOME

SECRET = "Mme Quervilly-Desnoës, née le 3 mai 1951"


@pytest.mark.parametrize(
    "value",
    [
        {"run_id": 7, "staged": 12, "interval_key": "2026-10-03"},
        [{"run_id": 7, "batch_id": n, "documents": 500} for n in range(1000)],
        None,
        {"chosen_options": ["Approve"], "responded_at": datetime(2026, 10, 3)},
        {"html": "x" * MAX_STRING},
    ],
)
def test_counts_and_ids_pass(value: Any) -> None:
    assert bool(GuardedXCom.serialize_value(value, task_id="plan")) is bool(value)


@pytest.mark.parametrize(
    "value",
    [
        SECRET * 10,
        {"text": SECRET * 10},
        {SECRET * 10: 1},
        [{"batch": [{"deep": (SECRET * 10,)}]}],
        {str(n): SECRET for n in range(200)},
        [[SECRET] * 200],
    ],
)
def test_text_is_refused_and_not_quoted(value: Any) -> None:
    with pytest.raises(TextInXCom) as refused:
        GuardedXCom.serialize_value(value, task_id="detect")
    assert "Quervilly" not in "".join(traceback.format_exception(refused.value))


@given(
    st.recursive(st.text(max_size=MAX_STRING * 2), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_whatever_passes_is_short(value: Any) -> None:
    try:
        written = GuardedXCom.serialize_value(value, task_id="detect")
    except TextInXCom:
        return
    assert max(map(len, strings(value)), default=0) <= MAX_STRING
    assert isinstance(value, list) or len(str(written)) < MAX_BYTES * 4


def failing_with(error: Exception) -> Any:
    """A step under `redacted_errors` that raises `error`, as a driver does, out of another error."""

    @redacted_errors
    def detect() -> None:
        try:
            raise KeyError(SECRET)
        except KeyError as cause:
            raise error from cause

    return detect


def test_an_unforeseen_error_is_shown_by_type_and_place() -> None:
    with pytest.raises(StepFailed, match=r"^detect: ValueError at test_error_redaction\.py:\d+$") as failed:
        failing_with(ValueError(SECRET))()
    assert "Quervilly" not in "".join(traceback.format_exception(failed.value))


def test_an_error_of_ours_passes_without_its_causes() -> None:
    with pytest.raises(ReleaseRefused) as failed:
        failing_with(ReleaseRefused("interval 2026-10-03: 12 documents failed a critical check."))()
    shown = "".join(traceback.format_exception(failed.value))
    assert "12 documents" in shown
    assert "Quervilly" not in shown


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ReleaseRefused("2026-10-03 was never judged as a whole.", "Run the step `summarise` on it first."),
            r"Lancer d'abord l'étape `summarise` sur lui\. 2026-10-03 n'a jamais été jugé dans son ensemble\.",
        ),
        (ReleaseRefused("No French.", "Read it."), r"Read it\. No French\."),
        (AirflowFailException("Un motif est exigé."), r"Un motif est exigé\."),
        (
            ValueError(SECRET),
            r"Relancer l'étape, ce qui est sans risque ; .* detect: ValueError at test_error_redaction\.py:\d+",
        ),
    ],
)
def test_the_first_line_of_an_error_is_what_to_do(
    error: Exception, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Exception, match=r".") as failed:
        failing_with(error)()
    (line,) = caplog.records
    assert re.fullmatch(words, line.getMessage())
    assert (line.levelname, line.exc_info) == ("ERROR", None)
    assert "Quervilly" not in "".join(traceback.format_exception(failed.value))


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("XCOM_BACKEND", "airflow.sdk.bases.xcom.BaseXCom", r"=nocturne_airflow\.xcom\.Guarded"),
        ("PLUGINS_FOLDER", str(HOME), f"={ROOT / 'plugins'} .*python -m deid doctor"),
    ],
    ids=["guard", "plugins"],
)
def test_nothing_is_done_without_the_guard_of_xcoms_or_the_plugins(
    setting: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[int] = []
    with monkeypatch.context() as wrong:
        wrong.setenv(f"AIRFLOW__CORE__{setting}", value)
        with pytest.raises(AirflowFailException, match=f"AIRFLOW__CORE__{setting}{said}"):
            redacted_errors(lambda: done.append(1))()
    assert done == []


@pytest.mark.usefixtures("_tables")
def test_a_pool_that_is_there_keeps_its_slots() -> None:
    Pool.create_or_update_pool("gpu", slots=4, description="four devices", include_deferred=False)
    Job()
    assert Pool.get_pool("gpu").slots == 4
    Pool.create_or_update_pool("gpu", slots=1, description="", include_deferred=False)


@pytest.mark.usefixtures("_tables")
def test_a_pool_that_was_deleted_is_made_again_when_a_run_starts() -> None:
    Pool.delete_pool("gpu")
    DagRun(dag_id="any", run_id="any", state="running", run_type="manual").notify_dagrun_state_changed(msg="started")
    assert Pool.get_pool("gpu").slots == 1


def test_a_skip_stays_a_skip(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(AirflowSkipException):
        failing_with(AirflowSkipException())()
    assert caplog.records == []


@pytest.mark.parametrize("given", ["", "11" * 16 + bytes(range(16)).hex()])
def test_the_secret_may_be_a_connection_unless_the_environment_has_one(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent = bytes(range(40, 72)).hex()
    monkeypatch.setenv("AIRFLOW_CONN_NOCTURNE_KEY", f'{{"conn_type": "generic", "password": "3:{lent}"}}')
    monkeypatch.setenv("NOCTURNE_SECRET_CONNECTION", "nocturne_key")
    monkeypatch.setenv("NOCTURNE_SECRET", given)
    current = redacted_errors(lambda: settings().keyring.current)()
    assert (current.version, current.secret.hex()) == ((1, given) if given else (3, lent))


def test_a_database_may_be_a_connection_unless_the_environment_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"conn_type": "postgres", "host": "dpi.chu.example", "port": 5433, "login": "lecteur", "schema": "dpi"}
    given |= {"password": "pa ss'w/rd", "extra": {"sslmode": "verify-full", "cursor": "dictcursor"}}
    monkeypatch.setenv("AIRFLOW_CONN_DPI", json.dumps(given))
    monkeypatch.setenv("NOCTURNE_READER_CONNECTION", "dpi")
    monkeypatch.setenv("NOCTURNE_WORKER_CONNECTION", "dpi")
    monkeypatch.setenv("NOCTURNE_WORKER_DSN", "postgresql://worker@localhost/nocturne")
    monkeypatch.setenv("NOCTURNE_READER_DSN", "")  # restored after the test
    reader, worker = redacted_errors(lambda: (settings().dsn("reader"), settings().dsn("worker")))()
    assert parse_dsn(reader) == {
        **{"host": "dpi.chu.example", "port": "5433", "user": "lecteur", "password": "pa ss'w/rd", "dbname": "dpi"},
        "sslmode": "verify-full",
    }
    assert worker == "postgresql://worker@localhost/nocturne"


def test_a_warehouse_may_be_a_connection_of_another_type(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"conn_type": "mysql", "host": "dpi.chu.example", "port": 3306, "login": "lecteur", "schema": "dpi"}
    given |= {"password": "pa ss'w/rd@", "extra": {"ssl_ca": "/etc/ssl/certs/chu.pem"}}
    monkeypatch.setenv("AIRFLOW_CONN_DPI", json.dumps(given))
    monkeypatch.setenv("NOCTURNE_READER_CONNECTION", "dpi")
    monkeypatch.setenv("NOCTURNE_READER_DSN", "")  # restored after the test
    url = make_url(redacted_errors(lambda: settings().dsn("reader"))())
    assert (url.drivername, url.username, url.password) == ("mysql+pymysql", "lecteur", "pa ss'w/rd@")
    assert (url.host, url.port, url.database) == ("dpi.chu.example", 3306, "dpi")
    assert url.query == {"ssl_ca": "/etc/ssl/certs/chu.pem"}


def test_a_full_disk_is_named_with_its_machine_and_tried_again() -> None:
    """The step writes to a device of the kernel that has no room for anything."""

    def write() -> None:
        Path("/dev/full").write_text("x" * 9000, encoding="utf-8")

    with pytest.raises(DiskFull, match=f"a disk of {gethostname()} has no room left"):
        redacted_errors(write)()
    full = DiskFull("d")
    decided = RETRIES.evaluate(full, 1, 3)
    assert decided.action is RetryAction.RETRY
    assert RETRIES.evaluate(ReleaseRefused("r"), 1, 3).action is RetryAction.FAIL


def launch(run_type: str = "manual", start: Any = None, end: Any = None, **form: Any) -> dict[str, Any]:
    """Arguments of the plan that such a launch leads to."""
    params = {
        "reason": "",
        "interval_start": None,
        "interval_end": None,
        "document_types": [],
        "services": [],
        "dry_run": False,
        "batch_size": 500,
        **form,
    }
    return plan_arguments(params, SimpleNamespace(run_type=run_type, run_id="manual__1"), start, end)


NIGHT = (datetime.fromisoformat("2026-10-03T03:30+02:00"), datetime.fromisoformat("2026-10-04T03:30+02:00"))


@pytest.mark.parametrize("run_type", ["manual", "backfill", "asset_triggered"])
@pytest.mark.parametrize("reason", ["", "   "])
def test_outside_the_schedule_a_reason_is_needed(run_type: str, reason: str) -> None:
    with pytest.raises(AirflowFailException, match="motif"):
        launch(run_type, *NIGHT, reason=reason)


def test_the_schedule_is_its_own_reason() -> None:
    asked = launch("scheduled", *NIGHT)
    assert (asked["interval_start"], asked["interval_end"]) == NIGHT
    assert asked["triggered_by"] == "manual__1"


def test_a_night_has_no_more_batches_than_airflow_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert launch("scheduled", *NIGHT)["most_batches"] == 1024
    monkeypatch.setenv("AIRFLOW__CORE__MAX_MAP_LENGTH", "7")
    assert launch("scheduled", *NIGHT)["most_batches"] == 7


def test_the_form_wins_over_the_run() -> None:
    asked = launch(
        "manual", *NIGHT, reason="essai", interval_start="2026-09-01T03:30:00", interval_end="2026-09-29T03:30:00Z"
    )
    assert asked["interval_start"].isoformat() == "2026-09-01T03:30:00+02:00"
    assert asked["interval_end"].utcoffset() == timedelta(0)


@pytest.mark.parametrize("bounds", [(None, None), (NIGHT[0], None), (NIGHT[1], NIGHT[0]), (NIGHT[0], NIGHT[0])])
def test_an_interval_is_needed(bounds: tuple[Any, Any]) -> None:
    with pytest.raises(AirflowFailException, match="intervalle"):
        launch("manual", *bounds, reason="essai")


@pytest.mark.parametrize("key", [None, ""])
def test_a_release_by_hand_needs_its_interval(key: str | None) -> None:
    with pytest.raises(AirflowFailException, match="partition key"):
        interval_key(key)


def test_reasons_of_quarantine_are_short_enough_for_airflow() -> None:
    assert max(len(reason) for reason in Reason) < MAX_STRING
