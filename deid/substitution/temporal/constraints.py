"""Count the relations stated by a text between its dates, ages and lengths, and those kept by its published text.

One grammar reads both texts, the published one from its own date: how surrogates were drawn plays no part. A relation
counts where the source agrees with itself within the tolerance of its unit. It is violated where the published values
exclude it, and neither kept nor violated where one of them cannot be read any more (a mask, a month for a day).
"""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

from deid.config.policy import SubstitutionPolicy
from deid.domain.document import Document, Mention, Substitution
from deid.domain.outcomes import Constraint, Kept
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import stages
from deid.substitution.temporal.ages import Age, months_of
from deid.substitution.temporal.durations import Ties
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.kin import is_of_another
from deid.substitution.temporal.normalisation import (
    NormalisedTimes,
    are_beside,
    are_bounds,
    day_of_pregnancy,
    normalise,
    weekday_of,
)
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.timeline import day_of
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, add_months, add_years, age_at

# First and last day, as ordinals, that a mention can mean.
Stretch = tuple[int, int]
_POLICY = SubstitutionPolicy()
_NO_KEY = b"nothing is drawn"
_WHOLE_YEAR = 100  # a year below was written with two digits
SHORT_GAP = 60  # days
_RANGE = re.compile(r"\s{0,2}(?:au|a|jusqu'au|jusqu'en|->|=>|→|-|–|—)\s{0,2}(?:le )?")
_WEEKS = re.compile(
    r"(?<![\d/.,+-])(?P<weeks>\d{1,2}) ?(?:sa|semaines d'amenorrhee)(?![a-z])(?: ?\+ ?(?P<days>[0-6]))?"
)
# Days after the last period of conception and of the term, at 41 weeks; tolerance of a date of pregnancy.
_PREGNANCY_DAYS, _WEEK = {"period": 0, "conception": 14, "term": 287}, 7


class Readings(NamedTuple):
    """A document and its published text, both read; `spans` maps each span of the source to its published one."""

    context: DocumentContext
    true: NormalisedTimes
    published: NormalisedTimes
    spans: Mapping[Mention, Mention]

    def instant(self, span: Mention) -> Instant | None:
        """Return the published instant of a span of the source; None if none can be read there."""
        found = self.published.instants.get(self.spans.get(span, span)) if span in self.spans else None
        said = self.true.said[span]
        short = isinstance(said, Expression) and said.year is not None and said.year < _WHOLE_YEAR
        if found is None or not short or span not in self.true.births or found.unit is not Unit.DAY:
            return found
        # The warehouse settled the century of the source; its published counterpart is of the nearest one.
        expected = self.true.instants[span].index + (self.published.anchor - self.true.anchor).days
        century = add_years(found.first, -_WHOLE_YEAR).toordinal()
        return min(found, Instant(Unit.DAY, century), key=lambda one: abs(one.index - expected))


def read_both(document: Document, substitution: Substitution) -> Readings:
    """Read a document and its published text by the same grammar."""
    context = DocumentContext(document, [one.mention for one in substitution.surrogates], _POLICY, _NO_KEY)
    marks = {
        one.mention: Mention(start, end, one.mention.label)
        for one, (start, end) in zip(substitution.surrogates, substitution.spans, strict=True)
        if start < end
    }
    text = Document(document.id, substitution.text, reference_date=substitution.reference_date)
    published = normalise(DocumentContext(text, list(marks.values()), _POLICY, _NO_KEY))
    true = normalise(context)
    return Readings(context, true, published, _counterparts(true, published, marks))


def _counterparts(
    true: NormalisedTimes, published: NormalisedTimes, marks: Mapping[Mention, Mention]
) -> dict[Mention, Mention]:
    """Map source spans to published spans; those cut otherwise in the published text have none."""
    found: dict[Mention, Mention] = {}
    for mention, mark in marks.items():
        half, other = true.segments.halves.get(mention), published.segments.halves.get(mark)
        parts = true.segments.parts.get(mention, (mention,))
        others = published.segments.parts.get(mark, (mark,))
        if half is not None and other is not None:
            found[half.whole] = other.whole
        elif half is None and other is None and len(parts) == len(others):
            found |= dict(zip(parts, others, strict=True))
    return found


def count_constraints(document: Document, substitution: Substitution) -> dict[Constraint, Kept]:
    """Return the relations stated, kept and violated, by kind; kinds that the text does not state are left out.

    It takes n log n steps for n mentions.
    """
    readings = read_both(document, substitution)
    found: dict[Constraint, list[int]] = defaultdict(lambda: [0, 0, 0])
    for kind, holds, times in (*_of_order(readings), *_of_mentions(readings), *_of_days(readings)):
        found[kind][0] += times
        if holds is not None:
            found[kind][1 if holds else 2] += times
    return {kind: Kept(*found[kind]) for kind in Constraint if found[kind][0]}


# A kind, whether the published text keeps it (None: it does not tell), and how many relations that is.
_Finding = tuple[Constraint, bool | None, int]


def _of_order(readings: Readings) -> Iterator[_Finding]:
    """Yield the pairs of dates in order (one ends before the other begins): kept, violated, unreadable.

    A month, season or feast without its year and a day without its month are in no pair: they are read as the nearest.
    """
    pairs: set[tuple[Stretch, Stretch | None]] = set()
    for span, true in readings.true.instants.items():
        said, found = readings.true.said[span], readings.instant(span)
        if _is_guess(said):
            continue
        published = readings.published.said.get(readings.spans.get(span, span)) if found else None
        here = _stretch(said, true, readings.true.anchor)
        pairs.add((here, _stretch(published, found, readings.published.anchor) if published and found else None))
    if readings.context.document.reference_date is not None:
        anchors = (readings.true.anchor.toordinal(), readings.published.anchor.toordinal())
        pairs.add(((anchors[0],) * 2, (anchors[1],) * 2))
    told = [(true, published) for true, published in pairs if published is not None]
    stated, readable = _ordered([true for true, _ in pairs]), _ordered([true for true, _ in told])
    violated = _disordered(told)
    yield Constraint.ORDER, True, readable - violated
    yield Constraint.ORDER, False, violated
    yield Constraint.ORDER, None, stated - readable


def _is_guess(said: Expression | Relative) -> bool:
    if isinstance(said, Relative):
        return False
    return (said.month if said.unit is Unit.DAY else said.year) is None and said.weekday is None


def _stretch(said: Expression | Relative, instant: Instant, anchor: date) -> Stretch:
    """Return the days that a mention can mean: for a distance, ± half its unit if counted, else ± a unit less a day."""
    if isinstance(said, Expression) or said.named is not None or said.feast is not None:
        return instant.first.toordinal(), instant.last.toordinal()
    sign = 1 if said.offset > 0 else -1
    ends = sorted(
        (_counted(said.unit, said.offset, anchor), _counted(said.unit, said.offset + sign * said.span, anchor))
    )
    slack = DAYS_OF[said.unit] // 2 if said.manner.counted else DAYS_OF[said.unit] - 1
    return ends[0] - slack, ends[1] + slack


def _counted(unit: Unit, number: int, anchor: date) -> int:
    match unit:
        case Unit.MONTH:
            return add_months(anchor, number).toordinal()
        case Unit.YEAR:
            return add_years(anchor, number).toordinal()
        case _:
            return anchor.toordinal() + number * DAYS_OF[unit]


def _precedes(one: Stretch, other: Stretch) -> bool:
    """Return whether the first stretch may lie before the second."""
    return one[0] < other[1]


def _ordered(stretches: Sequence[Stretch]) -> int:
    """Count the pairs of stretches of which one ends before the other begins."""
    firsts = sorted(first for first, _ in stretches)
    return sum(len(firsts) - bisect_right(firsts, last) for _, last in stretches)


def _disordered(told: Sequence[tuple[Stretch, Stretch]]) -> int:
    """Count the ordered pairs that cannot have the same order in their published stretches."""
    later = sorted(told, key=lambda pair: pair[0][0])
    lasts: list[int] = []  # published last days of what begins behind
    count = 0
    for (_, last), (first, _) in sorted(told, key=lambda pair: pair[0][1], reverse=True):
        while later and later[-1][0][0] > last:
            insort(lasts, later.pop()[1][1])
        count += bisect_right(lasts, first)
    return count


def _of_mentions(readings: Readings) -> Iterator[_Finding]:
    """Yield the relations of mentions alone and with their neighbours: weekdays, ranges, distances, ages."""
    said, instants = readings.true.said, readings.true.instants
    for span in instants:
        if (weekday := weekday_of(said[span])) is not None:
            yield from _of_weekday(readings, span, weekday)
    for one, other in pairwise(sorted(instants)):
        if isinstance(said[one], Expression) and isinstance(said[other], Expression):
            yield from _of_range(readings, one, other)
        else:
            yield from _of_distance(readings, one, other)
    yield from _of_ages(readings)
    yield from _of_kin(readings)


def _of_weekday(readings: Readings, span: Mention, weekday: int) -> Iterator[_Finding]:
    """Yield the relations of a written weekday: it stays, and the date beside it falls on it."""
    found, said = readings.instant(span), readings.published.said.get(readings.spans.get(span, span))
    told = None if found is None else weekday_of(said)
    yield Constraint.WEEKDAY_WRITTEN, None if told is None else told == weekday, 1
    true = readings.true.said[span]
    if (
        isinstance(true, Expression)
        and true.day is not None
        and readings.true.instants[span].first.weekday() == weekday
    ):
        yield Constraint.WEEKDAY, None if told is None or found is None else found.first.weekday() == told, 1


def _of_range(readings: Readings, one: Mention, other: Mention) -> Iterator[_Finding]:
    """Yield the order of the bounds of a range ("du 3 au 7 mars") or of days under one month ("les 3 et 7 mars")."""
    said, between = readings.true.said, readings.context.plain[one.end : other.start]
    short = _lacks_month(said[one])
    if _RANGE.fullmatch(between) is None and not (short and are_bounds(readings.context, one, other)):
        return
    first, last = readings.true.instants[one], readings.true.instants[other]
    if first == last or not _precedes(_ends(first), _ends(last)):
        return
    moved, to = readings.instant(one), readings.instant(other)
    if moved is None or to is None:
        yield Constraint.RANGE, None, 1
        return
    short, whole = (_lacks_month(readings.published.said[readings.spans[span]]) for span in (one, other))
    after_its_month = short and not whole and moved.first.day >= to.first.day  # "du 26 au 10 mars"
    yield Constraint.RANGE, _precedes(_ends(moved), _ends(to)) and not after_its_month, 1


def _ends(instant: Instant) -> Stretch:
    return instant.first.toordinal(), instant.last.toordinal()


def _lacks_month(said: Expression | Relative) -> bool:
    return isinstance(said, Expression) and said.unit is Unit.DAY and said.day is not None and said.month is None


def _of_distance(readings: Readings, one: Mention, other: Mention) -> Iterator[_Finding]:
    """Yield the agreement of a distance with the date beside it: "dans 6 semaines, le 12 mai"."""
    said = readings.true.said
    if type(said[one]) is type(said[other]) or not are_beside(readings.context, one, other):
        return
    instants, anchor = readings.true.instants, readings.true.anchor
    if not _meet(*(_stretch(said[span], instants[span], anchor) for span in (one, other))):
        return
    found = [readings.instant(span) for span in (one, other)]
    told = [readings.published.said.get(readings.spans.get(span, span)) for span in (one, other)]
    moved = [_stretch(text, to, readings.published.anchor) for text, to in zip(told, found, strict=True) if text and to]
    yield Constraint.DISTANCE, _meet(*moved) if len(moved) == len(told) else None, 1


def _meet(one: Stretch, other: Stretch) -> bool:
    """Return whether two stretches share a day, give or take one."""
    return one[0] <= other[1] + 1 and other[0] <= one[1] + 1


def _of_ages(readings: Readings) -> Iterator[_Finding]:
    """Yield the agreement of the patient's ages with the birth date in the text, give or take a unit."""
    true, published = readings.true, readings.published
    born = next((span for span in sorted(true.births)), None)
    if born is None:
        return
    birth = readings.instant(born)
    for span in sorted(true.own_ages):
        if is_of_another(readings.context, span) or stages.is_then(readings.context, span):
            continue
        age = published.ages.get(readings.spans.get(span, span))
        if birth is None or age is None:
            yield Constraint.AGE, None, 1
            continue
        oldest, youngest = (age_at(day, published.anchor, age.unit) for day in (birth.first, birth.last))
        yield Constraint.AGE, youngest - 1 <= age.value // age.step <= oldest + 1, 1


def _of_kin(readings: Readings) -> Iterator[_Finding]:
    """Yield the agreement of relatives' ages (parents, children, siblings…) with the patient's, give or take a year."""
    true, published, context = readings.true, readings.published, readings.context
    own = next((span for span in sorted(true.own_ages) if not is_of_another(context, span)), None)
    if own is None:
        return
    for span in sorted(true.ages):
        relative = stages.read_relative(context, span) if is_of_another(context, span) else None
        if relative is None or not relative.now:
            continue
        sign, years = relative.sign, relative.years
        if _months_older(true.ages[span], true.ages[own], sign) < 12 * years:
            continue
        ages = [published.ages.get(readings.spans.get(one, one)) for one in (span, own)]
        told = None if ages[0] is None or ages[1] is None else _months_older(ages[0], ages[1], sign)
        yield Constraint.KIN, None if told is None else told >= 12 * (years - 1), 1


def _months_older(age: Age, own: Age, sign: int) -> Fraction:
    here, patient = (months_of(one.unit, one.value, one.step) for one in (age, own))
    return sign * (here - patient)


def _of_days(readings: Readings) -> Iterator[_Finding]:
    """Yield the relations between days: stays, lengths, numbered days, pregnancies, short gaps."""
    ties, moved = Ties(readings.context, readings.true), moved_days(readings)
    for first, last in ties.stays():
        one, other = ties.at(first), ties.at(last)
        if one.index <= other.index:
            days = _apart(moved, one, other)
            yield Constraint.STAY, None if days is None else days >= 0, 1
    for tie in ties.lengths:
        if abs(tie.last.index - tie.first.index - tie.days) <= tie.slack:
            days = _apart(moved, tie.first, tie.last)
            yield Constraint.LENGTH, None if days is None else abs(days - tie.days) <= tie.slack, 1
    yield from _of_numbered(ties.numbered, moved)
    yield from _of_pregnancy(ties, readings, moved)
    for gap, published in short_gaps(readings, moved):
        yield Constraint.GAP, abs(published - gap) <= gap / 2, 1


def moved_days(readings: Readings) -> dict[Instant, Instant]:
    """Return the days in the text and the document's own date, each with its published day."""
    true, published = readings.true, readings.published
    dated = readings.context.document.reference_date is not None
    moved = {day_of(true.anchor): day_of(published.anchor)} if dated else {}
    for span, one in true.instants.items():
        found = readings.instant(span) if one.unit is Unit.DAY else None
        if found is not None and found.unit is Unit.DAY:
            moved.setdefault(one, found)
    return moved


def short_gaps(
    readings: Readings, moved: Mapping[Instant, Instant], most: int = SHORT_GAP
) -> Iterator[tuple[int, int]]:
    """Yield the source and published gaps between neighbouring days at most `most` days apart, births left out."""
    for one, other in pairwise(sorted(moved.keys() - readings.true.birth_instants)):
        if other.index - one.index <= most:
            yield other.index - one.index, moved[other].index - moved[one].index


def _apart(moved: Mapping[Instant, Instant], one: Instant, other: Instant) -> int | None:
    return moved[other].index - moved[one].index if one in moved and other in moved else None


def _of_numbered(numbered: Iterable[tuple[Instant, int]], moved: Mapping[Instant, Instant]) -> Iterator[_Finding]:
    """Yield the pairs of numbered days with one origin: "J0 : 3/03, J4 : 7/03, J8 : 11/03" are three pairs."""
    groups: dict[int, set[tuple[Instant, int]]] = defaultdict(set)
    for day, number in numbered:
        groups[day.index - number].add((day, number))
    for group in groups.values():
        origins = Counter(moved[day].index - number for day, number in group if day in moved)
        stated, readable = _pairs(len(group)), _pairs(origins.total())
        kept = sum(map(_pairs, origins.values()))
        yield Constraint.NUMBERED_DAY, True, kept
        yield Constraint.NUMBERED_DAY, False, readable - kept
        yield Constraint.NUMBERED_DAY, None, stated - readable


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _of_pregnancy(ties: Ties, readings: Readings, moved: Mapping[Instant, Instant]) -> Iterator[_Finding]:
    """Yield the agreement, to a week, of last period, conception, term and the document's own week, pair by pair."""
    days = {
        (one, _PREGNANCY_DAYS[kind])
        for span, one in readings.true.instants.items()
        if one.unit is Unit.DAY and (kind := day_of_pregnancy(readings.context, span)) is not None
    }
    here = day_of(readings.true.anchor)
    weeks = {(here, 7 * int(match["weeks"]) + int(match["days"] or 0)) for match in _WEEKS.finditer(ties.text) if days}
    for (one, number), (other, later) in combinations(sorted(days | weeks), 2):
        if {one, other} != {here} and abs(other.index - one.index - (later - number)) <= _WEEK:
            apart = _apart(moved, one, other)
            yield Constraint.PREGNANCY, None if apart is None else abs(apart - (later - number)) <= _WEEK, 1
