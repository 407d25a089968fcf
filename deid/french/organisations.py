"""Organisations named without a word of their kind (`organisations.toml`); national bodies, which identify nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from deid.domain import read_lists
from deid.french.folding import fold_line, key

# Strategy of the surrogate of a body that stays, or whose town or department alone is replaced.
NATIONAL = "national_body"
_LONGEST_ACRONYM = 6
# What a name may have ahead of it: an article, the word for a branch of the body: "caisse M.S.A.", "antenne de l'ARS".
_ARTICLE = "(?:l'|(?:la|le|les) )?"
_BRANCH = (
    "(?:(?:agence|antenne|bureau|caisse|comite|delegation|federation|fonds|section) "
    "(?:(?:departementale?|locale?|regionale?|territoriale?) )?(?:de la |de l'|du |des |de |d')?)?"
)


class BodyKind(StrEnum):
    """Kind of a national body, which its surrogate keeps where a sentence says that somebody works there."""

    ADMINISTRATION = "administration"
    ASSOCIATION = "association"
    EMERGENCY = "emergency"
    EMPLOYER = "employer"
    HOSPITAL = "hospital"
    FORCES = "forces"
    INTERNATIONAL = "international"


class NationalBody(NamedTuple):
    """A national body that opens a name: its kind, the end of its name and theme, whether all know its one seat."""

    kind: BodyKind
    end: int
    one_seat: bool


_LISTS = read_lists(__file__)


def _named(table: str) -> Iterator[tuple[str, BodyKind]]:
    for kind, names in _LISTS[table].items():
        for name in names.split(","):
            yield " ".join(name.split()), BodyKind(kind)


def _called(title: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in _LISTS["called"][title].split(","))


# Names of the lookup of detection, folded.
HOSPITALS = _called("hospitals")
COMPANIES = _called("companies")
_SEATED = frozenset(name.strip() for name in _LISTS["seated"]["bodies"].split(","))
_SITES = {
    title: "|".join(re.escape(host.strip()) for host in hosts.split(",")) for title, hosts in _LISTS["sites"].items()
}
# Of a directory of establishments neither word nor number: "annuaire", "FicheEtablissement", a postal code.
_PUBLIC_PAGE = re.compile(
    rf"(?:https?://)?(?:www\.)?(?:(?:{_SITES['hosts']})(?:/(?!.*(?:annuaire|etablissement|ehpad|hopita))(?!.*(?<![\d_])\d{{5}})[\w./-]*)?|"
    rf"(?:{_SITES['first_pages']})/?)"
)
PUBLIC_BODIES = (*(name for name, _ in _named("found")), *_called("establishments"))


@cache
def _bodies() -> Mapping[str, BodyKind]:
    makers = (f"laboratoire{plural} {one}" for plural in ("", "s") for one in _called("makers"))
    return dict((*_named("found"), *_named("announced"), *((one, BodyKind.EMPLOYER) for one in makers)))


def _pattern_of(name: str) -> str:
    """Return a pattern of a folded name: hyphens and apostrophes for blanks, points between the letters of initials."""
    if " " in name:
        return name.replace(" ", "[ '-]+")
    dotted = r"\.".join(name)
    return rf"{name}|{dotted}\.?" if len(name) <= _LONGEST_ACRONYM else name


@cache
def _opening() -> re.Pattern[str]:
    names = sorted(_bodies(), key=len, reverse=True)
    themes = rf"(?: (?:et |des? |du |de la |d'|de l')*(?:{'|'.join(_called('themes'))})s?(?![a-z0-9]))*"
    return re.compile(rf"{_ARTICLE}{_BRANCH}(?P<name>{'|'.join(map(_pattern_of, names))})(?![a-z0-9']){themes}")


def read_national(name: str) -> NationalBody | None:
    """Return the national body that opens the name of an organisation, its article ahead or not; else None."""
    found = _opening().match(fold_line(name))
    if found is None:
        return None
    spaced = key(found["name"])
    told = spaced if spaced in _bodies() else spaced.replace(" ", "")
    return NationalBody(_bodies()[told], found.end(), told in _SEATED)


def is_national(name: str) -> bool:
    """Return whether a name is a national body's and says nothing more, such as a town."""
    body = read_national(name)
    return body is not None and not any(map(str.isalnum, name[body.end :]))


def is_public_page(address: str) -> bool:
    """Return whether a web address is a page that a national body shows everybody: no account, no query."""
    return _PUBLIC_PAGE.fullmatch(fold_line(address)) is not None
