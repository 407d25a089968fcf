"""Names of departments, regions, countries and collectivities, by name and by code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from deid.french.folding import comparable, fold_line, words
from deid.reference.packaged import packaged_rows
from deid.substitution.places.abroad import World, world

_LONGEST = 5
_ODD = re.compile("antarctique|territoire|terres|britannique|^france$|,|[(]")
_ARTICLE = re.compile(r"^(?:l['’ ]|la |le |les )", re.IGNORECASE)
# What texts call the overseas collectivities, by code; the first is written.
_COLLECTIVITIES = {
    "975": ("Saint-Pierre-et-Miquelon",),
    "977": ("Saint-Barthélemy", "Saint-Barth"),
    "978": ("Saint-Martin",),
    "986": ("Wallis-et-Futuna", "Wallis", "Futuna"),
    "987": ("Polynésie française", "Polynésie", "Tahiti"),
    "988": ("Nouvelle-Calédonie", "Calédonie"),
}


@cache
def _by_name() -> Mapping[str, tuple[str, str]]:
    """Comparable name → (kind, code)."""
    named = {comparable(row["name"]): (row["kind"], row["code"]) for row in packaged_rows("territories")}
    for code, names in _COLLECTIVITIES.items():
        named |= {comparable(name): ("collectivity", code) for name in names}
    return named


def area(text: str) -> tuple[str, str] | None:
    """The kind ("department", "region", "country", "collectivity") and code of a name, with or without its article."""
    known = _by_name()
    return known.get(comparable(text)) or known.get(comparable(_ARTICLE.sub("", text)))


@cache
def names(kind: str) -> Mapping[str, str]:
    """Code → name of the areas of a kind that a text can mention without surprise."""
    if kind == "collectivity":
        return {code: names[0] for code, names in _COLLECTIVITIES.items()}
    named = {row["code"]: row["name"] for row in packaged_rows("territories") if row["kind"] == kind}
    return {
        code: name for code, name in named.items() if len(words(name)) <= _LONGEST and not _ODD.search(fold_line(name))
    }


@cache
def listed(kind: str) -> tuple[str, ...]:
    """Names of the areas of a kind, as `names` has them."""
    return tuple(names(kind).values())


@cache
def countries(part: World) -> tuple[str, ...]:
    """Names of the countries of a part of the world."""
    return tuple([name for code, name in names("country").items() if world(code) is part])
