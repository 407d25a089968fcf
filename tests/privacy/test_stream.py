"""Keyed stream: deterministic, independent between labels, exactly uniform below any bound."""

from __future__ import annotations

import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.privacy.stream import KeyedStream, encode_parts

SECRET = b"a secret of the tests"
# 99.9 % quantile of chi-square with 6 degrees of freedom.
CHI_SQUARE_6 = 22.46


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_no_two_sequences_share_an_encoding(one: list[str], other: list[str]) -> None:
    assert (encode_parts(one) == encode_parts(other)) == (one == other)


def test_parts_are_not_glued() -> None:
    assert KeyedStream(SECRET, "ab", "c").bits(64) != KeyedStream(SECRET, "a", "bc").bits(64)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=8))
def test_the_same_question_gets_the_same_bits_however_they_are_taken(widths: list[int]) -> None:
    one, other = KeyedStream(SECRET, "x"), KeyedStream(SECRET, "x")
    taken = [one.bits(width) for width in widths]
    whole = other.bits(sum(widths))
    for value, width in zip(reversed(taken), reversed(widths), strict=True):
        assert whole & ((1 << width) - 1) == value
        whole >>= width


def test_another_secret_gives_other_bits() -> None:
    assert KeyedStream(b"one", "x").bits(64) != KeyedStream(b"two", "x").bits(64)


def test_integers_below_a_bound_are_uniform() -> None:
    stream = KeyedStream(SECRET, "uniform")
    draws = 14_000
    counts = Counter(stream.below(7) for _ in range(draws))
    expected = draws / 7
    assert set(counts) == set(range(7))
    assert sum((counts[value] - expected) ** 2 / expected for value in range(7)) < CHI_SQUARE_6


def test_a_bound_of_one_is_certain() -> None:
    assert KeyedStream(SECRET, "one").below(1) == 0


def test_an_empty_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="secret"):
        KeyedStream(b"", "x")


@pytest.mark.parametrize("bound", [0, -3])
def test_no_integer_is_below_nothing(bound: int) -> None:
    with pytest.raises(ValueError, match="positive"):
        KeyedStream(SECRET, "x").below(bound)


@given(st.binary(min_size=1, max_size=200), st.lists(st.text(), max_size=3))
def test_the_stream_is_hmac_of_the_standard_library_in_counter_mode(secret: bytes, parts: list[str]) -> None:
    seed = hmac.digest(secret, encode_parts(parts), "sha256")
    blocks = b"".join(hmac.digest(seed, number.to_bytes(8, "big"), "sha256") for number in range(3))
    assert KeyedStream(secret, *parts).bits(8 * len(blocks)) == int.from_bytes(blocks, "big")
