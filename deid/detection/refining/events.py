"""Events that the world dates ("le cyclone Chido", "l'attentat de Nice"): one mention for the event and its date."""

from __future__ import annotations

from collections.abc import Sequence

from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.events import Event, find_events

_SCORE = 0.9


def find_dated_events(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions with the events that the text dates by name, each in the place of those that it holds."""
    kept = list(mentions)
    for event in sorted(find_events(reading.text), key=lambda one: (one.start, -one.end)):
        for end in (event.end, event.named):
            whole = Mention(event.start, end, Label.RELDATE, _SCORE)
            met = [one for one in kept if one.overlaps(whole)]
            if all(whole.start <= one.start and one.end <= end for one in met) and not _is_person(event, met):
                kept = [one for one in kept if one not in met] + [whole]
                break
    return sorted(kept)


def _is_person(event: Event, met: Sequence[Mention]) -> bool:
    """Return whether the word for the kind is somebody's name: "Mme Tempête"."""
    return event.noun is None and any(one.label in NAMES and one.start == event.start for one in met)
