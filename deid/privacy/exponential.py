"""The exponential mechanism over a finite public set, drawn exactly by rejection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

from deid.privacy.bernoulli import exp_coin
from deid.privacy.stream import KeyedStream

Item = TypeVar("Item")


def exponential(
    stream: KeyedStream, candidates: Sequence[Item], distance: Callable[[Item], Fraction | int], epsilon: Fraction
) -> Iterator[Item]:
    """Draws of `candidates`, independent of each other, each with weight exp(−ε·d/2).

    A candidate y is proposed uniformly and kept with probability exp(−ε·d(y)/2), so a kept one is y with
    probability exp(−ε·d(y)/2) / Z exactly, Z the sum over the set. Distances are computed for proposals only. When
    the true value v is a candidate (d = 0), at most len(candidates) proposals are expected per draw.

    The first draw is ε·d(v, w)-private over values v, w that share the set: with d a metric,
    exp(−ε·d(v,y)/2) / exp(−ε·d(w,y)/2) ≤ exp(ε·d(v,w)/2), and likewise Z(w)/Z(v) ≤ exp(ε·d(v,w)/2). Over disjoint
    sets there is no guarantee, which is why the sets are a public partition.

    Args:
        candidates: the public set, not empty.
        distance: of a candidate to the true value, rational, at least 0.
        epsilon: at least 0, in nats per unit of distance.

    Raises:
        ValueError: the set is empty or ε is negative.
    """
    if not candidates:
        raise ValueError("the exponential mechanism needs candidates")
    if epsilon.numerator < 0:
        raise ValueError("the exponential mechanism needs epsilon >= 0")
    numerator, denominator = epsilon.numerator, 2 * epsilon.denominator
    while True:
        candidate = stream.choice(candidates)
        far = distance(candidate)
        if exp_coin(stream, numerator * far.numerator, denominator * far.denominator):
            yield candidate
