"""Passes of refining: each keeps what it declares, on documents and on mentions that overlap in every way."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.detection.merging import votes
from deid.detection.refining import PASSES, Keeps
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import load_corpus

CORPUS = Path(__file__).resolve().parents[3] / "corpus" / "train"
DISJOINT_FROM = "overlaps"


def _characters(mentions: list[Mention]) -> set[int]:
    return {at for one in mentions for at in range(one.start, one.end)}


def _kept(keeps: Keeps, before: list[Mention], after: list[Mention]) -> bool:
    match keeps:
        case Keeps.GIVEN:
            return {(one.start, one.end) for one in after} <= {(one.start, one.end) for one in before}
        case Keeps.COVERAGE:
            return _characters(before) <= _characters(after)
        case Keeps.WITHIN:
            return _characters(after) <= _characters(before)
        case Keeps.NOTHING:
            return True


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [one.document for one in load_corpus(CORPUS)][::5]


@pytest.mark.parametrize("threshold", [0.0, 0.6])
def test_each_pass_keeps_what_it_declares(rules: Detector, documents: list[Document], threshold: float) -> None:
    chosen = policy.load(None).detection
    changed: set[str] = set()
    for document, opinions in zip(documents, rules.opinions(documents), strict=True):
        reading = Reading(document)
        reading.found.update(opinions)
        mentions = list(votes.merge_by_weights(votes.weigh(opinions, {}, votes.WEIGHTS), threshold))
        disjoint = False
        for one in PASSES:
            after = list(one.run(reading, mentions, chosen))
            assert _kept(one.keeps, mentions, after), (document.id, one.name)
            disjoint = disjoint or one.name == DISJOINT_FROM
            assert not disjoint or all(a.end <= b.start for a, b in pairwise(sorted(after))), (document.id, one.name)
            if after != mentions:
                changed.add(one.name)
            mentions = after
    assert len(changed) >= 10  # the others have examples beside this file


@pytest.mark.parametrize(("keeps", "after"), [(Keeps.GIVEN, (0, 5)), (Keeps.COVERAGE, (0, 3)), (Keeps.WITHIN, (0, 5))])
def test_a_broken_declaration_is_seen(keeps: Keeps, after: tuple[int, int]) -> None:
    assert not _kept(keeps, [Mention(0, 4, Label.PERSON)], [Mention(*after, Label.PERSON)])
