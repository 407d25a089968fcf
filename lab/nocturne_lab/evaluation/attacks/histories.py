"""Dates of many patients as arrays, and the ways to publish them that an informed attacker is measured against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Unit = Literal["patient", "episode", "day"]
_WEEK, _SATURDAY = 7, 5
_EPOCH = date(1970, 1, 1).toordinal()
_STEPS = (0, -1, 1, -2, 2, -3, 3)  # as in `deid.substitution.temporal.episodes`
PARTS, TOGETHER = (0, 0, 0, 1, 2, 3, 3), 3  # compared, not shipped
WEEKDAYS, ANY_DAY = tuple(range(_WEEK)), (0,) * _WEEK
# What the first day of a unit keeps: nothing, whether it is a working day, the part of the week, the weekday.
NOTHING, KIND, PART, WEEKDAY = range(4)


@dataclass(frozen=True, slots=True)
class Histories:
    """Days that documents date or tell, a row for each, sorted by patient, then by document.

    Attributes:
        patient: number of the patient, from 0.
        document: number of the document, from 0.
        episode: number of the stay, or of the days told close together outside of it, that the day belongs to.
        first: first day of that episode, proleptic Gregorian ordinal.
        weekly: whether that episode lasts more than a day.
        outside: whether it is no stay.
        day: the true day, proleptic Gregorian ordinal.
        own: whether it is the document's own date.
    """

    patient: Ints
    document: Ints
    episode: Ints
    first: Ints
    weekly: Flags
    outside: Flags
    day: Ints
    own: Flags

    @property
    def patients(self) -> int:
        """Number of patients."""
        return int(self.patient[-1]) + 1

    def head(self, patients: int) -> Histories:
        """Return the rows of the first patients."""
        stop = int(np.searchsorted(self.patient, patients))
        return replace(self, **{name: getattr(self, name)[:stop] for name in self.__slots__})


@dataclass(frozen=True, slots=True)
class Mechanism:
    """Way to publish dates: a shift of the patient, and a move of each unit around it, both discrete Laplace.

    Attributes:
        name: as in the tables.
        patient_scale: of the patient's shift, days; 0 for none.
        unit_scale: of the move of a unit, days; 0 for none.
        unit: what moves as a whole: the patient, an episode, or each day by itself.
        parts: part of the week of each weekday, Monday first, that a stay of two days or more keeps, each of its days
            then brought to its kind: as shipped, each weekday is a part. Days outside move by whole weeks,
            stays of a day keep working days. None: any day.
        together: days after the first of such a stay that are not brought to their kind.
        jitter: scale of noise on each day within its unit, days; 0 for none.
    """

    name: str
    patient_scale: float
    unit_scale: float
    unit: Unit = "episode"
    parts: tuple[int, ...] | None = WEEKDAYS
    together: int = TOGETHER
    jitter: float = 0.0

    def publish(self, true: Histories, rng: np.random.Generator) -> Ints:
        """Return the published day of each row; equal days of a unit are published alike."""
        units, keeps = self.units(true), self.keeps(true.weekly, true.outside)
        first_row = _first_rows(units)
        shift = laplace(rng, self.patient_scale, true.patients)[true.patient[first_row]]
        move = self._moves(rng, shift, true.first[first_row], keeps[first_row])
        moved = self.moved(true.day, true.first, move[units], keeps)
        if self.jitter:
            _, same = np.unique(true.patient * 10**7 + true.day, return_inverse=True)
            moved = moved + laplace(rng, self.jitter, int(same.max()) + 1)[same]
        return moved

    def units(self, true: Histories) -> Ints:
        """Return the number of the unit of each row, from 0."""
        match self.unit:
            case "patient":
                keys = true.patient
            case "episode":
                keys = true.episode
            case _:
                keys = true.patient * 10**7 + true.day
        return np.unique(keys, return_inverse=True)[1]

    def keeps(self, weekly: Flags, outside: Flags) -> Ints:
        """Return for each row what the first day of its unit keeps."""
        if self.parts is None:
            return np.full(len(weekly), NOTHING)
        return np.where(outside, WEEKDAY, np.where(weekly, PART, KIND))

    def allowed(self, moves: Ints, first: Ints, keeps: Ints) -> Flags:
        """Return which moves units may take that begin on `first`."""
        part = np.array(self.parts or ANY_DAY)
        choices = (
            np.ones(len(moves), dtype=np.bool_),
            is_weekend(first + moves) == is_weekend(first),
            part[(first + moves - 1) % _WEEK] == part[(first - 1) % _WEEK],
            moves % _WEEK == 0,
        )
        found: Flags = np.choose(keeps, choices)
        return found

    def moved(self, day: Ints, first: Ints, moves: Ints, keeps: Ints) -> Ints:
        """Return days moved, and brought to their kind, of units that begin on `first`."""
        to = day + moves
        together = (day >= first) & (day - first <= np.where(keeps == PART, self.together, 1))
        single = ((keeps == KIND) | (keeps == PART)) & ~together
        return np.where(single, nearest_of_kind(to, is_weekend(day)), to)

    def _moves(self, rng: np.random.Generator, shift: Ints, first: Ints, keeps: Ints) -> Ints:
        """Return moves around `shift`, drawn again until they are of those that the unit may take."""
        moves = shift + laplace(rng, self.unit_scale, len(shift))
        if not self.unit_scale:
            return moves
        while len(wrong := np.flatnonzero(~self.allowed(moves, first, keeps))):
            moves[wrong] = shift[wrong] + laplace(rng, self.unit_scale, len(wrong))
        return moves


# First day of every patient's changed time: before all known dates of a study.
ORIGIN = date(2020, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class TimeChange:
    """Keyed monotone change of a patient's time, which is compared here and not shipped.

    Each day from `ORIGIN` on lasts a number of days with a negative binomial law of mean 1 and shape `shape`, behind a
    discrete Laplace shift of the patient. Days before `ORIGIN` move by the shift alone.
    """

    name: str
    patient_scale: float
    shape: float

    def publish(self, true: Histories, rng: np.random.Generator) -> Ints:
        """Return the published day of each row; the order of days is kept."""
        shift = laplace(rng, self.patient_scale, true.patients)[true.patient]
        keys, same = np.unique(true.patient * 10**7 + true.day, return_inverse=True)
        elapsed = np.maximum(keys % 10**7 - ORIGIN, 0)
        new = np.diff(keys // 10**7, prepend=-1) != 0
        steps = np.where(new, elapsed, np.diff(elapsed, prepend=0))
        drawn = np.where(steps > 0, rng.negative_binomial(np.maximum(steps, 1) * self.shape, self.heads), 0)
        total = np.cumsum(drawn)
        starts = np.maximum.accumulate(np.where(new, np.arange(len(keys)), 0))
        lasted = total - (total - drawn)[starts]
        published: Ints = np.where(true.day > ORIGIN, ORIGIN + lasted[same], true.day) + shift
        return published

    @property
    def heads(self) -> float:
        """Return the parameter p of the negative binomial law of mean 1."""
        return self.shape / (1 + self.shape)

    def units(self, true: Histories) -> Ints:
        """Return the number of the stay of each row, from 0."""
        return np.unique(true.episode, return_inverse=True)[1]


@dataclass(frozen=True, slots=True)
class Generalised:
    """Months or years instead of days (`generalise`): the true ones, without noise."""

    name: str
    period: Literal["M", "Y"]

    def publish(self, true: Histories, _rng: np.random.Generator) -> Ints:
        """Return the first day of the period of each row."""
        days = (true.day - _EPOCH).astype("datetime64[D]").astype(f"datetime64[{self.period}]").astype("datetime64[D]")
        first: Ints = days.view(np.int64) + _EPOCH
        return first

    def units(self, true: Histories) -> Ints:
        """Return the number of the patient's day of each row, from 0."""
        keys: Ints = true.patient * 10**7 + true.day
        return np.unique(keys, return_inverse=True)[1]


Way = Mechanism | TimeChange | Generalised


def laplace(rng: np.random.Generator, scale: float, size: int) -> Ints:
    """Return draws of discrete Laplace noise, P(x) ∝ exp(−|x| / scale); zeros for a scale of 0."""
    if not scale:
        return np.zeros(size, dtype=np.int64)
    heads = 1 - np.exp(-1 / scale)
    return rng.geometric(heads, size) - rng.geometric(heads, size)


def is_weekend(ordinal: Ints) -> Flags:
    """Return whether days are Saturdays or Sundays."""
    found: Flags = (ordinal - 1) % _WEEK >= _SATURDAY
    return found


def nearest_of_kind(ordinal: Ints, weekend: Flags) -> Ints:
    """Return the nearest days that are of a weekend or a working day, as asked; the earlier of two."""
    found = np.zeros_like(ordinal)
    missing = np.ones(len(ordinal), dtype=np.bool_)
    for step in _STEPS:
        fits = missing & (is_weekend(ordinal + step) == weekend)
        found[fits] = ordinal[fits] + step
        missing &= ~fits
    return found


def _first_rows(units: Ints) -> Ints:
    return np.unique(units, return_index=True)[1].astype(np.int64)
