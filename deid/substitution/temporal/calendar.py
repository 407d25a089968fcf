"""The room of DATE, RELDATE and AGE: has a document's temporal mentions moved and writes them in their own forms."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from fractions import Fraction

from deid.document import Mention, Spend
from deid.labels import Label
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft, mask, tag
from deid.substitution.folding import comparable, without_accents
from deid.substitution.temporal import ages, metric, order, phrases, timeline
from deid.substitution.temporal.agenda import Agenda, read
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.strategies import MECHANISMS, STRATEGIES, Strategy
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, Unit, clamped, index_of, months_between, years_between

_NEARBY = [sign * step for step in range(1, 61) for sign in (1, -1)]


class Calendar:
    """Temporal mentions of one document and their surrogates."""

    def __init__(self, dossier: Dossier) -> None:
        self._dossier = dossier
        self._policy = dossier.policy
        self._agenda: Agenda = read(dossier)
        self._texts: dict[Mention, str] = {}
        self._timeline: Timeline | None = None

    # What is to be drawn

    def _free_instants(self) -> set[Instant]:
        """Distinct instants that cost a draw: neither the anchor nor the birth date."""
        agenda = self._agenda
        anchor = Instant(Unit.DAY, agenda.anchor.toordinal())
        return {one for mention, one in agenda.instants.items() if mention not in agenda.births and one != anchor}

    def _free_ages(self) -> set[tuple[str, int, int]]:
        agenda = self._agenda
        free = (age for mention, age in agenda.ages.items() if mention not in agenda.own_ages)
        return {(age.unit, age.step, age.value) for age in free}

    def _tells_birth(self) -> bool:
        return bool(self._agenda.births or self._agenda.own_ages)

    def elements(self) -> int:
        """Distinct elements to draw; the birth date counts twice, for its years and its days."""
        return len(self._free_instants()) + len(self._free_ages()) + 2 * self._tells_birth()

    # Drawing

    def draw(self, epsilon: Fraction) -> None:
        """Move everything, `epsilon` nats per unit and element."""
        agenda = self._agenda
        self._timeline = timeline.build(self._dossier, agenda.anchor, agenda.birth, epsilon)
        if self._policy.dates.strategy != "tag":
            self._write_dates(STRATEGIES[self._policy.dates.strategy], epsilon)
        if self._policy.ages.strategy != "tag":
            for mention, age in agenda.ages.items():
                self._texts[mention] = self._age_text(mention, age, epsilon)

    def spends(self, epsilon: Fraction) -> list[Spend]:
        """Ledger lines: the anchor once it shows, dates and ages that were drawn."""
        each, birth = float(epsilon), self._tells_birth()
        dates, own = len(self._free_instants()), len(self._free_ages())
        mechanism = MECHANISMS.get(self._policy.dates.strategy, "tag")
        lines = []
        if self._policy.dates.strategy != "tag" and self._agenda.instants:
            lines.append(Spend("anchor", mechanism, float(timeline.anchor_epsilon(self._dossier)), 1))
            lines.append(Spend("date", mechanism, each * (dates + birth), dates + birth))
        if self._policy.ages.strategy != "tag":
            lines.append(Spend("age", metric.MECHANISM, each * (own + birth), own + birth))
        return lines

    @property
    def moved_reference_date(self) -> date | None:
        """The document's own date as the surrogates have it; None when it has none."""
        if self._dossier.document.reference_date is None or self._timeline is None:
            return None
        return self._timeline.moved_anchor

    @property
    def moved_birth(self) -> tuple[date, date] | None:
        """The birth date and its surrogate, or None where nobody knows it."""
        if self._timeline is None or self._timeline.birth is None or self._timeline.moved_birth is None:
            return None
        return self._timeline.birth, self._timeline.moved_birth

    # Writing

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The surrogate of a temporal mention; what was not read is masked."""
        original = self._dossier.text(mention)
        strategy = self._policy.ages.strategy if mention.label is Label.AGE else self._policy.dates.strategy
        if strategy == "tag":
            return tag(mention.label, original)
        if attempt or mention not in self._texts:
            return mask(mention.label, original)
        return Draft(self._texts[mention], strategy)

    def _write_dates(self, strategy: Strategy, epsilon: Fraction) -> None:
        agenda, line = self._agenda, self._line
        instants = {one for mention, one in agenda.instants.items() if mention not in agenda.births}
        moved = dict(strategy(self._dossier, line, instants, epsilon))
        births = {one: line.moved_birth for mention, one in agenda.instants.items() if mention in agenda.births}
        moved |= {one: Instant(one.unit, index_of(one.unit, day or line.moved_anchor)) for one, day in births.items()}
        by_instant: dict[Instant, list[Mention]] = defaultdict(list)
        for mention, one in agenda.instants.items():
            by_instant[one].append(mention)
        for one, mentions in by_instant.items():
            self._texts |= self._distinct(mentions, one, moved)

    @property
    def _line(self) -> Timeline:
        if self._timeline is None:
            raise RuntimeError("nothing is written before it is drawn")
        return self._timeline

    def _distinct(
        self, mentions: list[Mention], original: Instant, moved: dict[Instant, Instant]
    ) -> dict[Mention, str]:
        """Texts of mentions of one instant, at the nearest place where none reads as its original does.

        "lundi 3" moved to another month may read "lundi 3" again, and "2015" between two close dates may have to stay.
        Only places that keep the order are tried; without one, there are no texts, and the mentions are masked.
        """
        texts = self._told(mentions, moved[original])
        if texts is not None:
            return texts
        space = order.room(original, moved)
        for index in (moved[original].index + step for step in _NEARBY):
            if index not in space or clamped(original.unit, index) != index:
                continue
            texts = self._told(mentions, Instant(original.unit, index))
            if texts is not None:
                moved[original] = Instant(original.unit, index)
                return texts
        return {}

    def _told(self, mentions: list[Mention], moved: Instant) -> dict[Mention, str] | None:
        """Texts of mentions of one instant; None where one of them reads as its original does."""
        texts: dict[Mention, str] = {}
        for mention in mentions:
            original = comparable(self._dossier.text(mention))
            said = (self._text(mention, moved), self._text(mention, moved, otherwise=True))
            text = next((text for text in said if comparable(text) != original), None)
            if text is None:
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
        return text if self._dossier.accented else without_accents(text)

    def _age_text(self, mention: Mention, age: Age, epsilon: Fraction) -> str:
        top = self._policy.ages.top_code
        value = self._own_value(age) if mention in self._agenda.own_ages else None
        if value is None:
            value = metric.move_age(self._dossier, age, epsilon)
        original = comparable(self._dossier.text(mention))
        text = next(
            text
            for step in (0, *_NEARBY)
            if value + step >= 1 and comparable(text := ages.write(age, value + step, top)) != original
        )
        return text if self._dossier.accented else without_accents(text)

    def _own_value(self, age: Age) -> int | None:
        """The patient's age from the moved birth date and the moved anchor, in the unit of the mention."""
        birth = self._line.moved_birth
        if birth is None:
            return None
        if age.unit is Unit.MONTH:
            return max(1, months_between(birth, self._line.moved_anchor)) * age.step
        return max(1, years_between(birth, self._line.moved_anchor)) * age.step
