"""Sequences of masked words: texts packed end to end, some words hidden whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from deid.learning.transformer.vocabulary import BEGIN, END, MASK, SPECIAL, number

IGNORED = -100  # torch's mark for a place that is not judged
_TEXTS = 256  # texts tokenized in one call
_SHUFFLED = 2048  # sequences that wait to be drawn: neighbours of a file do not fill a batch


@dataclass(frozen=True, slots=True)
class Packed:
    """Sequences of one length: sub-words, and whether each begins a word; both (sequences, length)."""

    ids: NDArray[np.int64]
    beginnings: NDArray[np.bool_]


def packed(tokenizer: Tokenizer, texts: Iterable[str], length: int, batch: int, seed: int) -> Iterator[Packed]:
    """Batches of `batch` sequences of `length` sub-words, framed; what fills no whole batch at the end is left."""
    draw = np.random.default_rng(seed)
    waiting: list[tuple[NDArray[np.int64], NDArray[np.bool_]]] = []
    for sequence in _sequences(tokenizer, texts, length):
        waiting.append(sequence)
        if len(waiting) >= max(_SHUFFLED, batch):
            yield _drawn(waiting, batch, draw)
    while len(waiting) >= batch:
        yield _drawn(waiting, batch, draw)


def _drawn(waiting: list[tuple[NDArray[np.int64], NDArray[np.bool_]]], batch: int, draw: np.random.Generator) -> Packed:
    chosen = []
    for _ in range(batch):
        at = int(draw.integers(len(waiting)))
        waiting[at], waiting[-1] = waiting[-1], waiting[at]
        chosen.append(waiting.pop())
    return Packed(np.stack([ids for ids, _ in chosen]), np.stack([beginnings for _, beginnings in chosen]))


def _sequences(
    tokenizer: Tokenizer, texts: Iterable[str], length: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    first, last = number(tokenizer, BEGIN), number(tokenizer, END)
    body = length - 2
    held = np.empty(0, dtype=np.int64)
    beginnings = np.empty(0, dtype=bool)
    for ids, starts in _encoded(tokenizer, texts):
        held, beginnings = np.concatenate((held, ids)), np.concatenate((beginnings, starts))
        at = 0
        for at in range(0, len(held) - body + 1, body):
            sequence = np.concatenate(([first], held[at : at + body], [last]))
            words = np.concatenate(([True], beginnings[at : at + body], [True]))
            words[1] = True
            yield sequence, words
        if len(held) >= body:
            held, beginnings = held[at + body :], beginnings[at + body :]


def _encoded(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    """Sub-words of some texts one after the other, and whether each begins a word."""
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == _TEXTS:
            yield from _encode(tokenizer, some)
            some = []
    yield from _encode(tokenizer, some)


def _encode(tokenizer: Tokenizer, texts: list[str]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
    for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
        words = np.asarray(encoding.word_ids, dtype=np.int64)
        starts = np.ones(len(words), dtype=bool)
        starts[1:] = np.diff(words) != 0
        yield np.asarray(encoding.ids, dtype=np.int64), starts


def masked(
    sequences: Packed, share: float, tokenizer: Tokenizer, draw: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`(what the model sees, what it must say)`, both (sequences, length); places not judged are `IGNORED`.

    All sub-words of a word share its fate: 8 in 10 of the chosen are masked, 1 replaced, 1 left (Devlin et al. 2019,
    section 3.1). Frames are never chosen; at least one word is, so that a loss exists.
    """
    ids = sequences.ids
    words = np.cumsum(sequences.beginnings.ravel()) - 1
    chosen = draw.random(int(words[-1]) + 1)
    special = np.isin(ids, [number(tokenizer, mark) for mark in SPECIAL]).ravel()
    chosen[words[special]] = 1.0
    chosen[chosen.argmin()] = 0.0
    fate = chosen[words].reshape(ids.shape)
    hidden = fate < share
    seen = np.where(fate < 0.8 * share, number(tokenizer, MASK), ids)
    strange = draw.integers(len(SPECIAL), tokenizer.get_vocab_size(), ids.shape)
    seen = np.where((fate >= 0.8 * share) & (fate < 0.9 * share), strange, seen)
    return seen, np.where(hidden, ids, IGNORED)
