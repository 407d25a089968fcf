"""Strategy `metric` (Tchouka et al. 2023, section 4.1): noise in the mention's own unit."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

from deid.privacy.budget import tempered
from deid.privacy.laplace import discrete_laplace
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.births import age_at_place, place_of_age, steps_in_year
from deid.substitution.temporal.normalisation import NormalisedTimes
from deid.substitution.temporal.order import restore
from deid.substitution.temporal.timeline import Timeline, apart, own_date, shift
from deid.substitution.temporal.values import Instant, Unit, index_of

MECHANISM = "discrete_laplace"
_ELDEST = 1_000_000  # in any unit more than the age that is told as "and more"


def move(context: DocumentContext, normalised: NormalisedTimes, epsilon: Fraction) -> Timeline:
    """Return the timeline of a document, each instant moved on its own, in the originals' order.

    An instant v becomes v' = v + s − DLap(ε) in its own unit, s the patient's shift (`timeline.apart`). It is brought
    to its side of the moved anchor and at least one unit from it, unless it is the anchor's own. Each is
    ε·|v − w|-private before the exclusion below; clamping and order restoration are post-processing. Noise and sign
    depend on v alone, not on the document. Counted away from each document's anchor instead, a visit told before and
    after it took place would have both signs of one noise, whose mean is v + s; a month told in two documents would
    show in which of them the true month had changed. The birth date has two draws of its own (`births`).

    A draw that gives the original back is drawn again. Its noise is s for every v: this conditioning scales all other
    probabilities alike, and outside the two originals the bound ε·|v − w| stands; what is lost is that a surrogate is
    known not to be the original. Where the original is the very place that its side is clamped to, up to half of the
    noise and more gathers on it, and the others get likelier. There the bound is ε·|v − w| + log 2 for days, whose
    shift is never 0, and ε·|v − w| + log(1 + e^(2ε)) for longer units, whose shift may be one off by rounding.
    """
    anchor = normalised.anchor
    moved_anchor, days = own_date(context, anchor, epsilon), shift(context)
    birth = (
        births.move_birth(context, anchor, moved_anchor, normalised.birth, epsilon, anchor + days)
        if normalised.birth
        else None
    )
    line = Timeline(anchor, moved_anchor, normalised.birth, birth, birth)
    stay = line.fixed()
    said, rate = str(epsilon), tempered(epsilon)
    drawn = {}
    for one in normalised.dated:
        drawn[one] = stay[one] if one in stay else _moved(context, line, one, said, rate, days)
    moved = restore(drawn, stay)
    for one in normalised.birth_instants:
        moved[one] = Instant(one.unit, index_of(one.unit, birth or moved_anchor))
    return Timeline(anchor, moved_anchor, normalised.birth, birth, birth, moved)


def _moved(context: DocumentContext, line: Timeline, one: Instant, said: str, rate: Fraction, days: timedelta) -> int:
    """Return the moved index of an instant by itself, on its side of the moved anchor."""
    unit, index = one
    distance, here = index - index_of(unit, line.anchor), index_of(unit, line.moved_anchor)
    if distance > 0:
        return apart(context, one, said, rate, days, here + 1)
    return apart(context, one, said, rate, days, None, here - 1 if distance else here)


def move_age(context: DocumentContext, age: Age, epsilon: Fraction) -> int:
    """Draw another value of an age: max(1, v + DLap(ε)) in its own unit, again while it is the original.

    Years are counted on the public scale of `births.place_of_age`: ε is per step.
    """
    stream = context.stream("age", age.unit, str(age.step), str(age.value), str(epsilon))
    whole = age.value // age.step
    in_year = steps_in_year(context.policy.ages) if age.unit is Unit.YEAR else 1
    low = 2 if age.unit is Unit.DECADE else 1
    rate = tempered(epsilon * in_year) / in_year  # a year has to be left, step by step
    while True:
        noise = discrete_laplace(stream, rate)
        moved = min(max(low, age_at_place(place_of_age(whole, in_year) + noise, in_year)), _ELDEST)
        if moved == whole:
            continue
        if age.unit is Unit.DECADE or age.step == 1:
            return moved
        return moved * age.step + stream.below(age.step)
