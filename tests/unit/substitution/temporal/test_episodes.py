"""Strategy `episodes`: dates of a stay move together, distances stay, and what is claimed of a draw holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deid.config.policy import Policy, load
from deid.domain.document import DateBounds, Patient, Stay
from deid.domain.labels import Label
from deid.domain.outcomes import Constraint, Kept
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.date_mapping import DateMapping
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.constraints import count_constraints, read_both
from deid.substitution.temporal.ends import birth_bound
from deid.substitution.temporal.episodes import Episode, Life
from deid.substitution.temporal.stages import stage_of
from deid.substitution.temporal.values import Unit, add_months, months_between
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

ADMITTED, DISCHARGED = date(2022, 3, 3), date(2022, 3, 7)
WRITTEN = date(2022, 3, 16)
STAY = Stay(ADMITTED, DISCHARGED)
VISIT = Stay(date(2022, 6, 14), date(2022, 6, 14))
DAYS = st.dates(ADMITTED - timedelta(days=183), WRITTEN + timedelta(days=183))


@pytest.fixture(scope="module")
def episodes() -> Policy:
    return changed(load(), dates={"strategy": "episodes"})


@pytest.fixture(scope="module")
def communes() -> CommuneTable:
    return packaged_tables().communes


@pytest.fixture(scope="module")
def drawn(episodes: Policy, communes: CommuneTable) -> Substitutor:
    return Substitutor(episodes, KEY, communes)


def told(day: date) -> str:
    return f"[[DATE|{day:%d/%m/%Y}]]"


def read(text: str) -> date:
    day, month, year = map(int, re.findall(r"\d+", text))
    return date(year, month, day)


def moved(
    substitutor: Substitutor, days: Sequence[date], stay: Stay | None = STAY, written: date = WRITTEN, key: str = "p1"
) -> list[date]:
    document, mentions = marked(
        "Vu le " + ", puis le ".join(map(told, days)) + ".", patient=Patient(key), reference_date=written, stay=stay
    )
    return [read(text) for text in surrogates(substitutor.substitute(document, mentions))]


@given(days=st.lists(DAYS, min_size=2, max_size=8), patient=st.text("abcdef", min_size=1, max_size=6))
@hypothesis_settings(max_examples=60)
def test_days_between_the_dates_of_a_stay_stay(drawn: Substitutor, days: list[date], patient: str) -> None:
    found = moved(drawn, days, key=patient)
    assert [one - found[0] for one in found] == [one - days[0] for one in days]
    assert all(one.weekday() == other.weekday() for one, other in zip(found, days, strict=True))


@given(patient=st.text("abcdef", min_size=1, max_size=6), visited=st.dates(date(2020, 1, 1), date(2024, 1, 1)))
@hypothesis_settings(max_examples=60)
def test_a_visit_keeps_whether_it_was_on_a_working_day(drawn: Substitutor, patient: str, visited: date) -> None:
    (found,) = moved(drawn, [visited], Stay(visited, visited), visited, patient)
    assert (found.weekday() >= 5) == (visited.weekday() >= 5)


@given(patient=st.text("abcdef", min_size=1, max_size=6), begins=st.dates(date(2020, 1, 1), date(2024, 1, 1)))
@hypothesis_settings(max_examples=60)
def test_a_stay_of_several_days_moves_by_whole_weeks(drawn: Substitutor, patient: str, begins: date) -> None:
    stay, written = Stay(begins, begins + timedelta(days=9)), begins + timedelta(days=9)
    days = [begins + timedelta(days=at) for at in (-40, 0, 1, 2, 3, 9, 60)]
    moves = {to - day for day, to in zip(days, moved(drawn, days, stay, written, patient), strict=True)}
    assert len(moves) == 1
    assert moves.pop().days % 7 == 0


def test_a_visit_may_change_its_day_of_the_week_and_come_back_to_its_date(communes: CommuneTable) -> None:
    little = changed(load(), dates={"strategy": "episodes", "anchor_scale_days": 14, "episode_epsilon": 0.0333})
    found = [
        moved(Substitutor(little, bytes([at]) * 32, communes), [VISIT.first], VISIT, VISIT.first)[0]
        for at in range(1, 250)
    ]
    assert {one.weekday() for one in found} == {0, 1, 2, 3, 4}
    assert VISIT.first in found


@given(days=st.lists(st.dates(date(1990, 1, 1), date(2024, 12, 31)), min_size=2, max_size=12, unique=True))
@hypothesis_settings(max_examples=60)
def test_the_order_of_dates_is_kept(drawn: Substitutor, days: list[date]) -> None:
    found = moved(drawn, sorted(days))
    assert found == sorted(found)


@given(order=st.permutations(range(4)))
@hypothesis_settings(max_examples=10)
def test_documents_of_a_stay_agree_in_any_order(drawn: Substitutor, order: list[int]) -> None:
    days = [ADMITTED + timedelta(days=at) for at in range(4)]
    alone = {days[at]: moved(drawn, [days[at]], written=days[at])[0] for at in order}
    assert [alone[one] for one in days] == moved(drawn, days)


def test_two_stays_move_apart_and_so_do_two_patients(drawn: Substitutor) -> None:
    there = moved(drawn, [ADMITTED])[0] - ADMITTED
    assert moved(drawn, [VISIT.first], VISIT, VISIT.first)[0] - VISIT.first != there
    assert moved(drawn, [ADMITTED], key="p2")[0] - ADMITTED != there


def test_a_birth_date_moves_alike_in_the_documents_of_two_stays(drawn: Substitutor) -> None:
    born = date(1958, 5, 12)
    patient = Patient("p1", birth_date=born)
    one = marked(f"Né le {told(born)}.", patient=patient, reference_date=WRITTEN, stay=STAY)
    other = marked(f"Né le {told(born)}.", patient=patient, reference_date=VISIT.first, stay=VISIT)
    assert surrogates(drawn.substitute(*one)) == surrogates(drawn.substitute(*other))


@pytest.mark.parametrize("age", [0, 1, 20, 50, 200, 330])
def test_the_stay_of_the_first_year_moves_with_its_birth_date(drawn: Substitutor, age: int) -> None:
    """In every document of the patient, those of a later stay too: one draw of the birth date."""
    born = ADMITTED - timedelta(days=age)
    days = [born, ADMITTED, ADMITTED + timedelta(days=1), DISCHARGED]
    for number in range(40):
        patient = Patient(f"p{number}", birth_date=born)
        document, mentions = marked(
            f"Née le {told(born)}, vue le " + ", le ".join(map(told, days[1:])) + ".",
            patient=patient, reference_date=WRITTEN, stay=STAY,
        )  # fmt: skip
        found = [read(text) for text in surrogates(drawn.substitute(document, mentions))]
        assert [one - found[0] for one in found] == [one - born for one in days]
        later = marked(f"Née le {told(born)}.", patient=patient, reference_date=VISIT.first, stay=VISIT)
        done = drawn.substitute(*later)
        assert [read(text) for text in surrogates(done)] == found[:1]
        assert done.reference_date is not None
        assert done.reference_date > found[0] + timedelta(days=27)


LIFE = date(2021, 2, 11)
AT = {at: LIFE + timedelta(days=at) for at in (-191, -90, -1, 0, 19, 62)}
INFANT = (
    f"Née le {told(LIFE)} à 27 SA + 3, vue à l'âge de [[AGE|50 jours]]. DDR le {told(AT[-191])}, terme prévu le "
    f"{told(AT[-191] + timedelta(days=280))}. Cerclage le {told(AT[-90])}, bétaméthasone le {told(AT[-1])}, "
    f"césarienne le {told(LIFE)}. Ventilée jusqu'au {told(AT[19])} ([[AGE|19 jours]]). Vaccins à [[AGE|2 mois]], le "
    f"{told(AT[62])}, puis à [[AGE|4 mois]]."
)
SEEN = LIFE + timedelta(days=50)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "stay", [None, Stay(SEEN, SEEN), Stay(LIFE, SEEN)], ids=["without a stay", "of one day", "since the birth"]
)
def test_a_document_of_the_first_year_keeps_its_days_and_ages(
    drawn: Substitutor, stay: Stay | None, known: bool
) -> None:
    moves = set()
    for number in range(12):
        patient = Patient(f"p{number}", birth_date=LIFE if known else None)
        document, mentions = marked(INFANT, patient=patient, reference_date=SEEN, stay=stay)
        done = drawn.substitute(document, mentions)
        assert done.reference_date is not None
        days = done.reference_date - SEEN
        for one in done.surrogates:
            text = document.text[one.mention.start : one.mention.end]
            assert one.text == (text if one.mention.label is Label.AGE else f"{read(text) + days:%d/%m/%Y}")
        later, again = marked(f"Née le {told(LIFE)}.", patient=patient, reference_date=VISIT.first, stay=VISIT)
        assert [read(text) for text in surrogates(drawn.substitute(later, again))] == [LIFE + days]
        moves.add(days)
    assert len(moves) > 6


@pytest.mark.parametrize("before", [1, 40, 200])
def test_a_document_of_the_pregnancy_moves_with_the_birth_to_come(
    drawn: Substitutor, episodes: Policy, before: int
) -> None:
    seen = LIFE - timedelta(days=before)
    for number in range(8):
        patient = Patient(f"p{number}", birth_date=LIFE)
        early = drawn.substitute(*marked(f"Vue le {told(seen)}.", patient=patient, reference_date=seen))
        late = drawn.substitute(*marked(f"Née le {told(LIFE)}.", patient=patient, reference_date=SEEN))
        days = read(surrogates(late)[0]) - LIFE
        assert [read(text) - seen for text in surrogates(early)] == [days]
        document, _ = marked(f"Vue le {told(seen)}.", patient=patient, reference_date=seen)
        assert DateMapping([document], episodes.substitution, KEY).move(seen) == seen + days


def test_ages_of_relatives_and_old_ages_move_beside_an_infants(drawn: Substitutor) -> None:
    text = (
        f"Née le {told(LIFE)}. Sa mère de [[AGE|31 ans]], opérée le [[DATE|03/05/2012]]. Asthme depuis [[AGE|9 ans]]."
    )
    found = [
        surrogates(drawn.substitute(*marked(text, patient=Patient(f"p{at}", birth_date=LIFE), reference_date=SEEN)))
        for at in range(20)
    ]
    assert all(len({one[place] for one in found}) > 2 for place in (1, 2, 3))
    assert len({read(one[2]) - read(one[0]) for one in found}) > 10


@pytest.mark.parametrize("lag", [0, 5, 40])
def test_an_infants_days_stay_before_a_last_day(drawn: Substitutor, lag: int) -> None:
    until = SEEN + timedelta(days=lag)
    for number in range(12):
        document, mentions = marked(
            INFANT, patient=Patient(f"p{number}", birth_date=LIFE), reference_date=SEEN, stay=Stay(SEEN, SEEN)
        )
        bounds = DateBounds(until, birth_bound(document, until))
        done = drawn.substitute(replace(document, bounds=bounds), mentions)
        assert done.reference_date is not None
        assert done.reference_date <= until
        assert done.reference_date - read(surrogates(done)[0]) == SEEN - LIFE


@pytest.mark.parametrize("age", [35, 64, 94, 200, 300, 360, 370, 500, 700, 1090])
@pytest.mark.parametrize("stay", [None, Stay(WRITTEN, WRITTEN + timedelta(days=4))], ids=["none", "known"])
def test_the_age_told_of_a_small_child_is_that_of_the_dates_and_near_the_true_one(
    drawn: Substitutor, stay: Stay | None, age: int
) -> None:
    born = WRITTEN - timedelta(days=age)
    months, moves = months_between(born, WRITTEN), []
    for number in range(60):
        document, mentions = marked(
            f"Né le {told(born)}. Entré le {told(WRITTEN)}, nourrisson de [[AGE|{months} mois]].",
            patient=Patient(f"p{number}", birth_date=born), reference_date=WRITTEN, stay=stay,
        )  # fmt: skip
        birth, entered, said = surrogates(drawn.substitute(document, mentions))
        assert months_between(read(birth), read(entered)) == int(said.split()[0])
        moves.append(abs(int(said.split()[0]) - months))
    assert sum(moves) / len(moves) <= (0 if months < 12 else 6)
    assert len(set(moves)) > 2 or age not in (500, 700)  # others stay near an end of their stage, or the birth


@given(
    patient=st.text("abcdef", min_size=1, max_size=6),
    born=st.dates(date(1937, 1, 1), ADMITTED - timedelta(days=1)),
    later=st.integers(0, 7000),
)
@hypothesis_settings(max_examples=80)
def test_stays_begin_in_their_stage_of_life_and_documents_agree_on_the_birth(
    drawn: Substitutor, patient: str, born: date, later: int
) -> None:
    found = set()
    for first in (ADMITTED, ADMITTED + timedelta(days=later)):
        document, mentions = marked(
            f"Né le {told(born)}, entré le {told(first)}.",
            patient=Patient(patient, birth_date=born),
            reference_date=first,
            stay=Stay(first, first + timedelta(days=3)),
        )
        birth, entered = (read(text) for text in surrogates(drawn.substitute(document, mentions)))
        if months_between(born, first) < 1080:  # past the top-coded age, the birth date follows the document
            found.add(birth)
            ages = [Age(Unit.MONTH, months_between(*pair), "figures", "") for pair in ((born, first), (birth, entered))]
            assert stage_of(ages[0]) == stage_of(ages[1])
    assert len(found) <= 1


def test_an_open_stay_moves_as_it_does_once_it_is_over(drawn: Substitutor) -> None:
    assert moved(drawn, [ADMITTED], Stay(ADMITTED), ADMITTED) == moved(drawn, [ADMITTED], STAY, ADMITTED)


@pytest.mark.parametrize(
    "stay",
    [None, Stay(date(2023, 1, 1), None), Stay(DISCHARGED, ADMITTED)],
    ids=["none", "begins after", "ends before"],
)
def test_without_a_possible_stay_the_quarter_of_the_document_moves_as_one(
    drawn: Substitutor, stay: Stay | None
) -> None:
    days = [date(2022, 1, 4), date(2022, 2, 21), date(2022, 3, 30)]
    found = moved(drawn, days, stay)
    assert [one - found[0] for one in found] == [one - days[0] for one in days]


@pytest.mark.parametrize(
    "distance",
    [
        "il y a 3 semaines",
        "dans six mois",
        "hier",
        "ce jour",
        "depuis 10 jours",
        "d'ici 15 jours",
        "il y a un an",
        "ce même jour",
        "le jour même",
        "cette même nuit",
        "le soir même",
        "aujourd'hui même",
        "à ce jour",
        "tôt ce matin",
        "en fin d'après-midi ce jour",
        "depuis ce matin même",
        "cet après-midi même",
    ],
)
def test_a_distance_of_up_to_a_year_stays_and_agrees_with_its_date(drawn: Substitutor, distance: str) -> None:
    document, mentions = marked(f"Vu [[RELDATE|{distance}]].", reference_date=WRITTEN, stay=STAY)
    result = drawn.substitute(document, mentions)
    assert result.text == document.text
    assert [one.strategy for one in result.surrogates] == ["kept"]


@pytest.mark.parametrize("words", ["trois jours même", "la même semaine que", "lundi même"])
def test_other_words_are_not_the_day_of_the_document(drawn: Substitutor, words: str) -> None:
    document, mentions = marked(f"Vu [[RELDATE|{words}]].", reference_date=WRITTEN, stay=STAY)
    assert drawn.substitute(document, mentions).text != document.text


def test_a_date_beside_its_distance_agrees_with_it(drawn: Substitutor) -> None:
    day = WRITTEN - timedelta(days=12)
    document, mentions = marked(f"Vu [[RELDATE|il y a 12 jours]] ({told(day)}).", reference_date=WRITTEN, stay=STAY)
    result = drawn.substitute(document, mentions)
    assert result.reference_date is not None
    assert read(surrogates(result)[1]) == result.reference_date - timedelta(days=12)


@pytest.mark.parametrize("weeks", [6, 20, 40])
@pytest.mark.parametrize("patient", ["p1", "p2", "p3", "p4"])
def test_a_date_beside_its_distance_agrees_with_it_outside_the_window_too(
    drawn: Substitutor, weeks: int, patient: str
) -> None:
    day = WRITTEN - timedelta(weeks=weeks)
    document, mentions = marked(
        f"Opéré [[RELDATE|il y a {weeks} semaines]], le {told(day)}.",
        patient=Patient(patient),
        reference_date=WRITTEN,
        stay=STAY,
    )
    result = drawn.substitute(document, mentions)
    assert result.reference_date is not None
    assert read(surrogates(result)[1]) == result.reference_date - timedelta(weeks=weeks)


@pytest.mark.parametrize("patient", [f"p{number}" for number in range(12)])
def test_a_distance_that_moves_agrees_with_the_month_beside_it(drawn: Substitutor, patient: str) -> None:
    document, mentions = marked(
        "Scanner [[RELDATE|dans 3 ans]] ([[DATE|06/2025]]).",
        patient=Patient(patient),
        reference_date=WRITTEN,
        stay=STAY,
    )
    result = drawn.substitute(document, mentions)
    distance, month = surrogates(result)
    assert result.reference_date is not None
    years = int(month[-4:]) - result.reference_date.year
    assert distance == (f"dans {years} an{'s' * (years > 1)}" if years else "cette année")


@pytest.mark.parametrize(
    ("words", "months"),
    [
        ("bithérapie 12 mois, jusqu'au {}", 12),
        ("à retirer dans les 9 mois (soit le {})", 9),
        ("contrôle à un an : {}", 12),
        ("scanner à 2 ans, le {}", 24),
    ],
)
@pytest.mark.parametrize("patient", ["p1", "p2", "p3", "p4"])
def test_the_end_of_a_length_moves_with_its_beginning(
    drawn: Substitutor, words: str, months: int, patient: str
) -> None:
    placed = WRITTEN - timedelta(days=8)
    document, mentions = marked(
        f"Sonde posée le {told(placed)}, {words.format(told(add_months(placed, months)))}.",
        patient=Patient(patient),
        reference_date=WRITTEN,
        stay=STAY,
    )
    first, last = map(read, surrogates(drawn.substitute(document, mentions)))
    assert abs((last - add_months(first, months)).days) <= 3  # a month may be shorter


@pytest.mark.parametrize("patient", ["p1", "p2", "p3", "p4"])
def test_the_end_of_a_length_is_that_of_any_day_of_the_stay(drawn: Substitutor, patient: str) -> None:
    days = [WRITTEN - timedelta(days=gap) for gap in (2, 40, 9, 21, 75)]
    document, mentions = marked(
        "\n".join(f"Posé le {told(day)}, à changer à 12 mois, le {told(add_months(day, 12))}." for day in days),
        patient=Patient(patient),
        reference_date=WRITTEN,
        stay=STAY,
    )
    found = [read(text) for text in surrogates(drawn.substitute(document, mentions))]
    assert all(abs((end - add_months(day, 12)).days) <= 3 for day, end in zip(found[::2], found[1::2], strict=True))


@pytest.mark.parametrize("patient", ["p1", "p2", "p3", "p4"])
def test_the_days_of_a_pregnancy_move_with_the_document(drawn: Substitutor, patient: str) -> None:
    period = WRITTEN - timedelta(days=220)
    days = [period, period + timedelta(days=14), period + timedelta(days=287)]
    document, mentions = marked(
        "DDR {}, début de grossesse le {}, ce jour 31 SA + 3, terme prévu le {}.".format(*map(told, days)),
        patient=Patient(patient),
        reference_date=WRITTEN,
        stay=STAY,
    )
    result = drawn.substitute(document, mentions)
    found = [read(text) for text in surrogates(result)]
    assert [one - found[0] for one in found] == [one - period for one in days]
    assert count_constraints(document, result)[Constraint.PREGNANCY] == Kept(6, 6, 0)


@pytest.mark.parametrize(
    "distance",
    [
        "six derniers mois", "dernières semaines", "3 jours avant", "un an après", "quinze jours plus tard",
        "deux mois auparavant", "6 semaines", "dans 3 puis 6 mois", "dans un mois puis un an",
    ],
)  # fmt: skip
def test_a_distance_from_another_moment_stays(drawn: Substitutor, distance: str) -> None:
    document, mentions = marked(f"Le {told(WRITTEN)} : [[RELDATE|{distance}]].", reference_date=WRITTEN, stay=STAY)
    assert surrogates(drawn.substitute(document, mentions))[1] == distance


def test_a_long_distance_from_another_moment_is_drawn_in_its_form(drawn: Substitutor) -> None:
    said = ("vingt ans plus tard", "15 dernières années")
    document, mentions = marked(
        f"Le {told(WRITTEN)} : [[RELDATE|{said[0]}]], [[RELDATE|{said[1]}]].", reference_date=WRITTEN, stay=STAY
    )
    _, later, last = surrogates(drawn.substitute(document, mentions))
    assert re.fullmatch(r"[a-z-]+(?: et un)? ans? plus tard", later)
    assert re.fullmatch(r"\d+ dernières années", last)


def test_a_longer_distance_is_drawn(drawn: Substitutor) -> None:
    texts = {
        surrogates(drawn.substitute(*marked("Opéré [[RELDATE|il y a 10 ans]].", patient=Patient(f"p{at}"))))[0]
        for at in range(40)
    }
    assert len(texts) > 3
    assert "il y a 10 ans" in texts


def test_a_weekday_or_month_said_by_name_follows_its_stay(drawn: Substitutor) -> None:
    document, mentions = marked(
        f"Revu le [[DATE|lundi 28 mars 2022]], en [[DATE|mars 2022]], le {told(date(2022, 3, 28))}.",
        stay=STAY,
        reference_date=WRITTEN,
    )
    weekday, month, day = surrogates(drawn.substitute(document, mentions))
    assert weekday.startswith("lundi ")
    assert weekday.endswith(month)
    assert read(day).day == int(weekday.split()[1])


def test_a_season_told_from_the_document_follows_it(drawn: Substitutor) -> None:
    document, mentions = marked(
        f"Vu le {told(WRITTEN)}, fatigue depuis [[RELDATE|l'été dernier]].", reference_date=WRITTEN, stay=STAY
    )
    result = drawn.substitute(document, mentions)
    assert result.reference_date is not None
    moved = (result.reference_date - WRITTEN).days
    middle = date(2021, 7, 16) + timedelta(days=moved)
    season = ("hiver", "printemps", "été", "automne")[middle.month % 12 // 3]
    assert season in surrogates(result)[1]


def test_what_is_drawn_stands_in_the_ledger(drawn: Substitutor) -> None:
    document, mentions = marked(
        f"Entré le {told(ADMITTED)}, vu [[RELDATE|il y a 2 jours]], opéré le {told(date(2019, 5, 6))}, le "
        f"{told(date(2019, 6, 7))}, en [[DATE|2011]], en [[DATE|mai 2015]].",
        reference_date=WRITTEN,
        stay=STAY,
    )
    spends = {one.mechanism: (one.epsilon, one.elements) for one in drawn.substitute(document, mentions).spends}
    assert spends["exponential"] == (pytest.approx(2 * 0.005), 2)  # the stay, and the second quarter of 2019
    assert spends["discrete_laplace per year"] == (pytest.approx(1.0), 1)
    assert spends["discrete_laplace per month"] == (pytest.approx(0.5), 1)


@pytest.mark.parametrize(
    "wrong", [{"episode_epsilon": 0}, {"history_epsilon": {"year": 1}}, {"document_date": "metric"}]
)
def test_a_policy_that_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    values = load().model_dump()
    values["substitution"]["dates"] |= {"strategy": "episodes", **wrong}
    with pytest.raises(ValidationError):
        Policy.model_validate(values)


def test_days_that_move_by_themselves_keep_their_order_and_no_distance(communes: CommuneTable) -> None:
    lone = Substitutor(changed(load(), dates={"strategy": "episodes", "moves": "day"}), KEY, communes)
    days = [ADMITTED + timedelta(days=at) for at in (0, 2, 20, 50)]
    found = [moved(lone, days, key=f"p{at}") for at in range(60)]
    assert all(one == sorted(one) for one in found)
    assert len({one[3] - one[0] for one in found}) > 20
    assert {one[0].weekday() for one in found} == set(range(7))
    again = Substitutor(changed(load(), dates={"strategy": "episodes", "moves": "day"}), KEY, communes)
    alone = moved(again, [ADMITTED], written=ADMITTED)
    assert alone == moved(again, [ADMITTED], VISIT, written=ADMITTED)  # whatever the stay


def test_days_that_move_by_themselves_cost_a_draw_each(communes: CommuneTable) -> None:
    policy = changed(load(), dates={"strategy": "episodes", "moves": "day", "episode_epsilon": 0.0333})
    text = " ".join(map(told, (ADMITTED, ADMITTED, DISCHARGED, date(2019, 5, 6), WRITTEN)))
    document, mentions = marked(text, reference_date=WRITTEN, stay=STAY)
    spends = {
        one.mechanism: one.elements for one in Substitutor(policy, KEY, communes).substitute(document, mentions).spends
    }
    assert spends["exponential"] == 4


@pytest.mark.parametrize(
    "text",
    ["J-2", "à J10", "J+4", "dans quelques jours", "il y a quelques semaines", "à trois et six mois",
     "au cours des six derniers mois", "ces trois derniers mois"],
)  # fmt: skip
def test_what_is_counted_up_to_a_year_or_says_no_number_stays(drawn: Substitutor, text: str) -> None:
    document, mentions = marked(f"Vu [[RELDATE|{text}]].", reference_date=WRITTEN, stay=STAY)
    assert surrogates(drawn.substitute(document, mentions)) == [text]


def test_the_last_years_stay_a_number_of_last_years(drawn: Substitutor) -> None:
    found = set()
    for number in range(30):
        document, mentions = marked(
            "Suivi [[RELDATE|ces dix dernières années]].", patient=Patient(f"p{number}"), reference_date=WRITTEN
        )
        found.add(surrogates(drawn.substitute(document, mentions))[0])
    assert all(re.fullmatch("ces [a-z-]+ dernières années", one) for one in found)
    assert len(found) > 2


def test_numbered_days_keep_their_distances(drawn: Substitutor) -> None:
    """Days that would each be brought to a working day stay as far apart as their numbers say."""
    first = date(2022, 3, 7)
    stay = Stay(first, first + timedelta(days=14))
    text = ", ".join(f"J{at} : {told(first + timedelta(days=at))}" for at in (0, 4, 8, 11))
    for number in range(40):
        document, mentions = marked(
            f"{text}.", patient=Patient(f"p{number}"), reference_date=first + timedelta(days=14), stay=stay
        )
        done = drawn.substitute(document, mentions)
        assert count_constraints(document, done)[Constraint.NUMBERED_DAY] == Kept(6, 6, 0)


_NAMES = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")


@given(
    patient=st.text("abcdef", min_size=1, max_size=6),
    begins=st.dates(date(2020, 1, 1), date(2024, 1, 1)),
    nights=st.sampled_from([0, 9]),
)
@hypothesis_settings(max_examples=80)
def test_a_weekday_that_is_written_stays_but_that_of_a_visit(
    drawn: Substitutor, patient: str, begins: date, nights: int
) -> None:
    """The day of a stay of one day, and the next, are published alike whether or not their weekday is written."""
    stay = Stay(begins, begins + timedelta(days=nights))
    days = [begins + timedelta(days=at) for at in (0, 6, 9, 33)]
    text = ", ".join(f"[[DATE|{_NAMES[day.weekday()]} {day:%d/%m/%Y}]]" for day in days)
    document, mentions = marked(text, patient=Patient(patient), reference_date=begins, stay=stay)
    found = [text.partition(" ") for text in surrogates(drawn.substitute(document, mentions))]
    assert all(weekday == _NAMES[read(numbers).weekday()] for weekday, _, numbers in found)
    kept = [weekday == _NAMES[day.weekday()] for day, (weekday, _, _) in zip(days, found, strict=True)]
    assert all(kept[1:] if nights == 0 else kept)
    assert read(found[0][2]) == moved(drawn, days[:1], stay, begins, patient)[0]


@given(
    patient=st.text("abcdef", min_size=1, max_size=6), back=st.integers(-40, 90), days=st.sampled_from([(0,), (0, 4)])
)
@hypothesis_settings(max_examples=120)
def test_a_day_without_its_month_is_found_where_it_was_moved_to(
    drawn: Substitutor, patient: str, back: int, days: tuple[int, ...]
) -> None:
    """By a reader of the published text: the month is written where another one is nearer."""
    told_days = [WRITTEN - timedelta(days=back - at) for at in days]
    for write in (lambda day: f"{_NAMES[day.weekday()]} {day.day}", lambda day: f"{day.day} {_MONTHS[day.month - 1]}"):
        text = "Contrôles les " + " et ".join(f"[[DATE|{write(day)}]]" for day in told_days) + "."
        document, mentions = marked(text, patient=Patient(patient), reference_date=WRITTEN, stay=STAY)
        readings = read_both(document, drawn.substitute(document, mentions))
        for mention, true in readings.true.instants.items():
            published = readings.instant(mention)
            assert published is not None
            assert published.index - readings.published.anchor.toordinal() == true.index - WRITTEN.toordinal()


_MONTHS = ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
           "décembre")  # fmt: skip


@pytest.mark.parametrize(("text", "stays"), [
    ("Entrera en grande section en [[DATE|septembre]].", True),
    ("Passage en CP en [[DATE|septembre]].", True),
    ("Rentrée scolaire de [[DATE|septembre]] à préparer.", True),
    ("Scolarisée en CE1 depuis [[DATE|septembre]].", True),
    ("Redouble son CM2 depuis [[DATE|septembre]].", True),
    ("En [[DATE|septembre]], entrée au collège.", True),
    ("Admise en crèche en [[DATE|septembre]].", True),
    ("Intégrera l'IME en [[DATE|septembre]].", True),
    ("Reprise de l'école en [[DATE|septembre]].", True),
    ("Entre en 6e en [[DATE|septembre]].", True),
    ("Convulsion à l'école en [[DATE|septembre]].", False),
    ("Entrée aux urgences en [[DATE|septembre]]. Va à l'école.", False),
    ("Opéré en [[DATE|septembre]], 6e cure.", False),
    ("Entrera en grande section en [[DATE|septembre 2021]].", False),
    ("Entrera au CP en [[DATE|novembre]].", False),
    ("Scolarisée, en [[DATE|septembre]], en petite section.", True),
    ("Reprise chirurgicale en [[DATE|septembre]], en seconde intention.", False),
    ("Admis en [[DATE|septembre]] pour chimiothérapie de première ligne.", False),
    ("Admis en [[DATE|septembre]], dyspnée classe III.", False),
    ("Reprise de Kardegic 1 cp en [[DATE|septembre]].", False),
    ("Reprise du FAC en [[DATE|septembre]].", False),
    ("Entrée en [[DATE|septembre]] pour HTA primaire.", False),
    ("Rentré malade de l'école en [[DATE|septembre]].", False),
    ("Passera en CE1 à la [[DATE|rentrée]].", True),
    ("Elle entre en 6e à la [[DATE|rentrée scolaire]].", True),
    ("Chimiothérapie reprise à la [[DATE|rentrée]].", False),
])  # fmt: skip
def test_a_school_year_goes_on_beginning_in_september(drawn: Substitutor, text: str, stays: bool) -> None:
    published = set()
    for number in range(12):
        document, mentions = marked(text, patient=Patient(f"p{number}"), reference_date=WRITTEN)
        published.add(drawn.substitute(document, mentions).text == document.text)
    assert published == {True} if stays else False in published


@pytest.mark.parametrize(
    ("age", "drawn_lines"),
    [(5, {}), (200, {}), (500, {"discrete_laplace per day, stage 2": 0.25})],
)
def test_the_stay_of_an_infant_spends_by_its_age_and_shows_the_birth_date(
    drawn: Substitutor, age: int, drawn_lines: dict[str, float]
) -> None:
    stay = Stay(WRITTEN, WRITTEN + timedelta(days=4))
    document, mentions = marked(
        f"Entré le {told(WRITTEN)}.",
        patient=Patient("p1", birth_date=WRITTEN - timedelta(days=age)), reference_date=WRITTEN, stay=stay,
    )  # fmt: skip
    spends = {one.mechanism: one.epsilon for one in drawn.substitute(document, mentions).spends if one.elements}
    per_day = {name: pytest.approx(each * 12 / 365) for name, each in drawn_lines.items()}
    assert spends == {"discrete_laplace": pytest.approx(1 / 180), "discrete_laplace per day of birth": 1 / 60} | per_day


@pytest.mark.parametrize("years", [1, 4])
def test_a_stay_as_long_as_a_quarter_moves_as_one_a_week_later_does(years: int) -> None:
    birth = date(2021 - years, 9, 1)
    life, begins = Life(birth, birth + timedelta(days=30)), []
    for first in (date(2022, 1, 1), date(2022, 1, 8)):
        moves = life.moves(Episode(first, first + timedelta(days=89), "weekday"))
        begins.append([first + timedelta(days=days) for days in moves])
    assert begins[0] == begins[1]
