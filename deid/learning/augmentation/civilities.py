"""Names that nothing announces: the civility before a name left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.domain.labels import NAMES
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.pieces import Piece
from deid.learning.augmentation.rates import Rates

_CIVILITY = re.compile(
    r"(?<![^\W\d_])(?:(?:le |la |au )?(?:dr|docteure?|pr|professeure?)|m|mr|mme|mlle|monsieur|madame|mademoiselle)"
    r"\.? +$",
    re.IGNORECASE,
)


def drop(pieces: Sequence[Piece], chance: Chance, rates: Rates) -> list[Piece]:
    """Pieces without some of the civilities that stand before names."""
    result = list(pieces)
    for index, piece in enumerate(result[1:], start=1):
        before = result[index - 1]
        if piece.label in NAMES and before.label is None and chance.once(rates.dropped_civility):
            result[index - 1] = Piece(_CIVILITY.sub("", before.text))
    return result
