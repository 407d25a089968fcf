"""The fixed public partition of communes into territories, a function of the commune table alone.

The candidates of a place draw are the communes of one territory. The guarantee of the exponential mechanism requires
that this set depends on no patient: the same table gives the same partition.
Decision and alternatives: docs/decisions/2026-11-20-territories.md.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from deid.domain.errors import ReferenceRefused
from deid.reference.commune import Commune

MIN_COMMUNES = 64
# Inhabitants of a territory: the threshold of HIPAA's safe harbour for a geographic unit (45 CFR 164.514(b)(2)).
MIN_INHABITANTS = 20_000
# A degree of longitude is about 0.7 of a degree of latitude where the metropolis lies; a ratio of integers,
# since a cosine may differ in its last bit from one machine to another.
_LONGITUDE, _LATITUDE = 7, 10


Spot = tuple[int, int, str, int]  # east, north, INSEE code, inhabitants


def partition_communes(
    places: Sequence[Commune], min_communes: int = MIN_COMMUNES, min_inhabitants: int = MIN_INHABITANTS
) -> dict[str, tuple[str, ...]]:
    """Return territory name → INSEE codes: each code once, `min_communes` or more per territory.

    No cut leaves a part with fewer than `min_inhabitants`; a department with fewer stays whole. A territory of
    2·`min_communes` communes or more is uncut only if every cut would leave such a part.

    Raises:
        ReferenceRefused: there are fewer places than `min_communes`.
    """
    if len(places) < min_communes:
        raise ReferenceRefused(
            f"the commune table has {len(places)} communes; a territory needs at least {min_communes}.",
            "Load the communes of the whole country.",
        )
    result: dict[str, tuple[str, ...]] = {}
    for name, pool in sorted(_pools(places, min_communes).items()):
        points = [(int(p.lon * 1000) * _LONGITUDE, int(p.lat * 1000) * _LATITUDE, p.insee, p.population) for p in pool]
        for number, part in enumerate(_split(points, min_communes, min_inhabitants), start=1):
            result[f"{name}-{number:02d}"] = tuple(sorted(insee for _, _, insee, _ in part))
    return result


def digest_partition(partition: Mapping[str, Sequence[str]]) -> str:
    """Return the SHA-256 of the lines "<INSEE code> <territory>" of a partition, in the order of the codes.

    The column `ref.release.partition` holds the same digest, computed by statement take_place of sql/ref/release.sql.
    """
    lines = sorted(f"{code} {name}" for name, codes in partition.items() for code in codes)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _pools(places: Sequence[Commune], min_communes: int) -> dict[str, list[Commune]]:
    """Pool places by department; those under `min_communes` by region ("R11"); then the rest together ("RX")."""
    pools: dict[str, list[Commune]] = defaultdict(list)
    for place in places:
        pools[place.department].append(place)
    for small in sorted(name for name, pool in pools.items() if len(pool) < min_communes):
        for place in pools.pop(small):
            pools[f"R{place.region}"].append(place)
    for small in sorted(name for name, pool in pools.items() if len(pool) < min_communes):
        pools.setdefault("RX", []).extend(pools.pop(small))
    if 0 < len(pools.get("RX", ())) < min_communes:
        remainder = pools.pop("RX")
        pools[min(pools, key=lambda name: (len(pools[name]), name))].extend(remainder)
    return pools


def _split(points: list[Spot], min_communes: int, min_inhabitants: int) -> list[list[Spot]]:
    """Halve along the longer side, else along the other, until each cut would leave a part too small."""
    parts = len(points) // min_communes
    if parts < 2:
        return [points]
    for first, second in _cuts(points, parts):
        if min(_inhabitants(first), _inhabitants(second)) >= min_inhabitants:
            return _split(first, min_communes, min_inhabitants) + _split(second, min_communes, min_inhabitants)
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
