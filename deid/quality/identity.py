"""Count what remains of the patient's identity, as known by the warehouse, in a candidate text.

Surrogates and the text between them are judged apart. A surrogate is drawn: a street or a physician with the
patient's first name by chance tells nothing, while the patient's surname in place of a name does. Between surrogates
every occurrence of a name counts, except that an ordinary word ("petit", "rose") counts only where it is written or
placed as a name; other occurrences count as `identity_ordinary_word`, to measure false alarms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from deid.domain.document import Patient
from deid.domain.labels import NAMES, Label
from deid.quality.dates import WrittenDate, read_date, spelt_dates
from deid.quality.expressions import ANATOMY, is_eponym_here, is_full_name_of_a_disease, without_authors
from deid.quality.words import (
    PARTICLES,
    WORD,
    Word,
    alnum,
    fold,
    hidden_words,
    is_grammatical,
    is_ordinary,
    is_word,
    letters,
    phrase,
    split_words,
)

_GLUED_LEAST = 8  # letters of a first and last name joined; fewer could be a coincidence
_NUMBER_LEAST = 6  # digits of an identifier sought anywhere; a shorter one must be a whole number
_SHORT_WAYS = {
    **{"avenue": "av ave", "boulevard": "bd bld bvd", "rue": "r", "place": "pl", "chemin": "ch che", "impasse": "imp"},
    **{"allee": "all", "route": "rte", "square": "sq", "faubourg": "fg", "saint": "st", "sainte": "ste"},
}
_WAYS = {short: way for way, shorts in _SHORT_WAYS.items() for short in shorts.split()}
_WAY_WORDS = frozenset(_WAYS.values()) | {"quai", "cours", "residence", "lotissement", "hameau"}


@dataclass(frozen=True, slots=True)
class KnownIdentity:
    """The identity of a patient in searchable form; every string is bare (see `deid.quality.words`).

    `numbers` are sought anywhere in the digits of a text, `short_numbers` only as whole numbers; `codes` have letters
    and digits. `addresses` have the house number, `streets` do not.
    """

    surnames: frozenset[str]
    first_names: frozenset[str]
    glued: frozenset[str]
    glued_short: frozenset[str]
    numbers: frozenset[str]
    short_numbers: frozenset[str]
    codes: frozenset[str]
    phones: frozenset[str]
    emails: frozenset[str]
    birth_digits: frozenset[str]
    birth_spelt: frozenset[str]
    addresses: frozenset[str]
    streets: frozenset[str]
    city: str
    zip: str

    @property
    def fields(self) -> int:
        """Number of kinds of identity known; with 0, nothing can be searched."""
        numbers = self.numbers | self.short_numbers | self.codes
        contacts = (self.phones, self.emails, self.birth_digits, self.streets, self.city)
        return sum(map(bool, (self.surnames, self.first_names, numbers, *contacts)))

    @property
    def unsought(self) -> frozenset[str]:
        """Names of the checks that have nothing to look for, since the warehouse does not know it."""
        sought = {
            "identity_name": self.surnames | self.first_names,
            "identity_fuzzy": self.surnames | self.first_names,
            "identity_number": self.numbers | self.short_numbers | self.codes,
            "identity_birth_date": self.birth_digits,
            "identity_contact": self.phones | self.emails,
            "identity_address": self.addresses or self.streets or self.city or self.zip,
        }
        return frozenset(check for check, known in sought.items() if not known)


@lru_cache(maxsize=512)
def known_identity(patient: Patient) -> KnownIdentity:
    """Return the searchable identity of `patient`, cached for the other documents of the patient in a batch."""
    surnames = tuple(name for name in (patient.last_name, patient.birth_name) if name)
    glued = _glued_forms(surnames, patient.first_names)
    identifiers = [value for value in (patient.ipp, patient.nda, *patient.identifiers) if value]
    numbers = _digits(value for value in identifiers if alnum(value).isdigit())
    codes = frozenset(alnum(value) for value in identifiers if not alnum(value).isdigit())
    nir = alnum(patient.nir or "")[:13]
    if nir:
        numbers, codes = (numbers | {nir}, codes) if nir.isdigit() else (numbers, codes | {nir})
    addresses, streets = _addresses(patient)
    birth = patient.birth_date
    return KnownIdentity(
        surnames=frozenset(part for name in surnames for part in telling_parts(name)),
        first_names=frozenset(part for name in patient.first_names for part in telling_parts(name)),
        glued=frozenset(form for form in glued if len(form) >= _GLUED_LEAST),
        glued_short=frozenset(form for form in glued if len(form) < _GLUED_LEAST),
        numbers=frozenset(number for number in numbers if len(number) >= _NUMBER_LEAST),
        short_numbers=frozenset(number for number in numbers if 3 <= len(number) < _NUMBER_LEAST),
        codes=frozenset(code for code in codes if len(code) >= 5),
        phones=frozenset(phone[-9:] for phone in _digits(patient.phones) if len(phone) >= 9),
        emails=frozenset(fold(email).replace(" ", "") for email in patient.emails if "@" in email),
        birth_digits=frozenset({f"{birth:%d%m%Y}", f"{birth:%Y%m%d}"}) if birth else frozenset(),
        birth_spelt=frozenset(f" {text} " for text in spelt_dates(birth)) if birth else frozenset(),
        addresses=addresses,
        streets=streets,
        city=re.sub(r" (?:cedex)\b.*| \d+.*", "", phrase(patient.city or "")).strip(),
        zip=alnum(patient.zip or ""),
    )


def _digits(values: Iterable[str]) -> frozenset[str]:
    return frozenset(re.sub(r"\D", "", value) for value in values)


def telling_parts(name: str) -> list[str]:
    """Return the bare words of a name without particles and initials, unless there are no others."""
    parts = [fold(part) for part in WORD.findall(name)]
    telling = [part for part in parts if len(part) > 1 and part not in PARTICLES]
    return telling or [part for part in parts if len(part) > 1]


def _glued_forms(surnames: tuple[str, ...], first_names: tuple[str, ...]) -> set[str]:
    """Return surname and first name joined in both orders, and compound names joined."""
    lasts = {letters(name) for name in surnames} - {""}
    firsts = {letters(name) for name in first_names} - {""}
    pairs = {form for last in lasts for first in firsts for form in (last + first, first + last)}
    both = {one + other for one in lasts for other in lasts if one != other}
    compound = {letters(name) for name in (*surnames, *first_names) if len(telling_parts(name)) > 1}
    return pairs | both | compound


def _addresses(patient: Patient) -> tuple[frozenset[str], frozenset[str]]:
    """Return the street lines as phrases, with and without house number, without post code and commune."""
    full, bare = set(), set()
    for address in patient.addresses:
        line = street_phrase(re.split(r"\b\d{5}\b|[\n,]\s*(?=\d{5})", address, maxsplit=1)[0])
        name = re.sub(r"^ (?:\d+ )?(?:(?:bis|ter|quater|[a-d]) )?(?:lieu ?dit )?", " ", line)
        telling = [word for word in name.split() if word not in _WAY_WORDS and word not in PARTICLES]
        if not any(len(word) > 2 for word in telling):
            continue
        bare.add(name if name.split()[0] in _WAY_WORDS or len(telling) > 1 else f" {' '.join(telling)} ")
        if name != line:
            full.add(line)
    return frozenset(full), frozenset(bare)


def street_phrase(text: str) -> str:
    """Return `phrase(text)` with the abbreviations of postal addresses written out."""
    return f" {' '.join(_WAYS.get(word, word) for word in phrase(text).split())} "


# ---- Search

NAME_GAP = "\ue000"  # replaces the surrogate of a name in the text between surrogates
OTHER_GAP = "\ufffc"  # replaces any other surrogate

_TITLE = r"(?:m|mr|mme|mlle|me|dr|pr|docteur|professeur|monsieur|madame|mademoiselle|nee?|nom|prenoms?|epouse|ep|veuve)"
_TITLE_BEFORE = re.compile(rf"\b{_TITLE}\s?[.:]?\s?$")
_GAP_BEFORE = re.compile(rf"{NAME_GAP}[ \-]?\Z")
_GAP_AFTER = re.compile(rf"[ \-]?{NAME_GAP}")
_TITLES_GLUED = ("m", "mr", "mme", "mlle", "dr", "pr", "monsieur", "madame", "docteur")
# Ahead of a noun that is nobody: "METEO : MISTRAL", "Pricks : Chêne, Olivier"; "PAS DE POIRIER", if no more is said of
# it: "absence de Berger ce jour".
_NOUN_BEFORE = re.compile(
    r"\b(?:(?P<no>(?:pas|plus|absence) (?:de |d'))|"
    r"(?:allergenes?|animaux|menus?|meteo|pollens?|postures?|pricks?|vent) ?: (?:[a-z]+, ?){0,3})\Z"
)
_NO_MORE = re.compile(r" ?(?:[.,;\n]|\Z|ni\b)")
# "une prune"; in a line that has capitals, "la fougère" too. "DECRIT COMME SAGE ET SOLITAIRE", "EST CALME ET SAGE".
_ARTICLE_BEFORE = re.compile(r"(?<!vingt et )(?<!lit )(?<!chambre )\b(?:(?P<one>une?)|l[ea]|du|au|ce|cette) \Z")
_BEING = re.compile(r"\b(?:comme|est|tres|assez|plutot|semble|reste|parait) (?:(?P<first>[a-z]+) et )?\Z")
_AND_MORE = re.compile(r" et ([a-z]+)\b")
# The end of a clause, or a preposition, adverb or "mais": what a quality is before, and a person that acts is not.
_CLAUSE_END = re.compile(
    r" ?(?:[.,;:!?()\n]|\Z|(?:mais|malgre|quand|depuis|pendant|dans|en|au|aux|avec|sans|pour|ce|cet|cette|aujourd|hier|"
    r"toujours|encore|le (?:matin|midi|soir)|la nuit|a [a-z]{2,14}(?:er|ir|re))\b)"
)
# How somebody is. The endings are those of adjectives alone.
_HOW = re.compile(
    r"(?:calme|timide|docile|solitaire|triste|polie?|gentil(?:le)?|doux|douce|vi[fv]e?|lente?|forte?|faible|maigre|mince|"
    r"jeune|agitee?|fatiguee?|posee?|isolee?|reservee?|orientee?|eveillee?|sereine?|discrete?|inquiete?|presente?|contente?|"
    r"prudente?|stable|cooperante?|souriante?|vigilante?|aimante?|confiante?|autonome|"
    r"[a-z]{3,12}(?:able|ible|eux|euse|ive|ique|ficile|gile))"
)
_THING_BEFORE = re.compile(
    r"\b(?:maladie|syndrome|signe|score|test|classification|echelle|indice|manoeuvre|fracture|tumeur|intervention|"
    r"technique|phenomene|thyroidite|formule|equation|methode|corps|cellules?|anneau|reaction|reflexe|loi|regle) "
    r"d(?:e |')\Z"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?•;:]\s+|\n)[\s\-*•>]*$")
_DIGIT_GAP = re.compile(r"(?<=\d)[\s.\-/_\u00a0\u202f]{1,3}(?=\d)")
_LINE = 400  # characters beside a word in which it is told whether it stands alone on its line
_FUZZY_LEAST = 5
_FUZZY_TWO = 8  # letters from which two misspellings are tolerated
_CONTAINED_LEAST = 6


class Inside(NamedTuple):
    """A surrogate: its label and its text."""

    label: Label
    text: str


def identity_counts(
    patient: KnownIdentity,
    birth_date: date | None,
    text: str,
    outside: str,
    inside: Sequence[Inside],
    dates: Iterable[WrittenDate],
    moved_date: date | None = None,
) -> dict[str, float]:
    """Count the occurrences of each kind of identity in candidate `text`.

    `outside` is `text` with a gap character for each surrogate, `inside` are the surrogates, `dates` the dates of
    `outside`, and `moved_date` is the date of the candidate document.
    """
    names, ordinary, fuzzy = _names_outside(patient, outside)
    names += _names_inside(patient, inside) + _glued(patient, outside)
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


def _names_outside(patient: KnownIdentity, outside: str) -> tuple[int, int, int]:
    """Count occurrences between surrogates: as a name, only as an ordinary word, and misspelt."""
    sought = patient.surnames | patient.first_names
    if not sought:
        return 0, 0, 0
    exact = sought | patient.glued_short
    certain = ordinary = 0
    unknown: dict[str, bool] = {}  # whether a word stands in lower case everywhere
    for word in split_words(outside):
        if _is_sought(word.bare, exact):
            if tells_a_name(outside, word, sought):
                certain += 1
            else:
                ordinary += 1
        elif len(word.bare) >= _FUZZY_LEAST - 1 and not _names_a_thing(outside, word):
            unknown[word.bare] = word.raw.islower() and unknown.get(word.bare, True)
    certain += sum(hidden in sought for hidden in hidden_words(outside))
    contained, fuzzy = _near(sought, {bare: lower for bare, lower in unknown.items() if not is_word(bare)})
    return certain + contained, ordinary, fuzzy


def _is_sought(bare: str, sought: frozenset[str]) -> bool:
    """Return whether a word is a name sought, alone or joined to a title ("mmedupont", but not "mange" for Ange)."""
    if bare in sought:
        return True
    glued = bare.startswith(("m", "d", "p")) and any(bare.removeprefix(title) in sought for title in _TITLES_GLUED)
    return glued and not is_word(bare)


def _names_a_thing(text: str, word: Word) -> bool:
    """Return whether a word is joined to another right behind a word for a thing: "fracture de Pouteau-Colles"."""
    joined = text[word.end : word.end + 1] == "-" and text[word.end + 1 : word.end + 2].isupper()
    return joined and _THING_BEFORE.search(fold(text[max(0, word.start - 30) : word.start])) is not None


def tells_a_name(text: str, word: Word, sought: frozenset[str]) -> bool:
    """Return whether `word`, equal to a name of the patient, is used as a name at its place in `text`."""
    if word.raw.islower() and is_grammatical(word.bare):
        return False
    before = fold(text[max(0, word.start - 60) : word.start])
    after = fold(text[word.end : word.end + 30])
    if _TITLE_BEFORE.search(before):
        return True
    if is_full_name_of_a_disease(text, word.start, word.end):
        return False
    if _beside_another(before, after, sought):
        return True
    beside = text[max(0, word.start - 60) : word.start], text[word.end : word.end + 40]
    if is_eponym_here(*beside, word.bare) or re.search(r"\b(?:saint|sainte|st|ste)[ \-]$", before):
        return False
    noun = _NOUN_BEFORE.search(before)
    if is_grammatical(word.bare) or (noun and (not noun["no"] or _NO_MORE.match(after)) and is_word(word.bare)):
        return False
    line = _line_around(text, word)
    if is_word(word.bare) and _is_noun_or_quality(word, line, before, after):
        return False
    if len(word.bare) > 2 and not is_ordinary(word.bare) and word.bare not in ANATOMY:
        return True
    if word.raw.islower():
        return False
    alone = line.strip(" \t:.,;-•*") == word.raw
    beside_gap = _GAP_BEFORE.search(before) or _GAP_AFTER.match(after)
    if alone or beside_gap or (word.raw.isupper() and len(word.raw) > 1):
        return True
    return not _SENTENCE_START.search(before)


def _is_noun_or_quality(word: Word, line: str, before: str, after: str) -> bool:
    """Return whether an article or a verb of being makes a word no name: "une prune", "EST SAGE ET CALME"."""
    if word.raw.islower():
        article = _ARTICLE_BEFORE.search(before)
        if article is None or _TITLE_BEFORE.search(before[: article.start()]):
            return False  # "M. le roy"
        return article["one"] is not None or not line.islower()
    being = _BEING.search(before)
    return line.isupper() and being is not None and _is_beside_a_quality(being["first"], after)


def _is_beside_a_quality(first: str | None, after: str) -> bool:
    """Return whether a quality comes `first`, or "and" a quality behind, and no verb goes on: "VU ET SAGE REVIENT"."""
    if first:
        return _HOW.fullmatch(first) is not None and _CLAUSE_END.match(after) is not None
    more = _AND_MORE.match(after)
    return more is not None and _HOW.fullmatch(more[1]) is not None and _CLAUSE_END.match(after, more.end()) is not None


def _beside_another(before: str, after: str, sought: frozenset[str]) -> bool:
    """Return whether the word before or after is another name of the patient."""
    previous = re.search(r"([^\W\d_]+)[ \-]$", before)
    following = re.match(r"[ \-]([^\W\d_]+)", after)
    return bool((previous and previous.group(1) in sought) or (following and following.group(1) in sought))


def _line_around(text: str, word: Word) -> str:
    """Return the line of a word, at most `_LINE` characters on either side."""
    first, last = max(0, word.start - _LINE), min(len(text), word.end + _LINE)
    start = text.rfind("\n", first, word.start) + 1 or first
    end = text.find("\n", word.end, last)
    return text[start : end if end >= 0 else last]


def _near(sought: frozenset[str], unknown: Mapping[str, bool]) -> tuple[int, int]:
    """Count the words that contain a name of the patient, and the words one or two edits away from one.

    `unknown` says whether each word stands in lower case everywhere: a slip in a frequent word is no name.
    """
    contained = fuzzy = 0
    for name in sought:
        if len(name) < _FUZZY_LEAST or is_ordinary(name):
            continue
        limit = 2 if len(name) >= _FUZZY_TWO else 1
        for bare, lower in unknown.items():
            if len(name) >= _CONTAINED_LEAST and name in bare:
                contained += 1
            elif abs(len(bare) - len(name)) <= limit and OSA.distance(name, bare, score_cutoff=limit) <= limit:
                fuzzy += not (lower and _is_slip(bare))
    return contained, fuzzy


def _is_slip(bare: str) -> bool:
    """Return whether a letter left out of a word gives a frequent word: "gauchee" for "gauche"."""
    return any(is_ordinary(bare[:at] + bare[at + 1 :]) for at in range(len(bare)))


def _names_inside(patient: KnownIdentity, inside: Sequence[Inside]) -> int:
    """Count the surrogates of names, e-mails and web addresses that contain a name of the patient."""
    count = 0
    for surrogate in inside:
        if surrogate.label in NAMES:
            sought = patient.surnames | patient.first_names if surrogate.label is Label.PATIENT else patient.surnames
            said = {word.bare for word in split_words(surrogate.text)}
            count += not sought.isdisjoint(said - PARTICLES or said)
        elif surrogate.label in (Label.EMAIL, Label.URL):
            pieces = re.findall(r"[a-z]+", phrase(surrogate.text))
            count += any(
                name in pieces or (len(name) >= _FUZZY_LEAST and any(_is_glued(name, piece) for piece in pieces))
                for name in patient.surnames
            )
    return count


def _is_glued(name: str, piece: str) -> bool:
    """Return whether a name begins or ends a login; "marie" within "mariette" after a first name is another name."""
    return piece.startswith(name) or piece.endswith(name)


def _glued(patient: KnownIdentity, outside: str) -> int:
    """Count surnames joined to first names outside surrogates; words on two sides of a gap do not join."""
    runs = [letters(without_authors(stretch)) for stretch in re.split(f"[{NAME_GAP}{OTHER_GAP}]", outside)]
    return sum(any(form in run for run in runs) for form in patient.glued)


def _numbers(patient: KnownIdentity, text: str, digits: str) -> int:
    count = sum(number in digits for number in patient.numbers)
    if patient.short_numbers:
        count += len(patient.short_numbers & {*re.findall(r"\d+", text), *re.findall(r"\d+", digits)})
    if patient.codes:
        run = alnum(text)
        count += sum(code in run for code in patient.codes)
    return count


def _contacts(patient: KnownIdentity, text: str, digits: str) -> int:
    count = sum(phone in digits for phone in patient.phones)
    if patient.emails:
        run = re.sub(r"\s*@\s*", "@", fold(text))
        count += sum(email in run for email in patient.emails)
    return count


def _birth(patient: KnownIdentity, birth_date: date | None, outside: str, dates: Iterable[WrittenDate]) -> int:
    if birth_date is None:
        return 0
    digits = _DIGIT_GAP.sub("", outside)
    count = sum(reading.may_be(birth_date) for reading in dates)
    count += sum(form in digits for form in patient.birth_digits)
    spoken = phrase(outside)
    return count + sum(form in spoken for form in patient.birth_spelt)


def _birth_drawn(birth_date: date | None, inside: Sequence[Inside], moved_date: date | None) -> int:
    """Count the surrogate dates equal to the birth date.

    The mechanism may draw it by chance. Holding such documents back discloses that a published birth date is not the
    true one, which is less than the true one would disclose.
    """
    if birth_date is None:
        return 0
    read_dates = (read_date(item.text, moved_date) for item in inside if item.label is Label.DATE)
    return sum(reading is not None and reading.may_be(birth_date) for reading in read_dates)


def _address(patient: KnownIdentity, text: str, outside: str) -> int:
    """Count the full address anywhere; street, commune and post code only between surrogates, which may draw them."""
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
    """Count the commune; if its main word is ordinary ("Le Port"), only where written as a name."""
    if not city or f" {city} " not in between:
        return 0
    parts = city.split()
    telling = max(parts, key=len)
    if len(parts) > 2 or (len(parts) > 1 and not is_ordinary(telling)):
        return 1
    sought = frozenset(parts)
    return sum(word.bare == telling and tells_a_name(outside, word, sought) for word in split_words(outside))
