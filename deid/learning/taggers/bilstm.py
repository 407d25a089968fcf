"""Training of the BiLSTM-CRF by AdamW with a one-cycle rate; reproducible from its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from deid.detection.taggers.bilstm import BiLstmCrf, Shape, buckets
from deid.learning.checkpoints import Checkpoint
from deid.learning.taggers.examples import TokenExample, hidden
from deid.learning.taggers.stages import Stage

_LONGEST = 200  # tokens in a training chain
Chain = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class BilstmSettings:
    """Settings; `batch` counts chains, and `hide_…` are the rates of hidden table and rule features per token."""

    shape: Shape = field(default_factory=Shape)
    epochs: int = 9
    batch: int = 36
    rate: float = 4e-3
    decay: float = 1e-2
    hide_tables: float = 0.12
    hide_rules: float = 0.10
    hide_words: float = 0.04
    seed: int = 2026


def train_network(
    of_epoch: Callable[[int], Sequence[TokenExample]],
    settings: BilstmSettings,
    start: BiLstmCrf | None = None,
    checkpoint: Checkpoint | None = None,
    name: str = "network",
) -> BiLstmCrf:
    """Return a network trained from `start`, or from random weights, on `of_epoch(epoch)` in each epoch.

    Args:
        of_epoch: the examples of an epoch; the same whenever it is called.
        settings: every setting.
        start: the network to train, in place.
        checkpoint: where the state is kept, and from which an interrupted training goes on.
        name: of the stage in the checkpoint, and in messages.

    Raises:
        InputRefused: the loss of a batch is not a finite number.
    """
    torch.manual_seed(settings.seed)
    model = start or BiLstmCrf(settings.shape)

    def batches(epoch: int) -> list[list[Chain]]:
        random = np.random.default_rng([settings.seed, epoch])
        chains = list(_chains(of_epoch(epoch), settings, random))
        random.shuffle(chains)
        return [chains[first : first + settings.batch] for first in range(0, len(chains), settings.batch)]

    Stage(
        name,
        model,
        batches,
        lambda chains: model.loss(*_batch(chains)),
        settings.epochs,
        settings.rate,
        settings.decay,
        settings.seed,
    ).run(checkpoint)
    return model


def _chains(
    documents: Sequence[TokenExample], settings: BilstmSettings, random: np.random.Generator
) -> Iterator[Chain]:
    """Cut documents, as buckets, at random places into chains of at most `_LONGEST` tokens."""
    for example in documents:
        seen = hidden(example.table, random, settings.hide_tables, settings.hide_rules)
        columns = buckets(seen.columns, settings.shape.column_buckets)
        grams = buckets(seen.grams, settings.shape.gram_buckets)
        gone = torch.from_numpy(random.random(len(columns)) < settings.hide_words)
        columns[gone, 0] = 0
        grams[gone] = 0
        tags = torch.from_numpy(example.tags)
        first = 0
        while first < len(tags):
            last = first + int(random.integers(_LONGEST // 2, _LONGEST + 1))
            yield columns[first:last], grams[first:last], tags[first:last]
            first = last


def _batch(chains: Sequence[Chain]) -> Batch:
    lengths = torch.tensor([len(tags) for _, _, tags in chains])
    columns, grams, tags = (
        torch.nn.utils.rnn.pad_sequence([chain[part] for chain in chains], batch_first=True) for part in range(3)
    )
    return columns, grams, lengths, tags
