"""Codes of the synthetic hospital's stays."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from demo.hospital import Hospital, generate
from demo.hospital.prose import slots_people, slots_time, slots_values  # noqa: F401
from demo.hospital.prose.library import pathologies


@pytest.fixture(scope="module")
def hospital() -> Hospital:
    return generate(seed=7, patients=60, documents=480, nights=5)


def test_every_main_diagnosis_of_a_pathology_has_a_code() -> None:
    """Each alternative of a title notes a code, or the title does before them."""
    for name, pathology in pathologies().items():
        for _, title in pathology.section("titre").lines:
            outside = re.sub(r"\[[^]]*\]", "", title)
            choices = re.findall(r"\[([^]]*)\]", title)
            every = any(all("{cim:" in branch for branch in choice.split("|")) for choice in choices)
            assert "{cim:" in outside or every, (name, title)


def test_stays_have_distinct_codes_of_the_classification_s_form(hospital: Hospital) -> None:
    for stay in hospital.stays:
        assert 1 <= len(stay.diagnoses) == len(set(stay.diagnoses))
        assert all(re.fullmatch(r"[A-Z]\d{2}\d{0,3}", code) for code in stay.diagnoses)


def test_codes_are_sparse(hospital: Hospital) -> None:
    counted = Counter(code for stay in hospital.stays for code in stay.diagnoses)
    rare = sum(1 for times in counted.values() if times < 3)
    assert len(counted) > 150
    assert rare > len(counted) / 4


def test_writing_codes_changes_no_text() -> None:
    """The marks write nothing: no document holds one."""
    for version in generate(seed=3, patients=8, documents=60, nights=2).events:
        assert b"cim:" not in version.content
