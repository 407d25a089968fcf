"""The room of DATE, RELDATE and AGE: has a document's temporal mentions moved and writes them in their own forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from deid.domain.document import Durations, Mention, Spend
from deid.domain.labels import Label
from deid.french.folding import alike, without_accents
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, tag
from deid.substitution.temporal import ages, agreement, generalising, ledger
from deid.substitution.temporal.agenda import Agenda, read
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.durations import Ties
from deid.substitution.temporal.strategies import AGES, DATES
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Unit, age_at
from deid.substitution.temporal.wording import NEARBY, Wording

# What a document is dated by, and identifiers follow, where the policy asks for tags.
_UNSAID = "metric"
_NO_DURATIONS = Durations()


class Calendar:
    """Temporal mentions of one document and their surrogates."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context
        self._policy = context.policy
        self._agenda: Agenda = read(context)
        self._costs = ledger.lines(context, self._agenda)
        self._texts: dict[Mention, str] = {}
        self._line: Timeline | None = None
        self.durations = _NO_DURATIONS  # none where dates are not told to the day

    def elements(self) -> int:
        """Distinct elements to draw; the birth date counts twice, for its years and its days."""
        return ledger.elements(self._costs)

    def spends(self, epsilon: Fraction) -> list[Spend]:
        """Ledger lines: the anchor once it shows, dates and ages that were drawn."""
        return ledger.spends(self._costs, epsilon)

    def draw(self, epsilon: Fraction) -> None:
        """Move everything, `epsilon` nats per unit and element."""
        line = self._line = self._moved(epsilon)
        if self._policy.dates.strategy == "generalise":
            self._texts |= self._generalised()
        elif self._policy.dates.strategy != "tag":
            ties = Ties(self._context, self._agenda)
            wording = Wording(self._context, self._agenda, ties.reconciled(line))
            self._texts |= wording.texts()
            if ties.found:
                self.durations = ties.count(wording.moved)
        if self._policy.ages.strategy != "tag":
            for mention, age in self._agenda.ages.items():
                self._texts[mention] = self._age_text(mention, age, line, epsilon)

    @property
    def moved_reference_date(self) -> date | None:
        """The document's own date as the surrogates have it; None when it has none."""
        if self._context.document.reference_date is None or self._line is None:
            return None
        return self._line.moved_anchor

    @property
    def moved_birth(self) -> tuple[date, date] | None:
        """The birth date and its surrogate, or None where nobody knows it or it is not moved but said with less."""
        if self._line is None or self._line.birth is None or self._line.moved_birth is None:
            return None
        return self._line.birth, self._line.moved_birth

    def write(self, mention: Mention, attempt: int) -> Draft:
        """The surrogate of a temporal mention; what was not read is masked."""
        strategy = self._policy.ages.strategy if mention.label is Label.AGE else self._policy.dates.strategy
        if strategy == "tag":
            return tag(mention.label, self._context.text(mention))
        text = None if attempt else self._texts.get(mention) or self._composed(mention, strategy)
        return mask(mention.label, self._context.text(mention)) if text is None else Draft(text, strategy)

    def _composed(self, mention: Mention, strategy: str) -> str | None:
        """The text of a mention that holds several dates, or is half of one."""
        join = self._joined if strategy == "generalise" else None
        return self._agenda.segments.compose(self._context, mention, self._texts, join)

    def _moved(self, epsilon: Fraction) -> Timeline:
        agenda, dates, ages = self._agenda, self._policy.dates.strategy, self._policy.ages.strategy
        if dates == "generalise":
            line = generalising.timeline(self._context, agenda)
        else:
            line = DATES[_UNSAID if dates == "tag" else dates].move(self._context, agenda, epsilon)
        if line.told_birth is None and agenda.birth is not None and ages in AGES:
            told = AGES[ages].move_birth(self._context, agenda.anchor, line.moved_anchor, agenda.birth, epsilon)
            return line._replace(told_birth=told)
        return line

    def _generalised(self) -> Mapping[Mention, str]:
        texts = {one: generalising.date_text(self._context, self._agenda, one) for one in self._agenda.instants}
        return {mention: self._plain(text) for mention, text in texts.items() if text is not None}

    def _joined(self, mention: Mention, texts: Sequence[str]) -> str:
        return self._plain(generalising.joined(self._context, mention, texts))

    def _age_text(self, mention: Mention, age: Age, line: Timeline, epsilon: Fraction) -> str:
        original = self._context.text(mention)
        strategy = self._policy.ages.strategy
        value = self._own_value(age, line) if mention in self._agenda.own_ages else None
        if strategy == "generalise":
            return self._plain(generalising.age_text(self._context, self._agenda, mention, value or age.value))
        if value is None:
            value = AGES[strategy].move(self._context, age, epsilon)
        top = self._policy.ages.top_code
        text = ages.write(age, value, top)
        for step in NEARBY:
            if not alike(text, original):
                break
            if value + step >= 1:
                text = ages.write(age, value + step, top)
        if agreement.elides(self._context, mention):
            text = agreement.of_distance(agreement.ahead(self._context, mention), text)
        return self._plain(text)

    @staticmethod
    def _own_value(age: Age, line: Timeline) -> int | None:
        """The patient's age from the moved birth date and the moved anchor, in the unit and step of the mention."""
        if line.told_birth is None:
            return None
        if age.step > 1 and age.unit is Unit.YEAR:
            return max(age.step, age_at(line.told_birth, line.moved_anchor, Unit.MONTH) * age.step // 12)
        return max(1, age_at(line.told_birth, line.moved_anchor, age.unit)) * age.step

    def _plain(self, text: str) -> str:
        return text if self._context.accented else without_accents(text)
