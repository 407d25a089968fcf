"""Rules of the synthetic hospital's codes, which were fixed before any coder was trained on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from math import sqrt
from pathlib import Path

import pytest

from demo.hospital import build, coding, generate
from demo.hospital.coding import BY_AGE, CONFUSED, FORGOTTEN, INVENTED, OF_AGE, OF_PLACE, coded
from demo.hospital.dated import CODES
from demo.hospital.load import icd10_labels
from demo.hospital.model import Stay
from demo.hospital.prose import slots_people, slots_time, slots_values  # noqa: F401
from demo.hospital.prose.library import FOLDER, pathologies
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.streams import Stream

SETTING, _ = build.setting_of(Stream("codes"))
PATIENT = build.patients_of(Stream("codes"), SETTING, 1)[0]
STAY = Stay(
    "S0", PATIENT.patient_id, "1", "CHIV", "Chirurgie", date(2026, 3, 2), date(2026, 3, 5), "appendicite", "urgences"
)
NOWHERE = "I48"  # said by the tests below and by no title


def test_codes_come_from_the_rules_that_were_frozen() -> None:
    """A change here makes every figure of benchmarks/coding.md one of another hospital: measure all again."""
    rules = Path(coding.__file__).read_bytes()
    lines = (line for path in sorted(FOLDER.rglob("*.txt")) for line in path.read_text(encoding="utf-8").splitlines())
    templates = "\n".join(line for line in lines if "{cim:" in line).encode()
    assert (sha256(rules).hexdigest()[:16], sha256(templates).hexdigest()[:16]) == (
        "83f2d1940e4c3cc4",
        "7ba99ddbbc53f1d3",
    )


def _coded(number: int, said: Sequence[str], *, age: int = 40, department: str = "99") -> list[tuple[str, ...]]:
    """Return the codes of stays of one patient; the documents of the first say one of the codes `said` each."""
    birth = STAY.admitted_on.replace(year=STAY.admitted_on.year - age)
    patient = replace(PATIENT, birth_date=birth, place=replace(PATIENT.place, department=department))
    stays = [replace(STAY, stay_id=f"S{at}") for at in range(number)]
    by_stay = {one.stay_id: {code} for one, code in zip(stays, said, strict=False)}
    return [one.diagnoses for one in coded(1, stays, [patient], SETTING, by_stay)]


def _share(code: str, found: list[tuple[str, ...]]) -> float:
    return sum(code in one for one in found) / len(found)


def _near(share: float, expected: float, number: int) -> bool:
    """Tell whether a share of `number` draws is within four standard deviations of what is expected."""
    return abs(share - expected) < 4 * sqrt(expected * (1 - expected) / number)


def _scene(days: int) -> DocumentScene:
    written = STAY.admitted_on
    author = SETTING.staff[STAY.service_code][0]
    scene = DocumentScene(Stream("codes"), SETTING, PATIENT, STAY, pathologies()[STAY.pathology], author, written)
    scene.past = written - timedelta(days)
    return scene


@pytest.mark.parametrize(("days", "code"), [(0, "G459"), (730, "G459"), (731, "Z867"), (9000, "Z867")])
def test_an_event_s_code_depends_on_its_date(days: int, code: str) -> None:
    scene = _scene(days)
    scene.write("{cim:G459<2 Z867}")
    assert list(scene.codes) == [code]


def test_an_event_without_a_date_is_history() -> None:
    scene = _scene(0)
    scene.past = None
    scene.write("{cim:G459<2 Z867}")
    assert list(scene.codes) == ["Z867"]


@pytest.mark.parametrize(("own", "low", "high", "other"), BY_AGE)
def test_a_code_changes_at_some_ages(own: str, low: int, high: int, other: str) -> None:
    inside = [*_coded(20, [own] * 20, age=low), *_coded(20, [own] * 20, age=min(high, 95))]
    assert _share(own, inside) == 0
    assert _share(other, inside) > 0.6
    again = any(code == own and first <= high + 1 <= last for code, first, last, _ in BY_AGE)
    if high < 95 and not again:
        assert _share(own, _coded(20, [own] * 20, age=high + 1)) > 0.6


@pytest.mark.parametrize(("low", "high", "code", "share"), OF_AGE)
def test_an_age_gives_a_code(low: int, high: int, code: str, share: float) -> None:
    number = 150
    for age in (low, min(high, 99)):
        assert _near(_share(code, _coded(number, [], age=age)), share * (1 - FORGOTTEN), number)
    outside = low - 1 if low else high + 1
    assert _share(code, _coded(number, [], age=outside)) == 0


@pytest.mark.parametrize(("departments", "youngest", "code", "share"), OF_PLACE)
def test_a_home_gives_a_code(departments: tuple[str, ...], youngest: int, code: str, share: float) -> None:
    number = 150
    at_home = _coded(number, [], age=youngest, department=departments[-1])
    assert _near(_share(code, at_home), share * (1 - FORGOTTEN), number)
    assert _share(code, _coded(number, [], age=youngest, department="99")) == 0
    if youngest:
        assert _share(code, _coded(number, [], age=youngest - 1, department=departments[0])) == 0


def test_coders_forget_confuse_and_invent_as_stated() -> None:
    number = 1500
    forgotten = 1 - _share(NOWHERE, _coded(number, [NOWHERE] * number))
    assert _near(forgotten, FORGOTTEN * (1 - INVENTED), number)
    first, second = "K801", "K802"
    of_first = _coded(number, [first, second] * (number // 2))[::2]
    swapped = sum(second in one and first not in one for one in of_first) / len(of_first)
    assert _near(swapped, (1 - FORGOTTEN) * CONFUSED, len(of_first))
    assert _near(_share(NOWHERE, _coded(number, [NOWHERE])[1:]), INVENTED, number - 1)


def test_every_code_of_the_rules_has_a_french_label() -> None:
    said = (mark for path in FOLDER.rglob("*.txt") for mark in re.findall(r"\{cim:([^}]*)\}", path.read_text("utf-8")))
    codes = {code for mark in said for part in mark.split() for code in part.partition("<")[0].split("+")}
    codes |= {one[2] for one in (*OF_AGE, *OF_PLACE)} | {code for one in BY_AGE for code in (one[0], one[3])}
    codes |= frozenset().union(*CODES.values())
    labels = icd10_labels()
    assert labels.keys() == codes
    assert labels["J13"] == "Pneumonie due à Streptococcus pneumoniae"


@pytest.mark.slow
def test_350_patients_have_300_codes_or_more() -> None:
    hospital = generate(patients=350, documents=8 * 350 + 40)
    assert len({code for stay in hospital.stays for code in stay.diagnoses}) >= 300
