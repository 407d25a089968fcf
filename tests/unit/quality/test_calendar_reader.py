"""The checker's own reading of French dates."""

from __future__ import annotations

import calendar
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.quality.dates import WrittenDate, read_date, read_dates, spelt_dates

REFERENCE = date(2024, 3, 1)

EXACT = [
    ("12/02/2020", date(2020, 2, 12)),
    ("1er mars 2021", date(2021, 3, 1)),
    ("premier mars 2021", date(2021, 3, 1)),
    ("lundi 3 mars 2020", date(2020, 3, 3)),
    ("03 MARS 2020", date(2020, 3, 3)),
    ("3 févr. 2021", date(2021, 2, 3)),
    ("3-fév-21", date(2021, 2, 3)),
    ("15mars01", date(2001, 3, 15)),
    ("2021-02-03", date(2021, 2, 3)),
    ("2024-01-08T07:58", date(2024, 1, 8)),
    ("12.02.45", date(1945, 2, 12)),
    ("08032017", date(2017, 3, 8)),
    ("20170308", date(2017, 3, 8)),
    ("20101118", date(2010, 11, 18)),  # day first, it would be of 1118
    ("12 / 02 / 2020", date(2020, 2, 12)),
    ("mar 10/3/20", date(2020, 3, 10)),
    ("mar. 17/10/2023", date(2023, 10, 17)),
    ("mar 30 jan 2018", date(2018, 1, 30)),
]


@pytest.mark.parametrize(("text", "day"), EXACT)
def test_exact_days(text: str, day: date) -> None:
    found = read_date(text, REFERENCE)
    assert found is not None
    assert (found.first, found.last, found.exists) == (day, day, True)


@pytest.mark.parametrize("text", ["00000000", "00120000", "00000012", "00/00/1200", "00311999"])
def test_zeros_beside_no_year_of_anybody_are_no_day(text: str) -> None:
    found = read_date(text, REFERENCE)
    assert found is None or not found.exists


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("mars 2020", date(2020, 3, 1), date(2020, 3, 31)),
        ("00/00/1988", date(1988, 1, 1), date(1988, 12, 31)),
        ("1988-00-00", date(1988, 1, 1), date(1988, 12, 31)),
        ("00.05.1988", date(1988, 5, 1), date(1988, 5, 31)),
        ("03/2020", date(2020, 3, 1), date(2020, 3, 31)),
        ("2015", date(2015, 1, 1), date(2015, 12, 31)),
        ("début 2015", date(2015, 1, 1), date(2015, 12, 31)),
        ("Noël 2019", date(2019, 1, 1), date(2019, 12, 31)),
        ("années 1990", date(1990, 1, 1), date(1999, 12, 31)),
        ("hiver 2026", date(2025, 12, 1), date(2027, 3, 31)),
        ("HIVER 2025-2026", date(2024, 12, 1), date(2026, 3, 31)),
        ("été 2026", date(2026, 1, 1), date(2026, 12, 31)),
    ],
)
def test_periods(text: str, first: date, last: date) -> None:
    assert read_date(text, REFERENCE) == WrittenDate(first, last)


@pytest.mark.parametrize("text", ["12", "lundi", "3 mars", "12/03", "Toussaint", "12/02/27", "mars", "140822", "1er"])
def test_dates_whose_year_cannot_be_known(text: str) -> None:
    found = read_date(text, REFERENCE)
    assert found is not None
    assert (found.first, found.exists) == (None, True)


@pytest.mark.parametrize(
    "text", ["31/02/2020", "29/02/2021", "32/01/2020", "12/13/2020", "31 avril 2021", "31 avril", "99999999"]
)
def test_days_that_do_not_exist(text: str) -> None:
    found = read_date(text, REFERENCE)
    assert found is not None
    assert not found.exists


@pytest.mark.parametrize("text", ["hier", "[DATE]", "voir plus bas", ""])
def test_not_a_date(text: str) -> None:
    assert read_date(text, REFERENCE) is None


def test_two_digit_years_near_the_document_are_of_either_century() -> None:
    found = read_date("12/02/26", REFERENCE)
    assert found is not None
    assert found.first is None
    assert found.may_be(date(1926, 2, 12))
    assert found.may_be(date(2026, 2, 12))
    assert not found.may_be(date(1926, 2, 13))


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_reads_back_what_is_written(day: date) -> None:
    months = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
    for text in (f"{day:%d/%m/%Y}", f"{day:%Y-%m-%d}", f"le {day.day} {months[day.month - 1]} {day.year}"):
        assert [(found.first, found.last) for found in read_dates(f"vu {text}, stable")] == [(day, day)]


@given(st.integers(1900, 2099), st.integers(1, 12), st.integers(1, 31))
def test_agrees_with_the_calendar(year: int, month: int, day: int) -> None:
    found = read_date(f"{day:02d}/{month:02d}/{year}")
    assert found is not None
    assert found.exists == (day <= calendar.monthrange(year, month)[1])


@pytest.mark.parametrize(
    ("day", "spelt"),
    [
        (date(1938, 11, 7), "sept novembre mille neuf cent trente huit"),
        (date(1971, 1, 1), "premier janvier mille neuf cent soixante et onze"),
        (date(1980, 8, 21), "vingt et un aout mille neuf cent quatre vingt"),
        (date(1991, 5, 31), "trente et un mai dix neuf cent quatre vingt onze"),
        (date(2000, 2, 2), "deux fevrier deux mille"),
        (date(2015, 12, 16), "seize decembre deux mille quinze"),
    ],
)
def test_spelt_dates(day: date, spelt: str) -> None:
    assert spelt in spelt_dates(day)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("12 juin 20l1", WrittenDate(date(2011, 6, 12), date(2011, 6, 12), signature=(11, 6, 12))),
        ("ll juin 20l1", WrittenDate(date(2011, 6, 1), date(2011, 6, 30))),
        ("12 mars 2OO8", WrittenDate(date(2008, 3, 12), date(2008, 3, 12), signature=(8, 3, 12))),
        ("12 mars 20 lots", WrittenDate(date(2020, 3, 12), date(2020, 3, 12), signature=(20, 3, 12))),
    ],
)
def test_a_year_that_a_scanner_broke_is_read(text: str, reading: WrittenDate) -> None:
    assert read_date(text, REFERENCE) == reading
