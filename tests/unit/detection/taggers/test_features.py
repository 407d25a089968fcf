"""Features of the taggers, and the pieces of a document."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.annotators import FEATURE_RULES
from deid.detection.taggers.crf import FEATURE_COUNT, window_features
from deid.detection.taggers.features import AT, COLUMNS, conjunction, feature_number, feature_table, salted
from deid.detection.taggers.tagging import CONTEXT, LONGEST, cut_chunks
from deid.detection.text.reading import Reading
from deid.domain.document import Document


def seen(text: str) -> np.ndarray:
    return feature_table(Reading(Document("d", text)), FEATURE_RULES).columns


def test_the_same_word_shows_the_same_and_its_place_differs() -> None:
    columns = seen("Mme Kerbrat revoit\nMme Kerbrat ce jour")
    first, again = columns[1], columns[5]
    assert first[AT["word"]] == again[AT["word"]] != 0
    assert first[AT["shape"]] == again[AT["shape"]]
    assert first[AT["line"]] != 0


def test_case_and_accents_change_the_shape_and_not_the_word() -> None:
    lower, upper = seen("hélène"), seen("HELENE")
    assert lower[0, AT["word"]] == upper[0, AT["word"]]
    assert lower[0, AT["shape"]] != upper[0, AT["shape"]]


def test_rules_speak_in_the_table() -> None:
    columns = seen("Vu le 12/03/2020 par le Dr Kerbrat")
    assert columns[2, AT["patterns"]] == feature_number("patterns=B-DATE")
    assert columns[4, AT["patterns"]] == feature_number("patterns=I-DATE")
    assert columns[0, AT["patterns"]] == 0


def test_nothing_and_control_characters_have_a_table() -> None:
    assert seen("").shape == (0, len(COLUMNS))
    assert np.isfinite(seen("\x00\x01\x02 \x7f").astype(float)).all()


def test_windows_see_neighbours_and_nothing_beyond_the_ends() -> None:
    features = window_features(feature_table(Reading(Document("d", "un deux trois")), FEATURE_RULES))
    assert features.shape == (3, FEATURE_COUNT)
    single = window_features(feature_table(Reading(Document("d", "un")), FEATURE_RULES))
    assert (single == 0).sum() > (features == 0).sum() / 3


@given(st.integers(1, 2**64 - 1), st.integers(0, 1000))
def test_what_is_missing_stays_missing(value: int, salt: int) -> None:
    some, none = np.array([value], dtype=np.uint64), np.array([0], dtype=np.uint64)
    assert salted(none, salt)[0] == 0
    assert conjunction(some, none)[0] == conjunction(none, some)[0] == 0
    assert salted(some, 1)[0] != salted(some, 2)[0]


@given(st.integers(0, 4 * LONGEST), st.lists(st.integers(0, 4 * LONGEST), max_size=60))
def test_pieces_judge_every_token_once_with_context(total: int, breaks: list[int]) -> None:
    words = ["w"] * total
    for at in breaks:
        if at < total:
            words[at] = "\n"
    judged = [index for piece in cut_chunks(words) for index in range(piece.first, piece.last)]
    assert judged == list(range(total))
    for piece in cut_chunks(words):
        assert piece.last - piece.first <= LONGEST
        assert piece.begin == max(0, piece.first - CONTEXT)
        assert piece.end == min(total, piece.last + CONTEXT)
