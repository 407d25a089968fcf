"""Lower bound of ε from samples of a mechanism's outputs under two inputs, at a stated confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from nocturne_lab.evaluation.intervals import share_bounds


@dataclass(frozen=True, slots=True)
class Audit:
    """Claimed and measured privacy loss.

    Attributes:
        mechanism: name and public parameters of the mechanism.
        inputs: the two neighbours.
        claimed: nats between the two; infinite without a claim.
        lower: lower bound in nats, from the draws.
        draws: outputs per input.
        confidence: probability, per audit, that `lower` is not above the true loss.
    """

    mechanism: str
    inputs: str
    claimed: float
    lower: float
    draws: int
    confidence: float

    @property
    def refuted(self) -> bool:
        """True if the draws contradict the claim."""
        return self.lower > self.claimed


def lower_bound(one: Sequence[Hashable], other: Sequence[Hashable], confidence: float) -> float:
    """Return a lower bound, at least 0, of the loss between two inputs, valid with probability `confidence`.

    For any event S, ε ≥ log(P(S|v) / P(S|w)). The event and the order of v and w are chosen on the first half of each
    sample, among half-lines (for numeric outputs) and sets of the outputs likeliest under one input relative to the
    other: the first quarter orders the outputs, the second chooses the cut. On the other half, independent of the
    choice, the first probability is bounded from below and the second from above (Clopper and Pearson 1934), each at 1
    − (1 − confidence)/2: both bounds hold together at `confidence` by the union bound, even for dependent samples.
    Draws within a sample must be independent. Ding et al. 2018 choose events on one part of the data and test them on
    another; Jagielski, Ullman, Oprea 2020 bound ε after Clopper and Pearson.

    Args:
        one, other: outputs under v and under w, at least 4 each, in equal number.
        confidence: in (0, 1).

    Raises:
        ValueError: the samples differ in size or are too small.
    """
    if len(one) != len(other) or len(one) < 4:
        raise ValueError("an audit needs two samples of one size, of four draws or more")
    return max(0.0, _bound(_hits(one, other, _chosen(one, other, confidence)), len(one) - len(one) // 2, confidence))


def refuting_error(ones: Sequence[Sequence[Hashable]], others: Sequence[Sequence[Hashable]], claimed: float) -> float:
    """Return a p-value of the hypothesis that no view of two samples loses more than `claimed` nats.

    View and event are chosen on the first halves, so that many views cost nothing on the second. There, the p-value is
    the least error, of powers of 10^(1/8), at which the bound of `lower_bound` is above the claim.

    Args:
        ones, others: outputs under either input, a sequence for each view.
        claimed: in nats.
    """
    views = list(zip(ones, others, strict=True))
    view, best = max(((view, _chosen(*view, 1 - _CHOOSING)) for view in views), key=lambda one: one[1][0])
    hits, draws = _hits(*view, best), len(view[0]) - len(view[0]) // 2
    least = 1.0
    while least > _LEAST and _bound(hits, draws, 1 - least * _STEP) > claimed:
        least *= _STEP
    return least


def detectable_loss(probability: float, draws: int, error: float, claimed: float) -> float:
    """Return the least true loss that refutes a claim, of an event that has `probability` under the likelier input.

    Hits are counted at their expectation: half of such losses are found, and nearly all a little above it.
    """
    half = draws - draws // 2
    for unlikely in range(half, -1, -1):
        likely = round(probability * half)
        if unlikely <= likely and _bound((likely, unlikely), half, 1 - error) > claimed:
            return float(np.log(likely / unlikely)) if unlikely else float("inf")
    return float("inf")


_CHOOSING = 0.01  # error at which events are compared
_STEP = 10 ** (-1 / 8)
_LEAST = 1e-15
# Bound on the samples' second quarters, outputs of the event, whether the second input is the likelier one.
_Chosen = tuple[float, frozenset[Hashable], bool]


def _chosen(one: Sequence[Hashable], other: Sequence[Hashable], confidence: float) -> _Chosen:
    quarter, half = len(one) // 4, len(one) // 2
    order = _orders(Counter(one[:quarter]), Counter(other[:quarter]))
    return _event(order, Counter(one[quarter:half]), Counter(other[quarter:half]), confidence)


def _hits(one: Sequence[Hashable], other: Sequence[Hashable], chosen: _Chosen) -> tuple[int, int]:
    """Count the event in the second halves, of the likelier input first."""
    _, event, swapped = chosen
    hits = [sum(map(event.__contains__, sample[len(sample) // 2 :])) for sample in (one, other)]
    return (hits[1], hits[0]) if swapped else (hits[0], hits[1])


def _bound(hits: tuple[int, int], draws: int, confidence: float) -> float:
    return float(_log_ratio(np.array([hits[0]]), np.array([hits[1]]), draws, confidence)[0])


def _orders(one: Counter[Hashable], other: Counter[Hashable]) -> list[list[Hashable]]:
    """Return the outputs sorted by likelihood ratio between the inputs, and by value if they are numbers."""
    outputs: list[Hashable] = list(one.keys() | other.keys())
    # Ties are sorted independently of the hashes of strings.
    outputs.sort(key=lambda output: ((one[output] + 0.5) / (other[output] + 0.5), repr(output)))
    if not all(isinstance(output, Real) for output in outputs):
        return [outputs]
    return [outputs, sorted(outputs)]  # type: ignore[type-var]


def _event(
    orders: list[list[Hashable]], one: Counter[Hashable], other: Counter[Hashable], confidence: float
) -> _Chosen:
    """Return the greatest bound of an initial or final segment of an order, its outputs, and which is likelier."""
    draws = one.total()
    best, event, other_way = -np.inf, frozenset[Hashable](), False
    for row in (*orders, *(order[::-1] for order in orders)):
        totals = [np.cumsum([sample[output] for output in row]) for sample in (one, other)]
        for swapped, (likely, unlikely) in enumerate((totals, totals[::-1])):
            ratios = _log_ratio(likely, unlikely, draws, confidence)
            at = int(np.argmax(ratios))
            if ratios[at] > best:
                best, event, other_way = float(ratios[at]), frozenset(row[: at + 1]), bool(swapped)
    return best, event, other_way


def _log_ratio(
    likely: NDArray[np.int64], unlikely: NDArray[np.int64], draws: int, confidence: float
) -> NDArray[np.float64]:
    """Return log of (lower bound of likely/draws) over (upper bound of unlikely/draws), for each pair of counts."""
    low, high = share_bounds(likely, draws, confidence)[0], share_bounds(unlikely, draws, confidence)[1]
    with np.errstate(divide="ignore"):
        ratio: NDArray[np.float64] = np.log(low) - np.log(high)
    return ratio
