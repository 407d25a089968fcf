"""Accents written as characters of their own: the same mentions and surrogates as accents within letters."""

from __future__ import annotations

import unicodedata
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config import policy
from deid.detection import Detector
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.domain.outcomes import Candidate, Deidentified, Incoming
from deid.french.composing import composed
from deid.pipeline import deidentify
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor

NAMES = st.sampled_from(
    ["Hélène GUÉRIN-TÉTARD", "François Lefèvre", "Éloïse Crépin", "Noé N'DIAYÉ", "Zoë Bégué", "Ngô Thị Hiền", "Élise"]
)
PLACES = st.sampled_from(["Besançon", "Évreux", "Orléans", "Saint-Étienne", "Nîmes"])
DAYS = st.sampled_from(["2 février 2021", "14 août 1950", "3 décembre 2022", "1er août 2019"])
TEXTS = st.builds(
    "Mme {} est adressée par le Dr {} à {} le {}, revue le {}. Sœur d’{} : fièvre à 38,5 °C, sténose.".format,
    NAMES, NAMES, PLACES, DAYS, DAYS, NAMES,
)  # fmt: skip


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(policy.load())


@pytest.fixture(scope="module")
def substitutor() -> Substitutor:
    tables = packaged_tables()
    return Substitutor(policy.load(), bytes(range(32)), tables.communes, tables.names)


def published(text: str, patient: Patient, detector: Detector, substitutor: Substitutor) -> Candidate:
    incoming = Incoming(Document("d", text, patient, date(2024, 5, 1)))
    (outcome,) = deidentify([incoming], detector, substitutor, max_bytes=10**6)
    assert isinstance(outcome, Deidentified), outcome
    return outcome.candidate


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(text=TEXTS, name=NAMES)
def test_both_forms_are_read_alike(text: str, name: str, detector: Detector, substitutor: Substitutor) -> None:
    first, _, last = name.rpartition(" ")
    one, other = (
        published(
            unicodedata.normalize(form, text),
            Patient("p", unicodedata.normalize(form, last), first_names=(unicodedata.normalize(form, first),)),
            detector,
            substitutor,
        )
        for form in ("NFC", "NFD")
    )
    assert unicodedata.normalize("NFC", other.substitution.text) == one.substitution.text
    apart = unicodedata.normalize("NFD", text)
    for mine, its in zip(one.mentions, other.mentions, strict=True):
        assert (mine.label, mine.subtype) == (its.label, its.subtype)
        assert unicodedata.normalize("NFC", apart[its.start : its.end]) == text[mine.start : mine.end]
        assert not unicodedata.combining(apart[its.end : its.end + 1] or " "), "a mention takes the marks with it"


def test_surrogates_are_written_as_the_text_is(detector: Detector, substitutor: Substitutor) -> None:
    text = unicodedata.normalize("NFD", "Mme Hélène Guérin, revue à Besançon le 2 février 2021.")
    result = published(text, Patient("p"), detector, substitutor).substitution
    assert unicodedata.is_normalized("NFD", result.text), "a composed letter would show what was replaced"
    assert "[DATE]" not in result.text


def test_marks_and_unseen_characters_beside_a_mention_go_with_it(substitutor: Substitutor) -> None:
    text = "Mme \u200bHe\u0301le\u0300\u00adne\u200b est vue."
    whole = Mention(4, text.index(" est"), Label.PATIENT)
    for given_ in ([whole], [Mention(5, 6, Label.PATIENT), Mention(7, whole.end, Label.PATIENT)]):
        result = substitutor.substitute(Document("d", text), given_)
        assert result.text.startswith("Mme ")
        assert result.text.endswith(" est vue.")
        assert not any(map(unicodedata.combining, result.text))
        assert "\u00ad" not in result.text
    cut = substitutor.substitute(Document("d", text), [Mention(4, 7, Label.PATIENT)])
    assert "\u0301" not in cut.text, "half a letter is the whole letter"


@given(st.text(alphabet="aéEe\u0301\u0308\u200b\u00ad .1", max_size=30))
def test_spans_lead_back_to_whole_characters(text: str) -> None:
    aligned = composed(text)
    for at in range(len(aligned.text)):
        start, end = aligned.in_source(at, at + 1)
        assert aligned.from_source(start, end) == (at, at + 1)
        assert start < end <= len(text)
