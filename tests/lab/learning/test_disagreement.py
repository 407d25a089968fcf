"""Annotations that are probably wrong, found by distributions that say something else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from deid.detection.taggers.tags import INDEX, TAGS, encode
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning.disagreement import DifferenceKind, doubts


def gold(marked: str, name: str = "a-1") -> GoldDocument:
    text, mentions = parse_marked(marked, name)
    return GoldDocument(Document(name, text), mentions, "a")


def says(marked: str, sure: float = 0.98) -> NDArray[np.float32]:
    """The distribution of a tagger that annotates as `marked` does, with that probability per token."""
    document = gold(marked)
    tags = encode(Reading(document.document), document.mentions)
    rest = (1 - sure) / (len(TAGS) - 1)
    rows = np.full((len(tags), len(TAGS)), rest, dtype=np.float32)
    rows[np.arange(len(tags)), tags] = sure
    return rows


@pytest.mark.parametrize(
    ("annotated", "predicted", "expected"),
    [
        (
            "vu M. [[PERSON|Roux]] hier",
            "vu M. Roux [[RELDATE|hier]]",
            {DifferenceKind.NOTHING_THERE, DifferenceKind.UNMARKED},
        ),
        ("vu [[PERSON|Roux]]", "vu Roux", {DifferenceKind.NOTHING_THERE}),
        ("vu Roux", "vu [[PERSON|Roux]]", {DifferenceKind.UNMARKED}),
        ("vu [[PERSON|Roux]]", "vu [[DOCTOR|Roux]]", {DifferenceKind.OTHER_LABEL}),
        ("vu [[PERSON|M. Roux]]", "vu M. [[PERSON|Roux]]", {DifferenceKind.OTHER_EDGES}),
        ("vu [[PERSON|Roux]], fils", "vu [[PERSON|Roux,]] fils", {DifferenceKind.OTHER_EDGES}),
        ("vu Dr [[DOCTOR|Roux]]", "vu [[DOCTOR|Dr Roux]]", {DifferenceKind.OTHER_EDGES}),
        ("vu [[PERSON|Roux]] Paul", "vu [[PERSON|Roux Paul]]", set()),
        ("vu [[PERSON|Paul Roux]]", "vu [[PERSON|Paul Roux]]", set()),
        ("", "", set()),
    ],
)
def test_kinds_of_doubt(annotated: str, predicted: str, expected: set[DifferenceKind]) -> None:
    assert {doubt.kind for doubt in doubts([gold(annotated)], [says(predicted)])} == expected


def test_a_doubt_says_where_and_what_and_holds_no_text() -> None:
    found = doubts([gold("vu [[PERSON|Roux]] ici")], [says("vu [[DOCTOR|Roux]] ici")])
    assert [(one.document, one.start, one.end, one.kind, one.gold, one.predicted) for one in found] == [
        ("a-1", 3, 7, DifferenceKind.OTHER_LABEL, Label.PERSON, Label.DOCTOR)
    ]
    assert found[0].probability == pytest.approx(0.98, abs=0.01)
    assert "Roux" not in repr(found)


def test_what_is_less_sure_is_no_doubt() -> None:
    documents, unsure = [gold("vu [[PERSON|Roux]] ici Blanc")], [says("vu Roux ici [[PERSON|Blanc]]", sure=0.9)]
    assert doubts(documents, unsure) == []
    assert {one.kind for one in doubts(documents, unsure, sure=0.85)} == {
        DifferenceKind.NOTHING_THERE,
        DifferenceKind.UNMARKED,
    }


def test_every_token_of_a_mention_must_be_doubted() -> None:
    distribution = says("vu Paul Roux")
    distribution[2] = 0
    distribution[2, INDEX["I-PERSON"]] = 1
    assert all(
        one.kind is not DifferenceKind.NOTHING_THERE
        for one in doubts([gold("vu [[PERSON|Paul Roux]]")], [distribution])
    )


def test_the_surest_doubt_comes_first() -> None:
    documents = [gold("vu [[PERSON|Roux]]", "a-1"), gold("vu [[PERSON|Roux]]", "a-2"), gold("vu Roux", "a-3")]
    made = [says("vu Roux", 0.96), says("vu Roux", 0.99), says("vu [[CITY|Roux]]", 0.97)]
    assert [one.document for one in doubts(documents, made)] == ["a-2", "a-3", "a-1"]


def test_distributions_must_fit_their_documents() -> None:
    with pytest.raises(ValueError, match="a-1"):
        doubts([gold("vu Roux")], [says("vu")])
    with pytest.raises(ValueError, match="shorter"):
        doubts([gold("vu Roux")], [])
