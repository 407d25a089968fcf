"""Logins and local parts of e-mail addresses: the ways in which a full name is run together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """A full name in plain small letters: its first names, its surname word by word, and glued with its particles."""

    given: tuple[str, ...]
    surnames: tuple[str, ...]
    glued: str


def forms(original: Spelling, surrogate: Spelling) -> dict[str, str]:
    """What people make of a name, and the same made of its surrogate: "jpdurand" → "lmchevalier".

    A form that two people share is the first one's, so give them in a fixed order.
    """
    made: dict[str, str] = {}
    for form in _FORMS:
        for one, other in zip(form(original), form(surrogate), strict=True):
            if len(one) > 1:
                made.setdefault(one, other)
    return made


def _words(name: Spelling) -> Iterator[str]:
    yield from name.given
    yield "".join(name.given)
    yield from name.surnames
    yield from _families(name)


def _initials_and_family(name: Spelling) -> Iterator[str]:
    for family in _families(name):
        for given in _given(name):
            yield given + family
            yield family + given


def _initials(name: Spelling) -> Iterator[str]:
    letters = "".join(word[:1] for word in name.given)
    yield letters
    yield letters + name.glued[:1]
    yield name.given[0] + name.glued[:1]


def _families(name: Spelling) -> Sequence[str]:
    """The surname glued, and its first word alone, as married names are often cut."""
    return (name.glued, "".join(name.surnames), name.surnames[0])


def _given(name: Spelling) -> Sequence[str]:
    """First initial, all initials, first name, all first names."""
    return (name.given[0][:1], "".join(word[:1] for word in name.given), name.given[0], "".join(name.given))


_FORMS: Sequence[Callable[[Spelling], Iterator[str]]] = (_words, _initials_and_family, _initials)
