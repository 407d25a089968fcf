"""Does the patient's own identity survive in a candidate text? Counts only, from the warehouse's side of the story.

What surrogates say is judged apart from what stands between them: a surrogate is drawn, so a street or a
physician that happens to share the patient's first name tells nothing, while the patient's surname in a
name's place does. Between surrogates every telling occurrence counts; an ordinary word that is also the
patient's name ("petit", "rose") counts only where it is written or placed as a name, and is otherwise
reported under `identity_ordinary_word`, so that false alarms can be measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from rapidfuzz.distance import OSA

from deid.domain.labels import NAMES, Label
from deid.quality.calendar_reader import Reading, read
from deid.quality.folding import Word, alnum, fold, hidden_words, letters, phrase, words
from deid.quality.known import Known, street_phrase
from deid.quality.lexicon import PARTICLES, eponyms, is_grammatical, is_ordinary, is_word

NAME_GAP = "\ue000"  # stands for a name's surrogate in the text between surrogates
OTHER_GAP = "\ufffc"  # stands for any other surrogate

_CIVILITY = (
    r"(?:m|mr|mme|mlle|me|dr|pr|docteur|professeur|monsieur|madame|mademoiselle|nee?|nom|prenoms?|epouse|ep|veuve)"
)
_CIVILITY_BEFORE = re.compile(rf"\b{_CIVILITY}\s?[.:]?\s?$")
_GAP_BEFORE = re.compile(rf"{NAME_GAP}[ \-]?$")
_GAP_AFTER = re.compile(rf"[ \-]?{NAME_GAP}")
_CIVILITIES_GLUED = ("m", "mr", "mme", "mlle", "dr", "pr", "monsieur", "madame", "docteur")
_EPONYM_BEFORE = re.compile(
    r"\b(?:maladies?|syndromes?|signes?|scores?|tests?|classification|echelle|indices?|criteres?|manoeuvre|fracture|"
    r"tumeur|lymphome|operation|intervention|protocole|technique|phenomene|oedeme|thyroidite|reflexe|loi|regle|"
    r"osophage|anevrisme|consensus|accords|formule|equation|methode|stade|type|virus|corps|cellules?)\b[^.\n]{0,40}$"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?•;]\s+|\n)[\s\-*•>]*$")
_DIGIT_GAP = re.compile(r"(?<=\d)[\s.\-/_\u00a0\u202f]{1,3}(?=\d)")
_FUZZY_LEAST = 5
_FUZZY_TWO = 8  # letters from which two slips are tolerated
_CONTAINED_LEAST = 6


class Inside(NamedTuple):
    """A surrogate as validation sees it: the kind of thing it stands for, and its text."""

    label: Label
    text: str


def identity_counts(
    patient: Known,
    birth_date: date | None,
    text: str,
    outside: str,
    inside: Sequence[Inside],
    dates: Iterable[Reading],
    moved_date: date | None = None,
) -> dict[str, float]:
    """Occurrences of each kind of identity in candidate `text`.

    `outside` is `text` with a gap sign for each surrogate, `inside` the surrogates, `dates` those in `outside`,
    `moved_date` the candidate's own date.
    """
    names, ordinary, fuzzy = _names_outside(patient, outside)
    names += _names_inside(patient, inside) + _glued(patient, text)
    digits = _DIGIT_GAP.sub("", text)
    return {
        "identity_name": float(names),
        "identity_fuzzy": float(fuzzy),
        "identity_ordinary_word": float(ordinary),
        "identity_number": float(_numbers(patient, text, digits)),
        "identity_contact": float(_contacts(patient, text, digits)),
        "identity_birth_date": float(
            _birth(patient, birth_date, outside, dates) + _birth_drawn(birth_date, inside, moved_date)
        ),
        "identity_address": float(_address(patient, text, outside)),
    }


def _names_outside(patient: Known, outside: str) -> tuple[int, int, int]:
    """Occurrences between surrogates: certain, only as an ordinary word, and with a slip of the pen."""
    sought = patient.surnames | patient.first_names
    if not sought:
        return 0, 0, 0
    exact = sought | patient.glued_short
    certain = ordinary = 0
    unknown: set[str] = set()
    for word in words(outside):
        if _is_sought(word.bare, exact):
            if tells_a_name(outside, word, sought):
                certain += 1
            else:
                ordinary += 1
        elif len(word.bare) >= _FUZZY_LEAST - 1:
            unknown.add(word.bare)
    certain += sum(hidden in sought for hidden in hidden_words(outside))
    contained, fuzzy = _near(sought, {bare for bare in unknown if not is_word(bare)})
    return certain + contained, ordinary, fuzzy


def _is_sought(bare: str, sought: frozenset[str]) -> bool:
    """Whether a word is a name sought, alone or with a civility glued before it ("mmedupont")."""
    return bare in sought or (
        bare.startswith(("m", "d", "p"))
        and any(bare.removeprefix(civility) in sought for civility in _CIVILITIES_GLUED)
    )


def tells_a_name(text: str, word: Word, sought: frozenset[str]) -> bool:
    """Whether `word`, which equals a name of the patient, is used as a name where it stands in `text`."""
    if word.raw.islower() and is_grammatical(word.bare):
        return False
    before = fold(text[max(0, word.start - 60) : word.start])
    after = fold(text[word.end : word.end + 30])
    if _CIVILITY_BEFORE.search(before) or _beside_another(before, after, sought):
        return True
    if _is_eponym(before, after, word.bare) or re.search(r"\b(?:saint|sainte|st|ste)[ \-]$", before):
        return False
    if is_grammatical(word.bare):
        return False
    line = _line_around(text, word)
    if len(word.bare) > 2 and not is_ordinary(word.bare):
        return True
    if word.raw.islower():
        return False
    alone = line.strip(" \t:.,;-•*") == word.raw
    beside_gap = _GAP_BEFORE.search(before) or _GAP_AFTER.match(after)
    if alone or beside_gap or (word.raw.isupper() and len(word.raw) > 1):
        return True
    return not _SENTENCE_START.search(before)


def _beside_another(before: str, after: str, sought: frozenset[str]) -> bool:
    """Whether the neighbouring word is another name of the patient."""
    previous = re.search(r"([^\W\d_]+)[ \-]$", before)
    following = re.match(r"[ \-]([^\W\d_]+)", after)
    return bool((previous and previous.group(1) in sought) or (following and following.group(1) in sought))


def _is_eponym(before: str, after: str, bare: str) -> bool:
    """Whether the name stands in an expression such as "maladie de …" or "…-Marie-Tooth"."""
    if _EPONYM_BEFORE.search(before):
        return True
    joined = re.search(r"([^\W\d_]+)-$", before) or re.match(r"-([^\W\d_]+)", after)
    return bool(joined and bare in eponyms() and joined.group(1) in eponyms())


def _line_around(text: str, word: Word) -> str:
    start = text.rfind("\n", 0, word.start) + 1
    end = text.find("\n", word.end)
    return text[start : end if end >= 0 else len(text)]


def _near(sought: frozenset[str], unknown: set[str]) -> tuple[int, int]:
    """Words that contain a name of the patient, and words one or two slips away from one."""
    contained = fuzzy = 0
    for name in sought:
        if len(name) < _FUZZY_LEAST or is_ordinary(name):
            continue
        limit = 2 if len(name) >= _FUZZY_TWO else 1
        for bare in unknown:
            if len(name) >= _CONTAINED_LEAST and name in bare:
                contained += 1
            elif abs(len(bare) - len(name)) <= limit and OSA.distance(name, bare, score_cutoff=limit) <= limit:
                fuzzy += 1
    return contained, fuzzy


def _names_inside(patient: Known, inside: Sequence[Inside]) -> int:
    """Surrogates in a name's or an address's place that say a name of the patient."""
    count = 0
    for surrogate in inside:
        if surrogate.label in NAMES:
            sought = patient.surnames | patient.first_names if surrogate.label is Label.PATIENT else patient.surnames
            said = {word.bare for word in words(surrogate.text)}
            count += not sought.isdisjoint(said - PARTICLES or said)
        elif surrogate.label in (Label.EMAIL, Label.URL):
            pieces = phrase(surrogate.text).split()
            count += any(
                name in pieces or (len(name) >= _FUZZY_LEAST and any(name in piece for piece in pieces))
                for name in patient.surnames
            )
    return count


def _glued(patient: Known, text: str) -> int:
    run = letters(text)
    return sum(form in run for form in patient.glued)


def _numbers(patient: Known, text: str, digits: str) -> int:
    count = sum(number in digits for number in patient.numbers)
    if patient.short_numbers:
        count += len(patient.short_numbers & {*re.findall(r"\d+", text), *re.findall(r"\d+", digits)})
    if patient.codes:
        run = alnum(text)
        count += sum(code in run for code in patient.codes)
    return count


def _contacts(patient: Known, text: str, digits: str) -> int:
    count = sum(phone in digits for phone in patient.phones)
    if patient.emails:
        run = re.sub(r"\s*@\s*", "@", fold(text))
        count += sum(email in run for email in patient.emails)
    return count


def _birth(patient: Known, birth_date: date | None, outside: str, dates: Iterable[Reading]) -> int:
    if birth_date is None:
        return 0
    digits = _DIGIT_GAP.sub("", outside)
    count = sum(reading.may_be(birth_date) for reading in dates)
    count += sum(form in digits for form in patient.birth_digits)
    spoken = phrase(outside)
    return count + sum(form in spoken for form in patient.birth_spelt)


def _birth_drawn(birth_date: date | None, inside: Sequence[Inside], moved_date: date | None) -> int:
    """Surrogate dates that are the birth date itself.

    The mechanism may draw it by chance, and holding such documents back tells that a published birth date is not
    the true one: less than the birth date beside the rest of a document would tell.
    """
    if birth_date is None:
        return 0
    read_dates = (read(item.text, moved_date) for item in inside if item.label is Label.DATE)
    return sum(reading is not None and reading.may_be(birth_date) for reading in read_dates)


def _address(patient: Known, text: str, outside: str) -> int:
    """The full address anywhere; street, commune and post code between surrogates only, since others draw them too."""
    count = 0
    if patient.addresses:
        everywhere = street_phrase(text)
        count += sum(address in everywhere for address in patient.addresses)
    between = street_phrase(outside)
    count += sum(street in between for street in patient.streets)
    if patient.zip:
        count += len(re.findall(rf"(?<![\d.,]){re.escape(patient.zip)}(?![\d]|[.,]\d)", outside))
    return count + _commune(patient.city, outside, between)


def _commune(city: str, outside: str, between: str) -> int:
    """Mentions of the commune; where its telling word is an ordinary one ("Le Port"), only if written as a name."""
    if not city or f" {city} " not in between:
        return 0
    parts = city.split()
    telling = max(parts, key=len)
    if len(parts) > 2 or (len(parts) > 1 and not is_ordinary(telling)):
        return 1
    sought = frozenset(parts)
    return sum(word.bare == telling and tells_a_name(outside, word, sought) for word in words(outside))
