"""Communes with coordinates, population and health features: the compact table that ships with the product."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction

from deid.reference.communes import Commune
from deid.reference.packaged import FEATURES, commune
from deid.reference.partition import territories
from deid.reference.sources.codes import DEPARTMENTS, INSEE, INSEE_PATTERN, ZIP, within
from deid.reference.sources.source import Row, Rule, Source, Tally, records
from deid.resources import DATA

COLUMNS = ("insee", "name", "kind", "department", "region", "zips", "lon", "lat", "population", *FEATURES)


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Communes of today with their territory; arrondissements are left out.

    Raises:
        ReferenceRefused: a column is missing, or there are too few communes for territories.
    """
    communes = list(_communes(lines, tally))
    territory_of = {insee: name for name, codes in territories(communes).items() for insee in codes}
    for one in communes:
        zips, features = ",".join(one.zips), json.dumps(dict(one.features), sort_keys=True)
        place = (one.insee, one.name, one.department, one.region, f"{{{zips}}}", one.lon, one.lat)
        yield *place, one.population, features, territory_of[one.insee]


def _communes(lines: Iterator[str], tally: Tally) -> Iterator[Commune]:
    for number, values in records(lines, tally, COLUMNS, delimiter=","):
        row = dict(zip(COLUMNS, values, strict=True))
        if row["kind"] == "ARM":
            tally.skipped += 1
            continue
        try:
            one = commune(row)
        except ValueError:
            tally.refuse_line(number)
            continue
        if _credible(one):
            yield one
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
    format="the compact table of deid.resources.build, or a folder of the raw national files",
    licence="Licence Ouverte 2.0 (INSEE, La Poste, DREES, IRSN, CépiDc; see NOTICE)",
    table="commune",
    columns=("insee", "name", "department", "region", "zips", "lon", "lat", "population", "features", "territory"),
    parse=parse,
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
    floor=34_000,
    drift=Fraction(2, 100),
    max_age_days=400,
    whole=True,
)
