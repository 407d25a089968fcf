"""The network on small shapes: loss, probabilities, padding, embeddings and parameters that are saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from deid.detection.taggers.bilstm import BiLstmCrf, Shape, buckets, load_embeddings, save_embeddings
from deid.detection.taggers.tags import TAGS

SMALL = Shape(column_buckets=64, column_width=4, gram_buckets=32, gram_width=4, hidden=6, dropout=0.0)
LENGTHS = torch.tensor([5, 2])


@pytest.fixture
def network() -> BiLstmCrf:
    torch.manual_seed(1)
    return BiLstmCrf(SMALL)


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    random = np.random.default_rng(3)
    columns, grams = random.integers(1, 64, (2, 5, 3)), random.integers(1, 32, (2, 5, 2))
    columns[1, 2:] = grams[1, 2:] = 0
    return torch.from_numpy(columns), torch.from_numpy(grams)


def test_probabilities_sum_to_one_on_tokens_and_are_zero_on_padding(network: BiLstmCrf) -> None:
    found = network.eval().probabilities(*batch(), LENGTHS)
    assert found.shape == (2, 5, len(TAGS))
    assert torch.allclose(found.sum(dim=2), torch.tensor([[1.0] * 5, [1.0, 1.0, 0, 0, 0]]), atol=1e-5)


def test_a_chain_does_not_depend_on_its_padding(network: BiLstmCrf) -> None:
    columns, grams = batch()
    alone = network.eval().probabilities(columns[1:, :2], grams[1:, :2], LENGTHS[1:])
    assert torch.allclose(network.probabilities(columns, grams, LENGTHS)[1, :2], alone[0], atol=1e-5)


def test_the_loss_is_the_negative_log_likelihood_of_the_path() -> None:
    torch.manual_seed(1)
    network = BiLstmCrf(SMALL).eval()
    columns, grams = (part[:1, :1] for part in batch())
    tags = torch.tensor([[3]])
    likelihood = network.probabilities(columns, grams, torch.tensor([1]))[0, 0, 3]
    loss = network.loss(columns, grams, torch.tensor([1]), tags)
    assert float(loss.detach()) == pytest.approx(-float(likelihood.log()), abs=1e-4)


def test_training_lowers_the_loss(network: BiLstmCrf) -> None:
    tags = torch.tensor([[0, 1, 2, 0, 0], [1, 2, 0, 0, 0]])
    losses = []
    for _ in range(15):
        network.zero_grad()
        loss = network.loss(*batch(), LENGTHS, tags)
        losses.append(float(loss.detach()))
        loss.backward()
        with torch.no_grad():
            for value in network.parameters():
                if value.grad is not None:
                    value -= 0.2 * (value.grad.to_dense() if value.grad.is_sparse else value.grad)
    assert losses[-1] < losses[0] / 2


def test_embeddings_are_read_back_kept_and_not_saved_again(network: BiLstmCrf, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float16)
    save_embeddings(rows, tmp_path / "rows.safetensors")
    assert "grams.weight" in network.halved()
    network.embed(load_embeddings(tmp_path / "rows.safetensors"))
    assert not network.grams.weight.requires_grad
    assert "grams.weight" not in network.halved()
    assert all(value.dtype is torch.float16 for value in network.halved().values())
    with pytest.raises(ValueError, match="expected"):
        network.embed(rows[:, :2])


def test_missing_features_have_bucket_0_and_others_never() -> None:
    ids = np.array([[0, 1, 2**64 - 1, 31, 30]], dtype=np.uint64)
    found = buckets(ids, 32)[0].tolist()
    assert found[0] == 0
    assert all(1 <= one < 32 for one in found[1:])
    assert Shape(**SMALL.as_json()) == SMALL
