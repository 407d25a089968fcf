"""What a DATE mention says before it is placed on the calendar: the fields it writes, and how it writes them."""

from __future__ import annotations

from typing import NamedTuple

from deid.substitution.temporal.forms import Form
from deid.substitution.temporal.values import Unit


class Expression(NamedTuple):
    """Fields that are written; the others are None and come from the context.

    `year` below 100 was written with two digits. `weekday` is 0 on Monday, `season` 0 in winter; `rank` is the number
    of a quarter or semester; `feast` a name of `feasts`. `this_month`: the month is the document's ("le 8 courant").
    `march`: what a Tuesday may be as well, March of a year ("mar 13").
    """

    unit: Unit
    form: Form
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    season: int | None = None
    rank: int | None = None
    feast: str | None = None
    this_month: bool = False
    march: Expression | None = None
