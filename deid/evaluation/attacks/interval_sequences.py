"""Documents known again by the days between their dates (Tchouka et al. 2022, section 4.6)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from deid.evaluation.attacks.chronicle import Chronicle, Dates
from deid.substitution.temporal.values import index_of

# Fewer dates than this are no sequence of intervals.
_LEAST_DATES = 3
# A move that so many whole days share is believed, also where one date more does not share it.
_BELIEVED = 3


@dataclass(frozen=True, slots=True)
class Sequences:
    """Shares of the documents that hold three dates or more, their own among them; `without` others are left out.

    `unique`: no other patient has a document whose dates are a moved copy of these. `exact`: the published dates are a
    moved copy of the true ones of one patient, the right one. `nearest`: the true document whose days, counted from
    its own date, are nearest is one of the right patient; `chance` is what a blind guess gets.
    """

    documents: int
    without: int
    unique: float
    exact: float
    nearest: float
    chance: float


def sequences(published: Sequence[Chronicle]) -> Sequences:
    """The attack of who knows the true dates of every document, and looks for each published one among them.

    Dates are a moved copy of others when there is a number of days that moves all whole days onto each other, and
    months and years to within one of where they are. Where it moves three whole days or more, one date may be
    elsewhere: birth dates of the eldest are brought up, and the original's words avoided. The document's own date is
    one of them: it is published with the text and moves with it. (In the article the first date is the day of the
    experiment, and left out.)

    `nearest` is not in the article: it forgives noise. Among documents of as many whole days, it takes the least sum
    of log(1 + days apart), each counted from the document's own, in which one day far off weighs little; between equals
    it guesses.

    Raises:
        ValueError: no document holds three dates.
    """
    known = [one for one in published if len(one.true.days) + len(one.true.coarse) >= _LEAST_DATES]
    if not known:
        raise ValueError("no document holds three dates")
    by_shape: dict[Hashable, list[Chronicle]] = defaultdict(list)
    for one in known:
        by_shape[_shape(one.true)].append(one)
    return Sequences(
        documents=len(known),
        without=len(published) - len(known),
        unique=_mean(_owners(one.true, by_shape) == {one.patient} for one in known),
        exact=_mean(_owners(one.told, by_shape) == {one.patient} for one in known),
        nearest=_mean(_nearest(known)),
        chance=1 / len({one.patient for one in known}),
    )


def _shape(dates: Dates) -> Hashable:
    """What no strategy that moves dates changes."""
    return len(dates.days), tuple(one.unit for one in dates.coarse)


def _owners(dates: Dates, by_shape: Mapping[Hashable, Sequence[Chronicle]]) -> set[str]:
    """Patients whose true dates these may be a moved copy of; a whole copy is preferred to one with an odd date."""
    owners: tuple[set[str], set[str]] = (set(), set())
    for one in by_shape.get(_shape(dates), ()):
        odd = _odd(one.true, dates)
        if odd is not None:
            owners[odd].add(one.patient)
    return owners[0] or owners[1]


def _odd(true: Dates, told: Dates) -> int | None:
    """How many dates are not where the others' move puts them, 0 or 1; None if this is no moved copy."""
    moves = Counter(there - here for here, there in zip(true.days, told.days, strict=True))
    move, agree = moves.most_common(1)[0]
    far = (
        abs(index_of(one.unit, one.middle + timedelta(days=move)) - other.index) > 1
        for one, other in zip(true.coarse, told.coarse, strict=True)
    )
    odd = len(true.days) - agree + sum(far)
    return odd if odd == 0 or (odd == 1 and agree >= _BELIEVED) else None


def _nearest(known: Sequence[Chronicle]) -> Iterable[float]:
    """Per document, the chance that the guess is a document of the right patient."""
    by_number: dict[int, list[Chronicle]] = defaultdict(list)
    for one in known:
        by_number[len(one.true.days)].append(one)
    rows = {number: _from_own_date(ones) for number, ones in by_number.items()}
    for one in known:
        told = np.array(one.told.days) - one.published_on.toordinal()
        if len(told) not in rows:
            yield 0.0
            continue
        apart = np.log1p(np.abs(rows[len(told)] - told)).sum(axis=1)
        best = np.flatnonzero(apart <= apart.min() + 1e-9)
        candidates = by_number[len(told)]
        yield _mean(candidates[at].patient == one.patient for at in best)


def _from_own_date(ones: Sequence[Chronicle]) -> NDArray[np.int64]:
    return np.array([[day - one.written_on.toordinal() for day in one.true.days] for one in ones], dtype=np.int64)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)
