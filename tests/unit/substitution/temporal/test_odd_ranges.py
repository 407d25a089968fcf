"""Ranges and lists of dates in one mention: said with less they read well and keep no day; no strategy leaves them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Patient
from deid.french.calendar import MONTHS
from deid.french.folding import comparable
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

KEYS = [f"patient-{number}" for number in range(20)]
STRATEGIES = ["metric", "bounded_laplace", "uniform_shift", "generalise", "tag"]
# Of a letter of May 2023: with the month, with the year.
SAID = [
    ("12-15 mars 2021", "mars 2021", "2021"),
    ("du 12 au 15/03", "mars 2023", "2023"),
    ("12 au 15/03/2021", "mars 2021", "2021"),
    ("12-15.03.2021", "mars 2021", "2021"),
    ("12.-15.3.21", "mars 2021", "2021"),
    ("12, 13 et 15 mars 2021", "mars 2021", "2021"),
    ("12 ou 13 mars 2021", "mars 2021", "2021"),
    ("du 28 février au 3 mars 2021", "février-mars 2021", "2021"),
    ("12/03-15/04/2021", "mars-avril 2021", "2021"),
    ("12-15 mars et 3-4 avril 2021", "mars-avril 2021", "2021"),
    ("28 décembre 2020 - 3 janvier 2021", "décembre 2020-janvier 2021", "2020-2021"),
    ("mars-avril 2021", "2021", "2021"),
    ("décembre 2020-janvier 2021", "2020-2021", "2020-2021"),
    ("nuit du 12 au 13 mars", "mars 2023", "2023"),
    ("1er-3 mars 2021", "mars 2021", "2021"),
    ("12-13/03", "[DATE]", "[DATE]"),  # it may be 13 March, or March of 2013
]


def _by(policy: Policy, communes: CommuneTable, strategy: str, granularity: str = "month") -> Substitutor:
    dates = {"strategy": strategy, "granularity": granularity}
    return Substitutor(changed(policy, dates=dates, ages={"strategy": "generalise"}), KEY, communes)


@pytest.mark.parametrize(("text", "month", "year"), SAID)
def test_a_range_said_with_less_reads_well(
    text: str, month: str, year: str, policy: Policy, communes: CommuneTable
) -> None:
    for granularity, told in (("month", month), ("year", year)):
        document = marked(f"Hospitalisée : [[DATE|{text}]].")
        assert surrogates(_by(policy, communes, "generalise", granularity).substitute(*document)) == [told]


def test_ages_of_a_range_are_one_band(policy: Policy, communes: CommuneTable) -> None:
    document = marked("Âgés de [[AGE|70-75 ans]], de [[AGE|12 à 13 ans]], de [[AGE|2-3 mois]].")
    assert surrogates(_by(policy, communes, "metric").substitute(*document)) == ["70-79 ans", "10-14 ans", "0-4 ans"]


def test_days_with_commas_are_a_list_and_no_month(policy: Policy, communes: CommuneTable) -> None:
    (told,) = surrogates(
        _by(policy, communes, "metric").substitute(*marked("Vue les [[DATE|12, 13 et 15 mars 2021]]."))
    )
    assert re.fullmatch(r"\d\d?(?: \w+)?, \d\d?(?: \w+)? et \d\d? \w+ 2021", told)


DAYS = st.integers(1, 31).map(str)
MONTH_WORDS = st.sampled_from([*MONTHS, "janv.", "févr.", "sept."])
YEARS = st.sampled_from(["", " 2021", " 2020", " 21", "/2021", "/21", ".2021"])
FIGURES = st.builds("{}{}{:02d}".format, DAYS, st.sampled_from(["/", ".", "-"]), st.integers(1, 12))
WORDED = st.builds("{} {}".format, DAYS, MONTH_WORDS)
PIECES = st.one_of(DAYS, st.just("1er"), FIGURES, WORDED, MONTH_WORDS, st.builds("lundi {}".format, DAYS))
JOINTS = st.sampled_from([" au ", "-", " - ", "–", "/", ", ", " et ", " ou ", " -> ", " puis ", " jusqu'au ", " à "])
HEADS = st.sampled_from(["", "du ", "entre le ", "les ", "nuit du ", "fin ", "début "])


@st.composite
def ranges(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.builds(str.__add__, PIECES, YEARS), min_size=2, max_size=4))
    text = draw(HEADS) + pieces[0]
    for piece in pieces[1:]:
        text += draw(JOINTS) + piece
    return text


# "mars 2021", "2021", "années 2020", "avant 1934", and lists of them; or a mask.
_TELLS_NO_DAY = re.compile(
    r"(?:(?:[^\W\d]+ )?(?:1[89]|20|21)\d\d|[^\W\d]+)(?:(?:-|, | et )(?:(?:[^\W\d]+ )?(?:1[89]|20|21)\d\d|[^\W\d]+))*"
)


@pytest.mark.parametrize("granularity", ["month", "year"])
@settings(max_examples=200, deadline=None)
@given(text=ranges(), key=st.sampled_from(KEYS))
def test_no_range_said_with_less_keeps_a_day(
    granularity: str, text: str, key: str, policy: Policy, communes: CommuneTable
) -> None:
    document = marked(f"Hospitalisée : [[DATE|{text}]].", patient=Patient(key=key))
    result = _by(policy, communes, "generalise", granularity).substitute(*document)
    (one,) = result.surrogates
    assert one.text == "[DATE]" if not one.parsed else _TELLS_NO_DAY.fullmatch(one.text), one.text
    if granularity == "year":
        assert not re.search(rf"\b(?:{'|'.join(MONTHS)})\b", one.text)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=120, deadline=None)
@given(texts=st.lists(ranges(), min_size=1, max_size=3), key=st.sampled_from(KEYS), dated=st.booleans())
def test_no_range_stops_a_strategy_or_survives_it(
    strategy: str, texts: list[str], key: str, dated: bool, policy: Policy, communes: CommuneTable
) -> None:
    markup = "Vue : " + " ; ".join(f"[[DATE|{text}]]" for text in texts)
    known = Patient(key=key, birth_date=date(1957, 9, 12))
    document, mentions = marked(markup, patient=known, reference_date=date(2023, 5, 17) if dated else None)
    result = _by(policy, communes, strategy).substitute(document, mentions)
    assert [one.mention for one in result.surrogates] == mentions
    for text, one in zip(texts, result.surrogates, strict=True):
        assert comparable(one.text) != comparable(text)
        assert one.parsed or one.text == "[DATE]"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Marié en [[DATE|1987]] ou [[DATE|89]].", 1987),
        ("Opéré en [[DATE|2003]] ou [[DATE|04]].", 2003),
        ("Naissance vers [[DATE|1912]], [[DATE|13]] et [[DATE|15]].", 1912),
        ("Mobilisé [[DATE|1939-45]] au front.", 1939),
        ("Mobilisé [[DATE|1914/18]] au front.", 1914),
    ],
)
def test_two_figures_behind_a_year_are_a_later_year_of_its_time(text: str, first: int, communes: CommuneTable) -> None:
    for key in KEYS:
        document, mentions = marked(text)
        told = replace(document, patient=Patient(key=key), reference_date=date(2020, 5, 4))
        published = Substitutor(load(), KEY, communes).substitute(told, mentions).text
        years = [int(one) for one in re.findall(r"\d+", published)]
        assert abs(years[0] - first) < 30
        whole = [years[0] + (one - years[0] + 50) % 100 - 50 for one in years]
        assert all(one < later for one, later in pairwise(whole)), published


def test_days_behind_a_year_stay_days(communes: CommuneTable) -> None:
    document, mentions = marked("Opéré en [[DATE|2011]], [[DATE|12]] et [[DATE|13 mars 2020]].")
    told = replace(document, reference_date=date(2020, 5, 4))
    published = Substitutor(load(), KEY, communes).substitute(told, mentions).text
    first, last = re.findall(r"\d+", published)[1:3]
    assert int(last) == int(first) + 1
