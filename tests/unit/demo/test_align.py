"""Offsets of mentions in the extracted text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.labels import Label
from demo.hospital.model import GoldMention
from demo.hospital.noise import unaccented
from demo.hospital.prose.grammar import Piece
from demo.hospital.writer import Misaligned, align

PIECES = st.lists(st.builds(Piece, st.text("aé0 \n", max_size=6), st.sampled_from([None, Label.DATE, Label.CITY])))


def test_white_space_may_differ() -> None:
    pieces = [Piece("Mme "), Piece("Anne  Roy", Label.PATIENT), Piece(", vue")]
    assert align("Mme\n Anne Roy, vue\n", pieces) == (GoldMention(5, 13, Label.PATIENT),)


@pytest.mark.parametrize("text", ["Mme Anne Roi", "Mme Anne Roy et plus", "Mme"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(Misaligned):
        align(text, [Piece("Mme "), Piece("Anne Roy", Label.PATIENT)])


@given(PIECES)
def test_a_mention_is_found_at_its_own_place(pieces: list[Piece]) -> None:
    text = "".join(piece.text for piece in pieces)
    wanted, at = [], 0
    for piece in pieces:
        if piece.label and piece.text.strip():
            lead = len(piece.text) - len(piece.text.lstrip())
            wanted.append(GoldMention(at + lead, at + len(piece.text.rstrip()), piece.label))
        at += len(piece.text)
    assert align(text, pieces) == tuple(wanted)


def test_accents_go_and_ligatures_are_spelled_out() -> None:
    assert unaccented("Œdème à l'œil, ça") == "OEdeme a l'oeil, ca"
