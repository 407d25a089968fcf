"""Postal codes of communes: La Poste's “base officielle des codes postaux” (hexasmal)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain

from deid.refresh.sources.codes import INSEE, INSEE_PATTERN, ZIP, ZIP_PATTERN
from deid.refresh.sources.source import Row, Rule, Source, Tally, records

# Headers: “#Code_commune_INSEE;…;Libellé_d_acheminement;…” of the portal, “code_commune_insee,…” of its API.
COLUMNS = ("code_commune_insee", "code_postal", "libelle_d_acheminement", "ligne_5")


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(INSEE code, postal code, name on an envelope, fifth line or "").

    Raises:
        ReferenceRefused: a column is missing.
    """
    header = next(lines, "").lstrip("#").casefold().replace("é", "e")
    delimiter = "," if header.count(",") > header.count(";") else ";"
    for number, (insee, postcode, label, line) in records(chain([header], lines), tally, COLUMNS, delimiter=delimiter):
        if INSEE.fullmatch(insee) and ZIP.fullmatch(postcode) and label.strip():
            yield insee, postcode, label.strip(), line.strip()
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="postal_codes",
    title="Codes postaux (La Poste)",
    format="base officielle des codes postaux: CSV, “;” or “,”, UTF-8 or Windows-1252",
    licence="Licence Ouverte 2.0 (La Poste)",
    table="postal_code",
    columns=("insee", "zip", "label", "line"),
    parse=parse,
    rules=(
        Rule("insee", pattern=INSEE_PATTERN),
        Rule("zip", pattern=ZIP_PATTERN),
        Rule("label", pattern=r".*[A-Za-z].*"),
        Rule("line"),
    ),
    default=None,
    floor=30_000,
    drift=Fraction(5, 100),
    max_age_days=400,
    urls=("https://datanova.laposte.fr/data-fair/api/v1/datasets/laposte-hexasmal/raw",),
    encodings=("utf-8-sig", "cp1252"),
    whole=True,
)
