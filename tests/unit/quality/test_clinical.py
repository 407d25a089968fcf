"""Clinical values and terms that changed are counted, whatever label they were given; identifiers are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.policy import Quality
from deid.domain.document import Patient
from deid.domain.errors import Reason
from deid.quality import measure, validate_batch
from deid.quality.clinical import read_items
from tests.unit.quality.documents import CLEAN, PATIENT, checked


def counted(text: str, patient: Patient = PATIENT) -> tuple[float, float]:
    numbers = measure(checked(text, patient))
    return numbers["clinical_items"], numbers["clinical_content_changed"]


@pytest.mark.parametrize(
    "text",
    [
        "12 mg", "5 µg/kg/min", "2,5 g/L", "98 %", "37,8 °C", "120/80 mmHg", "10 x 12 mm", "250000 /mm3", "3 UI/kg",
        "500 mg/j", "2 comprimés", "1 gélule", "10 gouttes", "1-0-1", "3 fois par jour", "2 x/j",
        "Glasgow 15", "Apgar 9/10", "NYHA III", "EVA à 3/10", "OMS 2", "MMSE : 24/30",
        "CRP 45", "Hb à 9,2", "plaquettes : 163000", "TSH 2,1", "INR 2,3", "TA 130/80", "pH 7,32", "T2N1M0", "pT3N0Mx",
        "vérapamil", "Pamidronate", "OLMÉSARTAN", "amoxicilline", "0,75 V",
        "un comprimé", "deux gélules", "un demi-comprimé", "matin et soir", "le matin, le midi et le soir",
        "au coucher", "trois fois par jour", "un jour sur deux", "10 mg le mercredi et le dimanche",
        "60 Gray", "132\tpmol/L\t150-600", "vn 300-1200", "normale 60-120", "22q11",
        "119\tUI/ML", "7,7  NG/ML", "98      mmol/L", "12 MG/KG",
    ],
)  # fmt: skip
def test_what_is_clinical_is_read(text: str) -> None:
    assert [(item.start, item.end) for item in read_items(f"Noté {text} ce jour.")] == [(5, 5 + len(text))]


@pytest.mark.parametrize(
    "text",
    [
        "le 12/03/2020", "45 ans", "3 mois", "pendant 10 jours", "12 rue des Lilas", "06 12 34 56 78", "CRP en 2019",
        "CRP le 12/03/2020", "TA du 12 mars", "MMSE 03/2020", "Dr Amoxicilline", "Mme VÉRAPAMIL", "Claire",
        "chambre 12", "L5-S1", "vu 3 fois", "en 67", "le 17 V 05",
        "le 31 l'a jeté", "hier matin et soir", "demain matin et soir", "lundi matin et soir", "trois fois",
    ],
)  # fmt: skip
def test_what_is_not_clinical_is_not_read(text: str) -> None:
    assert read_items(f"Noté {text} puis.") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CRP 45 mg/L, vu le [[DATE|12/03/2020=>15/03/2020]]", (1, 0)),
        ("des plaquettes à [[ID|163000=>692911]]/mm3", (1, 1)),
        ("sous [[DOCTOR|vérapamil=>maryvonne]]", (1, 1)),
        ("[[DATE|12/10=>13/11]] mmHg", (1, 1)),
        ("GB [[ID|12=>12]] et CRP 4", (2, 0)),
        ("PSA\t7,7\tNG/[[DOCTOR|ML=>FP]]", (1, 1)),
        ("lot [[ID|A-4471 12 mg 889=>B-1111 99 xx 000]]", (0, 0)),
        ("[[PATIENT|Jeanne Lagardère VIDAL=>Odette MONTAUD VERNAY]]", (0, 0)),
        ("[[PERSON|Doliprane 500 mg=>Jean Martin]]", (2, 2)),
        ("[[STREET|12 g rue des Tilleuls=>4 allée du Puits]]", (0, 0)),
    ],
)
def test_what_changed_is_counted(text: str, expected: tuple[float, float]) -> None:
    assert counted(text) == expected


def test_a_patient_named_as_a_drug_is_no_drug() -> None:
    text = "[[PATIENT|Vérapamil=>Maryvonne]] va bien sous vérapamil"
    assert counted(text, Patient(key="p", last_name="VÉRAPAMIL")) == (1, 0)


def test_spans_that_do_not_fit_prove_nothing() -> None:
    numbers = measure(checked("CRP 45 et Hb 12 [[ID|a=>b]]", spans=()))
    assert numbers["clinical_content_changed"] == numbers["clinical_items"] == 2


CHANGED = "Hémoglobine [[ID|12,4 g/dL=>83,1 x/kB]] ce jour. "


@pytest.mark.parametrize(
    ("changes", "limits", "held", "warned"),
    [
        (0, Quality(), False, False),
        (1, Quality(), False, True),
        (10, Quality(), False, True),
        (11, Quality(), True, True),
        (1, Quality(max_clinical_changes=0), True, True),
        (2, Quality(warn_clinical_changes=3), False, False),
        (3, Quality(warn_clinical_changes=3), False, True),
    ],
)
def test_the_policy_says_from_when_to_warn_and_to_hold(changes: int, limits: Quality, held: bool, warned: bool) -> None:
    (verdict,) = validate_batch([checked(CLEAN + CHANGED * changes)], limits)
    assert (Reason.CLINICAL_CONTENT_CHANGED in verdict.reasons) is held
    assert ("clinical_value_changed" in verdict.warnings) is warned


@given(st.lists(st.sampled_from(["12 mg", "[[ID|12 mg=>99 xx]]", "Hb 9", "[[PERSON|Luc=>Jean]]", "mot"]), max_size=30))
def test_every_change_and_no_other_is_counted(parts: list[str]) -> None:
    values = sum(part in ("12 mg", "[[ID|12 mg=>99 xx]]", "Hb 9") for part in parts)
    assert counted(" ; ".join(parts)) == (values, parts.count("[[ID|12 mg=>99 xx]]"))


@pytest.mark.parametrize(
    "part", ["1", "1 ", "12 mg ", "A", "TA : ", "1-0-", "Hb   ", "1,2", "\n", "vérapamil ", "x/j 3 "]
)
def test_time_is_linear(part: str) -> None:
    read_items("amorce")

    def seconds(length: int) -> float:
        text = part * (length // len(part))
        began = time.process_time()
        read_items(text)
        return time.process_time() - began

    assert seconds(160_000) < 8 * seconds(40_000) + 0.2
