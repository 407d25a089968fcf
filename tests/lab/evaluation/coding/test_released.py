"""Coding among the measures of a release: nothing is lost on equal texts, much where published ones say nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deid.domain.document import Document, Mention, Patient, Substitution, Surrogate
from deid.domain.labels import Label
from deid.domain.outcomes import Candidate
from deid.reports.wording import WORDING
from nocturne_lab.evaluation.coding.comparison import FEWEST_STAYS
from nocturne_lab.evaluation.released import measure_coding
from nocturne_lab.hospital.evaluations import CodedAs, Measured

CAUSES = {"I50": "insuffisance cardiaque", "J18": "pneumopathie franche", "S72": "fracture du col", "N20": "colique"}


def stays(number: int) -> tuple[list[Document], dict[str, CodedAs]]:
    """Stays of one document each, of patients with three."""
    documents, told = [], {}
    for at in range(number):
        code = list(CAUSES)[at % len(CAUSES)]
        text = f"Entrée pour {CAUSES[code]}, jour {at}. Examen sans autre particularité, retour au domicile."
        documents.append(Document(f"d{at}", text, Patient(key=f"p{at // 3}")))
        told[f"d{at}"] = CodedAs(f"s{at}", (f"{code}1",))
    return documents, told


def measured(
    documents: Sequence[Document], told: dict[str, CodedAs] | None, published: str | None = None
) -> dict[str, Measured]:
    """Measure with the documents' own texts as published ones, or one text for all."""
    sample = [
        Candidate(one, (), Substitution(one.text if published is None else published, (), ())) for one in documents
    ]
    return {one.measure: one for one in measure_coding(sample, told)}


def test_equal_texts_lose_nothing_and_empty_ones_nearly_all() -> None:
    documents, told = stays(60)
    same = measured(documents, told)
    assert same["utility.coding_original"].value > 0.9
    assert same["utility.coding_loss"][1:] == (0, 0, 0, 60)
    lost = measured(documents, told, "Courrier.")["utility.coding_loss"]
    assert lost.low is not None
    assert lost.low > 0.4
    assert lost.n == 60


def test_the_label_whose_substitution_costs_the_codes_is_told() -> None:
    documents, told = stays(60)
    found = {one.measure: one for one in measure_coding([replaced(one) for one in documents], told)}
    spoilt, harmless = found["utility.coding_loss.organisations"], found["utility.coding_loss.dates"]
    assert spoilt.low is not None
    assert spoilt.low > 0.4
    assert harmless.value < 0.1
    assert spoilt.n == harmless.n == 60
    assert spoilt.value == pytest.approx(found["utility.coding_loss"].value, abs=0.1)
    # Nothing of the other groups is replaced.
    assert {name for name in found if name.startswith("utility.coding_loss.")} == {spoilt.measure, harmless.measure}
    assert {spoilt.measure, harmless.measure} <= {name.removeprefix("evaluation_") for name in WORDING["fr"]}


def replaced(document: Document) -> Candidate:
    """Replace the cause of a stay, as if it were an organisation, and the word that ends the document, as a date."""
    start, end = len("Entrée pour "), document.text.index(", jour")
    last = len(document.text) - len("domicile.")
    mentions = Mention(start, end, Label.ORG), Mention(last, len(document.text) - 1, Label.DATE)
    text = f"{document.text[:start]}motif{document.text[end:last]}foyer."
    spans = (start, start + len("motif")), (len(text) - len("foyer."), len(text) - 1)
    drawn = tuple(Surrogate(one, text[at:to], "test") for one, (at, to) in zip(mentions, spans, strict=True))
    return Candidate(document, mentions, Substitution(text, drawn, spans))


@pytest.mark.parametrize(("number", "coded"), [(FEWEST_STAYS - 1, FEWEST_STAYS - 1), (60, 12), (0, 0)])
def test_few_coded_stays_give_no_figure(number: int, coded: int) -> None:
    documents, told = stays(number)
    kept = {name: told[name] for name in list(told)[:coded]}
    assert measured(documents, kept) == {"utility.coding_few": Measured("utility.coding_few", 0, None, None, coded)}


def test_stays_of_few_patients_or_of_one_code_give_no_figure() -> None:
    documents, told = stays(40)
    people = [Document(one.id, one.text, Patient(key=f"p{at % 4}")) for at, one in enumerate(documents)]
    assert set(measured(people, told)) == {"utility.coding_few"}
    same = {name: CodedAs(one.stay, ("I501",)) for name, one in told.items()}
    assert set(measured(documents, same)) == {"utility.coding_few"}


def test_a_source_without_codes_is_told() -> None:
    documents, _ = stays(40)
    assert set(measured(documents, None)) == {"utility.coding_no_codes"}
