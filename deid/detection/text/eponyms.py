"""Eponyms: names of a disease, sign, test or device at their place, whoever else bears them ("maladie de Crohn")."""

from __future__ import annotations

import re
from functools import cache

from deid.detection.lookup.lexicon import lexicon
from deid.detection.text.reading import Reading
from deid.detection.text.standing import WORDS, is_titled, like_name, opens_clause, plain, qualifies, words_of
from deid.detection.text.vocabulary import DOUBLE_EPONYMS, EPONYM_CUES, EPONYMS

_SEVERAL = frozenset(name.replace("-", " ") for name in WORDS["several"] | DOUBLE_EPONYMS)
_LOOSE_FRAMES = WORDS["frames"] | WORDS["loose_frames"] | EPONYM_CUES
_ROMAN = re.compile(r"(?:i{1,3}|iv)[abc]?|v|vi")
_BORNE = 1_000  # births of a surname from which a number behind may be its bearer's
_USUAL_NAME = 20_000  # births from which a surname counts as an eponym in its own expressions only
_SENTENCE = 120  # characters of a sentence ahead of a sign
_SENTENCE_ENDS = re.compile(r"[.;] |\n")
_LONGEST_RUN = 7  # tokens of an eponym of several people, hyphens included


def is_in_eponym(reading: Reading, index: int) -> bool:
    """True for a word of an eponym at the place of one."""
    word = reading.words[index]
    if _is_in_double_eponym(reading, index) or _is_called_after(reading, index):
        return True
    first = _first_linked(reading, index)
    noun = plain(reading.word(first))
    if first < index - 1 and f"{noun}-{word}" in WORDS["named"]:
        return True
    if word not in _eponyms():
        return False
    borne = lexicon().is_first_name(word) or lexicon().surnames.get(word) >= _USUAL_NAME
    if not borne and noun == "selon":
        return True
    if lexicon().surnames.get(word) < _BORNE and (_is_graded(reading, index + 1) or _is_examined(reading, index)):
        return True
    if first < index - 1 and noun in (WORDS["frames"] if borne else _LOOSE_FRAMES | WORDS["diagnoses"]):
        return True
    if lexicon().is_first_name(word) and reading.word(index - 1) not in WORDS["indefinite"]:
        return False
    return _is_determined(reading, index) or _is_judged(reading, index)


@cache
def _eponyms() -> frozenset[str]:
    """Return the eponyms of one person."""
    return lexicon().single_eponyms | EPONYMS | WORDS["single_eponyms"]


@cache
def _several() -> frozenset[str]:
    return lexicon().double_eponyms | _SEVERAL


def _is_called_after(reading: Reading, index: int) -> bool:
    """True for a name right behind "syndrome de", whoever else bears it: "syndrome de Charles Bonnet"."""
    first = index
    while like_name(reading, first - 1) and lexicon().is_first_name(reading.word(first - 1)):
        first -= 1
    noun = _first_linked(reading, first)
    return (
        noun < first - 1
        and like_name(reading, index)
        and plain(reading.word(noun)) in WORDS["called_after"]
        and not _is_whole_name(reading, index)
    )


def _is_whole_name(reading: Reading, index: int) -> bool:
    """True within first name and surname of the patient side by side, whatever disease has it too."""
    patient = reading.document.patient
    given, surnames = words_of(*patient.first_names), words_of(patient.last_name, patient.birth_name)
    first = last = index
    while reading.word(first - 1) in given | surnames | {"-"}:
        first -= 1
    while reading.word(last + 1) in given | surnames | {"-"}:
        last += 1
    said = set(reading.words[first : last + 1])
    return not said.isdisjoint(surnames) and not said.isdisjoint(given)


def _first_linked(reading: Reading, index: int) -> int:
    """Return the token before the articles and prepositions that lead to a word; `index - 1` if there are none."""
    at = index - 1
    while reading.word(at) in WORDS["links"] and index - at < 4:
        at -= 1
    return at


def _is_in_double_eponym(reading: Reading, index: int) -> bool:
    """True inside an eponym of several people, joined by hyphens, or by blanks behind a word for a disease."""
    words = reading.words
    for first in range(max(0, index - _LONGEST_RUN), index + 1):
        for last in range(max(index, first + 1), min(len(words), first + _LONGEST_RUN)):
            run = words[first : last + 1]
            if "\n" in run or not run[0].isalpha() or not run[-1].isalpha():
                continue
            if " ".join(word for word in run if word.isalpha() and word != "et") not in _several():
                continue
            joined = len(run) > 2 and all(word == "-" for word in run[1::2])
            given = all(map(lexicon().is_first_name, run[::2]))  # "Pierre-Marie"
            if joined and not (given or is_titled(reading, first) or _bears(reading, run)):
                return True
            before = _first_linked(reading, first)
            if before < first - 1 and plain(reading.word(before)) in _LOOSE_FRAMES:
                return True
    return False


def _bears(reading: Reading, run: list[str]) -> bool:
    """True if the patient has all the words of a double eponym as surname."""
    patient = reading.document.patient
    return {word for word in run if word.isalpha()} <= words_of(patient.last_name, patient.birth_name)


def _is_determined(reading: Reading, index: int) -> bool:
    """True behind an article that no person's name has: "un Baker", "le Parkinson est stable", "son Crohn"."""
    before = reading.word(index - 1)
    if before not in WORDS["indefinite"] | WORDS["definite"] or reading.word(index + 1).isdigit():
        return False
    after = index + 1 < len(reading.words) and reading.capitals[index + 1]
    if reading.capitals[index - 1] and not (opens_clause(reading, index - 1) or reading.shouted(index)):
        return False
    own = any(f"{before} {reading.words[index]}" in name.lower() for name in reading.document.patient.names)
    return (
        not own
        and not after
        and (before in WORDS["indefinite"] or not lexicon().is_surname(before + reading.words[index]))
    )


def _is_judged(reading: Reading, index: int) -> bool:
    """True before a verdict, side or grade of a disease: "Raynaud primitif", "Horton écarté", "Hodgkin stade II"."""
    if index and reading.capitals[index - 1] and lexicon().is_first_name(reading.words[index - 1]):
        return False
    at = index + 1
    if reading.word(at) in ("est", "a", "ete", "non", "tres") and qualifies(reading.word(at + 1), "verdicts"):
        at += 1
    word = reading.word(at)
    if word in WORDS["grades"] and _is_graded(reading, at + 1):
        return True
    if word in ("droit", "gauche"):
        return True
    if at >= len(reading.words) or reading.surface(at).istitle():
        return False
    accented = "é" in reading.surface(at).lower() or reading.shouted(at)  # "Horton confirme" is a person
    return qualifies(word, "verdicts") or (accented and qualifies(word, "judged"))


def _is_examined(reading: Reading, index: int) -> bool:
    """True for a sign before its result in a sentence of an examination: "réflexes vifs, Babinski absent"."""
    start = reading.starts[index]
    sentence = _SENTENCE_ENDS.split(reading.folded[max(0, start - _SENTENCE) : start])[-1]
    found = reading.word(index + 1) in WORDS["findings_of_signs"]
    return found and not WORDS["examined"].isdisjoint(re.findall("[a-z]+", sentence))


def _is_graded(reading: Reading, index: int) -> bool:
    """True for a number of one or two digits or a Roman one: "Bosniak II", "Foley 18"."""
    word = reading.word(index)
    if not word or reading.text[reading.ends[index - 1] : reading.starts[index]] != " ":
        return False
    return bool(_ROMAN.fullmatch(word)) or (word.isdigit() and len(word) < 3 and reading.word(index + 1) != "ans")
