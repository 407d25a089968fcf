"""Events that the world dates ("le cyclone Chido", "l'attentat de Nice"): one mention for the event and its dates."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label
from deid.french.events import Event, find_events, fold_lines, joins_date

_SCORE = 0.9
_PLACED = PLACES | {Label.ORG}


def find_dated_events(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions with the events that the text dates by name, each in the place of those that it holds."""
    found = list(find_events(reading.text))
    if not found:
        return list(mentions)
    beside = _Beside(reading.text, mentions)
    wholes, last = [], 0
    for event in sorted(map(beside.dated, found), key=lambda one: (one.start, -one.end)):
        whole = beside.whole(event) if event.start >= last else None
        if whole is not None:
            wholes.append(whole)
            last = whole.end
    gone = {one for whole in wholes for one in beside.met(whole.start, whole.end)}
    return sorted([one for one in mentions if one not in gone] + wholes)


class _Beside:
    """The mentions of a document, which share no character, beside its events."""

    def __init__(self, text: str, mentions: Sequence[Mention]) -> None:
        self._plain = fold_lines(text)
        self._mentions = sorted(mentions)
        self._ends = [one.end for one in self._mentions]

    def met(self, start: int, end: int) -> Iterator[Mention]:
        """Yield the mentions that share a character with a span, in order."""
        for one in self._behind(start):
            if one.start >= end:
                return
            yield one

    def dated(self, event: Event) -> Event:
        """Return an event with the whole place that it is named by, and the dates behind that are its own."""
        named = max([one.end for one in self.met(event.name, event.name + 1) if _is_place(one, event)] + [event.named])
        event = event._replace(named=named, end=max(named, event.end))
        for one in self._behind(max(event.named, event.end - 1)):
            if not self._is_date_of(event, one):
                break
            event = event._replace(end=max(event.end, one.end))
        opened, closed = ("(" in self._plain[event.named : event.end], self._plain[event.end : event.end + 1] == ")")
        return event._replace(end=event.end + 1) if opened and closed else event

    def whole(self, event: Event) -> Mention | None:
        """Return the mention of an event, with its dates if they lie in it whole; None where it would cut another."""
        if event.undated and event.end == event.named:
            return None
        for end in (event.end,) if event.undated else (event.end, event.named):
            met = list(self.met(event.start, end))
            if all(event.start <= one.start and one.end <= end for one in met):
                return None if self._is_person(event) else Mention(event.start, end, Label.RELDATE, _SCORE)
        return None

    def _is_date_of(self, event: Event, one: Mention) -> bool:
        if one.label is not Label.DATE or "\n" in self._plain[one.start : one.end]:
            return False
        date = self._plain[one.start : one.end]
        return one.start < event.end or joins_date(self._plain, event, date, one.start)

    def _is_person(self, event: Event) -> bool:
        """Return whether a name is somebody's: the word for the kind ("Mme Tempête"), or one that no word announces."""
        names = [one for one in self.met(event.start, event.named + 2) if one.label in NAMES]
        alone = event.noun is not None or event.name >= 0
        return any(alone or one.start == event.start for one in names)

    def _behind(self, start: int) -> Iterator[Mention]:
        at = bisect_right(self._ends, start)
        while at < len(self._mentions):
            yield self._mentions[at]
            at += 1


def _is_place(one: Mention, event: Event) -> bool:
    return event.name >= 0 and one.label in _PLACED and one.start == event.name
