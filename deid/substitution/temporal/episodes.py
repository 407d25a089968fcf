"""Strategy `episodes`: dates of one stay move together, dates of other times apart; distances of a year stay.

Public by declaration (docs/privacy.md): the days between the dates of an episode, its weekdays (of a stay of one day,
whether a day is a working day), the stage of life at its first day, and distances of up to `kept_days` ("il y a trois
semaines"). Under `moves: day` each day is an episode of its own and may become any day of its stage of life: only the
order, the stages and those distances are public.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple

from deid.privacy.budget import rational, tempered
from deid.privacy.laplace import discrete_laplace
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births, stages
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.normalisation import NormalisedTimes, are_beside, day_of_pregnancy, weekday_of
from deid.substitution.temporal.order import restore
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.timeline import Timeline, anchor_epsilon, day_of
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, clamped, index_of

MECHANISM = "exponential"
KEPT = "kept"  # strategy of a distance that stays as it is
CostLine = tuple[str, str, Fraction | None, int]  # as in `calendar`
_WEEK = 7
_SATURDAY = 5
_QUARTER = 92  # days before the birth
_FAR = 10**6  # days, no bound


class Episode(NamedTuple):
    """A stay of the patient, or the quarter of a year of a document without one.

    `keeps` bounds the moves of its first day: `weekday` by whole weeks; `kind`, of a stay of one day, to any day of its
    kind, working day or weekend; `nothing`, under `moves: day`, to any day.
    """

    first: date
    last: date | None
    keeps: Literal["weekday", "kind", "nothing"]

    def allows(self, days: int) -> bool:
        """Return whether the episode may move by that many days."""
        first = self.first.toordinal()
        match self.keeps:
            case "weekday":
                return days % _WEEK == 0
            case "kind":
                return _is_weekend(first + days) == _is_weekend(first)
            case "nothing":
                return True

    def moved(self, day: date, days: int, *, written: bool = False) -> date:
        """Return a day moved by `days`; under `kind`, then to the nearest day of its kind, or weekday if `written`.

        The day of such a stay and the next one move by `days` alone: brought to their kind one by one, they could meet.
        Their weekdays follow them, so that documents with a written weekday agree with those without.
        """
        to = day.toordinal() + days
        if self.keeps != "kind" or 0 <= (day - self.first).days <= 1:
            return date.fromordinal(to)
        if written:
            return date.fromordinal(to + (day.toordinal() - to + 3) % _WEEK - 3)
        return date.fromordinal(_nearest_of_kind(to, _is_weekend(day.toordinal())))


def episode_of(context: DocumentContext, anchor: date) -> Episode:
    """Return the document's stay; the quarter of `anchor` if none, or an impossible one, is known."""
    if context.policy.dates.moves == "day":
        return _lone(anchor)
    stay = context.document.stay
    if stay is not None and stay.first <= anchor and (stay.last is None or stay.first <= stay.last):
        return Episode(stay.first, stay.last, "kind" if stay.last == stay.first else "weekday")
    return _quarter(anchor)


def _lone(day: date) -> Episode:
    return Episode(day, day, "nothing")


def _elsewhere(context: DocumentContext, day: date) -> Episode:
    """Return the episode of a day outside the document's: its quarter; under `moves: day`, itself."""
    return _lone(day) if context.policy.dates.moves == "day" else _quarter(day)


def _quarter(day: date) -> Episode:
    quarter = Instant(Unit.QUARTER, index_of(Unit.QUARTER, day))
    return Episode(quarter.first, quarter.last, "weekday")


def episode_shift(context: DocumentContext, episode: Episode, life: Life | None = None) -> int:
    """Return the days that the dates of an episode move by.

    Let v be the true first day, s the patient's shift and S the public set of possible first days: the surrogate y has
    probability exp(−(ε/2)·|y − v − s|) / Z(v) on S. For v, w in S the ratio of the exponentials is at most
    exp((ε/2)·|v − w|), and so is Z(w) / Z(v), hence ε·|v − w| (McSherry and Talwar 2007). S is the days of the same
    weekday, of the same kind for a stay of one day, in the episode's stage of life at its beginning, counted from the
    moved birth date: adjacent inputs share it. Where s leads out of that stage, the noise begins at its nearer end:
    between there and v + s no day is in S.
    """
    shift, rate = patient_shift(context), tempered(rational(context.policy.dates.episode_epsilon)) / 2
    low, high = (shift - _FAR, shift + _FAR) if life is None else life.moves(episode)
    if low == high:
        return low
    stream, near = context.stream("episode", episode.first.isoformat()), min(max(shift, low), high)
    while True:
        days = near + discrete_laplace(stream, rate)
        if low <= days <= high and episode.allows(days):
            return days


class Life(NamedTuple):
    """A patient's birth date, true and moved: one draw, followed by all of the patient's episodes."""

    birth: date
    moved: date

    def moves(self, episode: Episode) -> tuple[int, int]:
        """Return the least and greatest move, in days, that keeps an episode in the stage of life of its first day.

        An episode that ends in a later stage, since a document of it may tell the next age, begins within its own
        length of the end of the first one, a week at least: both stages are public. An episode from the first month of
        life, or the quarter before, moves with the birth date. An earlier one is free, and so are single days
        (`moves: day`) before the birth.
        """
        day, alone = episode.first, episode.keeps == "nothing"
        before = (self.birth - day).days
        if before > (0 if alone else _QUARTER):
            return -_FAR, _FAR
        first, last = stages.days_of_stage(self.birth, day, self.moved)
        if first == self.moved and not alone:
            return (self.moved - self.birth).days, (self.moved - self.birth).days
        ends = episode.last or day
        if first != self.moved and ends > stages.days_of_stage(self.birth, day, self.birth)[1]:
            first = max(first, last - timedelta(days=max((ends - day).days, _WEEK) - 1))
        return (first - day).days, (last - day).days


def patient_shift(context: DocumentContext) -> int:
    """Return the shift of all dates of the scope, in days, apart from the noise of each: discrete Laplace."""
    return discrete_laplace(context.stream("anchor"), anchor_epsilon(context))


def move(context: DocumentContext, normalised: NormalisedTimes, epsilon: Fraction) -> Timeline:
    """Return the timeline of a document.

    The window goes from `days_before` the stay's first day to `days_after` its last, without a stay around the anchor.
    An instant with its middle day in the window moves by `episode_shift`; around a stay of one day, then to the nearest
    day of its kind, or of its written weekday. A kept distance moves with the document's own date. Another day moves by
    the shift of its quarter of a year; a month, season, year or decade by the patient's shift and noise of its own, in
    its unit (`history_epsilon`). Any may come back to its original, so each law above is the published one, up to the
    last step. It restores the order of the document's dates, which is public: other dates are put in order with the
    days of the episode and the birth date, and a year holds the months that it held.
    """
    anchor = normalised.anchor
    episode = episode_of(context, anchor)
    written = {
        one
        for mention, one in normalised.instants.items()
        if one.unit is Unit.DAY and weekday_of(normalised.said[mention]) == one.first.weekday()
    }
    life = _life(context, normalised.birth)
    moved_anchor = episode.moved(anchor, episode_shift(context, episode, life), written=day_of(anchor) in written)
    birth = normalised.birth and _birth(context, anchor, moved_anchor, normalised.birth, epsilon)
    pinned = {day_of(anchor): moved_anchor.toordinal()} | {
        normalised.instants[mention]: _told_from(normalised.instants[mention], anchor, moved_anchor)
        for mention, said in normalised.said.items()
        if mention in normalised.instants and is_kept(context, said)
    }
    window = _window(context, episode, anchor)
    beside = _told_from_here(context, normalised)
    told = [*sorted(one.first for one in normalised.dated if one.unit is Unit.DAY), anchor]
    drawn: dict[Instant, int] = {}
    for one in normalised.dated:
        if one in pinned:
            drawn[one] = pinned[one]
        elif window[0] <= one.middle <= window[1] or one in beside:
            day = _told_day(one, told)
            near = _lone(day) if context.policy.dates.moves == "day" else episode
            drawn[one] = index_of(one.unit, near.moved(day, episode_shift(context, near, life), written=one in written))
        else:
            drawn[one] = _history(context, one, life)
    line = Timeline(anchor, moved_anchor, normalised.birth, birth, birth)
    fixed = {one: index for one, index in pinned.items() if one in drawn} | line.fixed()
    own = {one: index for one, index in drawn.items() if one.unit is Unit.DAY and window[0] <= one.first <= window[1]}
    if context.policy.dates.moves == "stay":
        fixed |= {one: to.index for one, to in restore(own, fixed).items() if one in own}
    moved = restore(drawn, fixed, holding=True)
    for one in normalised.birth_instants:
        moved[one] = Instant(one.unit, index_of(one.unit, birth or moved_anchor))
    kept = frozenset([mention for mention, said in normalised.said.items() if is_kept(context, said)])
    return Timeline(anchor, moved_anchor, normalised.birth, birth, birth, moved, kept, may_return=True)


def move_day(context: DocumentContext, day: date) -> date | None:
    """Return the surrogate of a day as the document would have it; None outside its episode's window.

    Around a stay of one day, a text with the weekday beside the day may have it up to three days off.
    """
    anchor = context.document.reference_date
    if anchor is None:
        return None
    episode = episode_of(context, anchor)
    low, high = _window(context, episode, anchor)
    if not low <= day <= high:
        return None
    return episode.moved(day, episode_shift(context, episode, _life(context, context.document.patient.birth_date)))


def _life(context: DocumentContext, birth: date | None) -> Life | None:
    """Return the birth date, true and moved, under `stages`; None under others, whose birth date has no such draw."""
    if birth is None or context.policy.ages.strategy != "stages":
        return None
    return Life(birth, stages.born(context, birth, patient_shift(context)))


def _birth(context: DocumentContext, anchor: date, moved_anchor: date, birth: date, epsilon: Fraction) -> date:
    """Return the birth date as the document publishes it."""
    move = stages.move_birth if context.policy.ages.strategy == "stages" else births.move_birth
    return move(context, anchor, moved_anchor, birth, epsilon, anchor + timedelta(days=patient_shift(context)))


def cost_lines(context: DocumentContext, normalised: NormalisedTimes) -> list[CostLine]:
    """Return the costs of a document's dates: a draw per episode, and per other month, season, year or decade."""
    anchor = normalised.anchor
    own = episode_of(context, anchor)
    low, high = _window(context, own, anchor)
    told = {one for mention, one in normalised.instants.items() if not is_kept(context, normalised.said[mention])}
    near = _told_from_here(context, normalised)
    others = [one for one in told & normalised.dated - near if not low <= one.middle <= high]
    dates = context.policy.dates
    moved = {_elsewhere(context, one.first) for one in others if one.unit is Unit.DAY}
    if dates.moves == "day":
        days = [*sorted(one.first for one in normalised.dated if one.unit is Unit.DAY), anchor]
        moved |= {_lone(_told_day(one, days)) for one in (told & normalised.dated) - set(others)}
    shown = normalised.instants or context.document.reference_date is not None
    lines: list[CostLine] = [("date", MECHANISM, rational(dates.episode_epsilon), len(moved - {own}) + bool(shown))]
    for unit in Unit:
        if unit is not Unit.DAY and (count := sum(one.unit is unit for one in others)):
            lines.append(("date", f"discrete_laplace per {unit}", rational(dates.history_epsilon[unit]), count))
    return lines


def is_kept(context: DocumentContext, said: object) -> bool:
    """Return whether a mention is a distance kept as it is: of `kept_days` at most, or without a number."""
    if not isinstance(said, Relative) or said.named is not None or said.feast is not None:
        return False
    if said.manner.vague:
        return True
    return (abs(said.offset) + said.span) * DAYS_OF[said.unit] <= context.policy.dates.kept_days


def _told_from_here(context: DocumentContext, normalised: NormalisedTimes) -> set[Instant]:
    """Return the instants that the words place by the document's date, near or far.

    These are names ("l'été dernier") within `kept_days`, dates beside a kept distance, and the days of a pregnancy.
    """
    reach, said = context.policy.dates.kept_days, normalised.said
    found = {
        one
        for mention, one in normalised.instants.items()
        if (isinstance(said[mention], Relative) and abs((one.middle - normalised.anchor).days) <= reach)
        or day_of_pregnancy(context, mention) is not None
    }
    for pair in pairwise(sorted(normalised.instants)):
        for distance, date_beside in (pair, pair[::-1]):
            if is_kept(context, said[distance]) and isinstance(said[date_beside], Expression):
                found |= {normalised.instants[date_beside]} if are_beside(context, *pair) else set()
    return found


def _told_from(instant: Instant, anchor: date, moved_anchor: date) -> int:
    """Return the moved index of a kept distance, counted from the moved anchor."""
    return index_of(instant.unit, moved_anchor) + instant.index - index_of(instant.unit, anchor)


def _window(context: DocumentContext, episode: Episode, anchor: date) -> tuple[date, date]:
    """Return the first and last day that the episode's shift applies to, in a document dated `anchor`."""
    dates = context.policy.dates
    known = context.document.stay is not None
    first, last = (episode.first, max(episode.last or anchor, anchor)) if known else (anchor, anchor)
    return first - timedelta(days=dates.days_before), last + timedelta(days=dates.days_after)


def _told_day(one: Instant, told: Sequence[date]) -> date:
    """Return the first of the days `told` within an instant, so that both agree; without one, its middle day."""
    return next((day for day in told if one.first <= day <= one.last), one.middle)


def _history(context: DocumentContext, one: Instant, life: Life | None) -> int:
    """Return the moved index of an instant outside the document's episode."""
    unit, width = one.unit, DAYS_OF[one.unit]
    if unit is Unit.DAY:
        return clamped(unit, one.index + episode_shift(context, _elsewhere(context, one.first), life))
    rate = tempered(rational(context.policy.dates.history_epsilon[unit]))
    noise = discrete_laplace(context.stream("history", unit, str(one.index)), rate)
    return clamped(unit, one.index + (2 * patient_shift(context) + width) // (2 * width) + noise)


def _is_weekend(ordinal: int) -> bool:
    return (ordinal - 1) % _WEEK >= _SATURDAY


def _nearest_of_kind(ordinal: int, weekend: bool) -> int:
    """Return the ordinal of the nearest weekend day or working day, as asked; the earlier of two."""
    return next(ordinal + step for step in (0, -1, 1, -2, 2, -3, 3) if _is_weekend(ordinal + step) == weekend)
