"""The commune table: places by name, postal code and code, their territory and their health profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from deid.reference import features as profiles
from deid.reference.atlas import Atlas
from deid.reference.naming import department_of_zip, key, openings, with_article, without_article
from deid.reference.partition import INHABITANTS, LEAST, digest, territories

# Paris, Lyon and Marseille: an arrondissement is a part of its commune, not a place to draw.
DISTRICTED = {"751": "75056", "6938": "69123", "132": "13055"}


@dataclass(frozen=True, slots=True)
class Commune:
    """A commune of today. `population` 0 is also what the source does not say.

    `lon` and `lat` are degrees (WGS 84); `features` are raw, in the units of docs/reference-data.md.
    Two communes are equal when their INSEE codes are.
    """

    insee: str
    name: str = field(compare=False)
    department: str = field(compare=False)
    region: str = field(compare=False)
    zips: tuple[str, ...] = field(compare=False)
    lon: float = field(compare=False)
    lat: float = field(compare=False)
    population: int = field(compare=False)
    features: Mapping[str, float] = field(compare=False)


@dataclass(frozen=True, slots=True)
class Establishment:
    """A hospital, care home, pharmacy or laboratory of a commune; `kind` is "hospital" or a FINESS category."""

    finess: str
    name: str
    insee: str
    kind: str


class CommuneTable:
    """Communes with what surrogates need of them. Immutable once built; indexes are made on first use.

    `former` maps a former name to the code of the commune it is in today. `partition` maps the name of each
    territory to its codes; None computes it from the communes, with at least `least` of them and so many
    `inhabitants` in each.
    """

    def __init__(
        self,
        communes: Iterable[Commune],
        *,
        version: str,
        former: Iterable[tuple[str, str]] = (),
        streets: Iterable[str] = (),
        establishments: Iterable[Establishment] = (),
        areas: Mapping[tuple[str, str], str] | None = None,
        partition: Mapping[str, Sequence[str]] | None = None,
        least: int = LEAST,
        inhabitants: int = INHABITANTS,
    ) -> None:
        self.communes: Sequence[Commune] = tuple(sorted(communes, key=lambda commune: commune.insee))
        self.version = version
        self._once = tuple(former)
        self._streets = tuple(dict.fromkeys(streets))
        self._establishments = tuple(establishments)
        self.areas = dict(areas or {})
        self._partition = partition
        self._floors = least, inhabitants

    def find(self, name: str, zip: str | None = None, department: str | None = None) -> Sequence[Commune]:
        """Communes of that name, the most populous first; case, accents, hyphens, "St" and CEDEX do not matter.

        Names of today come before former ones, and an article may be missing. `zip`, then `department`
        ("25", "2A", "971") tell homonyms apart, those of former communes too; one that fits none of them is ignored,
        since people mistype codes more often than names. Empty when no commune ever bore the name.
        """
        place = key(name)
        named = self._by_name.get(place) or self._by_name.get(with_article(place)) or self._loosely.get(place)
        if not named:
            return ()
        if not zip and not department:
            return named
        once = self._former_by_name.get(place, ())
        there = department_of_zip(zip) if zip else None
        for homonyms in (named, once):
            if zip and (fitting := [commune for commune in homonyms if zip in commune.zips]):
                return tuple(fitting)
        for homonyms in (named, once):
            if there and (fitting := [commune for commune in homonyms if commune.department == there]):
                return tuple(fitting)
        for homonyms in (named, once):
            if department and (fitting := [one for one in homonyms if one.department == department.upper()]):
                return tuple(fitting)
        return named

    def get(self, insee: str) -> Commune | None:
        """The commune of an INSEE code; an arrondissement's code gives its commune."""
        return self._by_code.get(self.code_of_today(insee))

    @staticmethod
    def code_of_today(insee: str) -> str:
        """The code of the commune that an arrondissement is in; other codes as they are."""
        for prefix, commune in DISTRICTED.items():
            if insee.startswith(prefix) and insee != commune:
                return commune
        return insee

    def at_zip(self, zip: str) -> Sequence[Commune]:
        """Communes that the postal code serves, the most populous first; empty for an unknown code."""
        return self._by_zip.get(zip, ())

    def in_department(self, department: str) -> Sequence[Commune]:
        """Communes of a department ("25", "2A", "971"), by INSEE code; empty for an unknown one."""
        return self._by_department.get(department.upper(), ())

    def region_of(self, department: str) -> str | None:
        """Code of the region of a department ("25", "2A", "971"); None for an unknown one."""
        found = self.in_department(department)
        return found[0].region if found else None

    def department_name(self, code: str) -> str | None:
        """Name of a department by its code, such as "Doubs" for "25"."""
        return self.areas.get(("department", code.upper()))

    def region_name(self, code: str) -> str | None:
        """Name of a region by its code, such as "Bourgogne-Franche-Comté" for "27"."""
        return self.areas.get(("region", code))

    def territory(self, commune: Commune) -> Sequence[Commune]:
        """The fixed public candidates of a commune, itself among them, by INSEE code.

        Raises:
            KeyError: the commune is not of this table.
        """
        return self._members[self.territory_name(commune)]

    def territory_name(self, commune: Commune) -> str:
        """Name of the territory of a commune, such as "25-03".

        Raises:
            KeyError: the commune is not of this table.
        """
        return self._territory_of[commune.insee]

    @cached_property
    def partition(self) -> Mapping[str, Sequence[str]]:
        """Territory name → INSEE codes."""
        return self._partition if self._partition is not None else territories(self.communes, *self._floors)

    @cached_property
    def partition_digest(self) -> str:
        """SHA-256 of the partition: what a published row cites, and the release of the communes holds."""
        return digest(self.partition)

    def distance(self, a: Commune, b: Commune, features: Sequence[str]) -> int:
        """Millionths between the health profiles of two communes of one territory, rounded up.

        Features are normalised by their maximum over that territory (`deid.reference.features`).

        Raises:
            KeyError: a commune is not of this table, or has no such feature.
            ValueError: the communes are of two territories, where no distance is public.
        """
        if self.territory_name(b) != self.territory_name(a):
            raise ValueError(f"communes {a.insee} and {b.insee} are not of one territory")
        known = self.profiles(a, features)
        return profiles.distance(known[a.insee], known[b.insee])

    def profiles(self, commune: Commune, features: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """INSEE code → normalised health profile, for the communes of one's territory; computed once.

        Raises:
            KeyError: the commune is not of this table, or has no such feature.
        """
        asked = self.territory_name(commune), tuple(features)
        known = self._profiles.get(asked)
        if known is None:
            known = self._profiles[asked] = self._normalised(*asked)
        return known

    def neighbours(
        self, commune: Commune, features: Sequence[str], number: int, radius_m: int
    ) -> Sequence[tuple[Commune, int]]:
        """The `number` communes nearest to one by health profile among those within a radius, itself first, and their
        distances in millionths (Tchouka et al. 2023, section 4.2). Features are normalised by their maximum over the
        whole table. Fewer where the radius holds fewer.

        Raises:
            KeyError: the commune is not of this table, or has no such feature.
        """
        asked = commune.insee, tuple(features), number, radius_m
        known = self._neighbours.get(asked)
        if known is None:
            greatest = self._greatest(asked[1])
            mine = profiles.normalised(commune.features, greatest)
            near = [
                (profiles.distance(mine, profiles.normalised(other.features, greatest)), other != commune, other)
                for other in self.atlas.within(commune, radius_m)
            ]
            near.sort(key=lambda one: (one[0], one[1], one[2].insee))
            known = self._neighbours[asked] = tuple((other, far) for far, _, other in near[:number])
        return known

    def lacking(self, features: Sequence[str]) -> Sequence[str]:
        """Those of `features` that the communes do not have."""
        return [name for name in features if not self.communes or name not in self.communes[0].features]

    def streets(self) -> Sequence[str]:
        """Street names of the country, the most frequent first."""
        return self._streets

    def establishments(self, insee: str) -> Sequence[Establishment]:
        """Establishments of a commune, hospitals first; empty when it has none."""
        return self.establishments_by_commune.get(self.code_of_today(insee), ())

    def opened(self, words: str) -> Sequence[Commune]:
        """Communes whose name begins with these words (a key of `naming`) and goes on; empty where none does."""
        return self._opened.get(words, ())

    @cached_property
    def former(self) -> Sequence[tuple[str, str]]:
        """Former name and the INSEE code of today's commune; empty where that is not known."""
        return self._once

    def _normalised(self, territory: str, features: tuple[str, ...]) -> Mapping[str, tuple[int, ...]]:
        members = self._members[territory]
        greatest = profiles.maxima((commune.features for commune in members), features)
        return {commune.insee: profiles.normalised(commune.features, greatest) for commune in members}

    def _greatest(self, features: tuple[str, ...]) -> Mapping[str, int]:
        if features not in self._maxima:
            self._maxima[features] = profiles.maxima((commune.features for commune in self.communes), features)
        return self._maxima[features]

    @cached_property
    def _maxima(self) -> dict[tuple[str, ...], Mapping[str, int]]:
        return {}

    @cached_property
    def _neighbours(self) -> dict[tuple[str, tuple[str, ...], int, int], Sequence[tuple[Commune, int]]]:
        return {}

    @cached_property
    def atlas(self) -> Atlas[Commune]:
        """Where the communes lie."""
        return Atlas(self.communes)

    @cached_property
    def _profiles(self) -> dict[tuple[str, tuple[str, ...]], Mapping[str, tuple[int, ...]]]:
        return {}

    @cached_property
    def _by_code(self) -> Mapping[str, Commune]:
        return {commune.insee: commune for commune in self.communes}

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Commune]]:
        return {**self._former_by_name, **_ranked((key(commune.name), commune) for commune in self.communes)}

    @cached_property
    def _former_by_name(self) -> Mapping[str, Sequence[Commune]]:
        was = ((key(name), self.get(insee)) for name, insee in self.former)
        return _ranked((name, commune) for name, commune in was if commune)

    @cached_property
    def _loosely(self) -> Mapping[str, Sequence[Commune]]:
        shortened = ((without_article(name), name, found) for name, found in self._by_name.items())
        return _ranked((short, commune) for short, name, found in shortened if short != name for commune in found)

    @cached_property
    def _opened(self) -> Mapping[str, Sequence[Commune]]:
        groups: dict[str, list[Commune]] = defaultdict(list)
        for commune in self.communes:
            for opening in openings(key(commune.name)):
                groups[opening].append(commune)
        return groups

    @cached_property
    def _by_zip(self) -> Mapping[str, Sequence[Commune]]:
        return _ranked((zip, commune) for commune in self.communes for zip in commune.zips)

    @cached_property
    def _by_department(self) -> Mapping[str, Sequence[Commune]]:
        groups: dict[str, list[Commune]] = defaultdict(list)
        for commune in self.communes:
            groups[commune.department].append(commune)
        return {department: tuple(group) for department, group in groups.items()}

    @cached_property
    def _members(self) -> Mapping[str, Sequence[Commune]]:
        return {name: tuple(self._by_code[code] for code in codes) for name, codes in self.partition.items()}

    @cached_property
    def _territory_of(self) -> Mapping[str, str]:
        return {code: name for name, codes in self.partition.items() for code in codes}

    @cached_property
    def establishments_by_commune(self) -> Mapping[str, Sequence[Establishment]]:
        """INSEE code → establishments, hospitals first."""
        groups: dict[str, list[Establishment]] = defaultdict(list)
        for one in sorted(self._establishments, key=lambda one: (one.kind != "hospital", one.name, one.finess)):
            groups[self.code_of_today(one.insee)].append(one)
        return {insee: tuple(group) for insee, group in groups.items()}


def _ranked(pairs: Iterable[tuple[str, Commune]]) -> dict[str, Sequence[Commune]]:
    """Communes by key, each once, the most populous first, then by code."""
    groups: dict[str, list[Commune]] = {}
    for name, commune in pairs:
        groups.setdefault(name, []).append(commune)
    return {name: tuple(group) if len(group) == 1 else _distinct(group) for name, group in groups.items()}


def _distinct(group: Iterable[Commune]) -> Sequence[Commune]:
    return tuple(sorted(set(group), key=lambda commune: (-commune.population, commune.insee)))
