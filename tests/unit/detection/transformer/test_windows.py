"""Windows over sub-words: every one counts once, in the window that sees more around it, cut where lines end."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.annotators.transformer.subwords import Subwords, cut_blocks, cut_rank, plan_windows

TEXTS = st.lists(st.sampled_from(["mot", "M.", " ", "\n", "\n\n", ". ", "  \n \n", "12/03", "é", "\t", "…  "])).map(
    "".join
)


def _letters(text: str) -> Subwords:
    """One sub-word per character that is no blank."""
    at = np.asarray([index for index, character in enumerate(text) if not character.isspace()], dtype=np.int64)
    return Subwords(at, at, at + 1)


@given(text=TEXTS, size=st.integers(4, 40), share=st.floats(0, 0.25), parts=st.integers(1, 4))
def test_each_subword_counts_once_and_has_context_on_both_sides(text: str, size: int, share: float, parts: int) -> None:
    subwords, overlap = _letters(text), int(size * share)
    bounds = np.linspace(0, len(subwords), parts + 1).astype(int)
    given_parts = [subwords[a:b] for a, b in pairwise(bounds)]
    counted: list[int] = []
    for window in plan_windows(text, given_parts, size, overlap):
        assert len(window.subwords) <= size
        counted += window.subwords.ids[window.first : window.last].tolist()
        # Nothing counts at an edge, unless it is an edge of the document.
        inner = overlap // 2
        assert window.first >= inner or window.subwords.ids[0] == subwords.ids[0]
        assert len(window.subwords) - window.last >= inner or window.subwords.ids[-1] == subwords.ids[-1]
    assert counted == subwords.ids.tolist()


@given(text=TEXTS, most=st.integers(2, 50))
def test_blocks_cover_the_text(text: str, most: int) -> None:
    found = list(cut_blocks(text, most))
    assert "".join(text[start:end] for start, end in found) == text
    assert all(0 < end - start <= most for start, end in found)


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("Fin.\n\n", "Puis", 4),
        ("Fin.\r\n \r\n", "Puis", 4),
        ("Fin\n", "Puis", 3),
        ("Vu hier. ", "Puis", 2),
        ("« Vu hier ! » ", "Puis", 2),
        ("Vu ", "hier", 1),
        ("Vu", " hier", 1),  # a blank that the tokenizer gives to the next word
        ("hi", "er", 0),
    ],
)
def test_good_places_to_cut(before: str, after: str, value: int) -> None:
    assert cut_rank(before + after, len(before)) == value


def test_windows_end_at_a_blank_line_where_one_is_near() -> None:
    text = "abcdefgh ijkl\n\nmnop qrst uvwx"
    first, *_ = plan_windows(text, [_letters(text)], 14, 3)
    assert text[: int(first.subwords.ends[-1])] == "abcdefgh ijkl"


def test_an_overlap_that_stops_windows_from_advancing_is_refused() -> None:
    with pytest.raises(ValueError, match="quarter"):
        list(plan_windows("abc", [_letters("abc")], 8, 3))
