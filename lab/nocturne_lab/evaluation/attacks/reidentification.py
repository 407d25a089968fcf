"""Re-identification of documents by the days between their dates (Tchouka et al. 2022, section 4.6)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Dates
from deid.domain.labels import Label
from deid.substitution.temporal.bounded import CLASSES
from deid.substitution.temporal.values import Instant, Unit, index_of
from nocturne_lab.evaluation.attacks.document_dates import DateSet, DocumentDates

# Fewer dates have no characteristic intervals.
_LEAST_DATES = 3
# A shift shared by so many whole days is accepted, even if one further date differs.
_BELIEVED = 3


@dataclass(frozen=True, slots=True)
class SequenceMatching:
    """Shares of documents with three dates or more, the document's own date included; `without` counts the others.

    `unique`: no other patient has a document with dates shifted from these. `exact`: the published dates are a shifted
    copy of the true dates of one patient only, the right one. `nearest`: the nearest true document, by days relative to
    its own date, is of the right patient; `chance` is the share of a random guess.
    """

    documents: int
    without: int
    unique: float
    exact: float
    nearest: float
    chance: float


def match_sequences(published: Sequence[DocumentDates]) -> SequenceMatching:
    """Match each published document to the true dates of every document (Tchouka et al. 2022, section 4.6).

    Dates are a shifted copy if one number of days maps all whole days onto each other, and months and years to within
    one unit. If three whole days or more agree, one date may differ: the birth dates of the eldest are raised, and an
    original value is never published. The document's own date is included; the article leaves its first date, the day
    of the experiment, out.

    `nearest`, which is not in the article, tolerates noise: among documents with as many whole days, it minimises the
    sum of log(1 + days apart), relative to each document's own date; ties are drawn at random.

    Raises:
        ValueError: no document holds three dates.
    """
    known = [one for one in published if len(one.true.days) + len(one.true.coarse) >= _LEAST_DATES]
    if not known:
        raise ValueError("no document holds three dates")
    by_shape: dict[Hashable, list[DocumentDates]] = defaultdict(list)
    for one in known:
        by_shape[_shape(one.true)].append(one)
    return SequenceMatching(
        documents=len(known),
        without=len(published) - len(known),
        unique=_mean(_owners(one.true, by_shape) == {one.patient} for one in known),
        exact=_mean(_owners(one.published, by_shape) == {one.patient} for one in known),
        nearest=_mean(_nearest(known)),
        chance=1 / len({one.patient for one in known}),
    )


def _shape(dates: DateSet) -> Hashable:
    """Return the invariants of every strategy that shifts dates: the number of days and the coarser units."""
    return len(dates.days), tuple(one.unit for one in dates.coarse)


def _owners(dates: DateSet, by_shape: Mapping[Hashable, Sequence[DocumentDates]]) -> set[str]:
    """Return the patients of whose true dates `dates` may be a shifted copy; exact copies come first."""
    owners: tuple[set[str], set[str]] = (set(), set())
    for one in by_shape.get(_shape(dates), ()):
        odd = _odd(one.true, dates)
        if odd is not None:
            owners[odd].add(one.patient)
    return owners[0] or owners[1]


def _odd(true: DateSet, published: DateSet) -> int | None:
    """Return the number of dates off the common shift, 0 or 1; None if `published` is no shifted copy."""
    moves = Counter(there - here for here, there in zip(true.days, published.days, strict=True))
    move, agree = moves.most_common(1)[0]
    far = (
        abs(index_of(one.unit, one.middle + timedelta(days=move)) - other.index) > 1
        for one, other in zip(true.coarse, published.coarse, strict=True)
    )
    odd = len(true.days) - agree + sum(far)
    return odd if odd == 0 or (odd == 1 and agree >= _BELIEVED) else None


def _nearest(known: Sequence[DocumentDates]) -> Iterable[float]:
    """Yield, for each document, the probability that the nearest document is of the right patient."""
    by_number: dict[int, list[DocumentDates]] = defaultdict(list)
    for one in known:
        by_number[len(one.true.days)].append(one)
    rows = {number: _from_own_date(ones) for number, ones in by_number.items()}
    for one in known:
        offsets = np.array(one.published.days) - one.published_on.toordinal()
        if len(offsets) not in rows:
            yield 0.0
            continue
        apart = np.log1p(np.abs(rows[len(offsets)] - offsets)).sum(axis=1)
        best = np.flatnonzero(apart <= apart.min() + 1e-9)
        candidates = by_number[len(offsets)]
        yield _mean(candidates[at].patient == one.patient for at in best)


def _from_own_date(ones: Sequence[DocumentDates]) -> NDArray[np.int64]:
    return np.array([[day - one.written_on.toordinal() for day in one.true.days] for one in ones], dtype=np.int64)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


# Known dates: the attacker has a few true dates of a patient and the policy, not the key.
Floats = NDArray[np.float64]
Source = Literal["text", "document"]
# Known dates are drawn from so many days before the last document, as in a table of hospital stays.
_YEARS = 3 * 365
# Noise beyond so many days has the density `_FLOOR`.
_REACH = 1500
# Density of an unforeseen date: one odd date must not exclude a patient.
_FLOOR = 1e-7
_SHIFT_REACH = 10  # times the scale of the anchor's shift


@dataclass(frozen=True, slots=True)
class Linkage:
    """Ranks of the right patient among `candidates`, over `targets`; ties are drawn at random."""

    source: Source
    known: int
    targets: int
    candidates: int
    top_1: float
    top_10: float
    chance_1: float
    chance_10: float


def link_known_dates(
    published: Sequence[DocumentDates], dates: Dates, source: Source, known: int, seed: int = 1
) -> Linkage:
    """Rank patients by the likelihood of `known` true dates of one patient.

    The likelihood is Σ_s P(s) Π_k h(d_k + s): s is the patient's shift, with its distribution under the policy; h is
    the mixture, over a candidate's published dates, of the density of a published date around the true one. The
    density is estimated, by distance from the document's date, on half of the patients, as by running the product on
    data of one's own. The targets are the other half; all patients are candidates.

    Args:
        published: dates of every document.
        dates: the policy for dates.
        source: whole days in the texts ("text"), or the documents' own dates ("document").
        known: number of known dates.
        seed: of the draw of known dates.

    Raises:
        ValueError: no target has as many dates.
    """
    people = sorted({one.patient for one in published})
    law = _Law.fitted([one for one in published if one.patient in set(people[::2])])
    last = max(one.written_on.toordinal() for one in published)
    true = {one: _true_days(published, one, source, last - _YEARS) for one in people[1::2]}
    targets = [one for one in true if len(true[one]) >= known]
    if not targets:
        raise ValueError(f"no patient has {known} dates")
    shifts, shares = _shifts(dates)
    low, high = last - _YEARS + int(shifts.min()), last + 400 + int(shifts.max())
    spans = _published_spans(published, source, precision=_precision(dates))
    mixtures = np.array([_mixture(spans[one], law, low, high) for one in people])
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


def _true_days(published: Sequence[DocumentDates], patient: str, source: Source, since: int) -> set[int]:
    mine = [one for one in published if one.patient == patient]
    own = {one.written_on.toordinal() for one in mine}
    if source == "document":
        return {day for day in own if day >= since}
    pairs = (pair for one in mine for pair in one.pairs if pair.label is Label.DATE and not pair.birth)
    days = {pair.true.index for pair in pairs if pair.true.unit is Unit.DAY}
    latest = max(own)
    return {day for day in days - own if since <= day <= latest + 300}


def _precision(dates: Dates) -> Unit:
    """Return the precision of a document's published date."""
    if dates.strategy != "generalise":
        return Unit.DAY
    return Unit.MONTH if dates.granularity == "month" else Unit.YEAR


def _published_spans(
    published: Sequence[DocumentDates], source: Source, precision: Unit
) -> Mapping[str, set[tuple[int, int, int]]]:
    """Map each patient to published dates: first day, last day, class of distance (−1: the document's own date)."""
    spans: dict[str, set[tuple[int, int, int]]] = defaultdict(set)
    for one in published:
        own = one.published_on.toordinal()
        if source == "document":
            spans[one.patient].add((*_span(Instant(precision, index_of(precision, one.published_on))), -1))
            continue
        spans[one.patient] |= set()
        for instant in (pair.published for pair in one.pairs if pair.label is Label.DATE):
            if instant is not None and instant.unit in (Unit.DAY, precision):
                spans[one.patient].add((*_span(instant), _class(instant, own)))
    return spans


def _span(instant: Instant) -> tuple[int, int]:
    return instant.first.toordinal(), instant.last.toordinal()


def _class(instant: Instant, own: int) -> int:
    distance = abs(instant.middle.toordinal() - own)
    return next((at for at, width in enumerate(CLASSES) if distance <= width), len(CLASSES))


class _Law:
    """Density of published − true − shift (days), by class of the published distance, on bins of growing width."""

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
    def fitted(cls, published: Sequence[DocumentDates]) -> _Law:
        found: dict[int, list[int]] = defaultdict(list)
        for one in published:
            own = one.published_on.toordinal()
            found[-1].append(own - one.written_on.toordinal() - one.shift)
            for pair in one.pairs:
                if pair.label is not Label.DATE or pair.birth or pair.published is None:
                    continue
                if pair.true.unit is pair.published.unit is Unit.DAY:
                    found[_class(pair.published, own)].append(pair.published.index - pair.true.index - one.shift)
        return cls(found)

    def around(self, at: int) -> Floats:
        """Return densities of a published date minus the shifted true date, from −`_REACH` to `_REACH` days."""
        known = self._densities
        return known[at] if at in known else known[-1]


def _mixture(spans: set[tuple[int, int, int]], law: _Law, low: int, high: int) -> Floats:
    """Return the density, on days `low` to `high`, of a true date moved by the patient's shift."""
    found = np.full(high - low + 1, _FLOOR)
    for first, last, at in spans:
        if first != last:  # a month: no noise, any of its days
            found[max(first - low, 0) : max(last - low + 1, 0)] += 1 / (last - first + 1) / len(spans)
            continue
        density = law.around(at)[::-1]  # the true day is the published one minus the residual
        left, right = max(low, first - _REACH), min(high, first + _REACH)
        if left <= right:
            part = density[left - first + _REACH : right - first + _REACH + 1]
            found[left - low : right - low + 1] += part / len(spans)
    return found


def _shifts(dates: Dates) -> tuple[NDArray[np.int64], Floats]:
    """Return the possible shifts of a patient in days, and their probabilities under the policy."""
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


def linkages(published: Sequence[DocumentDates], dates: Dates) -> Iterator[Linkage]:
    """Yield the attack with 1, 2, 3 and 5 known dates of each source, where some patient has as many."""
    sources: tuple[Source, ...] = ("text", "document")
    for source in sources:
        for known in (1, 2, 3, 5):
            try:
                yield link_known_dates(published, dates, source, known)
            except ValueError:
                continue
