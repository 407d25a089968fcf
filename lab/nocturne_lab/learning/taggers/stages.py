"""One stage of a training: epochs of batches by AdamW with a one-cycle rate, from the last checkpoint on."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import torch
from torch import nn
from tqdm import tqdm

from deid.domain.errors import InputRefused
from nocturne_lab.learning.checkpoints import Checkpoint, Position
from nocturne_lab.learning.progress import tell_epoch

log = logging.getLogger(__name__)
B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)


class Batches(Protocol[B_co]):
    """The batches of an epoch, each made when it is asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, step: int, /) -> B_co: ...


@dataclass(frozen=True, slots=True)
class Stage(Generic[B]):
    """Network and settings of a stage; `batches(epoch)` gives the same batches at each call, `loss` their loss."""

    name: str
    model: nn.Module
    batches: Callable[[int], Batches[B]]
    loss: Callable[[B], torch.Tensor]
    epochs: int
    rate: float
    decay: float = 0.0
    seed: int = 0

    def run(self, checkpoint: Checkpoint | None = None) -> None:
        """Train the network; the same seed and batches give the same weights, with and without a kill between.

        Raises:
            InputRefused: the loss of a batch is not a finite number.
        """
        torch.manual_seed(self.seed)
        optimisers, dense = _optimisers(self.model, self.rate, self.decay)
        at = checkpoint.restore(self.name, self.model, optimisers) if checkpoint else None
        begun = at or Position(self.name, 0, 0)
        self.model.train()
        for epoch in range(begun.epoch, self.epochs):
            batches = self.batches(epoch)
            steps = range(begun.step if epoch == begun.epoch else 0, len(batches))
            progress = tqdm(steps, desc=f"{self.name} {epoch + 1}/{self.epochs}", unit=" batches", disable=None)
            for step in progress:
                rate = self.rate * _cycle((epoch + step / len(batches)) / self.epochs)
                for optimiser in optimisers:
                    for group in optimiser.param_groups:
                        group["lr"] = rate
                    optimiser.zero_grad()
                loss = self.loss(batches[step])
                if not torch.isfinite(loss):
                    raise InputRefused(
                        f"{self.name}, epoch {epoch + 1}, batch {step + 1}: the loss is not a finite number.",
                        "Train again with a lower --rate or another --seed; an earlier model stays as it was.",
                    )
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(dense, 1.0)
                for optimiser in optimisers:
                    optimiser.step()
                progress.set_postfix(loss=f"{loss.item():.4f}")
                if checkpoint:
                    checkpoint.offer(Position(self.name, epoch, step + 1), self.model, optimisers)
            if steps:
                log.info("%s: epoch %d of %d, last loss %.4f", self.name, epoch + 1, self.epochs, loss.item())
                tell_epoch(self.name, epoch + 1, self.epochs, loss.item())
        self.model.eval()


def _optimisers(model: nn.Module, rate: float, decay: float) -> tuple[list[torch.optim.Optimizer], list[nn.Parameter]]:
    """Return the optimizers of sparse and of dense parameters, and the dense parameters."""
    layers = [list(one.parameters()) for one in model.modules() if isinstance(one, nn.LSTM | nn.Linear | nn.Embedding)]
    decayed = {id(one) for layer in layers for one in layer}
    tables = [one.weight for one in model.modules() if isinstance(one, nn.EmbeddingBag) and one.weight.requires_grad]
    sparse = {id(one) for one in tables}
    dense = [one for one in model.parameters() if one.requires_grad and id(one) not in sparse]
    groups = [
        {"params": [one for one in dense if id(one) in decayed], "weight_decay": decay},
        {"params": [one for one in dense if id(one) not in decayed], "weight_decay": 0.0},
    ]
    betas = (0.9, 0.98)
    found: list[torch.optim.Optimizer] = [torch.optim.AdamW(groups, lr=rate, betas=betas)]
    if tables:
        found.insert(0, torch.optim.SparseAdam(tables, lr=rate, betas=betas))
    return found, dense


def _cycle(done: float) -> float:
    """Return the learning rate factor: linear warm-up over the first tenth, then a cosine down to a hundredth."""
    return done / 0.1 if done < 0.1 else 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (done - 0.1) / 0.9))
