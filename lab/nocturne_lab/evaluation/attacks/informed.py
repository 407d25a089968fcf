"""Find a patient by known dates, for who knows the policy, the law of arrival and which documents share a stay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.sparse import csr_matrix
from scipy.stats import nbinom

from nocturne_lab.evaluation.attacks.histories import (
    NOTHING,
    ORIGIN,
    PART,
    WEEKDAY,
    WEEKDAYS,
    Flags,
    Histories,
    Ints,
    Mechanism,
    TimeChange,
    Way,
    is_weekend,
)
from nocturne_lab.evaluation.intervals import RankedFirst, share_interval

Known = Literal["one stay", "three stays", "at random", "in the text"]
KNOWN: tuple[Known, ...] = ("one stay", "three stays", "at random", "in the text")
DATES = 3
Floats = NDArray[np.float64]
_REACH = 5  # times a scale
_FINE = 2  # steps of the grid of shifts to the smaller scale
_LONGEST = 4_000  # days between two published dates
_CHUNK = 2_000  # candidates
_YEARS = 3 * 365  # known dates are of the last three years, in days
_BINS = 5  # days, of the law of arrival


@dataclass(frozen=True, slots=True)
class Found(RankedFirst):
    """Patients found by three known dates, `known` being how these were chosen."""

    known: Known

    @property
    def most(self) -> float:
        """Upper bound of the share, of Clopper and Pearson (1934), at 95 % on one side."""
        return share_interval(self.hits, self.targets, 0.9)[1]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Distinct published days among which the attacker looks, sorted by patient and unit."""

    patient: Ints
    unit: Ints
    episode: Ints
    first: Ints
    weekly: Flags
    outside: Flags
    day: Ints
    published: Ints
    ends: Ints  # first row of each patient, and the end


def _rows(true: Histories, published: Ints, units: Ints, known: Known) -> _Rows:
    """Return own dates of documents, or days told that are the own date of none of the patient's documents."""
    keys = true.patient * 10**7 + true.day
    wanted = ~np.isin(keys, keys[true.own]) if known == "in the text" else true.own
    at = np.flatnonzero(wanted & (true.day > true.day[true.own].max() - _YEARS))
    order = np.lexsort((true.day[at], units[at], true.patient[at]))
    at = at[order]
    new = np.ones(len(at), dtype=np.bool_)
    new[1:] = (units[at[1:]] != units[at[:-1]]) | (true.day[at[1:]] != true.day[at[:-1]])
    at = at[new]
    ends = np.searchsorted(true.patient[at], np.arange(true.patients + 1))
    return _Rows(
        true.patient[at],
        units[at],
        true.episode[at],
        true.first[at],
        true.weekly[at],
        true.outside[at],
        true.day[at],
        published[at],
        ends,
    )


def _chosen(rows: _Rows, patient: int, known: Known, rng: np.random.Generator) -> Ints | None:
    """Return three rows of a patient that the attacker knows, of different days; None where there are not so many."""
    low, high = rows.ends[patient], rows.ends[patient + 1]
    episodes = rows.episode[low:high]
    if known == "one stay":
        stays, sizes = np.unique(episodes, return_counts=True)
        stays = stays[sizes >= DATES]
        if not len(stays):
            return None
        found: Ints = low + rng.choice(np.flatnonzero(episodes == rng.choice(stays)), DATES, replace=False)
        return found
    order = rng.permutation(high - low)
    parts = episodes if known == "three stays" else rows.day[low:high]
    order = order[np.sort(np.unique(parts[order], return_index=True)[1])][:DATES]
    return low + order if len(order) == DATES else None


def _weights(rows: _Rows, known: Known) -> tuple[Floats, Floats]:
    """Return what a row and a patient count for: the chance that, of all, the known dates are these."""
    _, at, sizes = np.unique(rows.episode, return_inverse=True, return_counts=True)
    stays = np.zeros(len(rows.ends) - 1)
    np.add.at(stays, rows.patient, (1 / sizes)[at])
    if known == "three stays":
        return (1 / sizes)[at], 1 / np.maximum(_threes(stays), 1)
    if known == "one stay":
        eligible = np.zeros(len(rows.ends) - 1)
        np.add.at(eligible, rows.patient, np.where(sizes >= DATES, 1 / sizes, 0)[at])
        return (1 / np.maximum(_threes(sizes), 1))[at], 1 / np.maximum(eligible, 1)
    return np.ones(len(rows.day)), 1 / np.maximum(_threes(np.diff(rows.ends)), 1)


def _threes(number: NDArray[np.generic]) -> Floats:
    whole = np.rint(number.astype(np.float64))
    found: Floats = whole * (whole - 1) * (whole - 2) / 6
    return found


class _Moves:
    """Likelihood of the known days for each candidate, where units move around a shift (`Mechanism`).

    With the published days Y of a candidate, P(known | Y) is proportional to the sum over shifts s of P(s) · P(Y | s)
    · Π_g Σ_u P(u's move, given s) / P(u | s): u is a unit that all days of group g fit into, another for each group,
    and P(u | s) the law of arrival, moved as a unit is.
    """

    def __init__(self, rows: _Rows, mechanism: Mechanism, known: Known) -> None:
        self._rows, self._mechanism = rows, mechanism
        self._keeps = mechanism.keeps(rows.weekly, rows.outside)
        self._row_weight, self._patient_weight = _weights(rows, known)
        step = max(1, int(min(mechanism.patient_scale, mechanism.unit_scale)) // _FINE)
        reach = int(_REACH * mechanism.patient_scale)
        self._shifts = np.arange(-(reach // step), reach // step + 1) * step
        self._prior = -np.abs(self._shifts) / mechanism.patient_scale if mechanism.patient_scale else np.zeros(1)
        new = np.flatnonzero(np.diff(rows.unit, prepend=-1))
        self._unit_patient, self._unit_day = rows.patient[new], rows.published[new]
        self._unit_episode = rows.episode[new]
        self._of_row = np.cumsum(np.isin(np.arange(len(rows.day)), new)) - 1
        self._unit_ends = np.searchsorted(self._unit_patient, np.arange(len(rows.ends)))
        self._low, self._arrival = self._arrivals(rows.day[new])
        self._keys = np.sort(rows.unit * 10**7 + rows.published)
        self._stays = np.sort(rows.episode * 10**7 + rows.published)

    def _arrivals(self, days: Ints) -> tuple[int, Floats]:
        """Return the logarithm of the law of arrival, moved as a unit is, on each day from a first one."""
        scale = self._mechanism.unit_scale
        bins, counts = np.unique(days // _BINS * _BINS + _BINS // 2, return_counts=True)
        low, high = int(bins[0]), int(bins[-1])
        away = np.abs(np.arange(low, high + 1)[:, None] - bins[None, :]) / scale
        inside = np.log((np.exp(-away) * (counts / counts.sum())).sum(axis=1))
        reach = int(2 * _REACH * (scale + self._mechanism.patient_scale)) + 40
        beyond = np.arange(1, reach + 1) / scale
        return low - reach, np.concatenate([(inside[0] - beyond)[::-1], inside, inside[-1] - beyond])

    def _evidence(self, units: slice | Ints) -> Floats:
        """Return log P(u | s) of some units, for each shift."""
        at = self._unit_day[units][:, None] - self._shifts[None, :] - self._low
        found: Floats = self._arrival[np.clip(at, 0, len(self._arrival) - 1)]
        return found

    def score(self, low: int, high: int, target: Ints) -> Floats:
        """Return the likelihood of the rows `target` for candidates `low` to `high`, up to a factor."""
        rows = self._rows
        groups = [target[rows.unit[target] == unit] for unit in np.unique(rows.unit[target])]
        span = np.arange(rows.ends[low], rows.ends[high])
        hits = [self._hits(span, group) for group in groups]
        able = np.ones(high - low, dtype=np.bool_)
        for at, _, _ in hits:
            able &= np.bincount(rows.patient[at] - low, minlength=high - low) > 0
        found = np.zeros(high - low)
        people = np.flatnonzero(able) + low
        if not len(people):
            return found
        units = np.arange(self._unit_ends[low], self._unit_ends[high])
        units = units[able[self._unit_patient[units] - low]]
        units = units[np.lexsort((self._unit_episode[units], self._unit_patient[units]))]
        owner, stay = self._unit_patient[units], self._unit_episode[units]
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        evidence = self._evidence(units)
        place = np.full(self._unit_ends[high] - self._unit_ends[low], -1)
        place[units - self._unit_ends[low]] = np.arange(len(units))
        parts = []
        for at, moves, weights in hits:
            kept = able[rows.patient[at] - low]
            to = place[self._of_row[at[kept]] - self._unit_ends[low]]
            law = np.exp(-np.abs(moves[kept, None] - self._shifts) / self._mechanism.unit_scale - evidence[to])
            spread = csr_matrix((weights[kept], (to, np.arange(len(to)))), shape=(len(units), len(to)))
            parts.append(spread @ law)
        log_shift = self._prior + np.add.reduceat(evidence, starts)
        shift = np.exp(log_shift - log_shift.max(axis=1, keepdims=True))
        shift /= shift.sum(axis=1, keepdims=True)
        if self._mechanism.unit == "day":
            terms = _by_stay(parts, rows.episode[[group[0] for group in groups]], owner, stay)
        else:
            terms = _apart(parts, starts)
        found[people - low] = (shift * terms).sum(axis=1) * self._patient_weight[people]
        return found

    def _hits(self, span: Ints, group: Ints) -> tuple[Ints, Ints, Floats]:
        """Return rows that may be the group's first day, the move of the unit if they are, and their weight."""
        rows, first = self._rows, group[0]
        alike = (rows.weekly[span] == rows.weekly[first]) & (self._keeps[span] == self._keeps[first])
        span = span[alike]
        noise, found = self._noises(), []
        for step, snap in product(noise, self._snaps(first)):
            published = rows.published[span] + step
            moves = published - rows.day[first] + snap
            weights = self._row_weight[span] * self._noise(step)
            weights *= self._allowed(first, moves)
            weights *= self._moved(first, moves) == published
            at = np.flatnonzero(weights)
            for other in group[1:]:
                same = rows.episode[other] == rows.episode[first]
                weights[at] *= self._among(span[at], self._moved(other, moves[at]), noise, same)
                at = at[weights[at] > 0]
            found.append((span[at], moves[at], weights[at]))
        at, moves, weights = (np.concatenate(one) for one in zip(*found, strict=True))
        return at, moves, weights

    def _noises(self) -> Sequence[int]:
        reach = 3 * int(np.ceil(self._mechanism.jitter))
        return range(-reach, reach + 1)

    def _noise(self, days: int) -> float:
        jitter = self._mechanism.jitter
        return float(np.exp(-abs(days) / jitter) * np.tanh(0.5 / jitter)) if jitter else 1.0

    def _snaps(self, row: np.int64) -> Sequence[int]:
        """Return by how many days a known day may have been brought to its kind."""
        rows, mechanism, keeps = self._rows, self._mechanism, self._keeps[row]
        together = 0 <= rows.day[row] - rows.first[row] <= (mechanism.together if keeps == PART else 1)
        whole = keeps in (NOTHING, WEEKDAY) or (keeps == PART and mechanism.parts == WEEKDAYS)
        if whole or together:
            return (0,)
        return range(-3, 4) if is_weekend(rows.day[row : row + 1])[0] else range(-1, 2)

    def _allowed(self, row: np.int64, moves: Ints) -> Flags:
        known = np.full(len(moves), row)
        return self._mechanism.allowed(moves, self._rows.first[known], self._keeps[known])

    def _moved(self, row: np.int64, moves: Ints) -> Ints:
        rows, known = self._rows, np.full(len(moves), row)
        return self._mechanism.moved(rows.day[known], rows.first[known], moves, self._keeps[known])

    def _among(self, at: Ints, days: Ints, noise: Sequence[int], same: bool) -> Floats:
        """Return the weight with which days stand among those published of the units, or stays, of some rows."""
        of, among = (self._rows.episode, self._stays) if same else (self._rows.unit, self._keys)
        found = np.zeros(len(at))
        for step in noise:
            keys = of[at] * 10**7 + days + step
            place = np.minimum(np.searchsorted(among, keys), len(among) - 1)
            found += (among[place] == keys) * self._noise(step)
        return found


class _Changes:
    """Likelihood of the known days for each candidate, where each patient's time is changed (`TimeChange`).

    Days of one stay are looked for in one stay of its kind, of two in two. The law of arrival is not used: what is
    found is found by a weaker attacker than that of `_Moves`.
    """

    def __init__(self, rows: _Rows, change: TimeChange, known: Known) -> None:
        self._rows, self._change = rows, change
        self._row_weight, self._patient_weight = _weights(rows, known)
        self._starts: dict[int, Floats] = {}

    def score(self, low: int, high: int, target: Ints) -> Floats:
        """Return the likelihood of the target's rows for candidates `low` to `high`, up to a factor."""
        rows = self._rows
        target = target[np.argsort(rows.day[target])]
        begin, end = rows.ends[low], rows.ends[high]
        patient = rows.patient[begin:end] - low
        place = np.arange(end - begin) - (rows.ends[:-1][low:high] - begin)[patient]
        shape = (high - low, int(place.max(initial=0)) + 1)
        days, stays, weights = np.zeros(shape, np.int64), np.full(shape, -1), np.zeros(shape)
        weekly = np.zeros(shape, np.bool_)
        weekly[patient, place] = rows.weekly[begin:end]
        days[patient, place] = rows.published[begin:end]
        stays[patient, place] = rows.episode[begin:end]
        weights[patient, place] = self._row_weight[begin:end]
        likely = weights * self._first(days, int(rows.day[target[0]])) * (weekly == rows.weekly[target[0]])
        for one, other in pairwise(target):
            gap = int(rows.day[other] - rows.day[one])
            law = nbinom.pmf(np.arange(_LONGEST), gap * self._change.shape, self._change.heads)
            apart = days[:, None, :] - days[:, :, None]
            step = np.where((apart >= 0) & (apart < _LONGEST), law[np.clip(apart, 0, _LONGEST - 1)], 0)
            together = stays[:, None, :] == stays[:, :, None]
            step *= together if rows.episode[one] == rows.episode[other] else ~together
            likely = np.einsum("pi,pij->pj", likely, step) * (weights > 0) * (weekly == rows.weekly[other])
        found: Floats = likely.sum(axis=1) * self._patient_weight[low:high]
        return found

    def _first(self, days: Ints, day: int) -> Floats:
        """Return the likelihood that a day is published as each of `days`: the shift, and the days since `ORIGIN`."""
        elapsed = max(day - ORIGIN, 1)
        reach = int(_REACH * self._change.patient_scale)
        if elapsed not in self._starts:
            lasted = nbinom.pmf(np.arange(3 * elapsed), elapsed * self._change.shape, self._change.heads)
            shift = np.exp(-np.abs(np.arange(-reach, reach + 1)) / self._change.patient_scale)
            self._starts[elapsed] = fftconvolve(lasted, shift / shift.sum())
        law = np.maximum(self._starts[elapsed], 1e-12)
        found: Floats = law[np.clip(days - ORIGIN + reach, 0, len(law) - 1)]
        return found


class _Periods:
    """Likelihood of the known days for each candidate, where only the period of a day is told (`Generalised`)."""

    def __init__(self, rows: _Rows, known: Known) -> None:
        self._rows = rows
        self._row_weight, self._patient_weight = _weights(rows, known)

    def score(self, low: int, high: int, target: Ints) -> Floats:
        """Return the likelihood of the target's rows for each candidate from `low` to `high`, up to a factor."""
        rows = self._rows
        span = np.arange(rows.ends[low], rows.ends[high])
        span = span[np.lexsort((rows.episode[span], rows.patient[span]))]
        parts = [
            (
                self._row_weight[span]
                * (rows.published[span] == rows.published[one])
                * (rows.weekly[span] == rows.weekly[one])
            )[:, None]
            for one in target
        ]
        owner = rows.patient[span]
        found = np.zeros(high - low)
        terms = _by_stay(parts, rows.episode[target], owner, rows.episode[span])
        found[np.unique(owner) - low] = terms[:, 0]
        return found * self._patient_weight[low:high]


def _by_stay(parts: Sequence[Floats], told: Ints, owner: Ints, stay: Ints) -> Floats:
    """Return the terms of `_apart` for each candidate, where known days share a stay if and only if `told` says so.

    Rows are sorted by candidate `owner`, then by `stay`.
    """
    stays = np.flatnonzero((np.diff(stay, prepend=-1) != 0) | (np.diff(owner, prepend=-1) != 0))
    together = [[one for one, at in zip(parts, told, strict=True) if at == each] for each in np.unique(told)]
    return _apart([_apart(one, stays) for one in together], np.flatnonzero(np.diff(owner[stays], prepend=-1)))


def _apart(parts: Sequence[Floats], starts: Ints) -> Floats:
    """Return for each candidate and shift the sum over different units of the product of the groups' terms."""
    alone = [np.add.reduceat(one, starts) for one in parts]
    if len(parts) == 1:
        return alone[0]
    if len(parts) == 2:
        both: Floats = np.maximum(alone[0] * alone[1] - np.add.reduceat(parts[0] * parts[1], starts), 0)
        return both
    one, other, third = parts
    pairs = sum(
        np.add.reduceat(left * right, starts) * rest
        for left, right, rest in ((one, other, alone[2]), (one, third, alone[1]), (other, third, alone[0]))
    )
    whole = alone[0] * alone[1] * alone[2] - pairs + 2 * np.add.reduceat(one * other * third, starts)
    found: Floats = np.maximum(whole, 0)
    return found


def find(
    true: Histories, mechanism: Way, known: Known, sizes: Sequence[int] = (320,), targets: int = 1_000, seed: int = 1
) -> list[Found]:
    """Look for patients by three known dates of each, among as many candidates as `sizes` say.

    A target stands in a block of as many patients as each size, counted from the first. It is found where no other of
    the block is likelier; of equal ones one is drawn.

    Args:
        true: dates of all patients, as many as the greatest size.
        mechanism: how they are published; drawn here.
        known: how the known dates are chosen.
        sizes: numbers of candidates, each a divisor of the next or a part of it.
        targets: number of patients looked for at least, where the population has as many.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    rows = _rows(true, mechanism.publish(true, rng), mechanism.units(true), known)
    likelihood = _likelihood(rows, mechanism, known)
    hits, looked = dict.fromkeys(sizes, 0), 0
    for patient in range(true.patients):
        if looked >= targets and patient % sizes[0] == 0:
            break
        target = _chosen(rows, patient, known, rng)
        if target is None:
            continue
        looked += 1
        for size in _found_among(likelihood.score, patient, target, sizes, true.patients, rng.random()):
            hits[size] += 1
    return [Found(size, looked, hits[size], known) for size in sizes]


def _likelihood(rows: _Rows, mechanism: Way, known: Known) -> _Moves | _Changes | _Periods:
    match mechanism:
        case Mechanism():
            return _Moves(rows, mechanism, known)
        case TimeChange():
            return _Changes(rows, mechanism, known)
        case _:
            return _Periods(rows, known)


def _found_among(
    score: Callable[[int, int, Ints], Floats],
    patient: int,
    target: Ints,
    sizes: Sequence[int],
    patients: int,
    tie: float,
) -> Iterator[int]:
    """Yield the sizes at which a target is found, until another patient is likelier."""
    seen, right, equal = (patient, patient), 0.0, 0
    for size in sizes:
        low = min(patient // size * size, patients - size)
        for start, stop in _chunks(low, low + size, seen):
            scores = score(start, stop, target)
            if start <= patient < stop:
                right = scores[patient - start]
            if (scores > right * (1 + 1e-9)).any():
                return
            equal += int((np.abs(scores - right) <= right * 1e-9).sum())
        seen = (low, low + size)
        if tie * equal < 1:
            yield size


def _chunks(low: int, high: int, seen: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield what of a range is not seen yet, in pieces; the first holds what was seen, if that was one patient."""
    if seen[0] == seen[1]:
        yield low, high
        return
    for begin, end in ((low, seen[0]), (seen[1], high)):
        for start in range(begin, end, _CHUNK):
            yield start, min(start + _CHUNK, end)
