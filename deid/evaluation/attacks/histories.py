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


@dataclass(frozen=True, slots=True)
class Histories:
    """Days that documents date or tell, a row for each, sorted by patient, then by document.

    Attributes:
        patient: number of the patient, from 0.
        document: number of the document, from 0.
        episode: number of the stay, or of the patient's quarter of a year, that the day belongs to.
        first: first day of that episode, proleptic Gregorian ordinal.
        weekly: whether that episode moves by whole weeks.
        day: the true day, proleptic Gregorian ordinal.
        own: whether it is the document's own date.
    """

    patient: Ints
    document: Ints
    episode: Ints
    first: Ints
    weekly: Flags
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
        calendar: whether episodes of more than a day move by whole weeks and others keep working days.
        jitter: scale of noise on each day within its unit, days; 0 for none.
    """

    name: str
    patient_scale: float
    unit_scale: float
    unit: Unit = "episode"
    calendar: bool = True
    jitter: float = 0.0

    def publish(self, true: Histories, rng: np.random.Generator) -> Ints:
        """Return the published day of each row; equal days of a unit are published alike."""
        units = self.units(true)
        first_row = _first_rows(units)
        shift = laplace(rng, self.patient_scale, true.patients)[true.patient[first_row]]
        move = _moves(rng, self.unit_scale, shift, true.first[first_row], self._steps(true)[first_row])
        moved = true.day + move[units]
        if self.calendar:
            moved = np.where(true.weekly, moved, nearest_of_kind(moved, is_weekend(true.day)))
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

    def _steps(self, true: Histories) -> Ints:
        """Return for each row 7 if its unit moves by whole weeks, 2 if it keeps working days, else 1."""
        if not self.calendar:
            return np.ones(len(true.day), dtype=np.int64)
        return np.where(true.weekly, _WEEK, 2)


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


def _moves(rng: np.random.Generator, scale: float, shift: Ints, first: Ints, steps: Ints) -> Ints:
    """Return moves around `shift`, drawn again until they are of the kind that the unit may take."""
    moves = shift + laplace(rng, scale, len(shift))
    if not scale:
        return moves
    while len(wrong := np.flatnonzero(~allowed(moves, first, steps))):
        moves[wrong] = shift[wrong] + laplace(rng, scale, len(wrong))
    return moves


def allowed(moves: Ints, first: Ints, steps: Ints) -> Flags:
    """Return which moves a unit may take: whole weeks (7), to a day of the kind of its first (2), any (1)."""
    kept = is_weekend(first + moves) == is_weekend(first)
    found: Flags = np.where(steps == _WEEK, moves % _WEEK == 0, (steps == 1) | kept)
    return found


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
