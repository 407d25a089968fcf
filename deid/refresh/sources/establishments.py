"""Health establishments: the FINESS extraction (`etalab-cs1100502`) or the compact table of the product."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.codes import INSEE, INSEE_PATTERN
from deid.refresh.sources.source import Row, Rule, Source, Tally, records

COMPACT = ("finess", "name", "insee", "kind")
# Positions of the lines "structureet;…" of FINESS, which has no header (data.gouv.fr, etalab-cs1100502).
FINESS, SHORT_NAME, LONG_NAME, COMMUNE, DEPARTMENT, CATEGORY = 1, 3, 4, 12, 13, 19
FIELDS = 31  # at least: newer editions add one
# FINESS numbers the overseas departments 9A to 9F.
OVERSEAS = {"9A": "971", "9B": "972", "9C": "973", "9D": "974", "9F": "976"}
# FINESS categories (column libcategetab) whose establishments are hospitals and clinics.
HOSPITAL = re.compile(r"hôpital|hopital|hospitalier|clinique|lutte contre le cancer|soins de suite", re.IGNORECASE)
_FINESS = re.compile(r"(?:\d{2}|2[AB])\d{7}")


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(FINESS number, name, INSEE code of the commune, "hospital" or the category).

    Raises:
        ReferenceRefused: the header is neither FINESS's nor that of the compact table.
    """
    first = next(lines, "")
    if first.startswith("finess;etalab;"):
        yield from _finess(lines, tally)
        return
    for number, values in records(chain([first], lines), tally, COMPACT, delimiter=","):
        finess, name, insee, _ = values
        if _FINESS.fullmatch(finess) and INSEE.fullmatch(insee) and name.strip():
            yield tuple(values)
        else:
            tally.refuse_line(number)


def _finess(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, fields in enumerate(csv.reader(lines, delimiter=";", quoting=csv.QUOTE_NONE), start=2):
        tally.read += 1
        if fields[:1] != ["structureet"]:
            tally.skipped += 1
            continue
        if len(fields) < FIELDS:
            tally.refuse_line(number)
            continue
        department, commune = fields[DEPARTMENT], fields[COMMUNE].zfill(3)
        overseas = OVERSEAS.get(department)
        insee = f"{overseas}{commune[-2:]}" if overseas else f"{department}{commune}"
        name = (fields[LONG_NAME] or fields[SHORT_NAME]).strip()
        if _FINESS.fullmatch(fields[FINESS]) and INSEE.fullmatch(insee) and name:
            kind = "hospital" if HOSPITAL.search(fields[CATEGORY]) else fields[CATEGORY]
            yield fields[FINESS], name, insee, kind
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="establishments",
    title="Établissements de santé (FINESS)",
    format="FINESS etalab-cs1100502-stock: “;”, no header, UTF-8 or Windows-1252",
    licence="Licence Ouverte 2.0 (DREES: SAE and FINESS; see NOTICE)",
    table="establishment",
    columns=("finess", "name", "insee", "kind"),
    parse=parse,
    rules=(
        Rule("finess", pattern=_FINESS.pattern),
        Rule("name", pattern=r".{1,300}"),
        Rule("insee", pattern=INSEE_PATTERN),
        Rule("kind"),
    ),
    default=DATA / "establishments.csv.gz",
    published_on=date(2022, 12, 31),  # SAE 2022
    floor=3_000,
    drift=Fraction(10, 100),
    max_age_days=180,
    urls=("https://www.data.gouv.fr/fr/datasets/r/2ce43ade-8d2c-4d1d-81da-ca06c82abc68",),
    files=("etalab-cs1100502*", "etalab-cs1100507*"),
    tolerance=Fraction(1, 100),
    encodings=("utf-8-sig", "cp1252"),
)
