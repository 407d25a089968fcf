"""Words that announce an organisation and say its kind: "EHPAD", "centre hospitalier", "chalutier" (`.toml`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from deid.domain import read_lists
from deid.french.folding import fold_line


class OrgKind(StrEnum):
    """Kind of an organisation, kept by its surrogate."""

    HOSPITAL = "hospital"
    CANCER_CENTRE = "cancer centre"
    CLINIC = "clinic"
    CARE_HOME = "care home"
    LABORATORY = "laboratory"
    PHARMACY = "pharmacy"
    PRACTICE = "practice"
    SCHOOL = "school"
    EMPLOYER = "employer"
    STATE_COMPANY = "state company"
    SHOP = "shop"
    LANDLORD = "landlord"
    ASSOCIATION = "association"
    SPORT = "sports club"
    WORSHIP = "place of worship"
    INSURER = "insurer"
    BANK = "bank"
    ADMINISTRATION = "administration"
    TRANSPORT = "transport"
    FREIGHT = "freight"
    AIRLINE = "airline"
    MILITARY = "military"
    SHIP = "ship"
    HOME_CARE = "home care"
    OTHER = "other"


_LISTS = read_lists(__file__)


def _list(text: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in text.split(",") if name.strip())


_SPECIALTIES = _list(_LISTS["specialties"])
_SORTS = (*_list(_LISTS["sorts"]), *(of + one for of in ("", "de ", "d'", "en ") for one in _SPECIALTIES))
TRADES = frozenset(_list(_LISTS["trades"]))
# Word that opens a name, folded → what it says of it.
_KIND_OF_HEAD = {head: OrgKind(kind) for kind, heads in _LISTS["heads"].items() for head in _list(heads)}

_LONGEST = max(len(head.replace("'", " ").split()) for head in (*_KIND_OF_HEAD, *_SORTS))
_PLAIN = {head.replace("'", " "): kind for head, kind in _KIND_OF_HEAD.items()}
_PLAIN_SORTS = frozenset(sort.replace("'", " ").replace("-", " ") for sort in _SORTS)


class KindWord(NamedTuple):
    """A head among folded words: its own words, the number of these and of those that say a sort, its kind."""

    words: str
    length: int
    kind: OrgKind


def head_ending(words: Sequence[str]) -> KindWord | None:
    """Return the longest head that ends folded words, signs apart, words that say a sort behind it or not; or None."""
    for sort in (0, *range(1, _LONGEST + 1)):
        rest = words[: len(words) - sort]
        if sort and " ".join(words[len(rest) :]) not in _PLAIN_SORTS:
            continue
        for length in range(min(_LONGEST, len(rest)), 0, -1):
            if (kind := _PLAIN.get(said := " ".join(rest[-length:]))) is not None:
                return KindWord(said, length + sort, kind)
    return None


# Signs that scanners take for one another: "hospltalier" is read as "hospitalier", letter by letter.
_READ_ALIKE, _LONGEST_DOTTED = str.maketrans("l1|0", "iiio"), 6


def scanned(text: str) -> str:
    """Return a text folded, letters that scanners take for one another as one; the same length."""
    return fold_line(text).translate(_READ_ALIKE)


def _spellings(head: str) -> Iterator[str]:
    """Yield a head as a scanned text writes it, initials also with points: "chu", "c.h.u.", "c.h.u"."""
    plain = scanned(head)
    yield plain
    if plain.isalpha() and len(plain) <= _LONGEST_DOTTED:
        yield from (".".join(plain) + end for end in (".", ""))


_HEADS = {spelling: head for head in _KIND_OF_HEAD for spelling in _spellings(head)}
HEAD = re.compile(
    r"(?:i[ae']s? ?)?(?P<kind>"
    + "|".join(re.escape(head).replace(r"\ ", "[ -]") for head in sorted(_HEADS, key=len, reverse=True))
    + r")(?![a-z0-9])"
)
# Words behind a head that say a sort of its kind and name none of it: "école libre", "centre de sénologie", "maison de
# la femme, de la mère et de l'enfant".
_DESCRIBED = "|".join(sorted(map(scanned, _list(_LISTS["described"])), key=len, reverse=True)).replace(" ", "[ -]")
_BRANCHES = "|".join(map(scanned, _list(_LISTS["branches"])))
SORT = re.compile(
    rf"(?:[ -](?:et )?(?:{'|'.join(sorted(map(scanned, _SORTS), key=len, reverse=True))})(?![a-z0-9'])|"
    r"(?:,? |[/-])(?:(?:et|de|du|des|en|pour|aux?|ia|ies?) |[di]')*"
    rf"(?:{_DESCRIBED}|[a-z]+(?:{_BRANCHES})s?)(?![a-z0-9']))+"
    r"(?!-[a-z])"
)
HEAD_AHEAD = re.compile(rf"(?<![a-z]){HEAD.pattern}(?:{SORT.pattern})? \Z")


class OpeningHead(NamedTuple):
    """A head that opens the name of an organisation: its folded words, its kind, its end in the name.

    `slipped`: the name has one slip in it.
    """

    words: str
    kind: OrgKind
    end: int
    slipped: bool = False


# Heads long enough to be told with a slip, of one word or of several, by their number of words: "mayernité de Nîmes",
# "clinque Saint-Roch", "Centre hospitaleir de Vannes".
_LEAST_SLIPPED, _LEAST_OF_SEVERAL, _LEAST_SMALL = 7, 12, 5
_SLIPPED: dict[int, list[str]] = {}
for _head in map(scanned, _KIND_OF_HEAD):
    if len(_head) >= (_LEAST_SLIPPED if _head.isalpha() else _LEAST_OF_SEVERAL):
        _SLIPPED.setdefault(len(_head.split()), []).append(_head)
_LINK = re.compile("[ -]")
# Acronyms that are words of names too: "Ti Kaz".
_IN_CAPITALS = frozenset({"ti"})


def find_head(name: str, is_name: Callable[[str], bool] = lambda _: False) -> OpeningHead | None:
    """Return the longest head that opens the name of an organisation, which may have one slip; or None.

    A folded word that `is_name` somebody bears is no slip: "Collier" is no "voilier".
    """
    exact = HEAD.match(scanned(name))
    if exact is not None and head_of(exact) in _IN_CAPITALS and not name[: exact.end()].isupper():
        exact = None  # "Ti Kaz"
    slipped = _with_slip(name, is_name)
    if exact is None or (slipped is not None and slipped.end > exact.end()):
        return slipped
    return OpeningHead(head_of(exact), kind_of_head(exact), exact.end())


def _with_slip(name: str, is_name: Callable[[str], bool]) -> OpeningHead | None:
    written, said = _LINK.split(name), _LINK.split(scanned(name))
    for count in sorted(_SLIPPED, reverse=True):
        opening = " ".join(said[:count])
        found = process.extractOne(opening, _SLIPPED[count], scorer=OSA.distance, score_cutoff=1)
        if found is None or found[1] == 0 or len(said) < count:
            continue
        meant = found[0]
        wrong = [at for at, word in enumerate(meant.split()) if said[at] != word]
        if all(_may_slip(written[at], at == 0) and not is_name(fold_line(written[at])) for at in wrong):
            return OpeningHead(_HEADS[meant], _KIND_OF_HEAD[_HEADS[meant]], len(opening), slipped=True)
    return None


def _may_slip(word: str, opens: bool) -> bool:
    """Return whether a word with a slip is no name: it `opens` the head, is long or in small letters."""
    return opens or len(word) >= (_LEAST_SMALL if word.islower() else _LEAST_SLIPPED)


def head_of(found: re.Match[str]) -> str:
    """Return the head that was found, folded, without its points."""
    return _HEADS[found["kind"].replace("-", " ")]


def kind_of_head(found: re.Match[str]) -> OrgKind:
    """Return the kind that the head that was found says."""
    return _KIND_OF_HEAD[head_of(found)]
