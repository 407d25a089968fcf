"""The commune table out of the compact tables that ship with the product."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

from deid.reference.communes import Commune, CommuneTable, Establishment
from deid.reference.packaged_data import DATA, rows

FEATURES = ("apl_gen", "median_income", "radon", "density", "cancer_mortality", "circulatory_mortality")


@cache
def table() -> CommuneTable:
    """The packaged table; its version is the digest of the files it is made of."""
    former, areas, shipped = names()
    return CommuneTable(
        (commune(row) for row in rows("communes") if row["kind"] == "COM"),
        version=f"packaged-{_digest('communes', 'streets', 'establishments')}+{shipped}",
        former=former,
        streets=(row["name"] for row in rows("streets")),
        establishments=(Establishment(**row) for row in rows("establishments")),
        areas=areas,
    )


@cache
def names() -> tuple[Sequence[tuple[str, str]], Mapping[tuple[str, str], str], str]:
    """(Former name, code of today) of communes; names of departments and regions; the version of both."""
    former = [(row["name"], row["insee"]) for row in rows("former_communes")]
    areas = {(row["kind"], row["code"]): row["name"] for row in rows("territories")}
    return former, areas, f"names-{_digest('former_communes', 'territories')}"


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


def _digest(*tables: str) -> str:
    digest = hashlib.sha256()
    for name in tables:
        digest.update((DATA / f"{name}.csv.gz").read_bytes())
    return digest.hexdigest()[:12]
