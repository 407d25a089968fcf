"""Tokens of a reading and sub-words of a tokenizer: each token has the first sub-word that touches it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid.detection.annotators.transformer.subwords import (
    Alignment,
    complete_rows,
    plan_windows,
    split_bare_labels,
    tokenize,
)
from deid.detection.taggers.tags import INDEX, TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from tests.unit.detection.transformer import models

TOKENIZERS = {name: models.TOKENIZERS[name]() for name in ("bert", "camembert", "modernbert")}
TEXTS = {
    "accents": "Hélène, née à Saint-Étienne, sœur d'Aïcha",
    "decomposed": "He\u0301le\u0300ne a e\u0301te\u0301 vue a\u0300 Be\u0301ziers",
    "ligatures": "l'oﬃce du Dr Leﬁer, cœur, Œdème, Æ",
    "emojis": "Merci 🙂👨‍👩‍👧 Dr Vraz 👍🏽 !",
    "glued": "M.DUPONT,né.le:12/03/1950(Brest)-DrBENALI;tél.0298001122",
    "line ends": "M. DUPONT\r\n12 rue X\r\n\r\n29200 Brest\r\n",
    "blanks": "  M.\u00a0DUPONT\tJean \u2009né   le\u202f12  ",
    "surrogates": "a\ud800b Jean\udfff",
    "long": "DUPONT, né le 3 mai à Brest. " * 60,
}


def _given(kind: str, text: str, size: int = 24) -> tuple[Reading, dict[int, tuple[int, int]], dict[int, bool]]:
    """Per token the characters of its sub-word, and whether it is shared."""
    reading = Reading(Document("d", text))
    aligned = Alignment(reading.starts, reading.ends)
    spans: dict[int, tuple[int, int]] = {}
    shares: dict[int, bool] = {}
    for window in plan_windows(text, tokenize(TOKENIZERS[kind], text), size, size // 4):
        tokens, positions, shared = aligned.take(window)
        for token, position, share in zip(tokens.tolist(), positions.tolist(), shared.tolist(), strict=True):
            assert token not in spans
            spans[token] = (int(window.subwords.starts[position]), int(window.subwords.ends[position]))
            shares[token] = share
    return reading, spans, shares


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_word_has_its_first_subword(kind: str, text: str) -> None:
    reading, spans, _ = _given(kind, text)
    every = list(tokenize(TOKENIZERS[kind], text))
    starts, ends = np.concatenate([one.starts for one in every]), np.concatenate([one.ends for one in every])
    for token, (start, end) in enumerate(zip(reading.starts, reading.ends, strict=True)):
        touching = (starts < end) & (ends > start)
        if touching.any():
            first = int(np.argmax(touching))
            assert spans[token] == (starts[first], ends[first])
        else:
            assert token not in spans
            assert not text[start:end].isalnum()


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=st.lists(st.one_of(st.text(max_size=8), st.sampled_from(list(TEXTS.values()))), max_size=6).map("".join),
    size=st.integers(8, 60),
    kind=st.sampled_from(list(TOKENIZERS)),
)
def test_what_a_token_is_given_touches_it(text: str, size: int, kind: str) -> None:
    reading, spans, _ = _given(kind, text, size)
    for token, (start, end) in spans.items():
        assert start < reading.ends[token]
        assert end > reading.starts[token]


def test_a_subword_over_two_tokens_is_shared() -> None:
    reading, _, shares = _given("bert", "Jean zzz\u0301zz")  # an unknown word is one sub-word
    assert [reading.words[token] for token, shared in shares.items() if shared]
    assert not shares[0]


def _rows(*tags: str) -> np.ndarray:
    rows = np.full((len(tags), len(TAGS)), 0.0, dtype=np.float32)
    for row, tag in enumerate(tags):
        if tag:
            rows[row, INDEX[tag]] = 0.9
            rows[row, 0] += 0.1
    return rows


def _best(rows: np.ndarray) -> list[str]:
    return [TAGS[index] for index in rows.argmax(axis=1)]


def test_a_mention_begins_again_after_a_line_break_that_the_tokenizer_dropped() -> None:
    rows = _rows("B-PATIENT", "", "I-PATIENT")
    known = np.asarray([True, False, True])
    complete_rows(rows, np.asarray([False, True, False]), known, np.zeros(3, dtype=bool))
    assert _best(rows) == ["B-PATIENT", "O", "B-PATIENT"]
    assert np.allclose(rows.sum(axis=1), 1)


def test_a_dropped_character_is_inside_only_what_goes_on_behind_it() -> None:
    rows = _rows("B-PATIENT", "", "I-PATIENT", "", "O")
    complete_rows(rows, np.zeros(5, dtype=bool), np.asarray([True, False] * 2 + [True]), np.zeros(5, dtype=bool))
    assert _best(rows) == ["B-PATIENT", "I-PATIENT", "I-PATIENT", "O", "O"]


def test_a_shared_subword_begins_one_mention_not_two() -> None:
    rows = _rows("B-DOCTOR", "B-DOCTOR")
    complete_rows(rows, np.zeros(2, dtype=bool), np.ones(2, dtype=bool), np.asarray([False, True]))
    assert _best(rows) == ["B-DOCTOR", "I-DOCTOR"]


def test_tags_without_a_place_begin_where_none_was_before() -> None:
    rows = _rows("O", "I-PERSON", "I-PERSON", "O", "I-CITY")
    split_bare_labels(rows, np.asarray([INDEX["B-PERSON"] // 2, INDEX["B-CITY"] // 2]))
    assert _best(rows) == ["O", "B-PERSON", "I-PERSON", "O", "B-CITY"]
    assert np.allclose(rows.sum(axis=1), 1)
