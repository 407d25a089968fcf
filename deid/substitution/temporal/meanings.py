"""What the text of a temporal mention says wherever it stands, and which mentions of a document are several or half."""

from __future__ import annotations

import re
from datetime import date

from deid.domain.labels import Label
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import ages, parsing, relative, resolving, segments
from deid.substitution.temporal.expressions import Expression
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.segments import Reads, Segments
from deid.substitution.temporal.values import Unit

# Where a date goes on behind a line break for sure: a separator at the break, a word after it, a year after a word.
_CUT = re.compile(r"[/.-]\s*\n|\n\s*(?:[/.-]|[^\W\d_])|[^\W\d_]\.?\s*\n\s*\d{4}$")
_ANY_DAY = date(2000, 1, 1)  # a whole date is the same from any


def meaning(text: str, label: Label, *, as_year: bool = False) -> Expression | Relative | None:
    """What a DATE or RELDATE says, whichever of the two it reads as; None where it reads as neither."""
    if label is Label.DATE:
        return parsing.parse(text, as_year=as_year) or relative.parse(text)
    return relative.parse(text) or parsing.parse(text, as_year=as_year)


def may_be_year(meant: Expression | Relative | None, label: Label) -> bool:
    """Whether a word ahead could make a year of what a text says by itself: only of what has no month."""
    if isinstance(meant, Relative):
        return label is Label.DATE
    return meant is None or (meant.unit is Unit.DAY and meant.month is None)


def _is_one_date(text: str) -> bool:
    """Whether two lines are one DATE: they read as one, and the break is within it, or behind a weekday that fits."""
    meant = parsing.parse(text)
    if meant is None:
        return False
    if meant.weekday is not None and meant.month is not None and meant.year is not None and meant.year >= 100:
        return resolving.place(meant, _ANY_DAY).first.weekday() == meant.weekday
    return _CUT.search(text) is not None


def _is_one_distance(text: str) -> bool:
    """Whether two lines are one RELDATE: together they read as one, and not both do apart."""
    first, _, second = text.partition("\n")
    return relative.parse(text) is not None and not (relative.parse(first) and relative.parse(second))


def _is_one_age(text: str) -> bool:
    """Whether two lines are one AGE: the second is no age."""
    return ages.parse(text) is not None and ages.parse(text.partition("\n")[2].strip()) is None


def cut(context: DocumentContext) -> Segments:
    """The segments of a document's temporal mentions."""
    kinds: list[tuple[Label, Reads, Reads]] = [
        (Label.DATE, lambda text: meaning(text, Label.DATE) is not None, _is_one_date),
        (Label.RELDATE, lambda text: meaning(text, Label.RELDATE) is not None, _is_one_distance),
        (Label.AGE, lambda text: ages.parse(text) is not None, _is_one_age),
    ]
    found = [segments.cut(context, context.of([label]), reads, joins) for label, reads, joins in kinds]
    return Segments(
        spans=tuple(sorted(span for one in found for span in one.spans)),
        parts={mention: parts for one in found for mention, parts in one.parts.items()},
        halves={mention: half for one in found for mention, half in one.halves.items()},
    )
