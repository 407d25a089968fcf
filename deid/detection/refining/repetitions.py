"""Missed repetitions: a name found once is a name everywhere in the document, in any case, and as initials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deid.detection.names import PARTICLES, is_capital, is_upper
from deid.detection.reading import Reading
from deid.document import Mention, Vote
from deid.labels import NAMES, Label

_EPONYM_LINKS = frozenset("de d du des le la les selon ni ' en et ou /".split())
_SOURCE = 0.6  # mentions weaker than this are no ground to search for more


@dataclass(frozen=True, slots=True)
class _Known:
    label: Label
    score: float


def repeat_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """`mentions` and, outside them, every further occurrence of the words of their names."""
    known = _words(reading, mentions)
    if not known:
        return list(mentions)
    covered = bytearray(len(reading.text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    added = []
    for index, word in enumerate(reading.words):
        found = known.get(word)
        if found and not covered[reading.starts[index]] and _plausible(reading, index, word):
            vote = Vote("repetition", found.label, found.score)
            added.append(Mention(reading.starts[index], reading.ends[index], found.label, found.score, None, (vote,)))
    return [*mentions, *_adjoined(reading, added)]


def _words(reading: Reading, mentions: Sequence[Mention]) -> dict[str, _Known]:
    known: dict[str, _Known] = {}
    for mention in mentions:
        if mention.label not in NAMES or mention.score < _SOURCE:
            continue
        first = reading.token_at(mention.start)
        for at in range(first, reading.token_at(mention.end - 1) + 1):
            word = reading.words[at]
            if len(word) > 2 and word.isalpha() and word not in PARTICLES:
                score = round(min(mention.score - 0.05, 0.8), 4)
                if word not in known or known[word].score < score:
                    known[word] = _Known(mention.label, score)
    return known


def _plausible(reading: Reading, index: int, word: str) -> bool:
    """Whether the occurrence reads as the name: a capital, or no use of the word in the language."""
    lexicon = reading.lexicon
    if word in lexicon.eponyms and not lexicon.is_first_name(word):
        after = reading.word(index + 1)
        if reading.word(index - 1) in _EPONYM_LINKS or after.isdigit() or after in ("i", "ii", "iii", "iv", "v"):
            return False
    frequency = lexicon.common.get(word, 0.0)
    if is_capital(reading, index):
        return frequency < 5 or lexicon.is_first_name(word) or lexicon.is_surname(word) or is_upper(reading, index)
    return frequency == 0.0 and word not in lexicon.medical and word not in lexicon.drugs and len(word) > 3


def _adjoined(reading: Reading, added: list[Mention]) -> list[Mention]:
    """Neighbouring repetitions as one mention."""
    result: list[Mention] = []
    for mention in added:
        if result and reading.text[result[-1].end : mention.start] in (" ", "-", "'", "’"):
            last = result[-1]
            result[-1] = Mention(last.start, mention.end, last.label, max(last.score, mention.score), None, last.votes)
        else:
            result.append(mention)
    return result
