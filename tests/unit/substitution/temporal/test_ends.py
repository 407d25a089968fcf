"""Last days: no date of the past is published after them, and texts stay as coherent as they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from deid.config.policy import load
from deid.domain.document import DateBounds, Document, Mention, Patient, Stay, Substitution
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from deid.substitution.temporal.ends import birth_bound, bound_names, bounds_before
from tests.unit.substitution.examples import KEY, changed, marked, surrogates
from tests.unit.substitution.temporal.test_episodes import read, told

WRITTEN = date(2024, 5, 16)
BIRTHS = st.one_of(
    st.none(), st.dates(WRITTEN - timedelta(days=35_000), WRITTEN), st.dates(WRITTEN - timedelta(days=6_000), WRITTEN)
)
PATIENTS = st.text("abcdef", min_size=1, max_size=6)
LENGTHS = st.one_of(st.none(), st.integers(0, 3), st.integers(0, 400))  # days of the stay; None: no stay
GAPS = st.lists(st.integers(0, 6_000), max_size=5)  # days from a date that is told to the document's


@pytest.fixture(scope="module", params=["stay", "day"])
def drawn(request: pytest.FixtureRequest) -> Substitutor:
    dates = {"strategy": "episodes", "moves": request.param}
    return Substitutor(changed(load(), dates=dates), KEY, packaged_tables().communes)


def note(
    days: Sequence[date], key: str, length: int | None = None, birth: date | None = None, written: date = WRITTEN
) -> tuple[Document, Sequence[Mention]]:
    stay = None if length is None else Stay(written - timedelta(days=length), written)
    text = "Vu le " + ", puis le ".join(map(told, [*days, written])) + "."
    return marked(text, patient=Patient(key, birth_date=birth), reference_date=written, stay=stay)


def bounded(document: Document, until: date) -> Document:
    return replace(document, bounds=DateBounds(until, birth_bound(document, until)))


def days_of(done: Substitution) -> list[date]:
    return [read(text) for text in surrogates(done)]


@given(patient=PATIENTS, birth=BIRTHS, length=LENGTHS, gaps=GAPS, lag=st.integers(0, 40))
@hypothesis_settings(max_examples=120)
def test_no_date_of_the_past_comes_after_the_last_day(
    drawn: Substitutor, patient: str, birth: date | None, length: int | None, gaps: list[int], lag: int
) -> None:
    days = [WRITTEN - timedelta(days=gap) for gap in sorted(gaps, reverse=True)]
    document, mentions = note(days, patient, length, birth)
    until = WRITTEN + timedelta(days=lag)
    done = drawn.substitute(bounded(document, until), mentions)
    found = days_of(done)
    assert done.reference_date is not None
    assert max(*found, done.reference_date) <= until
    if birth is None:
        assert found == sorted(found)


@given(patient=PATIENTS, birth=BIRTHS, length=LENGTHS, gaps=GAPS)
@hypothesis_settings(max_examples=60)
def test_a_last_day_far_off_changes_nothing(
    drawn: Substitutor, patient: str, birth: date | None, length: int | None, gaps: list[int]
) -> None:
    document, mentions = note([WRITTEN - timedelta(days=gap) for gap in gaps], patient, length, birth)
    far = bounded(document, WRITTEN.replace(year=2140))
    assert drawn.substitute(far, mentions) == drawn.substitute(document, mentions)


@given(patient=PATIENTS, until=st.dates(WRITTEN - timedelta(days=900), WRITTEN + timedelta(days=900)))
@hypothesis_settings(max_examples=60)
def test_a_stay_brought_back_moves_by_whole_years_of_weeks(drawn: Substitutor, patient: str, until: date) -> None:
    document, mentions = note([], patient, 4)
    free, ended = (drawn.substitute(one, mentions).reference_date for one in (document, bounded(document, until)))
    assert free is not None
    assert ended is not None
    assert (free - ended).days % 364 == 0
    assert ended == free or (until - ended).days < 364 + 40


@given(patient=PATIENTS, ago=st.integers(0, 20), until=st.dates(WRITTEN, WRITTEN + timedelta(days=40)))
@hypothesis_settings(max_examples=60)
def test_documents_of_a_stay_move_alike(drawn: Substitutor, patient: str, ago: int, until: date) -> None:
    stay = Stay(WRITTEN - timedelta(days=20), WRITTEN)
    moves = set()
    for written in (WRITTEN, WRITTEN - timedelta(days=ago)):
        document, mentions = note([], patient, written=written)
        document = replace(document, stay=stay)
        done = drawn.substitute(bounded(document, until), mentions)
        assert done.reference_date is not None
        moves.add(done.reference_date - written)
    assert len(moves) == 1 or drawn._policy.dates.moves == "day"


def test_what_shares_a_last_day_is_a_stay_and_its_length_or_a_quarter() -> None:
    stay = Stay(date(2024, 5, 1), date(2024, 5, 20))
    alone = Document("a", "", Patient("p"), WRITTEN)
    during = replace(alone, stay=stay)
    assert bound_names(during) == bound_names(replace(during, id="b", reference_date=date(2024, 5, 30)))
    assert bound_names(during)[0] != bound_names(replace(during, reference_date=date(2024, 6, 10)))[0]
    assert bound_names(alone) == bound_names(replace(alone, reference_date=date(2024, 4, 1)))
    assert bound_names(alone)[0] != bound_names(replace(alone, reference_date=date(2024, 7, 1)))[0]
    assert (
        bound_names(replace(alone, reference_date=None))[0]
        != bound_names(replace(alone, id="b", reference_date=None))[0]
    )
    assert len({bound_names(one)[1] for one in (alone, during, replace(alone, reference_date=None))}) == 1
    assert bound_names(replace(during, patient=Patient("q")))[0] != bound_names(during)[0]


def test_a_child_keeps_its_stage_of_life_and_its_birth_date_in_later_documents() -> None:
    drawn = Substitutor(load(), KEY, packaged_tables().communes)
    until = WRITTEN + timedelta(days=5)
    for at in range(40):
        patient = Patient(f"p{at}", birth_date=WRITTEN - timedelta(days=460))
        texts = []
        for stay, written in ((Stay(WRITTEN), WRITTEN), (Stay(date(2024, 8, 1)), date(2024, 8, 3))):
            text = f"Née le {told(WRITTEN - timedelta(days=460))}, vue le {told(written)}."
            document, mentions = marked(text, patient=patient, reference_date=written, stay=stay)
            born_by = birth_bound(replace(document, reference_date=WRITTEN, stay=Stay(WRITTEN)), until)
            bounds = DateBounds(until + (written - WRITTEN), born_by)
            texts.append(drawn.substitute(replace(document, bounds=bounds), mentions))
        (born, seen), (again, later) = map(days_of, texts)
        assert born == again
        assert timedelta(days=365) <= seen - born < timedelta(days=3 * 365 + 1)
        assert seen <= until
        assert later <= until + (date(2024, 8, 3) - WRITTEN)


def test_bounds_without_a_ledger_are_the_same_for_every_age() -> None:
    assert bounds_before(WRITTEN) == DateBounds(WRITTEN, WRITTEN - timedelta(days=34))
