"""Training of the BiLSTM-CRF by AdamW with a one-cycle rate; reproducible from its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from deid.detection.taggers.bilstm import BiLstmCrf, ContextualStates, Shape, States, buckets
from deid.detection.taggers.crf import log_partition
from deid.detection.taggers.tags import TAGS
from nocturne_lab.learning.checkpoints import Checkpoint
from nocturne_lab.learning.objectives import FAR, chain_logarithms, chain_loss, distance
from nocturne_lab.learning.taggers.examples import TokenExample, hidden
from nocturne_lab.learning.taggers.stages import Stage

_LONGEST = 200  # tokens in a training chain
_GROUP = 128  # documents whose contextual states are held at a time


@dataclass(frozen=True, slots=True)
class Chain:
    """Consecutive tokens of a document, the number `document` of its group, from token `first` on.

    `columns` and `grams` are buckets, `known` tells which `tags` count, `teacher` is zero without one.
    """

    columns: torch.Tensor
    grams: torch.Tensor
    tags: torch.Tensor
    known: torch.Tensor
    teacher: torch.Tensor
    agrees: torch.Tensor | None
    document: int
    first: int
    states: torch.Tensor | None = None


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
    contextual: ContextualStates | None = None,
) -> BiLstmCrf:
    """Return a network trained from `start`, or from random weights, on `of_epoch(epoch)` in each epoch.

    Args:
        of_epoch: the examples of an epoch; the same whenever it is called.
        settings: every setting.
        start: the network to train, in place.
        checkpoint: where the state is kept, and from which an interrupted training goes on.
        name: of the stage in the checkpoint, and in messages.
        contextual: makes the contextual states, which a network of such a shape reads.

    Raises:
        InputRefused: the loss of a batch is not a finite number.
    """
    torch.manual_seed(settings.seed)
    model = start or BiLstmCrf(settings.shape)

    def batches(epoch: int) -> _Batches:
        return _Batches(of_epoch(epoch), settings, np.random.default_rng([settings.seed, epoch]), contextual)

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


class _Batches:
    """Batches of an epoch. With contextual states, documents are read in groups, whose states are held in turn."""

    def __init__(
        self,
        documents: Sequence[TokenExample],
        settings: BilstmSettings,
        random: np.random.Generator,
        contextual: ContextualStates | None,
    ) -> None:
        self._contextual = contextual
        order = random.permutation(len(documents)).tolist() if contextual else range(len(documents))
        size = _GROUP if contextual else max(1, len(documents))
        self._groups = [
            [documents[index] for index in order[first : first + size]] for first in range(0, len(documents), size)
        ]
        self._batches: list[tuple[int, list[Chain]]] = []
        for number, group in enumerate(self._groups):
            chains = list(_chains(group, settings, random))
            random.shuffle(chains)
            starts = range(0, len(chains), settings.batch)
            self._batches += [(number, chains[first : first + settings.batch]) for first in starts]
        self._held = (-1, list[States]())

    def __len__(self) -> int:
        return len(self._batches)

    def __getitem__(self, step: int) -> list[Chain]:
        number, chains = self._batches[step]
        if self._contextual is None:
            return chains
        if self._held[0] != number:
            group = self._groups[number]
            texts, starts, ends = ([getattr(one, name) for one in group] for name in ("text", "starts", "ends"))
            self._held = (number, self._contextual.states(texts, starts, ends))
        held = self._held[1]
        return [
            replace(one, states=torch.from_numpy(held[one.document][one.first : one.first + len(one.tags)]).float())
            for one in chains
        ]


def _chains(
    documents: Sequence[TokenExample], settings: BilstmSettings, random: np.random.Generator
) -> Iterator[Chain]:
    """Cut documents, as buckets, at random places into chains of at most `_LONGEST` tokens."""
    for number, example in enumerate(documents):
        seen = hidden(example.table, random, settings.hide_tables, settings.hide_rules)
        columns = buckets(seen.columns, settings.shape.column_buckets)
        grams = buckets(seen.grams, settings.shape.gram_buckets)
        gone = torch.from_numpy(random.random(len(columns)) < settings.hide_words)
        columns[gone, 0] = 0
        grams[gone] = 0
        tags, known = torch.from_numpy(example.tags), torch.from_numpy(example.known)
        agrees = None if example.agrees is None else torch.from_numpy(example.agrees)
        teacher = torch.zeros(len(tags), len(TAGS), dtype=torch.float16)
        if example.teacher is not None:
            teacher = torch.from_numpy(example.teacher).half()
        first = 0
        while first < len(tags):
            last = first + int(random.integers(_LONGEST // 2, _LONGEST + 1))
            part = slice(first, last)
            if known[part].any() or example.teacher is not None:
                parts = (columns[part], grams[part], tags[part], known[part], teacher[part])
                yield Chain(*parts, None if agrees is None else agrees[part], number, first)
            first = last


def _padded(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence(list(tensors), batch_first=True)


def _loss(model: BiLstmCrf, chains: Sequence[Chain], settings: BilstmSettings) -> torch.Tensor:
    """Return the mean loss per token: the loss of tags and, where there is a teacher, the distance from it.

    Of a partial annotation it is the negative log-likelihood of all paths that agree with it (Tsuboi et al. 2008).
    """
    lengths = torch.tensor([len(chain.tags) for chain in chains])
    columns, grams = (_padded(getattr(one, name) for one in chains) for name in ("columns", "grams"))
    tags, known, teacher = (_padded(getattr(one, name) for one in chains) for name in ("tags", "known", "teacher"))
    read = [one.states for one in chains if one.states is not None]
    states = _padded(read) if read else None
    partial = [one.agrees for one in chains if one.agrees is not None]
    if partial:
        emissions = model.emissions(columns, grams, lengths, states)
        agreeing = emissions.masked_fill(~_padded(partial), FAR)
        whole, some = (log_partition(one, model.transitions, lengths) for one in (emissions, agreeing))
        return (whole - some).sum() / lengths.sum()
    heard = teacher.sum(dim=2) > 0
    if bool(known.sum() == lengths.sum()) and not settings.bound and not heard.any():
        return model.loss(columns, grams, lengths, tags, states)
    emissions = model.emissions(columns, grams, lengths, states)
    loss = chain_loss(emissions, model.transitions, lengths, tags, known, settings.bound)
    if heard.any():
        apart = distance(chain_logarithms(emissions, model.transitions, lengths), teacher.float(), settings.temperature)
        loss = (1 - settings.taught) * loss + settings.taught * (apart * heard).sum() / heard.sum()
    return loss
