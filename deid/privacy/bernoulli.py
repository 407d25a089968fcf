"""Coins whose bias is rational, or the exponential of a rational; exact, by comparing integers."""

from __future__ import annotations

from fractions import Fraction

from deid.privacy.stream import KeyedStream


def bernoulli(stream: KeyedStream, numerator: int, denominator: int) -> bool:
    """True with probability numerator / denominator exactly: a uniform integer of [0, denominator) is below numerator.

    Raises:
        ValueError: the denominator is not positive.
    """
    return stream.below(denominator) < numerator


def bernoulli_exp(stream: KeyedStream, x: Fraction) -> bool:
    """True with probability exp(−x) exactly (Canonne, Kamath, Steinke 2020, algorithm 1).

    For x in [0, 1], toss coins of bias x/1, x/2, x/3… until one fails, at toss K. P(K > k) = x^k / k!, so
    P(K is odd) = Σ_{k even} (x^k/k! − x^{k+1}/(k+1)!) = exp(−x). For x > 1, exp(−x) = exp(−1)^⌊x⌋ · exp(−(x − ⌊x⌋)):
    all factors must come true.

    Args:
        x: at least 0.

    Raises:
        ValueError: x is negative.
    """
    if x < 0:
        raise ValueError("exp(−x) is a probability for x >= 0 only")
    whole, rest = divmod(x.numerator, x.denominator)
    for _ in range(whole):
        if not _exp_of_unit(stream, 1, 1):
            return False
    return _exp_of_unit(stream, rest, x.denominator)


def _exp_of_unit(stream: KeyedStream, numerator: int, denominator: int) -> bool:
    toss = 1
    while bernoulli(stream, numerator, denominator * toss):
        toss += 1
    return toss % 2 == 1
