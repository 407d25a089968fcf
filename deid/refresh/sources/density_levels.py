"""The density grid of communes (INSEE, seven levels): from great urban centres to the sparsest countryside."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, islice

from deid.refresh.sources.codes import INSEE, INSEE_PATTERN
from deid.refresh.sources.source import Row, Rule, Source, Tally, records

COLUMNS = ("CODGEO", "DENS")
LEVELS = frozenset("1234567")
_TITLES = 50  # lines of a title above the header, at most


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(INSEE code, level 1 to 7); lines of a title above the header are passed over.

    Raises:
        ReferenceRefused: a column is missing.
    """
    header = next((line for line in islice(lines, _TITLES) if line.lstrip('"').startswith(COLUMNS[0])), "")
    delimiter = ";" if header.count(";") > header.count(",") else ","
    for number, (insee, level) in records(chain([header], lines), tally, COLUMNS, delimiter=delimiter):
        if INSEE.fullmatch(insee) and level in LEVELS:
            yield insee, level
        else:
            tally.refuse_line(number)


SOURCE = Source(
    name="density_levels",
    title="Grille communale de densité",
    format="grille_densite_7_niveaux_AAAA.xlsx of INSEE, or the same table as CSV (“,” or “;”)",
    licence="Licence Ouverte 2.0 (INSEE, grille communale de densité)",
    table="density_level",
    columns=("insee", "level"),
    parse=parse,
    rules=(Rule("insee", pattern=INSEE_PATTERN), Rule("level", int, least=1, most=7)),
    default=None,
    floor=34_000,
    drift=Fraction(2, 100),
    max_age_days=800,
    urls=("https://www.insee.fr/fr/statistiques/fichier/6439600/grille_densite_7_niveaux_2024.xlsx",),
    files=("grille_densite*.xlsx", "grille_densite*.csv", "grille_densite*.csv.gz"),
    worksheet=COLUMNS[0],
    whole=True,
)
