"""Digits in the boxes of a form are dates and numbers, whatever a tagger took them for; a scale is none."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.refining.boxed_digits import settle_boxes
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label


def settled(text: str, *given: tuple[str, Label]) -> list[tuple[str, Label]]:
    """Return what comes of the mentions of these pieces, each the first of its text."""
    mentions = [Mention(text.index(piece), text.index(piece) + len(piece), label, 0.9) for piece, label in given]
    return [(text[one.start : one.end], one.label) for one in settle_boxes(Reading(Document("d", text)), mentions)]


def boxed(digits: str) -> str:
    return " ".join(digits)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("ROY Odette 1 2 0 3 1 9 4 1 INFLIXIMAB 100 mg", [("1 2 0 3 1 9 4 1", Label.DATE)]),
        ("Née 0 5 0 8 1 9 6 2", [("0 5 0 8 1 9 6 2", Label.DATE)]),
        (
            "2 4 1 0 3 6 9 2 8 8 1 1 4 5 2 2 2 0 6 2 0 2 1",
            [("2 4 1 0 3 6 9 2 8 8 1 1 4 5 2", Label.NIR), ("2 2 0 6 2 0 2 1", Label.DATE)],
        ),
        (
            "0 3 0 4 1 9 5 5 0 6 1 2 3 4 5 6 7 8",
            [("0 3 0 4 1 9 5 5", Label.DATE), ("0 6 1 2 3 4 5 6 7 8", Label.PHONE)],
        ),
        ("9 9 9 0 1 0 1 1 9 8 0", [("9 9 9", Label.ID), ("0 1 0 1 1 9 8 0", Label.DATE)]),
        ("1 8 5 0 5 7 8 0 0 6 0 8 4", [("1 8 5 0 5 7 8 0 0 6 0 8 4", Label.NIR)]),
    ],
)
def test_boxes_are_the_fields_that_they_spell(text: str, fields: list[tuple[str, Label]]) -> None:
    assert settled(text) == fields
    assert settled(text, (fields[0][0][:-2], Label.PHONE)) == fields


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_is_a_date(day: date) -> None:
    text = boxed(f"{day:%d%m%Y}")
    assert settled(f"le {text}.") == [(text, Label.DATE)]


def test_the_number_of_a_street_behind_boxes_is_of_the_address() -> None:
    text = "1 4 2 3 8 5 6 8 3 7 8 3 5 3 0 9 0 1 1 9 8 7 24 avenue Saint-Germain"
    street = ("avenue Saint-Germain", Label.STREET)
    assert settled(text, (text[:-21], Label.PHONE), street)[-1] == ("24 avenue Saint-Germain", Label.STREET)
    assert settled("3 kg, 24 avenue Foch", ("avenue Foch", Label.STREET)) == [("avenue Foch", Label.STREET)]


@pytest.mark.parametrize(
    "text",
    [
        "Échelle 1 2 3 4 5 6 7 8 9 10",
        "EVA 0 0 1 2 2 3 1 0 1",
        "9 9 9 9 9 9 9 9",
        "3 2 1 3 2 0 2 0",  # no 32nd day
        "Plaquettes 1 2 0 3 1 9 4 12",
        "K 3.1 2 0 3 1 9 4 1",
        "le 12 03 1941",
    ],
)
def test_scales_and_other_numbers_are_left(text: str) -> None:
    assert settled(text) == []


def test_a_number_with_its_key_is_kept_whole() -> None:
    whole = "2 4 1 0 3 6 9 2 8 8 1 1 4 52"
    assert settled(f"N° SS {whole}", (whole, Label.NIR)) == [(whole, Label.NIR)]
