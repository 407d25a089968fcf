"""Sentences with the mentions that the detector must find, and with hard negatives."""

from __future__ import annotations

import pytest

from deid.detection import Detector
from deid.domain.document import Document
from nocturne_lab.evaluation import markup
from tests.unit.detection.examples import FOUND, NOT_FOUND


def _shown(text: str, mentions: tuple) -> list[tuple[str, str]]:
    return [(mention.label.value, text[mention.start : mention.end]) for mention in mentions]


def _cases(examples: dict[str, tuple[str, ...]]) -> list:
    return [pytest.param(one, id=f"{kind}-{at}") for kind, some in examples.items() for at, one in enumerate(some)]


def test_there_are_enough_examples() -> None:
    assert sum(map(len, FOUND.values())) + sum(map(len, NOT_FOUND.values())) >= 150


@pytest.mark.parametrize("marked", _cases(FOUND))
def test_marked_mentions_are_found_with_label_and_edges(marked: str, rules: Detector) -> None:
    text, expected = markup.parse_marked(marked, "example")
    (found,) = rules.detect([Document("example", text)])
    assert _shown(text, found) == _shown(text, expected)


@pytest.mark.parametrize("text", _cases(NOT_FOUND))
def test_hard_negatives_are_left(text: str, rules: Detector) -> None:
    (found,) = rules.detect([Document("example", text)])
    assert _shown(text, found) == []
