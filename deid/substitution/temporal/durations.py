"""Durations in the text ("10 jours d'hospitalisation", "J5") and the two dates of each, found by the words.

Durations are no mentions: they are published unchanged. The text alone gives the two dates (a range beside the
duration, an admission and a discharge), never the values. Making the moved dates agree with it thus reads only what
is published or drawn already: it is post-processing, and costs no ε.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from math import ceil

from deid.domain.document import Mention
from deid.french import numerals
from deid.privacy.budget import rational
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import episodes, order
from deid.substitution.temporal.groups import Grouped
from deid.substitution.temporal.normalisation import NormalisedTimes
from deid.substitution.temporal.timeline import Timeline, day_of
from deid.substitution.temporal.values import Instant, Unit

_DAY = Unit.DAY
_DAYS = {"j": 1, "n": 1, "s": 7, "m": 30, "a": 365}
_DATE, _OTHER = "\ue000", "\ue001"  # stand for a dated mention and for any other, in what the patterns read
_NO_DATE = rf"[^.;\n\d{_DATE}{_OTHER}]"
_COUNT = "un|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|vingt|trente"
_UNIT = "jours?|jrs?|j|nuits?|semaines?|sem|mois|annees?|ans?"
_LENGTH = rf"(?<![\w/.,+-])(?P<count>\d{{1,3}}|{_COUNT}) ?(?P<unit>{_UNIT})(?![a-z\d])"
_RANGE = rf"(?P<first>{_DATE})\s{{0,2}}(?:au|a|jusqu'au|et le|-|→|->|=>)\s{{0,2}}(?P<last>{_DATE})"
_SAID = r"(?:soit|pendant|durant|pour|ou|=|c'est-a-dire|(?:une )?(?:duree|total)(?: totale)?(?: de)?)?"
_RANGES = re.compile(_RANGE)
# A length beside a range: behind it, ahead of it; or behind the day from which something goes on.
_BEHIND = re.compile(rf"{_RANGE}[\s,;:(\[-]{{0,4}}{_SAID}[\s:]{{0,3}}{_LENGTH}")
_AHEAD = re.compile(rf"{_LENGTH}[^,.;\n\d{_DATE}{_OTHER}]{{0,40}}(?:du|entre le|:|\() ?{_RANGE}")
_LENGTH_AHEAD = 70  # characters that a length and what joins it to a range take, and some more
_SINCE = re.compile(rf"depuis le (?P<first>{_DATE})[\s,;:(-]{{0,3}}(?:soit )?{_LENGTH}")
# A length of stay, and what begins and ends one.
_STAYS = (
    re.compile(rf"{_LENGTH} ?(?:d'|de )?(?:hospitalisation|hospit\b|sejour)"),
    re.compile(
        rf"(?:duree (?:de |du |d')?(?:sejour|hospitalisation)|(?:sejour|hospitalisation) de)[\s:]{{0,3}}{_LENGTH}"
    ),
)
_ENTRY = re.compile(
    rf"(?:entree?s?|admise?s?|admission|arrivee?s?|hospitalisee?s?)(?![a-z]){_NO_DATE}{{0,25}}(?P<day>{_DATE})"
)
_EXIT = re.compile(rf"(?:sortie?s?|sortante?|retour a domicile)(?![a-z]){_NO_DATE}{{0,25}}(?P<day>{_DATE})")
_STAY_REACH = 300  # characters between a length of stay and its dates
# Years since an act, "visite des six ans de greffe", and its day: by the act's word, or what is received in it. Acts
# have one day, unlike treatments and diseases.
_ACT = (
    r"(?P<act>greff|transplant|pontage|amput|interven|oper(?=ee?s?\b|ation)|implant|pose(?=e?s?\b)|"
    r"[a-z]{3,16}?(?:ectomi|plasti|stomi))"
)
_SINCE_ACT = re.compile(
    rf"(?<![\w/.,+-])(?P<count>\d{{1,2}}|{_COUNT}) ?(?P<unit>ans) (?:de |d'|apres |post[ -])"
    rf"(?:sa |son |la |une |l')?{_ACT}"
)
_DAY_OF_ACT = re.compile(rf"\b{_ACT}(?=[a-z]*\b{_NO_DATE}{{0,25}}(?P<day>{_DATE}))")
_GRAFT = ("greff", "transplant")
_RECEIVED = re.compile(rf"recu{_NO_DATE}{{0,12}}(?P<day>{_DATE}),? (?:un|une|le|la) (?:rein|foie|coeur|poumons?|greff)")
# "J5 : 12/03", "12/03 (J5)": days of a treatment or stay, each with its date.
_NUMBERED = (
    re.compile(rf"(?<![a-z\d])j ?(?P<number>\d{{1,3}})[ :(=-]{{1,4}}(?:le )?(?P<day>{_DATE})"),
    re.compile(rf"(?P<day>{_DATE})[ :(=-]{{1,4}}j ?(?P<number>\d{{1,3}})(?![a-z\d])(?! ?[:=] ?{_DATE})"),
)
# "M12 le 12/03", "prévu à M6 : 12/03", "à 1 an le 12/03": times since one beginning, told in turn.
_VISITS = re.compile(
    rf"(?:(?<![a-z\d])(?P<coded>[jm]) ?(?P<code>\d{{1,3}})|\ba (?P<count>\d{{1,2}}|{_COUNT}) (?P<unit>mois|ans?))"
    rf"[ :(=-]{{1,4}}(?:prevue? )?(?:le )?(?P<day>{_DATE})"
)
_VISIT_REACH = 60  # characters between two of them
# A text without any of these is taken to say no length.
_HINT = re.compile(r"\d ?(?:j|n|s|m|a)|j ?\d|[a-z] (?:jour|nuit|semaine|mois|an)")


@dataclass(frozen=True, slots=True)
class Tie:
    """Two days of the text, or one and the anchor, said to be `days` apart, give or take `slack`.

    Of a `lone` last day the first never moves: it takes its own episode along.
    """

    first: Instant
    last: Instant
    days: int
    slack: int
    lone: bool = False

    def holds(self, moved: Mapping[Instant, Instant]) -> bool:
        """Return whether the moved days are `days` apart, give or take `slack`."""
        return abs(moved[self.last].index - moved[self.first].index - self.days) <= self.slack


class Ties:
    """The durations of one document between two of its days.

    `text` is the folded text with one sign for each dated day and another for any other mention.
    """

    def __init__(self, context: DocumentContext, normalised: NormalisedTimes) -> None:
        self._context, self._policy = context, context.policy.dates
        self._normalised = normalised
        self._spans = [span for span, one in normalised.instants.items() if one.unit is _DAY]
        self._spans.sort()
        self.text = _skeleton(context, normalised, self._spans) if self._spans else ""

    @cached_property
    def found(self) -> tuple[Tie, ...]:
        """Return each tie once: lengths in the text's order, differences of numbered days, years since acts."""
        return _distinct([*self.lengths, *self._between_numbered(), *self._since_acts(), *self._between_visits()])

    @cached_property
    def lengths(self) -> tuple[Tie, ...]:
        """Return the lengths beside a range or of a stay, in the order of the text."""
        found = _distinct([*self._ranges(), *self._stays()])
        return found if found and _HINT.search(self.text) else ()

    @cached_property
    def numbered(self) -> tuple[tuple[Instant, int], ...]:
        """Return the numbered days ("J5 : 12/03") in the order of the text, each with its number."""
        found = [(m.start("day"), int(m["number"])) for pattern in _NUMBERED for m in pattern.finditer(self.text)]
        return tuple((self.at(place), number) for place, number in sorted(found))

    def stays(self) -> Iterator[tuple[int, int]]:
        """Yield the places in `text` of an admission and of the discharge that follows it."""
        entries = [(match.start("day"), True) for match in _ENTRY.finditer(self.text)]
        exits = [(match.start("day"), False) for match in _EXIT.finditer(self.text)]
        for (first, enters), (last, again) in pairwise(sorted(entries + exits)):
            if enters and not again:
                yield first, last

    def reconciled(self, line: Timeline) -> Timeline:
        """Return the timeline with the days of each tie made to agree, as far as the fixed days allow.

        The later day moves, or the earlier one if the later has to stay, to the nearest place within the slack, never
        its original; other dates give way in their order (`order.restore`). Where both stay, nothing moves.
        """
        if not self.found:
            return line
        births = {one: to for one, to in line.instants.items() if one in self._normalised.birth_instants}
        pins = line.fixed()
        moved = {one: Instant(one.unit, index) for one, index in pins.items()} | dict(line.instants)
        for tie in self.found:
            if not tie.holds(moved):
                place = self._place(tie, moved, pins)
                if place is None:
                    continue
                pins |= {tie.first: moved[tie.first].index, tie.last: moved[tie.last].index} | place
                targets = {one: to.index for one, to in moved.items() if one not in births}
                moved |= order.restore(targets, pins, holding=line.may_return)
            pins |= {tie.first: moved[tie.first].index, tie.last: moved[tie.last].index}
        return line._replace(instants={one: moved[one] for one in line.instants})

    @staticmethod
    def _place(tie: Tie, moved: Mapping[Instant, Instant], pins: Mapping[Instant, int]) -> dict[Instant, int] | None:
        """Return one day of a tie and an index at which the tie holds; None if there is none."""
        for mover, other, sign in ((tie.last, tie.first, 1), (tie.first, tie.last, -1)):
            if mover in pins or (tie.lone and mover == tie.first):
                continue
            target, here = moved[other].index + sign * tie.days, moved[mover].index
            days = sorted(one for one in moved if one.unit is Unit.DAY)
            space = _space(mover, days, {**pins, other: moved[other].index})
            reach = range(target - tie.slack, target + tie.slack + 1)
            for index in sorted(reach, key=lambda index: (abs(index - here), index)):
                if index in space and index != mover.index:
                    return {mover: index}
        return None

    def _ranges(self) -> Iterator[Tie]:
        ranges = [match.span() for match in _RANGES.finditer(self.text)]
        matches = list(_BEHIND.finditer(self.text)) if ranges else []
        ahead = 0
        for start, end in ranges:  # no other day stands between a length and its range
            matches += _AHEAD.finditer(self.text, max(ahead, start - _LENGTH_AHEAD), end)
            ahead = end
        for match in matches:
            yield from self._tie(match, self.at(match.start("first")), self.at(match.start("last")))
        for match in _SINCE.finditer(self.text):
            yield from self._tie(match, self.at(match.start("first")), day_of(self._normalised.anchor))

    def _stays(self) -> Iterator[Tie]:
        """Yield a tie for each length of stay, with the nearest admission and discharge, or range of dates."""
        stays = [match for pattern in _STAYS for match in pattern.finditer(self.text)]
        if not stays:
            return
        pairs = [(match.start("first"), match.start("last")) for match in _RANGES.finditer(self.text)]
        pairs += self.stays()
        for stay in stays:
            away, pair = min(((_away(stay.span(), pair), pair) for pair in pairs), default=(_STAY_REACH, (0, 0)))
            if away < _STAY_REACH:
                yield from self._tie(stay, self.at(pair[0]), self.at(pair[1]))

    def _between_numbered(self) -> Iterator[Tie]:
        for (first, number), (last, later) in pairwise(self.numbered):
            if later > number:
                yield Tie(first, last, later - number, slack=0)

    def _between_visits(self) -> Iterator[Tie]:
        """Yield a tie for the months or years from a visit to the next, if that one moves by itself."""
        told = [(visit, self.at(visit.start("day")), _days_of_visit(visit)) for visit in _VISITS.finditer(self.text)]
        for (visit, first, days), (following, last, more) in pairwise(told):
            near = following.start() - visit.end() <= _VISIT_REACH and first.index < last.index
            unit = following["unit"] or following["coded"]
            if near and more > days and unit != "j" and last in self._alone:
                yield Tie(first, last, more - days, self._slack(more - days, "mois"), lone=True)

    @cached_property
    def _alone(self) -> Set[Instant]:
        """Return the days that are an episode of their own."""
        return {one for group in self._parted.groups if len(group.days) == 1 for one in group.days}

    @cached_property
    def _parted(self) -> Grouped:
        return episodes.told_together(self._context, self._normalised)

    def _since_acts(self) -> Iterator[Tie]:
        """Yield a tie from the day of an act to the document's for the years told since it, if the act has one day.

        A day behind the document, or of its own time, is of another act: both are public.
        """
        anchor = day_of(self._normalised.anchor)
        for length in _SINCE_ACT.finditer(self.text):
            days = self._acts.get(length["act"], set())
            day = max(days, default=anchor)
            if len(days) == 1 and day < anchor and day not in self._near:
                yield from self._tie(length, day, anchor)

    @cached_property
    def _near(self) -> Set[Instant]:
        """Return the days that move with the document's own, which is public; none where each has a draw of its own."""
        return self._parted.own if self._policy.strategy == "episodes" else frozenset()

    @cached_property
    def _acts(self) -> Mapping[str, set[Instant]]:
        """Act → the days told beside its word."""
        found: dict[str, set[Instant]] = defaultdict(set)
        for one in _DAY_OF_ACT.finditer(self.text):
            found[one["act"]].add(self.at(one.start("day")))
        received = {self.at(one.start("day")) for one in _RECEIVED.finditer(self.text)}
        for graft in _GRAFT:
            found[graft] |= received
        return found

    def _tie(self, length: re.Match[str], first: Instant, last: Instant) -> Iterator[Tie]:
        count, unit = length["count"], length["unit"]
        number = int(count) if count.isdecimal() else numerals.read_number([count])
        if number:
            days = number * _DAYS[unit[0]]
            yield Tie(first, last, days, self._slack(days, unit))

    def _slack(self, days: int, unit: str) -> int:
        """Return the policy's tolerance in days, at least half of the unit: "three weeks" says no more than that."""
        share = rational(self._policy.duration_tolerance_share) * days
        return max(self._policy.duration_tolerance_days, ceil(share), _DAYS[unit[0]] // 2)

    def at(self, position: int) -> Instant:
        """Return the day at a position of `text`."""
        span: Mention = self._spans[self.text.count(_DATE, 0, position)]
        return self._normalised.instants[span]


def _days_of_visit(visit: re.Match[str]) -> int:
    """Return the days since the beginning that a visit is numbered by."""
    count = visit["code"] or visit["count"]
    number = int(count) if count.isdecimal() else numerals.read_number([count]) or 0
    unit = (visit["coded"] or visit["unit"])[0]
    return number * _DAYS["a"] // 12 if unit == "m" else number * _DAYS[unit]


def _distinct(ties: Iterable[Tie]) -> tuple[Tie, ...]:
    """Return the first tie of each pair of days that differ."""
    found: dict[tuple[Instant, Instant], Tie] = {}
    for tie in ties:
        if tie.first != tie.last:
            found.setdefault((tie.first, tie.last), tie)
    return tuple(found.values())


def _skeleton(context: DocumentContext, normalised: NormalisedTimes, dated: Sequence[Mention]) -> str:
    """Return the folded text with one sign for each dated span, and another for any other mention."""
    plain = context.plain
    cut = normalised.segments
    # A mention that is cut in spans, or is half of one, is told by those.
    told = cut.parts.keys() | cut.halves.keys()
    others = [one for one in context.mentions if one not in told] if told else context.mentions
    marks = {(one.start, one.end): _OTHER for one in others} | {(span.start, span.end): _DATE for span in dated}
    pieces: list[str] = []
    position = 0
    for (start, end), mark in sorted(marks.items()):
        pieces += (plain[position:start], mark)
        position = end
    return "".join((*pieces, plain[position:]))


def _away(span: tuple[int, int], pair: tuple[int, int]) -> int:
    return max(pair[0] - span[1], span[0] - pair[1], 0)


def _space(mover: Instant, days: Sequence[Instant], pins: Mapping[Instant, int]) -> range:
    """Return the ordinals between the pinned days where a day may go, with one left for each day in between."""
    here = days.index(mover)
    low = max((pins[one] + here - at for at, one in enumerate(days[:here]) if one in pins), default=1)
    above = enumerate(days[here + 1 :], 1)
    high = min((pins[one] - away for away, one in above if one in pins), default=date.max.toordinal())
    return range(low, high + 1)
