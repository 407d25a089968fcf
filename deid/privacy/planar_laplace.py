"""Planar Laplace noise on a grid, drawn exactly: geo-indistinguishability without angles, logarithms or floats."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isqrt

from deid.privacy.bernoulli import exp_coin_of
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream

# Below 1/√2, since 2·70² = 9800 < 9801 = 99²; within 6e-5 of it.
_DIAGONAL = Fraction(70, 99)
_METRES_PER_KM = 1000


def planar_laplace(stream: KeyedStream, epsilon_per_km: Fraction, step_m: int) -> tuple[int, int]:
    """A move (x, y) on a square grid, in steps, with probability proportional to exp(−ε·h·√(x² + y²)), exactly.

    h is the step in kilometres. The grid's counterpart of Andrés, Bordenabe, Chatzikokolakis, Palamidessi 2013
    (section 4.1), which Tchouka et al. 2022 use on cities: a continuous angle and a radius through Lambert's W, whose
    guarantee floats break (their section 4.2 repairs it in part). Here every step compares integers.

    **Claim.** Added to a point of the grid, it is ε·d-private, d the Euclidean distance in kilometres between points of
    the grid: P(v + z = u)/P(w + z = u) = exp(−ε(‖u − v‖ − ‖u − w‖)) ≤ exp(ε·‖v − w‖) by the triangle inequality, the
    normaliser being the same for all points of an endless grid. What is computed from the output and from public
    tables, the nearest commune for one, is post-processing and keeps the bound. A place must be put on the grid by a
    public rule (its commune's point, rounded); d is then between rounded points, at most h·√2 more than before.

    **Exactness.** With e = ε·h and c = 70/99 < 1/√2, x and y are drawn as two discrete Laplace numbers of rate c·e,
    and the pair is kept with probability exp(−γ), γ = e·√(x² + y²) − c·e·(|x| + |y|). γ ≥ 0, because
    |x| + |y| ≤ √2·√(x² + y²). A kept pair thus has weight exp(−c·e·(|x| + |y|))·exp(−γ) = exp(−e·√(x² + y²)). γ is
    irrational; `exp_coin_of` needs floors of it only, ⌊2^b·γ⌋, which `math.isqrt` gives exactly. As the grid gets
    finer, π/4 of the pairs are kept.

    Args:
        epsilon_per_km: above 0, in nats per kilometre.
        step_m: the grid's step in metres, at least 1.

    Raises:
        ValueError: ε is not positive or the step is below one metre.
    """
    if epsilon_per_km <= 0:
        raise ValueError("planar Laplace noise needs epsilon > 0")
    if step_m < 1:
        raise ValueError("planar Laplace noise needs a grid of a metre or more")
    rate = epsilon_per_km * step_m / _METRES_PER_KM
    side = rate * _DIAGONAL
    while True:
        x, y = discrete_laplace(stream, side), discrete_laplace(stream, side)
        if exp_coin_of(stream, partial(_excess, rate, x, y)):
            return x, y


def _excess(rate: Fraction, x: int, y: int, bits: int) -> int:
    """⌊2^bits · γ⌋: with rate = p/q, γ = (√(99²·p²·(x² + y²)) − 70·p·(|x| + |y|)) / (99·q)."""
    across, over = _DIAGONAL.numerator, _DIAGONAL.denominator
    root = isqrt((over * rate.numerator) ** 2 * (x * x + y * y) << 2 * bits)
    return (root - (across * rate.numerator * (abs(x) + abs(y)) << bits)) // (over * rate.denominator)
