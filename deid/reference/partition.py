"""A fixed public partition of communes into territories of at least k communes and so many inhabitants, read off the
commune table alone.

The candidates of a place draw are its territory. The guarantee of the exponential mechanism holds because
this set never depends on a patient: the same table gives the same partition, whoever computes it.
Why, and what was set aside: docs/decisions/2026-11-20-territories.md.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from deid.domain.errors import ReferenceRefused

LEAST = 64
# Inhabitants of a territory: the threshold of HIPAA's safe harbour for a geographic unit (45 CFR 164.514(b)(2)).
INHABITANTS = 20_000
# A degree of longitude is about 0.7 of a degree of latitude where the metropolis lies; a ratio of integers,
# since a cosine may differ in its last bit from one machine to another.
_LONGITUDE, _LATITUDE = 7, 10


class Place(Protocol):
    """What the partition reads of a commune; coordinates in degrees (WGS 84)."""

    @property
    def insee(self) -> str: ...
    @property
    def department(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def lon(self) -> float: ...
    @property
    def lat(self) -> float: ...
    @property
    def population(self) -> int: ...


Spot = tuple[int, int, str, int]  # east, north, INSEE code, inhabitants


def territories(
    places: Sequence[Place], least: int = LEAST, inhabitants: int = INHABITANTS
) -> dict[str, tuple[str, ...]]:
    """Territory name → INSEE codes, each code in exactly one, each territory of `least` communes or more.

    None is cut out with fewer than `inhabitants`; a department that has fewer as a whole stays whole. Beyond
    2·`least` − 1 communes a territory is left uncut only because a part would have fewer.

    Raises:
        ReferenceRefused: there are fewer places than `least`.
    """
    if len(places) < least:
        raise ReferenceRefused(
            f"the commune table has {len(places)} communes; a territory needs at least {least}.",
            "Load the communes of the whole country.",
        )
    result: dict[str, tuple[str, ...]] = {}
    for name, pool in sorted(_pools(places, least).items()):
        points = [(int(p.lon * 1000) * _LONGITUDE, int(p.lat * 1000) * _LATITUDE, p.insee, p.population) for p in pool]
        for number, part in enumerate(_split(points, least, inhabitants), start=1):
            result[f"{name}-{number:02d}"] = tuple(sorted(insee for _, _, insee, _ in part))
    return result


def digest(partition: Mapping[str, Sequence[str]]) -> str:
    """SHA-256 that names a partition: of its lines "INSEE code, blank, territory" in the order of the codes.

    `ref.release.partition` holds the same, computed by statement take_place of sql/ref/release.sql.
    """
    lines = sorted(f"{code} {name}" for name, codes in partition.items() for code in codes)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _pools(places: Sequence[Place], least: int) -> dict[str, list[Place]]:
    """Departments; those under `least` by region ("R11"); those still under it all together ("RX")."""
    pools: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        pools[place.department].append(place)
    for small in sorted(name for name, pool in pools.items() if len(pool) < least):
        for place in pools.pop(small):
            pools[f"R{place.region}"].append(place)
    for small in sorted(name for name, pool in pools.items() if len(pool) < least):
        pools.setdefault("RX", []).extend(pools.pop(small))
    if 0 < len(pools.get("RX", ())) < least:
        remainder = pools.pop("RX")
        pools[min(pools, key=lambda name: (len(pools[name]), name))].extend(remainder)
    return pools


def _split(points: list[Spot], least: int, inhabitants: int) -> list[list[Spot]]:
    """Halve along the longer side, else along the other, until each cut would leave a part too small."""
    parts = len(points) // least
    if parts < 2:
        return [points]
    for first, second in _cuts(points, parts):
        if min(_inhabitants(first), _inhabitants(second)) >= inhabitants:
            return _split(first, least, inhabitants) + _split(second, least, inhabitants)
    return [points]


def _cuts(points: list[Spot], parts: int) -> Iterator[tuple[list[Spot], list[Spot]]]:
    widths = [max(axis) - min(axis) for axis in ([p[0] for p in points], [p[1] for p in points])]
    longer = widths.index(max(widths))
    cut = len(points) * (parts // 2) // parts
    for side in (longer, 1 - longer):
        ordered = sorted(points, key=lambda point: (point[side], point))
        yield ordered[:cut], ordered[cut:]


def _inhabitants(points: list[Spot]) -> int:
    return sum(people for *_, people in points)
