"""Release rules as truth tables: approvals, policies that require a person, publishable intervals."""

from __future__ import annotations

import pytest

from deid.domain.errors import ReleaseRefused
from deid.release.decisions import Decision
from deid.release.rules import approval_needed, check_publishable, may_approve

# decided by, requested by, may one approve one's own run, expected
WHO = [
    ("c.morel", None, False, True),
    ("c.morel", "m.leroy", False, True),
    ("c.morel", "c.morel", False, False),
    ("c.morel", "c.morel", True, True),
    ("", None, False, False),
    ("", None, True, False),
]
WHEN = [
    ("always", 0, 0, True),
    ("always", 0, 3, True),
    ("always", 1, 0, False),
    ("on_warning", 0, 0, False),
    ("on_warning", 0, 1, True),
    ("on_warning", 2, 1, False),
    ("never", 0, 0, False),
    ("never", 0, 9, False),
    ("never", 1, 9, False),
]
WHAT = [(True, 0, True), (True, 1, False), (False, 0, False), (False, 1, False)]


@pytest.mark.parametrize(("decided_by", "requested_by", "own", "expected"), WHO)
def test_who_may_approve(decided_by: str, requested_by: str | None, own: bool, expected: bool) -> None:
    assert may_approve(decided_by, {requested_by} - {None}, approvals=1, own_approval=own) is expected


@pytest.mark.parametrize(("approval", "critical", "warnings", "expected"), WHEN)
def test_when_a_person_must_decide(approval: str, critical: int, warnings: int, expected: bool) -> None:
    assert approval_needed(approval, critical=critical, warnings=warnings) is expected


@pytest.mark.parametrize(("judged", "critical", "expected"), WHAT)
def test_publishable_intervals(judged: bool, critical: int, expected: bool) -> None:
    if expected:
        check_publishable("2026-10-03", judged=judged, critical=critical)
        return
    with pytest.raises(ReleaseRefused, match="2026-10-03") as refused:
        check_publishable("2026-10-03", judged=judged, critical=critical)
    assert refused.value.remedy


ANSWERS = [
    (
        {"chosen_options": ["Approve"], "responded_by_user": {"id": "7", "name": "C"}, "params_input": {"motif": "vu"}},
        Decision("approve", "C", "vu"),
    ),
    ({"chosen_options": ["Reject"], "responded_by_user": None, "params_input": {}}, Decision("reject", "")),
    (
        {
            "chosen_options": ["Rework"],
            "responded_by_user": {"id": "7"},
            "params_input": {"motif": " x ", "empreinte": "d"},
        },
        Decision("rework", "7", "x", staged_digest="d"),
    ),
    ({"chosen": "approve", "decided_by": "c.morel", "reason": "vu"}, Decision("approve", "c.morel", "vu")),
    ({"chosen_options": ["Approuver"], "responded_by_user": {"id": "7"}}, Decision("approve", "7")),
    ({"chosen_options": ["Rejeter"], "responded_by_user": {"id": "7"}}, Decision("reject", "7")),
    ({"chosen_options": ["Renvoyer en traitement"], "responded_by_user": {"id": "7"}}, Decision("rework", "7")),
]


@pytest.mark.parametrize(("answer", "expected"), ANSWERS)
def test_answers(answer: dict, expected: Decision) -> None:
    assert Decision.from_answer(answer) == expected


@pytest.mark.parametrize(
    "answer", [{}, {"chosen_options": []}, {"chosen_options": ["Approve", "Reject"]}, {"chosen": "oui"}]
)
def test_no_answer_is_no_approval(answer: dict) -> None:
    with pytest.raises(ReleaseRefused):
        Decision.from_answer(answer)
