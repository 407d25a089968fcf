"""Read RELDATE mentions: moments said by their distance from the document's date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from deid.substitution import numerals
from deid.substitution.folding import flat
from deid.substitution.temporal.values import Unit
from deid.substitution.temporal.vocabulary import (
    FEASTS,
    MONTH_OF,
    SEASON_OF,
    WEEKDAY_OF,
)

_UNITS = {
    "jour": Unit.DAY, "jours": Unit.DAY, "j": Unit.DAY, "jrs": Unit.DAY, "jr": Unit.DAY,
    "semaine": Unit.WEEK, "semaines": Unit.WEEK, "sem": Unit.WEEK, "mois": Unit.MONTH,
    "an": Unit.YEAR, "ans": Unit.YEAR, "annee": Unit.YEAR, "annees": Unit.YEAR, "a": Unit.YEAR,
    "ete": Unit.YEAR, "etes": Unit.YEAR, "hiver": Unit.YEAR, "hivers": Unit.YEAR, "printemps": Unit.YEAR,
}  # fmt: skip
_HOURS = {"h": 1, "heure": 1, "heures": 1, "minute": 0, "minutes": 0, "min": 0, "mn": 0}
_ABOUT = {
    "dizaine": 10, "douzaine": 12, "quinzaine": 15, "vingtaine": 20, "trentaine": 30, "quarantaine": 40,
    "cinquantaine": 50, "soixantaine": 60,
}  # fmt: skip
_COUNTED = re.compile(
    r"(?P<lead>(?:d' ?)?(?:il y a(?: plus de| environ| pres de)?|ilya|y ?a|depuis|dans|ds|sous|d'ici(?: a)?|d ici|"
    r"apres|avant)) ?"
    r"(?:une? (?P<about>[a-z]+aine) (?:de |d')?|(?P<digits>\d+)|(?P<words>[a-z]+(?:[ -][a-z]+)*?))"
    r"(?: (?:a|ou) (?P<upto>\d+|[a-z]+))?"
    r" ?(?P<unit>jours?|jrs?|j|semaines?|sem\.?|mois|ann?ees?|ans?|h|heures?|minutes?|min|mn|etes?|hivers?|"
    r"printemps)\.?"
)
_FORTNIGHT = re.compile(r"(?P<lead>(?:dans|sous|d'ici|il y a)) (?:une )?(?P<about>quinzaine|huitaine)")
_NAMED = {
    "avant-hier": -2, "avant hier": -2, "avanthier": -2, "hier": -1, "ce jour": 0, "aujourd'hui": 0, "aujourdhui": 0,
    "ce matin": 0, "ce midi": 0, "ce soir": 0, "cesoir": 0, "cette nuit": 0, "cet apres-midi": 0, "cet apres midi": 0,
    "cet aprem": 0, "ce jour meme": 0, "maintenant": 0, "demain": 1, "apres-demain": 2, "apres demain": 2,
    "la veille": -1, "le lendemain": 1,
}  # fmt: skip
_PART_OF_DAY = re.compile(r" (?:matin|soir|midi|apres-midi|apres midi|aprem|nuit|dans la nuit|au soir|au matin)$")
_SIDE = {
    "dernier": -1, "derniere": -1, "passe": -1, "passee": -1, "precedent": -1, "precedente": -1, "ecoule": -1,
    "prochain": 1, "prochaine": 1, "suivant": 1, "suivante": 1, "a venir": 1, "en huit": 2, "en quinze": 3,
}  # fmt: skip
_SIDED = re.compile(
    rf"(?:(?:le |la |l'|l |les |d'ici |pour ))*(?P<what>[a-z' -]+?) (?P<side>{'|'.join(_SIDE)})(?: [a-z ]+)?"
)
_THIS = re.compile(r"(?:ce|cet|cette) (?P<what>[a-z-]+?)(?:-ci|-la| ci)?")
_END = re.compile(
    r"(?:avant |d'ici |pour |vers )?(?:la |le )?(?:fin|debut|milieu) (?:du|de la|de l'|d') ?"
    r"(?P<what>mois|semaine|annee|an)"
)
_BEFORE_WEEKDAY = re.compile(r"(?:d'ici|avant|pour|vers) (?P<weekday>[a-z]+)")


@dataclass(frozen=True, slots=True)
class Relative:
    """A distance from the anchor in `unit`, negative in the past, or a weekday, month, season or feast on a side.

    `named` holds, for MONTH and SEASON said by name and for weekdays, their number; `offset` then only says the
    side (−1 last, 0 this, 1 next). `span` is what a range adds ("dans six à huit semaines").
    """

    unit: Unit
    offset: int
    manner: Manner
    named: int | None = None
    span: int = 0


@dataclass(frozen=True, slots=True)
class Manner:
    """How a RELDATE is written: `model` for the case, whether by a number, in words or figures, about or exactly."""

    model: str
    counted: bool = False
    spoken: bool = False
    unit_word: str = ""
    lead: str = ""
    about: bool = False
    part: str = ""
    hours: bool = False
    feast: bool = False


@lru_cache(maxsize=16384)
def parse(text: str) -> Relative | None:
    """What a RELDATE mention says, or None if it cannot be read."""
    plain = re.sub(r"\s+", " ", flat(text)).strip(" .,;")
    for reader in (_named, _counted, _fortnight, _ending, _sided, _this):
        if (found := reader(plain, text)) is not None:
            return found
    squeezed = re.sub(r"(?<=[a-z]{2}) (?=[a-z]{1,3}(?: |$))", "", plain)
    return _named(squeezed, text) or _counted(squeezed, text) if squeezed != plain else None


def _named(plain: str, text: str) -> Relative | None:
    part = _PART_OF_DAY.search(plain)
    name = plain if plain in _NAMED else plain[: part.start()] if part else plain
    if name not in _NAMED:
        return None
    said = part.group().strip() if part and plain not in _NAMED else ""
    return Relative(Unit.DAY, _NAMED[name], Manner(text, part=said))


def _counted(plain: str, text: str) -> Relative | None:
    match = _COUNTED.fullmatch(plain)
    if match is None:
        return None
    unit_word = match["unit"].rstrip(".")
    number = _quantity(match)
    if number is None:
        return None
    upto = (
        int(match["upto"])
        if (match["upto"] or "").isdigit()
        else numerals.read([match["upto"]])
        if match["upto"]
        else None
    )
    sign = (
        -1
        if (match["lead"].endswith("a") and "ici" not in match["lead"])
        or match["lead"] in ("il y a", "depuis")
        or "y a" in match["lead"]
        else 1
    )
    manner = Manner(
        text,
        counted=True,
        spoken=match["digits"] is None,
        unit_word=unit_word,
        lead=text[: match.end("lead")],
        about=match["about"] is not None,
        hours=unit_word in _HOURS,
    )
    if unit_word in _HOURS:
        days = -(-number * _HOURS[unit_word] // 24)
        return Relative(Unit.DAY, sign * days, manner)
    return Relative(_UNITS[unit_word], sign * number, manner, span=max(0, (upto or number) - number))


def _quantity(match: re.Match[str]) -> int | None:
    if match["about"]:
        return _ABOUT.get(match["about"])
    if match["digits"]:
        return int(match["digits"])
    return numerals.read(re.findall("[a-z]+", match["words"]))


def _fortnight(plain: str, text: str) -> Relative | None:
    match = _FORTNIGHT.fullmatch(plain)
    if match is None:
        return None
    days = 15 if match["about"] == "quinzaine" else 8
    manner = Manner(text, counted=True, spoken=True, unit_word="jours", lead=text[: match.end("lead")])
    return Relative(Unit.DAY, -days if match["lead"] == "il y a" else days, manner)


def _ending(plain: str, text: str) -> Relative | None:
    match = _END.fullmatch(plain)
    if match is not None:
        unit = {"mois": Unit.MONTH, "semaine": Unit.WEEK}.get(match["what"], Unit.YEAR)
        return Relative(unit, 1, Manner(text))
    match = _BEFORE_WEEKDAY.fullmatch(plain)
    if match is not None and match["weekday"] in WEEKDAY_OF:
        return Relative(Unit.DAY, 1, Manner(text), named=WEEKDAY_OF[match["weekday"]])
    return None


def _sided(plain: str, text: str) -> Relative | None:
    match = _SIDED.fullmatch(plain)
    return _thing(match["what"].strip(), _SIDE[match["side"]], text) if match else None


def _this(plain: str, text: str) -> Relative | None:
    match = _THIS.fullmatch(plain)
    return _thing(match["what"], 0, text) if match else None


def _thing(what: str, side: int, text: str) -> Relative | None:
    """A week, month, year, weekday, season or feast, on a side of now."""
    what = what.removeprefix("l'").removeprefix("l ").strip()
    units = {"semaine": Unit.WEEK, "week-end": Unit.WEEK, "weekend": Unit.WEEK, "mois": Unit.MONTH}
    units |= {"an": Unit.YEAR, "annee": Unit.YEAR}
    if what in units:
        return Relative(units[what], side, Manner(text))
    if what in WEEKDAY_OF:
        return Relative(Unit.DAY, side, Manner(text), named=WEEKDAY_OF[what])
    if what in SEASON_OF:
        return Relative(Unit.SEASON, side, Manner(text), named=SEASON_OF[what])
    if what in MONTH_OF:
        return Relative(Unit.MONTH, side, Manner(text), named=MONTH_OF[what])
    month = FEASTS.get(what) or FEASTS.get(what.replace(" ", "-"))
    return Relative(Unit.MONTH, side, Manner(text, feast=True), named=month) if month else None
