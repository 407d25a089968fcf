"""Names of the inhabitants of French towns ("Nantais", "Bisontine"): read, and written in a gender and number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from deid.domain import read_lists
from deid.french.folding import fold

# Masculine ending → feminine ending, folded as written: the first that fits; others take an e.
_FEMININES = (("éen", "éenne"), ("ien", "ienne"), ("yen", "yenne"), ("eau", "elle"), ("er", "ère"), ("e", "e"))
_SILENT = re.compile(r"(?:es|e|s|x)\Z")
_SUFFIX = re.compile(r"(?:[nlrts])?(?:ais|ois|ien|een|in|ain|on|ot|ard)(?P<fem>ne|e)?(?P<plural>s)?")
_LEAST_STEM = 4
# Names of peoples and of groups that open as a town's name does: "Angles", "Franc".
_PEOPLES = ("francais", "anglais", "portugais", "polonais", "hollandais", "romain", "breton")


class Gentile(NamedTuple):
    """A form of the name of a town's inhabitants; `town` is the commune's official name, empty if no table has it."""

    town: str
    feminine: bool
    plural: bool


def _feminine(name: str) -> str:
    for masculine, feminine in _FEMININES:
        if name.endswith(masculine):
            return name[: len(name) - len(masculine)] + feminine
    return f"{name}e"


def _plural(name: str) -> str:
    if name.endswith("al"):
        return f"{name[:-1]}ux"
    return name if name.endswith(("s", "x")) else f"{name}x" if name.endswith("eau") else f"{name}s"


@cache
def _named() -> Mapping[str, str]:
    """Return commune → name of its inhabitants, masculine singular."""
    lists = read_lists(__file__)
    pairs = (pair.split() for named in lists.values() for pair in named.split(","))
    return {town.replace("_", " "): name for town, name in pairs}


@cache
def _forms() -> Mapping[str, Gentile]:
    """Return folded form → what it says; of namesakes the first town of the list."""
    found: dict[str, Gentile] = {}
    for town, name in _named().items():
        for feminine in (False, True):
            for plural in (False, True):
                found.setdefault(fold(gentile_of(town, feminine, plural) or name), Gentile(town, feminine, plural))
    return found


def gentile_of(town: str, feminine: bool, plural: bool) -> str | None:
    """Return the name of a town's inhabitants in small letters; None if no table has it."""
    name = _named().get(town)
    if name is None:
        return None
    name = _feminine(name) if feminine else name
    return _plural(name) if plural else name


def read_gentile(word: str) -> Gentile | None:
    """Return what a word says as the name of a town's inhabitants; None for another word."""
    return _forms().get(fold(word))


def derived_gentile(word: str, town: str) -> Gentile | None:
    """Return the form that a word is of a name derived from a town's: "Vierzonnaise" of Vierzon; else None."""
    plain, stem = fold(word), _SILENT.sub("", fold(town))
    if len(stem) < _LEAST_STEM or not plain.startswith(stem) or plain.startswith(_PEOPLES):
        return None
    ending = _SUFFIX.fullmatch(plain, len(stem))
    return Gentile("", ending["fem"] is not None, ending["plural"] is not None) if ending else None


# Words that acronyms leave out.
_LEFT_OUT = frozenset("de du des d l la le les et en a au aux sur".split())
_LONGEST_ACRONYM = 5


def initials_of(name: str) -> str:
    """Return the initials of an organisation's name, an acronym in it whole: "CHUR" of "CHU de Rennes"."""
    parts = []
    for word in re.findall(r"[^\W\d_]+", name):
        if word.isupper() and len(word) <= _LONGEST_ACRONYM:
            parts.append(word)
        elif fold(word) not in _LEFT_OUT:
            parts.append(word[:1])
    return fold("".join(parts)).upper()
