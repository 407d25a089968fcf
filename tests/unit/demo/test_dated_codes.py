"""Rules of the second layer of the synthetic hospital's codes, fixed before any coder was trained on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from demo.hospital import build, coding, dated, generate
from demo.hospital.dated import CODES, HOMES, ORDERED, sentences
from demo.hospital.journeys import Plan
from demo.hospital.model import Hospital, Patient, Stay
from demo.hospital.prose.library import FOLDER
from demo.hospital.streams import Stream
from demo.population import population_of

SETTING, _ = build.setting_of(Stream("dated"))
PATIENT = build.patients_of(Stream("dated"), SETTING, 1)[0]
ADMITTED = date(2026, 3, 2)
_MARK, _SLOT = re.compile(r"\{cim:([^}]*)\}"), re.compile(r"\{[^}]*\}")
_DAYS = re.compile(r"\{D:(adm|op|birth)?([+-]\d+)?")


def test_codes_come_from_the_rules_that_were_frozen() -> None:
    """A change here makes every figure on codes of the second layer one of another hospital: measure all again."""
    assert sha256(Path(dated.__file__).read_bytes()).hexdigest()[:16] == "a41816ec17baaea1"


def _told(
    number: int, *, age: int = 50, nights: int = 5, pathology: str = "col_femur", home: tuple[str, int] = ("99", 5_000)
) -> list[list[tuple[str, list[str]]]]:
    """Return the sentences of stays of a patient, each with its codes."""
    place = replace(PATIENT.place, department=home[0], population=home[1], country="")
    patient: Patient = replace(PATIENT, birth_date=ADMITTED.replace(year=ADMITTED.year - age), place=place)
    left = ADMITTED + timedelta(nights)
    found = []
    for at in range(number):
        stay = Stay(f"S{at}", "P", "1", "ORTH", "Orthopédie", ADMITTED, left, pathology, "hospitalisation")
        plan = Plan(patient, stay, "CRH", left)
        found.append([(_MARK.sub("", one), _MARK.findall(one)) for one in sentences(1, plan)])
    return found


def _starting(head: str, told: Sequence[Sequence[tuple[str, list[str]]]]) -> list[tuple[list[int], list[str]]]:
    """Return the offsets in days and the codes of the sentences that begin with a word."""
    return [
        ([int(days or 0) for _, days in _DAYS.findall(text)], codes)
        for own in told
        for text, codes in own
        if text.startswith(head)
    ]


def test_words_are_the_same_whatever_the_code() -> None:
    """Without the values in its slots, no sentence tells its code."""
    codes: dict[str, set[str]] = {}
    for text, own in (one for told in _told(400) for one in told):
        codes.setdefault(_SLOT.sub("_", text), set()).add("+".join(own))
    pairs = {said: own for said, own in codes.items() if said.startswith("À noter")}
    assert pairs == {f"À noter : {one} le _, {other} le _.": {before, after} for one, other, before, after in ORDERED}
    assert codes["Intervention décidée le _, réalisée le _."] == {"", "Z758", "Z752"}
    assert codes["Opéré le _, repris au bloc le _."] == {"T818", ""}


@pytest.mark.parametrize(("first", "second", "before", "after"), ORDERED)
def test_the_order_of_two_events_gives_the_code(first: str, second: str, before: str, after: str) -> None:
    found = _starting(f"À noter : {first} le {{", [one for one in _told(200) if second in one[0][0]])
    assert {codes[0] for _, codes in found} == {before, after}
    assert all(codes == ([before] if one < other else [after]) for (one, other), codes in found)


def test_delays_and_lengths_give_the_code() -> None:
    for (decided, _), codes in _starting("Intervention", _told(200)):
        assert codes == (["Z752"] if decided <= -60 else ["Z758"] if decided <= -3 else [])
    for (_, again), codes in _starting("Opéré", _told(200, nights=12)):
        assert codes == (["T818"] if again <= 2 else ["T813"] if again >= 5 else [])
    lengths = {nights: _starting("Séjour", _told(1, nights=nights))[0][1] for nights in (3, 6, 7, 9, 10, 14)}
    assert lengths == {3: [], 6: [], 7: ["Z748"], 9: ["Z748"], 10: ["Z751"], 14: ["Z751"]}


def test_terms_give_the_code() -> None:
    births = _starting("Début", _told(200, age=30, pathology="accouchement"))
    assert {tuple(codes) for _, codes in births} == {("O601",), (), ("O48",)}
    for (begun, _), codes in births:
        assert codes == (["O601"] if begun > -37 * 7 else ["O48"] if begun <= -41 * 7 else [])
    infants = _starting("Naissance", _told(200, age=1, pathology="bronchiolite"))
    assert {tuple(codes) for _, codes in infants} == {(), ("P073",), ("P072",)}
    for (_, early), codes in infants:
        assert codes == (["P072"] if early >= 84 else ["P073"] if early >= 21 else [])
    assert not _starting("Naissance", _told(5, age=3)), "who is no infant has no term"


@pytest.mark.parametrize(("departments", "fewest", "fewer", "youngest", "code", "share"), HOMES)
def test_a_home_gives_a_code(
    departments: tuple[str, ...], fewest: int, fewer: int, youngest: int, code: str, share: float
) -> None:
    def found(department: str, population: int, age: int = 50) -> float:
        told = _starting("Expositions", _told(150, home=(department, population), age=age))
        return sum(code in codes for _, codes in told) / len(told)

    department, population = departments[-1] if departments else "99", max(fewest, 1)
    assert abs(found(department, population) - share) < 0.16
    outside = [(department, fewest - 1)] if fewest else [(department, fewer)] if fewer < 10_000_000 else []
    outside += [("99", population)] if departments else []
    assert outside
    assert {found(*one) for one in outside} == {0}
    if youngest:
        assert found(department, population, youngest - 1) == 0


@pytest.fixture(scope="module")
def both() -> tuple[Hospital, Hospital]:
    first, second = (generate(patients=40, documents=360, dated=one) for one in (False, True))
    return first, second


def test_the_first_layer_has_none_of_its_codes(both: tuple[Hospital, Hospital]) -> None:
    own = frozenset().union(*CODES.values())
    assert sum(map(len, CODES.values())) == len(own), "a code is of one kind"
    first = {one[2] for one in (*coding.OF_AGE, *coding.OF_PLACE)} | {one[3] for one in coding.BY_AGE}
    said = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.txt"))
    assert not own & first
    assert not {code for mark in _MARK.findall(said) for code in re.findall(r"[A-Z]\d{2,}", mark)} & own
    assert not any(own & {*stay.diagnoses} for stay in both[0].stays)
    assigned = [code for stay in both[1].stays for code in stay.diagnoses]
    assert sum(code in own for code in assigned) / len(assigned) > 0.12, "the stated share is a fifth"


def test_the_last_document_of_a_stay_tells_and_the_others_stay_as_they_were(both: tuple[Hospital, Hospital]) -> None:
    pairs = list(zip(both[0].documents, both[1].documents, strict=True))
    changed = [two for one, two in pairs if one.versions[0].content != two.versions[0].content]
    stays = [two.stay_id for two in changed]
    assert len(set(stays)) == len(stays)
    assert set(stays) == {two.stay_id for _, two in pairs if two.stay_id}
    texts = {one.document.id: one.document.text for one in population_of(both[1]).records}
    told = sum("Expositions recherchées" in texts[one.document_id] for one in changed)
    assert told > len(changed) / 2, "noise spares most of them"
