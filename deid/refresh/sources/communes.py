"""Communes with coordinates, population and health features: the compact table, or the raw national files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from itertools import chain
from pathlib import Path

import pandas as pd

from deid.domain.errors import ReferenceRefused
from deid.reference.communes import Commune
from deid.reference.packaged import DATA, FEATURES, parse_commune
from deid.reference.partition import partition_communes
from deid.refresh.raw_communes import RAW, flagged_communes
from deid.refresh.sources.codes import DEPARTMENTS, INSEE, INSEE_PATTERN, ZIP, within
from deid.refresh.sources.source import Row, Rule, Source, Tally, records
from deid.refresh.unpack import lines

COLUMNS = ("insee", "name", "kind", "department", "region", "zips", "lon", "lat", "population", *FEATURES)


# Raw files, as `deid.learning.packaging` reads them (docs/reference-data.md, “Rebuilding what ships”).
RADON_CLASSES = {"1", "2", "3"}
LARGEST_RAW = 512 << 20


def assemble(folder: Path) -> Iterator[str]:
    """Lines of the compact table, with the flags of what was imputed, made of the raw files by the code that made it.

    Raises:
        ReferenceRefused: a raw file is damaged, lacks a column, has a code twice or a number that is none.
    """
    for name in RAW:
        _readable(folder / name, name)
    try:
        table = flagged_communes(folder)
    except KeyError as error:
        raise ReferenceRefused(
            f"the raw files lack the column {error}.", "Download the edition that is named."
        ) from None
    except (ValueError, pd.errors.InvalidIndexError):
        raise ReferenceRefused(
            "the raw files cannot be joined: a code is given twice, or a number is none.", "Download them again."
        ) from None
    yield from table.to_csv(index=False, lineterminator="\n").splitlines(keepends=True)


def _readable(path: Path, name: str) -> None:
    """Refuse a raw file that is damaged, no text or a bomb before all of it is held in memory; check radon classes."""
    try:
        rows = csv.reader(lines(path, max_unpacked=LARGEST_RAW, encodings=("utf-8-sig",)))
        header = next(rows, [])
        position = header.index("radon_classe") if "radon_classe" in header else None
        for row in rows:
            if position is None or len(row) != len(header) or not INSEE.fullmatch(row[0]):
                continue
            if row[position] not in RADON_CLASSES:
                raise ReferenceRefused("a radon class is none of 1, 2 and 3.", "Download the file again.")
    except ReferenceRefused as refusal:
        raise ReferenceRefused(f"{name}: {refusal}") from None


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Communes of today with their territory, and which of their features are not their own; no arrondissements.

    Raises:
        ReferenceRefused: a column is missing, or there are too few communes for territories.
    """
    header = next(lines, "")
    flagged = header.rstrip().endswith(",imputed")
    found = list(_communes(chain([header], lines), tally, (*COLUMNS, "imputed") if flagged else COLUMNS))
    communes = [one for one, _ in found]
    territory_of = {insee: name for name, codes in partition_communes(communes).items() for insee in codes}
    for one, imputed in found:
        zips, features = ",".join(one.zips), json.dumps(dict(one.features), sort_keys=True)
        place = (one.insee, one.name, one.department, one.region, f"{{{zips}}}", one.lon, one.lat)
        yield *place, one.population, features, territory_of[one.insee], f"{{{imputed.replace('|', ',')}}}"


def _communes(lines: Iterator[str], tally: Tally, columns: Sequence[str]) -> Iterator[tuple[Commune, str]]:
    for number, values in records(lines, tally, columns, delimiter=","):
        row = dict(zip(columns, values, strict=True))
        if row["kind"] == "ARM":
            tally.skipped += 1
            continue
        try:
            one = parse_commune(row)
        except ValueError:
            tally.refuse_line(number)
            continue
        imputed = row.get("imputed", "")
        if _credible(one) and set(filter(None, imputed.split("|"))) <= set(FEATURES):
            yield one, imputed
        else:
            tally.refuse_line(number)


def _credible(one: Commune) -> bool:
    return (
        INSEE.fullmatch(one.insee) is not None
        and bool(one.name.strip())
        and all(ZIP.fullmatch(code) for code in one.zips)
        and within(one.lon, one.lat, DEPARTMENTS)
        and one.population >= 0
        and all(math.isfinite(value) and value >= 0 for value in one.features.values())
    )


SOURCE = Source(
    name="communes",
    title="Communes et indicateurs de santé",
    format="the compact table of deid.learning.packaging, or a folder of the raw national files",
    licence="Licence Ouverte 2.0 (INSEE, La Poste, DREES, IRSN, CépiDc; see NOTICE)",
    table="commune",
    columns=(
        "insee",
        "name",
        "department",
        "region",
        "zips",
        "lon",
        "lat",
        "population",
        "features",
        "territory",
        "imputed",
    ),
    parse=parse,
    assemble=assemble,
    files=RAW,
    rules=(
        Rule("insee", pattern=INSEE_PATTERN),
        Rule("name", pattern=r".{1,100}"),
        Rule("department", pattern=r"\d{2}|2[AB]|97\d"),
        Rule("region", pattern=r"\d{2}"),
        Rule("lon", float, least=-64, most=57),
        Rule("lat", float, least=-22, most=52),
        Rule("population", int, least=0),
        Rule("territory", pattern=r".+"),
    ),
    default=DATA / "communes.csv.gz",
    published_on=date(2024, 1, 1),  # the official geographical code; its health features are of 2019 to 2023
    floor=34_000,
    drift=Fraction(2, 100),
    max_age_days=400,
    whole=True,
    parser=2,
)
