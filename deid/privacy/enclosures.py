"""Certified bounds of exp(−x) for rational x, on integers with directed rounding: what constants are proven with."""

from __future__ import annotations

from fractions import Fraction

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
