"""How codes of places are written, and where France is."""

from __future__ import annotations

import re

INSEE_PATTERN = r"(?:[013-9]\d|2[0-9AB])\d{3}"
ZIP_PATTERN = r"\d{5}"
INSEE = re.compile(INSEE_PATTERN)
ZIP = re.compile(ZIP_PATTERN)

# Degrees (WGS 84), west, south, east, north.
METROPOLIS = (-5.5, 41.0, 10.0, 51.5)
DEPARTMENTS = (METROPOLIS, (-63.5, 2.0, -51.0, 18.5), (44.5, -21.8, 56.2, -12.4))  # Antilles and Guyane; Indian Ocean
# Saint-Pierre-et-Miquelon; Wallis-et-Futuna; Polynésie; Nouvelle-Calédonie.
COLLECTIVITIES = (
    (-57, 46.5, -56, 47.3),
    (-178.5, -14.6, -176, -13),
    (-155, -28, -134, -7.5),
    (157.5, -23, 172.5, -17.5),
)
FRANCE = (*DEPARTMENTS, *COLLECTIVITIES)


def within(lon: float, lat: float, boxes: tuple[tuple[float, float, float, float], ...] = FRANCE) -> bool:
    """Whether the point, in degrees, lies in one of the boxes; a number that is none lies nowhere."""
    return any(west <= lon <= east and south <= lat <= north for west, south, east, north in boxes)
