"""Points of the country on a plane, in metres, by integers only: every machine puts a commune at the same place.

The metropolis has an equidistant conic projection with the parallels of Lambert-93 (44° and 49°), each overseas zone
an equirectangular one about its own middle. Lengths between communes are those of a sphere of 6,371 km to 0.3 %, and
the sphere's are those of the ground to 0.5 %; a claim of privacy per kilometre is about kilometres of this plane.
"""

from __future__ import annotations

EARTH_M = 6_371_009
# Angles in parts of a radian, sines and cosines in the same parts.
_ONE = 10**12
_PI = 3_141_592_653_590
_HALF_TURN = 180_000  # thousandths of a degree


def angle(degrees: float) -> int:
    """An angle in 10⁻¹² radian, the degrees taken to their third decimal, which is what the commune table holds."""
    return round(degrees * 1000) * _PI // _HALF_TURN


def cosine(x: int) -> int:
    """Cosine of an angle in 10⁻¹² radian, in 10⁻¹²; Taylor's series on integers, right to 10⁻¹⁰ within half a turn."""
    return _series(_ONE, 0, x)


def sine(x: int) -> int:
    """Sine of an angle in 10⁻¹² radian, in 10⁻¹²; as `cosine`."""
    return _series(x, 1, x)


def _series(term: int, degree: int, x: int) -> int:
    total = term
    square = x * x
    while term:
        degree += 2
        # Halves and signs are rounded alike: a floor would drift for negative terms.
        size = abs(term) * square // (_ONE * _ONE * degree * (degree - 1))
        term = -size if term > 0 else size
        total += term
    return total


_SOUTH, _NORTH = angle(44), angle(49)
_ORIGIN_LON, _ORIGIN_LAT = angle(3), angle(46.5)
_CONE = (cosine(_SOUTH) - cosine(_NORTH)) * _ONE // (_NORTH - _SOUTH)
_APEX = cosine(_SOUTH) * _ONE // _CONE + _SOUTH


def conic(lon: float, lat: float) -> tuple[int, int]:
    """Metres east and north of 3° E, 46.5° N; for the metropolis, Corsica with it."""
    radius = EARTH_M * (_APEX - angle(lat))
    turn = _CONE * (angle(lon) - _ORIGIN_LON) // _ONE
    x = radius * sine(turn) // _ONE
    y = EARTH_M * (_APEX - _ORIGIN_LAT) - radius * cosine(turn) // _ONE
    return x // _ONE, y // _ONE


def equirectangular(lon: float, lat: float, parallel: float) -> tuple[int, int]:
    """Metres east of Greenwich along a parallel, and north of the equator; for lands of a few degrees around it."""
    return EARTH_M * angle(lon) // _ONE * cosine(angle(parallel)) // _ONE, EARTH_M * angle(lat) // _ONE
