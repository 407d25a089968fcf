"""Texts of moved dates: each in its own form, none that reads as its original, order kept."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from datetime import date
from itertools import pairwise

from deid.domain.document import Mention
from deid.french import numerals
from deid.french.articles import read_ahead
from deid.french.calendar import MONTHS, SEASONS, WEEKDAYS
from deid.french.folding import alike, comparable, fold_line, in_case_of, sentence_case_of, without_accents
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import agreement, feasts, order, resolving
from deid.substitution.temporal.forms import Day, Expression, Form, Literal, MonthName, Part, SpokenYear, Year
from deid.substitution.temporal.normalisation import NormalisedTimes, are_bounds, are_of_one_sentence
from deid.substitution.temporal.relative import ABOUT, Manner, Relative
from deid.substitution.temporal.timeline import Timeline, day_of
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, add_years, clamped

_ABOUT_OF = {number: word for word, number in ABOUT.items()}
# What a unit is counted by, by the folded word of the original.
_SINGULAR = {
    "jour": "jour", "jours": "jour", "semaine": "semaine", "semaines": "semaine", "an": "an", "ans": "an",
    "annee": "année", "annees": "année", "ete": "été", "etes": "été", "hiver": "hiver", "hivers": "hiver",
    "trimestre": "trimestre", "trimestres": "trimestre", "semestre": "semestre", "semestres": "semestre",
    "decennie": "décennie", "decennies": "décennie", "week-end": "week-end", "week-ends": "week-end",
}  # fmt: skip
_SEVERAL = ("derni", "procha")  # "ces deux dernières années"
_NEAR = {-2: "avant-hier", -1: "hier", 0: "ce jour", 1: "demain", 2: "après-demain"}
# The last one, this one, the next one, and the word for several.
_BESIDE = {
    Unit.WEEK: ("la semaine dernière", "cette semaine", "la semaine prochaine", "semaines"),
    Unit.MONTH: ("le mois dernier", "ce mois-ci", "le mois prochain", "mois"),
    Unit.QUARTER: ("le trimestre dernier", "ce trimestre", "le trimestre prochain", "trimestres"),
    Unit.SEMESTER: ("le semestre dernier", "ce semestre", "le semestre prochain", "semestres"),
    Unit.YEAR: ("l'an dernier", "cette année", "l'an prochain", "ans"),
    Unit.DAY: ("hier", "ce jour", "demain", "jours"),
    Unit.SEASON: ("la saison dernière", "cette saison", "la saison prochaine", "saisons"),
    Unit.DECADE: ("la décennie dernière", "cette décennie", "la décennie prochaine", "décennies"),
}
_MOST_IN = {Unit.DAY: 14, Unit.WEEK: 60}  # days from which a distance is said in a longer unit
_OF_LAST_YEAR = 330  # days to which a month is told without its year
# The anchor's day and those next to it, in other words.
_OTHERWISE: Mapping[int, tuple[str, ...]] = {
    -2: ("il y a deux jours",), -1: ("la veille",), 0: ("ce jour", "aujourd'hui"), 1: ("le lendemain",),
    2: ("dans deux jours",),
}  # fmt: skip


def write_distance(relative: Relative, moved: Instant, anchor: Instant) -> str:
    """Write the distance from `anchor` to `moved`, both in the unit of `relative`, in its manner."""
    manner = relative.manner
    offset = moved.index - anchor.index
    if manner.counted and not manner.hours and (offset != 0 or manner.apart):
        return _write_counted(relative, offset)
    if offset == relative.offset == 0 and relative.unit is Unit.DAY:
        return manner.model
    if relative.named is not None or relative.feast is not None:
        phrase = _write_named(relative, moved, offset)
    else:
        phrase = _write_plain(relative.unit, offset, manner)
    if relative.feast is not None and not manner.model.isupper():
        return phrase  # "Noël" has its capital anywhere
    return sentence_case_of(manner.model, phrase)


def distance_otherwise(relative: Relative, moved: Instant, anchor: Instant) -> str | None:
    """Write a day up to two from the anchor in other words: "la veille" for "hier"; None for another day."""
    model = relative.manner.model
    phrases = _OTHERWISE.get(moved.index - anchor.index, ()) if relative.unit is Unit.DAY else ()
    phrase = next((one for one in phrases if comparable(one) != comparable(model)), None)
    return sentence_case_of(model, phrase) if phrase else None


def _write_days(relative: Relative, days: int) -> str:
    """Write a distance in days in the unit that fits it: days, weeks or months."""
    unit = next((unit for unit, most in _MOST_IN.items() if abs(days) < most), Unit.MONTH)
    count = round(days / (365.25 / 12 if unit is Unit.MONTH else DAYS_OF[unit]))
    return sentence_case_of(relative.manner.model, _write_plain(unit, count, Manner(relative.manner.model)))


def _write_counted(relative: Relative, offset: int) -> str:
    manner = relative.manner
    number = max(2 if manner.unit_word.lower().startswith(_SEVERAL) else 1, abs(offset))
    lead = manner.lead
    if (offset > 0) != (relative.offset > 0) and not manner.apart:
        lead = sentence_case_of(lead, "dans " if offset > 0 else "il y a ")
    unit = _unit_word(manner, number)
    if manner.about and number in _ABOUT_OF and not relative.span:
        of = "d'" if unit[:1].lower() in "aeih" else "de "
        said = f"une {_ABOUT_OF[number]} {of}"
        return f"{lead}{_cased(manner, said)}{unit}{manner.tail}"
    feminine = relative.unit is Unit.WEEK or manner.unit_word.startswith(("annee", "decennie"))
    said = _number(number, manner.spoken, feminine=feminine)
    if relative.span:
        said += manner.to + _number(number + relative.span, manner.spoken, feminine=False)
    gap = manner.gap if not manner.spoken else " "
    return f"{lead}{_cased(manner, said)}{gap}{unit}{manner.tail}"


def _cased(manner: Manner, text: str) -> str:
    return text.upper() if manner.model.isupper() else text


def _number(number: int, spoken: bool, *, feminine: bool) -> str:
    return numerals.write_number(number, feminine=feminine) if spoken else str(number)


def _unit_word(manner: Manner, number: int) -> str:
    word = _SINGULAR.get(manner.unit_word)
    if word == "année" and not (manner.about and number in _ABOUT_OF):
        word = "an"
    said = manner.unit_word if word is None else word + ("s" if number > 1 else "")
    return _cased(manner, said)


def _write_plain(unit: Unit, offset: int, manner: Manner) -> str:
    if unit is Unit.DAY and offset in _NEAR:
        part = f" {manner.part.lower()}" if manner.part and offset else ""
        return _NEAR[offset] + part
    if manner.unit_word == "week-end" and abs(offset) <= 1:
        return ("ce week-end", "le week-end prochain", "le week-end dernier")[offset]
    last, this, following, plural = _BESIDE[unit]
    if abs(offset) <= 1:
        return (this, following, last)[offset]
    counted = numerals.write_number(abs(offset), feminine=unit in (Unit.WEEK, Unit.SEASON, Unit.DECADE))
    return f"il y a {counted} {plural}" if offset < 0 else f"dans {counted} {plural}"


def _write_named(relative: Relative, moved: Instant, offset: int) -> str:
    """Write a weekday, month, season or feast of the last or next round; a further one is counted."""
    unit, manner = relative.unit, relative.manner
    side = "prochain" if offset > 0 else "dernier"
    if unit is Unit.DAY:
        name = WEEKDAYS[moved.first.weekday()]
        if 0 < abs(offset) <= 7:
            return f"{name} {side}"
        ahead = {2: "en huit", 3: "en quinze"}.get((offset - 1) // 7 + 1)
        return f"{name} {ahead}" if ahead else _write_plain(unit, offset, manner)
    if unit is Unit.SEASON:
        if abs(offset) > 4:
            return _write_plain(unit, offset, manner)
        name = SEASONS[moved.index % 4]
        if offset == 0 or (relative.offset == 0 and abs(offset) == 1):
            return f"ce {name}" if name == "printemps" else f"cet {name}"
        return f"le {name} {side}" if name == "printemps" else f"l'{name} {side}"
    if offset == 0 or abs(offset) > 12:
        return _write_plain(unit, offset, manner)
    day = moved.first
    if relative.feast is None:
        return f"{manner.lead.lower()}{MONTHS[day.month - 1]} {side}"
    feast = feasts.feast_of_month(day.year, day.month, fold_line(manner.model))
    return f"{feast} {side}" if feast in ("Noël", "Pâques") else f"{feast} {'prochaine' if offset > 0 else 'dernière'}"


NEARBY = [sign * step for step in range(1, 61) for sign in (1, -1)]

OPENS = re.compile(r"(?:\A|[.!?]\s|\n)[\s•*–-]*\Z")  # a line or a sentence
_NAMES_A_DAY = re.compile(r"[ ,(]{1,3}jour d(?:e la |e l'|es |u |e )\Z")
_PART = re.compile(r"\A(?:debut|mi|fin)\b")
_DAYS_OF_PART = {"debut": 5, "mi": 15, "fin": 25}
_WITH_NOUNS = frozenset({Unit.MONTH, Unit.SEASON})  # may be said by a month, a feast or a season


def _years_behind(context: DocumentContext, normalised: NormalisedTimes) -> Mapping[Mention, Mention]:
    """Return each date of a range that has no year of its own, with the date behind it that has one."""
    found: dict[Mention, Mention] = {}
    for mention, following in pairwise(sorted(normalised.instants)):
        said = normalised.said[following]
        if isinstance(said, Expression) and said.year is not None and are_bounds(context, mention, following):
            found[mention] = following
    return found


def _lenders(
    context: DocumentContext, normalised: NormalisedTimes
) -> Mapping[Mention, tuple[Mention, tuple[Part, ...]]]:
    """Return each day without a month in a range or list, with the date after it and the parts of a month.

    "du 3 au 7 mars" moved across a month is "du 28 février au 4 mars".
    """
    found: dict[Mention, tuple[Mention, tuple[Part, ...]]] = {}
    month: tuple[Part, ...] = ()
    following: Mention | None = None
    for mention in sorted(normalised.instants, reverse=True):
        said = normalised.said[mention]
        if following is None or not are_bounds(context, mention, following):
            month = ()
        if isinstance(said, Expression) and said.unit is Unit.DAY:
            if said.month is not None:
                month = said.form.month
            elif following is not None and month and said.day is not None and not said.this_month:
                found[mention] = following, month
        following = mention
    return found


_BARE, _FIRST = Day(1), Day(1, "er")  # "le 1er": said of the first in letters
# What writes the month of a day that has none.
_MONTH: tuple[Part, ...] = (Literal(" "), MonthName("mars", "long"))


def _bare_days(
    context: DocumentContext, normalised: NormalisedTimes, lenders: Mapping[Mention, object]
) -> Mapping[Mention, list[Mention]]:
    """Return each day with no month, written or lent, and the list of such days around it."""
    found: dict[Mention, list[Mention]] = {}
    before: Mention | None = None
    for mention in sorted(normalised.instants):
        said = normalised.said[mention]
        bound = before is not None and are_bounds(context, before, mention)
        if isinstance(said, Expression) and said.day is not None and said.month is None and not said.this_month:
            chain = found.get(before, []) if before is not None and bound else []
            chain.append(mention)
            if mention not in lenders:
                found[mention] = chain
        before = mention
    return found


class DateWriter:
    """Writer of one document's dates, as a timeline moved them."""

    def __init__(self, context: DocumentContext, normalised: NormalisedTimes, line: Timeline) -> None:
        self._context = context
        self._text_of = context.document.text
        self._accented = context.dates_accented
        self._instants = normalised.instants
        self._said = normalised.said
        self._birthdays = normalised.birthdays
        self._line = line
        self._moved = dict(line.instants)
        self._birth = None if line.birth is None else day_of(line.birth)
        self._lenders = _lenders(context, normalised)
        self._following = _years_behind(context, normalised)
        self._bare = _bare_days(context, normalised, self._lenders)
        self._listed = sorted(normalised.instants.keys() - normalised.births)
        parts = (part for one in self._said.values() if isinstance(one, Expression) for part in one.form.parts)
        self._year = next((one for one in parts if isinstance(one, SpokenYear)), Year(4))

    def texts(self) -> Mapping[Mention, str]:
        """Return the text of every mention that was read; one without a free index to move to has none."""
        by_instant: dict[Instant, list[Mention]] = {}
        for mention, one in self._instants.items():
            by_instant.setdefault(one, []).append(mention)
        found: dict[Mention, str] = {}
        for one, mentions in by_instant.items():
            days = {self._birthday(mention, self._moved[one]) for mention in mentions}
            if one.unit is Unit.DAY and len(days) == 1 and (day := days.pop()) is not None:
                self._moved[one] = day_of(day)
            texts = self._told(mentions, one, self._moved[one]) or self._nearby(mentions, one)
            if texts is not None:
                for mention, text in zip(mentions, texts, strict=True):
                    found[mention] = text
        return found

    @property
    def moved(self) -> Mapping[Instant, Instant]:
        """Return the written instants by original, the anchor and the birth date included."""
        return {one: Instant(one.unit, index) for one, index in self._line.fixed().items()} | self._moved

    def _nearby(self, mentions: list[Mention], original: Instant) -> list[str] | None:
        """Return texts of mentions of one instant, at the nearest other place where none reads as its original.

        "lundi 3" moved to another month may read "lundi 3" again, and "2015" between two close dates may have to stay.
        Only places that keep the order are tried. Without one, there are no texts, and all the mentions are masked: a
        mask beside the others' texts would say that its mention reads as its original.
        """
        space = order.free_indexes(original, self.moved)
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
        """Return texts of mentions of one instant; None if one reads as its original.

        None also for another date moved to the patient's birth date, which no published text may say.
        """
        may_return = self._line.may_return
        if moved == self._birth != original and not may_return:
            return None
        texts: list[str] = []
        for mention in mentions:
            written = self._text_of[mention.start : mention.end]
            text = written if mention in self._line.kept else self._text(mention, moved)
            if not may_return and alike(text, written):
                text = self._text(mention, moved, otherwise=True)
                if alike(text, written):
                    return None
            texts.append(text)
        return texts

    def _text(self, mention: Mention, moved: Instant, *, otherwise: bool = False) -> str:
        """Return a mention's text for another instant; with `otherwise` in other words, if there are any."""
        said = self._said[mention]
        birthday = self._birthday(mention, moved)
        if isinstance(said, Relative) and birthday is not None:
            text = self._birthday_told(mention, said, birthday)
            text = self._agreeing(mention, text, distance=True)
        elif isinstance(said, Relative):
            anchor = Instant(moved.unit, self._line.moved_index(moved.unit))
            other = distance_otherwise(said, moved, anchor) if otherwise else None
            text = self._agreeing(mention, other or write_distance(said, moved, anchor), distance=True)
        else:
            if birthday is not None:
                moved = day_of(birthday)
            moved = self._on_its_side(mention, said, moved)
            text = self._form(mention, said, moved).write(moved.middle)
            if said.feast is not None and said.year is None:
                holiday = feasts.holiday_of_month(moved.first.month, self._context.plain_before(mention, 24))
                other = holiday or self._kind_of_day(mention)
                text = text if other is None else in_case_of(text, other) if text.isupper() else other
            if moved.unit in _WITH_NOUNS:
                text = self._agreeing(mention, text, distance=False)
            named = fold_line(self._text_of[mention.start]).startswith(WEEKDAYS)
            if named and text in ("Noël", "Pâques") and OPENS.search(self._context.before(mention, 4)):
                text = f"À {text}"  # "Lundi de Pâques, il est tombé"
            if self._text_of[mention.start].isupper() and OPENS.search(self._context.before(mention, 4)):
                text = text[:1].upper() + text[1:]
        return text if self._accented else without_accents(text)

    def _birthday_told(self, mention: Mention, said: Relative, birthday: date) -> str:
        """Return a birthday by its distance, or by its month where that is of weeks or months: "en octobre dernier"."""
        anchor = self._line.moved_anchor
        days, month = (birthday - anchor).days, MONTHS[birthday.month - 1]
        if not _MOST_IN[Unit.WEEK] <= abs(days) < _OF_LAST_YEAR or birthday.month == anchor.month:
            return _write_days(said, days)
        lead = "" if read_ahead(self._context.before(mention, 14)) else "en "
        return sentence_case_of(said.manner.model, f"{lead}{month} {'dernier' if days < 0 else 'prochain'}")

    def _on_its_side(self, mention: Mention, said: Expression, moved: Instant) -> Instant:
        """Return the month of a feast or part of a month: the one beside where it would change sides of the anchor."""
        line = self._line
        if moved.unit is not Unit.MONTH or said.year is not None or moved.index != line.moved_index(Unit.MONTH):
            return moved
        named = said.feast and feasts.feast_named(feasts.feast_of_month(moved.first.year, moved.first.month))
        day = self._rough_day(mention, said.feast, self._instants[mention])
        published = self._rough_day(mention, named, moved) or moved.middle
        if day in (None, line.anchor) or (published > line.moved_anchor) is (ahead := day > line.anchor):
            return moved
        return moved._replace(index=moved.index + (1 if ahead else -1))

    def _rough_day(self, mention: Mention, feast: str | None, month: Instant) -> date | None:
        """Return the day of a month's feast, or of the part of a month that a mention names; None of a whole month."""
        if feast:
            return feasts.day_of_feast(feast, month.first.year)
        part = _PART.search(fold_line(self._text_of[mention.start : mention.end]))
        return part and month.first.replace(day=_DAYS_OF_PART[part.group()])

    def _kind_of_day(self, mention: Mention) -> str | None:
        """Return what a published day is, in the place of the feast that names it: "le 16 avril, jour de Pâques"."""
        said = _NAMES_A_DAY.search(self._context.plain_before(mention, 20))
        if said is None:
            return None
        ends = mention.start - len(said.group())
        day = next((self._moved[one] for other, one in self._instants.items() if other.end == ends), None)
        if day is None or day.unit is not Unit.DAY:
            return None
        return agreement.WEEKEND_DAY if day.first.weekday() > 4 else agreement.WORKING_DAY

    def _birthday(self, mention: Mention, moved: Instant) -> date | None:
        """Return the birthday that a mention is about, by the published birth date; None for another mention.

        It is the nearest one to where the mention moved, on the side of the document's date that the original was on.
        """
        line, born, day = self._line, self._line.told_birth, moved.middle
        if mention not in self._birthdays or born is None:
            return None
        instant, anchor = self._instants[mention], line.moved_anchor
        past, today = instant.last < line.anchor, instant.first <= line.anchor
        days = (add_years(born, day.year - born.year + more) for more in (-1, 0, 1))
        told = [
            one for one in days if one > born and (one < anchor if past else one > anchor or (today and one == anchor))
        ]
        return min(told, key=lambda one: abs(one - day), default=None)

    def _form(self, mention: Mention, said: Expression, moved: Instant) -> Form:
        """Return the form of a date, with a month if the date that lent it one has moved to another.

        A month or year is also written where a reader would look for the date in another one: "mardi 5" moved to
        "mardi 16", a week ahead, may be taken for the one of last month.
        """
        form, day = said.form, moved.first
        if mention in self._bare or any(isinstance(one, MonthName) for one in self._lenders.get(mention, ((), ()))[1]):
            bare = (_BARE, Day(2)) if (said.day or 0) > 9 else (_BARE,)  # "14": no more than its own two figures
            form = form if said.day == 1 else Form(tuple([_FIRST if one in bare else one for one in form.parts]))
        if mention in self._lenders:
            following, month = self._lenders[mention]
            beside = self._moved[self._instants[following]].first
            return form if beside.month == day.month else Form((*form.parts, *month))
        if mention in self._bare:
            return Form((*form.parts, *_MONTH)) if self._needs_month(mention) else form
        if said.month is None or said.year is not None or not any(isinstance(one, MonthName) for one in form.parts):
            return form
        told = self._reads(said, moved) and not self._ends_elsewhere(mention, day.year)
        return form if told else Form((*form.parts, Literal(" "), self._year))

    def _ends_elsewhere(self, mention: Mention, year: int) -> bool:
        """Return whether a date ends a range or list, written with its year, and is published in another one."""
        following = self._following.get(mention)
        return following is not None and self._moved[self._instants[following]].first.year != year

    def _needs_month(self, mention: Mention) -> bool:
        """Return whether a day without a month needs one: its month is not the next day's, or a reader is misled."""
        chain = self._bare[mention]
        days = [self._moved[self._instants[one]] for one in chain]
        months = [(day.first.year, day.first.month) for day in days]
        first = bisect_left(self._listed, chain[0])
        for before in self._listed[max(0, first - 1) : first]:
            told, day = self._said[before], self._moved[self._instants[before]].first
            ahead = isinstance(told, Expression) and told.day and are_of_one_sentence(self._context, before, chain[0])
            if ahead and (day.year, day.month) != months[-1]:
                return True
        last = self._said[chain[-1]]
        if isinstance(last, Expression) and self._reads(last, days[-1]) and len(set(months)) == 1:
            return False
        at = chain.index(mention)
        return mention == chain[-1] or months[at] != months[at + 1]

    def _reads(self, said: Expression, moved: Instant) -> bool:
        """Return whether a reader places a date, written as `said`, at its moved instant."""
        day = moved.first
        written = said._replace(
            day=said.day and day.day,
            month=said.month and day.month,
            weekday=None if said.weekday is None else day.weekday(),
        )
        return resolving.place_date(written, self._line.moved_anchor) == moved

    def _agreeing(self, mention: Mention, text: str, *, distance: bool) -> str:
        if not distance and not agreement.matters(self._context, mention, text):
            return text
        word = agreement.ahead(self._context, mention)
        rewritten = read_ahead(self._context.before(mention, 14)) is not None
        text = agreement.of_moved(word, text, rewritten=rewritten)
        return agreement.of_distance(word, text) if distance else text
