"""Parts of speech of tokens, by a small CRF that `deid.learning.pos` trains."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pycrfsuite

from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label
from deid.models import FOLDER

_FILTERED = NAMES | PLACES | {Label.ORG}
_TAGGERS = ("bilstm_crf", "crf", "transformer")
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


def drop_common_words(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except names, places and organisations of the taggers alone without any proper noun."""
    tags: list[str] = []
    kept = []
    for mention in mentions:
        if mention.label in _FILTERED and all(vote.annotator in _TAGGERS for vote in mention.votes):
            tags = tags or parts_of_speech(reading)
            words = [index for index in reading.tokens(mention) if reading.words[index].isalpha()]
            if words and not any(tags[index] in ("PROPN", "X") for index in words):
                continue
        kept.append(mention)
    return kept


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
