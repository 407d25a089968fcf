"""What looks like a name and is none: other eponyms behind the same cue, other drugs, other brands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.detection.annotators.vocabulary import EPONYM_CUES
from deid.detection.lexicon import lexicon
from deid.french.folding import fold_line
from deid.french.shapes import in_case_of, titled
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Piece
from deid.learning.augmentation.rates import Rates

_VOWELS = "aeiouy"
_MEDICAL = 0.6  # of exchanged brands become another eponym, the others a surname
_CUED = re.compile(
    r"(?<![^\W\d_])(?P<cue>[^\W\d_]{4,}) (?P<of>de |d['’]|DE |D['’])(?P<name>[A-ZÀ-Ý][^\W\d_]+(?:-[A-ZÀ-Ý][^\W\d_]+)*)"
)
_INSIDE = re.compile(r"(?<=[a-zà-ÿ0-9,(] )[A-ZÀ-Ý][a-zà-ÿ]{3,}(?![^\W\d_])")
_CAPITAL = re.compile(r"(?<![^\W\d_'’-])[A-ZÀ-Ý][^\W\d_]{4,}(?![^\W\d_])")


def vary(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Pieces with other eponyms, drugs and brands in what is not marked; no digit is touched."""

    def eponym(match: re.Match[str]) -> str:
        cue = fold_line(match["cue"])
        if cue not in EPONYM_CUES or not chance.once(rates.swapped_eponym) or not _is_eponym(match["name"]):
            return match.group()
        if chance.once(rates.eponym_from_surnames):
            name = chance.choice(pools.surnames().real)
        else:
            name = chance.choice(pools.eponyms().get(cue.rstrip("s")) or pools.eponyms()[""])
        name = in_case_of(match["name"], name)
        of = "d'" if fold_line(name[0]) in _VOWELS else "de "
        return f"{match['cue']} {of.upper() if match['of'].isupper() else of}{name}"

    def drug(match: re.Match[str]) -> str:
        word = match.group()
        if fold_line(word) not in lexicon().drugs or not chance.once(rates.swapped_drug):
            return word
        return in_case_of(word, titled(chance.choice(pools.drugs())))

    def brand(match: re.Match[str]) -> str:
        word = match.group()
        if not chance.once(rates.swapped_brand) or not _could_be_a_name(fold_line(word)):
            return word
        name = chance.choice(pools.eponyms()[""] if chance.once(_MEDICAL) else pools.surnames().real)
        # What stands before fits a vowel or a consonant: "de", "l'".
        return name if (fold_line(name[0]) in _VOWELS) is (fold_line(word[0]) in _VOWELS) else word

    return [
        piece
        if piece.label is not None
        else Piece(_INSIDE.sub(brand, _CAPITAL.sub(drug, _CUED.sub(eponym, piece.text))))
        for piece in pieces
    ]


def _could_be_a_name(word: str) -> bool:
    """Whether tables give a word for a name, or know nothing of it: eponyms, brands, devices where none is marked."""
    words = lexicon()
    return word not in words.drugs and (
        word in words.eponyms or words.is_unknown(word) or words.is_first_name(word) or words.is_surname(word)
    )


def _is_eponym(name: str) -> bool:
    eponyms = lexicon().eponyms
    return any(part in eponyms for part in fold_line(name).split("-"))
