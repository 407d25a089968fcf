"""Training examples of transformers: windows of sub-words with their tags."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid.detection.annotators.transformer.subwords import Alignment, plan_windows, special_subwords, tokenize
from deid.detection.taggers.tags import encode
from deid.detection.text.reading import Reading
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.objectives import LEAST_CONFIDENCE, known_tokens
from nocturne_lab.learning.transformer.optimization import Machine
from nocturne_lab.learning.transformer.pretraining_data import IGNORED


@dataclass(frozen=True, slots=True)
class WindowExample:
    """Window of sub-words, special ones included, with one tag index each.

    `IGNORED` stands inside a token, and in sentences with a doubtful mention. `scored`: the sub-words that tokens are
    scored by, with a tag or without one.
    """

    ids: NDArray[np.int64]
    tags: NDArray[np.int64]
    scored: NDArray[np.bool_]


def window_examples(
    tokenizer: Tokenizer,
    documents: Iterable[GoldDocument],
    length: int,
    least: float = LEAST_CONFIDENCE,
    *,
    tagged: bool = True,
) -> Iterator[WindowExample]:
    """Return the windows of documents, aligned as at inference; each token is scored in one window at most.

    Args:
        tokenizer: the model's.
        documents: annotated; `score` of a mention is the confidence in it.
        length: sub-words of a window, special ones included.
        least: confidence of a mention from which its sentence has tags.
        tagged: leave out windows without a tag.
    """
    before, after = special_subwords(tokenizer)
    size = length - len(before) - len(after)
    for gold in documents:
        reading = Reading(gold.document)
        wanted = np.where(known_tokens(reading, gold.mentions, least), encode(reading, gold.mentions), IGNORED)
        alignment = Alignment(reading.starts, reading.ends)
        parts = tokenize(tokenizer, reading.text)
        for window in plan_windows(reading.text, parts, size, size // 4):
            tokens, positions, shared = alignment.take(window)
            if len(tokens):
                ids = np.concatenate((before, window.subwords.ids, after)).astype(np.int64)
                tags = np.full(len(ids), IGNORED, dtype=np.int64)
                places = positions[~shared] + len(before)
                tags[places] = wanted[tokens[~shared]]
                scored = np.zeros(len(ids), dtype=np.bool_)
                scored[places] = True
                if (tags != IGNORED).any() or (scored.any() and not tagged):
                    yield WindowExample(ids, tags, scored)


_POOL = 32  # batches whose windows are put in the order of their lengths


def alike_batches(windows: Sequence[WindowExample], size: int, seed: str) -> list[list[WindowExample]]:
    """Return batches of windows in an order drawn by `seed`, those of a batch of like lengths: less is padding."""
    draw = random.Random(seed)  # noqa: S311
    order = [*windows]
    draw.shuffle(order)
    pools = [
        sorted(order[at : at + _POOL * size], key=lambda one: len(one.ids)) for at in range(0, len(order), _POOL * size)
    ]
    batches = [pool[at : at + size] for pool in pools for at in range(0, len(pool), size)]
    draw.shuffle(batches)
    return batches


def padded_windows(
    batch: Sequence[WindowExample], padding: int, machine: Machine
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return sub-words, mask (0 in padding) and target tags of windows, on the device, (windows, sub-words) each."""
    width = max(len(example.ids) for example in batch)
    ids = np.full((len(batch), width), padding, dtype=np.int64)
    mask, wanted = np.zeros_like(ids), np.full_like(ids, IGNORED)
    for row, example in enumerate(batch):
        ids[row, : len(example.ids)] = example.ids
        mask[row, : len(example.ids)] = 1
        wanted[row, : len(example.ids)] = example.tags
    return machine.moved(ids), machine.moved(mask), machine.moved(wanted)


def split(documents: Sequence[GoldDocument], share: float, seed: int) -> tuple[list[GoldDocument], list[GoldDocument]]:
    """Return `(training, held out)`: whole authors are held out up to a share of at least `share` of the documents.

    Documents of one author resemble each other, so that a split by document would overestimate the scores. Where no
    author is named, or a single one, whole patients are held out: a name that was learned is no measure. A document of
    an unknown patient is by itself.
    """
    if not share:
        return list(documents), []
    by_author = len({gold.author for gold in documents}) > 1
    groups: dict[tuple[str, str], list[GoldDocument]] = {}
    for gold in documents:
        groups.setdefault(_group(gold, by_author=by_author), []).append(gold)
    names = sorted(groups, key=itemgetter(1, 0))
    random.Random(seed).shuffle(names)  # noqa: S311
    held: set[tuple[str, str]] = set()
    while sum(len(groups[name]) for name in held) < share * len(documents) and len(names) > 1:
        held.add(names.pop())
    # In the given order: the measures must not depend on the order of the draws.
    out = {id(gold) for name in held for gold in groups[name]}
    return [one for one in documents if id(one) not in out], [one for one in documents if id(one) in out]


def _group(gold: GoldDocument, *, by_author: bool) -> tuple[str, str]:
    """Return what a document shares with others that resemble it, and the kind of that."""
    if by_author and gold.author:
        return "author", gold.author
    patient = gold.document.patient.key or gold.document.patient.ipp or gold.document.patient.nir
    return ("patient", patient) if patient else ("document", gold.document.id)
