"""Age and change of each source as shown to stewards; an outdated source raises a notice and stays in use."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import psycopg2
import pytest
from selectolax.lexbor import LexborHTMLParser

from deid.config.policy import References, load
from deid.config.settings import settings
from deid.domain.errors import PolicyError, ReferencesOld
from deid.domain.outcomes import Severity
from deid.reference.packaged import DATA
from deid.refresh.reference_versions import check_ages
from deid.refresh.refreshing import refresh
from deid.reports import write_report
from deid.reports.run_checks import run_checks
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.release.ledger import Ledger

NIGHT = "2026-10-03"
VIEW = "SELECT source, rows, age_days, rows_before, drift FROM ref.source_state ORDER BY source"


def put(database: Database, source: str, days: int, rows: int, state: str = "in_use", digit: str = "a") -> None:
    """A version as a load leaves it, that many days old."""
    database.rows(
        "INSERT INTO ref.release (source, version, checksum, bytes, rows, skipped, location, licence, loaded_at, state)"
        " VALUES (%s, %s, %s, 1, %s, 0, 'packaged', 'open', now() - make_interval(days => %s, mins => 1), %s)",
        (source, f"{source}-{digit * 12}.1", digit * 64, rows, days, state),
    )


@pytest.fixture
def aged(deployed: Database) -> Database:
    """Streets of today after two others, a directory of 512 days."""
    put(deployed, "streets", 60, 7000, "pruned", "a")
    put(deployed, "streets", 30, 8000, "former", "b")
    put(deployed, "streets", 0, 9000, "in_use", "c")
    put(deployed, "professionals", 512, 1100)
    return deployed


@pytest.mark.parametrize("role", ["steward", "publisher", "worker", "refresher"])
def test_age_and_drift_are_against_the_version_before(aged: Database, role: str) -> None:
    assert [(*head, float(drift) if drift is not None else None) for *head, drift in aged.rows(VIEW, role=role)] == [
        ("professionals", 1100, 512, None, None),
        ("streets", 9000, 0, 8000, 0.125),
    ]


def test_a_researcher_sees_none_of_it(aged: Database) -> None:
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        aged.rows(VIEW, role="researcher")


def test_a_real_load_is_new_and_the_next_one_drifts(deployed: Database, tmp_path: Path) -> None:
    path = tmp_path / "adresses-25.csv.gz"
    for streets in (5200, 5460):
        path.write_bytes(formats.packed(formats.ban(streets)))
        refresh("streets", dsn=deployed.dsn("refresher"), location=str(path))
    assert [row[:4] for row in deployed.rows(VIEW)] == [("streets", 5460, 0, 5200)]
    assert [float(drift) for *_, drift in deployed.rows(VIEW)] == [0.05]


def test_what_is_too_old_is_named(aged: Database) -> None:
    dsn = aged.dsn("refresher")
    with pytest.raises(ReferencesOld, match=r"professionals \(512 days, allowed 60\)\.") as caught:
        check_ages(dsn, References())
    assert "streets" not in str(caught.value)
    assert check_ages(dsn, References(max_age_days={"professionals": 512})) == {"professionals": 512, "streets": 0}


def test_what_ships_is_as_old_as_its_extract_and_the_message_says_what_to_do(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = deployed.dsn("refresher")
    for source in ("streets", "surnames"):
        refresh(source, dsn=dsn)
    put(deployed, "professionals", 512, 1100)
    days = (datetime.now(UTC).date() - date(2024, 1, 1)).days
    with pytest.raises(ReferencesOld, match=rf"streets \(ships .*, of 2024-01-01, {days} days, al") as caught:
        check_ages(dsn, References())
    assert "surnames" not in str(caught.value), "no newer edition will ever come"
    assert "say where streets is read in NOCTURNE_REFERENCES" in caught.value.remedy
    assert "Look at the refresh of professionals:" in caught.value.remedy
    path = tmp_path / "references.yaml"
    path.write_text("sources: {streets: {max_age_days: 36500}, professionals: {max_age_days: 600}}", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(path))
    settings.cache_clear()
    assert check_ages(dsn, References()) == {"professionals": 512, "streets": days, "surnames": 0}


def test_what_a_hospital_fetches_is_as_old_as_its_load(deployed: Database, tmp_path: Path) -> None:
    """The same bytes as those that ship: what counts is where they were found, not what is in them."""
    path = tmp_path / "streets.csv.gz"
    path.write_bytes((DATA / "streets.csv.gz").read_bytes())
    refresh("streets", dsn=deployed.dsn("refresher"), location=str(path))
    assert check_ages(deployed.dsn("refresher"), References()) == {"streets": 0}


def test_the_release_gate_warns_and_does_not_stop(aged: Database) -> None:
    run = Ledger(aged).night(NIGHT, 60)
    results = run_checks(run, load())
    (found,) = [one for one in results if one.rule == "references_old"]
    assert (found.success, found.severity, found.observed) == (False, "warning", 1.0)
    assert all(one.success for one in results if one.severity is Severity.CRITICAL)
    aged.rows("UPDATE ref.release SET loaded_at = now()")
    assert all(one.success for one in run_checks(run, load()) if one.rule == "references_old")


def test_the_report_shows_every_source(aged: Database, tmp_path: Path) -> None:
    run = Ledger(aged).night(NIGHT, 60)
    used = json.dumps({"streets": "streets-cccccccccccc.1"})
    aged.rows("UPDATE deid.run SET reference_versions = %s WHERE run_id = %s", (used, run))
    written = write_report(NIGHT, tmp_path / "reports")
    figures = json.loads(Path(written["json"]).read_text(encoding="utf-8"))["references"]
    assert [(one["source"], one["old"], one["used"], one["drift"]) for one in figures] == [
        ("professionals", True, False, None),
        ("streets", False, True, 0.125),
    ]
    for name in ("html", "html_en"):
        table = LexborHTMLParser(Path(written[name]).read_text(encoding="utf-8")).css_first("#references table")
        assert [int(cell.attributes["value"]) for cell in table.css("data")] == [512, 1100, 0, 9000]
        assert len(table.css(".pill.warn")) == 1


def test_before_any_load_the_report_says_so(deployed: Database, tmp_path: Path) -> None:
    Ledger(deployed).night(NIGHT, 60)
    written = write_report(NIGHT, tmp_path / "reports")
    page = LexborHTMLParser(Path(written["html"]).read_text(encoding="utf-8"))
    assert not page.css("#references table")
    assert "Aucun référentiel" in page.css_first("#references").text()


def test_a_limit_for_a_source_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("extends: default\nreferences: {max_age_days: {street: 30}}\n")
    with pytest.raises(PolicyError, match="no source street"):
        load(path)
