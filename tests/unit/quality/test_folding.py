"""Bare forms compare what readers see as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.quality.words import alnum, fold, hidden_words, letters, phrase, split_words


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("ÉLÉONORE", "eleonore"),
        ("Œuvré", "oeuvre"),
        ("l’été", "l'ete"),
        ("ﬁn", "fin"),
        ("e\u0301", "e"),
        ("ＡＢ１", "ab1"),
    ],
)
def test_fold(text: str, bare: str) -> None:
    assert fold(text) == bare


@given(st.text())
def test_fold_is_idempotent_on_letters(text: str) -> None:
    assert letters(letters(text)) == letters(text)
    assert alnum(phrase(text)) == alnum(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DUPONTJean", ["dupontjean", "dupont", "jean"]),
        ("MmeDUPONT", ["mmedupont", "mme", "dupont"]),
        ("Le Gall", ["le", "gall"]),
        ("D\u00adUPONT", ["dupont"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert [word.bare for word in split_words(text) if len(word.bare) > 1] == expected


def test_hidden_words() -> None:
    assert list(hidden_words("vu D U P O N T hier, DUR-\n  AND aussi")) == ["dupont", "durand"]
    assert list(hidden_words("vu D*U*P*O*N*T, puis d_u_r_a_n_d et R, O, U, X")) == ["dupont", "durand", "roux"]
