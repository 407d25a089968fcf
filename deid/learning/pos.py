"""Train the tagger of parts of speech: `python -m deid.learning.pos FOLDER`.

The folder holds `*.jsonl.gz` with `{"tokens", "upos"}` per line: sentences of Universal Dependencies, split here into
the tokens of `deid`. The shipped model is trained on UD French GSD alone; its licence (CC BY-SA 4.0) allows the weights
to be shared under the terms of the word tables. Writes `deid/models/pos/pos.crfsuite`; prints accuracy on every tenth
sentence, left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pycrfsuite

from deid.detection.preprocessing.pos import MODEL, pos_features
from deid.french.folding import fold

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_SETTINGS = {"max_iterations": 12, "feature.minfreq": 2}
Sentence = tuple[list[str], list[str]]


def pos_sentences(folder: Path) -> Iterator[Sentence]:
    """Return the tokens of `deid` and their parts of speech; each piece of a word has the word's part of speech."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                record = json.loads(line)
                pieces: list[str] = []
                tags: list[str] = []
                for token, tag in zip(record["tokens"], record["upos"], strict=True):
                    for piece in _TOKEN.findall(token):
                        pieces.append(piece)
                        tags.append(tag if piece[0].isalnum() or len(token) == 1 else "PUNCT")
                if pieces:
                    yield pieces, tags


def train(known: Sequence[Sentence], path: Path) -> None:
    """Write the model of averaged-perceptron weights to `path`."""
    trainer = pycrfsuite.Trainer(algorithm="ap", verbose=False)
    trainer.set_params(_SETTINGS)
    for words, tags in known:
        trainer.append(pos_features([fold(word) for word in words], words), tags)
    path.parent.mkdir(parents=True, exist_ok=True)
    trainer.train(str(path))


def accuracy(known: Sequence[Sentence], path: Path) -> float:
    """Return the share of tokens with the right part of speech."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    right = total = 0
    for words, tags in known:
        guessed = tagger.tag(pos_features([fold(word) for word in words], words))
        right += sum(one == other for one, other in zip(guessed, tags, strict=True))
        total += len(tags)
    return right / total


def main() -> int:
    """Train, measure, write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of *.jsonl.gz")
    parser.add_argument("--output", type=Path, default=MODEL, help="where the model goes")
    given = parser.parse_args()
    known = list(pos_sentences(given.folder))
    train([one for at, one in enumerate(known) if at % 10], given.output)
    print(f"left out: {accuracy(known[::10], given.output):.4f} of tokens right")
    train(known, given.output)
    print(f"{given.output.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
