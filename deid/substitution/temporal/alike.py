"""Dates that differ in their figures alone are read alike: one of them is read in full, as a model of the others.

"12 mars 2024" and "23 mars 1987" have the model "10 mars 1850". A figure of a model stands for all that no reader tells
apart: as wide, with a leading zero or none, on the same side of 12 and of 31.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deid.french.calendar import FIRST_YEAR, LAST_YEAR
from deid.substitution.temporal import forms
from deid.substitution.temporal.expressions import Expression
from deid.substitution.temporal.tokens import Token

# Figures beside letters could be letters that a scanner broke.
_FIGURE = re.compile(r"(?<![^\s/.,'’-])([0-9]{1,4})(?![^\s/.,'’-])")
# An ordinal's "1" and the year "00" are told from the others; a number past 31 is no day, past 12 no month.
_CLASSES = (
    "0", "1", range(2, 10), ["00"], [f"0{digit}" for digit in range(1, 10)], range(10, 13), range(13, 32),
    range(32, 100), range(FIRST_YEAR, LAST_YEAR + 1),
)  # fmt: skip
_MODELS = {str(figure): str(alike[0]) for alike in _CLASSES for figure in alike}
_FIELDS: dict[type, str] = {forms.Day: "day", forms.Month: "month", forms.Year: "year", forms.SeasonYear: "year"}


class Model(NamedTuple):
    """What a model says, and which of its figures, by their order, are its year, month and day; None: none of them."""

    read: Expression
    year: int | None
    month: int | None
    day: int | None

    def said(self, figures: list[str]) -> Expression:
        """What the model says with other figures."""
        read, year, month, day = self
        return Expression(
            read.unit,
            read.form,
            read.year if year is None else int(figures[year]),
            read.month if month is None else int(figures[month]),
            read.day if day is None else int(figures[day]),
            read.weekday,
            read.season,
            read.rank,
            read.feast,
            read.this_month,
        )


def cut(text: str) -> tuple[str, list[str]] | None:
    """The model of a text and the figures that it stands for; None of a text without figures, or with one of no date.

    >>> cut("3/04/2024")
    ('2/01/1850', ['3', '04', '2024'])
    """
    pieces = _FIGURE.split(text)
    figures = pieces[1::2]
    if not figures:
        return None
    try:
        pieces[1::2] = [_MODELS[figure] for figure in figures]
    except KeyError:
        return None
    return "".join(pieces), figures


def learnt(text: str, found: list[Token], read: Expression) -> Model | None:
    """The model that a text is, its tokens and what they say known; None where one of its figures is in no field."""
    order = {match.start(): nth for nth, match in enumerate(_FIGURE.finditer(text))}
    fields: dict[str, int] = {}
    at = 0
    for token, part in zip(found, read.form.parts, strict=True):
        field = _FIELDS.get(type(part))
        if at in order and token.kind == "N" and field is not None and getattr(read, field) == token.value:
            fields[field] = order[at]
        at += len(token.text)
    if len(fields) < len(order) or read.march is not None:
        return None
    return Model(read, fields.get("year"), fields.get("month"), fields.get("day"))
