"""Parts of speech of tokens, by a small CRF that `deid.learning.pos` trains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pycrfsuite

from deid.detection.reading import Reading
from deid.models import FOLDER

MODEL = FOLDER / "pos" / "pos.crfsuite"


def parts_of_speech(reading: Reading) -> list[str]:
    """Return the universal part of speech (UPOS) of each token; "_" for line breaks."""
    tags = ["_"] * len(reading.words)
    line: list[int] = []
    for index in range(len(reading.words) + 1):
        if index < len(reading.words) and reading.words[index] != "\n":
            line.append(index)
        elif line:
            words = [reading.surface(at) for at in line]
            for at, tag in zip(
                line, _tagger().tag(pos_features([reading.words[at] for at in line], words)), strict=True
            ):
                tags[at] = tag
            line = []
    return tags


def pos_features(folded: Sequence[str], written: Sequence[str]) -> list[list[str]]:
    """Return the features of each token of a sentence: word, ending, case, neighbours."""
    last = len(folded) - 1
    result = []
    for at, (word, form) in enumerate(zip(folded, written, strict=True)):
        before = folded[at - 1] if at else "<"
        after = folded[at + 1] if at < last else ">"
        row = ["w " + word, "e " + word[-3:], "f " + word[-2:], "b " + before, "a " + after, "s " + after[-2:]]
        if form[:1].isupper():
            row.append("capital" if at else "capital first")
        if word.isdigit():
            row.append("digits")
        result.append(row)
    return result


@cache
def _tagger() -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(MODEL))
    return tagger
