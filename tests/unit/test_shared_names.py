"""Counts of the measure of names of a patient's other documents, on names planted in invented documents."""

from __future__ import annotations

from datetime import date

from benchmarks.shared_names import Searched, groupings
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient, Stay
from deid.domain.labels import Label
from nocturne_lab.evaluation.attacks.inputs import Record

NAME = "Vasserot"
SURE, UNSURE, NONE = 0.99, 0.5, 0.0


def record(number: int, patient: str, text: str, *, told: bool = True) -> Record:
    """Return a document whose authors tell its name as a mention, or do not."""
    document = Document(f"d{number}", text, Patient(key=patient))
    return Record(document, mentions(text) if told else (), Stay(date(2026, 3, 1)))


def mentions(text: str, score: float = SURE, name: str = NAME) -> tuple[Mention, ...]:
    at = text.index(name)
    return (Mention(at, at + len(name), Label.PATIENT, score),)


def searched(*documents: tuple[Record, float]) -> Searched:
    """Return documents in which a detector finds the name with such a score, or does not."""
    found = [mentions(one.document.text, score) if score else () for one, score in documents]
    return Searched([one for one, _ in documents], [Reading(one.document) for one, _ in documents], found)


TOLD = record(1, "p1", "Madame Vasserot est vue ce jour.")
MISSED = record(2, "p1", "Vasserot revient, sans plainte.")


def test_a_name_that_one_document_is_sure_of_and_another_misses_is_gained() -> None:
    both = searched((TOLD, SURE), (MISSED, NONE))
    assert both.missed() == 1
    assert dict(both.tally([[0, 1]])) == {"documents": 1, "gained": 1, "damage": 0}


def test_a_word_that_is_no_mention_is_damage() -> None:
    word = record(2, "p1", "Score de Vasserot à 3.", told=False)
    assert dict(searched((TOLD, SURE), (word, NONE)).tally([[0, 1]])) == {"documents": 1, "gained": 0, "damage": 1}


def test_nothing_is_gained_in_another_group_of_another_patient_or_from_an_unsure_mention() -> None:
    assert not searched((TOLD, SURE), (MISSED, NONE)).tally([[0], [1]])
    stranger = record(2, "p2", MISSED.document.text)
    assert not searched((TOLD, SURE), (stranger, NONE)).tally([[0, 1]])
    assert not searched((TOLD, UNSURE), (MISSED, NONE)).tally([[0, 1]])


def test_a_word_of_the_language_is_not_looked_for() -> None:
    texts = ("Madame Porte est vue ce jour.", "Porte revient, sans plainte.")
    records = [Record(Document(f"d{at}", text, Patient(key="p1")), mentions(text, name="Porte"), TOLD.stay)
               for at, text in enumerate(texts)]  # fmt: skip
    found = [records[0].mentions, ()]
    assert not Searched(records, [Reading(one.document) for one in records], found).tally([[0, 1]])


def test_groups_are_a_night_s_documents_and_batches_of_all() -> None:
    nights = {"d1": date(2026, 3, 1), "d2": date(2026, 3, 2)}
    groups = dict(groupings([TOLD, MISSED], nights))
    assert groups["all documents of a patient"] == [[0, 1]]
    assert groups["those that arrive in one night"] == [[0], [1]]
    batches = [cut for name, cut in groups.items() if "batch" in name]
    assert batches
    assert all(sorted(at for group in cut for at in group) == [0, 1] for cut in batches)
