"""Words for occupations, peoples, origins and religions, with their forms; the lists are in `social_words.toml`.

Groups of occupations: INSEE, Nomenclature des professions et catégories socioprofessionnelles (PCS 2020), level 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from deid.domain import read_lists
from deid.french.folding import fold


class Occupation(NamedTuple):
    """A form of an occupation: its group, and whether the form is feminine (None if it is both).

    `staff`: carers and officials bear it too. `ambiguous`: it has other uses, or is a common surname.
    """

    group: str
    feminine: bool | None
    staff: bool
    ambiguous: bool
    plural: bool = False


class People(NamedTuple):
    """A form of the name of a people: its group (a continent), gender and number."""

    group: str
    feminine: bool | None
    plural: bool


@cache
def _lists() -> Mapping[str, Mapping[str, Any]]:
    return read_lists(__file__)


def _folded(words: str) -> list[str]:
    return [fold(word) for word in words.split()]


def feminine_forms(word: str) -> tuple[str, ...]:
    """Return the feminine forms that the ending of a folded word, or of a compound's first word, may have."""
    head, hyphen, rest = word.partition("-")
    for ending, others in _lists()["feminine_endings"].items():
        if head.endswith(ending):
            return tuple(f"{head.removesuffix(ending)}{other}{hyphen}{rest}" for other in others.split())
    return (f"{head}e{hyphen}{rest}",)


def plural_form(word: str) -> str:
    """Return the plural of a folded word; of a compound, with its first word in the plural."""
    head, hyphen, rest = word.partition("-")
    return f"{head if head[-1:] in 'sxz' else head + 's'}{hyphen}{rest}"


@cache
def occupations() -> Mapping[str, Occupation]:
    """Return the singular forms of occupations, folded, hyphens between the words of a compound."""
    forms = _lists()["occupation_forms"]
    irregular = dict(fold(pair).split("=") for pair in forms["feminine"].split())
    staff, ambiguous = frozenset(_folded(forms["staff"])), frozenset(_folded(forms["ambiguous"]))
    table: dict[str, Occupation] = {}
    for group, words in _lists()["occupations"].items():
        for word in _folded(words):
            women = (irregular[word],) if word in irregular else feminine_forms(word)
            gender = False if word not in women else True if word in irregular else None
            kinds = word in staff, word in ambiguous
            table.setdefault(word, Occupation(group, gender, *kinds))
            for form in women:
                table.setdefault(form, Occupation(group, True, *kinds))
    return table


@cache
def _in_any_number() -> tuple[re.Pattern[str], Mapping[str, Occupation]]:
    """Return a pattern of all forms, and the table by which they are read, with blanks for hyphens."""
    forms = dict(occupations())
    for word, one in occupations().items():
        forms.setdefault(plural_form(word), one._replace(ambiguous=True, plural=True))
    # Not in an address on the web, nor in a longer word.
    pattern = re.compile(rf"(?<![\w'@.-])(?:{alternatives(forms)})(?![\w@-])")
    return pattern, {form.replace("-", " "): one for form, one in forms.items()}


def find_occupations(folded: str) -> Iterator[tuple[re.Match[str], Occupation]]:
    """Yield the occupations of a text, the longest at each place."""
    pattern, forms = _in_any_number()
    for match in pattern.finditer(folded):
        yield match, forms[match.group().replace("-", " ")]


@cache
def peoples() -> Mapping[str, People]:
    """Return the forms of peoples, folded, by continent ("european", "african", "asian", "american", "oceanian")."""
    table: dict[str, People] = {}
    for group, words in _lists()["peoples"].items():
        for form, feminine, plural in _inflected(_folded(words)):
            table.setdefault(form, People(group, feminine, plural))
    return table


@cache
def origins() -> frozenset[str]:
    """Return the forms of adjectives of a people, a region or an appearance, folded."""
    return frozenset(form for form, _, _ in _inflected(_folded(_lists()["origins"]["words"])))


@cache
def sure_origins() -> frozenset[str]:
    """Return those of `origins` that tell an origin wherever they stand beside a person."""
    return frozenset(form for form, _, _ in _inflected(_folded(_lists()["origins"]["sure"])))


@cache
def religions() -> frozenset[str]:
    """Return the forms of words for believers, folded."""
    return frozenset(form for form, _, _ in _inflected(_folded(_lists()["religions"]["words"])))


def _inflected(words: Iterable[str]) -> Iterator[tuple[str, bool | None, bool]]:
    """Yield each form of the words, whether it is feminine (None for both) and whether it is plural."""
    for word in words:
        first, hyphen, last = word.rpartition("-")
        women = tuple(f"{first}{hyphen}{form}" for form in feminine_forms(last))
        both = word in women
        yield word, None if both else False, False
        yield f"{word}" if word[-1] in "sx" else f"{word}s", None if both else False, True
        if not both:
            for form in women:
                yield form, True, False
                yield f"{form}s", True, True


def alternatives(words: Iterable[str]) -> str:
    """Return a regular expression for folded words, the longest first; a hyphen may be a blank, as it often is."""
    ordered = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\-", "[ -]").replace("'", "['’]") for word in ordered)
