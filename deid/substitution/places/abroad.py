"""Towns outside the commune table: their part of the world, and public lists to draw from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache

from deid.domain import read_lists
from deid.reference import Commune
from deid.reference.packaged import packaged_rows
from deid.reference.place_names import place_key

# What a commune of this module has in the stead of a department.
NOWHERE = "99"
_CODE = 5


class World(StrEnum):
    """Parts of the world that a surrogate town stays in: a fixed public partition, at least 64 towns in each."""

    EUROPE = "europe"
    MEDITERRANEAN = "mediterranean"  # Maghreb and Middle East
    AFRICA = "africa"
    ASIA = "asia"
    AMERICA = "america"  # Oceania with it
    FRANCE = "france"  # the overseas collectivities, which are in no department


# INSEE's codes of countries go by continent; these are taken out of theirs.
_MEDITERRANEAN = frozenset(
    "99201 99203 99204 99205 99206 99207 99208 99222 99240 99247 99248 99249 99250 99251 99252 99253 99255 99261 "
    "99301 99316 99350 99351 99352 99389".split()
)
_CONTINENTS = {
    "991": World.EUROPE, "992": World.ASIA, "993": World.AFRICA, "994": World.AMERICA, "995": World.AMERICA,
}  # fmt: skip
_CYPRUS = "99254"
_LISTS = read_lists(__file__)
# Code of international numbers → INSEE's codes of its countries, the greatest first.
CALLED: Mapping[str, tuple[str, ...]] = {
    code: tuple(countries)
    for code, *countries in map(str.split, " ".join(_LISTS["calling_codes"]["all"].split()).split(","))
}
# Country → towns to draw from; others, which a name means rather than a namesake in France: recognised, never drawn.
_TOWNS, _HOMONYMS = (
    {country: " ".join(named.split()).split(", ") for country, named in _LISTS[table].items()}
    for table in ("towns", "homonyms")
)


def listed_names(table: str) -> Mapping[str, Sequence[str]]:
    """Return what texts call countries ("names", by INSEE's code) or parts of the world ("continents", by part)."""
    return {code: " ".join(named.split()).split(", ") for code, named in _LISTS[table].items()}


def world(country: str) -> World:
    """Return the part of the world of a country or collectivity, by its INSEE code ("99326", "987")."""
    if not country.startswith("99"):
        return World.FRANCE
    if country in _MEDITERRANEAN:
        return World.MEDITERRANEAN
    return World.EUROPE if country == _CYPRUS else _CONTINENTS.get(country[:3], World.AMERICA)


@cache
def towns() -> Mapping[World, Sequence[Commune]]:
    """Return the towns to draw from, uniformly, by part of the world; `region` is the country's code."""
    lists: dict[World, list[Commune]] = defaultdict(list)
    for country, named in _TOWNS.items():
        for name in named:
            lists[world(country)].append(_town(country, f"{country} {place_key(name)}", name, ()))
    for row in packaged_rows("collectivities"):
        codes = tuple(row["zip"].split("|"))
        lists[World.FRANCE].append(_town(row["collectivity"], row["insee"], row["name"], codes))
    return {part: tuple(named) for part, named in lists.items()}


def _town(country: str, code: str, name: str, zips: tuple[str, ...]) -> Commune:
    return Commune(code, name, NOWHERE, country, zips, 0.0, 0.0, 0, {})


@cache
def _listed() -> Mapping[str, str]:
    """Return key → country of the towns to draw from; collectivities come last and win."""
    return {place_key(town.name): town.region for part in towns().values() for town in part}


@cache
def _meant() -> frozenset[str]:
    return frozenset(place_key(name) for named in _HOMONYMS.values() for name in named)


@cache
def _known() -> Mapping[str, str]:
    """Return key → country of every known town abroad: in the open list, a homonym, or one to draw from."""
    homonyms = {place_key(name): country for country, named in _HOMONYMS.items() for name in named}
    return {**{row["name"]: row["country"] for row in packaged_rows("towns_abroad")}, **homonyms, **_listed()}


def country_of(name: str) -> str | None:
    """Return the code of the country of a town abroad, by the town's name in any language; None if it is unknown."""
    place = place_key(name)
    return _known().get(place) or (_known().get(place.replace(" ", "")) if "'" in name or "’" in name else None)


def is_listed(name: str) -> bool:
    """Return whether a name is of a town abroad to draw from, or of one with a namesake in France ("Liège")."""
    return place_key(name) in _listed() or is_meant(name)


def is_meant(name: str) -> bool:
    """Return whether a name alone means the town abroad rather than its namesake in France: "Montréal"."""
    return place_key(name) in _meant()


def collectivity_at(zip: str) -> str | None:
    """Return the overseas collectivity of a postal code; None for other codes."""
    served = next((town.region for town in towns()[World.FRANCE] if zip in town.zips), None)
    beginning = any(town.region == zip[:3] for town in towns()[World.FRANCE])
    return served or (zip[:3] if beginning and len(zip) == _CODE else None)
