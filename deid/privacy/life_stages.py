"""Stages of life and decades of birth, which are public, and ε of what is drawn within each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

# First month of life of each stage, and ε in nats per month: newborn, infant, toddler, nursery school, primary school,
# collège, lycée, adult to the age of fifty, adult to the top-coded age, beyond.
STAGES: Sequence[tuple[int, Fraction]] = (
    (0, Fraction(1)), (1, Fraction(1, 2)), (12, Fraction(1, 4)), (36, Fraction(1, 12)), (72, Fraction(1, 12)),
    (132, Fraction(1, 12)), (180, Fraction(1, 12)), (216, Fraction(1, 24)), (600, Fraction(1, 24)),
    (1080, Fraction(1, 24)),
)  # fmt: skip
CLASSES: Sequence[str] = (
    *("0 mois", "1-11 mois", "1-2 ans", "3-5 ans", "6-10 ans", "11-14 ans", "15-17 ans", "18-49 ans", "50-89 ans"),
    "90 ans ou plus",
)
# Scale in days of the noise on a birth date, by the first year of the decade of birth.
_BIRTH_SCALES = ((2010, 60), (2000, 180), (0, 548))


def rates() -> list[tuple[str, Fraction]]:
    """Return each stage of life, in French, with ε of ages that are told of others, in nats per month."""
    return [(name, epsilon) for name, (_, epsilon) in zip(CLASSES, STAGES, strict=True)]


def birth_rates() -> list[tuple[int, Fraction]]:
    """Return the first year of birth that an ε holds from, in nats per day; 0 for all years before."""
    return [(since, Fraction(1, days)) for since, days in _BIRTH_SCALES]


def birth_rate(birth: date) -> Fraction:
    """Return ε of a birth date, in nats per day."""
    return Fraction(1, next(scale for first, scale in _BIRTH_SCALES if birth.year >= first))
