"""Byte-level BPE tokenizer with sub-words inside the tokens of a reading, and sequences of masked words."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from itertools import count, islice
from pathlib import Path
from typing import IO

import numpy as np
import torch
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
    """Return the files that match the patterns, in alphabetical order; one that several match is as often in it.

    Raises:
        InputRefused: a pattern matches no file.
    """
    found: list[Path] = []
    for pattern in patterns:
        matching = glob(pattern, recursive=True)  # noqa: PTH207 - the pattern may be absolute
        if not matching:
            raise InputRefused(f"no text at {pattern}.", "Check `pretraining.texts` and the working directory.")
        found += map(Path, matching)
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


# Sub-words of all texts, end to end, in files: neither memory nor the device needs to hold them.
IGNORED = -100  # torch's index of places excluded from the loss
_TEXTS = 256  # texts tokenized in one call
_KEPT_LEFT = 0.1  # share of the chosen words that are left as they are, and as many replaced by a random sub-word


class Subwords:
    """Sub-words of texts, end to end, cut into sequences of one length in a new order each pass.

    Args:
        folder: of `encode`.
        tokenizer: that of `encode`.
        length: of a sequence, its first and last special sub-words included.
    """

    def __init__(self, folder: Path, tokenizer: Tokenizer, length: int) -> None:
        self._ids = np.memmap(folder / _IDS, dtype=np.uint16, mode="r")
        self._beginnings = np.memmap(folder / _BEGINNINGS, dtype=np.bool_, mode="r")
        self._frame = number(tokenizer, BEGIN), number(tokenizer, END)
        self._body = length - 2

    def batches(self, size: int, seed: int, first: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield batches without end, from the number `first` on: sub-words and beginnings of words, (size, length).

        A batch depends on its number and the seed alone, so that a training resumes anywhere.

        Raises:
            InputRefused: the texts do not fill one batch.
        """
        each = (len(self._ids) // self._body - 1) // size  # of a pass, whose cuts are shifted by less than a sequence
        if each < 1:
            raise InputRefused("the texts do not fill one batch.", "Give more text, or a smaller batch and length.")
        for turn in count(first // each):
            draw = np.random.default_rng((seed, turn))
            shift = int(draw.integers(self._body))
            order = draw.permutation(len(self._ids) // self._body - 1)[: each * size].reshape(each, size)
            for rows in order[first % each if turn == first // each else 0 :]:
                yield self._sequences(shift + np.sort(rows) * self._body)

    def _sequences(self, starts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        places = starts[:, None] + np.arange(self._body)
        ids = np.empty((len(starts), self._body + 2), dtype=np.int64)
        beginnings = np.ones(ids.shape, dtype=np.bool_)
        ids[:, 0], ids[:, -1], ids[:, 1:-1] = *self._frame, self._ids[places]
        beginnings[:, 2:-1] = self._beginnings[places[:, 1:]]
        return ids, beginnings


_IDS, _BEGINNINGS = "subwords.u2", "beginnings.u1"


def encode(tokenizer: Tokenizer, texts: Iterable[str], folder: Path) -> None:
    """Write the sub-words of texts, end to end, and which begin a word, to `folder`; 256 texts are held at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _IDS).open("wb") as ids, (folder / _BEGINNINGS).open("wb") as beginnings:
        stream = iter(texts)
        while some := [*islice(stream, _TEXTS)]:
            for encoding in tokenizer.encode_batch(some, add_special_tokens=False):
                words = np.asarray(encoding.word_ids, dtype=np.int64)
                starts = np.ones(len(words), dtype=np.bool_)
                starts[1:] = np.diff(words) != 0
                ids.write(np.asarray(encoding.ids, dtype=np.uint16).tobytes())
                beginnings.write(starts.tobytes())


def masked(
    ids: torch.Tensor, beginnings: torch.Tensor, share: float, tokenizer: Tokenizer, draw: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return `(inputs, targets)`, both (sequences, length); the targets of unmasked places are `IGNORED`.

    All sub-words of a word are chosen together: 8 in 10 of the chosen are masked, 1 replaced, 1 left (Devlin et al.
    2019, section 3.1). Special sub-words are never chosen; at least one word is, so that the loss is defined.

    Args:
        ids: sub-words (sequences, length).
        beginnings: which of them begin a word, of the same shape.
        share: of words chosen.
        tokenizer: that of the sub-words.
        draw: on their device.
    """
    flat, at = ids.flatten(), torch.arange(ids.numel(), device=ids.device)
    fates = torch.rand(flat.shape, generator=draw, device=ids.device)
    special = torch.zeros_like(flat, dtype=torch.bool)
    for mark in SPECIAL:
        special |= flat == number(tokenizer, mark)
    fates = torch.where(beginnings.flatten() & ~special, fates, 1.0)
    fates[fates.argmin()] = 0.0
    fate = fates[torch.where(beginnings.flatten(), at, 0).cummax(0).values]
    hidden = fate < share
    seen = torch.where(fate < (1 - 2 * _KEPT_LEFT) * share, number(tokenizer, MASK), flat)
    strange = torch.randint(
        len(SPECIAL), tokenizer.get_vocab_size(), flat.shape, generator=draw, device=ids.device, dtype=ids.dtype
    )
    replaced = (fate >= (1 - 2 * _KEPT_LEFT) * share) & (fate < (1 - _KEPT_LEFT) * share)
    seen = torch.where(replaced, strange, seen)
    return seen.view_as(ids), torch.where(hidden, flat, IGNORED).view_as(ids)
