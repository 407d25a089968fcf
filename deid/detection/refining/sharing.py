"""Missed repetitions across a patient's documents of one batch: sure and rare names of one are looked for in all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from deid.detection.names import PARTICLES
from deid.detection.reading import Reading
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES

_SURE = 0.84  # mentions weaker than this are no ground to search other documents
_SHORTEST = 4
_SCORE = 0.7


def shared_names(readings: Sequence[Reading], mentions: Sequence[Sequence[Mention]]) -> list[list[Mention]]:
    """Per document what to add: occurrences of names that are sure in another document of the same patient.

    Only words that no table of the language has: a name that is also a word stays its own document's matter.
    """
    added: list[list[Mention]] = [[] for _ in readings]
    groups: dict[str, list[int]] = defaultdict(list)
    for at, reading in enumerate(readings):
        if reading.document.patient.key:
            groups[reading.document.patient.key].append(at)
    for group in groups.values():
        if len(group) > 1:
            known = [_sure_words(readings[at], mentions[at]) for at in group]
            for place, at in enumerate(group):
                others = {
                    word: vote for number, words in enumerate(known) if number != place for word, vote in words.items()
                }
                added[at] = _found(readings[at], mentions[at], others)
    return added


def _sure_words(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Vote]:
    words: dict[str, Vote] = {}
    for mention in mentions:
        if mention.label not in NAMES or mention.score < _SURE:
            continue
        for at in range(reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1):
            word = reading.words[at]
            if len(word) >= _SHORTEST and word.isalpha() and word not in PARTICLES and _rare(reading, word):
                words.setdefault(word, Vote("batch", mention.label, _SCORE))
    return words


def _rare(reading: Reading, word: str) -> bool:
    lexicon = reading.lexicon
    return not lexicon.is_word(word) and word not in lexicon.eponyms


def _found(reading: Reading, mentions: Sequence[Mention], words: dict[str, Vote]) -> list[Mention]:
    if words.keys().isdisjoint(reading.words):
        return []
    covered = bytearray(len(reading.text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    return [
        Mention(reading.starts[at], reading.ends[at], words[word].label, _SCORE, None, (words[word],))
        for at, word in enumerate(reading.words)
        if word in words and not covered[reading.starts[at]]
    ]
