"""Write RELDATE mentions: a moment said by its distance from the document's date, in the manner of the original."""

from __future__ import annotations

from deid.substitution import numerals
from deid.substitution.folding import flat
from deid.substitution.shapes import sentence_case_of
from deid.substitution.temporal.relative import Manner, Relative
from deid.substitution.temporal.values import Instant, Unit
from deid.substitution.temporal.vocabulary import FEAST_OF_MONTH, MONTHS, SEASONS, WEEKDAYS

_NOW = ("ce jour", "aujourd'hui", "ce jour même")


def write(relative: Relative, moved: Instant, anchor: Instant) -> str:
    """`moved` said from `anchor` (both in the unit of `relative`), in the manner of `relative`."""
    manner = relative.manner
    offset = moved.index - anchor.index
    if manner.counted and not manner.hours and offset != 0:
        return _write_counted(relative, offset)
    if relative.named is not None:
        phrase = _write_named(relative, moved, offset)
    else:
        phrase = _write_plain(relative.unit, offset, manner)
    return sentence_case_of(manner.model, phrase)


def otherwise(relative: Relative, moved: Instant, anchor: Instant) -> str | None:
    """A day next to the anchor in other words than "hier" or "demain"; None for what has no second name."""
    said = {-2: "il y a deux jours", -1: "la veille", 1: "le lendemain", 2: "dans deux jours"}
    phrase = said.get(moved.index - anchor.index) if relative.unit is Unit.DAY else None
    return sentence_case_of(relative.manner.model, phrase) if phrase else None


def _write_counted(relative: Relative, offset: int) -> str:
    manner = relative.manner
    number = abs(offset)
    lead = manner.lead
    if (offset > 0) != (relative.offset > 0):
        lead = sentence_case_of(lead, "dans" if offset > 0 else "il y a")
    said = _number(number, manner.spoken, feminine=relative.unit is Unit.WEEK or manner.unit_word.startswith("annee"))
    if relative.span:
        said += " à " + _number(number + relative.span, manner.spoken, feminine=False)
    said = said.upper() if manner.model.isupper() else said
    return f"{lead} {said} {_unit_word(manner, number)}"


def _number(number: int, spoken: bool, *, feminine: bool) -> str:
    return numerals.write(number, feminine=feminine) if spoken else str(number)


def _unit_word(manner: Manner, number: int) -> str:
    words = {
        "jour": "jour", "jours": "jour", "semaine": "semaine", "semaines": "semaine", "an": "an", "ans": "an",
        "annee": "an", "annees": "an", "ete": "été", "etes": "été", "hiver": "hiver", "hivers": "hiver",
    }  # fmt: skip
    word = words.get(manner.unit_word)
    said = manner.unit_word if word is None else word + ("s" if number > 1 else "")
    return said.upper() if manner.model.isupper() else said


def _write_plain(unit: Unit, offset: int, manner: Manner) -> str:
    if unit is Unit.DAY:
        near = {-2: "avant-hier", -1: "hier", 1: "demain", 2: "après-demain"}
        if offset in near:
            part = f" {manner.part}" if manner.part in ("matin", "soir") else ""
            return near[offset] + part
        if offset == 0:
            plain = flat(manner.model)
            return next(said for said in _NOW if flat(said) != plain)
    phrases = {
        Unit.WEEK: ("la semaine dernière", "cette semaine", "la semaine prochaine", "semaines"),
        Unit.MONTH: ("le mois dernier", "ce mois-ci", "le mois prochain", "mois"),
        Unit.YEAR: ("l'an dernier", "cette année", "l'an prochain", "ans"),
        Unit.DAY: ("hier", "ce jour", "demain", "jours"),
        Unit.SEASON: ("la saison dernière", "cette saison", "la saison prochaine", "saisons"),
        Unit.DECADE: ("il y a dix ans", "ces dernières années", "dans dix ans", "décennies"),
    }
    last, this, following, plural = phrases[unit]
    if abs(offset) <= 1:
        return (this, following, last)[offset]
    counted = numerals.write(abs(offset), feminine=unit is Unit.WEEK)
    return f"il y a {counted} {plural}" if offset < 0 else f"dans {counted} {plural}"


def _write_named(relative: Relative, moved: Instant, offset: int) -> str:
    unit, manner = relative.unit, relative.manner
    if unit is Unit.DAY:
        if 0 < abs(offset) <= 10:
            return f"{WEEKDAYS[moved.first.weekday()]} {'prochain' if offset > 0 else 'dernier'}"
        return _write_plain(unit, offset, manner)
    side = "prochain" if offset > 0 else "dernier"
    if unit is Unit.SEASON:
        name = SEASONS[moved.index % 4]
        if offset == 0:
            return f"ce {name}" if name == "printemps" else f"cet {name}"
        return f"le {name} {side}" if name == "printemps" else f"l'{name} {side}"
    name = (FEAST_OF_MONTH if manner.feast else MONTHS)[moved.index % 12]
    return f"{name} {side}" if offset else _write_plain(unit, offset, manner)
