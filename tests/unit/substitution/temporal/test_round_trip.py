"""Values written back as they were read: the same text where nothing moved, the same value elsewhere, in every form."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deid.french.folding import comparable
from deid.substitution.temporal import ages, relative
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.resolving import place_date, place_relative
from deid.substitution.temporal.values import Instant, Unit, index_of
from deid.substitution.temporal.wording import write_distance

MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
SHORT = "janv févr mars avr mai juin juil août sept oct nov déc".split()
THREE = "JAN FEV MAR AVR MAI JUN JUL AOU SEP OCT NOV DEC".split()
ENGLISH = "January February March April May June July August September October November December".split()
ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
DAYS = "lundi mardi mercredi jeudi vendredi samedi dimanche".split()
SPOKEN_DAYS = (
    "premier deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf vingt vingt_et_un vingt-deux vingt-trois vingt-quatre vingt-cinq vingt-six vingt-sept vingt-huit "
    "vingt-neuf trente trente_et_un"
).split()


def _er(day: date) -> str:
    return "1er" if day.day == 1 else str(day.day)


def _dot(day: date) -> str:
    name = SHORT[day.month - 1]
    return name if name in MONTHS else f"{name}."


def _spoken(day: date) -> str:
    return SPOKEN_DAYS[day.day - 1].replace("_", " ")


def _spaced(text: str) -> str:
    return " ".join(text)


Writer = Callable[[date], str]

WHOLE: dict[str, Writer] = {
    "12/02/2020": lambda d: f"{d:%d/%m/%Y}",
    "12.02.2020": lambda d: f"{d:%d.%m.%Y}",
    "12-02-2020": lambda d: f"{d:%d-%m-%Y}",
    "12 02 2020": lambda d: f"{d:%d %m %Y}",
    "12 / 02 / 2020": lambda d: f"{d:%d / %m / %Y}",
    "3/2/2020": lambda d: f"{d.day}/{d.month}/{d.year}",
    "12022020": lambda d: f"{d:%d%m%Y}",
    "2020-02-12": lambda d: f"{d:%Y-%m-%d}",
    "2020/02/12": lambda d: f"{d:%Y/%m/%d}",
    "2020-02-12T07:58": lambda d: f"{d:%Y-%m-%d}T07:58",
    "12/02/2020 à 14h30": lambda d: f"{d:%d/%m/%Y} à 14h30",
    "12 février 2020": lambda d: f"{_er(d)} {MONTHS[d.month - 1]} {d.year}",
    "12 FÉVRIER 2020": lambda d: f"{_er(d)} {MONTHS[d.month - 1].upper()} {d.year}",
    "Lundi 12 février 2020": lambda d: f"{DAYS[d.weekday()].capitalize()} {_er(d)} {MONTHS[d.month - 1]} {d.year}",
    "12 févr. 2020": lambda d: f"{_er(d)} {_dot(d)} {d.year}",
    "12FEV2020": lambda d: f"{d:%d}{THREE[d.month - 1]}{d.year}",
    "12-FEV-2020": lambda d: f"{d:%d}-{THREE[d.month - 1]}-{d.year}",
    "12-II-2020": lambda d: f"{d:%d}-{ROMAN[d.month - 1]}-{d.year}",
    "lundi 12/02/2020": lambda d: f"{DAYS[d.weekday()]} {d:%d/%m/%Y}",
    "lun. 12/02/2020": lambda d: f"{DAYS[d.weekday()][:3]}. {d:%d/%m/%Y}",
    "12 February 2020": lambda d: f"{d.day} {ENGLISH[d.month - 1]} {d.year}",
    "February 12, 2020": lambda d: f"{ENGLISH[d.month - 1]} {d.day}, {d.year}",
    "deux février 2020": lambda d: f"{_spoken(d)} {MONTHS[d.month - 1]} {d.year}",
    "1 2 0 2 2 0 2 0": lambda d: _spaced(f"{d:%d%m%Y}"),
    "1 2/0 2/2 0 2 0": lambda d: _spaced(f"{d:%d/%m/%Y}").replace(" / ", "/"),
    "12\nfévrier 2020": lambda d: f"{_er(d)}\n{MONTHS[d.month - 1]} {d.year}",
}
TWO_DIGITS: dict[str, Writer] = {
    "12/02/20": lambda d: f"{d:%d/%m/%y}",
    "120220": lambda d: f"{d:%d%m%y}",
    "12 février 20": lambda d: f"{_er(d)} {MONTHS[d.month - 1]} {d:%y}",
    "12.02.20": lambda d: f"{d:%d.%m.%y}",
    "12 févr. '20": lambda d: f"{_er(d)} {_dot(d)} '{d:%y}",
}
PARTIAL: dict[str, Writer] = {
    "12/02": lambda d: f"{d:%d/%m}",
    "12 février": lambda d: f"{_er(d)} {MONTHS[d.month - 1]}",
    "lundi 12 février": lambda d: f"{DAYS[d.weekday()]} {_er(d)} {MONTHS[d.month - 1]}",
    "lundi 12/02": lambda d: f"{DAYS[d.weekday()]} {d:%d/%m}",
    "12 févr.": lambda d: f"{_er(d)} {_dot(d)}",
}
COARSE: dict[str, tuple[Unit, Writer]] = {
    "février 2020": (Unit.MONTH, lambda d: f"{MONTHS[d.month - 1]} {d.year}"),
    "début février 2020": (Unit.MONTH, lambda d: f"début {MONTHS[d.month - 1]} {d.year}"),
    "mi-février 2020": (Unit.MONTH, lambda d: f"mi-{MONTHS[d.month - 1]} {d.year}"),
    "02/2020": (Unit.MONTH, lambda d: f"{d:%m/%Y}"),
    "2020-02": (Unit.MONTH, lambda d: f"{d:%Y-%m}"),
    "févr. 2020": (Unit.MONTH, lambda d: f"{_dot(d)} {d.year}"),
    "février deux mille vingt": (Unit.MONTH, lambda d: f"{MONTHS[d.month - 1]} {_year(d.year)}"),
    "2e trimestre 2020": (Unit.QUARTER, lambda d: f"{_rank((d.month + 2) // 3)} trimestre {d.year}"),
    "T2 2020": (Unit.QUARTER, lambda d: f"T{(d.month + 2) // 3} {d.year}"),
    "1er semestre 2020": (Unit.SEMESTER, lambda d: f"{_rank((d.month + 5) // 6)} semestre {d.year}"),
    "2020": (Unit.YEAR, lambda d: str(d.year)),
    "début 2020": (Unit.YEAR, lambda d: f"début {d.year}"),
    "l'an deux mille vingt": (Unit.YEAR, lambda d: f"l'an {_year(d.year)}"),
    "2020-2021": (Unit.YEAR, lambda d: f"{d.year}-{d.year + 1}"),
    "années 2020": (Unit.DECADE, lambda d: f"années {d.year // 10 * 10}"),
}


def _rank(number: int) -> str:
    return "1er" if number == 1 else f"{number}e"


def _year(year: int) -> str:
    """A year of 2000 to 2049 in words."""
    tens = {0: "", 20: "vingt", 30: "trente", 40: "quarante"}
    rest = year - 2000
    if rest < 20:
        words = SPOKEN_DAYS[rest - 1].replace("premier", "un") if rest else ""
    else:
        unit = rest % 10
        said = SPOKEN_DAYS[unit - 1].replace("premier", "un") if unit else ""
        words = tens[rest - unit] + (" et un" if unit == 1 else f"-{said}" if unit else "")
    return f"deux mille {words}".strip()


any_day = st.dates(date(1900, 1, 1), date(2049, 12, 31))
this_century = st.dates(date(2000, 1, 1), date(2049, 12, 31))


def _holds(text: str, value: Instant, anchor: date) -> None:
    found = parse(text)
    assert found is not None
    assert place_date(found, anchor) == value
    assert found.form.write(value.middle) == text


@settings(deadline=None)
@given(st.sampled_from(sorted(WHOLE)), any_day, any_day)
@example("12 février 2020", date(2020, 2, 29), date(2021, 3, 1))
def test_a_whole_date(form: str, day: date, other: date) -> None:
    text = WHOLE[form](day)
    _holds(text, Instant(Unit.DAY, day.toordinal()), date(2000, 1, 1))
    found = parse(text)
    assert found is not None
    if 1 < day.day < 10 and day.month in (1, 2, 4, 7, 9):  # a day that shows zeros, abbreviations and endings
        assert comparable(found.form.write(other)) == comparable(WHOLE[form](other))
    _holds(found.form.write(other), Instant(Unit.DAY, other.toordinal()), date(2000, 1, 1))


@settings(deadline=None)
@given(st.sampled_from(sorted(TWO_DIGITS)), any_day)
def test_a_year_of_two_digits(form: str, day: date) -> None:
    anchor = date(day.year + 20, 6, 1)
    _holds(TWO_DIGITS[form](day), Instant(Unit.DAY, day.toordinal()), anchor)


@settings(deadline=None)
@given(st.sampled_from(sorted(PARTIAL)), any_day, st.integers(0, 80))
def test_a_day_without_its_year(form: str, day: date, before: int) -> None:
    if (day.month, day.day) == (2, 29):
        return  # another year would be nearer where it has no such day
    _holds(PARTIAL[form](day), Instant(Unit.DAY, day.toordinal()), day + timedelta(days=before))


@settings(deadline=None)
@given(st.sampled_from(sorted(COARSE)), this_century, this_century)
def test_what_is_coarser_than_a_day(form: str, day: date, other: date) -> None:
    unit, written = COARSE[form]
    value = Instant(unit, index_of(unit, day))
    _holds(written(day), value, day)
    found = parse(written(day))
    assert found is not None
    moved = Instant(unit, index_of(unit, other))
    again = parse(found.form.write(moved.middle))
    assert again is not None
    assert place_date(again, day) == moved


@settings(deadline=None)
@given(st.sampled_from(["hiver", "printemps", "été", "automne"]), st.integers(1900, 2049), this_century)
def test_a_season(name: str, year: int, other: date) -> None:
    text = f"{name} {year}"
    found = parse(text)
    assert found is not None
    value = place_date(found, other)
    assert found.form.write(value.middle) == text
    moved = Instant(Unit.SEASON, index_of(Unit.SEASON, other))
    again = parse(found.form.write(moved.middle))
    assert again is not None
    assert place_date(again, other) == moved


@settings(deadline=None)
@given(
    st.sampled_from(["Noël", "Pâques", "Ascension", "Toussaint", "Ramadan", "lundi de Pentecôte", "Kippour", "Têt"]),
    st.integers(1900, 2049),
    this_century,
)
def test_a_feast_is_of_its_month(name: str, year: int, other: date) -> None:
    found = parse(f"{name} {year}")
    assert found is not None
    assert place_date(found, other).first.year in (year, year - 1)
    moved = Instant(Unit.MONTH, index_of(Unit.MONTH, other))
    again = parse(found.form.write(moved.middle))
    assert again is not None
    assert place_date(again, date(1990, 1, 1)) == moved


@settings(deadline=None)
@given(st.integers(1, 52), st.integers(2000, 2049), this_century)
def test_a_numbered_week(week: int, year: int, other: date) -> None:
    text = f"semaine {week} {year}"
    found = parse(text)
    assert found is not None
    value = place_date(found, other)
    assert value.first.isocalendar()[:2] == (year, week)
    assert found.form.write(value.middle) == text


# RELDATE

RELATIVES: dict[str, Unit] = {
    "il y a {n} jours": Unit.DAY,
    "il y a {n} semaines": Unit.WEEK,
    "IL Y A {n} MOIS": Unit.MONTH,
    "il y a environ {n} ans": Unit.YEAR,
    "voilà {n} semaines": Unit.WEEK,
    "voici {n} mois": Unit.MONTH,
    "ça fait {n} ans": Unit.YEAR,
    "dans {n} jours": Unit.DAY,
    "d'ici {n} mois": Unit.MONTH,
    "sous {n} jours": Unit.DAY,
    "dans {n}j": Unit.DAY,
    "dans les {n} jours": Unit.DAY,
}
NAMED = [
    "hier", "avant-hier", "demain", "après-demain", "hier soir", "demain matin", "la semaine dernière",
    "la semaine prochaine", "le mois dernier", "le mois prochain", "l'an dernier", "l'an prochain", "cette semaine",
    "ce mois-ci", "cette année", "lundi dernier", "vendredi prochain", "samedi en huit", "l'été dernier",
    "l'hiver prochain", "février dernier", "octobre prochain", "ce matin", "ce jour", "le week-end dernier",
    "le trimestre prochain", "il y a une quinzaine de jours", "il y a une vingtaine d'années", "en janvier prochain",
    "dans trois semaines", "il y a vingt-deux ans", "dans six à huit semaines", "il y a deux ans et demi",
]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(sorted(RELATIVES)), st.integers(2, 60), st.integers(2, 60), any_day)
def test_a_counted_distance(form: str, number: int, other: int, anchor: date) -> None:
    text = form.format(n=number)
    found = relative.parse_relative(text)
    assert found is not None
    unit = RELATIVES[form]
    value, here = place_relative(found, anchor), Instant(unit, index_of(unit, anchor))
    assert abs(value.index - here.index) == number
    assert write_distance(found, value, here) == text
    moved = Instant(unit, here.index + (other if value > here else -other))
    assert write_distance(found, moved, here) == form.format(n=other)


@settings(deadline=None)
@given(st.sampled_from(NAMED), st.integers(-40, 40), any_day)
def test_a_named_distance(text: str, offset: int, anchor: date) -> None:
    found = relative.parse_relative(text)
    assert found is not None
    value = place_relative(found, anchor)
    here = Instant(value.unit, index_of(value.unit, anchor))
    assert write_distance(found, value, here) == text
    moved = Instant(value.unit, here.index + offset)
    again = relative.parse_relative(write_distance(found, moved, here))
    assert again is not None
    if again.unit is value.unit:
        assert place_relative(again, anchor) == moved


# AGE

AGES = [
    "{n} ans", "{n} ANS", "{n}a", "{n} a.", "{n}", "environ {n} ans", "{n} mois", "{n} semaines", "{n} jours",
    "{n} ans et demi", "{n} ans 1/2", "{n} ans ½", "{n},5 ans", "J{n} de vie", "{n} ans 3 mois", "{n} ans et 3 mois",
    "{n} ans révolus", "{n} ans 3/4", "~{n}a",
]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(AGES), st.integers(2, 89), st.integers(2, 89))
def test_an_age(form: str, number: int, other: int) -> None:
    text = form.format(n=number)
    found = ages.parse_age(text)
    assert found is not None
    assert ages.write_age(found, found.value, top_code=126) == text
    wanted = ages.parse_age(form.format(n=other))
    assert wanted is not None
    assert wanted.unit is found.unit
    again = ages.parse_age(ages.write_age(found, wanted.value, top_code=126))
    assert again is not None
    assert (again.value / again.step, again.unit) == (wanted.value / wanted.step, wanted.unit)


@pytest.mark.parametrize(
    "text",
    [
        "soixante-douze ans",
        "QUATRE-VINGT-DEUX ANS",
        "vingt-et-un ans",
        "nonante et un ans",
        "septante-deux ans",
        "quatre vingt deux ans",
        "deux ans et demi",
        "deux ans et trois mois",
        "six ans et demi",
        "une semaine",
    ],
)
def test_an_age_in_words(text: str) -> None:
    found = ages.parse_age(text)
    assert found is not None
    assert ages.write_age(found, found.value, top_code=126) == text


# What a scanner broke is read, and written whole.


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("l2/O3/2020", "12/03/2020"),
        ("ll.O9.1937", "11.09.1937"),
        ("l8 rnars 2OO9", "18 mars 2009"),
        ("8 0CT0BRE 2O14", "8 OCTOBRE 2014"),
        ("4 décernbre 2009", "4 décembre 2009"),
        ("jui1let 2Ol1", "juillet 2011"),
        ("ler janvier l934", "1er janvier 1934"),
        ("Iundi 3 mars 2003", "lundi 3 mars 2003"),
        ("l9 ju illet 2O22", "19 juillet 2022"),
        ("3 setpembre 2015", "3 septembre 2015"),
    ],
)
def test_a_broken_date_is_mended(text: str, whole: str) -> None:
    found = parse(text)
    assert found is not None
    assert found.form.write(place_date(found, date(2010, 1, 1)).middle) == whole


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("iI y a tr0is ans", "il y a trois ans"),
        ("dans six m ois", "dans six mois"),
        ("Ia semaine derniere", "la semaine dernière"),
        ("dans l0 j0urs", "dans 10 jours"),
        ("vendredi pr0chain", "vendredi prochain"),
        ("il y a deux rnois", "il y a deux mois"),
        ("l'an demier", "l'an dernier"),
    ],
)
def test_a_broken_distance_is_mended(text: str, whole: str) -> None:
    found, wanted = relative.parse_relative(text), relative.parse_relative(whole)
    assert found is not None
    assert wanted is not None
    anchor = date(2020, 5, 14)
    assert place_relative(found, anchor) == place_relative(wanted, anchor)
