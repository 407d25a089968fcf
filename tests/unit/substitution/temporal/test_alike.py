"""What a model says of the dates that are like it is what each of them says when it is read in full."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.french.calendar import ENGLISH_MONTH_OF, MONTH_OF, WEEKDAY_OF
from deid.substitution.temporal import alike
from deid.substitution.temporal.parsing import in_full, parse

FIGURES = [str(one) for one in range(10)] + [f"{one:02d}" for one in range(100)] + ["007", "120"]
YEARS = ["1849", "1850", "1939", "1999", "2000", "2009", "2010", "2012", "2024", "2031", "2150", "2151"]
SAMPLE = ["1", "2", "00", "09", "12", "31", "32", "2009", "2012"]
WORDS = ["mar", "MARS", "sept", "févr", "Août", "may", "March", "lun", "été", "Noël", "V", "XII", "l", "crt", "deux"]
NUMERIC = ["{}", "{}/{}", "{}.{}", "{} - {}", "{}/{}/{}", "{}-{}-{}", "{}.{}.{}", "{} {} {}", "{} / {} / {}", "le {}"]
SAID = [
    "{}/{}/{} à {}h{}",
    "{}-{}-{}T{}:{}",
    "lundi {}/{}/{}",
    "V. {}/{}",
    "mar {}",
    "mar {} {}",
    "12{}/{}",
    "hiver {}-{}",
]
WORDED = [
    "{} W {}", "{} W", "W {}", "W. {}", "{} W. {}", "lundi {} W {}", "mar. {} W", "1er W {}", "début W {}",
    "fin de W {}", "{}\nW {}", "W {}, {}", "{}-W-{}", "{}W{}", "2e semaine de W {}", "W {} {}h30", "{} trimestre W {}",
]  # fmt: skip


def _same(text: str) -> None:
    for as_year in (False, True):
        assert parse.__wrapped__(text, as_year=as_year) == in_full(text, as_year), text


@pytest.mark.parametrize("shape", NUMERIC + SAID)
def test_each_figure_is_read_alike_at_each_place(shape: str) -> None:
    places = shape.count("{}")
    for place in range(places):
        others = product(("3", "10", "2009"), repeat=min(places, 3) - 1)
        for around, figure in product(others, FIGURES + YEARS):
            figures = [*around, "15", "45"][: places - 1]
            figures.insert(place, figure)
            _same(shape.format(*figures))


@pytest.mark.parametrize("shape", WORDED)
def test_figures_beside_words_are_read_alike(shape: str) -> None:
    places = shape.count("{}")
    for word, figures in product(WORDS, product(SAMPLE, repeat=places)):
        _same(shape.format(*figures).replace("W", word))


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([*FIGURES, *YEARS, *WORDS, *MONTH_OF, *WEEKDAY_OF, *ENGLISH_MONTH_OF]),
            st.sampled_from([" ", "/", "-", ".", ", ", "\n", "'", "|", "e ", "er ", " trimestre", "sem ", "T", "ans "]),
        ),
        max_size=9,
    )
)
def test_any_figures_and_words_are_read_alike(pieces: list[str]) -> None:
    _same("".join(pieces))


def test_usual_dates_have_a_model() -> None:
    for one, other in (("12/03/2024", "10/09/1931"), ("lundi 12 mars", "lundi 10 mars"), ("MARS 2024", "MARS 1999")):
        assert (alike.cut(one) or "")[0] == (alike.cut(other) or "")[0]
    for text in ("mars", "120/03/2024", "12/03/1200"):
        assert alike.cut(text) is None
