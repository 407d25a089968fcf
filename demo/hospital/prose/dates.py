"""Dates, ages and durations as French clinicians write them."""

from __future__ import annotations

import random
from datetime import date, timedelta

MONTHS = (
    "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
    "décembre",
)  # fmt: skip
SHORT_MONTHS = (
    "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc.",
)  # fmt: skip
WEEKDAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
SEASONS = ("hiver", "printemps", "été", "automne")
NUMBERS = (
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze", "treize",
    "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
)  # fmt: skip
_TENS = {20: "vingt", 30: "trente", 40: "quarante", 50: "cinquante", 60: "soixante", 80: "quatre-vingt"}

# The habit of an author: how dates of one document look, mostly. Weights over forms.
HABITS: tuple[tuple[str, int], ...] = (
    ("slash", 30), ("long", 34), ("slash2", 12), ("dot", 6), ("dash", 5), ("dot2", 3), ("short", 5), ("bare", 5),
)  # fmt: skip
NEAR_DAYS = 75


def habit(rng: random.Random) -> str:
    """The form that an author's dates have."""
    return rng.choices([name for name, _ in HABITS], [weight for _, weight in HABITS])[0]


def _ordinal(day: int) -> str:
    return "1er" if day == 1 else str(day)


def full(day: date, form: str) -> str:
    """The complete date in `form` ("slash", "long", "iso", "weekday"…)."""
    forms = {
        "slash": f"{day:%d/%m/%Y}",
        "slash2": f"{day:%d/%m/%y}",
        "dot": f"{day:%d.%m.%Y}",
        "dot2": f"{day:%d.%m.%y}",
        "dash": f"{day:%d-%m-%Y}",
        "bare": f"{day.day}/{day.month}/{day.year}",
        "iso": day.isoformat(),
        "glued": f"{day:%d%m%Y}",
        "spaced": f"{day:%d %m %Y}",
        "short": f"{_ordinal(day.day)} {SHORT_MONTHS[day.month - 1]} {day.year}",
        "weekday": f"{WEEKDAYS[day.weekday()]} {_ordinal(day.day)} {MONTHS[day.month - 1]} {day.year}",
    }
    return forms.get(form) or f"{_ordinal(day.day)} {MONTHS[day.month - 1]} {day.year}"


def near(rng: random.Random, day: date, form: str, reference: date) -> str:
    """`day` as written in a text of `reference`: often without its year when it is close."""
    if abs((day - reference).days) > NEAR_DAYS or rng.random() < 0.35:
        return full(day, form)
    if form in ("long", "short"):
        months = MONTHS if form == "long" else SHORT_MONTHS
        text = f"{_ordinal(day.day)} {months[day.month - 1]}"
        return f"{WEEKDAYS[day.weekday()]} {text}" if rng.random() < 0.18 else text
    if form.startswith("dot"):
        return f"{day:%d.%m}"
    return f"{day.day}/{day.month}" if form == "bare" else f"{day:%d/%m}"


def bounds(rng: random.Random, first: date, last: date, form: str) -> tuple[str, str]:
    """Both ends of a range, the first elliptic when it can be ("12", "15/03/2021")."""
    same_month = (first.year, first.month) == (last.year, last.month)
    if same_month and rng.random() < 0.55:
        return _ordinal(first.day) if form in ("long", "short") else str(first.day), full(last, form)
    if first.year == last.year and rng.random() < 0.5:
        if form in ("long", "short"):
            return f"{_ordinal(first.day)} {MONTHS[first.month - 1]}", full(last, form)
        return f"{first:%d/%m}", full(last, form)
    return full(first, form), full(last, form)


def month(rng: random.Random, day: date) -> str:
    """Month and year."""
    name = f"{MONTHS[day.month - 1]} {day.year}"
    forms = [name, name, name, f"{day:%m/%Y}", f"{day:%m/%Y}", f"{day:%m/%y}", f"{rng.choice(('début', 'fin'))} {name}"]
    forms.append(f"{SHORT_MONTHS[day.month - 1]} {day:%Y}")
    return rng.choice(forms)


def year(rng: random.Random, day: date) -> str:
    """A year, now and then with a season or a feast."""
    draw = rng.random()
    if draw < 0.80:
        return str(day.year)
    if draw < 0.88:
        return f"{rng.choice(('début', 'fin', 'courant'))} {day.year}"
    return f"{MONTHS[day.month - 1]} {day.year}"


_FEASTS = (("printemps", 4), ("Pâques", 4), ("été", 7), ("automne", 10), ("Toussaint", 11), ("Noël", 12))


def feast(rng: random.Random, day: date) -> str:
    """The season or feast last begun on `day`, or an earlier one, with its year and without article."""
    name, begins = rng.choice(_FEASTS)
    return f"{name} {day.year if begins < day.month else day.year - 1}"


def years_between(born: date, day: date) -> int:
    """Completed years."""
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def in_words(number: int) -> str:
    """A number under one hundred in French letters."""
    if number < 20:
        return NUMBERS[number]
    tens = number // 10 * 10
    base = tens - 10 if tens in (70, 90) else tens
    rest = number - base
    if rest == 0:
        return _TENS[base] + ("s" if base == 80 else "")
    link = "-et-" if rest in (1, 11) and base != 80 else "-"
    return f"{_TENS[base]}{link}{NUMBERS[rest]}"


def age(rng: random.Random, born: date, day: date, *, terse: bool = False) -> str:
    """An age on `day`: days, weeks, months or years as fits."""
    days = (day - born).days
    if days < 14:
        return f"{max(days, 1)} jours"
    if days < 80:
        return f"{days // 7} semaines"
    months = (day.year - born.year) * 12 + day.month - born.month - (day.day < born.day)
    if months < 25:
        return f"{months} mois"
    years = years_between(born, day)
    if years < 7 and months % 12 in (5, 6, 7) and rng.random() < 0.6:
        return f"{years} ans et demi"
    if terse:
        return f"{years}{rng.choice(('a', ' a', 'ans', ' ans'))}"
    if 2 <= years < 100 and rng.random() < 0.06:
        return f"{in_words(years)} ans"
    return f"{years} ans"


def count(rng: random.Random, number: int) -> str:
    """A small number in letters or digits."""
    return in_words(number) if 1 < number < 17 and rng.random() < 0.45 else str(number)


def amount(rng: random.Random, unit: str, number: int) -> str:
    """`number` `unit`s: "2 ans", "trois mois", "une semaine"."""
    plural = unit if unit.endswith("s") else f"{unit}s"
    singular = unit if unit == "mois" else unit.removesuffix("s")
    if number == 1:
        return f"{'une' if singular == 'semaine' else 'un'} {singular}"
    return f"{count(rng, number)} {plural}"


def shift(day: date, days: int) -> date:
    """`day` moved by `days`."""
    return day + timedelta(days=days)


def working(day: date) -> date:
    """The same day, or the Monday that follows a weekend."""
    return shift(day, 7 - day.weekday()) if day.weekday() >= 5 else day
