"""Read a DATE mention in any French form: French order always, 12/02/2020 is 12 February."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from deid.french.folding import fold_line
from deid.substitution.temporal import forms, readers
from deid.substitution.temporal.feasts import UNDATED
from deid.substitution.temporal.forms import Expression, Form, Literal
from deid.substitution.temporal.tokens import Token, tokens
from deid.substitution.temporal.values import Unit

Reader = Callable[[list[Token], list[int], bool], Expression | None]

_SPREAD = re.compile(r"\d(?: ?[ /.-] ?\d){5,7}|\d(?: \d){3}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d) (?=[\d/.-])|(?<=[/.-]) (?=\d)")
_BOUNDARY = re.compile(r"(?<=\d)(?=[A-Za-zûé]{3})|(?<=[a-zûé]{2})(?=\d)")
# A time of day after a date, or the shift of who wrote it ("05 N"), stays as it is: no date is told by it.
_TIME = re.compile(
    r"(?:[T,]|,? (?:[àa] )?)\d{1,2} ?[hH:]\d{0,2}(?:[:.]\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?$|"
    r"(?<=\d) (?:AM|[MSNJ])$"
)
# "en sept" and "sept." are September, "le sept" the seventh.
_TUESDAY = re.compile(r"mar\.? ?\d{1,2}")  # or March of a year
_SEPTEMBER = re.compile(r"sept\.?", re.IGNORECASE)


@lru_cache(1 << 14)  # reading dates is 10 % of substitution, and dates come back in every document of a patient
def parse(text: str, *, as_year: bool = False) -> Expression | None:
    """Read the text of a DATE mention; None if it cannot be read.

    A day missing from its month (31/02) is kept: `resolving` brings it to the month's last day. A month above 12, a
    day above 31 or a year out of 1850-2150 is no date. `as_year` reads a lone number of two digits as a year ("en 98")
    instead of a day ("le 12").
    """
    if not text.strip():
        return None
    if _SEPTEMBER.fullmatch(text) and (as_year or "." in text):
        return Expression(Unit.MONTH, Form((forms.MonthName(text.strip("."), "short", "." in text),)), month=9)
    if _SPREAD.fullmatch(text):
        return _spread(text)
    timed = _TIME.search(text)
    if timed is not None and (dated := parse(text[: timed.start()])) is not None and dated.unit is Unit.DAY:
        return dated._replace(form=Form((*dated.form.parts, Literal(timed.group()))))
    return _said(text, as_year) or _said(_without_gaps(text), as_year)


def parse_local_feast(text: str) -> Expression | None:
    """Read what a feast is of ("igname" behind "la fête de l'") as a feast without a date; None unless words alone."""
    if not all(word.isalpha() for word in re.split(r"[-' ]", text)):
        return None
    return Expression(Unit.MONTH, Form((forms.Feast(text),)), feast=UNDATED)


def _said(text: str, as_year: bool) -> Expression | None:
    found = tokens(text)
    read = _read(found, as_year) if found else None
    if read is None or _TUESDAY.fullmatch(fold_line(text)) is None:
        return read
    return read._replace(march=_march(text, as_year))


def _march(text: str, as_year: bool) -> Expression | None:
    found = tokens(text, as_march=True)
    read = _read(found, as_year) if found else None
    return read if read is not None and read.unit is Unit.MONTH else None


def _spread(text: str) -> Expression | None:
    """Read a date with its figures set apart: "1 2 / 0 3 / 2 0 2 0"."""
    gaps = {match.start() for match in _BETWEEN_DIGITS.finditer(text)}
    joined = "".join(char for place, char in enumerate(text) if place not in gaps)
    found = parse(joined) if gaps else None
    if found is None:
        return None
    template = "".join(" " if place in gaps else "0" for place in range(len(text)))
    return found._replace(form=Form((forms.Spread(found.form, template),)))


def _without_gaps(text: str) -> str:
    """Return `text` with spaces only between numbers and words: a word broken by a scan ("ju illet") is whole."""
    return _BOUNDARY.sub(" ", re.sub(r"\s+", "", text))


def _read(found: list[Token], as_year: bool) -> Expression | None:
    places = [place for place, token in enumerate(found) if token.kind != "L"]
    for reader in _readers("".join([found[place].kind for place in places])):
        if (read := reader(found, list(places), as_year)) is not None:
            return read
    return None


def _readers(signature: str) -> tuple[Reader, ...]:
    """Return the readers for tokens of these kinds, in order of trial."""
    return tuple(reader for pattern, reader in _GRAMMAR if pattern.fullmatch(signature))


_GRAMMAR: list[tuple[re.Pattern[str], Reader]] = [
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"F?W?[NXO][MR][NX]?", readers.day_month),
        (r"W?MNN", readers.month_first),
        (r"[XOF]?W?M[NX]?|NM|RN", readers.month_year),
        (r"F?S[NX]?N?", readers.season),
        (r"W?F[NX]?", readers.feast),
        (r"[QH][NX]?|N[QH]", readers.part_of_year),
        (r"K[NX]?|NK", readers.week),
        (r"W?[NO]N{2}", readers.numeric),
        (r"XXX", readers.spoken),
        (r"W?[NO]N", readers.pair),
        (r"W?[NXO]C", readers.this_month),
        (r"W?[NXO]", readers.single),
        (r"W", readers.only_weekday),
    )
]
