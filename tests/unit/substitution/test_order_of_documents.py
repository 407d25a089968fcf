"""A value has one surrogate for a patient; none depends on documents before it, run again or filled in later."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Patient, Stay, Substitution
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.population import population
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

RECORDS = population(12).records
STRATEGIES = {
    "metric": changed(load(), dates={"strategy": "metric"}, ages={"strategy": "metric"}),
    "episodes": changed(load(), dates={"strategy": "episodes"}, ages={"strategy": "stages"}),
}
STAYS = [Stay(date(2022, 3, 3), date(2022, 3, 14)), Stay(date(2022, 9, 5), date(2022, 9, 9)), Stay(date(2023, 5, 2))]
BORN = date(1958, 5, 12)


def _substitutor(policy: Policy) -> Substitutor:
    return Substitutor(policy, KEY, packaged_tables().communes)


def _drawn(substitutor: Substitutor, number: int) -> Substitution:
    return substitutor.substitute(RECORDS[number].document, RECORDS[number].mentions)


@pytest.fixture(scope="module", params=STRATEGIES)
def policy(request: pytest.FixtureRequest) -> Policy:
    return STRATEGIES[request.param]


@pytest.fixture(scope="module")
def alone(policy: Policy) -> list[Substitution]:
    """Return the surrogates of each document, from a substitutor that has seen no other."""
    return [_drawn(_substitutor(policy), number) for number in range(len(RECORDS))]


@given(nights=st.lists(st.lists(st.integers(0, len(RECORDS) - 1), max_size=20), min_size=1, max_size=4))
@hypothesis_settings(max_examples=15, deadline=None)
def test_any_order_of_nights_gives_what_each_document_gets_alone(
    nights: list[list[int]], policy: Policy, alone: list[Substitution]
) -> None:
    """Nights may come in any order, leave documents out that a later one fills in, and do others again."""
    for night in nights:
        substitutor = _substitutor(policy)
        assert [_drawn(substitutor, number) for number in night] == [alone[number] for number in night]


@given(
    written=st.lists(
        st.tuples(st.integers(0, 2), st.sets(st.integers(0, 9), min_size=1, max_size=5), st.booleans()),
        min_size=2,
        max_size=8,
    ),
    patient=st.text("abcdef", min_size=1, max_size=6),
)
@hypothesis_settings(max_examples=60, deadline=None)
def test_a_value_has_one_surrogate_in_the_documents_of_a_stay(
    written: list[tuple[int, set[int], bool]], patient: str
) -> None:
    """Days of the stay, the document's own, a birth date and a year: whatever else each document says.

    But for two days of one document that would meet on one: their order, which is stated, parts them.
    """
    substitutor = _substitutor(STRATEGIES["episodes"])
    found: defaultdict[tuple[int | None, str], set[str]] = defaultdict(set)
    for number, (place, offsets, says_birth) in enumerate(written):
        stay = STAYS[place]
        days = [stay.first + timedelta(days=offset) for offset in sorted(offsets)]
        texts = [f"{day:%d/%m/%Y}" for day in days] + ["2011"] + ["12/05/1958"] * says_birth
        document, mentions = marked(
            "Vu le " + ", le ".join(f"[[DATE|{text}]]" for text in texts),
            id=f"d{number}",
            patient=Patient(patient, birth_date=BORN),
            reference_date=days[-1],
            stay=stay,
        )
        for text, surrogate in zip(texts, surrogates(substitutor.substitute(document, mentions)), strict=True):
            found[None if text in ("2011", "12/05/1958") else place, text].add(surrogate)
    for (place_of, _), texts in found.items():
        days = [datetime.strptime(text, "%d/%m/%Y").date() for text in texts] if place_of is not None else []
        assert len(texts) == 1 or (days and max(days) - min(days) <= timedelta(days=4))
