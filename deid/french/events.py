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
_ALONE, _ACCIDENTS, _ATTACKED = (re.split(r",\s", _LISTS[kind]["names"]) for kind in ("alone", "accidents", "attacks"))
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
# In folded text, in this order: the first that matches at a place.
_NAMED_STORM = re.compile(rf"\b(?P<kind>{_STORM}) (?P<name>(?:{_any(_KIND_OF)})(?![\w-])){_THEN}")
_ANY_STORM = re.compile(rf"\b(?P<kind>{_STORM}) (?P<name>[a-z][a-z-]{{2,}}){_THEN}")
_DATED = re.compile(rf"\b(?P<told>(?P<kind>{_DISASTER})){_WHEN}")
_UNDATED = re.compile(
    rf"\b(?P<told>(?P<kind>{_ATTACK}|{_DISASTER})"
    r"(?: (?:terroriste|[a-z]{2,}(?:ien|ais|ois|ain))(?:ne|e)?s?)?)(?=[ ,])"
)
_PLACED = re.compile(
    rf"\b(?P<kind>{_ATTACK})(?: terroristes?)? (?:{_OF}|a la |a |au |contre (?:la |le |l')?)"
    r"(?P<name>(?!pudeur|l[ae]s? )[a-z])"
)
_NAMED_ACCIDENT = re.compile(
    rf"\b(?P<kind>{_ACCIDENT}) {_OF}?(?:(?:usine|centrale|tour) (?:{_OF})?)?"
    rf"(?P<name>(?:{_any(_ACCIDENTS)})(?![\w-])){_THEN}"
)
_NAMED_ATTACK = re.compile(rf"\b(?P<kind>{_ATTACK}) (?:{_OF}|a |au |contre )?(?P<name>(?:{_any(_ATTACKED)})\b){_THEN}")
_MEALS = r"(?P<kind>repas|fete|gouter|diner|dejeuner|gateau|soiree) d'anniversaire\b"
_MEAL = re.compile(rf"\b(?:au|a la|du|de la|le|la|son|sa) {_MEALS}(?! d(?:e|u|es)\b| d')")
_LONE_NAME = rf"(?P<name>{_any(_ALONE)})(?![\w-])"
_LONE = re.compile(
    rf"\b(?P<ahead>(?:depuis|apres|avant|pendant|par|lors de|suite a|victimes? de|passage de) )?{_LONE_NAME}{_THEN}"
)
_WHOLE = (re.compile(rf"(?P<kind>{_ATTACK}|{_DISASTER}|{_ACCIDENT})[ ,(].+"), re.compile(_MEALS))
_WHOLE_LONE = re.compile(rf"{_LONE_NAME}.*")
_BEHIND_NAME = re.compile(_THEN)
_NAME = re.compile(r"[A-ZÀ-Þ][\w’'-]*\w(?: (?:de la|du|de|des) [A-ZÀ-Þ][\w’'-]*\w)?")
_CAPITALS = re.compile(r"[A-ZÀ-Þ][\w’'-]*\w")
_MEDICAL = ("ique", "al", "ale", "aire", "euse", "if", "ive")  # ends of adjectives
# What joins an event to its date, "(décembre 2024)", ", le 14 juillet", and that to a further one, "2003 et 2018".
_JOINS = re.compile(r"(?:,? (?:de |du |des |d'|en |le )?(?:l')?| \((?:le |en )?)")
_TELLS = re.compile(r" (?:\(|(?:de |du |des |d'|en )(?:l')?)")
_GOES_ON = re.compile(r"[/–-]| (?:a|au|et|ou) (?:de |du |d')?(?:l')?|, (?:de |du |des |d'|puis )(?:l')?")


class Event(NamedTuple):
    """Event in a text, from `start` to `named`, with its date to `end`; `kind` is the text of its word.

    `name` is where a name begins that no list has, else -1; `undated`: the date behind `named` makes it an event.
    """

    start: int
    named: int
    end: int
    kind: str
    noun: Noun | None = None
    name: int = -1
    undated: bool = False


def find_events(text: str) -> Iterator[Event]:
    """Yield the dated events of a text, in no order; some may overlap. None crosses a line break."""
    plain = fold_lines(text)
    for pattern in (_NAMED_STORM, _NAMED_ACCIDENT, _NAMED_ATTACK, _MEAL):
        for found in pattern.finditer(plain):
            named = found.end("name") if "name" in pattern.groupindex else found.end()
            yield _event(text, found, named, found.end())
    for found in _ANY_STORM.finditer(plain):
        if found["name"] not in _KIND_OF and text[found.start("kind")].islower() and _is_name(text, found):
            yield _event(text, found, found.end("name"), found.end())
    for found in _PLACED.finditer(plain):
        capitals = text[slice(*found.span("kind"))].isupper()
        if name := (_CAPITALS if capitals else _NAME).match(text, found.start("name")):
            behind = _BEHIND_NAME.match(plain, name.end())
            end = behind.end() if behind else name.end()
            yield _event(text, found, name.end(), end)._replace(name=name.start())
    for found in _LONE.finditer(plain):
        at, named = found.span("name")
        if text[at].isupper() and (found["ahead"] or found.end() > named):
            yield _lone(found["name"], at, named, found.end())
    for pattern in (_DATED, _UNDATED):
        for found in pattern.finditer(plain):
            yield _event(text, found, found.end("told"), found.end())._replace(undated=True)


def joins_date(plain: str, event: Event, date: str, start: int) -> bool:
    """Return whether the words between an event and a folded date at `start` join the two.

    A comma alone does so ahead of a year of a series, and of a month or season: "2003, 2006", "tempête, décembre 1999".
    """
    between = plain[event.end : start]
    if event.end > event.named:
        return _GOES_ON.fullmatch(between) is not None or (between == ", " and date.isdecimal())
    if event.undated:
        return _TELLS.fullmatch(between) is not None or (between in (" ", ", ") and date[0].isalpha())
    return _JOINS.fullmatch(between) is not None


def fold_lines(text: str) -> str:
    """Return text folded line by line, each of its length."""
    return "\n".join(map(fold_line, text.split("\n")))


@lru_cache(maxsize=10_000)
def read_event(text: str) -> Event | None:
    """Return the event that a whole text is, with its dates or without; None for another text."""
    plain = fold_lines(text)
    if found := next(filter(None, (pattern.fullmatch(plain) for pattern in _WHOLE)), None):
        return _event(text, found, len(text), len(text))
    if text[:1].isupper() and (found := _WHOLE_LONE.fullmatch(plain)):
        return _lone(found["name"], 0, found.end("name"), len(text))
    return None


def _event(text: str, found: re.Match[str], named: int, end: int) -> Event:
    return Event(found.start("kind"), named, end, text[slice(*found.span("kind"))])


def _lone(name: str, start: int, named: int, end: int) -> Event:
    kind = _KIND_OF[name]
    return Event(start, named, end, kind, _NOUNS[kind])


def _is_name(text: str, found: re.Match[str]) -> bool:
    name = text[slice(*found.span("name"))]
    return name[0].isupper() and not name[1:].isupper() and not name.endswith(_MEDICAL)
