"""What the warehouse already knows of the document's patient, exact then fuzzy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date

from rapidfuzz.distance import OSA

from deid.detection.known_names import PARTICLES
from deid.detection.names import allowed_edits, is_capital
from deid.detection.reading import Reading
from deid.domain.document import Mention, Patient
from deid.domain.labels import Label
from deid.french.calendar import FOLDED_MONTHS
from deid.french.folding import fold, key


def find(reading: Reading) -> Iterator[Mention]:
    """Mentions of what is known; nothing where nothing is known."""
    patient = reading.document.patient
    yield from _names(reading, patient)
    yield from _numbers(reading, patient)
    yield from _places(reading, patient)
    yield from _birth_date(reading, patient.birth_date)
    for email in patient.emails:
        yield from _literal(reading, email, Label.EMAIL, 1.0)


def _literal(reading: Reading, value: str, label: Label, score: float) -> Iterator[Mention]:
    """Every place where the words of `value` stand in a row, whatever the signs between them."""
    words = key(value).split()
    if not words or sum(map(len, words)) < 3:
        return
    pattern = re.compile(r"(?<!\w)" + r"[\W_]{1,3}".join(map(re.escape, words)) + r"(?!\w)")
    for match in pattern.finditer(reading.folded):
        yield Mention(match.start(), match.end(), label, score)


def _name_words(patient: Patient) -> dict[str, float]:
    """Folded word of a name → score of meeting it alone."""
    words: dict[str, float] = {}
    for name in patient.names:
        parts = key(name).split()
        for part in parts:
            if part not in PARTICLES and len(part) > 1:
                words[part] = 0.97
        if len(parts) > 1:
            words["".join(parts)] = 0.97
    return words


def _names(reading: Reading, patient: Patient) -> Iterator[Mention]:
    known = _name_words(patient)
    if not known:
        return
    matched = [_match(reading, index, known) for index in range(len(reading.words))]
    # A name that is also a word counts beside another name of the patient.
    for index, word in enumerate(reading.words):
        if not matched[index] and word in known and any(matched[max(0, index - 2) : index + 3]):
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
            elif (reading.words[at] not in PARTICLES and reading.words[at] not in ("-", "'")) or reading.words[
                at
            ] == "\n":
                break
            at += 1
        yield Mention(reading.starts[index], reading.ends[last], Label.PATIENT, score)
        index = last + 1
    yield from _spaced_letters(reading, known)


def _match(reading: Reading, index: int, known: dict[str, float]) -> float:
    word = reading.words[index]
    if len(word) < 2 or not word.isalpha():
        return 0.0
    if word in known:
        if is_capital(reading, index) or reading.lexicon.common.get(word, 0.0) < 1:
            return known[word]
        return 0.55 if reading.lower_case and reading.lexicon.common.get(word, 0.0) < 20 else 0.0
    if (
        len(word) < 5
        or reading.lexicon.common.get(word, 0.0) > 0
        or (not is_capital(reading, index) and word in reading.lexicon.medical)
    ):
        return 0.0
    for name in known:
        edits = allowed_edits(len(name))
        if edits and abs(len(name) - len(word)) <= edits and OSA.distance(name, word, score_cutoff=edits) <= edits:
            if reading.lexicon.is_first_name(word) and word[0] != name[0]:
                continue
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


def _numbers(reading: Reading, patient: Patient) -> Iterator[Mention]:
    values = [
        *((phone, Label.PHONE) for phone in patient.phones),
        (patient.ipp, Label.IPP),
        (patient.nda, Label.NDA),
        (patient.nir, Label.NIR),
        (patient.nir[:13] if patient.nir else None, Label.NIR),
        *((value, Label.ID) for value in patient.identifiers),
    ]
    for value, label in values:
        pattern = _digits_pattern(value) if value else None
        if pattern:
            for match in pattern.finditer(reading.digits):
                end = match.end()
                if label is Label.NIR and (key := _NIR_KEY.match(reading.digits, end)):
                    end = key.end()
                yield Mention(match.start(), end, label, 1.0)


def _places(reading: Reading, patient: Patient) -> Iterator[Mention]:
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
