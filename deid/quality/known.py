"""What the warehouse knows of a patient, made ready for searching: bare tokens, phrases, digits and glued forms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from deid.domain.document import Patient
from deid.quality.folding import WORD, alnum, fold, letters, phrase
from deid.quality.lexicon import PARTICLES
from deid.quality.number_words import spelt_dates

_GLUED_LEAST = 8  # letters of a first and last name run together, below which they could arise by chance
_NUMBER_LEAST = 6  # digits of an identifier, below which only a whole number counts
_WAYS = {
    "av": "avenue",
    "ave": "avenue",
    "bd": "boulevard",
    "bld": "boulevard",
    "bvd": "boulevard",
    "r": "rue",
    "pl": "place",
    "ch": "chemin",
    "che": "chemin",
    "imp": "impasse",
    "all": "allee",
    "rte": "route",
    "sq": "square",
    "fg": "faubourg",
    "st": "saint",
    "ste": "sainte",
}
_WAY_WORDS = frozenset(_WAYS.values()) | {"quai", "cours", "residence", "lotissement", "hameau"}


@dataclass(frozen=True, slots=True)
class Known:
    """A patient's identity in searchable form; every string is bare (see `folding`).

    `numbers` are long enough to be sought anywhere in a text's digits, `short_numbers` only as whole numbers,
    `codes` mix letters and digits. `addresses` carry the house number, `streets` do not.
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
        """How many kinds of identity are known; 0 means that survival cannot be checked at all."""
        return sum(
            bool(kind)
            for kind in (
                self.surnames,
                self.first_names,
                self.numbers | self.short_numbers | self.codes,
                self.phones,
                self.emails,
                self.birth_digits,
                self.streets,
                self.city,
            )
        )


@lru_cache(maxsize=512)
def known(patient: Patient) -> Known:
    """The searchable identity of `patient`; kept for the patient's other documents of the batch."""
    surnames = tuple(name for name in (patient.last_name, patient.birth_name) if name)
    glued = _glued(surnames, patient.first_names)
    identifiers = [value for value in (patient.ipp, patient.nda, *patient.identifiers) if value]
    numbers = _digits(value for value in identifiers if alnum(value).isdigit())
    codes = frozenset(alnum(value) for value in identifiers if not alnum(value).isdigit())
    nir = alnum(patient.nir or "")[:13]
    if nir:
        numbers, codes = (numbers | {nir}, codes) if nir.isdigit() else (numbers, codes | {nir})
    addresses, streets = _addresses(patient)
    birth = patient.birth_date
    return Known(
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
    """Bare words of a name that identify: no particles and no initials, unless there is nothing else."""
    parts = [fold(part) for part in WORD.findall(name)]
    telling = [part for part in parts if len(part) > 1 and part not in PARTICLES]
    return telling or [part for part in parts if len(part) > 1]


def _glued(surnames: tuple[str, ...], first_names: tuple[str, ...]) -> set[str]:
    """Surname and first name run together in both orders, and compound names by themselves."""
    lasts = {letters(name) for name in surnames} - {""}
    firsts = {letters(name) for name in first_names} - {""}
    pairs = {form for last in lasts for first in firsts for form in (last + first, first + last)}
    both = {one + other for one in lasts for other in lasts if one != other}
    compound = {letters(name) for name in (*surnames, *first_names) if len(telling_parts(name)) > 1}
    return pairs | both | compound


def _addresses(patient: Patient) -> tuple[frozenset[str], frozenset[str]]:
    """Street lines as phrases, with and without the house number; post code and commune taken off."""
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
    """`phrase(text)` with the abbreviations of postal addresses written out."""
    return f" {' '.join(_WAYS.get(word, word) for word in phrase(text).split())} "
