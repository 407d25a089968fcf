"""Detection of the patient's known identity, in the forms used in letters."""

from __future__ import annotations

from datetime import date

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.labels import Label
from deid.french.check_digits import nir_key

PATIENT = Patient(
    last_name="ETCHEVERRY",
    birth_name="LE GOFF",
    first_names=("Marie-Odile", "Jeanne"),
    birth_date=date(1948, 5, 14),
    addresses=("7 hent Kergoz",),
    zip="29880",
    city="Plouguerneau",
    phones=("02 61 91 62 14",),
    emails=("mo.etcheverry@courriel.example",),
    ipp="0081774523",
    nda="HCF-19-044172",
    nir="248052919501254",
    identifiers=("RS-5520-18",),
)


@pytest.fixture(scope="module")
def alone() -> Detector:
    """The identity annotator without the others."""
    return Detector(policy.Policy.model_validate({"detection": {"annotators": [{"name": "identity"}]}}))


@pytest.mark.parametrize(
    ("text", "label", "surface"),
    [
        ("vue ETCHEVERRY Marie-Odile hier", Label.PATIENT, "ETCHEVERRY Marie-Odile"),
        ("vue Etcheverry hier", Label.PATIENT, "Etcheverry"),
        ("vue Etchevery hier", Label.PATIENT, "Etchevery"),
        ("vue Etchevrery hier", Label.PATIENT, "Etchevrery"),
        ("vue marie odile hier", Label.PATIENT, "marie odile"),
        ("vue MARIEODILE hier", Label.PATIENT, "MARIEODILE"),
        ("vue LEGOFF hier", Label.PATIENT, "LEGOFF"),
        ("épelle e t c h e v e r r y au téléphone", Label.PATIENT, "e t c h e v e r r y"),
        ("le 14/05/1948 donc", Label.DATE, "14/05/1948"),
        ("le 14.5.48 donc", Label.DATE, "14.5.48"),
        ("le 14051948 donc", Label.DATE, "14051948"),
        ("le 1948-05-14 donc", Label.DATE, "1948-05-14"),
        ("le 14 mai 1948 donc", Label.DATE, "14 mai 1948"),
        ("au 7, hent Kergoz, donc", Label.STREET, "7, hent Kergoz"),
        ("29880 donc", Label.ZIP, "29880"),
        ("à PLOUGUERNEAU donc", Label.CITY, "PLOUGUERNEAU"),
        ("au 0261916214 donc", Label.PHONE, "0261916214"),
        ("au 02.61.91.62.14 donc", Label.PHONE, "02.61.91.62.14"),
        ("par mo.etcheverry@courriel.example donc", Label.EMAIL, "mo.etcheverry@courriel.example"),
        ("numéro 008 177 4523 donc", Label.IPP, "008 177 4523"),
        ("numéro HCF 19 044172 donc", Label.NDA, "HCF 19 044172"),
        ("numéro 2 48 05 29 195 012 54 donc", Label.NIR, "2 48 05 29 195 012 54"),
        ("numéro 2480529195012 donc", Label.NIR, "2480529195012"),
        ("numéro RS 5520 18 donc", Label.ID, "RS 5520 18"),
    ],
)
def test_known_values_in_the_forms_of_letters(alone: Detector, text: str, label: Label, surface: str) -> None:
    (found,) = alone.detect([Document("d", text, PATIENT)])
    assert (label, surface) in [(one.label, text[one.start : one.end]) for one in found]


@pytest.mark.parametrize("text", ["un goût amer", "le 15/05/1948", "au 02 61 91 62 15", "rien de neuf"])
def test_what_is_only_near_is_left(alone: Detector, text: str) -> None:
    assert alone.detect([Document("d", text, PATIENT)]) == [()]


def test_a_short_name_allows_no_misspelling(alone: Detector) -> None:
    assert alone.detect([Document("d", "Le Rau et la Roue", Patient(last_name="ROU"))]) == [()]


def test_nothing_known_nothing_found(alone: Detector) -> None:
    assert alone.detect([Document("d", "ETCHEVERRY Marie")]) == [()]


def test_the_patient_s_name_takes_the_patient_s_role(detector: Detector) -> None:
    text = "Mme Etcheverry est sortie. Mme Vraz l'attendait."
    (found,) = detector.detect([Document("d", text, PATIENT)])
    assert found[0].label is Label.PATIENT


@pytest.mark.parametrize(
    ("period", "text", "surface"),
    [
        ("1961-05", "née en mai 1961 donc", "mai 1961"),
        ("1961-05", "depuis 05/1961 donc", "05/1961"),
        ("1961-05", "le 14/05/1961 donc", "14/05/1961"),
        ("1961-05", "le 14 mai 1961 donc", "14 mai 1961"),
        ("1961-05", "née le 14.5.61 donc", "14.5.61"),
        ("1961-05", "le 1961-05-14 donc", "1961-05-14"),
        ("1961-07", "le 3 juil. 1961 donc", "3 juil. 1961"),
        ("1961", "née en 1961 donc", "1961"),
        ("1961", "né(e) le 14/05/1961 donc", "14/05/1961"),
        ("1961", "DDN : 14/05/61 donc", "14/05/61"),
        ("1961", "née à Dijon en 1961 donc", "1961"),
        ("1961-07", "le 3 juin 1961 donc", None),
        ("1961-05", "le 14/06/1961 donc", None),
        ("1961", "appendicectomie en 1961 donc", None),
        ("1961", "il ne fume plus depuis 1961 donc", None),
        ("1961", "dosage 1961 ng/L, ddimères 1961", None),
    ],
)
def test_a_part_of_the_birth_date_is_looked_for(alone: Detector, period: str, text: str, surface: str | None) -> None:
    patient = Patient.from_json({"last_name": "ETCHEVERRY", "birth_date": period})
    (mentions,) = alone.detect([Document("d", f"Patiente {text}, suivie.", patient)])
    found = [(m.label, f"Patiente {text}"[m.start : m.end]) for m in mentions]
    assert found == ([] if surface is None else [(Label.DATE, surface)])


@pytest.mark.parametrize(
    ("written", "period"), [("1961", "1961"), ("1961-05", "1961-05"), ("1961-05-00", "1961-05"), ("1961-00-00", "1961")]
)
def test_a_part_of_a_date_is_a_period(written: str, period: str) -> None:
    patient = Patient.from_json({"birth_date": written})
    assert (patient.birth_date, patient.birth_period) == (None, period)


@pytest.mark.parametrize("written", ["1961-13", "61", "hier", "1961-05-32", "1961-02-30", "05/1961"])
def test_what_is_no_date_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"isoformat|day is out of range|month must be"):
        Patient.from_json({"birth_date": written})


@pytest.mark.parametrize(("given", "label"), [("1 58 03 21 054 012 65", Label.NIR), ("158032105401200", Label.ID)])
def test_a_nir_among_the_identifiers_is_one_by_its_key(given: str, label: Label, alone: Detector) -> None:
    known = Patient(identifiers=(given.replace("65", nir_key("1580321054012")),))
    text = f"numéro {known.identifiers[0]} donc"
    ((mention,),) = alone.detect([Document("d", text, known)])
    assert mention.label is label
    assert text[mention.start : mention.end] == known.identifiers[0]
