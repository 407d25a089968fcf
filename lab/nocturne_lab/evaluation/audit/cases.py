"""Shipped mechanisms on neighbouring inputs, with the claimed loss between the two."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, hypot, inf, log

from deid.privacy.bernoulli import exp_coin
from deid.privacy.bounded_laplace import GRID_BITS, bounded_laplace, bounded_scale, demand, loss_is_within
from deid.privacy.exponential import exponential
from deid.privacy.laplace import discrete_laplace
from deid.privacy.planar_laplace import planar_laplace
from deid.privacy.stream import KeyedStream
from nocturne_lab.evaluation.audit.bound import Audit, lower_bound

# A public seed: every audit has the same draws.
_SECRET = b"the audit's draws are the same for everyone"
DRAWS = 1_000_000
CONFIDENCE = 0.9999

# One output for each of the two inputs; the noise may be shared, since each sample has its own bound.
Pair = Callable[[KeyedStream], tuple[Hashable, Hashable]]


@dataclass(frozen=True, slots=True)
class Case:
    """Mechanism on two neighbouring inputs.

    Attributes:
        mechanism: name and public parameters of the mechanism.
        inputs: the two neighbours.
        claimed: nats between the two; infinite without a claim.
        pair: function that draws an output, or a function of an output, for each input.
    """

    mechanism: str
    inputs: str
    claimed: float
    pair: Pair


@lru_cache(maxsize=4096)
def bounded_epsilon(scale: Fraction, width: int, distance: int) -> Fraction:
    """L(distance) of `deid.privacy.bounded_laplace` in nats, rounded up by a millionth at most.

    It is the cost of telling values apart.

    For distance 1 this is the ε of ε·d-privacy, per unit of the value.

    Args:
        scale: b, above 0, in units of the value.
        width: high − low, at least 1.
        distance: at least 0; more than the width is the width.

    Raises:
        ValueError: an argument is out of its range.
    """
    demand(scale > 0, "a scale > 0")
    demand(width >= 1, "a width of 1 or more")
    demand(distance >= 0, "a distance of 0 or more")
    least = min(distance, width) / scale
    if distance == 0 or distance >= width:
        return least
    step = least / (1 << GRID_BITS)
    refused, proven = -1, 1 << GRID_BITS
    while proven - refused > 1:
        middle = (proven + refused) // 2
        if loss_is_within(least + middle * step, 1 / scale, width, distance):
            proven = middle
        else:
            refused = middle
    return least + proven * step


def audit(case: Case, draws: int = DRAWS, confidence: float = CONFIDENCE) -> Audit:
    """Return the bound for a case, from a stream of its own, equal on every machine."""
    stream = KeyedStream(_SECRET, case.mechanism, case.inputs)
    pairs = [case.pair(stream) for _ in range(draws)]
    lower = lower_bound([one for one, _ in pairs], [other for _, other in pairs], confidence)
    return Audit(case.mechanism, case.inputs, case.claimed, lower, draws, confidence)


def _shifted(epsilon: Fraction, distance: int) -> Case:
    def pair(stream: KeyedStream) -> tuple[int, int]:
        noise = discrete_laplace(stream, epsilon)
        return noise, distance + noise

    return Case(f"discrete_laplace, ε = {epsilon}", f"0, {distance}", float(epsilon * distance), pair)


def _never_the_original(epsilon: Fraction, outside: bool) -> Case:
    """Return the case of the discrete Laplace noise of dates: 0 is redrawn, so that no original is published."""

    def pair(stream: KeyedStream) -> tuple[Hashable, Hashable]:
        while (noise := discrete_laplace(stream, epsilon)) == 0:
            pass
        return view(noise), view(1 + noise)

    def view(output: int) -> Hashable:
        return "an original" if outside and output in {0, 1} else output

    # The outputs 0 and 1 are merged: about as likely under both inputs.
    what = "0 and 1 made one output" if outside else "all outputs"
    return Case(f"discrete_laplace, ε = {epsilon}, never 0: {what}", "0, 1", float(epsilon) if outside else inf, pair)


def _bounded(epsilon: Fraction, width: int, sensitivity: int, other: int) -> Case:
    scale = bounded_scale(epsilon, width, sensitivity)

    def pair(stream: KeyedStream) -> tuple[int, int]:
        return (
            bounded_laplace(stream, 0, 0, width, epsilon, sensitivity),
            bounded_laplace(stream, other, 0, width, epsilon, sensitivity),
        )

    claimed = float(epsilon) if other == sensitivity else float(bounded_epsilon(scale, width, other))
    name = f"bounded_laplace on 0–{width}, ε = {epsilon} over {sensitivity}"
    return Case(name, f"0, {other}", claimed, pair)


# A lone place, a cluster at distance 1, three places between: the normaliser differs most between lone and clustered.
_LINE = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), *[Fraction(1)] * 8)
_DISTANCES = tuple(tuple(abs(one - other) for other in _LINE) for one in _LINE)


def _exponential(epsilon: Fraction, other: int) -> Case:
    def pair(stream: KeyedStream) -> tuple[int, int]:
        return _chosen(stream, epsilon, 0), _chosen(stream, epsilon, other)

    claimed = float(epsilon * _LINE[other])
    return Case(f"exponential over {len(_LINE)} places, ε = {epsilon}", f"d = {_LINE[other]}", claimed, pair)


def _chosen(stream: KeyedStream, epsilon: Fraction, true: int) -> int:
    return next(exponential(stream, range(len(_LINE)), _DISTANCES[true].__getitem__, epsilon))


def _planar(per_km: Fraction, step_m: int, steps: int) -> Case:
    """Return the case of planar Laplace noise; the other input lies `steps` grid steps to the east.

    An output is reduced to its difference of distances to the two inputs, on a scale of 200: its rounded log-likelihood
    ratio.
    """

    def view(x: int, y: int) -> int:
        return round(200 * (hypot(x - steps, y) - hypot(x, y)) / steps)

    def pair(stream: KeyedStream) -> tuple[int, int]:
        x, y = planar_laplace(stream, per_km, step_m)
        return view(x, y), view(x + steps, y)

    km = Fraction(steps * step_m, 1000)
    return Case(
        f"planar_laplace, ε = {float(per_km):g} per km, steps of {step_m} m",
        f"{float(km):g} km apart",
        float(per_km * km),
        pair,
    )


def _coin(one: Fraction, other: Fraction) -> Case:
    """Return the case of a biased coin; the claim is the greater of the two log-ratios of its exact biases."""

    def pair(stream: KeyedStream) -> tuple[bool, bool]:
        return exp_coin(stream, *one.as_integer_ratio()), exp_coin(stream, *other.as_integer_ratio())

    tails = log((1 - exp(-other)) / (1 - exp(-one)))
    return Case("exp_coin", f"{one}, {other}", max(float(other - one), tails), pair)


CASES: tuple[Case, ...] = (
    _coin(Fraction(1, 4), Fraction(1, 2)),
    _shifted(Fraction(1, 4), 1),
    _shifted(Fraction(1, 4), 4),
    _shifted(Fraction(1, 14), 14),
    _never_the_original(Fraction(1, 4), outside=True),
    _never_the_original(Fraction(1, 4), outside=False),
    _bounded(Fraction(1, 2), 61, 61, 61),
    _bounded(Fraction(4), 61, 61, 1),
    _bounded(Fraction(1), 100, 5, 5),
    _exponential(Fraction(1), 1),
    _exponential(Fraction(1), len(_LINE) - 1),
    _exponential(Fraction(4), len(_LINE) - 1),
    _planar(Fraction(693, 10_000), 100, 200),
    _planar(Fraction(1, 2), 1000, 1),
)
