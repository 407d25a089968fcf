"""Overlaps: what wins a span, what is left of the others, and what joins two mentions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.refining.overlaps import connect_entities, resolve_overlaps
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Vote
from deid.domain.labels import Label

LABELS = st.sampled_from([Label.PATIENT, Label.DATE, Label.ORG, Label.STREET, Label.NIR, Label.CITY])
SPANS = st.lists(st.tuples(st.integers(0, 28), st.integers(1, 12), LABELS, st.floats(0.1, 1.0)), max_size=8)


def resolved(text: str, *mentions: Mention) -> list[tuple[str, Label]]:
    found = resolve_overlaps(Reading(Document("d", text)), mentions)
    return [(text[one.start : one.end], one.label) for one in found]


@given(st.text("aB1 -.\n", min_size=40, max_size=40), SPANS)
def test_the_result_is_sorted_and_disjoint(text: str, spans: list[tuple[int, int, Label, float]]) -> None:
    mentions = [Mention(start, start + length, label, score) for start, length, label, score in spans]
    found = resolve_overlaps(Reading(Document("d", text)), mentions)
    assert found == sorted(found)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_the_whole_of_a_date_beats_its_parts() -> None:
    text = "12 mars 2020"
    assert resolved(text, Mention(0, 12, Label.DATE, 0.6), Mention(8, 12, Label.DATE, 0.9)) == [(text, Label.DATE)]


def test_a_name_inside_a_sure_organisation_is_part_of_it() -> None:
    text = "clinique Vraz"
    whole, name = Mention(0, 13, Label.ORG, 0.8), Mention(9, 13, Label.PERSON, 0.9)
    assert resolved(text, whole, name) == [(text, Label.ORG)]
    assert ("Vraz", Label.PERSON) in resolved(text, Mention(0, 13, Label.ORG, 0.5), name)


def test_the_rest_of_an_indirect_label_or_without_a_sign_is_dropped() -> None:
    text = "lundi 4471 abc"
    assert resolved(text, Mention(0, 10, Label.AGE, 0.5), Mention(6, 10, Label.NDA, 0.9)) == [("4471", Label.NDA)]
    assert resolved(text, Mention(6, 14, Label.IPP, 0.5), Mention(6, 10, Label.NDA, 0.9)) == [("4471", Label.NDA)]


def test_a_rest_beside_its_own_label_is_dropped_except_of_streets() -> None:
    text = "12 bis rue Bac Lot 4"
    pieces = resolved(text, Mention(0, 20, Label.STREET, 0.6), Mention(7, 14, Label.STREET, 0.9))
    assert pieces == [("12 bis", Label.STREET), ("rue Bac", Label.STREET), ("Lot 4", Label.STREET)]
    number = "AB12 CD34"
    assert resolved(number, Mention(0, 9, Label.IPP, 0.5), Mention(0, 4, Label.IPP, 0.9)) == [("AB12", Label.IPP)]


def test_signs_alone_are_nothing() -> None:
    assert resolved("a --- b", Mention(2, 5, Label.ORG, 0.9)) == []


@pytest.mark.parametrize(
    ("text", "labels", "joined"),
    [
        ("3 rue du Bac, bâtiment A", (Label.STREET, Label.STREET), True),
        ("dupont.jean", (Label.PATIENT, Label.PATIENT), True),
        ("Jean Vraz", (Label.PERSON, Label.PERSON), True),
        ("Jean et Vraz", (Label.PERSON, Label.PERSON), False),
        ("Jean\nVraz", (Label.PERSON, Label.PERSON), False),
        ("Jean Vraz", (Label.PERSON, Label.DOCTOR), False),
        ("Nord-Sud", (Label.LOC, Label.LOC), True),
    ],
)
def test_connected_entities(text: str, labels: tuple[Label, Label], joined: bool) -> None:
    gaps = {"3 rue du Bac, bâtiment A": (12, 14), "dupont.jean": (6, 7), "Nord-Sud": (4, 5), "Jean et Vraz": (4, 8)}
    end, start = gaps.get(text, (4, 5))
    votes = (Vote("context", labels[1], 0.9),)
    mentions = [Mention(0, end, labels[0], 0.5), Mention(start, len(text), labels[1], 0.7, None, votes)]
    found = connect_entities(Reading(Document("d", text)), mentions, ("de", "-"))
    assert (len(found) == 1) is joined
    if joined:
        assert (found[0].start, found[0].end, found[0].score, found[0].votes) == (0, len(text), 0.7, votes)
