"""Texts to sub-words, a bounded part at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from tokenizers import Encoding, Tokenizer

from deid.detection.annotators.transformer.windows import Subwords, blocks

# Characters given to the tokenizer in one part: nearly every document is one. What it makes of 10 MB is a gigabyte.
BLOCK = 1 << 15
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def subwords(tokenizer: Tokenizer, text: str) -> Iterator[Subwords]:
    """The sub-words of `text`, part by part, without special ones; offsets into `text`."""
    for start, end in blocks(text, BLOCK):
        yield _subwords(tokenizer.encode(_encodable(text[start:end]), add_special_tokens=False), start)


def together(tokenizer: Tokenizer, texts: Sequence[str]) -> Iterator[Iterator[Subwords]]:
    """`subwords` of each text; the short ones are tokenized in one call, on as many threads as the library takes."""
    short = [text for text in texts if len(text) <= BLOCK]
    encoded = iter(tokenizer.encode_batch([_encodable(text) for text in short], add_special_tokens=False))
    for text in texts:
        yield iter((_subwords(next(encoded), 0),)) if len(text) <= BLOCK else subwords(tokenizer, text)


def frame(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The special sub-words that the model expects before and after a text."""
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    framed = tokenizer.encode("a", add_special_tokens=True).ids
    if len(framed) == len(bare):
        return [], []
    at = next(at for at in range(len(framed)) if framed[at : at + len(bare)] == bare)
    return framed[:at], framed[at + len(bare) :]


def _encodable(text: str) -> str:
    """Half a surrogate pair is no character that the library can take: one for one, so that offsets stay true."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def _subwords(encoding: Encoding, shift: int) -> Subwords:
    # Twice as fast as an array of pairs, and half of what is left to do here.
    flat = np.fromiter(chain.from_iterable(encoding.offsets), dtype=np.int64, count=2 * len(encoding))
    offsets = flat.reshape(-1, 2)
    # A sub-word of no character (the mark that some tokenizers put before a text) touches nothing.
    real = offsets[:, 1] > offsets[:, 0]
    if real.all():
        return Subwords(np.asarray(encoding.ids, dtype=np.int64), offsets[:, 0] + shift, offsets[:, 1] + shift)
    starts = np.maximum.accumulate(offsets[:, 0])
    ends = np.where(real, offsets[:, 1], starts)
    return Subwords(np.asarray(encoding.ids, dtype=np.int64), starts + shift, ends + shift)
