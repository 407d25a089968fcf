"""Pre-training of the BiLSTM-CRF on general French with names of people, places and organisations only.

In an open corpus, a token has a coarse class, or none of the classes that the corpus decides. The loss is that of
partial labels (Cour et al. 2011): the summed probability of all tags that agree with the annotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from deid.detection.annotators import FEATURE_RULES
from deid.detection.reading import Reading
from deid.detection.taggers.bilstm import BiLstmCrf, Shape, buckets
from deid.detection.taggers.features import Ids, feature_table
from deid.detection.taggers.tags import LABELS, TAGS
from deid.domain.document import Document
from deid.domain.labels import SCHEMES
from deid.learning.open_corpora import CORPORA, TaggedSentence, read_sentences

_SENTENCES = 8  # in a passage
_LIMIT = 330_000  # tokens per corpus, so that each has the same weight
_NO_BLANK_BEFORE = re.compile(r"[,.;:!?)\]…]|-[a-zà-ÿ]")
_CHAINS = 48
Passage = tuple[Ids, Ids, NDArray[np.bool_]]  # columns, grams, and which tags agree with each token


def start(folder: Path, shape: Shape, rows: NDArray[np.float16] | None, seed: int, epochs: int = 2) -> BiLstmCrf:
    """Return a network pre-trained on the shippable corpora of `folder` (`deid.learning.open_corpora`)."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    model = BiLstmCrf(shape)
    if rows is not None:
        model.embed(rows)
    found = [passage for file in _files(folder) for passage in tagged_passages(file)]
    dense = [p for name, p in model.named_parameters() if not name.startswith(("columns", "grams"))]
    sparse = (model.columns.weight, model.grams.weight)
    optimisers = [
        torch.optim.SparseAdam([one for one in sparse if one.requires_grad], lr=2e-3),
        torch.optim.AdamW(dense, lr=2e-3, weight_decay=1e-2),
    ]
    model.train()
    for epoch in range(epochs):
        order = random.permutation(len(found))
        firsts = range(0, len(found), _CHAINS)
        progress = tqdm(firsts, desc=f"general French {epoch + 1}/{epochs}", unit=" batches", disable=None)
        for first in progress:
            loss = _loss(model, [found[index] for index in order[first : first + _CHAINS]])
            for optimiser in optimisers:
                optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(dense, 1.0)
            for optimiser in optimisers:
                optimiser.step()
            progress.set_postfix(loss=f"{loss.item():.4f}")
    return model


def tagged_passages(path: Path) -> Iterator[Passage]:
    """Yield passages of a few sentences of a corpus, with their features and the tags that agree with each token."""
    corpus = CORPORA[path.name]
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
    tokens, group = 0, list[TaggedSentence]()
    for sentence in read_sentences(path):
        group.append(sentence)
        tokens += len(sentence.tokens)
        if len(group) == _SENTENCES:
            yield _passage(group, agreeing)
            group = []
        if tokens > _LIMIT:
            return


def _files(folder: Path) -> list[Path]:
    return [path for name, corpus in CORPORA.items() if corpus.shippable and (path := folder / name).is_file()]


def _coarse(tag: int) -> str | None:
    label = LABELS[tag]
    return None if label is None else SCHEMES["coarse"][label]


def _passage(group: Sequence[TaggedSentence], agreeing: dict[str, NDArray[np.bool_]]) -> Passage:
    """Join the sentences, one a line, into a text; the tokens of `deid` differ from those of the corpus."""
    text, marks = "", []
    for sentence in group:
        for token, tag in zip(sentence.tokens, sentence.tags, strict=True):
            if text and text[-1] not in "\n'’(" and not _NO_BLANK_BEFORE.match(token):
                text += " "
            marks.append((len(text), len(text) + len(token), tag))
            text += token
        text += "\n"
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
    return seen.columns, seen.grams, agrees


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


def _loss(model: BiLstmCrf, batch: Sequence[Passage]) -> torch.Tensor:
    pad = torch.nn.utils.rnn.pad_sequence
    columns = pad([buckets(one, model.shape.column_buckets) for one, _, _ in batch], batch_first=True)
    grams = pad([buckets(one, model.shape.gram_buckets) for _, one, _ in batch], batch_first=True)
    agrees = pad([torch.from_numpy(one) for _, _, one in batch], batch_first=True)
    lengths = torch.tensor([len(one) for _, _, one in batch])
    alive = torch.arange(agrees.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
    logarithms = model.emissions(columns, grams, lengths).log_softmax(dim=2)
    agreed = logarithms.masked_fill(~agrees, -1e4).logsumexp(dim=2)
    return -(agreed * alive).sum() / lengths.sum()
