"""The fixed public partition of communes into strata, a function of the commune table and the list of hospital towns.

The candidates of a place draw are the communes of one stratum (called a territory in tables). The guarantee of the
exponential mechanism requires that this set depends on no patient: the same tables give the same partition.
Decision and alternatives: docs/decisions/2026-11-23-strata-of-communes.md.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from deid.domain.errors import ReferenceRefused
from deid.reference.commune import Commune

MIN_COMMUNES = 16
# Inhabitants of a stratum: the threshold of HIPAA's safe harbour for a geographic unit (45 CFR 164.514(b)(2)).
MIN_INHABITANTS = 20_000
# Inhabitants from which a commune is of the next class: village, small town, town, city.
CLASSES = (2_000, 10_000, 50_000)
_NAMES = ("village", "small", "town", "city")
UNIVERSITY, GENERAL = "university", "general"
_HOSPITALS = Path(__file__).parent / "packaged_data" / "data" / "hospital_towns.csv.gz"

_Key = tuple[str, ...]


def population_class(population: int) -> int:
    """Return the class of a commune by its inhabitants: 0 below 2,000, then 1 below 10,000, 2 below 50,000, 3."""
    return bisect_right(CLASSES, population)


def is_overseas_code(department: str) -> bool:
    """Return whether a department's code is of an overseas department ("971" to "976")."""
    return department.startswith("97")


@cache
def hospital_towns() -> Mapping[str, str]:
    """Return INSEE code → "university" (seat of a CHU or CHR) or "general" (another public hospital)."""
    with gzip.open(_HOSPITALS, "rt", encoding="utf-8", newline="") as lines:
        return {row["insee"]: row["kind"] for row in csv.DictReader(lines)}


def partition_communes(
    places: Sequence[Commune], min_communes: int = MIN_COMMUNES, min_inhabitants: int = MIN_INHABITANTS
) -> dict[str, tuple[str, ...]]:
    """Return stratum name → INSEE codes: each code once, `min_communes` and `min_inhabitants` or more per stratum.

    A stratum is a class of population and of hospital in a department, for cities in the metropolis. What is too small
    joins its like of the region, then of the metropolis, then its neighbours in class. An overseas department is one.

    Raises:
        ReferenceRefused: there are fewer places than `min_communes`.
    """
    if len(places) < min_communes:
        raise ReferenceRefused(
            f"the commune table has {len(places)} communes; a territory needs at least {min_communes}.",
            "Load the communes of the whole country.",
        )
    strata: dict[_Key, list[Commune]] = {}
    pending = sorted(places, key=lambda place: place.insee)
    for level in range(max(len(_keys(place)) for place in places)):
        groups: dict[_Key, list[Commune]] = defaultdict(list)
        for place in pending:
            groups[_key(place, level)].append(place)
        pending = []
        for key, group in sorted(groups.items()):
            beside = [one for one, members in strata.items() if level and _key(members[0], level) == key]
            if _is_enough(group, min_communes, min_inhabitants):
                strata[key] = group
            elif beside:
                strata[min(beside, key=lambda one: (len(strata[one]), one))] += group
            else:
                pending += group
    if pending:
        strata.setdefault(("all",), []).extend(pending)
    return {"-".join(key): tuple(sorted(place.insee for place in strata[key])) for key in sorted(strata)}


def _key(place: Commune, level: int) -> _Key:
    keys = _keys(place)
    return keys[min(level, len(keys) - 1)]


def _keys(place: Commune) -> tuple[_Key, ...]:
    """Return the strata that a place may be of, from the narrowest."""
    if is_overseas_code(place.department):
        return (place.department,), ("overseas",), ("all",)
    size, hospital = _NAMES[population_class(place.population)], hospital_towns().get(place.insee, "none")
    if hospital == UNIVERSITY:
        return ("FR", UNIVERSITY), ("FR", "any", size), ("FR",), ("all",)
    narrow = (size, GENERAL) if hospital == GENERAL else (size,)
    areas = ("FR",) if size == _NAMES[-1] else (place.department, f"R{place.region}", "FR")
    return *((area, *narrow) for area in areas), ("FR", "any", size), ("FR",), ("all",)


def _is_enough(group: Iterable[Commune], min_communes: int, min_inhabitants: int) -> bool:
    people = [place.population for place in group]
    return len(people) >= min_communes and sum(people) >= min_inhabitants


def digest_partition(partition: Mapping[str, Sequence[str]]) -> str:
    """Return the SHA-256 of the lines "<INSEE code> <territory>" of a partition, in the order of the codes.

    The column `ref.release.partition` holds the same digest, computed by statement take_place of sql/ref/release.sql.
    """
    lines = sorted(f"{code} {name}" for name, codes in partition.items() for code in codes)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
