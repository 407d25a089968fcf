"""Several dates in one mention, and one date in two: read as what they are, written back where they stood."""

from __future__ import annotations

from datetime import date

import pytest

from deid.config.policy import load
from deid.domain.document import Patient
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.ages import parse_age
from deid.substitution.temporal.parsing import parse
from tests.unit.substitution.examples import KEY, marked, surrogates

MANY = [f"patient-{number}" for number in range(25)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]


def _one(substitutor: Substitutor, markup: str, key: str = "p1") -> list[str]:
    document, mentions = marked(markup, patient=Patient(key=key))
    result = substitutor.substitute(document, mentions)
    assert result.text.count("\n") == document.text.count("\n")
    return surrogates(result)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "text",
    [
        "12-15 mars 2021",
        "12/03/2021 au 15/03/2021",
        "12 et 15/03/2021",
        "sam 5 -> dim 6 déc 2020",
        "12, 13 et 15 mars 2021",
        "sam 9 dim 10 mars 2021",
        "vendredi 12 lundi 15 mars 2021",
    ],
)
def test_the_bounds_of_a_range_keep_their_order(text: str, key: str, substitutor: Substitutor) -> None:
    (surrogate,) = _one(substitutor, f"du [[DATE|{text}]], é", key)
    assert "DATE" not in surrogate
    assert surrogate != text
    whole = _one(substitutor, f"du [[DATE|{text}]] é, le [[DATE|01/01/2022]]", key)
    assert whole[0] == surrogate


def test_each_bound_of_a_range_in_one_mention_is_drawn_as_if_it_stood_alone(substitutor: Substitutor) -> None:
    together = _one(substitutor, "du [[DATE|12/03/2021 au 15/03/2021]]")
    apart = _one(substitutor, "du [[DATE|12/03/2021]] au [[DATE|15/03/2021]]")
    assert together == [" au ".join(apart)]


def test_months_without_a_year_take_that_of_the_next_bound(substitutor: Substitutor) -> None:
    for key in KEYS:
        (surrogate,) = _one(substitutor, "en [[DATE|novembre-décembre 2016]], é", key)
        first, _, rest = surrogate.partition("-")
        assert parse(first) is not None
        assert parse(rest) is not None


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("first", "second"),
    [("12 mars", "1998"), ("12", "mars 1998"), ("12/03/", "1998"), ("12/", "03/1998"), ("lundi", "9 mars 1998")],
)
def test_the_halves_of_a_date_over_two_lines_make_one_date(
    first: str, second: str, key: str, substitutor: Substitutor
) -> None:
    halves = _one(substitutor, f"vu le [[DATE|{first}]]\n[[DATE|{second}]] à é", key)
    joined = "".join(halves) if halves[0].endswith("/") else " ".join(halves)
    found = parse(joined)
    assert found is not None
    moved = date(found.year or 0, found.month or 0, found.day or 0)
    assert found.weekday in (None, moved.weekday())
    assert halves[0] != first
    assert halves[1] != second
    (whole,) = _one(
        substitutor, "vu le [[DATE|12/03/1998]]" if "9" not in second[:1] else "le [[DATE|09/03/1998]]", key
    )
    assert whole == f"{moved:%d/%m/%Y}"


def test_two_lines_that_are_two_dates_stay_two(substitutor: Substitutor) -> None:
    apart = _one(substitutor, "[[DATE|12/03/1998]]\n[[DATE|15/03/1998]]")
    alone = [_one(substitutor, f"[[DATE|{text}]]")[0] for text in ("12/03/1998", "15/03/1998")]
    assert apart == alone


def test_a_weekday_above_a_date_that_falls_on_another_day_is_not_its_half(substitutor: Substitutor) -> None:
    halves = _one(substitutor, "revu [[DATE|jeudi]]\n[[DATE|03/06/2020]] : RAS")
    assert halves[1] == _one(substitutor, "[[DATE|03/06/2020]] : RAS")[0]


def test_a_distance_over_two_lines(substitutor: Substitutor) -> None:
    distance = _one(substitutor, "opérée [[RELDATE|il y a]]\n[[RELDATE|10 ans]], vue")
    assert "\n" not in "".join(distance)
    assert not any("[" in text for text in distance)


@pytest.mark.parametrize(
    ("first", "second"), [("ce", "jour"), ("la semaine", "dernière"), ("il y a trois", "semaines")]
)
def test_a_distance_that_is_kept_is_kept_over_two_lines(first: str, second: str, communes: CommuneTable) -> None:
    default = Substitutor(load(), KEY, communes)
    assert _one(default, f"vu [[RELDATE|{first}]]\n[[RELDATE|{second}]], seul") == [first, second]


def test_a_range_of_ages_keeps_its_unit(substitutor: Substitutor) -> None:
    for key in KEYS:
        (surrogate,) = _one(substitutor, "entre [[AGE|2-3 mois]] et après", key)
        first, _, last = surrogate.partition("-")
        assert first.isdecimal()
        assert last.endswith("mois")


def test_a_half_that_could_only_stay_is_masked(substitutor: Substitutor) -> None:
    assert _one(substitutor, "âgée de [[AGE|72]]\n[[AGE|ans]], vue") == ["[AGE]", "[AGE]"]


@pytest.mark.parametrize("key", MANY)
def test_a_half_that_a_draw_gives_back_is_not_masked(key: str) -> None:
    """A mask where half of a draw is the original's would tell that it is."""
    tables = packaged_tables()
    shipped = Substitutor(load(), KEY, tables.communes, tables.names)
    age, unit = _one(shipped, "âgée de [[AGE|72]]\n[[AGE|ans]], vue", key)
    assert (age.isdigit(), unit) == (True, "ans")
    month, year = _one(shipped, "opérée en [[DATE|août]]\n[[DATE|2019]], vue", key)
    assert parse(f"{month} {year}") is not None
    age, unit = _one(shipped, "âgée de [[AGE|soixante-douze]]\n[[AGE|ans]], vue", key)
    assert (parse_age(age) is not None, unit) == (True, "ans")
