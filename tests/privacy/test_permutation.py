"""The keyed permutation: one value each, another for another key or subject, and no place more likely than another."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.privacy.permutation import KeyedPermutation


@given(st.integers(1, 400), st.binary(min_size=1, max_size=40), st.text(max_size=9))
def test_it_is_a_permutation(bound: int, secret: bytes, about: str) -> None:
    permutation = KeyedPermutation(secret, bound, about)
    assert sorted(map(permutation, range(bound))) == list(range(bound))


def test_it_depends_on_the_secret_and_the_subject_only() -> None:
    def first(secret: bytes, about: str) -> list[int]:
        return list(map(KeyedPermutation(secret, 1000, about), range(20)))

    assert first(b"k", "a") == first(b"k", "a")
    assert first(b"k", "a") != first(b"k", "b") != first(b"l", "b")


@pytest.mark.parametrize("bound", [2, 7, 30])
def test_every_value_goes_anywhere_alike(bound: int) -> None:
    keys = 6_000
    counts = Counter(KeyedPermutation(b"secret", bound, str(key))(1) for key in range(keys))
    expected = keys / bound
    chi_square = sum((counts[place] - expected) ** 2 / expected for place in range(bound))
    assert chi_square < bound + 6 * (2 * bound) ** 0.5


@pytest.mark.parametrize(("secret", "bound"), [(b"", 3), (b"k", 0)])
def test_an_empty_secret_or_range_is_refused(secret: bytes, bound: int) -> None:
    with pytest.raises(ValueError, match="secret"):
        KeyedPermutation(secret, bound)


@pytest.mark.parametrize("value", [-1, 3])
def test_a_value_outside_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="below"):
        KeyedPermutation(b"k", 3)(value)
