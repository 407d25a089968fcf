"""Strategy `bounded_laplace` (Tchouka et al. 2022, section 4.6): noise on the intervals between a document's dates."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from deid.privacy.bounded_laplace import bounded_laplace
from deid.privacy.budget import tempered
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.normalisation import NormalisedTimes
from deid.substitution.temporal.timeline import Timeline, own_date
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, add_years, clamped, index_of, on

MECHANISM = "bounded_laplace"
# Greatest interval of each class, in days: short, medium and long term.
CLASSES = (61, 660, 36_000)
_YEARS_AHEAD = 20  # no appointment is further


def move(context: DocumentContext, normalised: NormalisedTimes, epsilon: Fraction) -> Timeline:
    """Return the timeline of a document, rebuilt from its moved anchor interval by interval.

    e_0 is the anchor, and e_1, e_2… are the days of the elements (the middle day of a month or a year) going away from
    it, into the past and, apart, into the future. The interval e_k − e_{k−1}, clamped to [0, Δ], becomes a draw of
    bounded Laplace noise on [0, Δ] of scale Δ/ε, ε-private over that whole domain (`deid.privacy`). Δ is the width of
    the class of its ends, by their distance to the anchor; between two classes, the smaller. The order holds by
    construction, ties may appear, and a month or year becomes the one around its moved middle day.

    **What is not proven.** The class of an interval depends on the data: two documents whose intervals fall in
    different classes have surrogates of different supports, and no ε bounds what that tells. Nor does one bound what
    the number of elements tells. An interval across two classes loses what it has beyond the smaller Δ: behind an
    element of the last two months, one of ten years ago comes to within two months of it.

    An interval is drawn from the stream of its two ends and its class. The same pair has the same noise in every
    document of a patient at a distance of the same class, but a date between other neighbours is drawn anew, and
    averaging over documents then works.

    A draw that puts a day back to its original is drawn again. Outside the two originals that costs −log(1 − 1/C(0))
    more at most, with the C of `deid.privacy.bounded_laplace`: 0.02 over 61 days at ε = 0.25, 0.3 at 16. Nothing is put
    further back than the top-coded age, nor further ahead than twenty years, whatever was drawn.
    """
    anchor, birth = normalised.anchor, normalised.birth
    moved_anchor = own_date(context, anchor, epsilon)
    days = {one.middle.toordinal() for one in normalised.dated}
    exact = {one.index for one in normalised.dated if one.unit is Unit.DAY}
    if birth is not None and normalised.tells_birth:
        days.add(birth.toordinal())
        exact.add(birth.toordinal())
    here, there = anchor.toordinal(), moved_anchor.toordinal()
    stops = {here: there}
    for side in (-1, 1):
        distances = sorted(side * (day - here) for day in days if side * (day - here) > 0)
        reached, moved = 0, 0
        for distance in distances:
            width = _width(reached or distance)
            names = (str(here + side * reached), str(here + side * distance), str(width))
            forbidden = here + side * distance if here + side * distance in exact else None
            stream = context.stream("interval", *names, str(epsilon))
            interval = min(distance - reached, width)
            while True:
                drawn = bounded_laplace(stream, interval, 0, width, tempered(epsilon, width), width)
                if there + side * (moved + drawn) != forbidden:
                    break
            reached, moved = distance, moved + drawn
            stops[here + side * distance] = there + side * moved
    return _rebuilt(context, normalised, stops, moved_anchor)


def _rebuilt(
    context: DocumentContext, normalised: NormalisedTimes, stops: dict[int, int], moved_anchor: date
) -> Timeline:
    """Build the timeline from `stops` (original → moved ordinal), no instant further back than the top-coded age."""
    birth, moved_birth = normalised.birth, None
    if birth is not None and normalised.tells_birth:
        moved_birth = on(stops[birth.toordinal()])
        if birth < normalised.anchor:
            moved_birth = births.within_life(context, moved_birth, moved_anchor)
    eldest, latest = births.first_told_day(context, moved_anchor), add_years(moved_anchor, _YEARS_AHEAD)
    instants: dict[Instant, Instant] = {}
    for one in normalised.dated:
        day = min(max(on(stops[one.middle.toordinal()]), eldest), latest)
        instants[one] = Instant(one.unit, clamped(one.unit, index_of(one.unit, day)))
    if moved_birth is not None:
        instants |= {one: Instant(one.unit, index_of(one.unit, moved_birth)) for one in normalised.birth_instants}
    return Timeline(normalised.anchor, moved_anchor, birth, moved_birth, moved_birth, instants)


def move_birth(context: DocumentContext, anchor: date, moved_anchor: date, birth: date, epsilon: Fraction) -> date:
    """Move a birth date alone, as one interval from the anchor, where the strategy of dates moves no age."""
    stream = context.stream("birth", "interval", birth.isoformat(), str(epsilon))
    distance = (anchor - birth).days
    width = _width(distance)
    moved = on(
        moved_anchor.toordinal()
        - bounded_laplace(stream, min(distance, width), 0, width, tempered(epsilon, width), width)
    )
    return births.within_life(context, moved, moved_anchor)


def move_age(context: DocumentContext, age: Age, epsilon: Fraction) -> int:
    """Draw another value of an age: bounded noise over the interval of its unit (`age_range`), again while it is v.

    The unit is public by declaration, hence the interval too, shifted to {0…D}; an age outside it counts as its nearer
    end from there on.

    **Claim.** For all ages v, w of a unit, every output other than v and w is at most e^ε times likelier for v than for
    w; and so are the two taken as one output. That no surrogate is its original is known by declaration.

    **Proof.** With r = e^(−ε/D), an output y ≠ v has the probability r^|y−v| / C'(v), where C'(v) = Σ_{y≠v} r^|y−v| =
    r·(2 − r^v − r^(D−v)) / (1 − r). C' is concave and C'(v) = C'(D − v), so as in `deid.privacy.bounded_laplace` the
    loss at distance d is at most L'(d) = d·ε/D + log(C'(d)/C'(0)). It does not decrease with d, since C'(d + 1) ≥
    r·C'(d) ⇔ 2 ≥ (1 + r)·r^(D−d−1); and L'(D) = ε. The two as one output: C'(w)/C'(v) ≤ C'(d)/C'(0) ≤ e^L'(d).
    """
    stream = context.stream("age interval", age.unit, str(age.step), str(age.value), str(epsilon))
    low, high = age_range(age.unit)
    width = high - low
    whole = min(max(age.value // age.step, low), high)
    while (moved := bounded_laplace(stream, whole, low, high, tempered(epsilon, width), width)) == whole:
        pass
    return moved * age.step + (stream.below(age.step) if age.unit is not Unit.DECADE else 0)


def age_range(unit: Unit) -> tuple[int, int]:
    """Return least and greatest surrogate age in a unit: short term in days, medium in weeks or months, else long."""
    days = CLASSES[0] if unit is Unit.DAY else CLASSES[1] if unit in (Unit.WEEK, Unit.MONTH) else CLASSES[-1]
    return (2 if unit is Unit.DECADE else 1), days // DAYS_OF[unit]


def _width(distance: int) -> int:
    """Return Δ, the width in days of the class of an element that many days from the anchor."""
    return next((width for width in CLASSES if distance <= width), CLASSES[-1])
