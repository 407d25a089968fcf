"""Durations in the text and the dates they are about: found by their words, kept in agreement, else counted."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy
from deid.domain.document import Document, Patient, Substitution
from deid.domain.outcomes import Constraint, Kept
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.constraints import count_constraints
from deid.substitution.temporal.parsing import parse
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

MANY = [f"patient-{number}" for number in range(40)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]
# Text around two days, and the days that it says lie between them.
SAID = [
    ("hospitalisé du {} au {} (10 jours)", 10),
    ("hospitalisée du {} au {}, soit dix jours", 10),
    ("séjour de 10 jours du {} au {}", 10),
    ("traitement pendant 3 semaines du {} au {}", 21),
    ("Date d'entrée : {}\nDate de sortie : {}\nDurée de séjour : 10 jours", 10),
    ("Admise le {} pour pneumopathie. Sortie le {} après 10 jours d'hospitalisation.", 10),
    ("C1 J1 : {}, C1 J8 : {}", 7),
    ("{} (J2), puis {} (J12)", 10),
]


def _between(result: Substitution, start: int = 0) -> int:
    first, last = (
        date(found.year or 0, found.month or 0, found.day or 0)
        for found in map(parse, surrogates(result)[start : start + 2])
        if found is not None
    )
    return (last - first).days


def _lengths(document: Document, result: Substitution) -> Kept | None:
    return count_constraints(document, result).get(Constraint.LENGTH)


def _text(said: str, first: date, days: int) -> str:
    return said.format(f"[[DATE|{first:%d/%m/%Y}]]", f"[[DATE|{first + timedelta(days=days):%d/%m/%Y}]]")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("said", "days"), SAID)
def test_two_dates_agree_with_the_duration_between_them(
    said: str, days: int, key: str, substitutor: Substitutor
) -> None:
    text = _text(said, date(2021, 3, 12), days)
    document, mentions = marked(text, patient=Patient(key=key))
    result = substitutor.substitute(document, mentions)
    slack = max(1, -(-days // 10), 3 if "semaines" in said else 0)
    assert abs(_between(result) - days) <= slack
    assert _lengths(document, result) == (None if "J" in said else Kept(1, 1, 0))
    assert result.text.count("jours") == text.count("jours")


@pytest.mark.parametrize("key", KEYS)
def test_the_tolerance_is_the_policys(key: str, policy: Policy, communes: CommuneTable) -> None:
    exact = changed(policy, dates={"duration_tolerance_days": 0, "duration_tolerance_share": 0.0})
    text = _text(SAID[0][0], date(2021, 3, 12), 10)
    result = Substitutor(exact, KEY, communes).substitute(*marked(text, patient=Patient(key=key)))
    assert _between(result) == 10
    wide = changed(policy, dates={"duration_tolerance_days": 365, "duration_tolerance_share": 0.0})
    loose = Substitutor(wide, KEY, communes).substitute(*marked(text, patient=Patient(key=key)))
    bare = Substitutor(wide, KEY, communes).substitute(
        *marked(_text("hospitalisé du {} au {}", date(2021, 3, 12), 10), patient=Patient(key=key))
    )
    assert surrogates(loose) == surrogates(bare)


def test_a_mention_of_several_dates_does_not_shift_what_a_duration_is_about(substitutor: Substitutor) -> None:
    text = "vu en [[DATE|mars-12 avril 2019]] et [[DATE|3]]\n[[DATE|mai 2019]]. " + _text(
        SAID[0][0], date(2021, 3, 12), 10
    )
    for key in KEYS:
        document, mentions = marked(text, patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        first, last = (parse(one) for one in surrogates(result)[-2:])
        assert first is not None
        assert last is not None
        gap = date(last.year or 0, last.month or 0, last.day or 0) - date(
            first.year or 0, first.month or 0, first.day or 0
        )
        assert abs(gap.days - 10) <= 1
        assert _lengths(document, result) == Kept(1, 1, 0)


def test_what_the_words_do_not_tie_is_drawn_as_ever(substitutor: Substitutor) -> None:
    for key in KEYS:
        tied, free = (
            substitutor.substitute(*marked(_text(said, date(2021, 3, 12), 30), patient=Patient(key=key)))
            for said in ("vu le {}, traité 10 jours, revu plus tard le {}", "vu le {}, traité, revu plus tard le {}")
        )
        assert surrogates(tied) == surrogates(free)


def test_which_dates_are_tied_does_not_depend_on_their_values(substitutor: Substitutor) -> None:
    """Post-processing reads the text and the drawn values: a duration that is wrong in the source is kept too."""
    for key in KEYS:
        document, mentions = marked(_text(SAID[0][0], date(2021, 3, 12), 40), patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        assert abs(_between(result) - 10) <= 1
        assert _lengths(document, result) is None  # the source did not agree: nothing was lost


def test_days_in_between_make_room(policy: Policy, communes: CommuneTable) -> None:
    """Two dates between bounds that are three days apart: they all fit, in their order."""
    exact = changed(policy, dates={"duration_tolerance_days": 0, "duration_tolerance_share": 0.0})
    text = _text("du {} au {} (3 jours), ", date(2021, 3, 12), 3) + "[[DATE|13/03/2021]] [[DATE|14/03/2021]]"
    for key in KEYS:
        result = Substitutor(exact, KEY, communes).substitute(*marked(text, patient=Patient(key=key)))
        assert _between(result) == 3


def test_a_duration_between_days_that_have_to_stay_is_counted_where_it_is_lost(substitutor: Substitutor) -> None:
    """The birth date and the document's own date follow draws of the patient's, whatever the text says between them."""
    text = "du [[DATE|07/05/2023]] au [[DATE|17/05/2023]] (10 jours)"
    counts = set()
    for key in MANY:
        document, mentions = marked(text, patient=Patient(key=key, birth_date=date(2023, 5, 7)))
        result = substitutor.substitute(document, mentions)
        counts.add(_lengths(document, result))
        assert _lengths(document, result) == (Kept(1, 0, 1) if abs(_between(result) - 10) > 1 else Kept(1, 1, 0))
    assert counts == {Kept(1, 1, 0), Kept(1, 0, 1)}


@settings(max_examples=50, deadline=None)
@given(
    first=st.dates(date(2019, 1, 1), date(2023, 1, 1)),
    days=st.integers(2, 60),
    key=st.sampled_from(MANY),
    gap=st.integers(1, 30),
)
def test_agreement_never_breaks_the_order_or_brings_an_original_back(
    first: date, days: int, key: str, gap: int, substitutor: Substitutor
) -> None:
    last = first + timedelta(days=days)
    after, before = last + timedelta(days=gap), first - timedelta(days=gap)
    text = (
        f"du [[DATE|{first:%d/%m/%Y}]] au [[DATE|{last:%d/%m/%Y}]] ({days} jours), revu le [[DATE|{after:%d/%m/%Y}]], "
        f"opéré le [[DATE|{before:%d/%m/%Y}]]"
    )
    result = substitutor.substitute(*marked(text, patient=Patient(key=key)))
    told: list[date] = []
    for original, text in sorted(zip((first, last, after, before), surrogates(result), strict=True)):
        found = parse(text)
        if found is None:
            assert text == "[DATE]"  # its neighbours left it no other day
            continue
        told.append(date(found.year or 0, found.month or 0, found.day or 0))
        assert told[-1] != original
    assert told == sorted(set(told))
    assert len(told) >= 3


@pytest.mark.parametrize("dates", ["uniform_shift", "bounded_laplace"])
def test_every_strategy_counts_its_durations(dates: str, policy: Policy, communes: CommuneTable) -> None:
    text = _text(SAID[0][0], date(2021, 3, 12), 10)
    substitutor = Substitutor(changed(policy, dates={"strategy": dates}), KEY, communes)
    for key in KEYS:
        document, mentions = marked(text, patient=Patient(key=key))
        result = substitutor.substitute(document, mentions)
        assert _lengths(document, result) == Kept(1, 1, 0)
        assert abs(_between(result) - 10) <= 1


@pytest.mark.parametrize("dates", ["generalise", "tag"])
def test_what_is_not_told_to_the_day_neither_keeps_a_duration_nor_violates_it(
    dates: str, policy: Policy, communes: CommuneTable
) -> None:
    substitutor = Substitutor(changed(policy, dates={"strategy": dates}), KEY, communes)
    document, mentions = marked(_text(SAID[0][0], date(2021, 3, 12), 10))
    assert _lengths(document, substitutor.substitute(document, mentions)) == Kept(1, 0, 0)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("said", "days"), [
    ("M6 le {} ; M12 prévu le {}", 183), ("J100 : {}. Biopsie à 1 an le {}", 265),
    ("à 1 an le {}, à deux ans le {}", 365),
])  # fmt: skip
def test_visits_of_two_episodes_lie_the_months_apart_that_their_numbers_tell(
    said: str, days: int, key: str, substitutor: Substitutor
) -> None:
    text = _text(said, date(2017, 3, 12), days + 4)
    result = substitutor.substitute(*marked(text, patient=Patient(key=key), reference_date=date(2021, 6, 9)))
    assert abs(_between(result) - days) <= max(15, -(-days // 10))
