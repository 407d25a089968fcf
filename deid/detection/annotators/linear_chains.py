"""Annotators *crf* and *bilstm_crf*: linear chains over words, shapes, tables, layout and the rules' mentions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file

from deid.detection.annotators import FEATURE_RULES
from deid.detection.taggers.bilstm import EMBEDDINGS, BiLstmCrf, Shape, buckets, load_embeddings
from deid.detection.taggers.crf import CrfScores, CrfWeights, marginals, padded, window_features
from deid.detection.taggers.features import FeatureTable
from deid.detection.taggers.tagging import ROWS, WEIGHTS, Tagging


class Crf(Tagging):
    """Linear-chain CRF (Lafferty et al. 2001) trained with CRFsuite, computed from its weights."""

    name = "crf"
    rules = FEATURE_RULES
    _scores: CrfScores

    def load(self, folder: Path) -> None:
        """Read the weights."""
        self._scores = CrfScores(CrfWeights.load(folder / WEIGHTS))

    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        """Return probabilities (ROWS, width, tags)."""
        emissions, lengths = padded([self._scores.emissions(window_features(table)) for table in tables], ROWS, width)
        return marginals(emissions, self._scores.transitions, lengths)


class BilstmCrf(Tagging):
    """BiLSTM-CRF networks of different seeds over subword and feature embeddings; probabilities are averaged.

    El Azzouzi et al. 2024, section 3.3: the best of their architectures without a pretrained transformer.
    """

    name = "bilstm_crf"
    rules = FEATURE_RULES
    _members: list[BiLstmCrf]

    def load(self, folder: Path) -> None:
        """Read the weights of every member."""
        shape = Shape(**self._manifest.shape)
        weights = load_file(folder / WEIGHTS)
        numbers = sorted({int(name.partition(".")[0]) for name in weights})
        rows = load_embeddings(folder / EMBEDDINGS) if (folder / EMBEDDINGS).is_file() else None
        self._members = []
        for number in numbers:
            member = BiLstmCrf(shape)
            prefix = f"{number}."
            own = {name[len(prefix) :]: value.float() for name, value in weights.items() if name.startswith(prefix)}
            if rows is not None:
                member.embed(rows)
                own["grams.weight"] = member.grams.weight
            member.load_state_dict(own)
            self._members.append(member.eval())

    def probabilities(self, tables: Sequence[FeatureTable], width: int) -> torch.Tensor:
        """Return probabilities (ROWS, width, tags)."""
        shape = self._members[0].shape
        columns, lengths = padded([buckets(one.columns, shape.column_buckets).numpy() for one in tables], ROWS, width)
        grams, _ = padded([buckets(one.grams, shape.gram_buckets).numpy() for one in tables], ROWS, width)
        total = sum(member.probabilities(columns, grams, lengths) for member in self._members)
        return torch.as_tensor(total) / len(self._members)
