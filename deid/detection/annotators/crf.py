"""Annotator *crf*: a linear chain over words, shapes, tables, layout and what the rules say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from deid.detection.registry import register
from deid.detection.taggers.crf import CrfScores, CrfWeights, marginals, padded, window_features
from deid.detection.taggers.features import FeatureTable
from deid.detection.taggers.tagging import ROWS, WEIGHTS, Tagging


@register
class Crf(Tagging):
    """Linear-chain CRF (Lafferty et al. 2001) trained with CRFsuite, computed here from its weights."""

    name = "crf"
    _scores: CrfScores

    def load(self, folder: Path) -> None:
        """Read the weights."""
        self._scores = CrfScores(CrfWeights.load(folder / WEIGHTS))

    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        """Probabilities (ROWS, width, tags)."""
        emissions, lengths = padded([self._scores.emissions(window_features(table)) for table in tables], ROWS, width)
        return marginals(emissions, self._scores.transitions, lengths)
