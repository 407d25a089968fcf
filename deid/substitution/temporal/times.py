"""Generator of TIME: a time of day to the hour, as a part of the day, or its label. Nothing is drawn."""

from __future__ import annotations

import re

from deid.config.generators import GENERALISE, KEEP
from deid.domain.document import Mention
from deid.french.calendar import DETECTED_WEEKDAYS, MONTH_OF
from deid.french.folding import fold, without_accents
from deid.french.times_of_day import ClockTime, part_words, read_clock, to_the_hour
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, tag

_AHEAD = 40  # characters
# A word wants an article behind it ("depuis le matin"), unless it is a day ("lundi matin").
_WORD = re.compile(r"([a-z]{2,}) \Z")
_DAYS = DETECTED_WEEKDAYS | MONTH_OF.keys() | {"hier", "demain", "lendemain", "veille"}


class TimesOfDay:
    """Generator of the times of day of one document."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context
        self._strategy = context.policy.times.strategy
        self._before = dict(zip(context.mentions[1:], context.mentions, strict=False))

    def write(self, mention: Mention, attempt: int) -> Draft:  # noqa: ARG002 - there is one surrogate
        """Return the time with less detail; its label in brackets where it cannot be read or the policy drops it."""
        original = self._context.text(mention)
        if self._strategy == "keep":
            return Draft(original, KEEP, may_return=True)
        clock = read_clock(original)
        if self._strategy == "drop":
            ahead = "" if clock is None else " " if clock.ahead == "t" else original[: clock.spans[0]]
            return Draft(ahead + tag(mention.label, original).text, "tag")
        if clock is None:
            return mask(mention.label, original)
        written = to_the_hour(original, clock) if self._strategy == "hour" else self._part(mention, clock)
        if fold(written) == fold(original):
            return Draft(original, KEEP, may_return=True)
        return Draft(written, GENERALISE, may_return=True)

    def _part(self, mention: Mention, clock: ClockTime) -> str:
        word = _WORD.search(self._context.plain_before(mention, _AHEAD))
        noun = word is not None and word[1] not in _DAYS
        written = part_words(clock.part, clock.ahead, noun=noun, bound=self._ends_a_span(mention, clock))
        if not self._context.accented:
            written = without_accents(written)
        return written.upper() if self._context.line_around(mention).isupper() else written

    def _ends_a_span(self, mention: Mention, clock: ClockTime) -> bool:
        """Return whether the time is the end of a span that "de" opens right before it."""
        before = self._before.get(mention)
        if before is None or before.label is not mention.label or clock.ahead != "a":
            return False
        opening = read_clock(self._context.text(before))
        between = self._context.document.text[before.end : mention.start]
        return opening is not None and opening.ahead == "de" and not between.strip()
