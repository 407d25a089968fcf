"""Dates and ages of whole documents: anchor, side, order, links, and bad input."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Patient
from deid.domain.errors import DocumentRefused, Reason
from deid.french.calendar import MONTHS
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from deid.substitution.temporal.parsing import parse
from deid.substitution.temporal.resolving import place_date
from deid.substitution.temporal.values import years_between
from tests.unit.substitution.examples import ANCHOR, KEY, changed, marked, surrogates

MANY = [f"patient-{number}" for number in range(40)]  # for tests that count draws, or wait for a rare one
KEYS = MANY[:5]


def _day(text: str) -> date:
    found = parse(text)
    assert found is not None
    return date(found.year or 0, found.month or 0, found.day or 0)


def _born(key: str, born: date) -> Patient:
    return Patient(key=key, birth_date=born)


@pytest.mark.parametrize(
    "text",
    ["12/03/2021", "31 avril 2020", "1er mars 1998", "mars 2021", "2019", "hiver 2020", "années 1980", "T2 2021"],
)
def test_what_says_its_year_is_the_same_in_all_documents(text: str) -> None:
    said = parse(text)
    assert said is not None
    placed = {
        place_date(said, day, birth, day) for day in (ANCHOR, date(1990, 5, 1)) for birth in (None, date(1950, 1, 2))
    }
    assert len(placed) == 1


@pytest.mark.parametrize("text", ["12/03", "12/03/21", "le 12", "mars", "lundi", "Noël", "en 98", "12 courant"])
def test_what_leaves_a_part_out_is_placed_by_its_document(text: str) -> None:
    said = parse(text, as_year=text.startswith("en"))
    assert said is not None
    assert place_date(said, ANCHOR) != place_date(said, date(1990, 5, 1))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("26", date(2018, 1, 26)),
        ("le 2", date(2018, 2, 2)),
        ("4 mars", date(2018, 3, 4)),
        ("2 janvier", date(2018, 1, 2)),
        ("20/11", date(2017, 11, 20)),
    ],
)
def test_a_day_follows_the_one_that_its_sentence_told(text: str, meant: date) -> None:
    said = parse(text)
    assert said is not None
    assert place_date(said, ANCHOR, since=date(2018, 1, 23)).first == meant


@pytest.mark.parametrize(
    "text",
    [
        "Ponction du [[DATE|23 janvier 2018]], transfert le [[DATE|26]].",
        "Ponction du [[DATE|23 janvier 2018]], transfert le [[DATE|26/01]].",
    ],
)
def test_a_day_of_a_past_sentence_stays_behind_the_one_told_before(text: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        document, mentions = marked(text, patient=Patient(key=key))
        first, second = surrogates(substitutor.substitute(document, mentions))
        again = parse(second)
        assert again is not None
        assert 0 < (place_date(again, ANCHOR, since=_day(first)).first - _day(first)).days <= 31


@pytest.mark.parametrize(
    "text",
    [
        "Née le [[DATE|23 janvier 1950]], vue le [[DATE|26]].",
        "Mme X ([[DATE|23 janvier 1950]]), vue le [[DATE|26]].",
        "Opérée le [[DATE|23 janvier 2018]]\nVue le [[DATE|26]].",
        "Opérée le [[DATE|23 janvier 2018]]\n\nvue le [[DATE|26]].",
        "Opérée le [[DATE|23 janvier 2018]]. Vue le [[DATE|26]].",
        "Opérée le [[DATE|2 mai 2023]], vue le [[DATE|15]].",
    ],
)
def test_a_day_after_a_birth_another_sentence_or_the_present_is_of_the_document(
    text: str, substitutor: Substitutor
) -> None:
    document, mentions = marked(text, patient=Patient(key="patient-1"))
    alone, others = marked("Vue le [[DATE|26]]." if "26" in text else "Vue le [[DATE|15]].", patient=document.patient)
    assert surrogates(substitutor.substitute(document, mentions))[1] in (
        *surrogates(substitutor.substitute(alone, others)),
        surrogates(substitutor.substitute(alone, others))[0].lstrip("0"),
    )


def test_the_reference_date_moves_and_the_same_day_in_the_text_moves_with_it(substitutor: Substitutor) -> None:
    document, mentions = marked("Le [[DATE|17/05/2023]], lettre du [[DATE|17 mai 2023]].")
    result = substitutor.substitute(document, mentions)
    assert result.reference_date is not None
    assert result.reference_date != ANCHOR
    assert [_day(text) for text in surrogates(result)] == [result.reference_date] * 2


def test_all_documents_of_a_patient_move_by_the_same_days(substitutor: Substitutor) -> None:
    shifts = set()
    for day in (date(2019, 1, 3), date(2021, 7, 30), ANCHOR):
        document, mentions = marked("Vu ce jour.", reference_date=day)
        moved = substitutor.substitute(document, mentions).reference_date
        assert moved is not None
        shifts.add(moved - day)
    assert len(shifts) == 1


def test_a_value_moves_alike_in_every_document_of_a_patient(substitutor: Substitutor) -> None:
    one = substitutor.substitute(*marked("Opéré le [[DATE|03/02/2019]] et revu.", id="a"))
    other = substitutor.substitute(*marked("Revu. Une opération en [[DATE|1987]] puis le [[DATE|03/02/2019]].", id="b"))
    assert surrogates(one)[0] == surrogates(other)[1]


@pytest.mark.parametrize("key", KEYS)
def test_a_month_or_a_year_moves_alike_whenever_it_is_told(key: str, substitutor: Substitutor) -> None:
    """Counted from each document's date, it would jump where the true month changes, and give the shift away."""
    text = "HTA depuis [[DATE|2009]], prothèse en [[DATE|mars 2012]], chute à l'[[DATE|été 2011]]"
    days = [date(2023, 4, 20) + timedelta(days=3 * step) for step in range(30)]
    told = {
        tuple(surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key), reference_date=day))))
        for day in days
    }
    assert len(told) == 1


def test_a_visit_told_before_and_after_it_has_one_surrogate(substitutor: Substitutor) -> None:
    """With the sign of the noise counted from the document, the mean of the two would be the shifted date itself."""
    for key in KEYS:
        before, after = (
            surrogates(
                substitutor.substitute(
                    *marked("consultation le [[DATE|12/06/2022]]", patient=Patient(key=key), reference_date=day)
                )
            )
            for day in (date(2022, 2, 1), date(2022, 11, 1))
        )
        assert before == after


@pytest.mark.parametrize("key", KEYS)
def test_what_was_before_the_document_stays_before_and_what_was_after_after(key: str, substitutor: Substitutor) -> None:
    text = "[[DATE|16/05/2023]] [[DATE|01/03/2023]] [[DATE|18/05/2023]] [[DATE|02/06/2023]]"
    result = substitutor.substitute(*marked(text, patient=Patient(key=key)))
    moved = [_day(text) for text in surrogates(result)]
    assert result.reference_date is not None
    assert max(moved[:2]) < result.reference_date < min(moved[2:])


@settings(max_examples=60, deadline=None)
@given(
    days=st.lists(st.dates(date(2022, 1, 1), date(2024, 12, 31)), min_size=1, max_size=12),
    key=st.sampled_from(MANY),
)
def test_dates_keep_their_order_and_ties(days: list[date], key: str, substitutor: Substitutor) -> None:
    text = " ; ".join(f"[[DATE|{day:%d/%m/%Y}]]" for day in days)
    result = substitutor.substitute(*marked(text, patient=Patient(key=key)))
    moved = dict(zip(days, (_day(text) for text in surrogates(result)), strict=True))
    for one, other in pairwise(sorted(moved)):
        assert moved[one] < moved[other]
    for day, text in zip(days, surrogates(result), strict=True):
        assert _day(text) == moved[day] != day


@settings(max_examples=60, deadline=None)
@given(day=st.dates(date(1990, 1, 1), date(2023, 5, 16)), key=st.sampled_from(MANY))
def test_a_weekday_is_that_of_its_date(day: date, key: str, substitutor: Substitutor) -> None:
    names = ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"]
    text = f"[[DATE|{names[day.weekday()]} {day:%d/%m/%Y}]]"
    (surrogate,) = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
    weekday, _, rest = surrogate.partition(" ")
    assert names.index(weekday) == _day(rest).weekday()


@pytest.mark.parametrize("key", KEYS)
def test_the_patients_age_is_that_of_the_moved_birth_date(key: str, substitutor: Substitutor) -> None:
    text = "Mme D., [[AGE|65 ans]], née le [[DATE|12/09/1957]], vue avec sa fille de [[AGE|31 ans]]."
    result = substitutor.substitute(*marked(text, patient=_born(key, date(1957, 9, 12))))
    age, born, _ = surrogates(result)
    assert result.reference_date is not None
    assert abs(int(age.split()[0]) - years_between(_day(born), result.reference_date)) <= 1
    assert age != "65 ans"


@pytest.mark.parametrize("key", KEYS)
def test_a_birth_date_moves_alike_in_documents_of_any_date(key: str, substitutor: Substitutor) -> None:
    born = set()
    for day in (date(2015, 2, 1), date(2019, 8, 9), ANCHOR):
        document, mentions = marked(
            "née le [[DATE|12/09/1957]]", patient=_born(key, date(1957, 9, 12)), reference_date=day
        )
        born |= set(surrogates(substitutor.substitute(document, mentions)))
    assert len(born) == 1


@pytest.mark.parametrize("key", KEYS)
def test_nobody_is_born_before_the_top_coded_age(key: str, substitutor: Substitutor) -> None:
    text = "[[AGE|97 ans]], né le [[DATE|12/09/1925]]"
    result = substitutor.substitute(*marked(text, patient=_born(key, date(1925, 9, 12))))
    age, born = surrogates(result)
    assert result.reference_date is not None
    assert years_between(_day(born), result.reference_date) <= 90
    assert age in {"Plus de 90 ans"} | {f"{years} ans" for years in range(70, 90)}


@pytest.mark.parametrize("key", KEYS)
def test_a_newborns_dates_stay_possible(key: str, substitutor: Substitutor) -> None:
    text = "Né le [[DATE|15/05/2023]], [[AGE|2 jours]], vu le [[DATE|17/05/2023]]."
    result = substitutor.substitute(*marked(text, patient=_born(key, date(2023, 5, 15))))
    born, _, seen = surrogates(result)
    assert _day(born) < _day(seen)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("born", "text", "days"), [(date(2023, 5, 5), "12 jours", 1), (date(2023, 4, 12), "5 semaines", 7)]
)
def test_an_infants_age_in_days_or_weeks_is_that_of_the_moved_birth_date(
    born: date, text: str, days: int, key: str, substitutor: Substitutor
) -> None:
    markup = f"Née le [[DATE|{born:%d/%m/%Y}]], [[AGE|{text}]]."
    result = substitutor.substitute(*marked(markup, patient=_born(key, born)))
    moved, age = surrogates(result)
    assert result.reference_date is not None
    told = int(age.split()[0]) - (result.reference_date - _day(moved)).days // days
    assert abs(told) <= 1
    assert age != text


@pytest.mark.parametrize("key", KEYS)
def test_half_years_of_the_patient_follow_the_birth_date(key: str, substitutor: Substitutor) -> None:
    born = date(2013, 11, 20)
    markup = "Née le [[DATE|20/11/2013]], [[AGE|9 ans et demi]]."
    moved, age = surrogates(result := substitutor.substitute(*marked(markup, patient=_born(key, born))))
    assert result.reference_date is not None
    halves = 2 * int(age.split()[0]) + ("demi" in age)
    lived = (result.reference_date - _day(moved)).days * 2 // 365
    assert abs(halves - lived) <= 2


@pytest.mark.parametrize("key", KEYS)
def test_a_day_without_its_year_stays_on_its_side_of_the_document(key: str, substitutor: Substitutor) -> None:
    text = "vu le [[DATE|16/05]], [[DATE|lundi 15]] et [[DATE|dimanche]] ; revu le [[DATE|18/05]]"
    result = substitutor.substitute(*marked(text, patient=Patient(key=key)))
    anchor = result.reference_date
    assert anchor is not None
    before, after = (parse(surrogates(result)[index]) for index in (0, 3))
    assert before is not None
    assert after is not None
    assert place_date(before, anchor).first < anchor < place_date(after, anchor).first


def test_bounds_of_a_range_are_of_one_month(substitutor: Substitutor) -> None:
    result = substitutor.substitute(*marked("hospitalisé du [[DATE|2]] au [[DATE|9 mars 2023]]"))
    assert [int(text.split()[0].rstrip("er")) > 0 for text in surrogates(result)] == [True, True]


def test_noise_is_of_days_for_dates_and_of_years_for_years(policy: Policy, communes: CommuneTable) -> None:
    substitutor = Substitutor(policy, KEY, communes)
    days, years = [], []
    for key in MANY:
        result = substitutor.substitute(*marked("le [[DATE|03/02/2019]], en [[DATE|1998]]", patient=Patient(key=key)))
        assert result.reference_date is not None
        first, second = surrogates(result)
        days.append(abs((_day(first) - date(2019, 2, 3) - (result.reference_date - ANCHOR)).days))
        years.append(abs(int(second) - 1998))
    assert 1 < sum(days) / len(days) < 8
    assert 1 < sum(years) / len(years) < 8


@pytest.mark.parametrize(
    "text",
    ["45/13/99", "12/02/0202", "02/13/2020", "ducassien", "???"],
)
def test_a_date_that_cannot_be_read_is_masked(text: str, substitutor: Substitutor) -> None:
    result = substitutor.substitute(*marked(f"le [[DATE|{text}]]."))
    (surrogate,) = result.surrogates
    assert (surrogate.text, surrogate.parsed, surrogate.strategy) == ("[DATE]", False, "mask")


def test_a_day_that_its_month_has_not_is_the_last_one(substitutor: Substitutor) -> None:
    (surrogate,) = substitutor.substitute(*marked("le [[DATE|31/02/2020]]")).surrogates
    assert surrogate.parsed
    assert _day(surrogate.text) != date(2020, 2, 29)


def test_an_age_of_213_is_masked(substitutor: Substitutor) -> None:
    (surrogate,) = substitutor.substitute(*marked("[[AGE|213 ans]]")).surrogates
    assert (surrogate.text, surrogate.parsed) == ("[AGE]", False)


def test_a_birth_date_after_the_document_links_nothing(substitutor: Substitutor) -> None:
    patient = _born("p1", date(2031, 1, 1))
    result = substitutor.substitute(*marked("née le [[DATE|01/01/2031]], [[AGE|40 ans]]", patient=patient))
    born, age = surrogates(result)
    assert _day(born) > (result.reference_date or ANCHOR)
    assert age != "40 ans"


def test_without_a_reference_date_the_latest_date_is_the_anchor(substitutor: Substitutor) -> None:
    document, mentions = marked("du [[DATE|03/02/2019]] au [[DATE|12/02/2019]]", reference_date=None)
    result = substitutor.substitute(document, mentions)
    first, last = (_day(text) for text in surrogates(result))
    assert result.reference_date is None
    assert first < last
    assert last != date(2019, 2, 12)


def test_tags_cost_no_more_than_the_published_date_of_the_document(policy: Policy, communes: CommuneTable) -> None:
    tagging = changed(policy, dates={"strategy": "tag"}, ages={"strategy": "tag"}, places={"strategy": "tag"})
    text = "[[AGE|65 ans]], le [[DATE|03/02/2019]] à [[CITY|Dijon]]"
    result = Substitutor(tagging, KEY, communes).substitute(*marked(text))
    assert surrogates(result) == ["[AGE]", "[DATE]", "[CITY]"]
    assert all(surrogate.parsed for surrogate in result.surrogates)
    assert {spend.category: spend.elements for spend in result.spends} == {"anchor": 1}
    undated = Substitutor(tagging, KEY, communes).substitute(*marked(text, reference_date=None))
    assert undated.spends == ()


def test_a_document_pays_for_its_distinct_elements_once(policy: Policy, communes: CommuneTable) -> None:
    text = (
        "[[CITY|Dijon]], [[DATE|03/02/2019]], [[DATE|3 février 2019]], [[DATE|1998]], [[AGE|31 ans]], [[AGE|31 ans]], "
        "[[CITY|DIJON]], [[CITY|Beaune]], le [[DATE|17/05/2023]]"
    )
    spends = Substitutor(policy, KEY, communes).substitute(*marked(text)).spends
    assert {spend.category: (spend.elements, round(spend.epsilon, 6)) for spend in spends} == {
        "anchor": (1, round(1 / 14, 6)),
        "date": (2, 0.5),
        "age": (1, 0.25),
        "place": (2, 0.5),
    }


def test_a_uniform_split_spends_the_documents_epsilon(policy: Policy, communes: CommuneTable) -> None:
    uniform = changed(policy, split="uniform")
    text = "[[CITY|Dijon]], [[AGE|40 ans]], du [[DATE|12/02/2020]] au [[DATE|26 février 2020]]"
    spends = Substitutor(uniform, KEY, communes).substitute(*marked(text)).spends
    assert sum(spend.epsilon for spend in spends if spend.category != "anchor") == pytest.approx(4.0)


def test_too_much_is_refused(policy: Policy, communes: CommuneTable) -> None:
    strict = changed(policy, max_epsilon_per_document=0.5)
    with pytest.raises(DocumentRefused) as refusal:
        Substitutor(strict, KEY, communes).substitute(*marked("[[DATE|03/02/2019]] [[DATE|04/02/2019]]"))
    assert refusal.value.reason is Reason.BUDGET_EXCEEDED
    assert "2019" not in str(refusal.value)


def test_another_key_gives_other_dates(policy: Policy, communes: CommuneTable) -> None:
    document, mentions = marked(" ".join(f"[[DATE|{day:02d}/02/2019]]" for day in range(1, 20)))
    texts = {Substitutor(policy, key, communes).substitute(document, mentions).text for key in (b"a" * 32, b"b" * 32)}
    assert len(texts) == 2


def test_the_document_scope_forgets_the_patient(policy: Policy, communes: CommuneTable) -> None:
    scoped = Substitutor(changed(policy, scope="document"), KEY, communes)
    document, mentions = marked(" ".join(f"[[DATE|{day:02d}/02/2019]]" for day in range(1, 20)))
    assert scoped.substitute(document, mentions).text != scoped.substitute(replace(document, id="d2"), mentions).text


@pytest.mark.parametrize("key", [f"patient-{number}" for number in range(30)])
def test_a_day_in_another_month_than_the_one_ahead_of_it_has_its_month(key: str, communes: CommuneTable) -> None:
    shipped = Substitutor(load(), KEY, communes)
    document, mentions = marked(
        "Sonde posée le [[DATE|11 avril]], ôtée le [[DATE|19]], marche le [[DATE|23]].",
        patient=Patient(key),
        reference_date=date(2024, 5, 2),
    )
    first, *others = surrogates(shipped.substitute(document, mentions))
    last = int(first.split(" ")[0].removesuffix("er"))
    for one in others:
        number, _, named = one.partition(" ")
        day = int(number.removesuffix("er"))
        assert not one.startswith("0")
        assert named or day > last, (first, others)
        last = day


@pytest.mark.parametrize("key", [f"patient-{number}" for number in range(40)])
def test_a_feast_of_the_document_s_month_stays_on_its_side_of_the_document(key: str, communes: CommuneTable) -> None:
    shipped = Substitutor(load(), KEY, communes)
    document, mentions = marked(
        "Crise à la [[DATE|Toussaint]], marche [[DATE|début novembre]].",
        patient=Patient(key),
        reference_date=date(2023, 11, 27),
    )
    result = shipped.substitute(document, mentions)
    anchor, (feast, part) = result.reference_date, surrogates(result)
    assert anchor is not None
    month = MONTHS[anchor.month - 1]
    assert part != f"début {month}" or anchor.day >= 5
    assert feast.removeprefix("la ") != f"mi-{month}" or anchor.day >= 15


def test_a_day_behind_another_of_its_sentence_is_the_nearest_to_it(communes: CommuneTable) -> None:
    shipped = Substitutor(load(), KEY, communes)
    for number in range(12):
        document, mentions = marked(
            "Séances du [[DATE|9 janvier]] au [[DATE|21 mai]].",
            patient=Patient(f"p{number}"),
            reference_date=date(2024, 5, 23),
        )
        assert "20" not in re.sub(r"\b20 ", "", " ".join(surrogates(shipped.substitute(document, mentions))[1:]))


@pytest.mark.parametrize(("text", "kept"), [
    ("Vue aux urgences [[RELDATE|dans la nuit]].", True), ("Plongée [[RELDATE|hier dans le lagon]].", True),
    ("Sous aspirine depuis [[RELDATE|auj0urd'hui]].", True), ("Vu [[RELDATE|hier Marcel]].", False),
    ("Vu [[RELDATE|hier le trois]].", False),
])  # fmt: skip
def test_words_behind_a_day_near_the_document_stay(text: str, kept: bool, communes: CommuneTable) -> None:
    document, mentions = marked(text)
    found = surrogates(Substitutor(load(), KEY, communes).substitute(document, mentions))[0]
    assert ("RELDATE" not in found) is kept
