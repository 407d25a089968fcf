"""The texts of moved dates: each in its own form, none that reads as its original, order kept."""

from __future__ import annotations

from collections.abc import Mapping

from deid.domain.document import Mention
from deid.french.folding import alike, without_accents
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import agreement, order, phrases
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.timeline import Timeline, day_of
from deid.substitution.temporal.values import Instant, Unit, clamped

NEARBY = [sign * step for step in range(1, 61) for sign in (1, -1)]

_WITH_NOUNS = frozenset({Unit.MONTH, Unit.SEASON})  # may be said by a month, a feast or a season


class Wording:
    """Writes the dates of one document, as a timeline moved them."""

    def __init__(self, context: DocumentContext, agenda: Agenda, line: Timeline) -> None:
        self._context = context
        self._text_of = context.document.text
        self._accented = context.accented
        self._instants = agenda.instants
        self._said = agenda.said
        self._line = line
        self._moved = dict(line.instants)
        self._birth = None if line.birth is None else day_of(line.birth)

    def texts(self) -> Mapping[Mention, str]:
        """The text of every mention that was read; one that has no room to move has none."""
        by_instant: dict[Instant, list[Mention]] = {}
        for mention, one in self._instants.items():
            by_instant.setdefault(one, []).append(mention)
        found: dict[Mention, str] = {}
        for one, mentions in by_instant.items():
            texts = self._told(mentions, one, self._moved[one]) or self._nearby(mentions, one)
            if texts is not None:
                for mention, text in zip(mentions, texts, strict=True):
                    found[mention] = text
        return found

    @property
    def moved(self) -> Mapping[Instant, Instant]:
        """Where the instants, the anchor and the birth date stand once they are written."""
        return {one: Instant(one.unit, index) for one, index in self._line.fixed().items()} | self._moved

    def _nearby(self, mentions: list[Mention], original: Instant) -> list[str] | None:
        """Texts of mentions of one instant, at the nearest other place where none reads as its original does.

        "lundi 3" moved to another month may read "lundi 3" again, and "2015" between two close dates may have to stay.
        Only places that keep the order are tried; without one, there are no texts, and the mentions are masked: all of
        them, since one alone beside the others' texts would say that it reads as its original.
        """
        space = order.room(original, self.moved)
        here = self._moved[original].index
        for index in (here + step for step in NEARBY):
            if index not in space or clamped(original.unit, index) != index:
                continue
            to = Instant(original.unit, index)
            texts = self._told(mentions, original, to)
            if texts is not None:
                self._moved[original] = to
                return texts
        return None

    def _told(self, mentions: list[Mention], original: Instant, moved: Instant) -> list[str] | None:
        """Texts of mentions of one instant; None where one of them reads as its original does.

        Or where it would come to stand on the patient's birth date, which no published text may say.
        """
        if moved == self._birth != original:
            return None
        texts: list[str] = []
        for mention in mentions:
            written = self._text_of[mention.start : mention.end]
            text = self._text(mention, moved)
            if alike(text, written):
                text = self._text(mention, moved, otherwise=True)
                if alike(text, written):
                    return None
            texts.append(text)
        return texts

    def _text(self, mention: Mention, moved: Instant, *, otherwise: bool = False) -> str:
        """A mention's text for another instant; `otherwise` in other words, where there are any."""
        said = self._said[mention]
        if isinstance(said, Relative):
            anchor = Instant(moved.unit, self._line.moved_index(moved.unit))
            text = phrases.otherwise(said, moved, anchor) if otherwise else None
            text = self._agreeing(mention, text or phrases.write(said, moved, anchor), distance=True)
        else:
            text = said.form.write(moved.middle)
            if moved.unit in _WITH_NOUNS:
                text = self._agreeing(mention, text, distance=False)
        return text if self._accented else without_accents(text)

    def _agreeing(self, mention: Mention, text: str, *, distance: bool) -> str:
        if not distance and not agreement.matters(self._context, mention, text):
            return text
        word = agreement.ahead(self._context, mention)
        text = agreement.of_moved(word, text)
        return agreement.of_distance(word, text) if distance else text
