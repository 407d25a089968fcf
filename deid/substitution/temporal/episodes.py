"""Strategy `episodes`: dates that lie close in a text move together, far ones apart; distances of a year stay.

Public by declaration (docs/privacy.md): which dates are one episode, the days between them, its weekdays (of a stay of
one day, whether a day is a working day), the stage of life at its first day, and distances of up to `kept_days` ("il y
a trois semaines"). Under `moves: day` each day is an episode of its own and may become any day of its stage of life:
only the order, the stages and those distances are public.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Literal, NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import TEMPORAL, Label
from deid.privacy.budget import rational, tempered
from deid.privacy.laplace import discrete_laplace
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import births, ends, groups, stages
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.groups import Group, Grouped
from deid.substitution.temporal.normalisation import (
    NormalisedTimes,
    are_beside,
    day_of_pregnancy,
    length_ahead,
    weekday_of,
)
from deid.substitution.temporal.order import restore
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.timeline import Timeline, anchor_epsilon, day_of
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, add_months, clamped, index_of

MECHANISM = "exponential"
KEPT = "kept"  # strategy of a distance that stays as it is
CostLine = tuple[str, str, Fraction | None, int]  # as in `calendar`
_WEEK = 7
_SATURDAY = 5
_NAMED = {Unit.SEASON: 4, Unit.MONTH: 12}  # units of a year that are said by name: "l'été dernier"
_FAR = 10**6  # days, no bound
_ABOUT = timedelta(days=3)  # that a date may lie from the end of a length told of it


class Episode(NamedTuple):
    """A stay of the patient, the quarter of a year of a document without one, or dates of the past told close together.

    `keeps` bounds the moves of its first day: `weekday`, and `quarter` of such a quarter, by whole weeks; `kind`, of a
    stay of one day, to any day of its kind, working day or weekend; `nothing`, under `moves: day`, to any day.
    """

    first: date
    last: date | None
    keeps: Literal["weekday", "quarter", "kind", "nothing"]

    def allows(self, days: int) -> bool:
        """Return whether the episode may move by that many days."""
        first = self.first.toordinal()
        match self.keeps:
            case "weekday" | "quarter":
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


def _quarter(day: date) -> Episode:
    quarter = Instant(Unit.QUARTER, index_of(Unit.QUARTER, day))
    return Episode(quarter.first, quarter.last, "quarter")


def episode_shift(context: DocumentContext, episode: Episode, life: Life | None = None) -> int:
    """Return the days that the dates of an episode move by.

    Let v be the true first day, s the patient's shift and S the public set of possible first days: the surrogate y has
    probability exp(−(ε/2)·|y − v − s|) / Z(v) on S. For v, w in S the ratio of the exponentials is at most
    exp((ε/2)·|v − w|), and so is Z(w) / Z(v), hence ε·|v − w| (McSherry and Talwar 2007). S is the days of the same
    weekday, of the same kind for a stay of one day, in the episode's stage of life at its beginning, counted from the
    moved birth date: adjacent inputs share it. Where s leads out of that stage, the noise begins at its nearer end:
    between there and v + s no day is in S.

    The first three years of life are too short for that noise. An episode that begins in the first one, or in the
    pregnancy, moves with the birth date; in the next two with that and the noise of an age of its stage
    (`infant_stage`), folded at the ends of S and brought to its nearest day.
    """
    shift, rate = patient_shift(context), tempered(rational(context.policy.dates.episode_epsilon)) / 2
    low, high = (shift - _FAR, shift + _FAR) if life is None else life.moves(episode)
    if low == high:
        return low
    stream, near = context.stream("episode", episode.first.isoformat()), min(max(shift, low), high)
    if life is not None and (stage := infant_stage(context, episode, life.birth)) is not None:
        days = (life.moved - life.birth).days + discrete_laplace(stream, tempered(stages.epsilon_per_day(stage)))
        days = stages.folded(range(low, high + 1), days)
        beside = range(max(low, days - _WEEK), min(high, days + _WEEK) + 1)
        return min(filter(episode.allows, beside), key=lambda one: (abs(one - days), one))
    while True:
        days = near + discrete_laplace(stream, rate)
        if low <= days <= high and episode.allows(days):
            return days


def infant_stage(context: DocumentContext, episode: Episode, birth: date | None) -> int | None:
    """Return the stage of life that an episode begins in, where its ages have a greater ε per day than an episode.

    None for an older patient, and for one whose days move each by itself: ε is then that of any episode. 0 for an
    episode of the first year, or of the pregnancy, which moves with the birth date alone.
    """
    if birth is None or episode.keeps == "nothing" or context.policy.ages.strategy != "stages":
        return None
    if stages.moves_with_birth(birth, episode.first):
        return 0
    if episode.first < birth:
        return None
    stage = stages.stage_on(birth, episode.first)
    return stage if stages.epsilon_per_day(stage) > rational(context.policy.dates.episode_epsilon) else None


def own_shift(context: DocumentContext, episode: Episode, anchor: date, life: Life | None) -> int:
    """Return the days that the document's own episode moves by: `episode_shift`, brought before the document's end.

    Read are the published first day of a stay, or the published date of a document without one, its stage of life and
    other public facts: ε stays that of the draw, which other documents may show as it is. An episode that moves with
    the birth date goes on doing so, unless a birth that another document of that age left less room leads it past that
    end: it then keeps its stage.
    """
    days, bounds = episode_shift(context, episode, life), context.document.bounds
    least, most = (-_FAR, _FAR) if life is None else life.moves(episode)
    stays = episode.keeps in ("weekday", "kind")
    if life is not None and least == most:
        day = episode.first if stays else anchor
        least = min(days, (stages.days_of_stage(life.birth, day, life.moved)[0] - day).days)
    elif life is not None and not stays and anchor >= life.birth:
        least, most = life.moves(episode._replace(first=anchor, last=anchor))
        days += _WEEK * (max(-((days - least) // _WEEK), 0) - max(-((most - days) // _WEEK), 0))
    if bounds is None:
        return days
    latest = bounds.until - anchor
    if stays:
        latest = bounds.until - episode.first - ends.reach(episode.first, max(anchor, episode.last or anchor))
    return ends.brought_before(days, latest.days, least)


class Life(NamedTuple):
    """A patient's birth date, true and moved: one draw, followed by all of the patient's episodes."""

    birth: date
    moved: date

    def holds(self, episode: Episode) -> bool:
        """Return whether an episode moves with the birth date, so that all days between them stay."""
        return episode.keeps != "nothing" and stages.moves_with_birth(self.birth, episode.first)

    def moves(self, episode: Episode) -> tuple[int, int]:
        """Return the least and greatest move, in days, that keeps an episode in the stage of life of its first day.

        An episode that ends in a later stage, since a document of it may tell the next age, begins within its own
        length of the end of the first one, a week at least: both stages are public. An episode from the first year of
        life, or the pregnancy, moves with the birth date. An earlier one is free, and so are single days (`moves: day`)
        before the birth.
        """
        day = episode.first
        if self.holds(episode):
            return (self.moved - self.birth).days, (self.moved - self.birth).days
        if day < self.birth:
            return -_FAR, _FAR
        first, last = stages.days_of_stage(self.birth, day, self.moved)
        length = (episode.last or day) - day
        if day + length > stages.days_of_stage(self.birth, day, self.birth)[1]:
            first = max(first, last - max(length, timedelta(days=_WEEK)) + timedelta(days=1))
        elif episode.keeps == "quarter":
            last -= length
        return (first - day).days, (last - day).days


def patient_shift(context: DocumentContext) -> int:
    """Return the shift of all dates of the scope, in days, apart from the noise of each: discrete Laplace."""
    return discrete_laplace(context.stream("anchor"), anchor_epsilon(context))


def move(context: DocumentContext, normalised: NormalisedTimes, epsilon: Fraction) -> Timeline:
    """Return the timeline of a document.

    Dates of the document's own time (`told_together`) move by `own_shift` of its episode; around a stay of one day,
    then to the nearest day of its kind, or of its written weekday. A kept distance moves with the document's own date.
    Other days and what is told close to them are episodes of their own (`groups`). A month, season, year or decade by
    itself moves by the patient's shift and noise of its own, in its unit (`history_epsilon`). Any may come back to its
    original, so each law above is the published one, up to the last step. It restores the order of the document's
    dates, which is public: episodes are put in order as wholes, other dates with them and the birth date, and a year
    holds the months that it held.
    """
    anchor = normalised.anchor
    life = _life(context, _life_birth(context, normalised))
    episode = _own_episode(context, anchor, life)
    written = {
        one
        for mention, one in normalised.instants.items()
        if one.unit is Unit.DAY and weekday_of(normalised.said[mention]) == one.first.weekday()
    }
    shift = own_shift(context, episode, anchor, life)
    moved_anchor = episode.moved(anchor, shift, written=day_of(anchor) in written)
    birth = normalised.birth and _birth(context, anchor, moved_anchor, normalised.birth, epsilon)
    days = _days(normalised)
    pinned = {day_of(anchor): moved_anchor.toordinal()} | {
        one: _told_from(one, anchor, moved_anchor)
        for one in _kept(context, normalised) - _written_with_a_day(normalised, days)
    }
    named = {one for told, one in normalised.instants.items() if _is_named(normalised.said[told])}
    parted = told_together(context, normalised)
    drawn: dict[Instant, int] = {}
    for one in normalised.dated:
        if one in pinned:
            drawn[one] = pinned[one]
        elif one in parted.own:
            near, by = episode, shift
            if context.policy.dates.moves == "day":
                near = _lone(days[one])
                by = episode_shift(context, near, life)
            drawn[one] = index_of(one.unit, near.moved(days[one], by, written=one in written))
            if one in named:
                here, year = index_of(one.unit, moved_anchor), _NAMED[one.unit]
                drawn[one] = min(max(drawn[one], here - year), here + year)
        else:
            drawn[one] = _history(context, one, life)
    line = Timeline(anchor, moved_anchor, normalised.birth, birth, birth)
    fixed = {one: index for one, index in pinned.items() if one in drawn} | line.fixed()
    if context.policy.dates.moves == "stay":
        own = {one: index for one, index in drawn.items() if one.unit is Unit.DAY and one in parted.own}
        fixed |= {one: to.index for one, to in restore(own, fixed).items() if one in own}
        ends = (parted.low + timedelta(days=shift), parted.high + timedelta(days=shift))
        for group in _moved_groups(context, parted, ends, life, drawn):
            drawn |= {one: index_of(one.unit, to) for one, to in group.items()}
            if all(_keeps_side(line, days[one], to) for one, to in group.items()):
                fixed |= {one: drawn[one] for one in group if one.unit is Unit.DAY}
    for distance, beside in _said_twice(context, normalised):
        far, day = normalised.instants[distance], normalised.instants[beside]
        if far in drawn and day in drawn and far not in fixed:  # a distance that moves says that of its date
            to = Instant(day.unit, drawn[day])
            apart = index_of(far.unit, day.first) - far.index
            drawn[far] = clamped(far.unit, index_of(far.unit, to.first) - apart)
    moved = restore(drawn, fixed, holding=True)
    for one in normalised.birth_instants:
        moved[one] = Instant(one.unit, index_of(one.unit, birth or moved_anchor))
    kept = frozenset([mention for mention, said in normalised.said.items() if is_kept(context, said)])
    kept -= normalised.birthdays if birth else frozenset()
    return Timeline(anchor, moved_anchor, normalised.birth, birth, birth, moved, kept, may_return=True)


def _moved_groups(
    context: DocumentContext,
    parted: Grouped,
    own: tuple[date, date],
    life: Life | None,
    drawn: Mapping[Instant, int],
) -> list[Mapping[Instant, date]]:
    """Return the surrogate days of each episode beyond the document's own, and of each month alone, in order."""
    dates = context.policy.dates
    shifts = [
        episode_shift(context, _episode_told(group), life)
        if group.alone is None
        else (Instant(group.alone.unit, drawn[group.alone]).middle - group.first).days
        for group in parted.groups
    ]
    ordered = groups.in_order(parted, own, shifts, (dates.days_before, dates.days_after))
    return [
        {one: day + timedelta(days=days) for one, day in group.days.items()}
        for group, days in zip(parted.groups, ordered, strict=True)
    ]


def _keeps_side(line: Timeline, day: date, moved: date) -> bool:
    """Return whether a day and its surrogate lie on the same side of the birth date and its surrogate."""
    if line.birth is None or line.moved_birth is None:
        return True
    return (day > line.birth) is (moved > line.moved_birth)


def _episode_told(group: Group) -> Episode:
    return Episode(group.first, group.last, "weekday")


def _days(normalised: NormalisedTimes) -> dict[Instant, date]:
    """Return the day that each date of a document moves by."""
    told = sorted(one.first for one in normalised.dated if one.unit is Unit.DAY)
    return {one: _told_day(one, told, normalised.anchor) for one in normalised.dated}


def _kept(context: DocumentContext, normalised: NormalisedTimes) -> set[Instant]:
    """Return the instants of kept distances."""
    return {one for mention, one in normalised.instants.items() if is_kept(context, normalised.said[mention])}


def told_together(context: DocumentContext, normalised: NormalisedTimes) -> Grouped:
    """Return the dates of a document's own time, and the groups of the others.

    Its own time goes from `days_before` the stay's first day to `days_after` its last, without a stay around the
    document's date, and on to dates told close by (`groups.grouped`); what words place by the document's date is of it.
    A month or season that nothing is told close to is a group alone, of a draw in its unit. `moves: day` has no group.
    """
    episode, dates = episode_of(context, normalised.anchor), context.policy.dates
    low, high = _window(context, episode, normalised.anchor)
    beside = _told_from_here(context, normalised)
    within = {one for one in normalised.dated if low <= one.middle <= high} | beside
    within |= _ends_of_lengths(context, normalised, within)
    if dates.moves == "day":
        return Grouped(frozenset(within), low, high, ())
    days = _days(normalised)
    core = (low + timedelta(days=dates.days_before), high - timedelta(days=dates.days_after))
    own = within | (_kept(context, normalised) & normalised.dated)
    found = groups.grouped(days, own, core, (dates.days_before, dates.days_after))
    return found._replace(own=found.own | within)


def move_day(context: DocumentContext, day: date) -> date | None:
    """Return the surrogate of a day as the document would have it; None outside its episode's window.

    Around a stay of one day, a text with the weekday beside the day may have it up to three days off.
    """
    anchor = context.document.reference_date
    if anchor is None:
        return None
    life = _life(context, context.document.patient.birth_date)
    episode = _own_episode(context, anchor, life)
    low, high = _window(context, episode, anchor)
    if not low <= day <= high:
        return None
    return episode.moved(day, own_shift(context, episode, anchor, life))


def _own_episode(context: DocumentContext, anchor: date, life: Life | None) -> Episode:
    """Return the document's episode; of one that moves with the birth date, no day is brought to its kind."""
    episode = episode_of(context, anchor)
    if life is None or episode.keeps != "kind" or not life.holds(episode):
        return episode
    return episode._replace(keeps="weekday")


def follows_birth(context: DocumentContext, normalised: NormalisedTimes) -> bool:
    """Return whether the document's episode moves with the patient's birth date, which is public."""
    own = episode_of(context, normalised.anchor)
    return context.policy.dates.strategy == "episodes" and infant_stage(context, own, normalised.birth) == 0


def _life(context: DocumentContext, birth: date | None) -> Life | None:
    """Return the birth date, true and moved, under `stages`; None under others, whose birth date has no such draw."""
    if birth is None or context.policy.ages.strategy != "stages":
        return None
    return Life(birth, stages.born(context, birth, patient_shift(context)))


def _life_birth(context: DocumentContext, normalised: NormalisedTimes) -> date | None:
    """Return the birth date that episodes follow: the warehouse's even behind the document, of which no age is told."""
    return normalised.birth or context.document.patient.birth_date


def _birth(context: DocumentContext, anchor: date, moved_anchor: date, birth: date, epsilon: Fraction) -> date:
    """Return the birth date as the document publishes it."""
    move = stages.move_birth if context.policy.ages.strategy == "stages" else births.move_birth
    return move(context, anchor, moved_anchor, birth, epsilon, anchor + timedelta(days=patient_shift(context)))


def cost_lines(context: DocumentContext, normalised: NormalisedTimes) -> list[CostLine]:
    """Return the costs of a document's dates: a draw per episode, and per other month, season, year or decade.

    A toddler's episodes show the draw of the birth date too; those of the first year that one alone.
    """
    anchor = normalised.anchor
    own = episode_of(context, anchor)
    told = {one for mention, one in normalised.instants.items() if not is_kept(context, normalised.said[mention])}
    parted, days = told_together(context, normalised), _days(normalised)
    several = [group for group in parted.groups if group.alone is None]
    grouped = {one for group in several for one in group.days}
    others = (told & normalised.dated) - parted.own - grouped
    dates = context.policy.dates
    moved = {_episode_told(group) for group in several if told & group.days.keys()}
    if dates.moves == "day":
        moved = {_lone(days[one]) for one in told & normalised.dated if one in parted.own or one.unit is Unit.DAY}
    shown, birth = normalised.instants or context.document.reference_date is not None, _life_birth(context, normalised)
    counted = Counter(infant_stage(context, one, birth) for one in (moved | {own} if shown else moved - {own}))
    lines: list[CostLine] = [("date", MECHANISM, rational(dates.episode_epsilon), counted.pop(None, 0))]
    if counted and birth is not None:
        lines.append(stages.cost_of_birth(birth))
    lines += [
        ("date", f"discrete_laplace per day, stage {stage}", stages.epsilon_per_day(stage), count)
        for stage, count in sorted((stage, count) for stage, count in counted.items() if stage)
    ]
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


def _written_with_a_day(normalised: NormalisedTimes, days: Mapping[Instant, date]) -> set[Instant]:
    """Return what is written beside a day in it, as "mai 2019" with "30/05/2019": it goes with that day."""
    told = {one.first for one in normalised.dated if one.unit is Unit.DAY}
    written = {one for mention, one in normalised.instants.items() if isinstance(normalised.said[mention], Expression)}
    return {one for one in written & normalised.dated if one.unit is not Unit.DAY and days[one] in told}


def _told_from_here(context: DocumentContext, normalised: NormalisedTimes) -> set[Instant]:
    """Return the instants that the words place by the document's date, near or far.

    These are distances within `kept_days`, the last or next time of a name ("l'été dernier"), dates beside a kept
    distance, and the days of a pregnancy.
    """
    reach, said = context.policy.dates.kept_days, normalised.said
    found = {
        one
        for mention, one in normalised.instants.items()
        if _is_named(said[mention])
        or (isinstance(said[mention], Relative) and abs((one.middle - normalised.anchor).days) <= reach)
        or day_of_pregnancy(context, mention) is not None
    }
    return found | {
        normalised.instants[day]
        for distance, day in _said_twice(context, normalised)
        if is_kept(context, said[distance])
    }


def _said_twice(context: DocumentContext, normalised: NormalisedTimes) -> Iterator[tuple[Mention, Mention]]:
    """Yield each distance with the date beside it: "dans deux ans (mars 2027)"."""
    said = normalised.said
    for pair in pairwise(sorted(normalised.instants)):
        for distance, day in (pair, pair[::-1]):
            if (
                isinstance(said[distance], Relative)
                and isinstance(said[day], Expression)
                and are_beside(context, *pair)
            ):
                yield distance, day


def _ends_of_lengths(
    context: DocumentContext, normalised: NormalisedTimes, within: Collection[Instant]
) -> set[Instant]:
    """Return the ends of lengths that the words ahead tell from the document's date or own days.

    "sonde posée le 14/03/2025, à retirer à 12 mois, le 14/03/2026": the length is published as it is, and its end moves
    with its beginning.
    """
    days = sorted({normalised.anchor, *(one.first for one in within if one.unit is Unit.DAY)})
    found, since = set(), 0
    for mention in context.of(TEMPORAL):
        one, length = normalised.instants.get(mention), length_ahead(context, mention, since)
        since = mention.end
        if mention.label is not Label.DATE or one is None or length is None or one in within:
            continue
        at = bisect_left(days, one.first - _ABOUT, key=partial(_after, length=length))
        if at < len(days) and _after(days[at], length) <= one.last + _ABOUT:
            found.add(one)
    return found & normalised.dated


def _after(day: date, length: Relative) -> date:
    """Return the day that lies a length behind another one."""
    if length.unit in (Unit.MONTH, Unit.YEAR):
        return add_months(day, length.offset * (12 if length.unit is Unit.YEAR else 1))
    return day + timedelta(days=length.offset * DAYS_OF[length.unit])


def _is_named(told: object) -> bool:
    """Return whether words say the last or next season, month or feast of a name, a year away at most."""
    return isinstance(told, Relative) and told.unit in _NAMED and (told.named is not None or told.feast is not None)


def _told_from(instant: Instant, anchor: date, moved_anchor: date) -> int:
    """Return the moved index of a kept distance, counted from the moved anchor."""
    return index_of(instant.unit, moved_anchor) + instant.index - index_of(instant.unit, anchor)


def _window(context: DocumentContext, episode: Episode, anchor: date) -> tuple[date, date]:
    """Return the first and last day that the episode's shift applies to, in a document dated `anchor`."""
    dates = context.policy.dates
    known = context.document.stay is not None
    first, last = (episode.first, max(episode.last or anchor, anchor)) if known else (anchor, anchor)
    return first - timedelta(days=dates.days_before), last + timedelta(days=dates.days_after)


def _told_day(one: Instant, told: Sequence[date], anchor: date) -> date:
    """Return the first of the sorted days `told` within an instant, so that both agree; else anchor or middle day."""
    first, last = one.first, one.last
    at = bisect_left(told, first)
    for day in (*told[at : at + 1], anchor):
        if first <= day <= last:
            return day
    return one.middle


def _history(context: DocumentContext, one: Instant, life: Life | None) -> int:
    """Return the moved index of an instant that moves by itself."""
    unit, width = one.unit, DAYS_OF[one.unit]
    if unit is Unit.DAY:
        return clamped(unit, one.index + episode_shift(context, _lone(one.first), life))
    rate = tempered(rational(context.policy.dates.history_epsilon[unit]))
    noise = discrete_laplace(context.stream("history", unit, str(one.index)), rate)
    return clamped(unit, one.index + (2 * patient_shift(context) + width) // (2 * width) + noise)


def _is_weekend(ordinal: int) -> bool:
    return (ordinal - 1) % _WEEK >= _SATURDAY


def _nearest_of_kind(ordinal: int, weekend: bool) -> int:
    """Return the ordinal of the nearest weekend day or working day, as asked; the earlier of two."""
    return next(ordinal + step for step in (0, -1, 1, -2, 2, -3, 3) if _is_weekend(ordinal + step) == weekend)
