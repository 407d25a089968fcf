"""The commune table out of the compact tables that ship with the product."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache

from deid.reference.communes import Commune, CommuneTable, Establishment
from deid.resources import DATA, rows

FEATURES = ("apl_gen", "median_income", "radon", "density", "cancer_mortality", "circulatory_mortality")
_TABLES = ("communes", "former_communes", "streets", "establishments", "territories")


@cache
def table() -> CommuneTable:
    """The packaged table; its version is the digest of the files it is made of."""
    digest = hashlib.sha256()
    for name in _TABLES:
        digest.update((DATA / f"{name}.csv.gz").read_bytes())
    return CommuneTable(
        (commune(row) for row in rows("communes") if row["kind"] == "COM"),
        version=f"packaged-{digest.hexdigest()[:12]}",
        former=((row["name"], row["insee"]) for row in rows("former_communes")),
        streets=(row["name"] for row in rows("streets")),
        establishments=(
            Establishment(row["finess"], row["name"], row["insee"], row["kind"]) for row in rows("establishments")
        ),
        areas={(row["kind"], row["code"]): row["name"] for row in rows("territories")},
    )


def commune(row: Mapping[str, str]) -> Commune:
    """One row of the compact commune table.

    Raises:
        KeyError: a column is missing. ValueError: a number is not one.
    """
    return Commune(
        insee=row["insee"],
        name=row["name"],
        department=row["department"],
        region=row["region"],
        zips=tuple(row["zips"].split("|")),
        lon=float(row["lon"]),
        lat=float(row["lat"]),
        population=int(row["population"]),
        features={name: float(row[name]) for name in FEATURES},
    )
