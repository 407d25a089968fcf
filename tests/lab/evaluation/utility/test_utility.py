"""Utility of published documents: facts kept, wording, intervals, on what `Substitutor.substitute` publishes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Patient, Stay, Substitution, Surrogate
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.utility import Measure, Pair, measure
from nocturne_lab.evaluation.utility.wording import Trigrams

TOWNS = ("Dole", "Pontarlier", "Lons-le-Saunier", "Vesoul")
NAMES = ("Morel", "Faivre", "Vuillemin", "Jeannin", "Bouvier", "Grosjean")


def written(at: int, patient: int) -> tuple[Document, list[Mention]]:
    """A letter with four dates, an age, a town and a name, and its mentions."""
    begun = date(2020, 1, 6) + timedelta(days=11 * at)
    days = [f"{begun + timedelta(days=later):%d/%m/%Y}" for later in (0, 8, 40, 240)]
    parts: list[tuple[str, Label | None]] = [
        ("Monsieur ", None), (NAMES[patient % len(NAMES)], Label.PATIENT), (", âgé de ", None),
        (f"{31 + patient} ans", Label.AGE), (", demeurant à ", None), (TOWNS[patient % len(TOWNS)], Label.CITY),
        (", hospitalisé du ", None), (days[0], Label.DATE), (" au ", None), (days[1], Label.DATE),
        (" pour une pneumopathie, reçoit amoxicilline 3 g par jour ; CRP 112 mg/L. Scanner le ", None),
        (days[2], Label.DATE), (", consultation le ", None), (days[3], Label.DATE), (f".\nNuméro {at % 7}", None),
    ]  # fmt: skip
    text, mentions = "", []
    for said, label in parts:
        if label is not None:
            mentions.append(Mention(len(text), len(text) + len(said), label))
        text += said
    person = Patient(key=f"patient {patient}", last_name=NAMES[patient % len(NAMES)])
    stay = Stay(begun, begun + timedelta(days=8))
    return Document(f"document {at}", text, person, begun + timedelta(days=8), stay=stay), mentions


LETTERS = [written(at, at % 12) for at in range(36)]


def published(policy: Policy, letters: Sequence[tuple[Document, list[Mention]]] = LETTERS) -> list[Pair]:
    substitutor = Substitutor(policy, b"a key", packaged_tables().communes)
    return [Pair(document, substitutor.substitute(document, mentions)) for document, mentions in letters]


def masked(*labels: str) -> Policy:
    values = load().model_dump()
    values["substitution"]["labels"] = {label: {"provider": "mask"} for label in labels}
    return Policy.model_validate(values)


def unchanged(document: Document, mentions: Sequence[Mention]) -> Pair:
    surrogates = tuple(Surrogate(one, document.text[one.start : one.end], "none") for one in mentions)
    spans = tuple((one.start, one.end) for one in mentions)
    return Pair(document, Substitution(document.text, surrogates, spans, (), document.reference_date))


def by_name(measures: Sequence[Measure]) -> dict[str, Measure]:
    return {one.name: one for one in measures}


@pytest.fixture(scope="module")
def default() -> dict[str, Measure]:
    return by_name(measure(published(load())))


def test_texts_published_unchanged_keep_everything() -> None:
    found = by_name(measure([unchanged(*one) for one in LETTERS]))
    ideal = {"long_gaps_error": 0.0, "told_apart": 0.5, "own_told_apart": 0.5, "own_undated_told_apart": 0.5}
    assert len(found) == 17
    assert {name: one.value for name, one in found.items()} == pytest.approx(
        {name: ideal.get(name, 1.0) for name in found}
    )


def test_the_shipped_policy_keeps_facts_and_moves_towns(default: dict[str, Measure]) -> None:
    assert default["short_gaps_kept"].n == 72
    assert default["long_gaps_error"].n == default["age_stage_kept"].n == default["stay_class_kept"].n == 36
    assert default["clinical_values_kept"].value == default["age_stage_kept"].value == 1
    assert default["stay_class_kept"].value > 0.9
    assert default["short_gaps_kept"].value > 0.8
    assert 0 < default["place_profile_kept"].value < 1
    assert default["perplexity_ratio"].value > 1


def test_intervals_hold_their_values(default: dict[str, Measure]) -> None:
    assert all(one.low is not None and one.high is not None and one.low <= one.high for one in default.values())
    low, high = default["place_profile_kept"].low, default["place_profile_kept"].high
    assert low is not None
    assert high is not None
    assert low < default["place_profile_kept"].value < high


def test_masks_keep_no_date_no_age_and_no_town_and_are_told_apart() -> None:
    found = by_name(measure(published(masked("DATE", "AGE", "CITY"))))
    gone = ("date_order_kept", "short_gaps_kept", "age_stage_kept", "age_decade_kept", "stay_class_kept")
    assert {found[name].value for name in (*gone, "place_profile_kept")} == {0.0}
    assert "long_gaps_error" not in found
    assert found["clinical_terms_kept"].value == found["told_apart"].value == found["own_told_apart"].value == 1


def test_a_drug_taken_for_a_name_is_lost() -> None:
    document, mentions = LETTERS[0]
    at = document.text.index("amoxicilline")
    taken = [*mentions, Mention(at, at + len("amoxicilline"), Label.PERSON)]
    (pair,) = published(load(), [(document, taken)])
    found = by_name(measure([pair]))
    assert found["clinical_terms_kept"].value == pytest.approx(1 - 1 / found["clinical_terms_kept"].n)
    assert found["clinical_values_kept"].value < 1


@pytest.mark.parametrize("number", [3, 29])
def test_few_documents_give_values_without_interval(number: int) -> None:
    found = measure([unchanged(*one) for one in LETTERS[:number]])
    assert found
    assert {(one.low, one.high) for one in found} == {(None, None)}
    assert ("told_apart" in by_name(found)) == (number > 3)


def test_many_documents_of_few_patients_give_no_interval() -> None:
    found = measure([unchanged(*written(at, at % 9)) for at in range(36)])
    assert {(one.low, one.high) for one in found} == {(None, None)}


def test_nothing_is_measured_of_nothing() -> None:
    assert measure([]) == ()
    assert measure([unchanged(Document("blank", " \n–"), ())]) == ()


def test_names_of_staff_in_all_documents_are_left_out_of_the_own_wording() -> None:
    letters = []
    for document, mentions in LETTERS:
        signed = Document(document.id, f"{document.text}\nDocteur Lamartine", document.patient, document.reference_date)
        letters.append((signed, [*mentions, Mention(len(signed.text) - 9, len(signed.text), Label.DOCTOR)]))
    same = [unchanged(document, mentions[-1:]) for document, mentions in letters]
    moved = [
        Pair(one.document, Substitution(
            one.document.text.replace("Lamartine", "Verlaine"),
            (Surrogate(one.published.surrogates[0].mention, "Verlaine", "none"),),
            ((len(one.document.text) - 9, len(one.document.text) - 1),), (), one.document.reference_date,
        ))
        for one in same
    ]  # fmt: skip
    found = by_name(measure(moved))
    assert (found["told_apart"].value, found["own_told_apart"].value) == (1.0, 0.5)
    assert found["own_perplexity_ratio"].value == pytest.approx(1)
    assert found["perplexity_ratio"].value > 1


@given(st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=6), st.lists(st.integers(0, 5), max_size=3))
def test_the_language_model_gives_probabilities(sequences: list[list[int]], before: list[int]) -> None:
    model = Trigrams(sequences, 6)
    surprises = [model.surprise([*before, own]) - model.surprise(before) for own in range(6)]
    assert sum(exp(-one) for one in surprises) == pytest.approx(1)
