"""Texts like those that users of other tools reported, through the public flow: what must go, stay, and not come out.

`field_cases.jsonl` holds one text a line, with the patient where the warehouse knows one: `must_go` (each letter and
digit lies in a mention; a civility ahead of a name may stay), `must_stay` (no mention touches it), `labels` (allowed
labels of a stretch, null where none is needed), `forbid_out` (patterns that no published text matches). Where a word of
`must_go` stands in a stretch of `must_stay` too, it stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import pytest

from deid.config.policy import load
from deid.detection import Detector
from deid.domain.document import Document, Mention, Patient
from deid.domain.outcomes import Deidentified, Incoming, Refused
from deid.pipeline import deidentify
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests import ROOT

CASES = [json.loads(line) for line in (ROOT / "tests/privacy/field_cases.jsonl").read_text("utf-8").splitlines()]
CIVILITY = re.compile(r"(?:Mme|M\.|Mr|Mlle|Dr|Pr)\s+(?=\w)")
# Cases that do not hold today, each with its reason.
KNOWN: Mapping[str, str] = {}


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Deidentified | Refused]:
    policy, tables = load(), packaged_tables()
    substitutor = Substitutor(policy, bytes(range(32)), tables.communes, tables.names)
    given = [Incoming(_document(case)) for case in CASES]
    found = deidentify(given, Detector(policy), substitutor, max_bytes=1_000_000)
    return {case["id"]: outcome for case, outcome in zip(CASES, found, strict=True)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['id']}")
def test_a_field_case_has_its_outcome(case: Mapping[str, Any], outcomes: Mapping[str, Deidentified | Refused]) -> None:
    faults = list(_faults(case, outcomes[case["id"]]))
    if case["id"] in KNOWN:
        assert faults, "mended: take it from KNOWN"
    else:
        assert faults == []


def _document(case: Mapping[str, Any]) -> Document:
    written = case.get("reference_date")
    return Document(
        case["id"], case["text"], Patient.from_json(case.get("patient")), written and date.fromisoformat(written)
    )


def _faults(case: Mapping[str, Any], outcome: Deidentified | Refused) -> Iterator[str]:
    if isinstance(outcome, Refused):
        yield f"refused: {outcome.reasons}"
        return
    mentions, published = outcome.candidate.mentions, outcome.candidate.substitution.text
    covered = {at for one in mentions for at in range(one.start, one.end)}
    stretches = [place for value in case.get("must_stay", ()) for place in _places(case["text"], value)]
    for value in case.get("must_go", ()):
        for start, end in _places(case["text"], value):
            if any(first <= start and end <= last for first, last in stretches):
                continue
            civility = CIVILITY.match(case["text"], start, end)
            if any(
                case["text"][at].isalnum() and at not in covered
                for at in range(civility.end() if civility else start, end)
            ):
                yield f"stays: {value}"
    for value in case.get("must_stay", ()):
        yield from (f"goes: {value}" for start, end in _places(case["text"], value) if covered & {*range(start, end)})
    for value, allowed in case.get("labels", {}).items():
        found = _labels(mentions, next(_places(case["text"], value)))
        wanted = {allowed} if isinstance(allowed, str) else set(allowed or ())
        if allowed is not None and not (found <= wanted and (found or None in wanted)):
            yield f"{value}: {found}"
    yield from (f"published: {pattern}" for pattern in case.get("forbid_out", ()) if re.search(pattern, published))


def _places(text: str, value: str) -> Iterator[tuple[int, int]]:
    found = [match.span() for match in re.finditer(re.escape(value), text)]
    assert found, f"{value} is not in the text"
    yield from found


def _labels(mentions: tuple[Mention, ...], place: tuple[int, int]) -> set[str | None]:
    return {str(one.label) for one in mentions if one.start < place[1] and one.end > place[0]}
