"""Names without an announcing word: first names and surnames of the tables, scored by shape and context."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid.detection.lookup.known_names import LOWER_PARTICLES, NOT_NAMES
from deid.detection.lookup.lexicon import Kind, gazetteers
from deid.detection.text.names import glued, is_capital, is_upper, namelike, read_name
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import EPONYM_CUES, KINSHIP, ORG_HEADS, PROFESSIONS, word_list
from deid.domain.document import Mention
from deid.domain.labels import Label

_TOWNS = frozenset({Kind.COMMUNE, Kind.FORMER, Kind.FOREIGN, Kind.TERRITORY})
_SACRED = frozenset({"saint", "sainte", "st", "ste", "notre", "mont", "bois", "val", "pont"})
_PLACE_LEADS = word_list("place_leads")

_BREAK = re.compile(r"[^\w \u00a0.'’-]|\d")
_NOT_PEOPLE = _PLACE_LEADS | ORG_HEADS
_PROFESSIONS = PROFESSIONS - KINSHIP


def find_names(reading: Reading) -> Iterator[Mention]:
    """Yield runs of capitalised words that read as a name."""
    yield from _without_capitals(reading)
    towns = {hit.start: hit.end for hit in reversed(reading.hits) if hit.entry.kind in _TOWNS}
    index, count = 0, len(reading.words)
    while index < count:
        if not is_capital(reading, index) or not reading.words[index].isalpha():
            index += 1
            continue
        inside_compound = reading.word(index - 1) == "-" and glued(reading, index) and glued(reading, index - 1)
        if inside_compound or (reading.word(index + 1) == "-" and reading.words[index] in _SACRED):
            index = compound_end(reading, index) + 1
            continue
        if reading.words[index] == "m" and reading.word(index + 1) == ".":
            index += 2
            continue
        last = read_name(reading, index, strict=True)
        if last is None:
            index += 1
            continue
        if glued(reading, index) and (
            reading.words[index - 1].isalnum() or (reading.words[index - 1] == "/" and len(reading.words[index]) == 1)
        ):
            index = last + 1
            continue
        score = _score(reading, index, last)
        if towns.get(reading.starts[index], 0) >= reading.ends[last] and "-" in reading.words[index : last + 1]:
            score = min(score, 0.3)
        if score > 0:
            yield Mention(reading.starts[index], reading.ends[last], _role(reading, last), score)
        index = last + 1


def find_directory_names(reading: Reading) -> Iterator[Mention]:
    """Yield full names of the Health Directory, written with capitals; the words around them decide the role."""
    for hit in reading.listed:
        first, last = reading.token_at(hit.start), reading.token_at(hit.end - 1)
        words = [at for at in range(first, last + 1) if reading.words[at].isalpha()]
        if not all(is_capital(reading, at) for at in words) or _BREAK.search(reading.text, hit.start, hit.end):
            continue
        if reading.word(first - 1) in _NOT_PEOPLE or _eponym(reading, first):
            continue
        yield Mention(hit.start, hit.end, _role(reading, last), 0.75)


def _without_capitals(reading: Reading) -> Iterator[Mention]:
    """Yield, in text without capitals, first names that are no words and the surnames beside them."""
    lexicon = reading.lexicon
    words = reading.words
    for index, word in enumerate(words):
        if len(word) < 4 or word not in lexicon.first_names or is_capital(reading, index) or not reading.lowered(index):
            continue
        used = lexicon.is_word(word) and lexicon.common.get(word, 0.0) > 0.2
        if used or lexicon.first_names[word] < 800 or gazetteers().towns(word):
            continue
        if reading.word(index - 1) in _NOT_PEOPLE or reading.word(index - 2) in ORG_HEADS or _eponym(reading, index):
            continue
        first, last = index, compound_end(reading, index)
        if _surname_beside(reading, index - 1):
            first = index - 1
        elif last + 1 < len(words) and _surname_beside(reading, last + 1):
            last += 1
        yield Mention(reading.starts[first], reading.ends[last], Label.PERSON, 0.75 if last > first else 0.62)


def _surname_beside(reading: Reading, at: int) -> bool:
    return at >= 0 and len(reading.words[at]) > 2 and reading.words[at] not in NOT_NAMES and namelike(reading, at)


def compound_end(reading: Reading, index: int) -> int:
    """Return the last token of the hyphenated word of token `index`."""
    while reading.word(index + 1) == "-" and glued(reading, index + 1) and reading.word(index + 2).isalpha():
        index += 2
    return index


def _opens_sentence(reading: Reading, index: int) -> bool:
    return reading.word(index - 1) in ("", ".", "\n", "!", "?", "-", "–", "•", "*", ":") or index == 0


def _eponym(reading: Reading, index: int) -> bool:
    at = index - 1
    while index - at < 5 and (reading.word(at) in LOWER_PARTICLES or reading.word(at) == "'"):
        at -= 1
    return reading.word(at) in EPONYM_CUES


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of capitalised words: how many look like first names, like surnames, how many are initials."""

    words: list[str]
    at: int  # token of the first word longer than an initial
    full: int
    first: int
    surnames: int
    initials: int
    drug: bool


def _run(reading: Reading, index: int, last: int) -> _Run | None:
    lexicon = reading.lexicon
    parts = [at for at in range(index, last + 1) if reading.words[at].isalpha() and reading.capitals[at]]
    words = [reading.words[at] for at in parts]
    full = [at for at in parts if len(reading.words[at]) > 1]
    if not full:
        return None
    return _Run(
        words,
        full[0],
        len(full),
        sum(lexicon.is_first_name(word) for word in words),
        sum(lexicon.is_surname(word) or lexicon.is_unknown(word) for word in words if len(word) > 2),
        len(parts) - len(full),
        any(word in lexicon.drugs for word in words),
    )


def _score(reading: Reading, index: int, last: int) -> float:
    """Return the score of a run of capitalised words as a name."""
    run = _run(reading, index, last)
    if run is None or reading.word(index - 1) in _NOT_PEOPLE or _eponym(reading, index):
        return 0.0
    signs = reading.words[index : last + 1]
    if run.initials and run.full + run.initials == 2 and "-" in signs and "." not in signs:
        return 0.0  # "HLA-B"
    if run.full == 1 and is_upper(reading, run.at) and reading.word(last + 1).isdigit():
        return 0.0  # "EVA 7"
    known = run.first + run.surnames > 0 and not run.drug
    if known and _told_after(reading, last) and (run.full > 1 or not gazetteers().towns(run.words[0])):
        return 0.78
    if run.full > 1:
        return _several(reading, index, run)
    if run.initials:
        return 0.8 if known else 0.0
    return _single(reading, index, run)


def _several(reading: Reading, index: int, run: _Run) -> float:
    """Score of two words or more."""
    if run.first and run.surnames and not run.drug:
        return 0.86 if run.surnames > 1 or run.first < run.full else 0.75
    if run.surnames < 2 or reading.shouted(index):
        return 0.0
    double = reading.word(run.at + 1) == "-" and not is_upper(reading, run.at)
    eponymous = not reading.lexicon.eponyms.isdisjoint(run.words)
    return 0.66 if double and not eponymous and reading.word(index - 1) not in ("de", "d", "du", "'") else 0.4


def _single(reading: Reading, index: int, run: _Run) -> float:
    """Score of one word without initial."""
    lexicon = reading.lexicon
    word = reading.words[run.at]
    births = lexicon.first_names.get(word, 0) if run.first else 0
    if run.drug or word in NOT_NAMES or (word in lexicon.eponyms and not run.first):
        return 0.0
    if gazetteers().towns(word) > 2000 and not run.first:
        return 0.25
    if _opens_sentence(reading, index):
        return 0.62 if births > 500 else 0.2
    if is_upper(reading, run.at) and (len(word) < 4 or (births < 1000 and not reading.shouted(index))):
        return 0.0
    return 0.68 if run.first else 0.45 if run.surnames else 0.0


def _told_after(reading: Reading, last: int) -> bool:
    """Return whether kinship, age or profession follows a name: "(mari)", ", 38 ans", ", gériatre"."""
    sign, word = reading.word(last + 1), reading.word(last + 2)
    if sign not in (",", "("):
        return False
    if word in ("son", "sa", "ses", "le", "la", "leur", "mon", "ma", "notre", "votre"):
        word = reading.word(last + 3)
    return word in KINSHIP or word in PROFESSIONS or (word.isdigit() and reading.word(last + 3) in ("ans", "a", "mois"))


def _role(reading: Reading, last: int) -> Label:
    """The role that the words after the name give it; PERSON otherwise."""
    after = {reading.word(at) for at in range(last + 1, last + 4)}
    return Label.DOCTOR if after & _PROFESSIONS else Label.PERSON
