"""The parrot attack: a mark gives leaks away, without one little is found; planted leaks stand in what is published."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from benchmarks.parrot import links
from deid.config.policy import load
from deid.domain.document import Document, Mention, Patient, Surrogate
from deid.domain.labels import Label
from nocturne_lab.evaluation.attacks.inputs import Population
from nocturne_lab.evaluation.attacks.parrot import ATTACKS, Suspicions, recall_at, suspect
from nocturne_lab.evaluation.attacks.planted import (
    LEAKABLE,
    Planting,
    Released,
    Span,
    plant,
    publish,
    with_assigned_contacts,
)

SHARE = 0.05


def _phones(surrogate: str, leak: str, documents: int = 120) -> list[Released]:
    """Documents with five phone numbers each, one in twenty a leak."""
    random = np.random.default_rng(7)
    made = []
    for number in range(documents):
        text, spans = "Contacts du service\n", []
        for _ in range(5):
            missed = random.random() < SHARE
            text += "Tél. : "
            start = len(text)
            text += (leak if missed else surrogate) + "".join(map(str, random.integers(10, size=6)))
            spans.append(Span(start, len(text), Label.PHONE, Planting.MENTION if missed else None))
            text += "\n"
        made.append(Released(f"d{number}", f"p{number}", text, tuple(spans), True))
    return made


def _strongest(documents: list[Released]) -> float:
    return max(recall_at(suspect(documents, attack)).share for attack in ATTACKS.values())


def test_a_mark_of_surrogates_gives_every_leak_away() -> None:
    assert _strongest(_phones("0199", "0298")) == 1.0


def test_leaks_like_surrogates_are_not_found() -> None:
    assert _strongest(_phones("0298", "0298")) < 0.2


@pytest.mark.parametrize("name", ATTACKS)
def test_each_identifier_has_a_suspicion(name: str) -> None:
    documents = [*_phones("0199", "0298", 10), Released("empty", "p", "Rien.", (), True)]
    found = suspect(documents, ATTACKS[name])
    assert len(found.scores) == len(found.spans) == 50
    assert np.isfinite(found.scores).all()


def _suspicions(scores: list[float], leaks: list[bool]) -> Suspicions:
    spans = [Span(0, 1, Label.CITY, Planting.VALUE if one else None) for one in leaks]
    return Suspicions(np.array(scores), spans, np.arange(len(scores)))


def test_recall_at_a_precision() -> None:
    found = _suspicions([9, 8, 7, 6, 5, 4], [True, False, True, False, False, True])
    assert recall_at(found, 0.9).share == pytest.approx(1 / 3)
    assert recall_at(found, 0.6).share == pytest.approx(2 / 3)
    assert recall_at(found, 0.5).share == 1
    # Half as many leaks: their surrogates count three times.
    assert recall_at(found, 0.5, miss_rate=0.25).share == pytest.approx(1 / 3)


def test_equal_suspicions_are_found_together() -> None:
    """No threshold parts them, in whatever order they stand."""
    assert recall_at(_suspicions([1, 1, 1], [True, False, False])).share == 0
    assert recall_at(_suspicions([1, 1], [True, False])).share == 1


def test_planted_leaks_stand_in_the_published_text(small: Population) -> None:
    texts = [(one.document, one.mentions) for one in small.records[:120]]
    leaks = plant(texts, SHARE)
    mentions = [one for _, several in texts for one in several if one.label in LEAKABLE]
    planted = Counter(planting for left in leaks for planting in left.values())
    assert sum(planted.values()) == pytest.approx(SHARE * len(mentions), rel=0.2)
    assert planted[Planting.MENTION] > 0 < planted[Planting.VALUE]
    assert leaks == plant(texts, SHARE) != plant(texts, SHARE, seed=2)
    release = publish(texts, leaks, load())
    originals = {
        document.id: Counter(document.text[one.start : one.end] for one in left)
        for (document, _), left in zip(texts, leaks, strict=True)
    }
    assert len(release.documents) == len(texts)
    for one in release.documents:
        left = [one.said(span) for span in one.spans if span.leak]
        assert len(left) == originals[one.id].total()
        assert all(any(kept in original for original in originals[one.id]) for kept in left)
    assert 0 < len(release.passed()) < len(release.documents)


def test_contacts_are_made_like_those_of_life() -> None:
    text = (
        "Tél. 02 61 91 12 34, +33 (0)6 39 98 55 66, 0800 12 34 56 ; jean.kerbol@courriel.example, chu@ch-brest.example"
    )
    told = ("02 61 91 12 34", "+33 (0)6 39 98 55 66", "0800 12 34 56")
    written = [*((one, Label.PHONE) for one in told), *((one, Label.EMAIL) for one in text.split("; ")[1].split(", "))]
    mentions = [Mention(text.index(one), text.index(one) + len(one), label) for one, label in written]
    patient = Patient(phones=("0261911234",), emails=("jean.kerbol@courriel.example",))
    document, moved = with_assigned_contacts((Document("d", text, patient), mentions))
    landline, mobile, free, own, hospital = (document.text[one.start : one.end] for one in moved)
    assert landline[:3] == "02 "
    assert landline[-5:] == "12 34"
    assert mobile[:9] == "+33 (0)6 "
    assert not {"02 61 91", "6 39 98"} & {landline[:8], mobile[7:14]}
    assert free == "0800 12 34 56"
    assert own.rpartition(".")[2] in ("com", "fr", "net")
    assert hospital == "chu@ch-brest.fr"
    assert document.patient.phones == (landline.replace(" ", ""),)
    assert document.patient.emails == (own,)


def test_links_that_names_keep() -> None:
    def pair(number: int, *drawn: str) -> tuple[Document, tuple[Surrogate, ...]]:
        mentions = [Mention(7 * at, 7 * at + 6, Label.DOCTOR) for at in range(len(drawn))]
        made = tuple(Surrogate(one, name, "name") for one, name in zip(mentions, drawn, strict=True))
        return Document(f"d{number}", "Kerbol " * len(drawn)), made

    assert links([pair(1, "Garcia", "Garcia", "Petit", "Garcia")]) == (pytest.approx(1 / 3), 0)
