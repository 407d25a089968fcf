"""Events that the world dates: named storms, attacks and accidents, disasters of a month or year; and birthday meals.

"depuis le cyclone Chido", "les attentats du 13 novembre", "la canicule de 2003": each tells a true month. Of a mention
only the word for its kind is published. The names are in `events.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from deid.domain import read_lists
from deid.french.articles import Kind, Noun
from deid.french.calendar import FOLDED_MONTHS
from deid.french.folding import fold_line

_LISTS = read_lists(__file__)
_KIND_OF = {name: kind for kind, names in _LISTS["storms"].items() for name in re.split(r",\s", names)}
_ALONE, _ACCIDENTS = (re.split(r",\s", _LISTS[kind]["names"]) for kind in ("alone", "accidents"))
_NOUNS = {"cyclone": Noun(Kind.FEAST, "le"), "ouragan": Noun(Kind.FEAST, "l'"), "tempête": Noun(Kind.FEAST, "la")}


def _any(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_NUMBERED = r"(?:19|20)\d\d|\d\d?/\d\d?/(?:19|20)?\d\d"
_DAY = rf"(?:\d{{1,2}}(?:er)? )?(?:{'|'.join(FOLDED_MONTHS)})(?: (?:19|20)\d\d)?|{_NUMBERED}"
_SEASON = r"(?:l'(?:ete|hiver|automne)|printemps) (?:19|20)\d\d"
_WHEN = rf"(?: (?:de |du |d')(?:{_DAY}|{_SEASON})\b)"
# Behind a name also "en décembre 2024", "le 14 décembre", ", 1989", "(décembre 2024)".
_THEN = rf"(?:{_WHEN}| (?:en |le )?(?:{_DAY})\b| \((?:{_DAY})\)|, (?:19|20)\d\d(?= ?(?:[).,;]|\Z)))?"
_STORM = r"(?:cyclone|ouragan|tempete|typhon)(?: tropicale?)?"
_DISASTER = rf"{_STORM}|canicule|seisme|tremblement de terre|tsunami|attentats?"
_ATTACK = r"attentats?|attaques? terroristes?"
_ACCIDENT = r"incendie|explosion|catastrophe|crash"
_OF = r"(?:de la |de l'|des |du |de |d')"
_CAPITAL = r"[A-ZÀ-Þ][\w’'-]*[\w](?:(?: (?:de |du |la |et )?)[A-ZÀ-Þ][\w’'-]*\w){0,3}"
# In folded text, in this order: the first that matches at a place.
_NAMED_STORM = re.compile(rf"\b(?P<kind>{_STORM}) (?P<name>(?:{_any(_KIND_OF)})(?![\w-])){_THEN}")
_ANY_STORM = re.compile(rf"\b(?P<kind>{_STORM}) (?P<name>[a-z][a-z-]{{2,}}){_THEN}")
_DATED = re.compile(rf"\b(?P<kind>{_DISASTER}){_WHEN}")
_PLACED = re.compile(rf"\b(?P<kind>{_ATTACK}) (?:{_OF}|a la |a |au |contre (?:la |le |l')?)(?P<name>[a-z])")
_NAMED_ACCIDENT = re.compile(
    rf"\b(?P<kind>{_ACCIDENT}) {_OF}(?:(?:usine|centrale|tour) (?:{_OF})?)?"
    rf"(?P<name>(?:{_any(_ACCIDENTS)})(?![\w-])){_THEN}"
)
_MEAL = re.compile(
    r"\b(?:au|a la|du|de la|le|la|son|sa) (?P<kind>repas|fete|gouter|diner|dejeuner|gateau|soiree) d'anniversaire\b"
    r"(?! d(?:e|u|es)\b| d')"
)
_LONE = re.compile(rf"(?<![\w-])(?P<name>{_any(_ALONE)})(?![\w-]){_THEN}")
_BEHIND_NAME = re.compile(_THEN)
_NAME = re.compile(_CAPITAL)


class Event(NamedTuple):
    """Event in a text, from `start` to `named`, with its date to `end`; `kind` is the text of its word."""

    start: int
    named: int
    end: int
    kind: str
    noun: Noun | None = None


def find_events(text: str) -> Iterator[Event]:
    """Yield the dated events of a text, in no order; some may overlap."""
    plain = fold_line(text)
    for pattern in (_NAMED_STORM, _NAMED_ACCIDENT, _DATED, _MEAL):
        for found in pattern.finditer(plain):
            named = found.end("name") if "name" in pattern.groupindex else found.end()
            yield _event(text, found, named, found.end())
    for found in _ANY_STORM.finditer(plain):
        if found["name"] not in _KIND_OF and text[found.start("kind")].islower() and _is_name(text, found):
            yield _event(text, found, found.end("name"), found.end())
    for found in _PLACED.finditer(plain):
        if name := _NAME.match(text, found.start("name")):
            behind = _BEHIND_NAME.match(plain, name.end())
            yield _event(text, found, name.end(), behind.end() if behind else name.end())
    for found in _LONE.finditer(plain):
        if text[found.start()].isupper():
            kind = _KIND_OF[found["name"]]
            yield Event(found.start(), found.end("name"), found.end(), kind, _NOUNS[kind])


@lru_cache(maxsize=10_000)
def read_event(text: str) -> Event | None:
    """Return the event that a whole text is, with its date or without; None for another text."""
    whole = len(text)
    found = [one for one in find_events(f"le {text}") if one.start == 3 and whole + 3 in (one.named, one.end)]
    return found[0] if found else None


def _event(text: str, found: re.Match[str], named: int, end: int) -> Event:
    return Event(found.start("kind"), named, end, text[slice(*found.span("kind"))])


def _is_name(text: str, found: re.Match[str]) -> bool:
    name = text[slice(*found.span("name"))]
    return name[0].isupper() and not name[1:].isupper()
