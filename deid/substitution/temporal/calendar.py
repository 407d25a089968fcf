"""Generator of DATE, RELDATE and AGE: moves a document's temporal mentions, writes them, and says what they cost."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property

from deid.domain.document import Mention, Spend
from deid.domain.labels import Label
from deid.french.articles import read_ahead
from deid.french.events import Event, read_event
from deid.french.folding import alike, fold_line, without_accents
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, mask, tag
from deid.substitution.temporal import ages, agreement, bounded, episodes, generalising, given_ages, metric, stages
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.durations import Ties
from deid.substitution.temporal.kin import is_of_another
from deid.substitution.temporal.normalisation import NormalisedTimes, normalise
from deid.substitution.temporal.strategies import AGES, DATES
from deid.substitution.temporal.timeline import Timeline, anchor_epsilon, day_of
from deid.substitution.temporal.values import Instant, Unit, age_at, index_of, months_between, on_real_day
from deid.substitution.temporal.wording import NEARBY, OPENS, DateWriter

# What an element costs: the ε that each gets (None), or one of its own, 0 for what no ε bounds.
_Cost = Fraction | None
# Category, mechanism, cost of one element, elements.
CostLine = tuple[str, str, _Cost, int]
_FREE = Fraction(0)
_MONTHS_IN_YEAR = 12
_NUMBERED = 15  # years from that of a number to the document
_CENTURY = 100
_NEAREST = 40  # dates of one year before and behind a number that it may be of
_BESIDE_NUMBER = 80  # characters from a number to the date that it is of
_WORDS_BEHIND = 10  # characters behind an age that may say "et plus"
# The two draws of a birth date.
_BIRTH: tuple[CostLine, ...] = (("date", metric.MECHANISM, None, 1), ("age", metric.MECHANISM, None, 1))


def cost_lines(context: DocumentContext, normalised: NormalisedTimes) -> tuple[CostLine, ...]:
    """Return the draws of a document, one line per category and mechanism."""
    totals: dict[tuple[str, str], tuple[_Cost, int]] = {}
    for category, mechanism, each, count in _all_lines(context, normalised):
        known = totals.get((category, mechanism))
        totals[category, mechanism] = (each, known[1] + count if known else count)
    return tuple([(*key, *total) for key, total in totals.items()])


def drawn_elements(found: Sequence[CostLine]) -> int:
    """Count the distinct elements without an ε of their own; the anchor, which has one, is left out."""
    return sum([count for _, _, each, count in found if each is None])


def ledger_lines(found: Sequence[CostLine], epsilon: Fraction) -> list[Spend]:
    """Return the ledger lines: an element's own ε, else `epsilon`, in nats; 0 for what no ε bounds."""
    spent = []
    for category, mechanism, own, count in found:
        if count:
            each = epsilon if own is None else own
            spent.append(Spend(category, mechanism, each.numerator * count / each.denominator, count))
    return spent


def _all_lines(context: DocumentContext, normalised: NormalisedTimes) -> list[CostLine]:
    found: list[CostLine] = []
    dates, ages = context.policy.dates.strategy, context.policy.ages.strategy
    anchored = dates in ("metric", "bounded_laplace", "episodes", "tag")
    shown = bool(normalised.instants) and dates != "tag"
    if anchored and (shown or context.document.reference_date is not None):
        found.append(("anchor", metric.MECHANISM, anchor_epsilon(context), 1))
        if context.policy.dates.document_date == "metric":
            found.append(("date", metric.MECHANISM, None, 1))
    found += episodes.cost_lines(context, normalised) if dates == "episodes" else _date_lines(normalised, dates)
    found += _birth_lines(normalised, dates, ages)
    if ages == "stages":
        found += [line for line in _stage_lines(context, normalised) if line not in found]
    elif ages in AGES:
        own = normalised.own_ages
        free = {(age.unit, age.step, age.value) for mention, age in normalised.ages.items() if mention not in own}
        found.append(("age", AGES[ages].mechanism, None, len(free)))
    elif ages == "generalise":
        told = {(one.unit, one.step, one.value) for one in normalised.ages.values()}
        found.append(("age", generalising.MECHANISM, _FREE, len(told)))
    return found


def _date_lines(normalised: NormalisedTimes, dates: str) -> tuple[CostLine, ...]:
    """Return the costs of dates without anchor and birth: a draw each. `bounded_laplace` draws days, birth included."""
    anchor = day_of(normalised.anchor)
    if dates == "metric":
        return (("date", metric.MECHANISM, None, len(normalised.dated) - (anchor in normalised.dated)),)
    if dates == "bounded_laplace":
        days = {one.middle for one in normalised.dated - {anchor}} | (
            {normalised.birth} if normalised.tells_birth else set()
        )
        return (("date", bounded.MECHANISM, None, len(days - {normalised.anchor})),)
    if dates in DATES or dates == "generalise":
        mechanism = DATES[dates].mechanism if dates in DATES else generalising.MECHANISM
        return (("date", mechanism, _FREE, len(set(normalised.instants.values()))),)
    return ()


def _stage_lines(context: DocumentContext, normalised: NormalisedTimes) -> list[CostLine]:
    """Return the costs of ages under `stages`: the birth date once it shows, and a draw per age of other persons."""
    birth = normalised.birth
    others = {one for one in normalised.ages if birth is None or is_of_another(context, one)}
    then = {one for one in normalised.ages.keys() - others if stages.is_then(context, one)}
    given = _read_given(context, normalised)
    drawn: dict[tuple[Unit, int, int, str], tuple[str, Fraction]] = {}
    for one in (others | then) - given.keys() - _kept_ages(context, normalised):
        age = normalised.ages[one]
        key = age.unit, age.step, age.value, "then" if one in then else stages.whose_age(context, one)
        drawn[key] = (
            ("per month, of the past", stages.epsilon_then(context, age))
            if one in then
            else (f"per month, stage {stages.stage_of(age)}", stages.epsilon_of(stages.stage_of(age)))
        )
    lines: list[CostLine] = [
        ("age", f"{stages.MECHANISM} {named}", epsilon, count)
        for (named, epsilon), count in sorted(Counter(drawn.values()).items())
    ]
    if birth is not None and (normalised.ages.keys() - others or normalised.births or normalised.numbered_birth):
        lines.append(stages.cost_of_birth(birth))
    return lines


def _kept_ages(context: DocumentContext, normalised: NormalisedTimes) -> set[Mention]:
    """Return the patient's ages at most `kept_days` from the document's, where its days from the birth date stay."""
    birth, reach = normalised.birth, context.policy.dates.kept_days
    if birth is None or not episodes.follows_birth(context, normalised):
        return set()
    own, day = (normalised.anchor - birth).days, ages.months_of(Unit.DAY, 1, 1)
    return {
        one
        for one, age in normalised.ages.items()
        if abs(ages.months_of(age.unit, age.value, age.step) / day - own) <= reach and not is_of_another(context, one)
    }


def _read_given(context: DocumentContext, normalised: NormalisedTimes) -> Mapping[Mention, given_ages.Given]:
    """Return the ages that are counted from published days, and not drawn."""
    if context.policy.ages.strategy != "stages" or context.policy.dates.strategy not in DATES:
        return {}
    return given_ages.read_given(context, normalised)


def _birth_lines(normalised: NormalisedTimes, dates: str, ages: str) -> tuple[CostLine, ...]:
    """Return the costs of the birth date's own draws, once it shows in a date, an age of the patient or a NIR."""
    if normalised.birth is None or normalised.birth == normalised.anchor:
        return ()
    in_ages = bool(normalised.own_ages) and ages != "tag"
    if ages == "stages":
        return ()
    if dates in ("metric", "episodes", "tag"):
        if in_ages or normalised.numbered_birth or (normalised.births and dates != "tag"):
            return _BIRTH
    elif dates != "bounded_laplace" and in_ages and ages in AGES:
        return (("age", AGES[ages].mechanism, None, AGES[ages].birth_draws),)
    return ()


# What a document is dated by, and identifiers follow, where the policy asks for tags.
_UNSAID = "metric"


class Calendar:
    """Temporal mentions of one document and their surrogates."""

    def __init__(self, context: DocumentContext) -> None:
        self._context = context
        self._policy = context.policy
        self._normalised: NormalisedTimes = normalise(context)
        self._costs = cost_lines(context, self._normalised)
        self._given = _read_given(context, self._normalised)
        self._kept_ages = _kept_ages(context, self._normalised)
        self._texts: dict[Mention, str] = {}
        self._line: Timeline | None = None
        self._published: Mapping[Instant, Instant] = {}

    def elements(self) -> int:
        """Count the distinct elements to draw; a birth date moved by `births` counts twice, for years and days."""
        return drawn_elements(self._costs)

    def spends(self, epsilon: Fraction) -> list[Spend]:
        """Return the ledger lines: the anchor once it shows, dates and ages drawn."""
        return ledger_lines(self._costs, epsilon)

    def draw(self, epsilon: Fraction) -> None:
        """Move all mentions and write their texts, with `epsilon` nats per unit and element."""
        line = self._line = self._moved(epsilon)
        if self._policy.dates.strategy == "generalise":
            self._texts |= self._generalised()
        elif self._policy.dates.strategy != "tag":
            line = Ties(self._context, self._normalised).reconciled(line)
            line = given_ages.count_years(self._context, self._normalised, line)
            writer = DateWriter(self._context, self._normalised, line)
            self._texts |= writer.texts()
            line = line._replace(instants=writer.moved)
            self._published = line.instants
        if self._policy.ages.strategy != "tag":
            self._told_kin: list[tuple[int, int]] = []
            self._values: dict[Mention, int] = {}
            self._own_months: int | None = None
            if line.birth is not None and line.told_birth is not None:
                self._own_months = stages.own_months(line.birth, line.anchor, line.told_birth, line.moved_anchor)
            for mention, age in sorted(self._normalised.ages.items(), key=lambda one: one[0]):
                self._texts[mention] = self._age_text(mention, age, line, epsilon)

    @property
    def moved_reference_date(self) -> date | None:
        """Return the document's own date, moved; None if it has none."""
        if self._context.document.reference_date is None or self._line is None:
            return None
        return self._line.moved_anchor

    def moved_month(self, number: Mention, year: int, month: int | None, *, told: bool = False) -> date | None:
        """Return a day of what a number's year and month become: those of a date of the document, as published.

        It is a date told beside the number, else the document's own, else another one told. A recent year of none moves
        by the patient's shift alone, as in all documents, and stays before the document's; with `told`, it is None. So
        it is where dates are not moved, or none is told.
        """
        line, strategy = self._line, self._policy.dates.strategy
        if line is None or strategy not in DATES:
            return None
        if (found := min(self._dates_of(line, number, year, month), default=None)) is not None:
            *_, day, moved = found
            return moved if month in (None, day.month) else date(day.year, month or 1, 1) + (moved - day)
        dated = bool(self._normalised.instants) or self._context.document.reference_date is not None
        recent = dated and 0 <= line.anchor.year - year <= _NUMBERED
        if told or not recent or strategy not in ("episodes", "metric"):
            return None
        unit = Unit.YEAR if month is None else Unit.MONTH
        drawn = date(year, month or 1, 1) + timedelta(days=episodes.patient_shift(self._context))
        return Instant(unit, min(index_of(unit, drawn), line.moved_index(unit) - 1)).first

    def moved_day(self, year: int, month: int, day: int) -> date | None:
        """Return the published day of the document's own, or of one that it names; None for another."""
        if self._line is None or self._policy.dates.strategy not in DATES:
            return None
        told = day_of(on_real_day(2000 + year % _CENTURY, month, day))
        if told == day_of(self._line.anchor) and self._context.document.reference_date is not None:
            return self._line.moved_anchor
        return self._published[told].first if told in self._normalised.dated and told in self._published else None

    def _dates_of(
        self, line: Timeline, number: Mention, year: int, month: int | None
    ) -> Iterator[tuple[bool, int, date, date]]:
        """Yield the dates of a number's year, and what they become, behind their rank: the month, nearness in the text.

        A year that lies ahead of the document is of the century before.
        """
        wanted = year - _CENTURY if year > line.anchor.year + 1 else year
        if self._context.document.reference_date is not None and line.anchor.year == year:
            yield month not in (None, line.anchor.month), _BESIDE_NUMBER, line.anchor, line.moved_anchor
        for told, one, day, moved in self._told_near(wanted, number.start):
            if moved is not None:
                other = month is not None and (one.unit not in (Unit.DAY, Unit.MONTH) or day.month != month)
                yield other, max(told.start - number.end, number.start - told.end), day, moved.first

    def _told_near(self, year: int, place: int) -> Iterator[tuple[Mention, Instant, date, Instant | None]]:
        """Yield the instants of a year that are told nearest to a place, with their first day and surrogate."""
        told = self._by_year.get(year, ())
        middle = bisect_left(told, place, key=lambda one: one[0].start)
        for mention, one in told[max(0, middle - _NEAREST) : middle + _NEAREST]:
            yield mention, one, one.first, self._published.get(one)

    @cached_property
    def _by_year(self) -> Mapping[int, Sequence[tuple[Mention, Instant]]]:
        """Year → the instants within it, in the order of the text."""
        found: dict[int, list[tuple[Mention, Instant]]] = {}
        for told, one in sorted(self._normalised.instants.items(), key=lambda pair: pair[0].start):
            if one.first.year == one.last.year:
                found.setdefault(one.first.year, []).append((told, one))
        return found

    @property
    def moved_birth(self) -> tuple[date, date] | None:
        """Return the birth date and its surrogate; None if it is unknown, or not moved but generalised."""
        if self._line is None or self._line.birth is None or self._line.moved_birth is None:
            return None
        return self._line.birth, self._line.moved_birth

    @property
    def age_class(self) -> str | None:
        """Return the stage of life, at the document's moved date, of the surrogate birth date.

        It is computed from draws that are counted already: under `stages` the stage of life is public, under another
        strategy the text has to tell birth or age. None otherwise, and without a date or a birth date.
        """
        birth, line = self._published_birth, self._line
        if birth is None or line is None or line.birth is None or self._context.document.reference_date is None:
            return None
        if self._policy.ages.strategy == "stages":
            months = stages.own_months(line.birth, line.anchor, birth, line.moved_anchor)
        elif self._normalised.tells_birth:
            months = months_between(birth, line.moved_anchor)
        else:
            return None
        return stages.class_of(min(months, _MONTHS_IN_YEAR * self._policy.ages.top_code))

    @property
    def told_birth_year(self) -> int | None:
        """Return the year of the surrogate birth date; None if the text says neither birth nor age."""
        birth = self._published_birth
        return birth.year if birth is not None and self._normalised.tells_birth else None

    @property
    def _published_birth(self) -> date | None:
        """Return the birth date behind published ages and dates; None under `generalise` and `tag`."""
        if self._line is None or "generalise" in (self._policy.dates.strategy, self._policy.ages.strategy):
            return None
        return None if "tag" in (self._policy.dates.strategy, self._policy.ages.strategy) else self._line.told_birth

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return the surrogate of a temporal mention, masked if it was not read or from the second `attempt` on."""
        strategy = self._policy.ages.strategy if mention.label is Label.AGE else self._policy.dates.strategy
        if strategy == "tag":
            return tag(mention.label, self._context.text(mention))
        event = read_event(self._context.text(mention)) if mention.label is Label.RELDATE and not attempt else None
        if event is not None:
            return self._kind_alone(mention, event, strategy)
        text = None if attempt else self._texts.get(mention) or self._composed(mention, strategy)
        if text is None:
            return mask(mention.label, self._context.text(mention))
        school = self._may_return(mention, strategy) and given_ages.is_start_of_school(
            self._context, self._normalised, mention
        )
        if self._line is not None and (school or mention in self._line.kept):
            text = self._context.text(mention) if school else text
            return Draft(text, episodes.KEPT, may_return=True)
        returns = self._may_return(mention, strategy)
        noun = agreement.noun_of(text) if mention.label is not Label.AGE else None
        return Draft(text, strategy, may_return=returns, noun=noun)

    def _kind_alone(self, mention: Mention, event: Event, strategy: str) -> Draft:
        """Return what is published of an event that the world dates: its kind, with the article that a name has not."""
        noun, before = event.noun, self._context.before(mention, 30)
        text = event.kind
        if noun is not None and read_ahead(before) is None:
            text = noun.article + (text if noun.article.endswith("'") else f" {text}")
            text = text[:1].upper() + text[1:] if OPENS.search(before) else text
        return Draft(self._plain(text), strategy, noun=noun)

    def _composed(self, mention: Mention, strategy: str) -> str | None:
        """Return the text of a mention that holds several dates, or is half of one."""
        join = self._joined if strategy == "generalise" else None
        returns = self._may_return(mention, strategy)
        return self._normalised.segments.compose(self._context, mention, self._texts, join, returns)

    def _may_return(self, mention: Mention, strategy: str) -> bool:
        if mention.label is Label.AGE:
            return strategy == "stages"
        return self._line is not None and self._line.may_return

    def _moved(self, epsilon: Fraction) -> Timeline:
        normalised, dates, ages = self._normalised, self._policy.dates.strategy, self._policy.ages.strategy
        if dates == "generalise":
            line = generalising.timeline(self._context, normalised)
        else:
            line = DATES[_UNSAID if dates == "tag" else dates].move(self._context, normalised, epsilon)
        if line.told_birth is None and normalised.birth is not None and ages in AGES:
            told = AGES[ages].move_birth(self._context, normalised.anchor, line.moved_anchor, normalised.birth, epsilon)
            return line._replace(told_birth=told)
        return line

    def _generalised(self) -> Mapping[Mention, str]:
        texts = {one: generalising.date_text(self._context, self._normalised, one) for one in self._normalised.instants}
        return {mention: self._plain(text) for mention, text in texts.items() if text is not None}

    def _joined(self, mention: Mention, texts: Sequence[str]) -> str:
        return self._plain(generalising.joined(self._context, mention, texts))

    def _age_text(self, mention: Mention, age: Age, line: Timeline, epsilon: Fraction) -> str:
        original = self._context.text(mention)
        strategy = self._policy.ages.strategy
        if strategy == "stages":
            return self._plain(self._age_ahead(mention, self._age_in_stage(mention, age, line, epsilon)))
        value = self._own_value(age, line) if mention in self._normalised.own_ages else None
        if strategy == "generalise":
            return self._plain(generalising.age_text(self._context, self._normalised, mention, value or age.value))
        if value is None:
            value = AGES[strategy].move(self._context, age, epsilon)
        text = self._written_age(mention, age, value)
        for step in NEARBY:
            if not alike(text, original):
                break
            if value + step >= 1:
                text = self._written_age(mention, age, value + step)
        return self._plain(self._age_ahead(mention, text))

    def _age_in_stage(self, mention: Mention, age: Age, line: Timeline, epsilon: Fraction) -> str:
        context = self._context
        if mention in self._kept_ages and line.keeps_age:
            value = age.value
        elif (given := self._given.get(mention)) is not None:
            started = None if given.since is None else self._values[given.since]
            value = given_ages.count_age(given, age, line, self._own_months, started)
        elif line.birth is None or line.told_birth is None or is_of_another(context, mention):
            episode = episodes.episode_of(context, line.anchor).first.isoformat()
            value = stages.move_age(context, age, epsilon, f"{episode} {stages.whose_age(context, mention)}")
            value = given_ages.within_class(context, mention, age, self._beside_kin(mention, age, value, line))
            if self._own_months is None and given_ages.is_own(context, mention):
                self._own_months = int(ages.months_of(age.unit, value, age.step))
        elif stages.is_then(context, mention) and mention not in self._kept_ages:
            now, published = (
                age_at(*days, age.unit) * age.step
                for days in ((line.birth, line.anchor), (line.told_birth, line.moved_anchor))
            )
            value = stages.move_age_then(context, age, now, published)
        else:
            value = stages.moved_with_birth(age, line.birth, line.anchor, line.told_birth, line.moved_anchor)
        self._values[mention] = value = self._in_time(mention, value)
        return self._written_age(mention, age, value)

    def _written_age(self, mention: Mention, age: Age, value: int) -> str:
        """Write an age, one of the oldest by the words ahead: "À plus de 90 ans", "ses 90 ans et plus"."""
        before = self._context.before(mention, 30)
        behind = self._context.plain[mention.end : mention.end + _WORDS_BEHIND]
        text = ages.write_age(age, value, self._policy.ages.top_code, fold_line(before), behind)
        opens = text.startswith("plus") and not self._context.text(mention)[0].islower() and OPENS.search(before)
        return f"P{text[1:]}" if opens else text

    def _in_time(self, mention: Mention, value: int) -> int:
        """Return the first age of a stretch of the patient's, so early that the stretch ends by the published age."""
        years = next((-given.less for given in self._given.values() if given.since == mention), 0)
        if not years or self._own_months is None or is_of_another(self._context, mention):
            return value
        return max(1, min(value, self._own_months // _MONTHS_IN_YEAR - years))

    def _beside_kin(self, mention: Mention, age: Age, value: int, line: Timeline) -> int:
        """Return a relative's drawn age, made to agree with the published ages of the patient and other relatives."""
        relative = stages.read_relative(self._context, mention)
        if relative is None:
            return value
        own = self._own_months
        if own is not None and not relative.now:
            day = given_ages.day_of_clause(self._context, self._normalised, mention)
            told = None if day is None else line.instants.get(day)
            own = None if told is None else own - months_between(told.middle, line.moved_anchor)
        value = stages.beside_kin(age, value, relative, own, self._told_kin if relative.now else ())
        if relative.now:
            self._told_kin.append((relative.generations, int(ages.months_of(age.unit, value, age.step))))
        return value

    def _age_ahead(self, mention: Mention, text: str) -> str:
        """Make the text of an age agree with the word ahead."""
        if not agreement.elides(self._context, mention):
            return text
        return agreement.of_distance(agreement.ahead(self._context, mention), text)

    @staticmethod
    def _own_value(age: Age, line: Timeline) -> int | None:
        """Return the patient's age, in the mention's unit and step, from the moved birth date and anchor."""
        if line.told_birth is None:
            return None
        if age.step > 1 and age.unit is Unit.YEAR:
            return max(age.step, age_at(line.told_birth, line.moved_anchor, Unit.MONTH) * age.step // 12)
        return max(1, age_at(line.told_birth, line.moved_anchor, age.unit)) * age.step

    def _plain(self, text: str) -> str:
        return text if self._context.dates_accented else without_accents(text)
