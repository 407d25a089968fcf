"""Annotator *crf*: a linear chain over words, shapes, tables, layout and what the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from deid.detection.registry import register
from deid.detection.taggers.chain import marginals, padded
from deid.detection.taggers.crf_weights import CrfScores, CrfWeights
from deid.detection.taggers.manifest import WEIGHTS
from deid.detection.taggers.table import Table
from deid.detection.taggers.tagging import ROWS, Tagging
from deid.detection.taggers.templates import windows


@register
class Crf(Tagging):
    """Linear-chain CRF (Lafferty et al. 2001) trained with CRFsuite, computed here from its weights."""

    name = "crf"
    _scores: CrfScores

    def load(self, folder: Path) -> None:
        """Read the weights."""
        self._scores = CrfScores(CrfWeights.load(folder / WEIGHTS))

    def probabilities(self, tables: Sequence[Table], width: int) -> torch.Tensor:
        """Probabilities (ROWS, width, tags)."""
        emissions, lengths = padded([self._scores.emissions(windows(table)) for table in tables], ROWS, width)
        return marginals(emissions, self._scores.transitions, lengths)
