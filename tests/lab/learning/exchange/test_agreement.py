"""Agreement on published examples, its intervals, and adjudication."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.exchange.adjudication import (
    ADJUDICATED,
    distinct_documents,
    distinct_readings,
    find_passages,
    merge_annotations,
    passage_record,
)
from nocturne_lab.learning.exchange.agreement import measure_agreement
from nocturne_lab.learning.exchange.agreement_tables import as_record, as_tables

# Fleiss 1971 as the usual worked example: 10 items, 14 raters, 5 categories; κ = 0.210
FLEISS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]
CATEGORIES = (None, Label.PATIENT, Label.DOCTOR, Label.DATE, Label.CITY)
WORDS = "mot " * 10


def marked(labels: list[Label | None], annotator: str, document: str = "d", kind: str = "lettre") -> GoldDocument:
    """A document of words of three letters, each marked or not."""
    mentions = tuple(Mention(4 * at, 4 * at + 3, label) for at, label in enumerate(labels) if label)
    return GoldDocument(Document(document, "mot " * len(labels), type=kind), mentions, "", annotator)


def test_the_usual_example_of_fleiss() -> None:
    columns = [
        [category for category, times in zip(CATEGORIES, row, strict=True) for _ in range(times)] for row in FLEISS
    ]
    raters = [[columns[item][rater] for item in range(10)] for rater in range(14)]
    found = measure_agreement(marked(labels, f"r{rater:02}") for rater, labels in enumerate(raters))
    assert found.overall.value == pytest.approx(0.210, abs=0.0005)
    assert (found.documents, found.tokens, len(found.pairs)) == (1, 10, 91)


def test_the_usual_example_of_cohen() -> None:
    yes, no = Label.ID, None
    first, second = [yes] * 25 + [no] * 25, [yes] * 20 + [no] * 5 + [yes] * 10 + [no] * 15
    found = measure_agreement([marked(first, "a"), marked(second, "b")])
    assert found.pairs["a", "b"].value == pytest.approx(0.4)
    assert found.pairs_by_label[Label.ID]["a", "b"].value == pytest.approx(0.4)


def test_labels_types_and_intervals() -> None:
    documents = []
    for number in range(12):
        truth = [Label.PATIENT, None, Label.DATE, None, None, Label.CITY]
        other = list(truth)
        if number % 3 == 0:
            other[0] = Label.DOCTOR if number % 2 else None
        kind = "lettre" if number % 2 else "urgences"
        documents += [marked(truth, "a", f"d{number}", kind), marked(other, "b", f"d{number}", kind)]
    documents.append(marked([Label.ID], "a", "seul"))  # one annotator: not counted
    found = measure_agreement(documents)
    assert found.documents == 12
    assert found.labels[Label.DATE].value == 1
    assert Label.ID not in found.labels
    patient = found.labels[Label.PATIENT]
    assert patient.value is not None
    assert patient.low is not None
    assert patient.high is not None
    assert patient.low < patient.value < patient.high < 1.0001
    assert set(found.types) == {"lettre", "urgences"}
    assert measure_agreement(documents) == found  # by seed
    assert measure_agreement(documents, seed=7).overall.low != found.overall.low
    tables = as_tables(found)
    assert "| a – b |" in tables
    assert "| DATE | 1.000 [1.000 ; 1.000] | 1.00 |" in tables
    assert json.loads(json.dumps(as_record(found)))["labels"]["DATE"]["pairs"][0]["annotators"] == ["a", "b"]


def test_nobody_marked_anything_has_no_kappa() -> None:
    found = measure_agreement([marked([None, None], "a"), marked([None, None], "b")])
    assert found.overall.value is None
    assert "κ de Fleiss : –" in as_tables(found)


def test_two_texts_or_one_annotator_are_refused() -> None:
    with pytest.raises(InputRefused, match="two annotators"):
        measure_agreement([marked([Label.ID], "a")])
    with pytest.raises(InputRefused, match="document d has two texts"):
        measure_agreement([marked([Label.ID], "a"), marked([Label.ID, None], "b")])


# Adjudication
TEXT = "M. Jean Dupont vu à Vire le 3 mai."


def reading(annotator: str, *mentions: tuple[int, int, Label], document: str = "d") -> GoldDocument:
    return GoldDocument(Document(document, TEXT), tuple(Mention(*one) for one in mentions), "", annotator)


NAME, CITY, DAY = (3, 14, Label.PATIENT), (20, 24, Label.CITY), (28, 33, Label.DATE)
READINGS = [
    reading("a", NAME, CITY, DAY),
    reading("b", (8, 14, Label.PATIENT), CITY),
    reading("c", NAME, CITY),
    reading("a", DAY, document="seul"),
]


def test_passages_are_what_annotators_differ_on() -> None:
    name, day = find_passages(READINGS)
    assert (name.start, name.end, [one.annotators for one in name.options]) == (3, 14, [("a", "c"), ("b",)])
    assert (day.start, day.end, [one.annotators for one in day.options]) == (28, 33, [("b", "c"), ("a",)])
    record = passage_record(name, TEXT)
    assert (record["before"], record["text"], record["decision"]) == ("M. ", "Jean Dupont", None)


def test_decisions_make_one_corpus() -> None:
    name, day = (passage_record(one, TEXT) for one in find_passages(READINGS))
    own = [{"start": 30, "end": 33, "label": "DATE"}]
    merged = merge_annotations(READINGS, [name | {"decision": 0}, day | {"decision": own}])
    assert merged.undecided == []
    first, alone = merged.documents
    assert [(m.start, m.end, m.label) for m in first.mentions] == [NAME, CITY, (30, 33, Label.DATE)]
    assert (first.annotator, alone.annotator) == (ADJUDICATED, "a")
    nothing = merge_annotations(READINGS, [name | {"decision": 1}, day | {"decision": []}]).documents[0]
    assert [(m.start, m.end) for m in nothing.mentions] == [(8, 14), (20, 24)]


def test_a_document_of_several_readings_is_learned_and_measured_once() -> None:
    alone = READINGS[-1]
    same = [reading("a", NAME, CITY), reading("b", CITY, NAME)]
    kept, repeated = distinct_documents([*same, alone])
    assert (kept, repeated) == ([same[0], alone], 1)
    found = distinct_readings(READINGS)
    assert (found.documents, found.contradictory, found.repeated) == ([alone], ["d"], 0)
    with pytest.raises(InputRefused, match=r"1 documents are given twice .*\(d\).*annotations adjudicate"):
        distinct_documents(READINGS)
    decided = reading(ADJUDICATED, NAME)
    assert distinct_documents([*READINGS, decided]) == ([decided, alone], 3)
    other = replace(decided, document=Document("d", TEXT + " "))  # another version is another document
    assert distinct_documents([decided, other]) == ([decided, other], 0)


@pytest.mark.parametrize(
    "decision",
    [
        None,
        2,
        -1,
        "a",
        True,
        [{"start": 28, "end": 34, "label": "DATE"}],
        [{"start": 28, "end": 33, "label": "JOUR"}],
        [{"start": 28, "end": 31, "label": "DATE"}, {"start": 30, "end": 33, "label": "DATE"}],
        [{"start": 28}],
        [3],
    ],
)
def test_a_passage_without_a_usable_decision_leaves_its_document_out(decision: object) -> None:
    name, day = (passage_record(one, TEXT) for one in find_passages(READINGS))
    merged = merge_annotations(READINGS, [name | {"decision": 0}, day | {"decision": decision}])
    assert merged.undecided == [("d", 28, 33)]
    assert [one.document.id for one in merged.documents] == ["seul"]


def test_annotators_of_two_texts_are_refused() -> None:
    other = GoldDocument(Document("d", TEXT + " "), (), "", "b")
    with pytest.raises(InputRefused, match="document d has two texts"):
        find_passages([READINGS[0], other])
