"""The compact tables of open data that ship with the product (sources and licences: NOTICE)."""

from __future__ import annotations

import csv
import gzip
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from deid.reference.commune import Commune, Establishment
from deid.reference.communes import CommuneTable

DATA = Path(__file__).parent / "packaged_data" / "data"
FEATURES = ("apl_gen", "median_income", "radon", "density", "cancer_mortality", "circulatory_mortality")


def packaged_rows(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the table `name` (such as "communes"), every value as text.

    Raises:
        FileNotFoundError: there is no such table.
        ValueError: a row has more or fewer fields than the header.
    """
    with gzip.open(DATA / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        table = csv.reader(lines)
        header = next(table)
        for row in table:
            yield dict(zip(header, row, strict=True))


@cache
def packaged_communes() -> CommuneTable:
    """Return the packaged commune table; its version is the digest of its files."""
    former, areas, version = packaged_place_names()
    return CommuneTable(
        (parse_commune(row) for row in packaged_rows("communes") if row["kind"] == "COM"),
        version=f"packaged-{_files_digest('communes', 'streets', 'establishments', 'hospital_towns')}+{version}",
        former=former,
        streets=(row["name"] for row in packaged_rows("streets")),
        establishments=(Establishment(**row) for row in packaged_rows("establishments")),
        areas=areas,
    )


@cache
def packaged_place_names() -> tuple[Sequence[tuple[str, str]], Mapping[tuple[str, str], str], str]:
    """Return (former name, INSEE code today) of communes, names of departments and regions, and their version."""
    former = [(row["name"], row["insee"]) for row in packaged_rows("former_communes")]
    areas = {(row["kind"], row["code"]): row["name"] for row in packaged_rows("territories")}
    return former, areas, f"names-{_files_digest('former_communes', 'territories')}"


@cache
def unassigned_numbers() -> tuple[Mapping[str, str], Mapping[tuple[str, str], Sequence[str]]]:
    """Return French telephone numbers that no operator has, by their first six digits (Arcep, 17 April 2026).

    The first mapping has the overseas territory of four digits; the second (kind, territory) → beginnings, where the
    kind is "mobile" or the first two digits and the territory is empty for metropolitan and national numbers.
    """
    territories: dict[str, str] = {}
    found: dict[tuple[str, str], list[str]] = {}
    for row in packaged_rows("unassigned_numbers"):
        start, territory = row["start"], row["territory"]
        if territory:
            territories[start] = territory
        blocks = found.setdefault((number_kind(start), territory), [])
        blocks += [start + block for block in row["blocks"].split()]
    return territories, found


def number_kind(number: str) -> str:
    """Return "mobile", or the first two digits of a national number."""
    return "mobile" if number.startswith(("06", "07")) else number[:2]


def parse_commune(row: Mapping[str, str]) -> Commune:
    """Return the commune of a row of the compact commune table.

    Raises:
        KeyError: a column is missing.
        ValueError: a number is not one.
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


def _files_digest(*tables: str) -> str:
    digest = hashlib.sha256()
    for name in tables:
        digest.update((DATA / f"{name}.csv.gz").read_bytes())
    return digest.hexdigest()[:12]
