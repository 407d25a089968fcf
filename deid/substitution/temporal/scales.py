"""The public scale on which ages in years are told apart: evenly, or more finely for children."""

from __future__ import annotations

from collections.abc import Mapping

from deid.config.policy import Ages

ADULT = 18
# Steps in a year of childhood, by the policy's `paediatric_unit`.
STEPS: Mapping[str, int] = {"year": 1, "quarter": 4, "month": 12}


def steps(ages: Ages) -> int:
    """Steps in a year of childhood."""
    return STEPS[ages.paediatric_unit]


def position(years: int, in_year: int) -> int:
    """φ: the place of an age on the scale, `in_year` steps to a year below `ADULT`, one from there.

    φ is public and increasing, so |φ(v) − φ(w)| is a distance between ages, and noise on φ(v) of scale 1/ε is
    ε·|φ(v) − φ(w)|-private (Alvim et al. 2018); reading the age off the noisy place is post-processing. With one step
    to a year it is the distance in years. With more, ages of children are that many times easier to tell apart, and
    move by that many times less.

    An age that the noise leaves where it was is drawn again. Among children that happens with one probability K, among
    adults with another, A < K: between a child and an adult, and there only, the bound is
    ε·|φ(v) − φ(w)| + log((1 − A) / (1 − K)), 0.4 more at ε = 0.25 in quarters, 1.4 in months.
    """
    return years * in_year if years < ADULT else ADULT * in_year + years - ADULT


def years_at(place: int, in_year: int) -> int:
    """The age whose place is nearest; of two, the greater."""
    whole = ADULT * in_year
    return ADULT + place - whole if place >= whole else (2 * place + in_year) // (2 * in_year)
