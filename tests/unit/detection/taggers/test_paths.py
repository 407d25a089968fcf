"""The chain's sums and searches against plain enumeration of all paths."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import torch

from deid.detection.taggers.crf import marginals, padded
from deid.detection.taggers.tags import TAGS, allowed_transitions, best_path, log_probabilities


def enumerated(emissions: np.ndarray, transitions: np.ndarray) -> np.ndarray:
    """Marginals by summing over every path."""
    tokens, tags = emissions.shape
    total = np.zeros((tokens, tags))
    for path in product(range(tags), repeat=tokens):
        score = sum(emissions[at, tag] for at, tag in enumerate(path))
        score += sum(transitions[before, after] for before, after in pairwise(path))
        for at, tag in enumerate(path):
            total[at, tag] += np.exp(score)
    return total / total.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_marginals_are_those_of_all_paths(seed: int) -> None:
    random = np.random.default_rng(seed)
    chains = [random.normal(size=(length, 4)).astype(np.float32) * 3 for length in (1, 5, 3)]
    transitions = random.normal(size=(4, 4)).astype(np.float32) * 2
    batch, lengths = padded(chains)
    found = marginals(batch, torch.from_numpy(transitions), lengths).numpy()
    for row, chain in enumerate(chains):
        assert np.allclose(found[row, : len(chain)], enumerated(chain, transitions), atol=1e-5)
        assert not found[row, len(chain) :].any()


def test_marginals_stand_extreme_potentials() -> None:
    emissions = torch.full((1, 400, 3), -500.0)
    emissions[0, :, 1] = 500.0
    transitions = torch.tensor([[0.0, -60.0, 0.0], [-60.0, -60.0, 0.0], [0.0, 0.0, 0.0]])
    found = marginals(emissions, transitions, torch.tensor([400]))
    assert torch.isfinite(found).all()
    assert torch.allclose(found.sum(dim=2), torch.ones(1, 400), atol=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_best_path_is_the_best_of_all_allowed_paths(seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = np.full((4, len(TAGS)), -50.0, dtype=np.float32)
    few = [0, 1, 2, 3, 4]  # O and the tags of two labels
    scores[:, few] = random.normal(size=(4, len(few))) * 2
    may = allowed_transitions()

    def legal(path: tuple[int, ...]) -> bool:
        steps = pairwise(path)
        return not TAGS[path[0]].startswith("I-") and all(may[before, after] for before, after in steps)

    paths = [path for path in product(few, repeat=4) if legal(path)]
    best = max(paths, key=lambda path: sum(scores[at, tag] for at, tag in enumerate(path)))
    assert tuple(best_path(scores)) == best


def test_nothing_has_no_path() -> None:
    assert best_path(np.zeros((0, len(TAGS)), dtype=np.float32)) == []


def test_logarithms_have_a_floor() -> None:
    assert np.isfinite(log_probabilities(np.zeros((2, len(TAGS)), dtype=np.float32))).all()
