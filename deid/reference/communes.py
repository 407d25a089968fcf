"""The commune table: communes by name, postal code and code, their territories and their health profiles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache
from heapq import nsmallest
from typing import NamedTuple

from deid.reference.commune import Commune, Establishment
from deid.reference.distances import Atlas, feature_maxima, normalise_profile, profile_distance
from deid.reference.partition import (
    CLASSES,
    GENERAL,
    MIN_COMMUNES,
    MIN_INHABITANTS,
    UNIVERSITY,
    digest_partition,
    hospital_towns,
    is_overseas_code,
    partition_communes,
    population_class,
)
from deid.reference.place_names import department_of_zip, key_openings, place_key, with_article, without_article

# Paris, Lyon and Marseille: the arrondissements are parts of their commune and have no row of their own.
DISTRICTED = {"751": "75056", "6938": "69123", "132": "13055"}


_NEAR_M = 25_000
_LEAST_NEAR = 4  # most regions have one or two seats of university hospitals
_LEAST_STAYING = 16  # the least communes of a stratum of one department
_LISTS = 8192  # of candidates, that are kept


def _only(codes: set[str | None]) -> str | None:
    """Return the one code; None for several."""
    return codes.pop() if len(codes) == 1 else None


class Spot(NamedTuple):
    """Spot about which a document's places are drawn: a seat of a university hospital, and a town towards it."""

    seat: Commune
    centre: Commune


class CommuneTable:
    """Communes with their former names, streets, establishments and territories; immutable, indexed on first use.

    `former` holds pairs of a former name and the INSEE code of the commune today. `areas` maps ("department", code) and
    ("region", code) to a name. `partition` maps the name of each territory to INSEE codes; None computes it with at
    least `min_communes` communes and `min_inhabitants` inhabitants per territory.
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
        min_communes: int = MIN_COMMUNES,
        min_inhabitants: int = MIN_INHABITANTS,
    ) -> None:
        self.communes: Sequence[Commune] = tuple(sorted(communes, key=lambda commune: commune.insee))
        self.version = version
        self._former = tuple(former)
        self._streets = tuple(dict.fromkeys(streets))
        self._establishments = tuple(establishments)
        self.areas = dict(areas or {})
        self._partition = partition
        self._minima = min_communes, min_inhabitants
        # A document draws several places of one territory.
        self._normalised = cache(self._normalised_profiles)
        self._neighbours = cache(self._nearest_profiles)
        self._maxima = cache(self._feature_maxima)
        self._towns_of_hospitals = cache(self._list_hospital_towns)
        self._near = lru_cache(_LISTS)(self._list_near)
        self._alike = cache(self._list_alike)
        self._spots = cache(self._list_spots)
        self._has_seats = cache(self._list_seats)

    def find(self, name: str, zip: str | None = None, department: str | None = None) -> Sequence[Commune]:
        """Return the communes of a name, the most populous first; case, accents, hyphens, "St" and CEDEX are ignored.

        Names of today precede former names, and an article may be missing. `zip`, then `department` ("25", "2A",
        "971") select among homonyms, former communes included. A code that selects none is ignored, because people
        mistype codes more often than names. Empty if no commune ever had the name.
        """
        place = place_key(name)
        named = self._by_name.get(place) or self._by_name.get(with_article(place)) or self._loosely.get(place)
        if not named:
            return ()
        candidates = (named, self._former_by_name.get(place, ()))
        if zip:
            there = department_of_zip(zip)
            for homonyms in candidates:
                if fitting := tuple(one for one in homonyms if zip in one.zips):
                    return fitting
            for homonyms in candidates:
                if fitting := tuple(one for one in homonyms if one.department == there):
                    return fitting
        if department:
            for homonyms in candidates:
                if fitting := tuple(one for one in homonyms if one.department == department.upper()):
                    return fitting
        return named

    def get(self, insee: str) -> Commune | None:
        """Return the commune of an INSEE code; an arrondissement's code gives its commune."""
        return self._by_code.get(self.code_of_today(insee))

    @staticmethod
    def code_of_today(insee: str) -> str:
        """Return the code of the commune of an arrondissement; other codes unchanged."""
        for prefix, commune in DISTRICTED.items():
            if insee.startswith(prefix) and insee != commune:
                return commune
        return insee

    def at_zip(self, zip: str) -> Sequence[Commune]:
        """Return the communes of a postal code, the most populous first; empty for an unknown code."""
        return self._by_zip.get(zip, ())

    def in_department(self, department: str) -> Sequence[Commune]:
        """Return the communes of a department ("25", "2A", "971"), by INSEE code; empty for an unknown one."""
        return self._by_department.get(department.upper(), ())

    def region_of(self, department: str) -> str | None:
        """Return the code of the region of a department ("25", "2A", "971"); None for an unknown one."""
        found = self.in_department(department)
        return found[0].region if found else None

    def department_name(self, code: str) -> str | None:
        """Return the name of a department by its code, such as "Doubs" for "25"."""
        return self.areas.get(("department", code.upper()))

    def region_name(self, code: str) -> str | None:
        """Return the name of a region by its code, such as "Bourgogne-Franche-Comté" for "27"."""
        return self.areas.get(("region", code))

    def territory(self, commune: Commune) -> Sequence[Commune]:
        """Return the communes of the territory of a commune, itself among them, by INSEE code.

        They are the candidates of a place draw: fixed and public.

        Raises:
            KeyError: the commune is not of this table.
        """
        return self._members[self.territory_name(commune)]

    def territory_name(self, commune: Commune) -> str:
        """Return the name of the territory of a commune, such as "25-03".

        Raises:
            KeyError: the commune is not of this table.
        """
        return self._territory_of[commune.insee]

    def department_of_territory(self, commune: Commune) -> str | None:
        """Return the department ("86") of the territory of a commune; None for one of several."""
        return self._homes[self.territory_name(commune)][0]

    def region_of_territory(self, commune: Commune) -> str | None:
        """Return the code of the region ("75") of the territory of a commune; None for one of several."""
        return self._homes[self.territory_name(commune)][1]

    def spots(self, department: str) -> Sequence[Spot]:
        """Return where in a department its places may be drawn: by each of the nearest university hospitals, a town."""
        return self._spots(department)

    def _list_spots(self, department: str) -> Sequence[Spot]:
        towns = [one for one in self.hospital_towns(None, university=False) if one.department == department]
        towns = towns or [*self.in_department(department)]

        def beside(seat: Commune) -> tuple[int, str, str]:
            return min((self._square(one, seat), one.insee, seat.insee) for one in towns)

        found = sorted(map(beside, self.hospital_towns(None, university=True)))[:_LEAST_NEAR]
        return tuple(Spot(self._by_code[seat], self._by_code[centre]) for _, centre, seat in found)

    def near(self, commune: Commune, spot: Spot) -> Sequence[Commune]:
        """Return the communes by a spot that may stand for those of the territory of a commune, the nearest first.

        Of a territory of one department, its communes within 25 km, 16 at least. Else communes of the metropolis of
        the territory's sizes and kinds of hospital within 25 km, four at least: university hospitals by the spot's
        seat. A function of spot and territory.
        """
        return self._near(self.territory_name(commune), spot, self.department_of_territory(commune) is not None)

    def alike(self, commune: Commune, spot: Spot) -> Sequence[Commune]:
        """Return what may stand by a spot for a territory that is moved there."""
        return self._near(self.territory_name(commune), spot, False)

    def _list_near(self, territory: str, spot: Spot, stays: bool) -> Sequence[Commune]:
        members = self._members[territory]
        if stays:
            return self._nearest(frozenset(members), spot.centre, _LEAST_STAYING)
        sorts = frozenset(map(sort_of, members))
        centre = spot.seat if self._has_seats(territory) else spot.centre
        return self._nearest(self._alike(sorts), centre, _LEAST_NEAR)

    def is_of_seats(self, commune: Commune) -> bool:
        """Return whether a commune's territory holds seats of university hospitals alone."""
        return self._has_seats(self.territory_name(commune))

    def _list_seats(self, territory: str) -> bool:
        return {UNIVERSITY} == {hospital_towns().get(one.insee) for one in self._members[territory]}

    def _list_alike(self, sorts: frozenset[tuple[int, str | None]]) -> Set[Commune]:
        """Return the communes of the metropolis of some sizes and kinds of hospital."""
        inland = (one for one in self.communes if not is_overseas_code(one.department))
        return frozenset(one for one in inland if sort_of(one) in sorts)

    def _nearest(self, communes: Set[Commune], centre: Commune, least: int) -> Sequence[Commune]:
        """Return those of some communes within 25 km of a centre, and the nearest, `least` at least; nearest first."""
        found: Collection[Commune] = [one for one in self.atlas.within(centre, _NEAR_M) if one in communes]
        number = max(least, len(found))
        found = found if len(found) >= least else communes
        return tuple(nsmallest(number, found, key=lambda one: (self._square(one, centre), one.insee)))

    def _square(self, one: Commune, other: Commune) -> int:
        """Return the square of a distance in metres, on the plane of the metropolis."""
        a, b = self.atlas.point(one), self.atlas.point(other)
        return (a.x - b.x) ** 2 + (a.y - b.y) ** 2

    def villages(self, centre: Commune) -> Sequence[Commune]:
        """Return the communes with fewer than 10,000 inhabitants about a centre; if none has, all about it."""
        here = self.atlas.within(centre, _NEAR_M)
        return tuple(one for one in here if one.population < CLASSES[1]) or here

    @cached_property
    def _homes(self) -> Mapping[str, tuple[str | None, str | None]]:
        """Territory name → its department and the code of its region, None for several."""
        found: dict[str, tuple[str | None, str | None]] = {}
        for name, members in self._members.items():
            found[name] = _only({one.department for one in members}), _only({one.region for one in members})
        return found

    @cached_property
    def partition(self) -> Mapping[str, Sequence[str]]:
        """Territory name → INSEE codes."""
        return self._partition if self._partition is not None else partition_communes(self.communes, *self._minima)

    @cached_property
    def partition_digest(self) -> str:
        """SHA-256 of the partition, cited by published rows and stored with the reference version of the communes."""
        return digest_partition(self.partition)

    def distance(self, a: Commune, b: Commune, features: Sequence[str]) -> int:
        """Return the distance in millionths between the health profiles of two communes of one territory, rounded up.

        Features are normalised by their maximum over that territory (`deid.reference.distances`).

        Raises:
            KeyError: a commune is not of this table, or has no such feature.
            ValueError: the communes are of two territories, where no distance is public.
        """
        if self.territory_name(b) != self.territory_name(a):
            raise ValueError(f"communes {a.insee} and {b.insee} are not of one territory")
        known = self.profiles(a, features)
        return profile_distance(known[a.insee], known[b.insee])

    def profiles(self, commune: Commune, features: Sequence[str]) -> Mapping[str, tuple[int, ...]]:
        """Return INSEE code → normalised health profile, for the communes of the territory of a commune.

        Raises:
            KeyError: the commune is not of this table, or has no such feature.
        """
        return self._normalised(self.territory_name(commune), tuple(features))

    def neighbours(
        self, commune: Commune, features: Sequence[str], number: int, radius_m: int
    ) -> Sequence[tuple[Commune, int]]:
        """Return the `number` communes within a radius (metres) with the nearest health profiles, and their distances.

        The commune itself comes first; distances are in millionths (Tchouka et al. 2023, section 4.2). Features are
        normalised by their maximum over the whole table. Fewer where the radius holds fewer.

        Raises:
            KeyError: the commune is not of this table, or has no such feature.
        """
        return self._neighbours(commune, tuple(features), number, radius_m)

    def hospital_towns(
        self, overseas: str | None, university: bool, centre: Commune | None = None
    ) -> Sequence[Commune]:
        """Return the towns with a public hospital, of the metropolis (None) or an overseas department.

        `university`: seats of a university or regional hospital only. `centre`: those about it. All communes where none
        has one.
        """
        return self._towns_of_hospitals(overseas, university, centre)

    def _list_hospital_towns(self, overseas: str | None, university: bool, centre: Commune | None) -> Sequence[Commune]:
        if centre is not None:
            return self._nearest(frozenset(self.hospital_towns(overseas, university)), centre, _LEAST_NEAR)
        wanted = (UNIVERSITY,) if university else (UNIVERSITY, GENERAL)
        codes = sorted(code for code, kind in hospital_towns().items() if kind in wanted)
        named = [one for one in map(self.get, codes) if one is not None]
        found = [one for one in named if (one.department if is_overseas_code(one.department) else None) == overseas]
        return tuple(found) or self.communes

    def lacking(self, features: Sequence[str]) -> Sequence[str]:
        """Return those of `features` that the communes do not have."""
        return [name for name in features if not self.communes or name not in self.communes[0].profile]

    @cached_property
    def streets(self) -> Sequence[str]:
        """Street names of the country, the most frequent first."""
        return self._streets

    def establishments(self, insee: str) -> Sequence[Establishment]:
        """Return the establishments of a commune, hospitals first; empty when it has none."""
        return self.establishments_by_commune.get(self.code_of_today(insee), ())

    def opened(self, words: str) -> Sequence[Commune]:
        """Return the communes whose name continues after these words (a `place_key`); empty if none does."""
        return self._opened.get(words, ())

    @cached_property
    def former(self) -> Sequence[tuple[str, str]]:
        """Pairs of a former name and the INSEE code of the commune today, "" where it is unknown."""
        return self._former

    def _normalised_profiles(self, territory: str, features: tuple[str, ...]) -> Mapping[str, tuple[int, ...]]:
        members = self._members[territory]
        greatest = feature_maxima((commune.profile for commune in members), features)
        return {commune.insee: normalise_profile(commune.profile, greatest) for commune in members}

    def _nearest_profiles(
        self, commune: Commune, features: tuple[str, ...], number: int, radius_m: int
    ) -> Sequence[tuple[Commune, int]]:
        greatest = self._maxima(features)
        own = normalise_profile(commune.profile, greatest)
        near = [
            (profile_distance(own, normalise_profile(other.profile, greatest)), other != commune, other)
            for other in self.atlas.within(commune, radius_m)
        ]
        near.sort(key=lambda one: (one[0], one[1], one[2].insee))
        return tuple((other, far) for far, _, other in near[:number])

    def _feature_maxima(self, features: tuple[str, ...]) -> Mapping[str, int]:
        return feature_maxima((commune.profile for commune in self.communes), features)

    @cached_property
    def atlas(self) -> Atlas:
        """Positions of the communes."""
        return Atlas(self.communes)

    @cached_property
    def _by_code(self) -> Mapping[str, Commune]:
        return {commune.insee: commune for commune in self.communes}

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Commune]]:
        return {**self._former_by_name, **_ranked((place_key(commune.name), commune) for commune in self.communes)}

    @cached_property
    def _former_by_name(self) -> Mapping[str, Sequence[Commune]]:
        was = ((place_key(name), self.get(insee)) for name, insee in self.former)
        return _ranked((name, commune) for name, commune in was if commune)

    @cached_property
    def _loosely(self) -> Mapping[str, Sequence[Commune]]:
        shortened = ((without_article(name), name, found) for name, found in self._by_name.items())
        return _ranked((short, commune) for short, name, found in shortened if short != name for commune in found)

    @cached_property
    def _opened(self) -> Mapping[str, Sequence[Commune]]:
        groups: dict[str, list[Commune]] = defaultdict(list)
        for commune in self.communes:
            for opening in key_openings(place_key(commune.name)):
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


def sort_of(commune: Commune) -> tuple[int, str | None]:
    """Return what a place keeps by a spot: its kind of hospital, and its class of population.

    Hospital towns are of one class whatever their size, and the two largest classes of other towns are one, so that
    four lie near everywhere.
    """
    size, hospital = population_class(commune.population), hospital_towns().get(commune.insee)
    if hospital == UNIVERSITY:
        return len(CLASSES), hospital
    return (1 if hospital else min(size, len(CLASSES) - 1)), hospital


def is_town(commune: Commune) -> bool:
    """Return whether a commune has a public hospital, or 10,000 inhabitants."""
    return commune.insee in hospital_towns() or population_class(commune.population) > 1


def _ranked(pairs: Iterable[tuple[str, Commune]]) -> dict[str, Sequence[Commune]]:
    """Group communes by key, each once, the most populous first, then by code."""
    groups: dict[str, set[Commune]] = defaultdict(set)
    for name, commune in pairs:
        groups[name].add(commune)
    return {
        name: tuple(sorted(group, key=lambda commune: (-commune.population, commune.insee)))
        for name, group in groups.items()
    }
