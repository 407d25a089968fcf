"""The hospital's staff: in the forms in which documents name them, whatever their number."""

from __future__ import annotations

import json
import pickle
import time
from pathlib import Path

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.detection.lookup.staff import Staff, read_staff
from deid.domain.document import Document, Patient, Professional
from deid.domain.errors import InputRefused
from deid.domain.labels import Label

STAFF = Staff(
    [
        Professional("OUALI", ("Samira",), "10003847216", "PH"),
        Professional("Kerbrat", ("Hervé",)),
        Professional("LE HIR-MORVAN", ("Anne-Laure",)),
        Professional("Petit", ("Rose",)),
        Professional("Roux", ("François",)),
        Professional("Hamel", ("Marie",)),
    ]
)
ALONE = policy.Policy.model_validate({"detection": {"annotators": [{"name": "identity"}]}})


def _found(text: str, patient: Patient | None = None, staff: Staff = STAFF) -> list[tuple[str, Label]]:
    (mentions,) = Detector(ALONE, staff).detect([Document("d", text, patient or Patient())])
    return [(text[one.start : one.end], one.label) for one in mentions]


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("vu Samira Ouali ce jour", ["Samira Ouali"]),
        ("OUALI S. et H KERBRAT", ["OUALI S.", "H KERBRAT"]),
        ("KERBRAT, Hervé", ["KERBRAT, Hervé"]),
        ("kerbrat herve est venu", ["kerbrat herve"]),
        ("revu par kerbrat", ["kerbrat"]),
        ("Dr Petit", ["Petit"]),
        ("F. Roux", ["F. Roux"]),
        ("vu A.-L. Le Hir-Morvan", ["A.-L. Le Hir-Morvan"]),
        ("AL LE HIR MORVAN", ["AL LE HIR MORVAN"]),
        ("Anne Laure LEHIRMORVAN", ["Anne Laure LEHIRMORVAN"]),
        ("Dr Kerbart est là", ["Kerbart"]),
        ("Hervé Kebrat est là", ["Hervé Kebrat"]),
        ("compte souali ouvert", ["souali"]),
        ("FR/mh", ["FR", "mh"]),
        ("Dact : mh", ["mh"]),
    ],
)
def test_professionals_in_the_forms_of_documents(text: str, surfaces: list[str]) -> None:
    assert _found(text) == [(surface, Label.DOCTOR) for surface in surfaces]


@pytest.mark.parametrize(
    "text",
    [
        "un petit goût amer",
        "cheveux roux",
        "TA/FC",
        "12 mg/kg",
        "70 UI/mH",  # a unit, though somebody has these initials
        "son fils Hervé Kerbrat",  # a namesake of the family is not of the staff
        "Mme Roux",
        "rue Hamel",
        "Samira est venue",
        "Kerbart",
    ],
)
def test_what_only_resembles_the_staff_is_left(text: str) -> None:
    assert _found(text) == []


def test_a_number_of_the_directory_in_any_layout() -> None:
    assert _found("RPPS 100 0384 7216.") == [("100 0384 7216", Label.RPPS)]
    assert _found("RPPS 100 0384 7217.") == []


def test_a_patient_who_bears_a_professional_s_surname_stays_the_patient() -> None:
    assert _found("Kerbrat va bien.", Patient(last_name="KERBRAT")) == [("Kerbrat", Label.PATIENT)]


def test_nobody_known_nobody_found() -> None:
    assert _found("Samira Ouali", staff=Staff()) == []


def test_staff_go_with_a_detector_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(STAFF)) == STAFF  # noqa: S301 - our own bytes
    sent = pickle.loads(pickle.dumps(Detector(ALONE, STAFF)))  # noqa: S301 - our own bytes
    (mentions,) = sent.detect([Document("d", "vu Samira Ouali ce jour")])
    assert len(mentions) == 1


def test_ten_thousand_professionals_cost_a_document_little() -> None:
    letters = "bcdfghjklm"
    crowd = [
        Professional(f"Z{a}o{b}u{c}e{d}ert", ("Ana",))
        for a in letters
        for b in letters
        for c in letters
        for d in letters
    ]
    text = "Le patient va bien. Revu par Ana Zboculert hier, puis Zzzoculert.\n" * 40
    document = [Document("d", text)]

    def seconds(staff: Staff) -> float:
        detector = Detector(ALONE, staff)
        detector.detect(document)
        began = time.perf_counter()
        detector.detect(document * 5)
        return time.perf_counter() - began

    few, many = min(seconds(Staff(crowd[:10])) for _ in range(3)), min(seconds(Staff(crowd)) for _ in range(3))
    assert many < 5 * few + 0.2  # a thousand times as many names


def test_a_file_of_staff(tmp_path: Path) -> None:
    path = tmp_path / "staff.jsonl"
    people = [{"last_name": "Ouali", "first_names": ["Samira"], "role": "PH"}, {"last_name": "Roux"}]
    path.write_text("\n".join(map(json.dumps, people)) + "\n", encoding="utf-8")
    assert [one.last_name for one in read_staff(path).people] == ["Ouali", "Roux"]


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"first_names": ["KERBRAT"]}', '{"last_name": "KERBRAT", "first_names": 3}']
)
def test_a_bad_line_is_named_and_not_quoted(tmp_path: Path, line: str) -> None:
    path = tmp_path / "staff.jsonl"
    path.write_text('{"last_name": "Roux"}\n' + line, encoding="utf-8")
    with pytest.raises(InputRefused, match=r"staff\.jsonl, line 2") as refused:
        read_staff(path)
    assert "KERBRAT" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match=r"staff\.jsonl"):
        read_staff(tmp_path / "staff.jsonl")
