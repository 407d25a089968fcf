"""RELDATE: another expression that can stand in the same place of a sentence."""

from __future__ import annotations

import re

from deid.french import numerals
from deid.french.calendar import MONTHS, WEEKDAYS
from deid.french.folding import fold_line, without_accents
from deid.french.shapes import sentence_case_of
from deid.learning.augmentation.chance import Chance

# Expressions of one row can replace each other.
_ROWS = (
    "hier|avant-hier|hier soir|hier matin|hier après-midi|avant-hier soir|hier dans la nuit|ce matin|ce midi",
    "aujourd'hui|ce jour|ce soir|ce midi|cet après-midi|cette nuit|ce matin",
    "demain|après-demain|demain matin|demain soir|demain après-midi",
    "la semaine dernière|le mois dernier|l'an dernier|l'année dernière|l'été dernier|l'hiver dernier|"
    "la semaine passée|le mois passé|l'an passé|l'automne dernier|le trimestre dernier|le week-end dernier",
    "la semaine prochaine|le mois prochain|l'an prochain|l'année prochaine|l'été prochain|le trimestre prochain|"
    "le week-end prochain|l'hiver prochain",
    "cette semaine|ce mois-ci|cette année|cet été|cet hiver|ce week-end|ce trimestre|ce mois|cet automne",
)
_KIN = {fold_line(one): row.split("|") for row in _ROWS for one in row.split("|")}
_UNITS = {
    "jour": ("jour", "mois", "an"),
    "an": ("an", "mois", "jour"),
    "mois": ("mois", "an", "jour"),
    "semaine": ("semaine", "heure"),
}
_COUNTED = re.compile(
    r"(?P<lead>(?:il y a|dans|d'ici|voila|ca fait|sous) (?:environ |plus de |pres de |moins de |a peine )?)"
    r"(?P<count>\d{1,2}|[a-z-]+)(?P<gap> ?)(?P<unit>jour|an|mois|semaine)s?"
)
_MONTHS = frozenset(map(fold_line, MONTHS))


def other(original: str, accented: bool, chance: Chance) -> str:
    """Another expression in the place of `original`; what is not understood stays."""
    plain = fold_line(original)
    text: str | None = None
    if plain in _KIN:
        text = sentence_case_of(original, chance.choice(_KIN[plain]))
    elif (counted := _COUNTED.fullmatch(plain)) is not None:
        text = _counted(original, counted, chance)
    else:
        first, _, rest = original.partition(" ")
        names = WEEKDAYS if fold_line(first) in WEEKDAYS else MONTHS if fold_line(first) in _MONTHS else None
        if names is not None and rest:
            text = f"{sentence_case_of(first, chance.choice(names))} {rest}"
    if text is None:
        return original
    return text if accented else without_accents(text)


def _counted(original: str, counted: re.Match[str], chance: Chance) -> str | None:
    written = counted["count"]
    if not written.isdigit() and numerals.read_number(written.split("-")) is None:
        return None
    unit = chance.choice(_UNITS[counted["unit"]])
    count = chance.randint(2, 30 if unit in ("jour", "an") else 18)
    number = str(count) if written.isdigit() else numerals.write_number(count, feminine=unit in ("semaine", "heure"))
    plural = unit if unit == "mois" else unit + "s"
    tail = f"{number}{counted['gap']}{plural}"
    return original[: counted.end("lead")] + (tail.upper() if original.isupper() else tail)
