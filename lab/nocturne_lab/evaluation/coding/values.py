"""Classes of the dates, ages and postal codes of a text, for a coder that counts words."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from deid.domain.document import Document, Mention, Substitution
from deid.domain.labels import Label
from deid.quality.dates import read_date
from deid.substitution.temporal.ages import parse_age

_READ = frozenset({Label.DATE, Label.AGE, Label.ZIP})
_DAYS = (0, 2, 4, 6, 9, 14, 30, 59, 90, 180, 258, 286, 365)  # longest gap of each class; 258 and 286: 37 and 41 weeks
_YEARS = (2, 5, 10)  # longest gap of each class beyond a year; then by decades
_BESIDE = 60  # characters
_OVERSEAS = ("97", "98")

Span = tuple[int, int, Label]


def read_original(document: Document, mentions: Iterable[Mention]) -> str:
    """Return an original text with classes for its values; see `read_values`."""
    return read_values(document.text, ((one.start, one.end, one.label) for one in mentions), document.reference_date)


def read_published(published: Substitution) -> str:
    """Return a published text with classes for its values; see `read_values`."""
    pairs = zip(published.spans, published.surrogates, strict=True)
    spans = [(start, end, one.mention.label) for (start, end), one in pairs]
    return read_values(published.text, spans, published.reference_date)


def read_values(text: str, spans: Iterable[Span], reference: date | None) -> str:
    """Return a text in which each identifier is its label, with the class of its value where one can be read.

    A date has the class of its distance to `reference`, the document's date: days, then years, then decades, before or
    after it; an age its decade, a postal code its department. "le 03/05/1951" is "le [DATE] avant-a70" in 2026. A
    date beside an earlier mention of one has the way and the class of their gap too: "ecart-apres ecart-j14".
    """
    parts, at = [], 0
    last: tuple[int, int] | None = None
    for start, end, label in sorted(spans):
        if start < at:
            continue
        parts += [text[at:start], f"[{label}]"]
        if label in _READ and (found := _class(text[start:end], label, reference)):
            parts.append(f" {found}")
        if label is Label.DATE and (day := _day(text[start:end], reference)) is not None:
            if last and start - last[0] <= _BESIDE:
                parts.append(f" {_gap(day - last[1])}")
            last = end, day
        at = end
    return "".join((*parts, text[at:]))


def _class(value: str, label: Label, reference: date | None) -> str | None:
    if label is Label.AGE:
        age = parse_age(value)
        return None if age is None else f"age-{int(age.years) // 10 * 10}"
    if label is Label.ZIP:
        digits = value.replace(" ", "")
        return f"departement-{digits[: 3 if digits.startswith(_OVERSEAS) else 2]}" if digits[:5].isdigit() else None
    day = _day(value, reference)
    if day is None or reference is None:
        return None
    days = reference.toordinal() - day
    return f"{'avant' if days >= 0 else 'apres'}-{_distance(abs(days))}"


def _day(value: str, reference: date | None) -> int | None:
    read = read_date(value, reference)
    return (read.first.toordinal() + read.last.toordinal()) // 2 if read and read.first and read.last else None


def _gap(days: int) -> str:
    return f"ecart-{'apres' if days >= 0 else 'avant'} ecart-{_distance(abs(days))}"


def _distance(days: int) -> str:
    for most in _DAYS:
        if days <= most:
            return f"j{most}"
    years = round(days / 365.25)
    return f"a{next((most for most in _YEARS if years <= most), years // 10 * 10)}"
