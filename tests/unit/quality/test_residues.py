"""Patterns that identify are caught outside surrogates, whatever their layout; clinical numbers are not."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.quality import measure
from deid.quality.residues import count_other_scripts
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


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("du grec γλυκύς, doux", 0), ("étymologie : ὀρθός (droit)", 0), ("TCRαβ, IFNγ, ΔF508", 0),
        ("du grec Παπαδόπουλος", 1), ("patient grec παπαδόπουλος", 1), ("en grec ΜΑΡΤΙΝ", 1), ("du grec ονεικα", 1),
        ("vue avec γλυκύς", 1), ("du grec Dγλυκύς", 1), ("Мария", 1),
    ],
)  # fmt: skip
def test_a_greek_word_is_left_only_in_an_etymology(text: str, count: int) -> None:
    assert count_other_scripts(text) == count


def test_a_number_cut_by_a_surrogate_is_still_seen() -> None:
    assert found("dossier 8841[[ID|207=>555]]9941207")


@pytest.mark.parametrize(
    "text",
    [
        "lettre remise (art. R.1112-1-2 du CSP)", "article L. 1110-5-1", "articles L1110-4 et R. 4127-35-1",
        "selon l'article 1112-1-2", "art. L. 2012-3-1 du code",
        "la loi du 4 mars 2002", "décret n° 2013-1066 du 3 juin 2013", "lois du 5 juillet 2011",
        "seuil 0,5 V @ 0,4 ms", "seuils 0,75V@0,4ms et 1V@0.5ms", "K1 43,25 @ 178°", "98 % @ AA",
        "télésuivi Merlin@home",
        "DxCare version 8.2.14", "généré par DXCare 8.2.14", "logiciel embarqué : 1.4.02",
        "Apgar\n7-9-10", "Apgar à 10/10/10", "APGAR 7 / 9 / 10", "PCA mo 1/1/10", "PCEA ropi 5-6-20",
        "avulsion des dents 11-12-21", "vaccins (0-1-2-12 mois)",
        "PAP 28/10/16 mmHg", "LPP 3401234", "LPP 3118404 / 3191520", "code 1188684", 'cip="3400935447718"',
        "9281314    SOLIRIS 300 mg", "9402558 ; ORACILLINE ; 120",
        "CIS 60019927", "UCD 9385361", "CIP13 : 3400935447718, 3400930085370",
        "CIP 34009 300 853 70", "AMM 34009-300-853-7-0", "60019927 (CIS)", "UCD 9245566",
        "REF 1500300-23, LOT A12", "NM_001040142.2:c.2558G>A", "chr2:166201379", "rs1234567890", "NCT01234567",
        "charge virale 1523467 copies/ml", "série 93-86-79-72-65", "erreur 0x80040154",
    ],
)  # fmt: skip
def test_ordinary_writing_is_not_a_residue(text: str) -> None:
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("D. 2012-03-01", "residual_date"),
        ("arrêté préfectoral du 12 mars 2024", "residual_date"),
        ("homme de loi vu le 3 mars 2024", "residual_date"),
        ("décédé le 2012-3-1", "residual_date"),
        ("vu le 8.2.14", "residual_date"),
        ("logiciel mis à jour le 12.04.18", "residual_date"),
        ("Apgar 9. Née le 7-9-10", "residual_date"),
        ("PCA arrêtée le 1/1/10", "residual_date"),
        ("contrôle des dents le 11-12-21", "residual_date"),
        ("12/03/2018 mg", "residual_date"),
        ("a.b1@0.fr", "residual_email"),
        ("seuil 1V@0.5ms.fr", "residual_email"),
        ("jean12 @ chu", "residual_email"),
        ("contact@home", "residual_email"),
        ("Réf. 1500300-23", "residual_digits"),
        ("LPP\ndossier 3401234", "residual_digits"),
        ("code patient 1188684", "residual_digits"),
        ("3400935447718", "residual_nir"),
        ("CIS 80019927", "residual_digits"),
        ("9281314    DURAND 300 mg", "residual_digits"),
        ("8281314    SOLIRIS 300 mg", "residual_digits"),
        ("93-86-79-72-60", "residual_digits"),
    ],
)
def test_what_only_resembles_ordinary_writing_stays_a_residue(text: str, kind: str) -> None:
    assert kind in found(text)
