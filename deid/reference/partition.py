"""A fixed public partition of communes into territories of at least k, read off the commune table alone.

The candidates of a place draw are its territory. The guarantee of the exponential mechanism holds because
this set never depends on a patient: the same table gives the same partition, whoever computes it.
Why, and what was set aside: docs/decisions/2026-11-20-territories.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from deid.errors import ReferenceRefused

LEAST = 64
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


def territories(places: Sequence[Place], least: int = LEAST) -> dict[str, tuple[str, ...]]:
    """Territory name → INSEE codes, each code in exactly one, each territory of `least` to 2·`least` − 1.

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
        points = [(int(p.lon * 1000) * _LONGITUDE, int(p.lat * 1000) * _LATITUDE, p.insee) for p in pool]
        for number, part in enumerate(_split(points, least), start=1):
            result[f"{name}-{number:02d}"] = tuple(sorted(insee for _, _, insee in part))
    return result


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


def _split(points: list[tuple[int, int, str]], least: int) -> list[list[tuple[int, int, str]]]:
    """Halve along the longer side until a further cut would leave fewer than `least`."""
    parts = len(points) // least
    if parts < 2:
        return [points]
    widths = [max(axis) - min(axis) for axis in ([p[0] for p in points], [p[1] for p in points])]
    longer = widths.index(max(widths))
    ordered = sorted(points, key=lambda point: (point[longer], point))
    cut = len(ordered) * (parts // 2) // parts
    return _split(ordered[:cut], least) + _split(ordered[cut:], least)
