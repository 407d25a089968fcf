"""Byte-level BPE tokenizer with sub-words inside the tokens of a reading, and masked training sequences."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from deid.domain.errors import InputRefused

BEGIN, PAD, END, UNKNOWN, MASK = "<s>", "<pad>", "</s>", "<unk>", "<mask>"
SPECIAL = (BEGIN, PAD, END, UNKNOWN, MASK)
# A word, a digit or a sign, with the blank before it; a line break; other blanks. Digits are separate sub-words, since
# their number distinguishes a postal code from a phone number.
_PIECES = r" ?[\p{L}\p{M}]+| ?\d| ?[^\s\p{L}\p{M}\d]|\n|[^\S\n]+(?!\S)|[^\S\n]+"


def learn(texts: Iterable[str], size: int, megabytes: float) -> Tokenizer:
    """Return a tokenizer of at most `size` entries trained on the first `megabytes` (of characters) of `texts`.

    Byte-level BPE (Sennrich et al. 2016; Radford et al. 2019): every character has an encoding, and line breaks stay.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_first(texts, round(megabytes * 1e6)), trainer)
    frame = [(mark, tokenizer.token_to_id(mark)) for mark in (BEGIN, END)]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{BEGIN} $A {END}", special_tokens=frame)
    return tokenizer


def number(tokenizer: Tokenizer, mark: str) -> int:
    """Return the index of a special sub-word.

    Raises:
        InputRefused: the tokenizer lacks the sub-word, hence was not written by `learn`.
    """
    found = tokenizer.token_to_id(mark)
    if found is None:
        raise InputRefused(f"the tokenizer has no {mark}.", "Pre-train with a tokenizer of our own.")
    return found


def _first(texts: Iterable[str], characters: int) -> Iterator[str]:
    for text in texts:
        yield text
        characters -= len(text)
        if characters <= 0:
            return


# Files of running text, read line by line in mixed order; no file is held in memory.
_LINES = 64  # lines taken from a file at a time


def files(patterns: Sequence[str]) -> list[Path]:
    """Return the files that match the patterns, without duplicates, in alphabetical order.

    Raises:
        InputRefused: a pattern matches no file.
    """
    found: set[Path] = set()
    for pattern in patterns:
        matching = glob(pattern, recursive=True)  # noqa: PTH207 - the pattern may be absolute
        if not matching:
            raise InputRefused(f"no text at {pattern}.", "Check `pretraining.texts` and the working directory.")
        found.update(map(Path, matching))
    return sorted(found)


def passages(paths: Sequence[Path], seed: str) -> Iterator[str]:
    """Yield passages of some lines from all files, each line once; files are drawn in proportion to their size.

    Raises:
        InputRefused: a file is not UTF-8, or its compression is broken.
    """
    draw = random.Random(seed)  # noqa: S311 - an order, no secret
    streams = [(path, _opened(path)) for path in paths]
    sizes = [max(1, path.stat().st_size) for path in paths]
    try:
        while streams:
            at = draw.choices(range(len(streams)), sizes)[0]
            path, stream = streams[at]
            lines = _lines(path, stream)
            if lines:
                yield "".join(lines)
            else:
                stream.close()
                del streams[at], sizes[at]
    finally:
        for _, stream in streams:
            stream.close()


def _lines(path: Path, stream: IO[str]) -> list[str]:
    try:
        lines = list(islice(stream, _LINES))
        if ".jsonl" in path.suffixes:
            return [json.loads(line)["text"] + "\n" for line in lines]
    except (UnicodeDecodeError, EOFError, OSError, lzma.LZMAError):
        raise InputRefused(f"{path.name}: not UTF-8, or its packing is broken.", "Fetch it again.") from None
    except (ValueError, KeyError, TypeError):
        raise InputRefused(f'{path.name}: a line is not a JSON object with a "text".', "Mend the file.") from None
    return lines


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


# Masked sequences: texts packed end to end, some words masked whole.
IGNORED = -100  # torch's index of places excluded from the loss
_TEXTS = 256  # texts tokenized in one call
_SHUFFLED = 2048  # sequences in the shuffle buffer, so that a batch mixes files


@dataclass(frozen=True, slots=True)
class Packed:
    """Sequences of one length: sub-words and word-initial flags, both (sequences, length)."""

    ids: NDArray[np.int64]
    beginnings: NDArray[np.bool_]


def packed(tokenizer: Tokenizer, texts: Iterable[str], length: int, batch: int, seed: int) -> Iterator[Packed]:
    """Yield batches of `batch` sequences of `length` sub-words, without an incomplete last batch."""
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
    """Return the sub-words of some texts, concatenated, and their word-initial flags."""
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
    """Return `(inputs, targets)`, both (sequences, length); the targets of unmasked places are `IGNORED`.

    All sub-words of a word are chosen together: 8 in 10 of the chosen are masked, 1 replaced, 1 left (Devlin et al.
    2019, section 3.1). Special sub-words are never chosen; at least one word is, so that the loss is defined.
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
