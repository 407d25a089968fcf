"""Planar Laplace noise: its law on the grid, the radius of the continuous law, and coins of irrational exponent."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import atan2, exp, hypot, isqrt, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import lambertw
from scipy.stats import kstest

from deid.privacy.bernoulli import exp_coin, exp_coin_of
from deid.privacy.planar_laplace import _excess, planar_laplace
from deid.privacy.stream import KeyedStream
from tests.privacy.goodness import LEAST, p_value

SECRET = b"a secret of the tests"
DRAWS = 20_000
# ln 4 / 20 km: two places 20 km apart are told apart by a factor of four.
PER_KM, STEP_M = Fraction(693, 10_000), 100


def _moves(per_km: Fraction, step_m: int, draws: int = DRAWS) -> list[tuple[int, int]]:
    stream = KeyedStream(SECRET, "planar", str(per_km), str(step_m))
    return [planar_laplace(stream, per_km, step_m) for _ in range(draws)]


@pytest.mark.parametrize(
    ("per_km", "step_m"), [(Fraction(1, 2), 1000), (Fraction(2), 1000), (Fraction(7, 10), 500), (Fraction(5), 1000)]
)
def test_its_law(per_km: Fraction, step_m: int) -> None:
    rate = float(per_km) * step_m / 1000
    reach = range(-int(40 / rate), int(40 / rate) + 1)
    weights = {(x, y): exp(-rate * hypot(x, y)) for x in reach for y in reach}
    total = sum(weights.values())
    law = {move: weight / total for move, weight in weights.items()}
    assert p_value(Counter(_moves(per_km, step_m)), law) > LEAST


def test_its_radius_is_that_of_the_continuous_law() -> None:
    """Tchouka et al. 2022: R = −(W₋₁((p − 1)/e) + 1)/ε for p uniform; 1 − (1 + εr)·exp(−εr) is its distribution."""
    epsilon = float(PER_KM) * STEP_M / 1000
    radii = [hypot(x, y) for x, y in _moves(PER_KM, STEP_M)]
    assert kstest(radii, lambda r: 1 - (1 + epsilon * r) * np.exp(-epsilon * r)).pvalue > 1e-3
    levels = np.arange(1, 20) / 20
    quantiles = -(lambertw((levels - 1) / np.e, -1).real + 1) / epsilon
    shares = np.searchsorted(np.sort(radii), quantiles) / DRAWS
    assert np.abs(shares - levels).max() < 5 * sqrt(0.25 / DRAWS)


def test_no_direction_is_preferred() -> None:
    sectors = Counter(int((atan2(y, x) + pi) / (2 * pi) * 12 - 1e-9) for x, y in _moves(PER_KM, STEP_M) if x or y)
    assert p_value(sectors, dict.fromkeys(range(12), 1 / 12)) > LEAST


def test_a_finer_grid_moves_as_far() -> None:
    fine = [hypot(x, y) * 0.05 for x, y in _moves(Fraction(1, 5), 50)]
    coarse = [hypot(x, y) * 0.5 for x, y in _moves(Fraction(1, 5), 500)]
    # The mean radius of the continuous law is 2/ε, its deviation √2/ε.
    for radii in (fine, coarse):
        assert abs(sum(radii) / DRAWS - 10) < 5 * sqrt(2) * 5 / sqrt(DRAWS) + 0.05


def test_the_same_question_moves_alike() -> None:
    assert _moves(PER_KM, STEP_M, 50) == _moves(PER_KM, STEP_M, 50)


@pytest.mark.parametrize(("per_km", "step_m"), [(Fraction(0), 100), (Fraction(-1), 100), (Fraction(1), 0)])
def test_what_is_refused(per_km: Fraction, step_m: int) -> None:
    with pytest.raises(ValueError, match="planar Laplace noise needs"):
        planar_laplace(KeyedStream(SECRET, "x"), per_km, step_m)


@given(
    st.fractions(min_value=Fraction(1, 1000), max_value=9, max_denominator=1000),
    st.integers(-500, 500),
    st.integers(-500, 500),
    st.sampled_from([64, 128, 192]),
)
def test_the_excess_is_a_floor_and_never_negative(rate: Fraction, x: int, y: int, bits: int) -> None:
    """⌊2^b·γ⌋ = f says (f + s)² ≤ 4^b·e²·(x² + y²) < (f + 1 + s)², s = 2^b·c·e·(|x| + |y|); all rational."""
    floor = _excess(rate, x, y, bits)
    straight = Fraction(70, 99) * rate * (abs(x) + abs(y)) * 2**bits
    target = rate**2 * (x * x + y * y) * 4**bits
    assert floor >= 0
    assert (floor + straight) ** 2 <= target < (floor + 1 + straight) ** 2


@pytest.mark.parametrize("square", [2, 3, 10])
def test_a_coin_of_irrational_exponent(square: int) -> None:
    stream = KeyedStream(SECRET, "irrational", str(square))
    heads = sum(exp_coin_of(stream, lambda bits: isqrt(square << 2 * bits)) for _ in range(DRAWS))
    bias = exp(-sqrt(square))
    assert p_value(Counter({True: heads, False: DRAWS - heads}), {True: bias, False: 1 - bias}) > LEAST


def test_a_coin_asks_for_more_bits_when_64_do_not_decide() -> None:
    """x = 2^−100: a first word of zeros leaves U < x open, a second decides it; then U < x/2 fails at once."""
    words, asked = iter([0, 0, 2**64 - 1]), []

    class Scripted(KeyedStream):
        def bits(self, count: int) -> int:  # noqa: ARG002
            return next(words)

    def floor(bits: int) -> int:
        asked.append(bits)
        return 1 << bits >> 100

    assert not exp_coin_of(Scripted(SECRET, "x"), floor)
    assert asked == [64, 128]
    assert next(words, None) is None


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 3), Fraction(5, 2)])
def test_both_coins_agree_on_rationals(x: Fraction) -> None:
    one, other = KeyedStream(SECRET, "one", str(x)), KeyedStream(SECRET, "other", str(x))
    rational = sum(exp_coin(one, *x.as_integer_ratio()) for _ in range(DRAWS))
    floors = sum(exp_coin_of(other, lambda bits: (x.numerator << bits) // x.denominator) for _ in range(DRAWS))
    assert abs(rational - floors) <= 5 * sqrt(DRAWS / 2)


def test_a_coin_of_negative_exponent_is_refused() -> None:
    with pytest.raises(ValueError, match="x >= 0"):
        exp_coin_of(KeyedStream(SECRET, "x"), lambda bits: -1 << bits)
