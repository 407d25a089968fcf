"""Training of the BiLSTM-CRF by AdamW with a one-cycle rate; reproducible from its seed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from tqdm import tqdm

from deid.detection.taggers.bilstm import BiLstmCrf, Shape, buckets
from deid.learning.taggers.examples import TokenExample, hidden

_LONGEST = 200  # tokens in a training chain
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
) -> BiLstmCrf:
    """Return a network trained from `start`, or from random weights, on `of_epoch(epoch)` in each epoch."""
    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    model = start or BiLstmCrf(settings.shape)
    model.train()
    embeddings = [one for one in (model.columns.weight, model.grams.weight) if one.requires_grad]
    rest = [*model.onward.parameters(), *model.backward_.parameters(), *model.out.parameters()]
    free = [*model.norm.parameters(), model.transitions]
    optimisers = [
        torch.optim.SparseAdam(embeddings, lr=settings.rate, betas=(0.9, 0.98)),
        torch.optim.AdamW(
            [{"params": rest, "weight_decay": settings.decay}, {"params": free, "weight_decay": 0.0}],
            lr=settings.rate,
            betas=(0.9, 0.98),
        ),
    ]
    for epoch in range(settings.epochs):
        chains = list(_chains(of_epoch(epoch), settings, random))
        random.shuffle(chains)
        starts = range(0, len(chains), settings.batch)
        progress = tqdm(starts, desc=f"epoch {epoch + 1}/{settings.epochs}", unit=" batches", disable=None)
        for step, first in enumerate(progress):
            done = (epoch + step / len(starts)) / settings.epochs
            for optimiser in optimisers:
                for group in optimiser.param_groups:
                    group["lr"] = settings.rate * _cycle(done)
                optimiser.zero_grad()
            loss = model.loss(*_batch(chains[first : first + settings.batch]))
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_([*rest, *free], 1.0)
            for optimiser in optimisers:
                optimiser.step()
            progress.set_postfix(loss=f"{loss.item():.4f}")
    model.eval()
    return model


def _cycle(done: float) -> float:
    """Return the learning rate factor: linear warm-up over the first tenth, then a cosine down to a hundredth."""
    return done / 0.1 if done < 0.1 else 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (done - 0.1) / 0.9))


def _chains(
    documents: Sequence[TokenExample], settings: BilstmSettings, random: np.random.Generator
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
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


def _batch(chains: Sequence[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]) -> Batch:
    lengths = torch.tensor([len(tags) for _, _, tags in chains])
    columns, grams, tags = (
        torch.nn.utils.rnn.pad_sequence([chain[part] for chain in chains], batch_first=True) for part in range(3)
    )
    return columns, grams, lengths, tags
