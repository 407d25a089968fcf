"""Annotators by name and by dotted path; what a policy may not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.detection.annotators.registry import names
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import PolicyError
from deid.domain.labels import Label


class Badge:
    """A hospital's own annotator: badge numbers."""

    def __init__(self, prefix: str = "BDG") -> None:
        self._prefix = prefix

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        at = reading.text.find(self._prefix)
        if at >= 0:
            yield Mention(at, at + len(self._prefix) + 4, Label.ID, 0.9, "badge")


class Batched:
    """An annotator that wants its documents together, as one on a GPU does."""

    name = "batched"
    version = "batched-7"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        raise AssertionError(f"the batch form is preferred to reading {len(reading.words)} words")

    def annotate_batch(self, readings: Sequence[Reading]) -> list[list[Mention]]:
        return [[Mention(0, 3, Label.ORG, len(readings) / 10)] for _ in readings]


class Nothing:
    """Not an annotator."""


def _policy(*annotators: dict) -> policy.Policy:
    return policy.Policy.model_validate({"detection": {"annotators": list(annotators), "threshold": 0.1}})


def test_the_four_that_ship_are_registered() -> None:
    assert set(names()) >= {"patterns", "gazetteer", "context", "identity"}


def test_dotted_path_with_options() -> None:
    chosen = _policy({"name": "tests.unit.detection.test_registry:Badge", "options": {"prefix": "BDX"}})
    (found,) = Detector(chosen).detect([Document("d", "Badge BDX1234 perdu")])
    assert [(mention.start, mention.end, mention.subtype) for mention in found] == [(6, 13, "badge")]
    assert found[0].votes[0].annotator == "tests.unit.detection.test_registry:Badge"


def test_batch_annotators_see_the_whole_batch_and_name_their_version() -> None:
    detector = Detector(_policy({"name": "tests.unit.detection.test_registry:Batched"}))
    found = detector.detect([Document("a", "abc"), Document("b", "abcd")])
    assert [mention.votes[0].score for (mention,) in found] == [0.2, 0.2]
    assert "batched-7" in detector.version


@pytest.mark.parametrize(
    "annotator",
    [
        {"name": "pattern"},
        {"name": "tests.unit.detection.nowhere:Badge"},
        {"name": "tests.unit.detection.test_registry:Absent"},
        {"name": "tests.unit.detection.test_registry:Nothing"},
        {"name": "patterns", "options": {"speed": 3}},
    ],
)
def test_what_does_not_exist_is_a_policy_error(annotator: dict) -> None:
    with pytest.raises(PolicyError):
        Detector(_policy(annotator))
