"""Strategies beside `metric`: preserved values, hidden values, and ε."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deid.config.policy import Dates, Policy
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.french.folding import comparable
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.values import years_between
from tests.unit.substitution.examples import ANCHOR, KEY, changed, marked, surrogates

MANY = [f"patient-{number}" for number in range(40)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]
STRATEGIES = ["metric", "bounded_laplace", "uniform_shift", "generalise", "tag"]
AGE_STRATEGIES = ["metric", "bounded_laplace", "generalise", "tag"]
PAIRS = [("metric", "metric"), ("bounded_laplace", "bounded_laplace"), ("uniform_shift", "generalise"),
         ("uniform_shift", "metric"), ("generalise", "metric"), ("tag", "bounded_laplace")]  # fmt: skip
LETTER = (
    "Né le [[DATE|12/09/1957]], [[AGE|65 ans]], vu le [[DATE|17/05/2023]] ; opéré en [[DATE|mars 2019]], hospitalisé "
    "du [[DATE|3]] au [[DATE|9 avril 2023]], suivi depuis [[DATE|2015]], [[DATE|années 90]], [[DATE|été 2020]], revu "
    "[[RELDATE|il y a 10 ans]], [[RELDATE|hier]], [[RELDATE|ce jour]], fille de [[AGE|31 ans]], rendez-vous "
    "[[RELDATE|dans trois mois]] le [[DATE|02/08/2023]], bébé de [[AGE|18 mois]], père [[AGE|nonagénaire]]"
)
BORN = date(1957, 9, 12)


def _by(policy: Policy, communes: CommuneTable, dates: str, ages: str = "metric", **options: object) -> Substitutor:
    part = changed(policy, dates={"strategy": dates} | options, ages={"strategy": ages})
    return Substitutor(part, KEY, communes)


def _day(text: str) -> date:
    found = parse(text)
    assert found is not None
    return date(found.year or 0, found.month or 0, found.day or 0)


@pytest.mark.parametrize("ages", AGE_STRATEGIES)
@pytest.mark.parametrize("dates", STRATEGIES)
def test_no_strategy_leaves_an_original_or_needs_the_batch(
    dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    for key in KEYS:
        document, mentions = marked(LETTER, patient=Patient(key=key, birth_date=BORN))
        result = _by(policy, communes, dates, ages).substitute(document, mentions)
        assert _by(policy, communes, dates, ages).substitute(document, mentions[::-1]) == result
        for surrogate in result.surrogates:
            original = document.text[surrogate.mention.start : surrogate.mention.end]
            assert comparable(surrogate.text) != comparable(original)


FRAGMENTS = st.sampled_from(
    [
        *"12 3 0 00 99 31 2020 1850 9999 1er / - . , ' : janvier mars févr. lundi V. premier vingt et un ans".split(),
        *"mois semaines jours demi trimestre T3 semaine hiver Noël Ramadan fête début fin il y a dans hier".split(),
        *"ce prochain dernier h j O l rn Aug années".split(),
        "\n",
    ]
)
TEXTS = st.builds(str.join, st.sampled_from(["", " "]), st.lists(FRAGMENTS, min_size=1, max_size=6))
LABELS = st.sampled_from([Label.DATE, Label.RELDATE, Label.AGE])


@pytest.mark.parametrize(("dates", "ages"), PAIRS)
@settings(max_examples=150, deadline=None)
@given(
    mentions=st.lists(st.tuples(LABELS, TEXTS), min_size=1, max_size=4), key=st.sampled_from(MANY), dated=st.booleans()
)
def test_nothing_breaks_a_strategy_or_survives_it(
    dates: str,
    ages: str,
    mentions: list[tuple[Label, str]],
    key: str,
    dated: bool,
    policy: Policy,
    communes: CommuneTable,
) -> None:
    kept = [(label, text) for label, text in mentions if text]
    text, marks = "é ", []
    for label, piece in kept:
        marks.append(Mention(len(text), len(text) + len(piece), label))
        text += piece + "\n"
    document = Document("d1", text, Patient(key=key, birth_date=BORN), ANCHOR if dated else None)
    substitutor = _by(policy, communes, dates, ages)
    result = substitutor.substitute(document, marks)
    assert result == substitutor.substitute(document, marks[::-1])
    assert result.text.count("\n") >= text.count("\n")
    for surrogate in result.surrogates:
        original = text[surrogate.mention.start : surrogate.mention.end]
        assert surrogate.text.strip()
        assert comparable(surrogate.text) != comparable(original)


@pytest.mark.parametrize("dates", ["bounded_laplace", "uniform_shift", "metric"])
@settings(max_examples=40, deadline=None)
@given(
    days=st.lists(st.dates(date(2020, 1, 1), date(2024, 12, 31)), min_size=1, max_size=8, unique=True),
    key=st.sampled_from(MANY),
)
def test_days_keep_their_order(dates: str, days: list[date], key: str, policy: Policy, communes: CommuneTable) -> None:
    text = " ; ".join(f"[[DATE|{day:%d/%m/%Y}]]" for day in days)
    result = _by(policy, communes, dates).substitute(*marked(text, patient=Patient(key=key)))
    moved = dict(zip(days, map(_day, surrogates(result)), strict=True))
    assert all(moved[one] <= moved[other] for one, other in pairwise(sorted(moved)))
    assert all(moved[day] != day for day in days)


# uniform_shift


@settings(max_examples=40, deadline=None)
@given(days=st.lists(st.dates(date(1990, 1, 1), date(2024, 12, 31)), min_size=1, max_size=8), key=st.sampled_from(MANY))
def test_a_uniform_shift_moves_all_days_of_a_patient_alike(
    days: list[date], key: str, policy: Policy, communes: CommuneTable
) -> None:
    substitutor = _by(policy, communes, "uniform_shift", shift_min_days=20, shift_max_days=90)
    shifts = set()
    for number, day in enumerate(days):
        text = f"le [[DATE|{day:%d/%m/%Y}]]"
        patient = Patient(key=key, birth_date=date(1988, 4, 1))
        result = substitutor.substitute(*marked(text, patient=patient, reference_date=day, id=f"d{number}"))
        assert result.reference_date is not None
        shifts |= {_day(surrogates(result)[0]) - day, result.reference_date - day}
    (shift,) = shifts
    assert timedelta(days=20) <= abs(shift) <= timedelta(days=90)


def test_uniform_shifts_are_of_both_signs_over_the_whole_range(policy: Policy, communes: CommuneTable) -> None:
    substitutor = _by(policy, communes, "uniform_shift", shift_min_days=1, shift_max_days=3)
    found = set()
    for key in MANY:
        result = substitutor.substitute(*marked("le [[DATE|03/02/2019]]", patient=Patient(key=key)))
        found.add((_day(surrogates(result)[0]) - date(2019, 2, 3)).days)
    assert found == {-3, -2, -1, 1, 2, 3}


@pytest.mark.parametrize("key", KEYS)
def test_a_small_shift_still_moves_months_and_years_and_keeps_them_apart(
    key: str, policy: Policy, communes: CommuneTable
) -> None:
    substitutor = _by(policy, communes, "uniform_shift", shift_max_days=5)
    text = "[[DATE|2012]] [[DATE|2013]] [[DATE|2014]] puis [[DATE|01/2019]] [[DATE|02/2019]]"
    found = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
    assert found in (["2013", "2014", "2015", "02/2019", "03/2019"], ["2011", "2012", "2013", "12/2018", "01/2019"])


def test_a_shift_that_is_no_range_is_refused() -> None:
    with pytest.raises(ValidationError):
        Dates(strategy="uniform_shift", shift_min_days=10, shift_max_days=5)


# bounded_laplace


@pytest.mark.parametrize("key", MANY[:15])
def test_bounded_intervals_stay_within_their_class(key: str, policy: Policy, communes: CommuneTable) -> None:
    text = "[[DATE|10/05/2023]] [[DATE|01/03/2023]] [[DATE|11/05/2022]] [[DATE|04/02/1990]]"
    result = _by(policy, communes, "bounded_laplace").substitute(*marked(text, patient=Patient(key=key)))
    assert result.reference_date is not None
    stops = [result.reference_date, *map(_day, surrogates(result))]
    intervals = [(one - other).days for one, other in pairwise(stops)]
    # A week and two months from the document are short; a year is medium; the smaller class of two ends holds.
    assert all(0 <= interval <= width for interval, width in zip(intervals, (61, 61, 660, 660), strict=True))


def test_the_first_interval_is_of_the_class_of_its_date(policy: Policy, communes: CommuneTable) -> None:
    substitutor = _by(policy, communes, "bounded_laplace")
    far = []
    for key in MANY:
        result = substitutor.substitute(*marked("le [[DATE|04/02/1990]]", patient=Patient(key=key)))
        assert result.reference_date is not None
        far.append((result.reference_date - _day(surrogates(result)[0])).days)
    assert max(far) > 660


@pytest.mark.parametrize("key", KEYS)
def test_a_bounded_birth_date_and_the_age_agree(key: str, policy: Policy, communes: CommuneTable) -> None:
    text = "[[AGE|65 ans]], né le [[DATE|12/09/1957]]"
    substitutor = _by(policy, communes, "bounded_laplace", "bounded_laplace")
    age, born = surrogates(result := substitutor.substitute(*marked(text, patient=Patient(key=key, birth_date=BORN))))
    assert result.reference_date is not None
    years = years_between(_day(born), result.reference_date)
    assert years <= 90
    told = min(max(years, 1), 90)
    assert age == "Plus de 90 ans" if told == 90 else int(age.split()[0]) in ({told} - {65} or {64, 66})
    assert [(spend.category, spend.mechanism, spend.elements) for spend in result.spends] == [
        ("anchor", "discrete_laplace", 1),
        ("date", "bounded_laplace", 1),
    ]


# generalise


@pytest.mark.parametrize(
    ("granularity", "text", "expected"),
    [
        ("month", "12/03/2019", "mars 2019"),
        ("month", "MARDI 12 MARS 2019", "MARS 2019"),
        ("month", "mars 2019", "2019"),
        ("month", "03/2019", "2019"),
        ("month", "été 2014", "2014"),
        ("month", "Noël 2015", "2015"),
        ("month", "2015", "cours de décennie 2010"),
        ("month", "98", "cours de décennie 1990"),
        ("month", "années 80", "[DATE]"),
        ("month", "12-15 mars 2021", "mars 2021"),
        ("month", "2e trimestre 2020", "2020"),
        ("month", "semaine 12 2020", "mars 2020"),
        ("year", "12/03/2019", "2019"),
        ("year", "mars 2019", "2019"),
        ("year", "2015", "cours de décennie 2010"),
    ],
)
def test_a_date_is_said_with_less(
    granularity: str, text: str, expected: str, policy: Policy, communes: CommuneTable
) -> None:
    substitutor = _by(policy, communes, "generalise", granularity=granularity)
    result = substitutor.substitute(*marked(f"prévu en [[DATE|{text}]], é"))
    assert surrogates(result) == [expected]
    assert result.surrogates[0].parsed is (expected != "[DATE]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hier", "ces derniers jours"),
        ("ce jour", "cette semaine"),
        ("Il y a 10 jours", "Ces dernières semaines"),
        ("il y a trois semaines", "ces dernières semaines"),
        ("il y a trois mois", "ces derniers mois"),
        ("IL Y A 10 ANS", "IL Y A UNE DIZAINE D'ANNÉES"),
        ("dans 3 jours", "dans les prochains jours"),
        ("dans un mois", "dans les prochains mois"),
        ("l'an prochain", "dans les prochaines années"),
    ],
)
def test_a_distance_is_said_with_less(text: str, expected: str, policy: Policy, communes: CommuneTable) -> None:
    result = _by(policy, communes, "generalise").substitute(*marked(f"vu [[RELDATE|{text}]], é"))
    assert surrogates(result) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("72 ans", "70-74 ans"),
        ("72 ANS", "70-74 ANS"),
        ("soixante-douze ans", "70-74 ans"),
        ("18 mois", "0-4 ans"),
        ("89 ans", "85-89 ans"),
        ("90 ans", "90 ans et plus"),
        ("97", "90 ans et plus"),
        ("quadragénaire", "40-59 ans"),
    ],
)
def test_an_age_becomes_a_band(text: str, expected: str, policy: Policy, communes: CommuneTable) -> None:
    result = _by(policy, communes, "metric", "generalise").substitute(*marked(f"âgé de [[AGE|{text}]]"))
    assert surrogates(result) == [expected]


def test_generalising_spends_no_epsilon_and_says_so(policy: Policy, communes: CommuneTable) -> None:
    result = _by(policy, communes, "generalise", "generalise").substitute(*marked(LETTER))
    assert {(spend.category, spend.mechanism, spend.epsilon) for spend in result.spends} == {
        ("date", "generalise", 0.0),
        ("age", "generalise", 0.0),
    }
    assert result.reference_date == date(2023, 5, 16)


def test_generalised_dates_of_a_very_old_life_are_not_told(policy: Policy, communes: CommuneTable) -> None:
    patient = Patient(key="p1", birth_date=date(1925, 9, 12))
    text = "née le [[DATE|12/09/1925]], mariée en [[DATE|mai 1931]], veuve en [[DATE|mai 1961]], é"
    result = _by(policy, communes, "generalise").substitute(*marked(text, patient=patient))
    assert surrogates(result) == ["temps d'avant 1934", "avant 1934", "1961"]


def test_what_no_epsilon_bounds_is_written_as_zero_under_its_own_name(policy: Policy, communes: CommuneTable) -> None:
    result = _by(policy, communes, "uniform_shift", "tag").substitute(*marked("[[DATE|03/02/2019]] [[DATE|2015]]"))
    assert [(one.category, one.mechanism, one.epsilon, one.elements) for one in result.spends] == [
        ("date", "uniform_shift", 0.0, 2)
    ]


def test_a_nir_spends_what_the_birth_date_costs(policy: Policy, communes: CommuneTable) -> None:
    patient = Patient(key="p1", birth_date=BORN)
    text = "NIR [[NIR|1 57 09 21 054 012 65]]"
    result = _by(policy, communes, "metric").substitute(*marked(text, patient=patient))
    assert {spend.category: spend.elements for spend in result.spends} == {"anchor": 1, "date": 1, "age": 1}


def test_ages_of_others_move_within_the_class(policy: Policy, communes: CommuneTable) -> None:
    substitutor = _by(policy, communes, "metric", "bounded_laplace")
    found = set()
    for key in MANY:
        (text,) = surrogates(substitutor.substitute(*marked("sa fille de [[AGE|31 ans]]", patient=Patient(key=key))))
        found.add(int(text.split()[0].rstrip("+")))
    assert min(found) >= 1
    assert max(found) > 60


@pytest.mark.parametrize("ages", ["metric", "bounded_laplace"])
@pytest.mark.parametrize("dates", ["metric", "bounded_laplace"])
def test_an_epsilon_without_measure_does_not_draw_for_ever(
    dates: str, ages: str, policy: Policy, communes: CommuneTable
) -> None:
    letter = LETTER + " ; frère de [[AGE|1 an]], cousine de [[AGE|2 ans]], nourrisson de [[AGE|1 mois]]"
    document, mentions = marked(letter, patient=Patient(key="p1", birth_date=BORN))
    part = changed(policy, dates={"strategy": dates}, ages={"strategy": ages}, max_epsilon_per_document=None)
    part = changed(part, epsilon_per_document=1_000_000.0)
    result = Substitutor(part, KEY, communes).substitute(document, mentions)
    for surrogate in result.surrogates:
        original = document.text[surrogate.mention.start : surrogate.mention.end]
        assert comparable(surrogate.text) != comparable(original)
