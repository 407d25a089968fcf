"""Truecasing of lines in one case (Braghin et al. 2019, section 4.1).

A logistic regression gives the probability of a capital from the frequency of a word as a name and as a word, and from
its neighbours. `deid.learning.truecasing` fits its thirty weights.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import exp, log10

from deid.detection.annotators.vocabulary import (
    BIRTH,
    CIVILITIES,
    DOCTOR_TITLES,
    EPONYM_CUES,
    KINSHIP,
    NAME_FIELDS,
    PERSON_TITLES,
    PROFESSIONS,
)
from deid.detection.known_names import PARTICLES
from deid.detection.lexicon import gazetteers
from deid.detection.reading import Reading
from deid.domain.document import Document
from deid.models import FOLDER

WEIGHTS = FOLDER / "truecasing" / "weights.json"
_ANNOUNCING: Mapping[str, str] = {
    **dict.fromkeys(PROFESSIONS, "profession"),
    **dict.fromkeys(KINSHIP, "kin"),
    **dict.fromkeys(NAME_FIELDS, "field"),
    **dict.fromkeys(EPONYM_CUES, "eponym"),
    **dict.fromkeys(PERSON_TITLES | BIRTH, "other title"),
    **dict.fromkeys(CIVILITIES, "civility"),
    **dict.fromkeys(DOCTOR_TITLES, "title"),
    **dict.fromkeys(("a", "au", "en"), "to"),
    **dict.fromkeys(("de", "d", "du", "des"), "of"),
    **dict.fromkeys(("rue", "avenue", "place", "boulevard", "chemin", "allee", "quai", "impasse"), "street"),
    **dict.fromkeys(("hopital", "clinique", "ehpad", "centre", "chu", "institut", "lycee", "residence"), "place"),
}


@dataclass(frozen=True, slots=True)
class Truecased:
    """Tokens with the case of running text.

    `forms`: one per token of the reading. `confidence`: probability in [0, 1] that the token has a capital inside a
    sentence; 0 or 1 in lines of mixed case.
    """

    forms: list[str]
    confidence: list[float]


def truecased(document: Document) -> Document:
    """Return a document whose lines in one case have their likeliest case; every offset stays."""
    reading = Reading(document)
    text = list(document.text)
    for index, form in enumerate(truecase(reading).forms):
        start, end = reading.starts[index], reading.ends[index]
        if len(form) == end - start:
            text[start:end] = form
    return replace(document, text="".join(text))


def truecase(reading: Reading) -> Truecased:
    """Return the tokens of `reading`, those of lines in one case with their likeliest case."""
    forms, confidence = [], []
    for index in range(len(reading.words)):
        written = reading.surface(index)
        if written.isalpha() and caseless(reading, index):
            chance = capital_chance(reading, index)
            low = written.lower()
            forms.append(low[:1].upper() + low[1:] if chance >= 0.5 else low)
            confidence.append(chance)
        else:
            forms.append(written)
            confidence.append(float(reading.capitals[index]))
    return Truecased(forms, confidence)


def caseless(reading: Reading, index: int) -> bool:
    """True if token `index` stands in a line of capitals only, or in text without capitals."""
    return reading.shouted(index) or reading.lowered(index)


def capital_chance(reading: Reading, index: int) -> float:
    """Return the probability that the word at `index` has a capital in running text."""
    weights = _weights()
    total = sum(weights.get(name, 0.0) * value for name, value in case_features(reading, index))
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def case_features(reading: Reading, index: int) -> Iterator[tuple[str, float]]:
    """Return the features of the regression as `(name, value)`; none depends on the case of the text."""
    word = reading.words[index]
    yield "bias", 1.0
    yield from _known(reading, word)
    at = index - 1
    while at >= 0 and reading.words[at] in (".", ":", "-", "'"):
        at -= 1
    before = reading.word(at)
    if before in _ANNOUNCING:
        yield f"behind {_ANNOUNCING[before]}", 1.0
    elif before in PARTICLES:
        yield "behind particle", 1.0
    else:
        yield f"behind {_kind(reading, before)}", 1.0
    yield f"before {_kind(reading, reading.word(index + 1))}", 1.0
    if index and reading.words[index - 1] == "-" and reading.ends[index - 1] == reading.starts[index]:
        yield "joined", 1.0
    if len(word) == 1:
        yield "letter", 1.0
    elif len(word) <= 3:
        yield "short", 1.0


def _known(reading: Reading, word: str) -> Iterator[tuple[str, float]]:
    """Return the counts of the word in the lexica, as decimal logarithms, and its word lists."""
    lexicon = reading.lexicon
    common = lexicon.common.get(word, 0.0)
    yield "common", log10(1 + 100 * common)
    yield "first name", log10(1 + lexicon.first_names.get(word, 0))
    yield "surname", log10(1 + lexicon.surnames.get(word, 0))
    yield "town", log10(1 + gazetteers().towns(word))
    if not common:
        yield "no word", 1.0
        if word in lexicon.surnames or word in lexicon.first_names:
            yield "only a name", 1.0
    if word in lexicon.medical:
        yield "medical", 1.0
    if word in lexicon.drugs:
        yield "drug", 1.0
    if word in lexicon.eponyms:
        yield "eponym", 1.0
    if lexicon.is_unknown(word):
        yield "unknown", 1.0


def _kind(reading: Reading, word: str) -> str:
    if not word or word == "\n":
        return "edge"
    if word.isdigit():
        return "number"
    if not word.isalpha():
        return "sign"
    lexicon = reading.lexicon
    if lexicon.is_first_name(word):
        return "first name"
    if lexicon.is_surname(word):
        return "surname"
    return "word" if lexicon.is_word(word) else "unknown"


@cache
def _weights() -> Mapping[str, float]:
    table: Mapping[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return table
