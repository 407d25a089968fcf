"""French numbers in words, as dates are sometimes spelt out in certificates."""

from __future__ import annotations

from datetime import date

_UNITS = (
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
).split()
_TENS = {2: "vingt", 3: "trente", 4: "quarante", 5: "cinquante", 6: "soixante", 8: "quatre-vingt"}
_MONTHS = "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre".split()


def below_hundred(number: int) -> str:
    """`number` in [0, 99] in bare French words."""
    if number < 20:
        return _UNITS[number]
    tens, unit = divmod(number, 10)
    if tens in (7, 9):
        tens, unit = tens - 1, unit + 10
    if unit == 0:
        return _TENS[tens]
    link = " et " if unit in (1, 11) and tens != 8 else " "
    return f"{_TENS[tens]}{link}{_UNITS[unit]}"


def spelt_dates(day: date) -> tuple[str, ...]:
    """The ways `day` is read aloud: bare words, single spaces, no hyphens."""
    century, rest = divmod(day.year, 100)
    tail = below_hundred(rest) if rest else ""
    if century >= 20:
        years = ["deux mille"]
    else:
        years = ["mille neuf cent", "dix-neuf cent"] if century == 19 else [f"mille {_UNITS[century % 10]} cent"]
    days = ["premier", "un"] if day.day == 1 else [below_hundred(day.day)]
    spelt = (f"{number} {_MONTHS[day.month - 1]} {year} {tail}" for number in days for year in years)
    return tuple(" ".join(text.replace("-", " ").split()) for text in spelt)
