"""Subword embeddings by skip-gram on running French (Bojanowski et al. 2017), as rows of the taggers' embedding table.

    python -m nocturne_lab.learning.taggers.embeddings OUT TEXT...

TEXT are `.txt.xz` or `.jsonl.xz`, one paragraph or document a line. The card of the shipped model names the texts
excluded for their licence.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from deid.detection.taggers.bilstm import EmbeddingRows, Shape, save_embeddings
from deid.detection.taggers.features import feature_number
from deid.french.folding import fold

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_SIZES = (3, 5)


class Sentences:
    """Re-iterable lines of compressed text as folded tokens."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths

    def __iter__(self) -> Iterator[list[str]]:
        for path in self._paths:
            with lzma.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    text = str(json.loads(line)["text"]) if ".jsonl" in path.name else line
                    tokens = ["0" * len(token) if token.isdecimal() else token for token in _TOKEN.findall(fold(text))]
                    # Long paragraphs are cut: the training silently drops words after a maximum length.
                    for first in range(0, len(tokens), 5000):
                        yield tokens[first : first + 5000]


def train_embeddings(
    sentences: Sentences, shape: Shape, epochs: int = 4, workers: int = 2, seed: int = 2026
) -> EmbeddingRows:
    """Return rows (gram_buckets, gram_width) for `BiLstmCrf.grams`; row 0 is zero."""
    from gensim.models import FastText
    from gensim.models.fasttext import ft_hash_bytes

    model = FastText(
        vector_size=shape.gram_width,
        window=5,
        min_count=4,
        sg=1,
        negative=6,
        sample=2e-4,
        min_n=_SIZES[0],
        max_n=_SIZES[1],
        bucket=400_000,
        workers=workers,
        seed=seed,
    )
    model.build_vocab(sentences)
    model.train(sentences, total_examples=model.corpus_count, epochs=epochs)
    rows = np.zeros((shape.gram_buckets, shape.gram_width), dtype=np.float64)
    times = np.zeros(shape.gram_buckets)
    # A row shared by several n-grams is their mean, weighted by the number of words with each n-gram.
    for word, index in tqdm(model.wv.key_to_index.items(), desc="embeddings", unit=" words", disable=None):
        edged = f"<{word[:24]}>"
        own = [(edged, model.wv.vectors_vocab[index])]
        for size in range(_SIZES[0], _SIZES[1] + 1):
            for start in range(len(edged) - size + 1):
                gram = edged[start : start + size]
                own.append((gram, model.wv.vectors_ngrams[ft_hash_bytes(gram.encode()) % 400_000]))
        for gram, vector in own:
            bucket = feature_number(f"g={gram}") % (shape.gram_buckets - 1) + 1
            rows[bucket] += vector
            times[bucket] += 1
    rows /= np.maximum(times, 1)[:, None]
    return rows.astype(np.float16)


def main() -> int:
    """Train and save; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("texts", nargs="+", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    given = parser.parse_args()
    save_embeddings(train_embeddings(Sentences(given.texts), Shape(), given.epochs), given.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
