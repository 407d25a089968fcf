"""Training of the linear-chain CRF with CRFsuite (Okazaki 2007), and export of the weights to a compact file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pycrfsuite
from tqdm import tqdm

from deid.detection.taggers.crf import CrfWeights, window_features
from deid.detection.taggers.tags import INDEX, TAGS
from nocturne_lab.learning.taggers.examples import TokenExample, hidden


@dataclass(frozen=True, slots=True)
class CrfSettings:
    """Settings; `c1` and `c2` are the L1 and L2 penalties, and features seen fewer than `least` times are left out."""

    c1: float = 0.08
    c2: float = 0.02
    least: int = 2
    iterations: int = 50
    hide_tables: float = 0.12
    hide_rules: float = 0.08
    seed: int = 2026


def train_weights(documents: Sequence[TokenExample], settings: CrfSettings, keep: Path | None = None) -> CrfWeights:
    """Return weights trained by L-BFGS; the same examples and settings give the same weights.

    `keep` is the path of CRFsuite's own model file, None for no file.
    """
    random = np.random.default_rng(settings.seed)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(
        {"c1": settings.c1, "c2": settings.c2, "feature.minfreq": settings.least, "max_iterations": settings.iterations}
    )
    for example in tqdm(documents, desc="features", unit=" documents", disable=None):
        seen = window_features(hidden(example.table, random, settings.hide_tables, settings.hide_rules))
        rows = [[str(one) for one in row if one] for row in seen.tolist()]
        edges = np.flatnonzero(np.diff(example.known, prepend=False, append=False)).tolist()
        for first, end in zip(edges[::2], edges[1::2], strict=True):  # each run of known tokens is a chain
            trainer.append(rows[first:end], [TAGS[tag] for tag in example.tags[first:end]])
    with TemporaryDirectory() as folder:
        path = keep or Path(folder) / "crf"
        trainer.train(str(path))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        info = tagger.info()
        tagger.close()
    return _weights(info.state_features.items(), info.transitions.items())


def _weights(
    states: Iterable[tuple[tuple[str, str], float]], transitions: Iterable[tuple[tuple[str, str], float]]
) -> CrfWeights:
    by_feature: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for (feature, tag), weight in states:
        by_feature[int(feature)].append((INDEX[tag], weight))
    # Unseen transitions get the most negative weight of a chain.
    table = np.full((len(TAGS), len(TAGS)), -8.0, dtype=np.float32)
    for (before, after), weight in transitions:
        table[INDEX[before], INDEX[after]] = weight
    keys = sorted(by_feature)
    return CrfWeights.packed(keys, [by_feature[key] for key in keys], table)
