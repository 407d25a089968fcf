"""The hospital's professionals wherever they are named, exact then fuzzy; what stands beside a surname decides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from deid.detection.annotators.context.signatures import NOT_INITIALS
from deid.detection.annotators.context.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    KINSHIP,
    LINKS,
    PERSON_TITLES,
    PROFESSIONS,
)
from deid.detection.known_names import NOT_NAMES, PARTICLES
from deid.detection.lexicon import gazetteers
from deid.detection.names import Misspellings, is_capital
from deid.detection.reading import Reading
from deid.detection.staff import Staff
from deid.domain.document import Mention, Professional
from deid.domain.labels import Label
from deid.french.folding import key, spaced

_FULL, _INITIAL, _CUED, _ALONE, _FAINT = 0.97, 0.93, 0.95, 0.75, 0.65
_GAP = 3  # characters that may stand between a surname and its first name
_CUE_REACH = 4  # tokens before a surname among which a title or profession announces it
_CUES = DOCTOR_TITLES | PROFESSIONS | {word for word, (label, _) in LINKS.items() if label is Label.DOCTOR}
_OTHERS = KINSHIP | PERSON_TITLES | CIVILITIES
_LINKED = frozenset({"de", "d", "du", "des", "rue", "avenue", "place", "boulevard", "hopital", "clinique", "chu"})
_SIGNED = re.compile(
    r"(?<![\w/])([^\W\d_]{2,4})[ ]?/[ ]?([^\W\d_]{2,4})(?![\w/])"
    r"|(?:\b(?:dact\w*|frappe|tap[ée]e?|saisie?|r[ée]f\.?|dict[ée]e?|valid[ée]e?|relue?|sign[ée]e?|r[ée]dig[ée]e?)"
    r"(?: par)?\s?[:.]?\s?)([^\W\d_]{2,4}|[^\W\d_]\.[^\W\d_]\.)(?!\w)"
    r"|^[ \t]*((?:[^\W\d_]\.[ -]?){2,3}|[A-Z]{2,4})[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_FOOT = 400  # characters from either end of a document where initials are a reference or a signature
_NUMBER = re.compile(r"(?<!\d)\d(?:[ .]?\d){8,10}(?!\d)")


@dataclass(frozen=True, slots=True)
class _Place:
    """A surname over tokens `first` to `last`, and who bears it; `exact` unless it is misspelt."""

    first: int
    last: int
    bearers: tuple[Professional, ...]
    exact: bool = True


def find(reading: Reading, staff: Staff) -> Iterator[Mention]:
    """Names, initials, logins and numbers of `staff`."""
    seen: set[int] = set()
    for place in _places(reading, staff):
        if place.first in seen:
            continue
        mention = _judged(reading, place)
        if mention:
            seen.update(range(place.first, place.last + 1))
            yield mention
    for place in _misspelt(reading, staff, seen):
        mention = _judged(reading, place)
        if mention:
            yield mention
    yield from _initials(reading, staff)
    for index, word in enumerate(reading.words):
        if len(word) > 5 and word in staff.logins and word not in reading.lexicon.common:
            yield _make(reading, index, index, 0.8)
    yield from _numbers(reading, staff)


def _make(reading: Reading, first: int, last: int, score: float) -> Mention:
    return Mention(reading.starts[first], reading.ends[last], Label.DOCTOR, score)


def _places(reading: Reading, staff: Staff) -> Iterator[_Place]:
    for start, end, surname in staff.scan(spaced(reading.folded)):
        first, last = reading.token_at(start), reading.token_at(end - 1)
        if last < len(reading.words) and reading.starts[first] == start and "\n" not in reading.words[first:last]:
            yield _Place(first, last, staff.by_surname[surname])


def _misspelt(reading: Reading, staff: Staff, seen: set[int]) -> Iterator[_Place]:
    """Words in no table that are a slip away from a surname."""
    misspellings = _misspellings(staff)
    lexicon = reading.lexicon
    for index, word in enumerate(reading.words):
        if len(word) < 5 or index in seen or word in lexicon.common or word in lexicon.medical:
            continue
        if not word.isalpha() or not (is_capital(reading, index) or reading.lowered(index)):
            continue
        bearers = [one for name in misspellings.near(word) for one in staff.by_surname[name]]
        if bearers:
            yield _Place(index, index, tuple(bearers), exact=False)


@lru_cache(maxsize=2)
def _misspellings(staff: Staff) -> Misspellings:
    return Misspellings(name for name in staff.by_surname if " " not in name)


def _judged(reading: Reading, place: _Place) -> Mention | None:
    """The mention of a professional around a surname, if enough says that the surname is one."""
    for one in place.bearers:
        reach = _first_name(reading, place, one)
        if reach:
            first, last, score = reach
            if _kin_before(reading, first):
                return None
            return _make(reading, first, last, score if place.exact else score - 0.1)
    cued = _cued(reading, place.first)
    if cued:
        return _make(reading, place.first, place.last, _CUED if place.exact else 0.8)
    return _alone(reading, place) if place.exact else None


def _first_name(reading: Reading, place: _Place, one: Professional) -> tuple[int, int, float] | None:
    """Tokens of surname and first name or initial, and the score; None where neither stands beside the surname."""
    parts = [part for name in one.first_names for part in key(name).split()]
    for edge, step in ((place.first, -1), (place.last, 1)):
        run = _run(reading, edge, step) if parts else []
        length, score = _fits(reading, run, parts)
        if length:
            far = run[length - 1]
            if step > 0 and len(reading.words[far]) == 1 and reading.word(far + 1) == ".":
                far += 1
            return min(place.first, far), max(place.last, far), score
    return None


def _run(reading: Reading, edge: int, step: int) -> list[int]:
    """Up to two word tokens beside a surname, over hyphens, dots and blanks of one line; nearest first."""
    run: list[int] = []
    at, last = edge + step, edge
    while 0 <= at < len(reading.words) and len(run) < 2:
        gap = reading.starts[max(at, last)] - reading.ends[min(at, last)]
        word = reading.words[at]
        if gap > _GAP or word == "\n":
            break
        if word.isalpha():
            if (word in NOT_NAMES and len(word) > 1) or word in DOCTOR_TITLES:
                break
            run.append(at)
        elif word not in ("-", ".") and not (word == "," and step > 0):
            break
        last = at
        at += step
    return run


def _fits(reading: Reading, run: Sequence[int], parts: Sequence[str]) -> tuple[int, float]:
    """How many words of `run` are the first name `parts` or its initials, and the score; (0, 0) for none."""
    for length in range(len(run), 0, -1):
        chosen = sorted(run[:length])
        written = [reading.words[at] for at in chosen]
        if all(len(word) > 1 for word in written) and set(written) <= set(parts):
            return length, _FULL
        initials = "".join(written)
        whole = "".join(part[0] for part in parts)
        if len(initials) <= 3 and whole.startswith(initials) and is_capital(reading, chosen[0]):
            return length, _INITIAL
    return 0, 0.0


def _kin_before(reading: Reading, first: int) -> bool:
    """Whether a word of kinship announces the name: "son fils Paul Roux" is a relative, whoever else is called so."""
    return any(reading.word(at) in KINSHIP for at in range(first - 3, first))


def _cued(reading: Reading, first: int) -> bool:
    """Whether a title or profession stands before, with nothing but names and signs between."""
    for at in range(first - 1, first - 1 - _CUE_REACH, -1):
        word = reading.word(at)
        if word in _CUES:
            return not (word in ("par", "avis") and not is_capital(reading, first))
        if word in _OTHERS or word == "\n" or (word.isalpha() and not is_capital(reading, at)):
            return False
    return False


def _alone(reading: Reading, place: _Place) -> Mention | None:
    """A surname that nothing announces: only where it can hardly be anything else."""
    words = reading.words[place.first : place.last + 1]
    name = " ".join(word for word in words if word.isalpha())
    lexicon = reading.lexicon
    own = {part for known in reading.document.patient.names for part in key(known).split()}
    if set(words) & own or len(name) < 3 or reading.word(place.first - 1) in _LINKED | _OTHERS:
        return None
    several = " " in name
    real = [word for word in words if word.isalpha() and word not in PARTICLES]
    usual = all(lexicon.is_word(word) or word in lexicon.eponyms for word in real)
    if usual or gazetteers().towns(name) or all(lexicon.is_first_name(word) for word in real):
        return None
    if is_capital(reading, place.last):
        return _make(reading, place.first, place.last, _ALONE)
    if several or len(name) > 4:
        return _make(reading, place.first, place.last, _FAINT)
    return None


def _initials(reading: Reading, staff: Staff) -> Iterator[Mention]:
    """Initials of somebody in a reference, a typist's mark or a signature: letters alone would fit anything."""
    for match in _SIGNED.finditer(reading.text):
        near_end = match.start() < _FOOT or len(reading.text) - match.end() < _FOOT
        for group in (1, 2, 3, 4):
            written = match[group]
            bare = key(written or "").replace(" ", "")
            if bare not in staff.initials or bare in NOT_INITIALS:
                continue
            if group == 3 or (near_end and (match[1] or match[4]).isupper()):
                yield Mention(match.start(group), match.start(group) + len(written.rstrip()), Label.DOCTOR, 0.85)


def _numbers(reading: Reading, staff: Staff) -> Iterator[Mention]:
    if not staff.numbers:
        return
    for match in _NUMBER.finditer(reading.digits):
        if re.sub(r"\D", "", match.group()) in staff.numbers:
            yield Mention(match.start(), match.end(), Label.RPPS, 1.0)
