"""Surrogates replace, and the time line is kept."""

from __future__ import annotations

import dataclasses
from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.labels import Label
from deid.french.organisations import NATIONAL
from deid.quality import measure
from deid.quality.dates import WrittenDate
from deid.quality.integrity import disorder, is_mask
from tests.unit.quality.documents import checked

KEPT = [
    ("[[DOCTOR|Paul Ionescu=>PAUL IONESCU]]", True),
    ("[[DOCTOR|Paul Ionescu=>Paul Barthas]]", True),
    ("[[DOCTOR|Ionescu-Petit=>Ionescu-Grand]]", True),
    ("[[DOCTOR|Jean de La Tour=>Marc de La Fosse]]", False),
    ("[[DOCTOR|Dr Ionescu=>Dr Barthas]]", False),
    ("[[PATIENT|Melle Ionescu=>Melle Barthas]]", False),
    ("[[PERSON|Petit-Jean=>Petit-Luc]]", False),
    ("[[PERSON|Gros Louis=>Gros Denis]]", False),
    ("[[DOCTOR|Jean Petit=>Luc Petit]]", True),
    ("[[PERSON|Petit-Jean=>Grand-Jean]]", True),
    ("[[PHONE|05 36 49 12 31=>05.36.49.12.31]]", True),
    ("[[NDA|230311842=>230311843]]", False),
    ("[[ORG|CHU de Lille=>CHU de Lille]]", True),
    ("[[STREET|3 rue Haute=>3 Rue haute]]", True),
    ("[[DATE|3 mars 2021=>3 mars 2021]]", False),
    ("[[CITY|Lille=>Lille]]", False),
    ("[[DOCTOR|Ionescu=>[DOCTOR]]]", False),
]


@pytest.mark.parametrize(("mark", "kept"), KEPT)
def test_originals_kept(mark: str, kept: bool) -> None:
    assert (measure(checked(f"Vu : {mark} ce jour."))["original_kept"] > 0) is kept


@pytest.mark.parametrize(
    ("label", "name", "kept"),
    [
        ("ORG", "la Croix-Rouge", False),
        ("ORG", "SAMU", False),
        ("ORG", "CPAM de Lens", True),
        ("ORG", "Necker", True),
        ("URL", "https://www.orpha.net/fr/disease", False),
        ("URL", "www.chu-lens.fr/services", True),
        ("URL", "https://ameli.fr/compte?nir=1", True),
    ],
)
def test_only_a_national_body_may_be_left(label: str, name: str, kept: bool) -> None:
    """The word of the substitution that it is one does not suffice."""
    document = checked(f"Vu : [[{label}|{name}=>{name}]] ce jour, et le [[DATE|3 mars 2021=>5 mai 2021]].")
    told = [one._replace(strategy=NATIONAL) for one in document.substitution.surrogates[:1]]
    said = dataclasses.replace(document.substitution, surrogates=(*told, *document.substitution.surrogates[1:]))
    assert (measure(dataclasses.replace(document, substitution=said))["original_kept"] > 0) is kept


def test_drawn_values_may_stay_but_not_all_of_them() -> None:
    kept = "[[DATE|3 mars 2021=>3 mars 2021]] [[AGE|7 ans=>7 ans]] [[CITY|Lille=>Lille]] "
    some = measure(checked(kept + "[[DATE|5 mai 2021=>6 mai 2021]]"))
    assert (some["drawn_kept"], some["drawn_all_kept"]) == (3, 0)
    every = measure(checked(kept + "[[DATE|5 mai 2021=>5 mai 2021]]"))
    assert (every["drawn_kept"], every["drawn_all_kept"]) == (4, 1)


def test_dates_of_an_episode_are_one_draw_and_what_a_policy_keeps_is_none() -> None:
    days = ("3 mars 2021", "5 mai 2021", "7 mai 2021", "9 mai 2021")
    document = checked("".join(f"Le [[DATE|{day}=>{day}]], " for day in days) + "[[RELDATE|hier=>hier]].")

    def measured(date_strategy: str, last: str = days[-1]) -> tuple[float, float]:
        told = [one._replace(strategy=date_strategy) for one in document.substitution.surrogates]
        told[-2] = told[-2]._replace(text=last)
        told[-1] = told[-1]._replace(strategy="kept")
        substitution = dataclasses.replace(document.substitution, surrogates=tuple(told))
        found = measure(dataclasses.replace(document, substitution=substitution))
        return found["drawn_kept"], found["drawn_all_kept"]

    assert measured("metric") == (4, 1)
    assert measured("episodes") == (1, 0)
    assert measured("episodes", last="8 mai 2021") == (0, 0)


def test_what_hangs_on_a_town_is_one_draw_and_an_organisation_stays_only_with_its_town() -> None:
    """A commune that came back brings its postal code, department and hospital: that is one draw of luck, not four."""
    home = "[[ZIP|59000=>59000]] [[LOC|Nord=>Nord]], [[ORG|CHU de Lille=>CHU de Lille]], "

    def measured(markup: str, strategy: str = "kind_and_town") -> tuple[float, float, float]:
        document = checked(markup)
        told = [
            one._replace(strategy=strategy if one.mention.label is Label.ORG else one.strategy)
            for one in document.substitution.surrogates
        ]
        substitution = dataclasses.replace(document.substitution, surrogates=tuple(told))
        found = measure(dataclasses.replace(document, substitution=substitution))
        return found["drawn_kept"], found["drawn_all_kept"], found["original_kept"]

    assert measured(f"{home}[[CITY|Lille=>Lille]]") == (2, 0, 0)
    assert measured(f"{home}[[CITY|Lille=>Lille]]", "kind_kept") == (2, 0, 1)
    assert measured(f"{home}[[CITY|LILLE CEDEX=>DIJON CEDEX]]") == (1, 0, 1)
    assert measured(f"{home}[[CITY|Lens=>Arras]]") == (1, 0, 0)


@pytest.mark.parametrize("text", ["[DATE]", "<AGE>", "DATE-0", "EMAIL", "***", "XX/XX/XXXX", "…", "[date masquée]"])
def test_masks(text: str) -> None:
    assert is_mask(text)


@pytest.mark.parametrize("text", ["12/03/2020", "Dupont", "72 ans", "hier"])
def test_not_masks(text: str) -> None:
    assert not is_mask(text)


# source dates, surrogate dates, number out of order
ORDERS = [
    (["03/01/2020", "05/01/2020"], ["10/02/2020", "11/02/2020"], 0),
    (["03/01/2020", "05/01/2020"], ["10/02/2020", "10/02/2020"], 0),
    (["03/01/2020", "05/01/2020"], ["12/02/2020", "11/02/2020"], 1),
    (["05/01/2020", "03/01/2020"], ["12/02/2020", "11/02/2020"], 0),
    (["2015", "03/05/2015"], ["2016", "02/05/2015"], 0),
    (["2015", "03/05/2016"], ["2017", "02/05/2016"], 1),
    (["mars 2020", "5 avril 2020"], ["mai 2020", "5 avril 2020"], 1),
    (["été 2025", "février 2026"], ["hiver 2026", "décembre 2025"], 0),  # the same winter
    (["été 2025", "février 2026"], ["hiver 2026", "novembre 2025"], 1),
    (["12", "03/01/2020"], ["15", "01/01/2020"], 0),
    (["31/02/2020", "03/01/2020"], ["[DATE]", "01/01/2020"], 0),
]


@pytest.mark.parametrize(("before", "after", "expected"), ORDERS)
def test_order(before: list[str], after: list[str], expected: int) -> None:
    text = " ; ".join(f"[[DATE|{old}=>{new}]]" for old, new in zip(before, after, strict=True))
    assert measure(checked(text))["dates_disordered"] == expected


days = st.dates(date(2000, 1, 1), date(2003, 1, 1))
spans = st.tuples(days, st.integers(0, 400)).map(lambda pair: WrittenDate(pair[0], pair[0] + timedelta(days=pair[1])))


@given(st.lists(st.tuples(spans, spans), max_size=8))
def test_disorder_agrees_with_looking_at_every_pair(pairs: list[tuple[WrittenDate, WrittenDate]]) -> None:
    def inverted(one: tuple[WrittenDate, WrittenDate], other: tuple[WrittenDate, WrittenDate]) -> bool:
        (before, after), (later, later_after) = one, other
        assert before.last
        assert later.first
        assert after.first
        assert later_after.last
        return before.last < later.first and after.first > later_after.last

    any_pair = any(inverted(a, b) or inverted(b, a) for a, b in combinations(pairs, 2))
    assert (disorder(pairs) > 0) == any_pair


@given(st.lists(spans, max_size=8), st.integers(-4000, 4000))
def test_a_common_shift_keeps_order(found: list[WrittenDate], shift: int) -> None:
    def moved(reading: WrittenDate) -> WrittenDate:
        assert reading.first
        assert reading.last
        return WrittenDate(reading.first + timedelta(days=shift), reading.last + timedelta(days=shift))

    assert disorder([(reading, moved(reading)) for reading in found]) == 0
