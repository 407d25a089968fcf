"""Training of the BiLSTM-CRF by AdamW with a one-cycle rate; reproducible from its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from deid.detection.taggers.bilstm import BiLstmCrf, Shape, buckets
from deid.detection.taggers.tags import TAGS
from deid.learning.checkpoints import Checkpoint
from deid.learning.objectives import chain_logarithms, chain_loss, distance
from deid.learning.taggers.examples import TokenExample, hidden
from deid.learning.taggers.stages import Stage

_LONGEST = 200  # tokens in a training chain
# Of a chain: columns and grams as buckets, tags, which are known, distributions of a teacher, of zeros without one.
Chain = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class BilstmSettings:
    """Settings; `batch` counts chains, and `hide_…` are the rates of hidden table and rule features per token.

    `bound`, in [0, 1], bounds the loss of labels that may be wrong (`objectives.bounded_loss`); 0 does not. Of a
    teacher's distributions, `taught` is the weight against tags and `temperature` what softens both.
    """

    shape: Shape = field(default_factory=Shape)
    epochs: int = 9
    batch: int = 36
    rate: float = 4e-3
    decay: float = 1e-2
    hide_tables: float = 0.12
    hide_rules: float = 0.10
    hide_words: float = 0.04
    bound: float = 0.0
    taught: float = 0.5
    temperature: float = 2.0
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
        lambda chains: _loss(model, chains, settings),
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
        tags, known = torch.from_numpy(example.tags), torch.from_numpy(example.known)
        teacher = torch.zeros(len(tags), len(TAGS), dtype=torch.float16)
        if example.teacher is not None:
            teacher = torch.from_numpy(example.teacher).half()
        first = 0
        while first < len(tags):
            last = first + int(random.integers(_LONGEST // 2, _LONGEST + 1))
            part = slice(first, last)
            if known[part].any() or example.teacher is not None:
                yield columns[part], grams[part], tags[part], known[part], teacher[part]
            first = last


def _loss(model: BiLstmCrf, chains: Sequence[Chain], settings: BilstmSettings) -> torch.Tensor:
    """Return the mean loss per token: that of tags and, where there is a teacher, the distance from it."""
    lengths = torch.tensor([len(chain[0]) for chain in chains])
    columns, grams, tags, known, teacher = (
        torch.nn.utils.rnn.pad_sequence([chain[part] for chain in chains], batch_first=True) for part in range(5)
    )
    heard = teacher.sum(dim=2) > 0
    if bool(known.sum() == lengths.sum()) and not settings.bound and not heard.any():
        return model.loss(columns, grams, lengths, tags)
    emissions = model.emissions(columns, grams, lengths)
    loss = chain_loss(emissions, model.transitions, lengths, tags, known, settings.bound)
    if heard.any():
        apart = distance(chain_logarithms(emissions, model.transitions, lengths), teacher.float(), settings.temperature)
        loss = (1 - settings.taught) * loss + settings.taught * (apart * heard).sum() / heard.sum()
    return loss
