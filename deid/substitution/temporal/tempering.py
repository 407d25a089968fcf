"""A floor under the noise: draws that must differ from their original would be repeated for ever without it."""

from __future__ import annotations

from fractions import Fraction

# Nats per unit of time. At 8 a draw differs from its original once in 1,500 times: a document is still drawn in time.
MOST = Fraction(8)


def tempered(epsilon: Fraction, width: int = 1) -> Fraction:
    """ε as it is drawn with: at most 8 nats per unit, `width` units long where ε is that of a whole interval.

    A smaller ε than the policy asks for is more noise: what is claimed and counted still holds.
    """
    return min(epsilon, MOST * width)
