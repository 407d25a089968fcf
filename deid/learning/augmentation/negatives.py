"""What looks like a name and is none: other eponyms behind the same cue, other drugs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.detection.annotators.context.vocabulary import EPONYM_CUES
from deid.detection.lexicon import lexicon
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Piece
from deid.learning.augmentation.rates import Rates
from deid.substitution.folding import flat
from deid.substitution.shapes import in_case_of, titled

_CUED = re.compile(
    r"(?<![^\W\d_])(?P<cue>[^\W\d_]{4,}) (?P<of>de |d['’]|DE |D['’])(?P<name>[A-ZÀ-Ý][^\W\d_]+(?:-[A-ZÀ-Ý][^\W\d_]+)*)"
)
_CAPITAL = re.compile(r"(?<![^\W\d_'’-])[A-ZÀ-Ý][^\W\d_]{4,}(?![^\W\d_])")


def vary(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Pieces with other eponyms and drugs in what is not marked; no digit is touched."""

    def eponym(match: re.Match[str]) -> str:
        cue = flat(match["cue"])
        if cue not in EPONYM_CUES or not chance.once(rates.swapped_eponym) or not _is_eponym(match["name"]):
            return match.group()
        if chance.once(rates.eponym_from_surnames):
            name = chance.choice(pools.surnames().real)
        else:
            name = chance.choice(pools.eponyms().get(cue.rstrip("s")) or pools.eponyms()[""])
        name = in_case_of(match["name"], name)
        of = "d'" if flat(name[0]) in "aeiouy" else "de "
        return f"{match['cue']} {of.upper() if match['of'].isupper() else of}{name}"

    def drug(match: re.Match[str]) -> str:
        word = match.group()
        if flat(word) not in lexicon().drugs or not chance.once(rates.swapped_drug):
            return word
        return in_case_of(word, titled(chance.choice(pools.drugs())))

    return [
        piece if piece.label is not None else Piece(_CAPITAL.sub(drug, _CUED.sub(eponym, piece.text)))
        for piece in pieces
    ]


def _is_eponym(name: str) -> bool:
    eponyms = lexicon().eponyms
    return any(part in eponyms for part in flat(name).split("-"))
