"""Loss of bounded Laplace noise at any distance: the claim that the audit of the mechanism tries to refute."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from deid.privacy.bounded_laplace import GRID_BITS, demand, loss_is_within


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
