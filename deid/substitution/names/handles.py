"""Logins and local parts of e-mail addresses: the ways in which a full name is run together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Spelling(NamedTuple):
    """A full name in plain small letters: its first names, its surname word by word, and glued with its particles."""

    given: tuple[str, ...]
    surnames: tuple[str, ...]
    glued: str


def places(name: Spelling) -> Mapping[str, int]:
    """What people make of a name ("jpdurand"), and its place among the forms: the same place makes the surrogate's.

    Nothing for a name in another alphabet, which has no plain letters; no form is a single letter.
    """
    if not all((*name.given, *name.surnames)):
        return {}
    made: dict[str, int] = {}
    for place, form in enumerate(_forms(name)):
        if len(form) > 1:
            made.setdefault(form, place)
    return made


def beginnings(name: Spelling) -> str:
    """The letters that some form of a name begins with."""
    return "".join([word[:1] for word in (*name.given, *name.surnames, name.glued)])


def form(name: Spelling, place: int) -> str:
    """The form of a name at a place of another's."""
    return _forms(name)[place]


def _forms(name: Spelling) -> Sequence[str]:
    given, surnames, glued = name
    first, every = given[0], "".join(given)
    letters = "".join([word[:1] for word in given])
    # The surname glued, and its first word alone, as married names are often cut.
    families = (glued, "".join(surnames), surnames[0])
    forms = [*given, every, *surnames, *families]
    for family in families:
        for one in (first[:1], letters, first, every):
            forms += (one + family, family + one)
    return [*forms, letters, letters + glued[:1], first + glued[:1]]
