"""Health professionals: the national Health Directory (ANS, `PS_LibreAcces_Personne_activite_*.txt`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from deid.refresh.sources.codes import INSEE, INSEE_PATTERN
from deid.refresh.sources.source import GIB, Row, Rule, Source, Tally, records

COLUMNS = (
    "Identifiant PP",
    "Nom d'exercice",
    "Prénom d'exercice",
    "Libellé profession",
    "Code commune (coord. structure)",
)
_IDENTIFIER = re.compile(r"[0-9A-Z]{8,12}")


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(identifier, surname, first name, profession, INSEE code or None), one row per activity.

    Columns are read by name: editions differ. A professional without a name is left out.

    Raises:
        ReferenceRefused: a column is missing.
    """
    for number, values in records(lines, tally, COLUMNS, delimiter="|", quoted=False):
        identifier, last_name, first_name, profession, insee = (value.strip() for value in values)
        if not last_name:
            tally.skipped += 1
        elif not _IDENTIFIER.fullmatch(identifier):
            tally.refuse_line(number)
        else:
            yield identifier, last_name, first_name, profession, insee if INSEE.fullmatch(insee) else None


SOURCE = Source(
    name="professionals",
    title="Annuaire Santé (professionnels)",
    format="PS_LibreAcces_Personne_activite: “|”, UTF-8, alone or in a zip",
    licence="Licence Ouverte 2.0 (Agence du numérique en santé)",
    table="professional",
    columns=("identifier", "last_name", "first_name", "profession", "insee"),
    parse=parse,
    rules=(
        Rule("identifier", pattern=_IDENTIFIER.pattern),
        Rule("last_name", pattern=r"[^|]{1,100}"),
        Rule("first_name", pattern=r"[^|]{0,100}"),
        Rule("profession", pattern=r"[^|\d]*"),
        Rule("insee", pattern=INSEE_PATTERN, optional=True),
    ),
    default=None,
    floor=1_000,
    drift=Fraction(10, 100),
    max_age_days=60,
    urls=("https://service.annuaire.sante.fr/annuaire-sante-webservices/V300/services/extraction/PS_LibreAcces",),
    files=("PS_LibreAcces_Personne_activite*",),
    tolerance=Fraction(1, 1000),
    max_bytes=2 * GIB,
    max_unpacked=8 * GIB,
)
