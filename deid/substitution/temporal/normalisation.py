"""Read a document's temporal mentions and place them on the calendar; find its anchor and the patient's birth date."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, TEMPORAL, Label
from deid.french.events import read_event
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import ages, agreement, parsing, relative, resolving, segments
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.kin import clause_ahead, is_of_another
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.segments import Reads, Segments
from deid.substitution.temporal.values import DAYS_OF, Instant, Unit, add_years, age_at, clamped

# Where a date goes on behind a line break for sure: a separator at the break, a word after it, a year after a word.
_CUT = re.compile(r"[/.-]\s*\n|\n\s*(?:[/.-]|[^\W\d_])|[^\W\d_]\.?\s*\n\s*\d{4}$")
_ANY_DAY = date(2000, 1, 1)  # a whole date is the same from any


def meaning(text: str, label: Label, *, as_year: bool = False) -> Expression | Relative | None:
    """Read a DATE or RELDATE by the grammar of its label, then by the other's; None if neither reads it."""
    if label is Label.DATE:
        return parsing.parse(text, as_year=as_year) or relative.parse_relative(text)
    return relative.parse_relative(text) or parsing.parse(text, as_year=as_year)


def may_be_year(meant: Expression | Relative | None, label: Label) -> bool:
    """Return whether a word ahead ("en") could make a text a year: only a text without a month."""
    if isinstance(meant, Relative):
        return label is Label.DATE
    return meant is None or (meant.unit is Unit.DAY and meant.month is None)


def _is_one_date(text: str) -> bool:
    """Return whether two lines are one DATE: they read as one, and its weekday fits, or the break is inside it."""
    meant = parsing.parse(text)
    if meant is None:
        return False
    if meant.weekday is not None and meant.month is not None and meant.year is not None and meant.year >= 100:
        return resolving.place_date(meant, _ANY_DAY).first.weekday() == meant.weekday
    return _CUT.search(text) is not None


def _is_one_distance(text: str) -> bool:
    """Return whether two lines are one RELDATE: together they read as one, and not both do apart."""
    first, _, second = text.partition("\n")
    return relative.parse_relative(text) is not None and not (
        relative.parse_relative(first) and relative.parse_relative(second)
    )


def _is_one_age(text: str) -> bool:
    """Return whether two lines are one AGE: together they read as one, and the second alone is none."""
    return ages.parse_age(text) is not None and ages.parse_age(text.partition("\n")[2].strip()) is None


def cut_mentions(context: DocumentContext) -> Segments:
    """Return the segments of a document's temporal mentions."""
    kinds: list[tuple[Label, Reads, Reads]] = [
        (Label.DATE, lambda text: meaning(text, Label.DATE) is not None, _is_one_date),
        (Label.RELDATE, lambda text: meaning(text, Label.RELDATE) is not None, _is_one_distance),
        (Label.AGE, lambda text: ages.parse_age(text) is not None, _is_one_age),
    ]
    found = [segments.cut_segments(context, context.of([label]), reads, joins) for label, reads, joins in kinds]
    return Segments(
        spans=tuple(sorted(span for one in found for span in one.spans)),
        parts={mention: parts for one in found for mention, parts in one.parts.items()},
        halves={mention: half for one in found for mention, half in one.halves.items()},
    )


_BORN = re.compile(
    r"(?:\bnee?s?\b(?: ?\(e\))?|\bn\(e\)|naissance|\bddn\b|\bd\.?n\.?\b)[^a-z0-9]*(?:le|en|du|:)?[^a-z0-9]*$"
)
# "née Ndiaye à Louga (Sénégal), le": what stands between a birth and its date, and ahead of it.
_BEHIND_BIRTH = re.compile(r"[\s,;(/)-]{1,4}(?:(?:le|en|au)[\s:]{1,2}|(?:a|au|aux|en) (?:la |le |l')?)?")
_BORN_AT = re.compile(r"\bnee?s?(?: ?\(e\))? (?:a|au|aux|en) (?:la |le |l')?$")
_BORN_AS = re.compile(r"\bnee?(?: ?\(e\))? $")
_BIRTH_WORDS = 4  # birth name, town, its department, its country
# What parts a birth date that no word announces from the patient's name or age: "Mme A (21/06/1967)", "F / 1988-09-25".
_BESIDE_IDENTITY = re.compile(r"\s*(?:[,;:(|/–—-]\s*){0,3}(?:(?:[fm]|age|soit)\s*[,;:(|/–—-]?\s*)?")
_NIR = re.compile(r"[1278]\D?(?P<year>\d\d)\D?(?P<month>0[1-9]|1[0-2])")
_YEAR_AHEAD = re.compile(r"\b(?:en|ann[ée]e|depuis|dès|vers|an)\s*$", re.IGNORECASE)
# "2003 ou 04", "2011, 12 et 13": behind a year, two figures are one of the same series, but for days of a month.
_SAME_SERIES = re.compile(r"\s?(?:[,;/–-]\s?(?:(?:et|ou|puis|a)\s)?|(?:et|ou|puis|a)\s)(?:(?:en|vers)\s)?")
_OF_A_MONTH = re.compile(
    r"(?:[\s,-]*(?:(?:et|ou|au)\s)?(?:le\s)?\d\d?){0,4}(?:/|\s(?:janv|fev|mars|avr|mai|jui|aout|sept|oct|nov|dec))"
)
# What is to come: its month or day without a year is looked for ahead of the document.
_PLANNED = re.compile(
    r"\b(?:prev[ou]\w*|programm\w+|planifi\w+|convoqu\w+|attend\w*|objectifs?|interdit\w*|"
    r"pas (?:d(?:e |')[a-z]+ )?avant|"
    r"poursuiv\w+|echeances?|expir(?:e|era|ation)|valables?|au plus tard|date limite|arret (?:de travail )?jusqu|"
    r"rendez-vous|rdv|prochaine?s?|reprises?|"
    r"reprendr\w+|revoi[rst]|reverr\w+|reviendr\w+|retourner\w+|partira|reevaluation|d'ici|sera|seront|aura|fera|ira|"
    r"pourra|devra|debutera|commencera|entrera|a (?:faire|refaire|prevoir|recontroler|revoir))\b|"
    r"\bpour (?:l[ea] |l')?\Z"
)
# What is done, by a participle in the text as it is written: its month is looked for behind the document.
_DONE = re.compile(
    r"\b(?!(?:été|santé|côté|société|difficulté|volonté|âgé)e?s?\b)(?:(?:vu|fait|mis|reçu|pris|perdu|débattu)e?s?|"
    r"[^\W\d_]{2,}(?<!it)ée?s?)\b",
    re.IGNORECASE,
)
_FEAST_AHEAD = re.compile(r"\b(?:fetes?|foire|festival|nuit) (?:de la |de l'|du |des |de |d')$")
_BETWEEN_BOUNDS = re.compile(r"[\s,;/(>&+=-]*(?:au|et|a|ou|puis|jusqu'au)?[\s/>-]*(?:les?|au|du)?[\s-]*")
_BOUNDS_REACH = 14
# A day without a month is of the time that its sentence told before, if that is past.
_SENTENCE_REACH = 200
_NEAR = _SENTENCE_REACH // 4  # mentions ahead, of two characters and two between them at least
_SENTENCE_ENDS = re.compile(r"[.!?](?:\s|\Z)|\n\s*(?:\n|(?![a-zà-ÿ\s]))")
_ASIDE = re.compile(r"[^()\n]{0,20}\)")
_PAST = timedelta(days=62)
# What joins a distance and its date: "il y a 3 semaines, le 23 février".
_BESIDE = re.compile(
    r"[\s,;:(–-]{0,4}(?:soit|donc|c'est-a-dire)?[\s:]{0,2}(?:le|en|au|du|depuis le|a partir du)?\s{0,2}"
)
_BESIDE_REACH = 24
# A length that ends on the date behind it: "12 mois, soit jusqu'au 14/03/2026", "à un an (14/03/2026)".
_LENGTH_AHEAD = re.compile(
    r"(?<![\w/.,+-])(?P<length>(?:\d{1,3}|une?|deux|trois|quatre|six|neuf|douze) ?(?:jours?|j|semaines?|sem|mois|ans?))"
    r"[\s,;:(–-]{0,4}(?:soit|donc)?[\s:]{0,2}(?:le|en|au|vers le|(?:jusqu'|jusque)(?:au|a|en|le)?)?\s{0,2}\Z"
)
_LENGTH_REACH = 40
# Days of a pregnancy, by the words ahead: of the last period, of conception, of the term.
_PREGNANCY = re.compile(
    r"\b(?:(?P<period>ddr|dernieres regles)|(?P<conception>ddg|debut de grossesse)|"
    r"(?P<term>dpa|terme|date presumee d'accouchement))(?![a-z])[^.;\n\d]{0,25}$"
)
_PREGNANCY_REACH = 50
# "¤" is the mention: "son anniversaire est ¤", "aura 77 ans ¤", "¤ elle aura 77 ans", "fêtera ¤ ses 77 ans". "à ses 50
# ans, ¤" tells a year about, ", 77 ans" nothing.
_NAMED_BIRTHDAY = r"\banniversaire\b(?! (?:de (?!la patiente|mme|madame|m\b|monsieur)|du (?!patient)|des ))"
_REACHES, _AGED = r"\b(?:aura(?:it)?(?: bientot)?|a eu|fete\w*)", r"(?:ses )?\d{1,3} ans?\b(?! apres)"
_BIRTHDAY = re.compile(
    rf"{_NAMED_BIRTHDAY}[^.;:\n]{{0,40}}¤|¤[^.;:\n\d]{{0,30}}{_NAMED_BIRTHDAY}|{_REACHES} {_AGED},? (?:le )?¤|"
    rf"{_REACHES},? (?:le )?¤,? {_AGED}|¤,? (?:il |elle )?{_REACHES} {_AGED}"
)
_DAY_OF_YEARS = re.compile(r"\bses \d{1,3} ans,? (?:le )?¤|¤,? (?:(?:le )?jour )?(?:de )?ses \d{1,3} ans\b")
# "43 ans demain"; "vue à 43 ans hier" and "de 43 ans ce jour" tell an age.
_TURNS, _NO_TURN = re.compile(r"(?<!\ba )(?<!\bde )\b\d{1,3} ans \Z"), re.compile(r"ce\b|auj")
_BIRTHDAY_REACH = 60
_BOUNDED = frozenset({Unit.DAY, Unit.MONTH})
_AHEAD_OF_MARCH = frozenset({"en", "jusqu'en"})
_AHEAD_OF_A_DAY = frozenset({"le", "du", "au", "jusqu'au", "ce", "la", "les", "des", "un"})
# Without any date, the anchor only serves to count from, and any fixed day will do.
_NO_ANCHOR = date(2000, 1, 1)
_LINKED = 1  # units that a patient's age in the text may be off by


class NormalisedTimes(NamedTuple):
    """The meaning of a document's temporal mentions.

    Mentions here are the spans of `segments`: nearly always the document's own. One in none of the mappings could not
    be read. `births` are mentions of the patient's birth date or year, `own_ages` those of an age within a unit of the
    patient's at the anchor (of a decade, in the same one). `numbered_birth`: a NIR in the document begins with the
    month of birth. `dated` are the distinct instants of mentions other than `births`, `birth_instants` the birth date
    in the units that it is written in. `birthdays` are the mentions of a birthday of the patient, which is right.
    """

    segments: Segments
    anchor: date
    birth: date | None
    said: Mapping[Mention, Expression | Relative]
    instants: Mapping[Mention, Instant]
    ages: Mapping[Mention, Age]
    births: frozenset[Mention]
    own_ages: frozenset[Mention]
    numbered_birth: bool
    dated: frozenset[Instant]
    birth_instants: frozenset[Instant]
    birthdays: frozenset[Mention]

    def reads(self, mention: Mention) -> bool:
        """Return whether a mention of the document could be read, in all its parts."""
        half = self.segments.halves.get(mention)
        spans = (half.whole,) if half else self.segments.parts.get(mention, (mention,))
        return all(span in self.instants or span in self.ages for span in spans)

    @property
    def tells_birth(self) -> bool:
        """Return whether the document says the birth date: as such, by the patient's age, or in a NIR."""
        return self.birth is not None and (bool(self.births or self.own_ages) or self.numbered_birth)


def normalise(context: DocumentContext) -> NormalisedTimes:
    """Read a document's temporal mentions and place them on the calendar.

    The anchor is its reference date; without one, its latest whole date that is no birth date, else the end of its
    latest year, else a fixed day. The birth date is the warehouse's; without it, the one announced as such in the text,
    or a date beside the patient's name or age, a day of the year announced as such, or of the month in a NIR, that
    agrees with an age told.
    """
    mentions = [
        one for one in context.of(TEMPORAL) if one.label is not Label.RELDATE or not read_event(context.text(one))
    ]
    cut = Segments(tuple(mentions), {}, {})
    said, aged = _read_spans(context, mentions)
    if len(said) + len(aged) < len(mentions) or segments.may_go_on(context, mentions):
        cut = cut_mentions(context)
        bounds = frozenset(part for parts in cut.parts.values() for part in parts)
        said, aged = _read_spans(context, cut.spans, bounds)
        aged = _with_units(context, cut, aged)
    anchor = context.document.reference_date or _latest(context, said) or _NO_ANCHOR
    birth = context.document.patient.birth_date or _written_birth(context, said, anchor)
    birth = birth or _agreeing_birth(context, said, aged, anchor)
    if birth is not None and birth > anchor:
        birth = None  # nobody has a document before being born: one of the two dates is wrong, and links nothing
    instants = _placed(context, said, anchor, birth)
    births = _births(context, instants, birth)
    dated = [one for mention, one in instants.items() if mention not in births] if births else instants.values()
    return NormalisedTimes(
        segments=cut,
        anchor=anchor,
        birth=birth,
        said=said,
        instants=instants,
        ages=aged,
        births=births,
        own_ages=frozenset([mention for mention, age in aged.items() if birth and _is_own(age, birth, anchor)]),
        numbered_birth=birth is not None and bool(context.labelled(Label.NIR)),
        dated=frozenset(dated),
        birth_instants=frozenset([instants[mention] for mention in births]),
        birthdays=frozenset(
            [one for one in instants if birth and _is_birthday(context, said[one], one, instants[one], birth)]
        ),
    )


def _read_spans(
    context: DocumentContext, spans: Iterable[Mention], bounds: frozenset[Mention] = frozenset()
) -> tuple[dict[Mention, Expression | Relative], dict[Mention, Age]]:
    """Read spans, ages apart; no word ahead makes a year of one in `bounds`, read by the mention around it."""
    said: dict[Mention, Expression | Relative] = {}
    aged: dict[Mention, Age] = {}
    whole = context.document.text
    before: tuple[Mention, int] | None = None
    for span in spans:
        text, label = whole[span.start : span.end], span.label
        if label is Label.AGE:
            if (age := ages.parse_age(text)) is not None:
                aged[span] = age
            continue
        meant = meaning(text, label)
        if may_be_year(meant, label) and span not in bounds and _YEAR_AHEAD.search(context.before(span, 12)):
            meant = meaning(text, label, as_year=True)
        if before is not None and label is Label.DATE:
            meant = _of_series(context, *before, span) or meant
        before = (span, meant.year or 0) if isinstance(meant, Expression) and meant.unit is Unit.YEAR else None
        if isinstance(meant, Expression) and meant.year is None:
            ahead = clause_ahead(context, span)
            planned = _PLANNED.search(ahead) is not None
            done = not planned and _DONE.search(whole, span.start - len(ahead), span.start) is not None
            meant = meant._replace(planned=planned, done=done)
        if meant is None and label is Label.DATE and _FEAST_AHEAD.search(context.plain_before(span)):
            meant = parsing.parse_local_feast(text)
        if meant is not None:
            said[span] = meant
    return said, aged


def _of_series(context: DocumentContext, year: Mention, told: int, mention: Mention) -> Expression | None:
    """Return two figures as a year of the series of the year ahead, in the century nearest to it; None for others."""
    joined = _SAME_SERIES.fullmatch(context.plain, year.end, mention.start)
    if joined is None or len(context.text(mention)) != 2 or _OF_A_MONTH.match(context.plain, mention.end):
        return None
    meant = parsing.parse(context.text(mention), as_year=True)
    if meant is None or meant.year is None:
        return None
    return meant if told < 100 else meant._replace(year=told + (meant.year - told + 50) % 100 - 50)


def _with_units(context: DocumentContext, cut: Segments, aged: Mapping[Mention, Age]) -> dict[Mention, Age]:
    """Return ages by span; a bound of a range without a unit ("2-3 mois") takes the next one's."""
    found = dict(aged)
    for parts in cut.parts.values():
        for part, following in reversed(list(pairwise(parts))):
            if part in found and following in found and context.text(part).strip().isdecimal():
                found[part] = replace(found[part], unit=found[following].unit)
    return found


def _whole(meant: Expression | Relative) -> date | None:
    """Return the day of an expression with day, month and a year of four digits; None for another."""
    if not isinstance(meant, Expression) or meant.unit is not Unit.DAY or not meant.month or (meant.year or 0) < 100:
        return None
    return resolving.place_date(meant, _NO_ANCHOR).first


def _dated(meant: Expression | Relative, anchor: date) -> date | None:
    """Return the day of an expression with day and month, near `anchor` without a year; None for another."""
    if isinstance(meant, Relative) or meant.unit is not Unit.DAY or not meant.month or not meant.day:
        return None
    return _whole(meant) or (None if meant.year else resolving.place_date(meant, anchor).first)


def _says_birth(context: DocumentContext, mention: Mention) -> bool:
    """Return whether the words ahead of a mention announce a birth date, be places or a birth name told between."""
    if _BORN.search(context.plain_before(mention)) is not None:
        return True
    at = bisect_left(context.mentions, mention)
    for told in reversed(context.mentions[max(0, at - _BIRTH_WORDS) : at]):
        if not _BEHIND_BIRTH.fullmatch(context.plain[told.end : mention.start]):
            return False
        ahead = context.plain_before(told)
        if told.label in NAMES:
            return _BORN_AS.search(ahead) is not None
        if told.label not in PLACES:
            return False
        if _BORN_AT.search(ahead) is not None:
            return True
        mention = told
    return False


def _written_birth(
    context: DocumentContext, said: Mapping[Mention, Expression | Relative], anchor: date
) -> date | None:
    """Return the birth date in the text; a year of two digits is the last such year up to the document's."""
    for mention, meant in said.items():
        if not isinstance(meant, Expression) or not _says_birth(context, mention):
            continue
        if meant.year is not None and meant.year < 100 and meant.month and anchor != _NO_ANCHOR:
            turn = anchor.year - (anchor.year - meant.year) % 100
            meant = meant._replace(year=turn)
        if (day := _whole(meant)) is not None:
            return day
    return None


def _agreeing_birth(
    context: DocumentContext, said: Mapping[Mention, Expression | Relative], aged: Mapping[Mention, Age], anchor: date
) -> date | None:
    """Return the birth by a header, a year or a NIR on which the patient's age in the text is right, or None.

    It is a date beside the patient's name or age, an end of the year of birth, or of the month in a NIR.
    """
    ages_told = {age.value for one, age in aged.items() if (age.unit, age.step) == (Unit.YEAR, 1)
                 and not is_of_another(context, one)}  # fmt: skip
    beside = ((day, day) for day in _beside_identity(context, said)) if ages_told else ()
    for first, last in chain(beside, _born_within(context, said)):
        for day in (first, last):
            if ages_told and day <= anchor and age_at(day, anchor, Unit.YEAR) in ages_told:
                return day
    return None


def _beside_identity(context: DocumentContext, said: Mapping[Mention, Expression | Relative]) -> Iterator[date]:
    """Yield the whole dates beside the patient's name or age, as in a header: "64 ans (22/09/1955)"."""
    mentions = context.mentions
    for mention, meant in said.items():
        if (day := _whole(meant)) is None or is_of_another(context, mention):
            continue
        at = bisect_left(mentions, mention)
        for one in mentions[max(0, at - 1) : at + 2]:
            gap = slice(min(one.end, mention.end), max(one.start, mention.start))
            told = one.label is Label.AGE or (one.label is Label.PATIENT and one.end <= mention.start)
            if told and _BESIDE_IDENTITY.fullmatch(context.plain[gap]):
                yield day
                break


def _born_within(
    context: DocumentContext, said: Mapping[Mention, Expression | Relative]
) -> Iterator[tuple[date, date]]:
    """Yield the first and last day of each year that the text announces as one of birth, and of months in NIRs."""
    for mention, meant in said.items():
        if not isinstance(meant, Expression) or meant.unit is not Unit.YEAR or (year := meant.year or 0) < 100:
            continue
        if _says_birth(context, mention) and not is_of_another(context, mention):
            yield date(year, 1, 1), date(year, 12, 31)
    for mention in context.labelled(Label.NIR):
        if (number := _NIR.match(context.text(mention))) and not is_of_another(context, mention):
            for century in (1900, 2000):
                month = Instant(Unit.MONTH, (century + int(number["year"])) * 12 + int(number["month"]) - 1)
                yield month.first, month.last


def _latest(context: DocumentContext, said: Mapping[Mention, Expression | Relative]) -> date | None:
    days = [day for mention, meant in said.items() if (day := _whole(meant)) and not _says_birth(context, mention)]
    if days:
        return max(days)
    years = [m.year for m in said.values() if isinstance(m, Expression) and m.year is not None and m.year >= 100]
    return date(max(years), 12, 31) if years else None


def _placed(
    context: DocumentContext, said: dict[Mention, Expression | Relative], anchor: date, birth: date | None
) -> dict[Mention, Instant]:
    """Place mentions on the calendar, the last first, since a bound without month or year takes the next one's.

    "mar 13" (Tuesday 13 or March 2013) is settled on the way, in `said` too.
    """
    placed: dict[Mention, Instant] = {}
    following: tuple[Mention, Expression | Relative] | None = None
    bound: tuple[Mention, Instant] | None = None
    in_order = [*said]
    together = _told_together(context, said, anchor, birth)
    for at, (mention, written) in reversed([*enumerate(said.items())]):
        meant = written
        if isinstance(meant, Relative):
            instant = resolving.place_relative(meant, anchor)
        else:
            if meant.march is not None:
                meant = said[mention] = _settled(context, mention, meant, following, anchor)
            ahead = _near(in_order, at, mention)
            since = together.get(mention) or _told_before(context, said, ahead, mention, anchor, birth)
            partner = _partner(context, mention, bound)
            if since is None and partner is None:
                since = _of_list(context, said, in_order[max(0, at - _NEAR) : at + 1], anchor)
            instant = resolving.place_date(meant, anchor, birth, partner, since)
        following = mention, meant
        if clamped(instant.unit, instant.index) != instant.index:
            continue  # "il y a 2000 ans": no document of a hospital speaks of that time
        placed[mention] = instant
        if not isinstance(meant, Relative):
            bound = mention, instant
    return placed


def _told_together(
    context: DocumentContext, said: Mapping[Mention, Expression | Relative], anchor: date, birth: date | None
) -> dict[Mention, date]:
    """Return the days of runs that would come to lie a year apart, each placed by itself.

    In October "28/12 : chute, 02/01 : drainage" are of one winter, past or to come.
    """
    found: dict[Mention, date] = {}
    for run in _runs(context, said, birth):
        told = [meant for one in run if isinstance(meant := said[one], Expression)]
        apart = [_whole(one) or resolving.place_date(one, anchor).first for one in told]
        if any(abs(day - before) > resolving.CLOSE for before, day in pairwise(apart)):
            found |= zip(run, resolving.place_together(told, anchor), strict=True)
    return found


def _runs(
    context: DocumentContext, said: Mapping[Mention, Expression | Relative], birth: date | None
) -> Iterator[list[Mention]]:
    """Yield the longest runs of dates, two at least, of which each goes on with the one ahead."""
    run: list[Mention] = []
    for one in said:
        if run and _goes_on(context, said, run[-1], one, birth):
            run.append(one)
            continue
        if len(run) > 1:
            yield run
        run = [one]
    if len(run) > 1:
        yield run


def _goes_on(
    context: DocumentContext,
    said: Mapping[Mention, Expression | Relative],
    one: Mention,
    following: Mention,
    birth: date | None,
) -> bool:
    """Return whether a day without a year is told just behind one near it in the calendar, both done or both planned.

    A day with its year is of the same sentence, and no birth date.
    """
    told, meant = said[one], said[following]
    if isinstance(told, Relative) or isinstance(meant, Relative) or not resolving.are_close(told, meant):
        return False
    if told.year is not None:
        day = _whole(told)
        known = day is not None and day != birth and not _says_birth(context, one)
        return known and are_of_one_sentence(context, one, following)
    near = 0 <= following.start - one.end <= _SENTENCE_REACH
    return near and told.weekday is None and not told.this_month and told.planned is meant.planned


def _partner(context: DocumentContext, mention: Mention, bound: tuple[Mention, Instant] | None) -> date | None:
    """Return a day of the next date if it is the other bound of a range, else None."""
    if bound is None or bound[1].unit not in _BOUNDED or not are_bounds(context, mention, bound[0]):
        return None
    return bound[1].first


def _of_list(
    context: DocumentContext, said: Mapping[Mention, Expression | Relative], in_order: Sequence[Mention], anchor: date
) -> date | None:
    """Return the first day of a list of days without a month that ends with the last mention; None for another."""
    first = last = in_order[-1]
    for one in reversed(in_order):
        told = said[one]
        if not isinstance(told, Expression) or not resolving.is_bare_day(told):
            break
        if one is not last and not are_bounds(context, one, first):
            break
        first = one
    meant = said[first]
    return resolving.place_date(meant, anchor).first if first is not last and isinstance(meant, Expression) else None


def _near(in_order: Sequence[Mention], at: int, mention: Mention) -> Iterator[Mention]:
    """Yield the mentions ahead of the one at `at` within reach of its sentence, the nearest first."""
    return takewhile(
        lambda one: mention.start - one.end <= _SENTENCE_REACH, reversed(in_order[max(0, at - _NEAR) : at])
    )


def _told_before(
    context: DocumentContext,
    said: Mapping[Mention, Expression | Relative],
    ahead: Iterable[Mention],
    mention: Mention,
    anchor: date,
    birth: date | None,
) -> date | None:
    """Return the last day and month before a mention in its sentence, if at least 62 days before the anchor.

    A day without a month goes on from a later one too (`_goes_on_from`).
    None for a birth date, or a day that closes a bracket ("Mme N (21 juin 1967), vue le 3 octobre").
    """
    told = ((one, day) for one in ahead if one.end <= mention.start and (day := _dated(said[one], anchor)) is not None)
    last = next(told, None)
    if last is None or last[1] == birth or _says_birth(context, last[0]):
        return None
    between = context.document.text[last[0].end : mention.start]
    if anchor - last[1] < _PAST and not _goes_on_from(said[mention], last[1], between, anchor):
        return None
    return last[1] if are_of_one_sentence(context, last[0], mention) else None


def _goes_on_from(meant: Expression | Relative, day: date, between: str, anchor: date) -> bool:
    """Return whether a day without a month is of the one to come told ahead, or past with it though a later is nearer.

    "Sortie le 2 janvier, ablation des fils le 9", "toux le 2 décembre, fièvre le 10": of January, of December.
    """
    if isinstance(meant, Relative) or not resolving.is_bare_day(meant):
        return False
    if day > anchor:
        return _DONE.search(between) is None
    by_itself, behind = (resolving.place_date(meant, anchor, since=since).first for since in (None, day))
    return not meant.planned and behind <= anchor < by_itself


def _settled(
    context: DocumentContext,
    mention: Mention,
    meant: Expression,
    following: tuple[Mention, Expression | Relative] | None,
    anchor: date,
) -> Expression:
    """Settle "mar 13" as Tuesday 13 or March 2013.

    The word ahead settles it ("en" stands before no Tuesday, "le" before no March), else the other bound of its range,
    else the dates of the document (`resolving.is_march`).
    """
    word = agreement.ahead(context, mention)
    if word in _AHEAD_OF_MARCH or word in _AHEAD_OF_A_DAY:
        march = word in _AHEAD_OF_MARCH
    elif following is not None and are_bounds(context, mention, following[0]):
        march = following[1].unit is Unit.MONTH
    else:
        march = resolving.is_march(meant, anchor)
    return meant.march if march and meant.march is not None else meant._replace(march=None)


def are_bounds(context: DocumentContext, mention: Mention, following: Mention) -> bool:
    """Return whether two mentions are the bounds of one range, or items of one list."""
    if following.start - mention.end > _BOUNDS_REACH:
        return False
    return _BETWEEN_BOUNDS.fullmatch(context.plain[mention.end : following.start]) is not None


def are_of_one_sentence(context: DocumentContext, mention: Mention, following: Mention) -> bool:
    """Return whether a reader gives a date's month to a day behind it in its sentence."""
    between = context.document.text[mention.end : following.start]
    return len(between) <= _SENTENCE_REACH and not (_ASIDE.match(between) or _SENTENCE_ENDS.search(between))


def are_beside(context: DocumentContext, mention: Mention, following: Mention) -> bool:
    """Return whether only a preposition or a sign parts two mentions, so that they may be one time said twice."""
    if following.start - mention.end > _BESIDE_REACH:
        return False
    return _BESIDE.fullmatch(context.plain[mention.end : following.start]) is not None


def length_ahead(context: DocumentContext, mention: Mention, since: int) -> Relative | None:
    """Return the length behind `since` that the words ahead of a date say it ends, as if counted from the document."""
    found = _LENGTH_AHEAD.search(context.plain, max(0, mention.start - _LENGTH_REACH), mention.start)
    return relative.parse_relative(found["length"]) if found and found.start() >= since else None


def day_of_pregnancy(context: DocumentContext, mention: Mention) -> str | None:
    """Return the day of a pregnancy (period, conception, term) named by the words ahead of a mention, or None."""
    found = _PREGNANCY.search(context.plain_before(mention, _PREGNANCY_REACH))
    return None if found is None else found.lastgroup


def _births(context: DocumentContext, instants: Mapping[Mention, Instant], birth: date | None) -> frozenset[Mention]:
    """Return the mentions of the birth date, and those of its year that the words ahead announce as such."""
    if birth is None:
        return frozenset()
    day, year = Instant(Unit.DAY, birth.toordinal()), Instant(Unit.YEAR, birth.year)
    if day not in (told := instants.values()) and year not in told:
        return frozenset()
    return frozenset(
        [mention for mention, one in instants.items() if one == day or (one == year and _says_birth(context, mention))]
    )


def _is_birthday(
    context: DocumentContext, meant: Expression | Relative, mention: Mention, instant: Instant, birth: date
) -> bool:
    """Return whether the words around a mention call it a birthday, and the patient's birth was on such a day.

    Of a span longer than a season that says nothing: each year has a birthday.
    """
    if (isinstance(meant, Expression) and not meant.day) or DAYS_OF[instant.unit] > DAYS_OF[Unit.SEASON]:
        return False
    days = (add_years(birth, year - birth.year) for year in (instant.first.year, instant.last.year))
    if instant.first == birth or not any(instant.first <= day <= instant.last for day in days):
        return False
    behind = context.plain[mention.end : mention.end + _BIRTHDAY_REACH]
    ahead = context.plain_before(mention, _BIRTHDAY_REACH)
    if isinstance(meant, Relative) and instant.unit is Unit.DAY and _TURNS.search(ahead):
        return _NO_TURN.match(context.plain, mention.start) is None
    around = f"{ahead}¤{behind}"
    return bool(_BIRTHDAY.search(around) or (instant.unit is Unit.DAY and _DAY_OF_YEARS.search(around)))


def _is_own(age: Age, birth: date, anchor: date) -> bool:
    linked = 0 if age.unit is Unit.DECADE else _LINKED
    return abs(age.value // age.step - age_at(birth, anchor, age.unit)) <= linked


def weekday_of(said: Expression | Relative | None) -> int | None:
    """Return the weekday written in a mention, 0 on Monday; None without one."""
    if isinstance(said, Relative):
        return said.named if said.unit is Unit.DAY else None
    return said.weekday if said is not None else None
