"""Written forms of a DATE: the parsed value, and another day in the same form."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.values import Unit

OTHER = date(2021, 10, 1)  # a Friday

# text, unit, (year, month, day) as written, the same form for 1 October 2021
FORMS = [
    ("12/02/2020", Unit.DAY, (2020, 2, 12), "01/10/2021"),
    ("3/2/2020", Unit.DAY, (2020, 2, 3), "1/10/2021"),
    ("12.02.20", Unit.DAY, (20, 2, 12), "01.10.21"),
    ("12-02-2020", Unit.DAY, (2020, 2, 12), "01-10-2021"),
    ("12 02 2020", Unit.DAY, (2020, 2, 12), "01 10 2021"),
    ("13 / 08 / 1931", Unit.DAY, (1931, 8, 13), "01 / 10 / 2021"),
    ("2020-02-12", Unit.DAY, (2020, 2, 12), "2021-10-01"),
    ("2020/02/12", Unit.DAY, (2020, 2, 12), "2021/10/01"),
    ("12022020", Unit.DAY, (2020, 2, 12), "01102021"),
    ("20200230", Unit.DAY, (2020, 2, 30), "20211001"),
    ("120220", Unit.DAY, (20, 2, 12), "011021"),
    ("1 2 0 2 2 0 2 0", Unit.DAY, (2020, 2, 12), "0 1 1 0 2 0 2 1"),
    ("12 février 2020", Unit.DAY, (2020, 2, 12), "1er octobre 2021"),
    ("1er février 2020", Unit.DAY, (2020, 2, 1), "1er octobre 2021"),
    ("09 février 2020", Unit.DAY, (2020, 2, 9), "01 octobre 2021"),
    ("12 FEVRIER 2020", Unit.DAY, (2020, 2, 12), "1ER OCTOBRE 2021"),
    ("12 Février 2020", Unit.DAY, (2020, 2, 12), "1er Octobre 2021"),
    ("12 févr. 2020", Unit.DAY, (2020, 2, 12), "1er oct. 2021"),
    ("17 sept. 1945", Unit.DAY, (1945, 9, 17), "1er oct. 2021"),
    ("12FEV2020", Unit.DAY, (2020, 2, 12), "01OCT2021"),
    ("17-V-1962", Unit.DAY, (1962, 5, 17), "01-X-2021"),
    ("lundi 3 mars 2003", Unit.DAY, (2003, 3, 3), "vendredi 1er octobre 2021"),
    ("LUNDI 3 MARS", Unit.DAY, (None, 3, 3), "VENDREDI 1ER OCTOBRE"),
    ("jeu. 07/12/23", Unit.DAY, (23, 12, 7), "ven. 01/10/21"),
    ("mar 12/03", Unit.DAY, (None, 3, 12), "ven 01/10"),
    ("18/04", Unit.DAY, (None, 4, 18), "01/10"),
    ("vendredi 10", Unit.DAY, (None, None, 10), "vendredi 1er"),
    ("12", Unit.DAY, (None, None, 12), "1"),
    ("lundi", Unit.DAY, (None, None, None), "vendredi"),
    ("deux janvier mille neuf cent quarante-huit", Unit.DAY, (1948, 1, 2), "premier octobre deux mille vingt et un"),
    ("trois février quarante huit", Unit.DAY, (48, 2, 3), "premier octobre vingt et un"),
    ("premier mai 1931", Unit.DAY, (1931, 5, 1), "premier octobre 2021"),
    ("O9/O9/2O22", Unit.DAY, (2022, 9, 9), "01/10/2021"),
    ("l9 ju illet 2O22", Unit.DAY, (2022, 7, 19), "1er octobre 2021"),
    ("février 2020", Unit.MONTH, (2020, 2, None), "octobre 2021"),
    ("fin février 2020", Unit.MONTH, (2020, 2, None), "fin octobre 2021"),
    ("fin de janvier 1939", Unit.MONTH, (1939, 1, None), "fin d'octobre 2021"),
    ("mi-août", Unit.MONTH, (None, 8, None), "mi-octobre"),
    ("ml-avril", Unit.MONTH, (None, 4, None), "ml-octobre"),
    ("fln juln 2019", Unit.MONTH, (2019, 6, None), "fln octobre 2021"),
    ("dèbut sept 2019", Unit.MONTH, (2019, 9, None), "dèbut oct 2021"),
    ("courant du mois de mai", Unit.MONTH, (None, 5, None), "courant du mois d'octobre"),
    ("hlver 2018", Unit.SEASON, (2018, None, None), "automne 2021"),
    ("Prlntemps 2018", Unit.SEASON, (2018, None, None), "Automne 2021"),
    ("Sa 07 M", Unit.DAY, (None, None, 7), "Ve 01 M"),
    ("14/06 AM", Unit.DAY, (None, 6, 14), "01/10 AM"),
    ("02/2020", Unit.MONTH, (2020, 2, None), "10/2021"),
    ("2020-02", Unit.MONTH, (2020, 2, None), "2021-10"),
    ("XI/2019", Unit.MONTH, (2019, 11, None), "X/2021"),
    ("S28 2022", Unit.WEEK, (2022, None, None), "S39 2021"),
    ("S28/2022", Unit.WEEK, (2022, None, None), "S39/2021"),
    ("2022-W28", Unit.WEEK, (2022, None, None), "2021-W39"),
    ("sem. 12", Unit.WEEK, (None, None, None), "sem. 39"),
    ("S 12/02", Unit.DAY, (None, 2, 12), "V 01/10"),
    ("S12", Unit.DAY, (None, None, 12), "V01"),
    ("mar 18 sept.", Unit.DAY, (None, 9, 18), "ven 1er oct."),
    ("mar 18 sept 2019", Unit.DAY, (2019, 9, 18), "ven 1er oct 2021"),
    ("03/20", Unit.MONTH, (20, 3, None), "10/21"),
    ("mars 19", Unit.MONTH, (19, 3, None), "octobre 21"),
    ("Noël 2015", Unit.MONTH, (2015, None, None), "mi-octobre 2021"),
    ("Saint-Jean 2015", Unit.MONTH, (2015, None, None), "Saint-Luc 2021"),
    ("fin du Ramadan 2015", Unit.MONTH, (2015, None, None), "fin d'octobre 2021"),
    ("noel 2015", Unit.MONTH, (2015, None, None), "mi-octobre 2021"),
    ("Toussaint", Unit.MONTH, (None, None, None), "mi-octobre"),
    ("printemps 2011", Unit.SEASON, (2011, None, None), "automne 2021"),
    ("début de l'hiver 2021", Unit.SEASON, (2021, None, None), "début de l'automne 2021"),
    ("2015", Unit.YEAR, (2015, None, None), "2021"),
    ("00/00/1988", Unit.YEAR, (1988, None, None), "00/00/2021"),
    ("00.00.88", Unit.YEAR, (88, None, None), "00.00.21"),
    ("1988-00-00", Unit.YEAR, (1988, None, None), "2021-00-00"),
    ("00-05-1988", Unit.MONTH, (1988, 5, None), "00-10-2021"),
    ("98", Unit.YEAR, (98, None, None), "21"),
    ("mille neuf cent quatre vingt sept", Unit.YEAR, (1987, None, None), "deux mille vingt et un"),
    ("début de l'année 2014", Unit.YEAR, (2014, None, None), "début de l'année 2021"),
    ("années 80", Unit.DECADE, (80, None, None), "années 20"),
]


@pytest.mark.parametrize(("text", "unit", "fields", "other"), FORMS)
def test_a_form_is_read_and_written(text: str, unit: Unit, fields: tuple[int | None, ...], other: str) -> None:
    found = parse(text)
    assert found is not None
    assert (found.unit, (found.year, found.month, found.day)) == (unit, fields)
    assert found.form.write(OTHER) == other


@pytest.mark.parametrize(
    "text",
    [
        "45/13/99",
        "12/02/0202",
        "02/13/2020",
        "1374",
        "32 mars",
        "Docteur",
        "12/02/3020",
        "12/00/2020",
        "00/13/2020",
        "00/00/00",
    ],
)
def test_what_is_no_date_is_not_read(text: str) -> None:
    assert parse(text) is None


def test_a_lone_number_is_a_year_where_the_text_announces_one() -> None:
    assert parse("12", as_year=True).unit is Unit.YEAR  # type: ignore[union-attr]


WHOLE = [text for text, unit, fields, _ in FORMS if unit is Unit.DAY and None not in fields]


@settings(deadline=None)
@given(st.sampled_from(WHOLE), st.dates(date(1900, 1, 1), date(2049, 12, 31)))
def test_what_a_form_writes_is_read_back(text: str, day: date) -> None:
    form = parse(text).form  # type: ignore[union-attr]
    again = parse(form.write(day))
    assert again is not None
    assert (again.month, again.day) == (day.month, day.day)
    assert again.year in (day.year, day.year % 100)
    assert again.form.write(day) == form.write(day)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_no_text_breaks_the_parser(text: str) -> None:
    parse(text)
