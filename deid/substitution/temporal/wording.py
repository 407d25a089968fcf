"""The texts of moved dates: each in its own form, none that reads as its original, order kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from deid.document import Mention
from deid.substitution.dossier import Dossier
from deid.substitution.folding import comparable, without_accents
from deid.substitution.temporal import agreement, order, phrases
from deid.substitution.temporal.agenda import Agenda
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, Unit, clamped

NEARBY = [sign * step for step in range(1, 61) for sign in (1, -1)]

_WITH_NOUNS = (Unit.MONTH, Unit.SEASON)  # may be said by a month, a feast or a season


class Wording:
    """Writes the dates of one document, as a timeline moved them."""

    def __init__(self, dossier: Dossier, agenda: Agenda, line: Timeline) -> None:
        self._dossier = dossier
        self._agenda = agenda
        self._line = line
        self._moved = {one: Instant(one.unit, index) for one, index in line.fixed().items()} | dict(line.instants)

    def texts(self) -> Mapping[Mention, str]:
        """The text of every mention that was read; one that has no room to move has none."""
        by_instant: dict[Instant, list[Mention]] = defaultdict(list)
        for mention, one in self._agenda.instants.items():
            by_instant[one].append(mention)
        found: dict[Mention, str] = {}
        for one, mentions in by_instant.items():
            found |= self._distinct(mentions, one)
        return found

    @property
    def moved(self) -> Mapping[Instant, Instant]:
        """Where the instants stand once they are written."""
        return self._moved

    def _distinct(self, mentions: list[Mention], original: Instant) -> dict[Mention, str]:
        """Texts of mentions of one instant, at the nearest place where none reads as its original does.

        "lundi 3" moved to another month may read "lundi 3" again, and "2015" between two close dates may have to stay.
        Only places that keep the order are tried; without one, there are no texts, and the mentions are masked: all of
        them, since one alone beside the others' texts would say that it reads as its original.
        """
        texts = None if self._is_birth(original, self._moved[original]) else self._told(mentions, self._moved[original])
        if texts is not None:
            return texts
        space = order.room(original, self._moved)
        for index in (self._moved[original].index + step for step in NEARBY):
            if index not in space or clamped(original.unit, index) != index:
                continue
            to = Instant(original.unit, index)
            texts = self._told(mentions, to) if not self._is_birth(original, to) else None
            if texts is not None:
                self._moved[original] = to
                return texts
        return {}

    def _is_birth(self, original: Instant, moved: Instant) -> bool:
        """Whether a date would come to stand on the patient's birth date, which no published text may say."""
        birth = self._line.birth
        return birth is not None and moved.unit is Unit.DAY and moved.first == birth != original.first

    def _told(self, mentions: list[Mention], moved: Instant) -> dict[Mention, str] | None:
        """Texts of mentions of one instant; None where one of them reads as its original does."""
        texts: dict[Mention, str] = {}
        for mention in mentions:
            original = comparable(self._dossier.text(mention))
            text = self._text(mention, moved)
            if comparable(text) == original:
                text = self._text(mention, moved, otherwise=True)
                if comparable(text) == original:
                    return None
            texts[mention] = text
        return texts

    def _text(self, mention: Mention, moved: Instant, *, otherwise: bool = False) -> str:
        """A mention's text for another instant; `otherwise` in other words, where there are any."""
        said = self._agenda.said[mention]
        if isinstance(said, Relative):
            anchor = Instant(moved.unit, self._line.moved_index(moved.unit))
            text = phrases.otherwise(said, moved, anchor) if otherwise else None
            text = text or phrases.write(said, moved, anchor)
        else:
            text = said.form.write(moved.middle)
        if isinstance(said, Relative) or moved.unit in _WITH_NOUNS:
            text = self._agreeing(mention, text, distance=isinstance(said, Relative))
        return text if self._dossier.accented else without_accents(text)

    def _agreeing(self, mention: Mention, text: str, *, distance: bool) -> str:
        word = agreement.ahead(self._dossier, mention)
        text = agreement.of_moved(word, text)
        return agreement.of_distance(word, text) if distance else text
