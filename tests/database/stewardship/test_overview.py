"""Findings of the overview: missing or late nights, pending decisions, unusual numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from deid.config.policy import DEFAULT
from deid.config.settings import settings
from deid.database.connection import connect
from deid.publication.publish import staged_digest
from deid.release import actions
from deid.release.decisions import take_answer
from deid.release.rules import staging_due
from deid.reports.intervals import MEASURES, Habit, IntervalSummary
from deid.stewardship import opt_outs, overview
from deid.stewardship.overview import HEIGHT, LEFT, RIGHT, WIDTH, ComparedInterval, layout_trend
from deid.stewardship.releases import list_intervals, planned_run, quarantined_ids
from tests.database.release.ledger import Ledger

YES = {"chosen": "approve", "decided_by": "c.morel"}
HELD = ("quarantined", None)  # each night of the ledger has a document in quarantine


def when(day: int, hour: int = 12) -> datetime:
    """An hour of October 2026."""
    return datetime(2026, 10, day, hour, tzinfo=UTC)


def found(now: datetime) -> list[tuple[str, str | None]]:
    """Return the findings at `now`, with their places."""
    return [(one.what, one.key) for one in overview.read_overview(now).findings]


def staged(deployed: Any, day: str, documents: int = 60, **asked: Any) -> None:
    """A night summed up, at its own hours."""
    Ledger(deployed, seed=int(day[-2:])).night(day, documents, **asked)
    deployed.rows(
        "UPDATE deid.run SET started_at = interval_end, finished_at = interval_end + interval '1 hour'"
        " WHERE interval_key = %s",
        (day,),
    )
    actions.summarise(day)


@pytest.mark.usefixtures("deployed")
def test_a_warehouse_without_nights_has_an_overview() -> None:
    seen = overview.read_overview()
    assert (seen.newest, list(seen.findings)) == (None, [])
    assert list_intervals().intervals == []


def test_a_night_that_waits_is_said_then_late(deployed: Any) -> None:
    staged(deployed, "2026-10-02")
    assert found(when(3, 4)) == [("waiting", "2026-10-02"), HELD]
    assert found(when(3, 23)) == [("waiting", "2026-10-02"), HELD]
    assert ("decision_late", "2026-10-02") in found(when(4, 4))
    actions.publish("2026-10-02", YES)
    assert found(when(3, 4)) == [HELD]


def test_a_second_approval_that_is_missing_is_said(
    deployed: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(DEFAULT.read_text(encoding="utf-8").replace("approvals: 1", "approvals: 2"), encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(policy))
    settings.cache_clear()
    staged(deployed, "2026-10-02")
    assert found(when(3, 4)) == [("waiting", "2026-10-02"), HELD]
    answer = {"chosen": "approve", "decided_by": "leroy", "reason": "lu"}
    take_answer("2026-10-02", answer, digest=str(staged_digest("2026-10-02")))
    assert found(when(3, 4)) == [("second_missing", "2026-10-02"), HELD]
    assert ("decision_late", "2026-10-02") in found(when(4, 4))


def test_what_was_sent_back_is_not_said_to_be_rejected(deployed: Any) -> None:
    staged(deployed, "2026-10-02")
    answer = {"chosen": "rework", "decided_by": "leroy", "reason": "noms masqués"}
    take_answer("2026-10-02", answer, digest=str(staged_digest("2026-10-02")))
    assert found(when(3, 4)) == [HELD, ("sent_back", "2026-10-02")]
    (_, sent_back) = overview.read_overview(when(3, 4)).findings
    assert (sent_back.level, sent_back.facts) == ("info", {"by": "leroy"})


def test_opt_outs_are_said_until_a_night_applies_them(deployed: Any) -> None:
    staged(deployed, "2026-10-02")
    actions.publish("2026-10-02", YES)
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        opt_outs.record_opt_out(cursor, "intendante", opt_outs.PatientKey(patient_id="P000001"), "courrier reçu")
    deployed.rows("UPDATE deid.opt_out SET asked_at = %s", (when(3, 1),))
    assert found(when(3, 4)) == [HELD, ("opt_outs_pending", None)]
    assert found(when(4, 16))[0] == ("opt_outs_late", None)
    deployed.rows("UPDATE deid.opt_out SET applied_at = %s", (when(3, 2),))
    assert found(when(3, 4)) == [HELD]


def test_what_waits_for_a_person_comes_before_missing_nights(deployed: Any) -> None:
    staged(deployed, "2026-10-02")
    assert found(when(9)) == [("decision_late", "2026-10-02"), HELD, ("nights_missing", None)]
    (_, held, _) = overview.read_overview(when(9)).findings
    assert (held.facts["documents"], held.facts["least"]) == (1, False)


def test_a_run_at_work_is_late_past_the_hour_of_the_policy(deployed: Any) -> None:
    Ledger(deployed).night("2026-10-02", 60, staged=False)
    deployed.rows("UPDATE deid.run SET started_at = interval_end")
    deployed.rows("UPDATE deid.document SET state = 'detected'")
    assert found(when(3, 4)) == [("running", "2026-10-02")]
    assert found(when(3, 6)) == [("night_late", "2026-10-02")]


def test_a_scheduled_run_that_failed_before_its_plan_is_said_at_once(deployed: Any) -> None:
    end = when(4, 1) + timedelta(minutes=30)
    last = SimpleNamespace(run_id="scheduled__2026-10-03", interval_key="2026-10-03", interval_end=end)

    def told(now: datetime) -> list[str]:
        return [one.what for one in overview.read_overview(now, last=last).findings]

    assert told(when(4, 4)) == ["plan_failed"], "the first night ever"
    staged(deployed, "2026-10-02")
    assert told(when(4, 4)) == ["decision_late", "quarantined", "plan_failed"]
    assert told(when(5, 12)) == ["decision_late", "quarantined", "nights_missing"], "which names the run"
    staged(deployed, "2026-10-03")
    deployed.rows("UPDATE deid.run SET triggered_by = 'backfill__2026-10-03' WHERE interval_key = '2026-10-03'")
    assert "plan_failed" not in told(when(4, 4)), "another run treated its night"


def test_nights_that_nobody_worked_on_are_missed(deployed: Any) -> None:
    for day in ("2026-10-02", "2026-10-05"):
        staged(deployed, day)
        actions.publish(day, YES)
    (_, skipped) = overview.read_overview(when(6, 4)).findings
    assert (skipped.what, skipped.facts["first"], skipped.facts["last"]) == (
        "nights_skipped",
        "2026-10-03",
        "2026-10-04",
    )
    assert found(when(7, 4)) == [HELD, ("nights_skipped", None)], "the night of the 6th is due at 7 in Paris"
    (_, missed, _) = overview.read_overview(when(9, 12)).findings
    assert (missed.what, missed.facts["nights"], missed.facts["first"]) == ("nights_missing", 3, "2026-10-06")


def test_nights_that_no_schedule_ever_asked_for_are_not_missed(deployed: Any) -> None:
    for day in ("2026-10-02", "2026-10-05"):
        staged(deployed, day)
        actions.publish(day, YES)
    deployed.rows("UPDATE deid.run SET triggered_by = 'backfill__' || run_id WHERE interval_key = '2026-10-02'")
    assert found(when(6, 4)) == [HELD], "the schedule began on the 5th"
    assert [what for what, _ in found(when(9, 12))] == ["quarantined", "nights_missing"]
    deployed.rows("UPDATE deid.run SET triggered_by = 'backfill__' || run_id")
    assert found(when(9, 12)) == [HELD]


def test_an_interval_of_the_future_hides_no_other(deployed: Any) -> None:
    for day in ("2026-10-02", "2027-10-02"):
        staged(deployed, day)
    seen = overview.read_overview(when(3, 4))
    assert [one.interval.key for one in seen.judged] == ["2026-10-02"]
    assert ("waiting", "2026-10-02") in [(one.what, one.key) for one in seen.findings]
    assert ("nights_missing", None) in found(when(9, 12))
    listed = list_intervals(now=when(3, 4))
    assert ([one.key for one in listed.intervals], listed.months) == (["2026-10-02"], ["2026-10"])


def test_the_hour_is_that_of_the_hospital_when_clocks_change() -> None:
    assert staging_due(datetime(2026, 10, 25, 2, 30, tzinfo=UTC), "07:00").astimezone(UTC) == when(25, 6)
    assert staging_due(datetime(2026, 10, 24, 1, 30, tzinfo=UTC), "07:00").astimezone(UTC) == when(24, 5)
    assert staging_due(when(24, 8), "07:00").astimezone(UTC) == when(25, 6)
    told_twice = datetime(2026, 10, 25, 2, 45, tzinfo=ZoneInfo("Europe/Paris"))  # in summer time
    assert staging_due(told_twice, "02:30").astimezone(UTC) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@pytest.mark.slow
def test_what_is_out_of_the_ordinary_is_named_with_what_is_usual(deployed: Any) -> None:
    for day in range(1, 9):
        staged(deployed, f"2026-10-0{day}", 60 + day)
        actions.publish(f"2026-10-0{day}", YES)
    staged(deployed, "2026-10-09", 68, quarantined=16)
    seen = overview.read_overview(when(10, 4))
    refused = [one for one in seen.findings if one.level == "bad"]
    assert [(one.what, one.key) for one in refused] == [("critical", "2026-10-09")]
    (critical,) = refused
    assert critical.facts["broken"] == ["quarantined_share", "quarantined_share_high"]
    # The rule and the share have one cause: one finding names it, with the usual share.
    ((measure, value, usual),) = critical.facts["unusual"]
    assert (measure, value, usual.intervals) == ("quarantined_share", 16 / 68, 8)
    assert "quarantined_share" not in [one.facts["measure"] for one in seen.findings if one.what == "unusual"]
    with pytest.raises(Exception, match="critical"):
        actions.publish("2026-10-09", YES)
    assert ("refused", "2026-10-09") in found(when(10, 4))
    (refused,) = [one for one in overview.read_overview(when(10, 4)).findings if one.what == "refused"]
    assert refused.facts["unusual"] == critical.facts["unusual"]
    drawn = [layout_trend(seen.judged, name) for name in MEASURES]
    for one in drawn:
        assert one is not None
        assert [point.key for point in one.points] == [f"2026-10-0{day}" for day in range(1, 10)]
        assert all(0 <= point.x <= WIDTH and 0 <= point.y <= HEIGHT for point in one.points)
    assert [point.usual for point in drawn[1].points][-1] is False  # type: ignore[union-attr]


def test_the_list_is_paged_and_filtered(deployed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deid.stewardship.releases.PAGE", 2)
    for day in ("2026-09-30", "2026-10-01", "2026-10-02", "2026-10-03"):
        staged(deployed, day, 30)
    actions.publish("2026-10-01", YES)
    first = list_intervals(now=when(4))
    assert [one.key for one in first.intervals] == ["2026-10-03", "2026-10-02"]
    assert first.months == ["2026-10", "2026-09"]
    second = list_intervals(before=first.older, now=when(4))
    assert [one.key for one in second.intervals] == ["2026-10-01", "2026-09-30"]
    assert second.older is None
    assert [one.key for one in list_intervals(month="2026-09", now=when(4)).intervals] == ["2026-09-30"]
    assert [(one.key, one.published) for one in list_intervals(state="visible", now=when(4)).intervals] == [
        ("2026-10-01", 29)
    ]
    planned = planned_run("scheduled__2026-10-02")
    assert planned is not None
    assert (planned.interval_key, planned.dry_run) == ("2026-10-02", False)
    assert planned_run("scheduled__2026-12-24") is None


def test_an_interval_holds_back_documents_by_reason(deployed: Any) -> None:
    staged(deployed, "2026-10-02", 60, quarantined=8)
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        ids = quarantined_ids(cursor, "2026-10-02")
    assert sorted(one for reason in ids.values() for _, one in reason) == [f"D2026-10-02-{n}" for n in range(8)]
    known = deployed.rows("SELECT reason, count(*) FROM deid.quarantine GROUP BY 1 ORDER BY 1")
    assert [(reason, len(found)) for reason, found in sorted(ids.items())] == known


def interval(key: str, start: datetime, days: int, treated: int) -> ComparedInterval:
    """An interval of `days` nights with `treated` documents, usual between 5 and 15 a day."""
    counts = dict.fromkeys(("waiting", "quarantined", "corrected", "withdrawn", "critical", "warnings"), 0)
    versions = dict.fromkeys(("policy_hash", "pipeline_version", "detector_version"), "")
    summary = IntervalSummary(
        key=key,
        start=start,
        end=start + timedelta(days=days),
        state="published",
        run_ids=[1],
        started_at=start,
        scheduled=True,
        triggered_by=None,
        finished_at=None,
        published_at=None,
        seen=treated,
        treated=treated,
        published=treated,
        readable=treated,
        kept=treated,
        decided_by=None,
        decided_at=None,
        mentions=10 * treated,
        epsilon=4.0 * treated,
        broken=(),
        **counts,
        **versions,
    )
    return ComparedInterval(summary, {"documents_per_day": Habit(10.0, 5.0, 15.0, 5)})


def test_a_period_is_drawn_from_its_first_night_to_its_last_beside_single_nights() -> None:
    night = interval("2026-10-11", when(11, 0), 1, 12)
    period = interval("2026-10-01..2026-10-11", when(1, 0), 10, 400)
    drawn = layout_trend([night, period], "documents_per_day")
    assert drawn is not None
    first, last = drawn.points
    assert (first.x, last.end) == (LEFT, WIDTH - RIGHT)
    assert first.end == last.x == pytest.approx(LEFT + (WIDTH - LEFT - RIGHT) * 10 / 11)
    assert (first.usual, last.usual) == (False, True)
    assert drawn.band.count("Z") == 2
    assert f"M{first.x:.1f}," in drawn.band
    assert f"H{first.end:.1f}V" in drawn.band
