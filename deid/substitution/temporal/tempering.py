"""A floor under the noise: draws that must differ from their original would be repeated for ever without it."""

from __future__ import annotations

from fractions import Fraction

from deid.privacy import KeyedStream, discrete_laplace

# Nats per unit of time. At 5 a draw that must be two units off is one in 22,000: a document is still drawn in time.
MOST = 5


def tempered(epsilon: Fraction, width: int = 1) -> Fraction:
    """ε as it is drawn with: at most 5 nats per unit, `width` units long where ε is that of a whole interval.

    A smaller ε than the policy asks for is more noise: what is claimed and counted still holds.
    """
    most = MOST * width
    return epsilon if epsilon.numerator <= most * epsilon.denominator else Fraction(most)


def not_nought(stream: KeyedStream, epsilon: Fraction) -> int:
    """Discrete Laplace noise, drawn again while it is 0."""
    while (noise := discrete_laplace(stream, epsilon)) == 0:
        pass
    return noise
