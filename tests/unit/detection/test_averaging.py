"""Averaged taggers: the mean of distributions, the effect of the recall bias, and the votes."""

from __future__ import annotations

import numpy as np
import pytest

from deid.detection.merging import votes
from deid.detection.taggers.tags import INDEX, TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.labels import Label

TEXT = "Vu avec Kerdoncuff à Brest"


def spread(**tags: dict[str, float]) -> np.ndarray:
    """Rows from `word={tag: probability}`; what is left is O's."""
    reading = Reading(Document("d", TEXT))
    rows = np.zeros((len(reading.words), len(TAGS)), dtype=np.float32)
    for index, word in enumerate(reading.words):
        for tag, probability in tags.get(word, {}).items():
            rows[index, INDEX[tag]] = probability
        rows[index, 0] = 1 - rows[index].sum()
    return rows


def found(recall: dict[Label, float], **taggers: np.ndarray) -> list[tuple[str, str]]:
    reading = Reading(Document("d", TEXT))
    return [(TEXT[m.start : m.end], m.label) for m in votes.find_averaged(reading, taggers, recall)]


SURE = spread(kerdoncuff={"B-DOCTOR": 0.95}, brest={"B-CITY": 0.95})
DOUBT = spread(kerdoncuff={"B-PERSON": 0.2}, brest={"B-CITY": 0.4})


def test_the_mean_decides() -> None:
    assert found({}, one=SURE, two=DOUBT) == [("Kerdoncuff", "DOCTOR"), ("Brest", "CITY")]
    assert found({}, two=DOUBT) == []


def test_what_one_tagger_alone_believes_counts_less_than_what_both_half_believe() -> None:
    alone, nothing = spread(kerdoncuff={"B-DOCTOR": 0.9}), spread()
    half = spread(kerdoncuff={"B-DOCTOR": 0.45})
    index, tag = TEXT.split().index("Kerdoncuff"), INDEX["B-DOCTOR"]
    assert votes.averaged([half, half])[index, tag] > votes.averaged([alone, nothing])[index, tag]
    assert votes.averaged([alone]) == pytest.approx(alone, abs=1e-6)
    assert votes.averaged([alone, half]).sum(axis=1) == pytest.approx(1)


def test_taggers_that_differ_on_the_role_still_find_the_name() -> None:
    doctor, person = spread(kerdoncuff={"B-DOCTOR": 0.55}), spread(kerdoncuff={"B-PERSON": 0.57})
    assert found({}, one=doctor, two=person) == [("Kerdoncuff", "PERSON")]


def test_the_knob_turns_one_label() -> None:
    # "avec" and "à" alone bring a quarter of the recall to bear.
    assert found({Label.PERSON: 8.0}, two=DOUBT) == [("Kerdoncuff", "PERSON")]
    assert found({Label.CITY: 4.0}, two=DOUBT) == [("Brest", "CITY")]
    assert found({Label.CITY: -4.0}, one=SURE) == [("Kerdoncuff", "DOCTOR")]


@pytest.mark.parametrize(("tag", "label"), [("B-CITY", "CITY"), ("B-ORG", "ORG")])
def test_the_knob_of_names_makes_nobody_of_a_likely_place(tag: str, label: str) -> None:
    doubted = spread(kerdoncuff={tag: 0.6, "B-DOCTOR": 0.3})
    assert found({Label.DOCTOR: 2.8}, one=doubted, two=doubted) == [("Kerdoncuff", label)]
    rather = spread(kerdoncuff={tag: 0.2, "B-DOCTOR": 0.3})
    assert found({Label.DOCTOR: 2.8}, one=rather, two=rather) == [("Kerdoncuff", "DOCTOR")]


@pytest.mark.parametrize("nats", [0.0, 1.0, 2.0, 4.0])
def test_more_recall_never_covers_less(nats: float) -> None:
    recall, more = (dict.fromkeys(Label, value) for value in (nats, nats + 1))
    assert {text for text, _ in found(recall, one=SURE, two=DOUBT)} <= {
        text for text, _ in found(more, one=SURE, two=DOUBT)
    }


def test_grammar_at_the_edges_goes_unless_it_is_sure() -> None:
    loose = spread(avec={"B-DOCTOR": 0.3}, kerdoncuff={"I-DOCTOR": 0.8})
    assert found({Label.DOCTOR: 3.0}, one=loose) == [("Kerdoncuff", "DOCTOR")]
    firm = spread(avec={"B-DOCTOR": 0.8}, kerdoncuff={"I-DOCTOR": 0.8})
    assert found({Label.DOCTOR: 3.0}, one=firm) == [("avec Kerdoncuff", "DOCTOR")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Vu par Kerdoncuff Aurore. Quéméneur absent", ["Kerdoncuff Aurore", "Quéméneur"]),
        ("Vu par Ph. Quéméneur absent", ["Ph. Quéméneur"]),
        ("Vu par le Prof. Quéméneur absent", ["Prof. Quéméneur"]),
    ],
)
def test_a_name_does_not_go_over_the_end_of_a_sentence(text: str, names: list[str]) -> None:
    reading = Reading(Document("d", text))
    marked = {"kerdoncuff", "aurore", "ph", "prof", "quemeneur", "."}
    tags = ["O" if word not in marked else "I-DOCTOR" for word in reading.words]
    tags[next(at for at, tag in enumerate(tags) if tag != "O")] = "B-DOCTOR"
    rows = np.full((len(tags), len(TAGS)), 0.0, dtype=np.float32)
    for at, tag in enumerate(tags):
        rows[at, INDEX[tag]] = 1
    found = votes.find_averaged(reading, {"one": rows}, {})
    assert [text[one.start : one.end] for one in found] == names


def test_every_tagger_votes_with_its_own_label_and_probability() -> None:
    reading = Reading(Document("d", TEXT))
    name = votes.find_averaged(reading, {"one": SURE, "two": DOUBT}, {})[0]
    assert [(vote.annotator, vote.label) for vote in name.votes] == [("one", "DOCTOR"), ("two", "PERSON")]
    assert name.votes[0].score == pytest.approx(0.95, abs=1e-3)
    assert name.score == pytest.approx(0.618, abs=1e-3)


def test_nothing_to_read_and_nobody_to_ask() -> None:
    assert votes.find_averaged(Reading(Document("d", "")), {"one": np.zeros((0, len(TAGS)), np.float32)}, {}) == []
    assert votes.find_averaged(Reading(Document("d", TEXT)), {}, {}) == []


def test_a_tagger_that_lacks_a_label_does_not_outvote_it() -> None:
    names_only = spread(kerdoncuff={"B-PERSON": 0.9})
    reading = Reading(Document("d", TEXT))
    taggers = {"one": SURE, "names": names_only, "other": names_only}
    without = votes.find_averaged(reading, taggers, {})
    told = votes.find_averaged(reading, taggers, {}, {"names": {Label.PERSON}, "other": {Label.PERSON}})
    assert [TEXT[m.start : m.end] for m in without] == ["Kerdoncuff"]
    assert [TEXT[m.start : m.end] for m in told] == ["Kerdoncuff", "Brest"]
