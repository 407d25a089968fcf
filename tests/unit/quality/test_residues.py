"""Patterns that identify are caught outside surrogates, whatever their layout; clinical numbers are not."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.quality import measure
from tests.unit.quality.documents import CLEAN, checked

SEPARATORS = st.sampled_from(["", " ", ".", "-", "\u00a0"])
two = st.integers(0, 99).map("{:02d}".format)


def found(text: str) -> dict[str, float]:
    numbers = measure(checked(CLEAN + "\nSuite : " + text + " ; fin."))
    return {name: count for name, count in numbers.items() if name.startswith("residual") and count}


@given(st.integers(1, 9), st.tuples(two, two, two, two), SEPARATORS, st.sampled_from(["0", "+33", "+33 ", "0033"]))
@settings(max_examples=80, deadline=None)
def test_phones(first: int, pairs: tuple[str, ...], separator: str, prefix: str) -> None:
    assert found(f"{prefix}{first}{separator}{separator.join(pairs)}")


@given(
    st.sampled_from("12"),
    two,
    st.integers(1, 12),
    st.integers(1, 95),
    st.integers(0, 999999),
    st.booleans(),
    SEPARATORS,
)
@settings(max_examples=80, deadline=None)
def test_social_security_numbers(
    sex: str, year: str, month: int, department: int, serial: int, keyed: bool, gap: str
) -> None:
    groups = [sex, year, f"{month:02d}", f"{department:02d}", f"{serial:06d}"[:3], f"{serial:06d}"[3:]]
    assert found(gap.join([*groups, *(["42"] if keyed else [])]))


@given(st.integers(1_000_000, 10**14).map(str).filter(lambda digits: not digits.endswith("00000")))
@settings(max_examples=80, deadline=None)
def test_long_numbers(digits: str) -> None:
    assert found(digits)


@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(["%d/%m/%Y", "%d-%m-%y", "%Y-%m-%d", "%d.%m.%Y"])
)
@settings(max_examples=80, deadline=None)
def test_full_dates(day: date, form: str) -> None:
    assert "residual_date" in found(f"le {day:{form}}")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("jean@exemple.fr", "residual_email"),
        ("jean [at] exemple.fr", "residual_email"),
        ("jean.d @ chu-exemple", "residual_email"),
        ("https://exemple.fr/x", "residual_url"),
        ("www.exemple.org", "residual_url"),
        ("chu-exemple.fr", "residual_url"),
        ("FR7630006000011234567890189", "residual_iban"),
        ("DE89 3704 0044 0532 0130 00", "residual_iban"),
        ("le 1er mars 2021", "residual_date"),
        ("le 3 févr. 2021", "residual_date"),
        ("2A 1 85 05 2A 006 084 36", "residual_nir"),
    ],
)
def test_layouts(text: str, kind: str) -> None:
    assert kind in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "TA 120/80/60, FC 72, SpO2 98 %", "plaquettes 250 000/mm3", "1 200 000 UFC/ml", "1000000 UFC", "Apgar 9/10/10",
        "3,5 x 2,0 mm", "NT-proBNP 6 840 ng/L", "score 3/15", "T 37,2 °C à 10h15", "acte HBQK002, CIM I50.0",
        "ratio 1/2/3", "31/02/2020", "pH 7,24", "0,5 mg x 3/j pendant 10 j",
    ],
)  # fmt: skip
def test_clinical_numbers_are_not_residues(text: str) -> None:
    assert found(text) == {}


def test_what_stands_in_a_surrogate_is_not_residual() -> None:
    assert found("[[PHONE|05 36 49 12 31=>05 36 49 88 02]] le [[DATE|3 mars 2021=>5 mars 2021]]") == {}


def test_a_number_cut_by_a_surrogate_is_still_seen() -> None:
    assert found("dossier 8841[[ID|207=>555]]9941207")
