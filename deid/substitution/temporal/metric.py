"""Strategy `metric` (Tchouka et al. 2023, section 4.1): noise on the distance to the anchor, in the mention's unit."""

from __future__ import annotations

from fractions import Fraction

from deid.privacy import discrete_laplace
from deid.substitution.dossier import Dossier
from deid.substitution.temporal import births, scales
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.order import restore
from deid.substitution.temporal.tempering import tempered
from deid.substitution.temporal.timeline import Timeline, apart, own_date, shift
from deid.substitution.temporal.values import Instant, Unit, clamped, index_of

MECHANISM = "discrete_laplace"


def move(dossier: Dossier, agenda: Agenda, epsilon: Fraction) -> Timeline:
    """The timeline of a document, each instant moved on its own, in the originals' order.

    With v the distance to the anchor in the instant's unit, v' = max(least, v + DLap(ε)) away from the moved anchor
    on the same side; least is 1 where v is not 0. Each is ε·|v − w|-private before the exclusion below; clamping
    and order restoration are post-processing. The birth date has two draws of its own (`births`).

    A draw that gives the original back is drawn again. Since the noise does not depend on v, this conditioning
    scales all other probabilities alike: outside the two originals, the bound ε·|v − w| stands; what is lost is that
    a surrogate is known not to be the original. At the edge (v = least), where clamping gathers half of the noise
    on the original, the others are up to twice likelier: there the bound is ε·|v − w| + log 2.

    Under `document_date: metric` the anchor has noise of its own, and no date may be counted from it
    (`timeline.own_date`): v' = v + s + DLap(ε) instead, in v's unit, then brought to its side of the moved anchor.
    """
    anchor = agenda.anchor
    moved_anchor, shifted = own_date(dossier, anchor, epsilon), anchor + shift(dossier)
    birth = births.move(dossier, anchor, moved_anchor, agenda.birth, epsilon, shifted) if agenda.birth else None
    line = Timeline(anchor, moved_anchor, agenda.birth, birth, birth)
    fixed = line.fixed()
    free = agenda.dated - fixed.keys()
    if dossier.policy.dates.document_date == "metric":
        drawn = {one: _moved_apart(dossier, line, one, epsilon) for one in free}
    else:
        said, rate = str(epsilon), tempered(epsilon)
        drawn = {one: _moved(dossier, line, one, said, rate) for one in free}
    drawn |= {one: fixed[one] for one in agenda.dated & fixed.keys()}
    moved = restore(drawn, fixed)
    moved |= {one: Instant(one.unit, index_of(one.unit, birth or moved_anchor)) for one in agenda.birth_instants}
    return Timeline(anchor, moved_anchor, agenda.birth, birth, birth, moved)


def _moved(dossier: Dossier, timeline: Timeline, instant: Instant, said: str, rate: Fraction) -> int:
    """Where noise of `rate` moves an instant, from the stream of ε as it is `said`."""
    unit = instant.unit
    distance, here = instant.index - timeline.index(unit), timeline.moved_index(unit)
    side = 1 if distance > 0 else -1
    least = 1 if distance else 0
    stream = dossier.stream("instant", unit, str(instant.index), said)
    while True:
        moved = max(least, abs(distance) + discrete_laplace(stream, rate))
        index = here + side * moved
        kept = clamped(unit, index)
        if kept != instant.index:
            return kept
        if kept != index:
            return kept + (1 if index < kept else -1)  # at the end of the calendar, where all noise would stay


def _moved_apart(dossier: Dossier, timeline: Timeline, instant: Instant, epsilon: Fraction) -> int:
    """Where an instant goes that is not counted from the anchor, on its side of the moved one."""
    unit = instant.unit
    distance, here = instant.index - timeline.index(unit), timeline.moved_index(unit)
    side = 1 if distance > 0 else -1
    away = side * (apart(dossier, instant, epsilon) - here)
    return clamped(unit, here + side * max(1 if distance else 0, away))


def move_age(dossier: Dossier, age: Age, epsilon: Fraction) -> int:
    """Another value of an age: max(1, v + DLap(ε)) in its own unit, drawn again while it is the original.

    Years are counted on the public scale of `scales`: ε is per step of it.
    """
    stream = dossier.stream("age", age.unit, str(age.step), str(age.value), str(epsilon))
    whole = age.value // age.step
    in_year = scales.steps(dossier.policy.ages) if age.unit is Unit.YEAR else 1
    low = 2 if age.unit is Unit.DECADE else 1
    rate = tempered(epsilon * in_year) / in_year  # a year has to be left, step by step
    while True:
        noise = discrete_laplace(stream, rate)
        if in_year == 1:
            moved = max(low, whole + noise)
        else:
            moved = max(low, scales.years_at(scales.position(whole, in_year) + noise, in_year))
        if moved == whole:
            continue
        if age.unit is Unit.DECADE or age.step == 1:
            return moved
        return moved * age.step + stream.below(age.step)
