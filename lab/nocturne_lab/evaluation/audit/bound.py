"""Lower bound of ε from samples of a mechanism's outputs under two inputs, at a stated confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta


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
    quarter, half = len(one) // 4, len(one) // 2
    order = _orders(Counter(one[:quarter]), Counter(other[:quarter]))
    chosen, swapped = _event(order, Counter(one[quarter:half]), Counter(other[quarter:half]), confidence)
    likely, unlikely = (other[half:], one[half:]) if swapped else (one[half:], other[half:])
    draws = len(likely)
    hits = [np.array([sum(map(chosen.__contains__, sample))]) for sample in (likely, unlikely)]
    return max(0.0, float(_log_ratio(hits[0], hits[1], draws, confidence)[0]))


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
) -> tuple[frozenset[Hashable], bool]:
    """Return the initial or final segment of an order with the greatest bound, and whether `other` is likelier."""
    draws = one.total()
    best, event, other_way = -np.inf, frozenset[Hashable](), False
    for row in (*orders, *(order[::-1] for order in orders)):
        totals = [np.cumsum([sample[output] for output in row]) for sample in (one, other)]
        for swapped, (likely, unlikely) in enumerate((totals, totals[::-1])):
            ratios = _log_ratio(likely, unlikely, draws, confidence)
            at = int(np.argmax(ratios))
            if ratios[at] > best:
                best, event, other_way = float(ratios[at]), frozenset(row[: at + 1]), bool(swapped)
    return event, other_way


def _log_ratio(
    likely: NDArray[np.int64], unlikely: NDArray[np.int64], draws: int, confidence: float
) -> NDArray[np.float64]:
    """Return log of (lower bound of likely/draws) over (upper bound of unlikely/draws), for each pair of counts."""
    tail = (1 - confidence) / 2
    # The beta quantiles are undefined for no hit (lower bound 0) and for hits only (upper bound 1).
    low = np.where(likely > 0, beta.ppf(tail, np.maximum(likely, 1), draws - likely + 1), 0.0)
    high = np.where(unlikely < draws, beta.ppf(1 - tail, unlikely + 1, np.maximum(draws - unlikely, 1)), 1.0)
    with np.errstate(divide="ignore"):
        ratio: NDArray[np.float64] = np.log(low) - np.log(high)
    return ratio
