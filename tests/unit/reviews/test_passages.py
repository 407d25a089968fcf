"""Marks on a de-identified text point at the right characters of its source."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.domain.errors import ReviewRefused
from deid.domain.labels import Label
from deid.reviews import ReviewProblem
from deid.reviews.marks import ErrorKind, Passage, Span, locate_passage, read_spans

TEXT = "Mme Aaron Salabert, vue par Tréguier 🙂 à Arre."
SOURCE = "Mme Jo Li, vue par Tréguier 🙂 à Besançon."
SPANS = read_spans([[4, 18, "PATIENT", 4, 9], [41, 45, "CITY", 32, 40]])


def put(kind: ErrorKind, label: Label | None, passage: str) -> Passage:
    start = TEXT.index(passage)
    return locate_passage(TEXT, SPANS, kind, label, start, start + len(passage), "review 1, document 1")


def test_a_missed_mention_is_where_it_is_in_the_source() -> None:
    found = put(ErrorKind.MISSED, Label.DOCTOR, " Tréguier ")
    assert TEXT[found.start : found.end] == "Tréguier"
    assert SOURCE[found.source_start : found.source_end] == "Tréguier"
    assert SOURCE[slice(*put(ErrorKind.MISSED, Label.PERSON, "🙂")[2:])] == "🙂"


def test_a_missed_part_beside_a_surrogate_takes_all_of_the_mention() -> None:
    found = put(ErrorKind.MISSED, Label.PATIENT, "me Aaron")
    assert TEXT[found.start : found.end] == "me Aaron Salabert"
    assert SOURCE[found.source_start : found.source_end] == "me Jo Li"


@pytest.mark.parametrize("kind", [ErrorKind.WRONG_LABEL, ErrorKind.NOT_IDENTIFYING])
def test_a_mark_on_a_surrogate_is_on_all_of_it(kind: ErrorKind) -> None:
    label = Label.PERSON if kind is ErrorKind.WRONG_LABEL else None
    for passage in ("Sala", "Mme Aaron Salabert, vue", "Aaron Salabert"):
        found = put(kind, label, passage)
        assert TEXT[found.start : found.end] == "Aaron Salabert"
        assert SOURCE[found.source_start : found.source_end] == "Jo Li"


@pytest.mark.parametrize(
    ("kind", "label", "passage", "why"),
    [
        (ErrorKind.MISSED, Label.PATIENT, "Salabert", ReviewProblem.REPLACED),
        (ErrorKind.MISSED, Label.CITY, "Arre", ReviewProblem.REPLACED),
        (ErrorKind.MISSED, None, "Tréguier", ReviewProblem.NO_LABEL),
        (ErrorKind.WRONG_LABEL, None, "Arre", ReviewProblem.NO_LABEL),
        (ErrorKind.WRONG_LABEL, Label.CITY, "Arre", ReviewProblem.SAME_LABEL),
        (ErrorKind.WRONG_LABEL, Label.CITY, "Tréguier", ReviewProblem.NOT_REPLACED),
        (ErrorKind.NOT_IDENTIFYING, None, "vue", ReviewProblem.NOT_REPLACED),
        (ErrorKind.NOT_IDENTIFYING, Label.CITY, "Arre", ReviewProblem.NO_LABEL),
        (ErrorKind.MISSED, Label.CITY, " ", ReviewProblem.BAD_PLACE),
    ],
)
def test_a_mark_that_does_not_fit_is_refused(
    kind: ErrorKind, label: Label | None, passage: str, why: ReviewProblem
) -> None:
    with pytest.raises(ReviewRefused) as refused:
        put(kind, label, passage)
    assert refused.value.why == why


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 5), (7, 3), (0, 10_000)])
def test_a_place_outside_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(ReviewRefused, match="bad_place"):
        locate_passage(TEXT, SPANS, ErrorKind.MISSED, Label.ID, start, end, "review 1, document 1")


PIECES = st.lists(
    st.tuples(st.text("ab é🙂", max_size=4), st.text("XY", min_size=1, max_size=3), st.text("uvé", min_size=1)),
    max_size=5,
)


@settings(max_examples=300, derandomize=True)
@given(PIECES, st.text("cd ", max_size=5), st.data())
def test_every_passage_outside_surrogates_is_the_same_in_both_texts(
    pieces: list[tuple[str, str, str]], end: str, data: st.DataObject
) -> None:
    source = text = ""
    stored: list[Span] = []
    for between, mention, surrogate in pieces:
        source, text = source + between, text + between
        stored.append(Span(len(text), len(text) + len(surrogate), "ID", len(source), len(source) + len(mention)))
        source, text = source + mention, text + surrogate
    source, text = source + end, text + end
    if not text:
        return
    first = data.draw(st.integers(0, len(text) - 1))
    last = data.draw(st.integers(first + 1, len(text)))
    try:
        found = locate_passage(text, stored, ErrorKind.MISSED, Label.PERSON, first, last, "a document")
    except ReviewRefused:
        chosen = text[first:last]
        first, last = last - len(chosen.lstrip()), first + len(chosen.rstrip())
        assert not chosen.strip() or any(span.start <= first and last <= span.end for span in stored)
        return
    inside = [span for span in stored if found.start <= span.start and span.end <= found.end]
    expected, at = "", found.start
    for span in inside:
        expected += text[at : span.start] + source[span.source_start : span.source_end]
        at = span.end
    assert source[found.source_start : found.source_end] == expected + text[at : found.end]
    assert not any(span.start < place_ < span.end for span in stored for place_ in (found.start, found.end))
