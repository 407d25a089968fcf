"""Examples of open corpora, where only people, places and organisations are tagged, for a first stage of training.

A token has a coarse class, or none of the classes that the corpus decides: each example says which tags agree with
that, and the loss is that of all paths that agree (`nocturne_lab.learning.taggers.bilstm`). Tchouka et al. 2022,
section 3.3, trained on WikiNER and QUAERO.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from deid.detection.annotators import FEATURE_RULES
from deid.detection.taggers.features import feature_table
from deid.detection.taggers.tags import LABELS, TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import InputRefused
from deid.domain.labels import SCHEMES
from nocturne_lab.learning.open_corpora import (
    CORPORA,
    QUAERO,
    Marks,
    OpenCorpus,
    TaggedSentence,
    read_quaero,
    read_sentences,
)
from nocturne_lab.learning.taggers.examples import TokenExample

_SENTENCES = 8  # in a passage
LIMIT = 330_000  # tokens per corpus
_NO_BLANK_BEFORE = re.compile(r"[,.;:!?)\]…]|-[a-zà-ÿ]")


def open_examples(paths: Sequence[Path], limit: int = LIMIT) -> list[TokenExample]:
    """Return the passages of open corpora, about `limit` tokens of each, so that each has the same weight.

    Raises:
        InputRefused: a file is none of `nocturne_lab.learning.open_corpora`, has no names, or cannot be read.
    """
    return [
        example
        for path in paths
        for example in tqdm(tagged_passages(path, limit), desc=path.name, unit=" passages", disable=None)
    ]


def tagged_passages(path: Path, limit: int = LIMIT) -> Iterator[TokenExample]:
    """Yield passages of a corpus, with their features and the tags that agree with each token."""
    corpus = open_corpus(path)
    agreeing = {
        "O": np.array([_coarse(tag) not in corpus.decides for tag in range(len(TAGS))]),
        **{
            f"{place}-{name}": np.array(
                [_coarse(tag) == target and TAGS[tag].startswith(place) for tag in range(len(TAGS))]
            )
            for name, target in corpus.classes.items()
            for place in "BI"
        },
    }
    tokens = 0
    texts = read_quaero(path) if corpus is QUAERO else _joined(read_sentences(path))
    for number, (text, marks) in enumerate(texts, start=1):
        if text.strip():
            found = _passage(f"{corpus.file}-{number}", text, marks, agreeing)
            tokens += len(found.tags)
            yield found
        if tokens > limit:
            return


def open_corpus(path: Path) -> OpenCorpus:
    """Return the description of the corpus in a file or, for QUAERO, in a folder.

    Raises:
        InputRefused: unknown by its name, or without classes of names.
    """
    corpus = QUAERO if path.is_dir() else CORPORA.get(path.name)
    if corpus is None or not corpus.classes:
        known = ", ".join(name for name, one in CORPORA.items() if one.classes)
        raise InputRefused(f"{path.name} is no open corpus with names.", f"Known: {known}; or QUAERO's folder.")
    return corpus


def _joined(sentences: Iterable[TaggedSentence]) -> Iterator[tuple[str, Marks]]:
    """Yield texts of a few sentences, one a line, and the marks of their tokens."""
    rest = iter(sentences)
    while group := list(islice(rest, _SENTENCES)):
        text, marks = "", list[tuple[int, int, str]]()
        for sentence in group:
            for token, tag in zip(sentence.tokens, sentence.tags, strict=True):
                if text and text[-1] not in "\n'’(" and not _NO_BLANK_BEFORE.match(token):
                    text += " "
                marks.append((len(text), len(text) + len(token), tag))
                text += token
            text += "\n"
        yield text, marks


def _coarse(tag: int) -> str | None:
    label = LABELS[tag]
    return None if label is None else SCHEMES["coarse"][label]


def _passage(name: str, text: str, marks: Marks, agreeing: dict[str, NDArray[np.bool_]]) -> TokenExample:
    """Return the example of a text; the tokens of `deid` differ from those of the corpus."""
    reading = Reading(Document("passage", text))
    seen = feature_table(reading, FEATURE_RULES)
    agrees = np.tile(agreeing["O"], (len(reading.starts), 1))
    for (_, _, tag), own in _tokens_of(reading, marks):
        if tag != "O" and tag in agreeing:
            for place, index in enumerate(own):
                inner = "I" + tag[1:] if place else tag
                agrees[index] = agreeing[inner]
        elif tag != "O":
            agrees[own] = True  # a class outside the coarse scheme excludes no tag
    none, every = np.zeros(len(agrees), dtype=np.int64), np.ones(len(agrees), dtype=np.bool_)
    words = tuple(reading.words)
    return TokenExample(name, "", words, seen, none, every, None, reading.text, reading.starts, reading.ends, agrees)


def _tokens_of(
    reading: Reading, marks: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[tuple[int, int, str], list[int]]]:
    """Map each token of the corpus to the indices of the overlapping tokens of `deid`."""
    at = 0
    for mark in marks:
        own = []
        while at < len(reading.starts) and reading.ends[at] <= mark[0]:
            at += 1
        while at < len(reading.starts) and reading.starts[at] < mark[1]:
            own.append(at)
            at += 1
        yield mark, own
