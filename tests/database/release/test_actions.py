"""Release on a real database: conditions of publication, refusals, and the recorded decisions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deid.config.policy import load
from deid.config.settings import settings
from deid.domain.errors import InputRefused, ReleaseRefused
from deid.release import actions
from deid.release.status import read_status
from deid.reports.run_checks import run_checks
from tests import ROOT
from tests.database.release.ledger import Ledger

NIGHT = "2026-10-03"
YES = {"chosen_options": ["Approve"], "responded_by_user": {"id": "c.morel"}, "params_input": {"motif": "lu"}}
NO = {"chosen_options": ["Reject"], "responded_by_user": {"id": "c.morel"}, "params_input": {"motif": "à revoir"}}


def published(database: Any) -> int:
    return database.rows("SELECT count(*) FROM deid.published_document")[0][0]


def decisions(database: Any) -> list[tuple[str, str, str]]:
    return database.rows("SELECT chosen, decided_by, reason FROM deid.decision ORDER BY decided_at")


def stage_more(database: Any, ledger: Ledger) -> int:
    """Stage another run of the same interval, judged; returns it."""
    other = ledger.night("2026-10-02", 20)
    run_checks(other, load())
    database.rows("UPDATE deid.run SET interval_key = %s WHERE run_id = %s", (NIGHT, other))
    return other


def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, approval: str, *changed: str) -> None:
    """Put the policy that ships in force, with this approval and these other lines."""
    text = (ROOT / "deid/config/policies/default.yaml").read_text(encoding="utf-8")
    for line in (f"approval: {approval}", *changed):
        key = line.split(":")[0]
        text, replaced = re.subn(rf"^( +){key}: \S+", rf"\g<1>{line}", text, flags=re.MULTILINE)
        assert replaced == 1
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    settings.cache_clear()


def test_a_quiet_night_goes_out_alone_and_once(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60)
    summary = actions.summarise(NIGHT)
    assert (summary["staged"], summary["quarantined"], summary["critical"], summary["warnings"]) == (59, 1, 0, 0)
    assert not actions.needs_approval(summary)
    first = actions.publish(NIGHT)
    assert first["published"] == published(deployed) == 59
    assert actions.publish(NIGHT) == first
    assert actions.summarise(NIGHT)["staged"] == 0
    assert [row[:2] for row in decisions(deployed)] == [("proposed", "politique"), ("approve", "politique")]


def test_a_warning_waits_for_a_person(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60, warned=40)
    summary = actions.summarise(NIGHT)
    assert summary["warnings"] == 1
    assert actions.needs_approval(summary)
    with pytest.raises(ReleaseRefused, match="approval"):
        actions.publish(NIGHT)
    assert published(deployed) == 0
    assert actions.publish(NIGHT, YES)["published"] == 59
    assert ("approve", "c.morel", "lu") in decisions(deployed)


def test_a_rejected_night_stays_staged(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60, warned=40)
    actions.summarise(NIGHT)
    with pytest.raises(ReleaseRefused, match="rejected"):
        actions.publish(NIGHT, NO)
    assert published(deployed) == 0
    assert ("reject", "c.morel", "à revoir") in decisions(deployed)
    assert actions.publish(NIGHT, YES)["published"] == 59


def test_what_was_said_of_an_earlier_staging_says_nothing_of_a_later_one(deployed: Any, ledger: Ledger) -> None:
    def state() -> str:
        return deployed.rows("SELECT state FROM deid.interval_state WHERE interval_key = %s", (NIGHT,))[0][0]

    ledger.night(NIGHT, 60, warned=40)
    actions.summarise(NIGHT)
    assert state() == "waiting"
    with pytest.raises(ReleaseRefused, match="rejected"):
        actions.publish(NIGHT, NO)
    assert state() == "rejected"
    again = stage_more(deployed, ledger)
    deployed.rows("UPDATE deid.run SET finished_at = now() WHERE run_id = %s", (again,))
    assert state() == "waiting"


def test_a_critical_failure_stops_everything(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60, quarantined=30)
    summary = actions.summarise(NIGHT)
    assert summary["critical"] == 1
    assert not actions.needs_approval(summary)
    for decision in (None, YES):
        with pytest.raises(ReleaseRefused, match="critical") as refused:
            actions.publish(NIGHT, decision)
        assert refused.value.remedy
    assert published(deployed) == 0
    assert [row[0] for row in decisions(deployed)] == ["proposed", "refused"]
    assert "Publication refusée" in Path(actions.report(NIGHT)["html"]).read_text(encoding="utf-8")


def test_what_was_not_summed_up_is_not_published(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60)
    with pytest.raises(ReleaseRefused, match="never judged"):
        actions.publish(NIGHT)
    actions.summarise(NIGHT)
    stage_more(deployed, ledger)
    with pytest.raises(ReleaseRefused, match="no longer what was summed up"):
        actions.publish(NIGHT, YES)
    assert published(deployed) == 0
    actions.summarise(NIGHT)
    assert actions.publish(NIGHT)["published"] == 59 + 19


def test_summing_up_again_after_a_change_and_back(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60)
    first = actions.summarise(NIGHT)["staged_digest"]
    more = stage_more(deployed, ledger)
    assert actions.summarise(NIGHT)["staged_digest"] != first
    deployed.rows("UPDATE deid.run SET state = 'superseded' WHERE run_id = %s", (more,))
    for _ in range(2):
        assert actions.summarise(NIGHT)["staged_digest"] == first
    assert actions.publish(NIGHT)["published"] == 59
    assert [row[0] for row in decisions(deployed)] == ["proposed"] * 3 + ["approve"]


@pytest.mark.parametrize(("approval", "asked"), [("always", True), ("never", False)])
def test_the_policy_decides_who_is_asked(
    approval: str, asked: bool, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy(tmp_path, monkeypatch, approval)
    ledger.night(NIGHT, 60, warned=0 if asked else 40)
    summary = actions.summarise(NIGHT)
    assert actions.needs_approval(summary) is asked
    if asked:
        with pytest.raises(ReleaseRefused):
            actions.publish(NIGHT)
    else:
        assert actions.publish(NIGHT)["published"] == 59


@pytest.mark.parametrize("later", ["never", "on_warning"])
def test_a_laxer_file_publishes_nothing_that_was_staged_under_a_stricter_one(
    later: str, deployed: Any, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy(tmp_path, monkeypatch, "always")
    ledger.night(NIGHT, 60)
    assert actions.needs_approval(actions.summarise(NIGHT))
    policy(tmp_path, monkeypatch, later)
    for _ in range(2):
        with pytest.raises(ReleaseRefused, match="approval"):
            actions.publish(NIGHT)
        assert actions.needs_approval(actions.summarise(NIGHT))
    assert published(deployed) == 0
    assert actions.publish(NIGHT, YES)["published"] == 59


def test_a_laxer_file_wants_no_fewer_people(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy(tmp_path, monkeypatch, "always", "approvals: 2")
    ledger.night(NIGHT, 60)
    actions.summarise(NIGHT)
    policy(tmp_path, monkeypatch, "always")
    with pytest.raises(ReleaseRefused, match="another person: 1 given"):
        actions.publish(NIGHT, YES)
    status = read_status(NIGHT)
    assert status is not None
    assert (status.wanted, status.approvers) == (2, ("c.morel",))


def test_a_stricter_file_holds_for_what_is_staged_already(
    deployed: Any, ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy(tmp_path, monkeypatch, "never")
    ledger.night(NIGHT, 60, warned=40)
    actions.summarise(NIGHT)
    policy(tmp_path, monkeypatch, "always")
    with pytest.raises(ReleaseRefused, match="approval"):
        actions.publish(NIGHT)
    assert published(deployed) == 0


def test_checks_are_those_of_the_policy_that_the_run_was_planned_with(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.night(NIGHT, 60, quarantined=30)
    assert actions.summarise(NIGHT)["critical"] == 1
    policy(tmp_path, monkeypatch, "never", "max_quarantined_share: 0.9")
    assert actions.summarise(NIGHT)["critical"] == 1


def test_an_unknown_policy_asks_for_a_person(deployed: Any, ledger: Ledger) -> None:
    ledger.night(NIGHT, 60, policy="5f1c0a9b33d2e471")
    assert actions.needs_approval(actions.summarise(NIGHT))
    with pytest.raises(ReleaseRefused, match="approval"):
        actions.publish(NIGHT)
    assert published(deployed) == 0


@pytest.mark.usefixtures("deployed")
def test_nothing_staged() -> None:
    summary = actions.summarise(NIGHT)
    assert (summary["runs"], summary["staged"], summary["staged_digest"]) == (0, 0, None)
    assert not actions.needs_approval(summary)
    with pytest.raises(ReleaseRefused, match="nothing is staged"):
        actions.publish(NIGHT)


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "2026-10-03/..", "2026-10-03..", "hier"])
def test_a_key_that_is_none(key: str) -> None:
    for action in (actions.summarise, actions.publish, actions.report):
        with pytest.raises(InputRefused):
            action(key)


def test_summaries_hold_nothing_but_counts(ledger: Ledger) -> None:
    ledger.night(NIGHT, 30)
    summary = actions.summarise(NIGHT)
    assert all(
        isinstance(value, int) for name, value in summary.items() if name not in ("interval_key", "staged_digest")
    )
