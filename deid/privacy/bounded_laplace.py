"""Bounded Laplace noise on the integers of an interval (Holohan et al. 2018), its scale certified without floats."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from deid.privacy.bernoulli import exp_coin
from deid.privacy.laplace import discrete_laplace
from deid.privacy.stream import KeyedStream

# Scales are searched among 2^20 of them: within a millionth of the least that the claim allows.
GRID_BITS = 20


def bounded_laplace(
    stream: KeyedStream, value: int, low: int, high: int, epsilon: Fraction, sensitivity: int | None = None
) -> int:
    """An integer y of [low, high] with probability exp(−|y − value|/b) / C(value), exactly.

    b = bounded_scale(ε, high − low, sensitivity), and C(v) the sum of exp(−|y − v|/b) over the interval: the discrete
    counterpart of Holohan, Antonatos, Braghin and Mac Aonghusa 2018, definition 3.1, used on days by Tchouka et al.
    2022, algorithm 2. Since C depends on v, the scale s/ε of unbounded noise does not do; `bounded_scale` corrects it.

    **Claim.** For v, w of the interval at distance `sensitivity` at most, every y is at most e^ε times likelier for v
    than for w. With the default sensitivity, the whole width, that is ε-local privacy over the interval.

    **Proof.** Shift the interval to {0…D}. Let r = exp(−1/b); C(v) = Σ_y r^|y−v| = (1+r−r^(v+1)−r^(D−v+1))/(1−r).

    1. For fixed v and w, P(y|v)/P(y|w) = r^(|y−v|−|y−w|) · C(w)/C(v) ≤ r^(−|v−w|) · C(w)/C(v), reached at y = v.
    2. r^x is convex, so C is concave, and log C too, being positive: log C(v + d) − log C(v) does not increase with v.
       With C(v) = C(D − v), the greatest ratio over pairs at distance d is C(d)/C(0): v = 0, w = d (or mirrored).
    3. The loss at distance d is therefore L(d) = d/b + log(C(d)/C(0)), exactly. It does not decrease with d: the
       triangle inequality gives C(d + 1) ≥ r·C(d). So L(s) bounds all pairs at distance s or less, and
       `bounded_scale` returns b with L(s) ≤ ε. For s = D, C(D) = C(0), and b = D/ε is exact.

    **Per unit.** L is a line plus a concave function, and L(0) = 0: L(d) ≤ d·L(1). The mechanism is thus L(1)·d-private
    (Alvim et al. 2018), and 1/b < L(1) < 2/b, the upper end because C(1) < C(0)/r: bounding costs up to twice the
    rate of unbounded noise.

    **Exactness.** Proposals outside the interval are drawn again, so an accepted one has the law of the proposal
    conditioned on the interval. For b < D the proposal is v plus discrete Laplace noise of rate 1/b, accepted three
    times in ten at worst (v at an end, D = b); for b ≥ D it is uniform over the interval, kept with probability
    exp(−|y − v|/b) ≥ 1/e. Which one is used depends on public numbers only, and both give the law above.

    Args:
        value: the true value, of [low, high].
        low, high: the ends of the interval, public, both possible outputs.
        epsilon: above 0, in nats, for values at distance `sensitivity`.
        sensitivity: in units of the value, at least 1; the width of the interval if left out.

    Raises:
        ValueError: the value is outside the interval, ε is not positive or the sensitivity is below 1.
    """
    if not low <= value <= high:
        raise ValueError("bounded Laplace noise needs a value within its bounds")
    width = high - low
    if width == 0:
        return low
    rate = _rate(epsilon, width, width if sensitivity is None else sensitivity)
    if rate.numerator * width <= rate.denominator:
        while True:
            proposal = low + stream.below(width + 1)
            if exp_coin(stream, rate.numerator * abs(proposal - value), rate.denominator):
                return proposal
    while not low <= (proposal := value + discrete_laplace(stream, rate)) <= high:
        pass
    return proposal


@lru_cache(maxsize=4096)
def bounded_scale(epsilon: Fraction, width: int, sensitivity: int) -> Fraction:
    """A scale b at which bounded Laplace noise keeps ε over values at distance `sensitivity`: proven, close to least.

    With s = min(sensitivity, width), rates a = 1/b are searched among the 2^20 multiples of ε/(2^20·s), up to ε/s. The
    loss L of `bounded_laplace` at s does not decrease with a (dL/da = s − E_s|y − s| + E_0|y|; given y ≠ s the law of
    |y − s| is stochastically below that of 1 + a truncated geometric, so E_s|y − s| ≤ 1 + E_0|y| ≤ s + E_0|y|): the
    search is a bisection. Each step proves C(s)·exp(−(ε − a·s)) ≤ C(0) on certified bounds of exp; what is not
    proven is not used. The bisection starts at a = ε/(2s), where L(s) ≤ 2·a·s = ε because C(s) ≤ C(0)/r^s.

    Args:
        epsilon: above 0, in nats.
        width: high − low, at least 1.
        sensitivity: at least 1, in units of the value; more than the width is the width.

    Returns:
        The scale in units of the value: width/ε exactly if the sensitivity is the width.

    Raises:
        ValueError: an argument is out of its range.
    """
    demand(epsilon > 0, "epsilon > 0")
    demand(width >= 1, "a width of 1 or more")
    demand(sensitivity >= 1, "a sensitivity of 1 or more")
    if sensitivity >= width:
        return width / epsilon
    step = epsilon / (sensitivity << GRID_BITS)
    proven, refused = 1 << (GRID_BITS - 1), (1 << GRID_BITS) + 1
    while refused - proven > 1:
        middle = (proven + refused) // 2
        if loss_is_within(epsilon, middle * step, width, sensitivity):
            proven = middle
        else:
            refused = middle
    return 1 / (proven * step)


@lru_cache(maxsize=4096)
def _rate(epsilon: Fraction, width: int, sensitivity: int) -> Fraction:
    return 1 / bounded_scale(epsilon, width, sensitivity)


def loss_is_within(epsilon: Fraction, rate: Fraction, width: int, distance: int) -> bool:
    """True if d·rate + log(C(d)/C(0)) ≤ ε is proven; False if this precision does not decide it."""
    # C(0)·(1 − r) is about rate·width when that is small: precision counts from there.
    bits = 128 + rate.denominator.bit_length()
    one = 1 << bits
    ratio = exp_bounds(rate, bits)
    near, far = exp_bounds(rate * (distance + 1), bits), exp_bounds(rate * (width - distance + 1), bits)
    greatest = one + ratio[1] - near[0] - far[0]
    least = one - exp_bounds(rate * (width + 1), bits)[1]
    return greatest * exp_bounds(epsilon - rate * distance, bits)[1] <= least * one


def demand(holds: bool, what: str) -> None:
    """Raise a ValueError that names what the noise needs, unless it holds."""
    if not holds:
        raise ValueError(f"bounded Laplace noise needs {what}")


# Certified bounds of exp(−x) for rational x, on integers with directed rounding: what constants are proven with.
# Rounding loses at most a few units per Taylor term and doubles at each squaring; this many spare bits outweigh it.
_GUARD_BITS = 24


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers (low, high) with low ≤ 2^bits · exp(−x) ≤ high.

    exp(−x) = exp(−x/2^k)^(2^k), k such that t = x/2^k ≤ 1/2. The series Σ (−t)^j/j! alternates and its terms decrease,
    so what follows a partial sum is at most the first term left out. Each term is carried between a floor and a
    ceiling, each squaring rounds its ends outwards: the bounds hold whatever the rounding did; it only widens them.

    Args:
        x: at least 0.
        bits: scale of the result, at least 1.

    Raises:
        ValueError: x is negative.
    """
    if x < 0:
        raise ValueError("exp(−x) is bounded for x >= 0 only")
    halvings = max(0, (2 * x.numerator // x.denominator).bit_length())
    numerator, denominator = x.numerator, x.denominator << halvings
    scale = bits + halvings + _GUARD_BITS
    term_low = term_high = low = high = 1 << scale
    index = 0
    while term_high > 1:
        index += 1
        divisor = denominator * index
        term_low = term_low * numerator // divisor
        term_high = -(-term_high * numerator // divisor)
        if index % 2:
            low, high = low - term_high, high - term_low
        else:
            low, high = low + term_low, high + term_high
    low, high = max(0, low - term_high), high + term_high
    for _ in range(halvings):
        low, high = low * low >> scale, -(-high * high >> scale)
    spare = scale - bits
    return low >> spare, -(-high >> spare)
