"""The labels of other people's models as our tags."""

from __future__ import annotations

import pytest

from deid.detection.annotators.transformer.label_maps import label_map
from deid.detection.taggers.tags import TAGS
from deid.domain.errors import PolicyError
from deid.domain.labels import TAGGED, Label


def _tags(*labels: str, **table: str | None) -> list[str]:
    mapped = label_map("m", dict(enumerate(labels)), table)
    assert (mapped.matrix.sum(axis=1) == 1).all()
    return [TAGS[index] for index in mapped.matrix.argmax(axis=1)]


def test_our_own_tags_are_themselves() -> None:
    assert _tags(*TAGS) == list(TAGS)
    assert label_map("m", dict(enumerate(TAGS)), {}).labels == frozenset(TAGGED)
    assert not len(label_map("m", dict(enumerate(TAGS)), {}).bare)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("B-NOM", "B-PERSON"),  # eds-pseudo
        ("I-PRENOM", "I-PERSON"),
        ("B-DATE_NAISSANCE", "B-DATE"),
        ("B-VILLE", "B-CITY"),
        ("B-SECU", "B-NIR"),
        ("B-HOPITAL", "B-ORG"),
        ("B-MAIL", "B-EMAIL"),
        ("B-PER", "B-PERSON"),  # CoNLL
        ("S-LOC", "B-LOC"),  # BIOES
        ("E-ORG", "I-ORG"),
        ("U-PER", "B-PERSON"),  # BILOU
        ("L-PER", "I-PERSON"),
        ("B_STR", "B-STREET"),  # El Azzouzi et al. 2024
        ("B-TEL", "B-PHONE"),  # Tchouka et al. 2023
        ("B-REF", "B-ID"),
    ],
)
def test_known_schemes(theirs: str, ours: str) -> None:
    assert _tags("O", theirs) == ["O", ours]


def test_tags_without_a_beginning_are_said_to_be_bare() -> None:
    mapped = label_map("m", {0: "O", 1: "I-PER", 2: "B-LOC", 3: "I-LOC", 4: "DATE"}, {})
    assert [list(Label)[index] for index in mapped.bare] == [Label.PERSON, Label.DATE]


def test_the_policy_comes_first_and_may_say_none() -> None:
    assert _tags("O", "B-PER", "B-MISC", PER="PATIENT", MISC=None) == ["O", "B-PATIENT", "O"]


@pytest.mark.parametrize(
    ("labels", "table", "message"),
    [
        ({0: "O", 1: "B-MISC", 2: "B-PLANTE"}, {}, "MISC, PLANTE"),
        ({0: "O", 1: "B-PER"}, {"PER": "SOMEONE"}, "SOMEONE is no label"),
        ({0: "B-PER", 1: "I-PER"}, {}, "no label O"),
        ({0: "O", 2: "B-PER"}, {}, "holes"),
    ],
)
def test_what_cannot_be_mapped_is_refused_by_name(
    labels: dict[int, str], table: dict[str, str | None], message: str
) -> None:
    with pytest.raises(PolicyError, match=f"model m.*{message}"):
        label_map("m", labels, table)
