"""Patients found again by who knows a few of their dates, and the policy, but not the key."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Dates
from deid.domain.labels import Label
from deid.evaluation.attacks.chronicle import Chronicle
from deid.substitution.temporal.bounded import CLASSES
from deid.substitution.temporal.values import Instant, Unit, index_of

Floats = NDArray[np.float64]
Source = Literal["text", "document"]
# Days before the last document that known dates are drawn from: what a stay table or an normalised holds.
_YEARS = 3 * 365
# Days that noise may move a date by and still be looked for; further, the floor answers.
_REACH = 1500
# The density of a date that came about in no way foreseen: an attacker must not exclude anybody for one odd date.
_FLOOR = 1e-7
_SHIFT_REACH = 10  # times the scale of the anchor's shift


@dataclass(frozen=True, slots=True)
class Linkage:
    """Ranks of the right patient among `candidates`, over `targets`; ties count as a blind choice among them."""

    source: Source
    known: int
    targets: int
    candidates: int
    top_1: float
    top_10: float
    chance_1: float
    chance_10: float


def linkage(published: Sequence[Chronicle], dates: Dates, source: Source, known: int, seed: int = 1) -> Linkage:
    """The Bayesian attack of who has `known` true dates of a patient.

    `source`: whole days told in the texts ("text"), or the documents' own dates ("document"). He ranks patients by
    the likelihood of the known dates, Σ_s P(s) Π_k h(d_k + s): s is the patient's shift, of the law that the policy
    states; h is a patient's mixture over his published dates of the law of a published date around the true one.
    That law he learns from half of the patients, as anybody may by running the product on data of his own, by how far
    the published date is from its document's; targets are the other half, all patients are candidates.

    Raises:
        ValueError: nobody of that half has so many dates.
    """
    people = sorted({one.patient for one in published})
    law = _Law.learnt([one for one in published if one.patient in set(people[::2])])
    last = max(one.written_on.toordinal() for one in published)
    true = {one: _true_days(published, one, source, last - _YEARS) for one in people[1::2]}
    targets = [one for one in true if len(true[one]) >= known]
    if not targets:
        raise ValueError(f"no patient has {known} dates")
    shifts, shares = _shifts(dates)
    low, high = last - _YEARS + int(shifts.min()), last + 400 + int(shifts.max())
    told = _told(published, source, said_as=_said_as(dates))
    mixtures = np.array([_mixture(told[one], law, low, high) for one in people])
    first, tenth = [], []
    for target in targets:
        days = random.Random(f"{seed}:{target}").sample(sorted(true[target]), known)  # noqa: S311
        likelihood = np.zeros(len(people))
        product = np.ones((len(people), len(shifts)))
        for day in days:
            product *= mixtures[:, day + shifts - low]
        likelihood = product @ shares
        right = likelihood[people.index(target)]
        above = int((likelihood > right * (1 + 1e-9)).sum())
        equal = int((np.abs(likelihood - right) <= right * 1e-9).sum())
        first.append(min(max((1 - above) / equal, 0.0), 1.0))
        tenth.append(min(max((10 - above) / equal, 0.0), 1.0))
    number = len(people)
    return Linkage(source, known, len(targets), number, _mean(first), _mean(tenth), 1 / number, min(1.0, 10 / number))


def _true_days(published: Sequence[Chronicle], patient: str, source: Source, since: int) -> set[int]:
    mine = [one for one in published if one.patient == patient]
    own = {one.written_on.toordinal() for one in mine}
    if source == "document":
        return {day for day in own if day >= since}
    said = (saying for one in mine for saying in one.sayings if saying.label is Label.DATE and not saying.birth)
    days = {saying.true.index for saying in said if saying.true.unit is Unit.DAY}
    latest = max(own)
    return {day for day in days - own if since <= day <= latest + 300}


def _said_as(dates: Dates) -> Unit:
    """What the published date of a document is precise to."""
    if dates.strategy != "generalise":
        return Unit.DAY
    return Unit.MONTH if dates.granularity == "month" else Unit.YEAR


def _told(published: Sequence[Chronicle], source: Source, said_as: Unit) -> Mapping[str, set[tuple[int, int, int]]]:
    """Per patient, published dates: first and last day, and the class of its distance (−1: the document's own)."""
    told: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    for one in published:
        own = one.published_on.toordinal()
        if source == "document":
            told[one.patient].add((*_span(Instant(said_as, index_of(said_as, one.published_on))), -1))
            continue
        told[one.patient] |= set()
        for instant in (saying.told for saying in one.sayings if saying.label is Label.DATE):
            if instant is not None and instant.unit in (Unit.DAY, said_as):
                told[one.patient].add((*_span(instant), _class(instant, own)))
    return told


def _span(instant: Instant) -> tuple[int, int]:
    return instant.first.toordinal(), instant.last.toordinal()


def _class(instant: Instant, own: int) -> int:
    distance = abs(instant.middle.toordinal() - own)
    return next((at for at, width in enumerate(CLASSES) if distance <= width), len(CLASSES))


class _Law:
    """The density of published − true − shift, by class of the published distance, on bins that widen with it."""

    def __init__(self, residuals: Mapping[int, Sequence[int]]) -> None:
        edges = [0, 1]
        while edges[-1] < _REACH:
            edges.append(max(edges[-1] + 1, int(edges[-1] * 1.25)))
        steps = np.arange(-_REACH, _REACH + 1)
        bins = np.sign(steps) * np.digitize(np.abs(steps), edges)
        self._densities: dict[int, Floats] = {}
        offset = bins - bins.min()
        widths = np.bincount(offset)
        for at, found in residuals.items():
            if at == -1 and not any(found):  # only shifted
                self._densities[at] = (steps == 0).astype(float)
                continue
            inside = [one for one in found if abs(one) <= _REACH]
            counts = np.bincount(offset[np.array(inside, dtype=np.intp) + _REACH], minlength=len(widths)) + 0.1
            self._densities[at] = (counts / counts.sum() / np.maximum(widths, 1))[offset]

    @classmethod
    def learnt(cls, published: Sequence[Chronicle]) -> _Law:
        found: dict[int, list[int]] = defaultdict(list)
        for one in published:
            own = one.published_on.toordinal()
            found[-1].append(own - one.written_on.toordinal() - one.shift)
            for saying in one.sayings:
                if saying.label is not Label.DATE or saying.birth or saying.told is None:
                    continue
                if saying.true.unit is saying.told.unit is Unit.DAY:
                    found[_class(saying.told, own)].append(saying.told.index - saying.true.index - one.shift)
        return cls(found)

    def around(self, at: int) -> Floats:
        """Densities of a published date minus the moved true one, from −`_REACH` to `_REACH`."""
        known = self._densities
        return known[at] if at in known else known[-1]


def _mixture(told: set[tuple[int, int, int]], law: _Law, low: int, high: int) -> Floats:
    """The density, on days `low` to `high`, of where a true date would be once moved by the patient's shift."""
    found = np.full(high - low + 1, _FLOOR)
    for first, last, at in told:
        if first != last:  # a month: no noise, any of its days
            found[max(first - low, 0) : max(last - low + 1, 0)] += 1 / (last - first + 1) / len(told)
            continue
        density = law.around(at)[::-1]  # the true day is the published one minus the residual
        left, right = max(low, first - _REACH), min(high, first + _REACH)
        if left <= right:
            part = density[left - first + _REACH : right - first + _REACH + 1]
            found[left - low : right - low + 1] += part / len(told)
    return found


def _shifts(dates: Dates) -> tuple[NDArray[np.int64], Floats]:
    """The patient's shift as the policy states its law."""
    if dates.strategy == "generalise":
        return np.array([0]), np.array([1.0])
    if dates.strategy == "uniform_shift":
        away = np.arange(dates.shift_min_days, dates.shift_max_days + 1)
        days = np.concatenate([-away, away])
        return days, np.full(len(days), 1 / len(days))
    reach = int(_SHIFT_REACH * dates.anchor_scale_days)
    days = np.array([day for day in range(-reach, reach + 1) if day])
    shares = np.exp(-np.abs(days) / dates.anchor_scale_days)
    return days, shares / shares.sum()


def attacks(published: Sequence[Chronicle], dates: Dates) -> Iterator[Linkage]:
    """The attack with 1, 2, 3 and 5 known dates of either source, where somebody has so many."""
    sources: tuple[Source, ...] = ("text", "document")
    for source in sources:
        for known in (1, 2, 3, 5):
            try:
                yield linkage(published, dates, source, known)
            except ValueError:
                continue


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
