"""Folding: character by character, so that a text keeps its length."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.french.folding import alike, comparable, fold, fold_line

FRENCH = st.text("abcdéèçàùœŒÉÇ’‘`´–—−… \t\n\u00a0\u202f€½ß12/.:-")


@given(st.one_of(FRENCH, st.text()))
def test_a_text_is_folded_as_its_characters(text: str) -> None:
    for folded in (fold, fold_line):
        assert folded(text) == "".join(map(folded, text))
        assert len(folded(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Né à l’Haÿ — 12 ÉTÉ", "ne a l'hay - 12 ete"),
        ("☎ Łódź\u202f: −3", "☎ lodz : -3"),
        ("Œuvre\u00a0½", "œuvre ½"),
        ("\ud800É", "\ud800e"),
        ("Mustafa Yılmaz, Đorđe Sørensen", "mustafa yilmaz, dorde sorensen"),
    ],
)
def test_what_is_folded_reads_so(text: str, plain: str) -> None:
    assert fold_line(text) == plain


NEARLY = st.text("aAbB1²- ıłéÉ\u0301œŒßİﬁ'’\n", max_size=5)


@given(NEARLY, NEARLY, NEARLY)
def test_texts_are_alike_where_they_compare_the_same(start: str, one: str, other: str) -> None:
    for first, second in ((one, other), (start + one, start.upper() + other)):
        assert alike(first, second) == (comparable(first) == comparable(second))
