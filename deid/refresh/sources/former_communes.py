"""Names that are no longer a commune's own: INSEE's list of changes (COG), or the compact table of the product."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from deid.reference.packaged import DATA
from deid.refresh.sources.codes import INSEE, INSEE_PATTERN
from deid.refresh.sources.source import Row, Rule, Source, Tally, records

COMPACT = ("insee", "name")
CHANGES = ("MOD", "DATE_EFF", "TYPECOM_AV", "COM_AV", "LIBELLE_AV", "TYPECOM_AP", "COM_AP", "LIBELLE_AP")
BORN = ("20", "21")  # kinds of change by which a commune (again) becomes one: creation, re-establishment


def parse(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """(former name, INSEE code of the commune of today or None).

    Raises:
        ReferenceRefused: the header is neither INSEE's nor that of the compact table.
    """
    header = next(lines, "")
    lines = chain([header], lines)
    if next(csv.reader([header]), []) == list(COMPACT):
        yield from _compact(lines, tally)
    else:
        yield from _changes(lines, tally)


def _compact(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    for number, (insee, name) in records(lines, tally, COMPACT, delimiter=","):
        if name.strip() and (not insee or INSEE.fullmatch(insee)):
            yield name.strip(), insee or None
        else:
            tally.refuse_line(number)


def _changes(lines: Iterator[str], tally: Tally) -> Iterator[Row]:
    """Each name before a change leads to the commune that its code has become, change after change."""
    absorbed: dict[str, tuple[str, str]] = {}  # code → (day of the change, code it went into)
    alive: dict[str, str] = {}  # code → day on which it was last a commune's own
    own: dict[str, tuple[str, str]] = {}  # code → (day, name)
    before: set[tuple[str, str]] = set()
    for number, (kind, day, type_before, code, name, type_after, into, new) in records(
        lines, tally, CHANGES, delimiter=","
    ):
        if not INSEE.fullmatch(code) or not INSEE.fullmatch(into) or not name.strip():
            tally.refuse_line(number)
            continue
        if (type_before, type_after) != ("COM", "COM"):
            tally.skipped += 1
            continue
        before.add((code, name))
        alive[into] = max(day, alive.get(into, ""))
        own[into] = max((day, new), own.get(into, ("", "")))
        if code != into and kind not in BORN:
            absorbed[code] = max((day, into), absorbed.get(code, ("", "")))
    for code, name in sorted(before):
        today = _today(code, absorbed, alive)
        if today not in own or own[today][1] != name:
            yield name, today


def _today(code: str, absorbed: dict[str, tuple[str, str]], alive: dict[str, str]) -> str:
    """The code that `code` has become; a commune that was absorbed and re-established later is itself."""
    seen = {code}
    while code in absorbed and absorbed[code][0] > alive.get(code, "") and absorbed[code][1] not in seen:
        code = absorbed[code][1]
        seen.add(code)
    return code


SOURCE = Source(
    name="former_communes",
    title="Anciens noms de communes (COG)",
    format="v_mvtcommune_AAAA.csv of the COG: CSV, “,”, UTF-8",
    licence="Licence Ouverte 2.0 (INSEE, code officiel géographique)",
    table="former_commune",
    columns=("name", "insee"),
    parse=parse,
    rules=(Rule("name", pattern=r".{1,200}"), Rule("insee", pattern=INSEE_PATTERN, optional=True)),
    default=DATA / "former_communes.csv.gz",
    published_on=date(2024, 1, 1),
    floor=3_000,
    drift=Fraction(20, 100),
    max_age_days=400,
    urls=("https://www.insee.fr/fr/statistiques/fichier/8377162/v_mvtcommune_2025.csv",),
)
