"""Discrete Laplace noise, drawn exactly."""

from __future__ import annotations

from fractions import Fraction

from deid.privacy.bernoulli import exp_coin, exp_of_one
from deid.privacy.stream import KeyedStream


def discrete_laplace(stream: KeyedStream, epsilon: Fraction) -> int:
    """An integer x with probability proportional to exp(−ε·|x|) (Canonne, Kamath, Steinke 2020, algorithm 2).

    With ε = s/t: U uniform on [0, t) kept with probability exp(−U/t), and V geometric of ratio exp(−1), make
    X = U + t·V with P(X = x) ∝ exp(−x/t). Y = ⌊X/s⌋ then has P(Y = y) ∝ exp(−y·s/t), and a fair sign, with
    −0 drawn again, gives the two-sided law.

    Adding it to an integer v is ε·|v − w|-private (Alvim et al. 2018): for every output y,
    P(v + x = y) / P(w + x = y) = exp(−ε(|y − v| − |y − w|)) ≤ exp(ε·|v − w|).

    Args:
        epsilon: above 0, in nats per unit of v.

    Raises:
        ValueError: ε is not positive.
    """
    shrink, stretch = epsilon.as_integer_ratio()
    if shrink <= 0:
        raise ValueError("discrete Laplace noise needs epsilon > 0")
    while True:
        low = stream.below(stretch)
        if low and not exp_coin(stream, low, stretch):
            continue
        high = 0
        while exp_of_one(stream):
            high += 1
        magnitude = (low + stretch * high) // shrink
        negative = stream.bits(1)
        if negative and magnitude == 0:
            continue
        return -magnitude if negative else magnitude
