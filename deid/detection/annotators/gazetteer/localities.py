"""Lieux-dits and quarters of a reference release: the home of a patient where an address has no street.

Registers name hundreds of thousands after a mill, a cross, a family. Such a name needs a word that announces a home, or
the commune after it; one that no table of words or people knows speaks for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.context.vocabulary import EPONYM_CUES
from deid.detection.annotators.patterns.streets import CUES
from deid.detection.known_names import LOWER_PARTICLES
from deid.detection.lexicon import Hit, Kind
from deid.detection.names import is_capital
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_BREAK = re.compile(r"[^\w \u00a0.'’-]")
_PARTICLES = LOWER_PARTICLES | frozenset("les un une en sur sous au aux et lez chez saint sainte st ste".split())
_LINKS = frozenset("a au aux en le la les l d de du des sur chez actuellement toujours seul seule : '".split())
_HOMES = (CUES - {"rue"}) | frozenset("chalet domicile ferme hameau lieudit originaire vivant".split())
_TITLES = frozenset("dr docteur pr professeur mme m mr madame monsieur mlle me drs maitre prof".split())
_TOWNS = frozenset({Kind.COMMUNE, Kind.FORMER})
_REACH = 4  # words between what announces a home and its name


def find(reading: Reading) -> Iterator[Mention]:
    """The longest name at each place, where the text means a place."""
    reached = 0
    for hit in reading.localities:
        if hit.start >= reached and (score := _score(reading, hit)) > 0.0:
            yield Mention(hit.start, hit.end, Label.STREET, score)
            reached = hit.end


def _score(reading: Reading, hit: Hit) -> float:
    first, last = reading.token_at(hit.start), reading.token_at(hit.end - 1)
    if any(town.end >= hit.end and town.entry.kind in _TOWNS for town in reading.hits_at.get(hit.start, ())):
        return 0.0
    telling = [at for at in range(first, last + 1) if reading.words[at].isalpha() and _tells(reading.words[at])]
    if not telling or _BREAK.search(reading.text, hit.start, hit.end):
        return 0.0
    before = reading.word(first - 1)
    if before in _TITLES or before in EPONYM_CUES or reading.word(first - 2) in EPONYM_CUES:
        return 0.0
    announced = _announced(reading, first)
    if not all(is_capital(reading, at) for at in telling) and not (announced and reading.lowered(first)):
        return 0.0
    known = all(_is_known(reading, reading.words[at]) for at in telling)
    article = telling[0] > first and is_capital(reading, first)
    # "Jean-Louis, Pau" and "Arduin, Embrun" are people.
    if announced or ((article or not known) and _in_commune(reading, last)):
        return 0.7 if known else 0.8
    # One word alone, or a line in capitals, says too little.
    return 0.6 if (article or len(telling) > 1) and not known and not reading.shouted(first) else 0.0


def _tells(word: str) -> bool:
    return len(word) > 1 and word not in _PARTICLES


def _is_known(reading: Reading, word: str) -> bool:
    """Whether a word is used, or borne by people: then a name made of it may be meant otherwise."""
    return not reading.lexicon.is_unknown(word) or word in reading.lexicon.eponyms


def _announced(reading: Reading, first: int) -> bool:
    """Whether a word right before token `first`, articles and prepositions apart, says that somebody lives there."""
    for at in range(first - 1, max(first - 1 - _REACH, -1), -1):
        if reading.words[at] in _HOMES:
            return True
        if reading.words[at] not in _LINKS:
            return False
    return False


def _in_commune(reading: Reading, last: int) -> bool:
    """Whether a commune follows, after a comma or a bracket: "Les Fangeas, Embrun"."""
    at = last + 2
    if reading.word(last + 1) not in (",", "(") or not is_capital(reading, at):
        return False
    return any(hit.entry.kind in _TOWNS for hit in reading.hits_at.get(reading.starts[at], ()))
