"""Annotator *identity*: data of the warehouse on the patient and on the hospital's staff, exact then fuzzy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from rapidfuzz.distance import OSA

from deid.detection.annotators.grammatical_names import find_told, is_grammatical
from deid.detection.annotators.labelled_initials import find_case_initials, find_labelled_initials
from deid.detection.lookup.known_names import NOT_NAMES, PARTICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.lookup.staff import NO_STAFF, Staff
from deid.detection.text.names import Misspellings, allowed_edits, is_capital
from deid.detection.text.reading import Reading
from deid.detection.text.senses import Sense, find_sense
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    KINSHIP,
    LINKS,
    NOT_INITIALS,
    PERSON_TITLES,
    PROFESSIONS,
)
from deid.domain.document import Mention, Patient, Professional
from deid.domain.labels import Label
from deid.french.calendar import FOLDED_MONTHS
from deid.french.check_digits import nir_holds
from deid.french.folding import fold, key, spaced


class Identity:
    """Finds names, birth date, address, contact and identifiers of the patient, and names of the staff."""

    name = "identity"

    def __init__(self) -> None:
        self._staff = NO_STAFF

    def use_staff(self, staff: Staff) -> None:
        """Use `staff`, instead of earlier staff, for every document from now on."""
        self._staff = staff

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Yield mentions of the known values."""
        yield from find_patient(reading)
        if self._staff:
            yield from find_staff(reading, self._staff)


def find_patient(reading: Reading) -> Iterator[Mention]:
    """Yield mentions of the patient's values."""
    patient = reading.document.patient
    yield from _patient_names(reading, patient)
    yield from find_labelled_initials(reading, patient)
    yield from find_case_initials(reading)
    yield from _patient_numbers(reading, patient)
    yield from _patient_places(reading, patient)
    yield from _birth_date(reading, patient.birth_date)
    yield from _birth_period(reading, patient.birth_period)
    for email in patient.emails:
        yield from _literal(reading, email, Label.EMAIL, 1.0)


def _literal(reading: Reading, value: str, label: Label, score: float) -> Iterator[Mention]:
    """Yield every place with the words of `value` in a row, whatever the signs between them."""
    words = key(value).split()
    if not words or sum(map(len, words)) < 3:
        return
    pattern = re.compile(r"(?<!\w)" + r"[\W_]{1,3}".join(map(re.escape, words)) + r"(?!\w)")
    for match in pattern.finditer(reading.folded):
        yield Mention(match.start(), match.end(), label, score)


def _name_words(patient: Patient) -> list[str]:
    """Return the folded words of the patient's names, particles only where nothing else is, and each as one word."""
    found: list[str] = []
    for name in patient.names:
        parts = key(name).split()
        found += [part for part in parts if part not in PARTICLES and len(part) > 1] or parts
        if len(parts) > 1:
            found.append("".join(parts))
    return list(dict.fromkeys(found))


def _patient_names(reading: Reading, patient: Patient) -> Iterator[Mention]:
    names = _name_words(patient)
    if not names:
        return
    known = [word for word in names if not is_grammatical(reading, word)]
    matched = [_known_name_score(reading, index, known) for index in range(len(reading.words))]
    if len(known) < len(names):
        for index in find_told(reading, set(names) - set(known), matched):
            matched[index] = 0.97
    # A name that is also a word counts beside another name of the patient.
    for index, word in enumerate(reading.words):
        near = not matched[index] and word in known and any(matched[max(0, index - 2) : index + 3])
        if near and find_sense(reading, index) is not Sense.THING:
            matched[index] = 0.9
    index = 0
    while index < len(matched):
        if not matched[index]:
            index += 1
            continue
        last, score = index, matched[index]
        at = index + 1
        while at < len(matched) and reading.starts[at] - reading.ends[at - 1] <= 2:
            if matched[at]:
                last, score = at, max(score, matched[at])
            elif reading.words[at] not in PARTICLES and reading.words[at] not in ("-", "'"):
                break
            at += 1
        yield Mention(reading.starts[_with_initials(reading, index, patient)], reading.ends[last], Label.PATIENT, score)
        index = last + 1
    yield from _spaced_letters(reading, known)


def _with_initials(reading: Reading, index: int, patient: Patient) -> int:
    """Return the token of the initials of all first names ahead of a surname, else `index`: "AS LE BIHAN"."""
    parts = [part for name in patient.first_names for part in key(name).split()]
    compound = key(patient.first_names[0]).split() if patient.first_names else []
    forms = {"".join(part[0] for part in some) for some in (parts, compound) if len(some) > 1}
    at = index - 1
    while reading.word(at) in PARTICLES - forms and is_capital(reading, at):
        at -= 1
    near = at >= 0 and reading.starts[at + 1] - reading.ends[at] == 1
    return at if near and reading.word(at) in forms and reading.surface(at).isupper() else index


def _known_name_score(reading: Reading, index: int, known: Sequence[str]) -> float:
    word = reading.words[index]
    if len(word) < 2 or not word.isalpha():
        return 0.0
    score = _spelling_score(reading, index, known)
    if not score and word not in known:
        return 0.0
    sense = find_sense(reading, index)
    return 0.0 if sense is Sense.THING else 0.97 if sense is Sense.PERSON and word in known else score


def _spelling_score(reading: Reading, index: int, known: Sequence[str]) -> float:
    """Return the score of a word by its letters and case alone."""
    word = reading.words[index]
    if word in known:
        short = len(word) == 2 and not reading.lowered(index)  # "ly 25 %"
        if is_capital(reading, index) or (reading.lexicon.common.get(word, 0.0) < 1 and not short):
            return 0.97
        return 0.55 if reading.lower_case and reading.lexicon.common.get(word, 0.0) < 20 else 0.0
    lower_medical = word in reading.lexicon.medical and not is_capital(reading, index)
    if len(word) < 5 or reading.lexicon.common.get(word, 0.0) > 0 or lower_medical:
        return 0.0
    other_first_name = reading.lexicon.is_first_name(word)
    for name in known:
        edits = allowed_edits(len(name))
        if not edits or abs(len(name) - len(word)) > edits or (other_first_name and word[0] != name[0]):
            continue
        if OSA.distance(name, word, score_cutoff=edits) <= edits:
            return 0.8
    return 0.0


def _spaced_letters(reading: Reading, known: Iterable[str]) -> Iterator[Mention]:
    """Names written with a blank between their letters: "e t c h e v e r r y"."""
    for name in known:
        if len(name) >= 4:
            pattern = re.compile(r"(?<!\w)" + r"[ .]{1,2}".join(name) + r"(?!\w)")
            for match in pattern.finditer(reading.folded):
                yield Mention(match.start(), match.end(), Label.PATIENT, 0.95)


# The two digits that may stand apart after the number: "… 018 clé 62", "… 018 / 62".
_NIR_KEY = re.compile(r"[ (/-]{0,4}(?:cle?f? ?:? ?)?\d\d\)?(?!\d)")


def _digits_pattern(value: str) -> re.Pattern[str] | None:
    """A number in any layout: signs and blanks may stand between its characters."""
    characters = re.sub(r"[^0-9a-z]", "", fold(value))
    if sum(map(str.isdigit, characters)) < 4:
        return None
    return re.compile(r"(?<![0-9a-z])" + r"[ ./_\-]{0,2}".join(map(re.escape, characters)) + r"(?![0-9])")


def _plain(value: str) -> str:
    return re.sub(r"[^0-9A-Z]", "", value.upper())


def _patient_numbers(reading: Reading, patient: Patient) -> Iterator[Mention]:
    values = [
        *((phone, Label.PHONE) for phone in patient.phones),
        (patient.ipp, Label.IPP),
        (patient.nda, Label.NDA),
        (patient.nir, Label.NIR),
        (patient.nir[:13] if patient.nir else None, Label.NIR),
        *((value, Label.NIR if nir_holds(_plain(value)) else Label.ID) for value in patient.identifiers),
    ]
    for value, label in values:
        if value and (pattern := _digits_pattern(value)):
            for match in pattern.finditer(reading.digits):
                end = match.end()
                if label is Label.NIR and (key := _NIR_KEY.match(reading.digits, end)):
                    end = key.end()
                yield Mention(match.start(), end, label, 1.0)


def _patient_places(reading: Reading, patient: Patient) -> Iterator[Mention]:
    for address in patient.addresses:
        yield from _literal(reading, address, Label.STREET, 1.0)
    if patient.zip:
        yield from _literal(reading, patient.zip, Label.ZIP, 0.95)
    if patient.city:
        for mention in _literal(reading, patient.city, Label.CITY, 0.95):
            if reading.text[mention.start].isupper() or reading.lower_case:
                yield mention


def _birth_date(reading: Reading, born: date | None) -> Iterator[Mention]:
    """The birth date in digits, any order and layout, or with the month in letters."""
    if born is None:
        return
    day, month, year = rf"0?{born.day}", rf"0?{born.month}", rf"(?:{born.year}|{born.year % 100:02d})"
    sign = r"[ ./_-]{0,2}"
    forms = (
        rf"(?<!\d){day}{sign}{month}{sign}{year}(?!\d)",
        rf"(?<!\d){born.year}{sign}{month}{sign}{day}(?!\d)",
        rf"(?<!\d){day}(?:er)? ?{FOLDED_MONTHS[born.month - 1][:3]}[a-z]*\.? ?{year}(?!\d)",
    )
    for form in forms:
        for match in re.finditer(form, reading.digits):
            if sum(map(str.isdigit, match.group())) >= 5 or any(map(str.isalpha, match.group())):
                yield Mention(match.start(), match.end(), Label.DATE, 0.99)


# Read on folded text
_BORN = (
    r"(?:\bne(?:e|\(e\))?s?\s?:? ?(?:le |en |au |a [^\n.;]{2,20}? (?:le |en )?)?"
    r"|\bnaissance ?:? ?(?:le |en )?|\bddn ?:? ?)"
)
_DAY_OF_MONTH = r"(?:(?:0?[1-9]|[12]\d|3[01])(?:er)?[ ./-]{0,2})?"


def _birth_period(reading: Reading, period: str | None) -> Iterator[Mention]:
    """The year and month of birth wherever they stand together, with a day or without; a year only beside "né"."""
    if period is None:
        return
    year, _, number = period.partition("-")
    short = rf"(?:{year}|{year[2:]})"
    if number:
        name = FOLDED_MONTHS[int(number) - 1]
        month = rf"(?:0?{int(number)}|{name[:4] if name.startswith('jui') else name[:3]}[a-z]*\.?)"
        forms = [
            rf"(?<![\d/.,-])(?P<date>{_DAY_OF_MONTH}{month}[ ./-]{{1,2}}{year})(?!\d)",
            rf"(?<!\d)(?P<date>{year}-{number}(?:-\d\d)?)(?!\d)",
            rf"{_BORN}(?<!\d)(?P<date>{_DAY_OF_MONTH}{month}[ ./-]{{1,2}}{short})(?!\d)",
        ]
    else:
        any_month = rf"(?:(?:\d{{1,2}}|{'|'.join(one[:3] for one in FOLDED_MONTHS)})[a-z]*\.?[ ./-]{{1,2}})?"
        forms = [
            rf"{_BORN}(?<!\d)(?P<date>{_DAY_OF_MONTH}{any_month}{year})(?!\d)",
            rf"{_BORN}(?<!\d)(?P<date>\d{{1,2}}[./-]\d{{1,2}}[./-]{short})(?!\d)",
        ]
    for form in forms:
        for match in re.finditer(form, reading.digits):
            yield Mention(*match.span("date"), Label.DATE, 0.97)


# The hospital's staff: the words beside a surname decide

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
_AMOUNTS = frozenset("dl fl gl kg kui mg ml mmol mol mosm mui ng nmol pg pmol ufc ug ui umol".split())  # "UI/mL"
_NUMBER = re.compile(r"(?<!\d)\d(?:[ .]?\d){8,10}(?!\d)")


@dataclass(frozen=True, slots=True)
class _Surname:
    """A surname over tokens `first` to `last` and its bearers; `exact` unless it is misspelt."""

    first: int
    last: int
    bearers: tuple[Professional, ...]
    exact: bool = True


def find_staff(reading: Reading, staff: Staff) -> Iterator[Mention]:
    """Yield names, initials, logins and numbers of `staff`."""
    seen: set[int] = set()
    for place in _exact_surnames(reading, staff):
        if place.first not in seen and (mention := _judged(reading, place)):
            seen.update(range(place.first, place.last + 1))
            yield mention
    for place in _misspelt_surnames(reading, staff, seen):
        if mention := _judged(reading, place):
            yield mention
    yield from _staff_initials(reading, staff)
    for index, word in enumerate(reading.words):
        if len(word) > 5 and word in staff.logins and word not in reading.lexicon.common:
            yield _doctor(reading, index, index, 0.8)
    yield from _staff_numbers(reading, staff)


def _doctor(reading: Reading, first: int, last: int, score: float) -> Mention:
    return Mention(reading.starts[first], reading.ends[last], Label.DOCTOR, score)


def _exact_surnames(reading: Reading, staff: Staff) -> Iterator[_Surname]:
    for start, end, surname in staff.scan(spaced(reading.folded)):
        first, last = reading.token_at(start), reading.token_at(end - 1)
        if last < len(reading.words) and reading.starts[first] == start and "\n" not in reading.words[first:last]:
            yield _Surname(first, last, staff.by_surname[surname])


def _misspelt_surnames(reading: Reading, staff: Staff, seen: set[int]) -> Iterator[_Surname]:
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
            yield _Surname(index, index, tuple(bearers), exact=False)


@lru_cache(maxsize=2)
def _misspellings(staff: Staff) -> Misspellings:
    return Misspellings(name for name in staff.by_surname if " " not in name)


def _judged(reading: Reading, place: _Surname) -> Mention | None:
    """Return the mention of a professional around a surname, None without enough evidence."""
    for one in place.bearers:
        reach = _first_name(reading, place, one)
        if reach:
            first, last, score = reach
            if _kin_before(reading, first):
                return None
            return _doctor(reading, first, last, score if place.exact else score - 0.1)
    if find_sense(reading, place.last) is Sense.THING:
        return None
    if _cued(reading, place.first):
        return _doctor(reading, place.first, place.last, _CUED if place.exact else 0.8)
    return _alone(reading, place) if place.exact else None


def _first_name(reading: Reading, place: _Surname, one: Professional) -> tuple[int, int, float] | None:
    """Return the tokens of surname with first name or initial, and the score; None if neither is beside the surname."""
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
    """Return the number of words of `run` that are the first name `parts` or its initials, and the score."""
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
    """Return whether a word of kinship announces the name: "son fils Paul Roux" is a relative."""
    return any(reading.word(at) in KINSHIP for at in range(first - 3, first))


def _cued(reading: Reading, first: int) -> bool:
    """Return whether a title or profession precedes, with only names and signs between."""
    for at in range(first - 1, first - 1 - _CUE_REACH, -1):
        word = reading.word(at)
        if word in _CUES:
            return not (word in ("par", "avis") and not is_capital(reading, first))
        if word in _OTHERS or word == "\n" or (word.isalpha() and not is_capital(reading, at)):
            return False
    return False


def _alone(reading: Reading, place: _Surname) -> Mention | None:
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
        return _doctor(reading, place.first, place.last, _ALONE)
    if several or len(name) > 4:
        return _doctor(reading, place.first, place.last, _FAINT)
    return None


def _staff_initials(reading: Reading, staff: Staff) -> Iterator[Mention]:
    """Initials of somebody in a reference, a typist's mark or a signature: letters alone would fit anything."""
    for match in _SIGNED.finditer(reading.text):
        if fold(match[1] or "") in _AMOUNTS:
            continue
        near_end = match.start() < _FOOT or len(reading.text) - match.end() < _FOOT
        for group in (1, 2, 3, 4):
            written = match[group]
            bare = key(written or "").replace(" ", "")
            if bare not in staff.initials or bare in NOT_INITIALS:
                continue
            if group == 3 or (near_end and (match[1] or match[4]).isupper()):
                yield Mention(match.start(group), match.start(group) + len(written.rstrip()), Label.DOCTOR, 0.85)


def _staff_numbers(reading: Reading, staff: Staff) -> Iterator[Mention]:
    if not staff.numbers:
        return
    for match in _NUMBER.finditer(reading.digits):
        if re.sub(r"\D", "", match.group()) in staff.numbers:
            yield Mention(match.start(), match.end(), Label.RPPS, 1.0)
