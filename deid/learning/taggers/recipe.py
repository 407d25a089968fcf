"""How the taggers that ship are trained: every setting in one place, and a small version that takes a minute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from deid.detection.taggers.bilstm import Shape
from deid.learning.taggers.bilstm import BilstmSettings
from deid.learning.taggers.crf import CrfSettings


@dataclass(frozen=True, slots=True)
class Recipe:
    """`copies` altered documents are added to each for the CRF; the network sees fresh ones in every epoch.

    `members` networks of different seeds are averaged. `temperatures` divide the logarithms of probabilities; they are
    what `deid.learning.taggers.cross_validation` measures.
    """

    crf: CrfSettings = field(default_factory=CrfSettings)
    bilstm: BilstmSettings = field(default_factory=BilstmSettings)
    copies: int = 1
    members: int = 1
    seed: int = 2026
    temperatures: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Every setting."""
        return asdict(self)


FULL = Recipe()
SMALL = Recipe(
    crf=replace(FULL.crf, iterations=25),
    bilstm=replace(
        FULL.bilstm,
        epochs=3,
        shape=Shape(column_buckets=1 << 13, column_width=32, gram_buckets=1 << 13, gram_width=16, hidden=32),
    ),
    copies=0,
    members=1,
)
