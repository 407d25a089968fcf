"""Names of departments, regions, countries and collectivities, by name and by code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from deid.domain import read_lists
from deid.french.folding import comparable, fold_line, words
from deid.reference.packaged import packaged_rows
from deid.substitution.places.abroad import World, listed_names, world

_LISTS = read_lists(__file__)
_BY_ARTICLE: Mapping[str, frozenset[str]] = {
    article: frozenset(comparable(name) for name in " ".join(named.split()).split(", "))
    for article, named in _LISTS["articles"].items()
}


def article_of(name: str) -> str:
    """Return the article of a department, region, country or collectivity: "le", "la", "l'", "les" or empty."""
    bare = comparable(name)
    listed = next((article for article, names in _BY_ARTICLE.items() if bare in names), None)
    if listed is not None:
        return listed
    return "l'" if _is_vowel(bare) else "la"


def _is_vowel(bare: str) -> bool:
    return bare[:1] in tuple("aeiou") or bare.startswith(("yonne", "yvelines"))


_LONGEST = 5
_OVERSEAS = re.compile("97[12346]")
_REGIONS = frozenset({"01", "02", "03", "04", "06"})
_LEAST_MISSPELT = 6
_ODD = re.compile("antarctique|territoire|terres|britannique|^france$|,|[(]")
_ARTICLE = re.compile(r"^(?:l['’ ]|la |le |les )", re.IGNORECASE)
_FRANCE = frozenset({"france", "hexagone", "metropole", "francemetropolitaine"})
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
    """Return comparable name → (kind, code)."""
    called = (("continent", listed_names("continents")), ("country", listed_names("names")))
    named = {comparable(name): (kind, code) for kind, by in called for code, names in by.items() for name in names}
    named |= {comparable(row["name"]): (row["kind"], row["code"]) for row in packaged_rows("territories")}
    named |= {comparable(name): ("department", code) for name, code in _LISTS["former"].items()}
    named |= {comparable(name): ("region", code) for name, code in _LISTS["former_regions"].items()}
    named |= {"reunion": named["lareunion"]}
    for code, names in _COLLECTIVITIES.items():
        named |= {comparable(name): ("collectivity", code) for name in names}
    return named


def is_overseas(text: str) -> bool:
    """Return whether a text is the name or the code of an overseas department or region."""
    known = area(text)
    code = known[1] if known and known[0] == "department" else text
    return bool(_OVERSEAS.fullmatch(code)) or (known is not None and known[0] == "region" and known[1] in _REGIONS)


def is_public(text: str) -> bool:
    """Return whether an area stays as it is: an overseas department or region (a stratum), or France itself."""
    return is_overseas(text) or comparable(_ARTICLE.sub("", text)) in _FRANCE


def area(text: str) -> tuple[str, str] | None:
    """Return the kind and code of a name, its article ignored; None for another name.

    The kind is "department", "region", "country", "collectivity", or "continent" with its part of the world for code.
    """
    known = _by_name()
    return known.get(comparable(text)) or known.get(comparable(_ARTICLE.sub("", text)))


@lru_cache(1 << 10)
def misspelt_country(name: str) -> str | None:
    """Return the code of the country that a name is one slip from: "Vietnm"; None for a short or another name."""
    written = comparable(_ARTICLE.sub("", name))
    near = {code for code, one in area_names("country").items() if OSA.distance(written, comparable(one)) == 1}
    return near.pop() if len(near) == 1 and len(written) >= _LEAST_MISSPELT else None


def is_abroad(text: str) -> bool:
    """Return whether a text is the name of a country, of a continent, or of France."""
    return (area(text) or ("",))[0] in ("country", "continent")


@cache
def area_names(kind: str) -> Mapping[str, str]:
    """Return code → name of the areas of a kind, but for long or odd names, unlikely in a text."""
    if kind == "collectivity":
        return {code: names[0] for code, names in _COLLECTIVITIES.items()}
    named = {row["code"]: row["name"] for row in packaged_rows("territories") if row["kind"] == kind}
    return {
        code: name for code, name in named.items() if len(words(name)) <= _LONGEST and not _ODD.search(fold_line(name))
    }


@cache
def listed(kind: str) -> tuple[str, ...]:
    """Return the names of the areas of a kind, those of `area_names`."""
    return tuple(area_names(kind).values())


@cache
def countries(part: World) -> tuple[str, ...]:
    """Return the INSEE codes of the countries of a part of the world."""
    return tuple([code for code in area_names("country") if world(code) is part])
