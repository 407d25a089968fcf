"""Coins whose bias is the exponential of a rational, or of a real number known by its floors; exact, on integers."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from deid.privacy.stream import KeyedStream

_WORD = 64


def exp_coin(stream: KeyedStream, numerator: int, denominator: int) -> bool:
    """True with probability exp(−x) exactly, x = numerator / denominator (Canonne, Kamath, Steinke 2020, algorithm 1).

    For x in [0, 1], toss coins of bias x/1, x/2, x/3… until one fails, at toss K. P(K > k) = x^k / k!, so
    P(K is odd) = Σ_{k even} (x^k/k! − x^{k+1}/(k+1)!) = exp(−x). For x > 1, exp(−x) = exp(−1)^⌊x⌋ · exp(−(x − ⌊x⌋)):
    all factors must come true. The same bits are read for 1/2 as for 2/4.

    Raises:
        ValueError: the ratio is negative.
    """
    if numerator < 0:
        raise ValueError("exp(−x) is a probability for x >= 0 only")
    common = gcd(numerator, denominator)
    whole, rest = divmod(numerator // common, denominator // common)
    for _ in range(whole):
        if not exp_of_one(stream):
            return False
    return not rest or _exp_of_unit(stream, rest, denominator // common)


def exp_of_one(stream: KeyedStream) -> bool:
    """True with probability exp(−1): the tosses of `exp_coin`, the first of which cannot fail."""
    toss = 2
    while not stream.below(toss):
        toss += 1
    return toss % 2 == 1


def _exp_of_unit(stream: KeyedStream, numerator: int, denominator: int) -> bool:
    toss = 1
    while stream.below(denominator * toss) < numerator:
        toss += 1
    return toss % 2 == 1


def exp_coin_of(stream: KeyedStream, floor: Callable[[int], int]) -> bool:
    """True with probability exp(−x) exactly, for a real x ≥ 0 known by its floors: floor(b) = ⌊2^b · x⌋.

    The tosses of `exp_coin`, x being split in its whole and its fractional part f. A toss of bias f/k is U < f/k
    for U uniform on [0, 1), whose bits are drawn as they are needed: after b bits, U lies in [u, u + 1)·2^−b and
    f in [φ, φ + 1)·2^−b, φ = floor(b) less the whole part. k·(u + 1) ≤ φ proves U < f/k, k·u > φ proves the contrary;
    else 64 more bits of both are taken. Undecided after b bits has probability below 2^(1−b) · (1 + 1/k): the toss ends
    with certainty, and its bias is f/k, not an approximation of it.

    Args:
        floor: b ↦ ⌊2^b · x⌋, exact, asked for multiples of 64.

    Raises:
        ValueError: x is negative.
    """
    first = floor(_WORD)
    if first < 0:
        raise ValueError("exp(−x) is a probability for x >= 0 only")
    whole = first >> _WORD
    for _ in range(whole):
        if not exp_of_one(stream):
            return False
    toss = 1
    while _below_share(stream, floor, first & ((1 << _WORD) - 1), whole, toss):
        toss += 1
    return toss % 2 == 1


def _below_share(stream: KeyedStream, floor: Callable[[int], int], fraction: int, whole: int, parts: int) -> bool:
    """True with probability (x − whole) / parts; `fraction` is the floor of x − whole at the first 64 bits."""
    bits = _WORD
    uniform = stream.bits(_WORD)
    while True:
        if parts * (uniform + 1) <= fraction:
            return True
        if parts * uniform > fraction:
            return False
        bits += _WORD
        uniform = uniform << _WORD | stream.bits(_WORD)
        fraction = floor(bits) - (whole << bits)
