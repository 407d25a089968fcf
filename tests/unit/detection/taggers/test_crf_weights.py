"""The CRF's weights: saved, loaded, and found again feature by feature."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.taggers.crf import CrfScores, CrfWeights, best_chain, path_loss
from deid.detection.taggers.tags import TAGS

numbers = st.integers(1, 2**64 - 1)


@given(st.dictionaries(numbers, st.lists(st.tuples(st.integers(0, 38), st.floats(-4, 4)), min_size=1, max_size=3)))
def test_scores_are_the_sums_of_the_weights_of_known_features(rows: dict[int, list[tuple[int, float]]]) -> None:
    keys = sorted(rows)
    unique = [list(dict(rows[key]).items()) for key in keys]
    scores = CrfScores(CrfWeights.packed(keys, unique, np.zeros((len(TAGS), len(TAGS)), dtype=np.float32)))
    asked = [*keys, 12345678901, 0]
    found = scores.emissions(np.array([asked], dtype=np.uint64))[0]
    expected = np.zeros(len(TAGS))
    for key in asked:
        for tag, weight in unique[keys.index(key)] if key in rows else ():
            expected[tag] += weight
    assert np.allclose(found, expected, atol=0.01 * (1 + len(keys)))


def test_keys_that_share_their_lower_bits_are_told_apart() -> None:
    keys = sorted([5, 5 + (1 << 20), 5 + (1 << 40), 5 + (3 << 20), 7])
    rows = [[(place, 1.0)] for place in range(len(keys))]
    scores = CrfScores(CrfWeights.packed(keys, rows, np.zeros((len(TAGS), len(TAGS)), dtype=np.float32)))
    for place, key in enumerate(keys):
        assert scores.emissions(np.array([[key, 0, key + (1 << 60)]], dtype=np.uint64))[0].argmax() == place


def test_weights_come_back_from_their_file(tmp_path: Path) -> None:
    weights = CrfWeights.packed([3, 9], [[(0, 1.5)], [(1, -2.0), (4, 0.25)]], np.eye(len(TAGS), dtype=np.float32))
    weights.save(tmp_path / "weights.safetensors")
    again = CrfWeights.load(tmp_path / "weights.safetensors")
    assert np.array_equal(again.keys, weights.keys)
    assert np.array_equal(again.weights, weights.weights)
    assert np.array_equal(again.transitions, weights.transitions)


@given(seed=st.integers(0, 10_000), tokens=st.integers(1, 4))
def test_the_best_chain_and_the_loss_agree_with_all_paths(seed: int, tokens: int) -> None:
    """Enumerate every path over three tags."""
    draw = np.random.default_rng(seed)
    emissions = draw.normal(size=(tokens, 3)).astype(np.float32)
    transitions = draw.normal(size=(3, 3)).astype(np.float32)
    scores = {
        path: sum(emissions[at, tag] for at, tag in enumerate(path))
        + sum(transitions[before, after] for before, after in pairwise(path))
        for path in product(range(3), repeat=tokens)
    }
    best = max(scores, key=lambda path: scores[path])
    assert tuple(best_chain(emissions, transitions).tolist()) == best
    # Beside an empty chain, which has no loss.
    padded_tags = torch.tensor([list(best), [0] * tokens])
    both = torch.from_numpy(np.stack((emissions, emissions)))
    loss = path_loss(both, torch.from_numpy(transitions), torch.tensor([tokens, 0]), padded_tags)
    assert float(loss) == pytest.approx(np.logaddexp.reduce(list(scores.values())) - scores[best], abs=1e-4)
