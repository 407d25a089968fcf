"""Strategy `generalise`: dates and ages said with less detail, nothing drawn; never in the words of the original."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import MONTHS
from deid.french.folding import comparable, sentence_case_of
from deid.substitution.context import DocumentContext
from deid.substitution.temporal import agreement, births
from deid.substitution.temporal.ages import Age
from deid.substitution.temporal.forms import Expression
from deid.substitution.temporal.normalisation import NormalisedTimes
from deid.substitution.temporal.relative import Relative
from deid.substitution.temporal.timeline import Timeline
from deid.substitution.temporal.values import Instant, Unit, index_of

MECHANISM = "generalise"
_WORD = re.compile(r"(?![IVX]+\b)[^\W\d_]{3,}")  # a month in Roman figures is no word
_BAND = re.compile(r"(\d+)-(\d+) ans")
_DAYS = frozenset({Unit.DAY, Unit.WEEK})
_WITHIN_A_YEAR = frozenset({Unit.MONTH, Unit.QUARTER, Unit.SEASON, Unit.SEMESTER})
# What may stand for a distance of so many days, from the finest to the coarsest.
_PAST = (
    (7, "ces derniers jours"), (31, "ces dernières semaines"), (365, "ces derniers mois"),
    (4 * 365, "ces dernières années"), (7 * 365, "il y a plusieurs années"), (15 * 365, "il y a une dizaine d'années"),
    (25 * 365, "il y a une vingtaine d'années"), (35 * 365, "il y a une trentaine d'années"),
    (45 * 365, "il y a une quarantaine d'années"), (55 * 365, "il y a une cinquantaine d'années"),
    (10**6, "il y a plus de cinquante ans"),
)  # fmt: skip
_TO_COME = (
    (7, "dans les prochains jours"), (31, "dans les prochaines semaines"), (365, "dans les prochains mois"),
    (4 * 365, "dans les prochaines années"), (10**6, "dans plusieurs années"),
)  # fmt: skip
_NOW = ((1, "cette semaine"), (7, "ce mois-ci"), (31, "cette année"), (10**6, "ces dernières années"))
# A phrase is no finer than what reaches so far: that is longer than the unit of the mention.
_REACH = {Unit.DAY: 1, Unit.WEEK: 8, Unit.MONTH: 32, Unit.QUARTER: 32, Unit.SEASON: 32, Unit.SEMESTER: 32}


def timeline(context: DocumentContext, normalised: NormalisedTimes) -> Timeline:
    """Return a timeline with the document's own date at the middle of its month or year, and nothing else moved."""
    unit = Unit.MONTH if context.policy.dates.granularity == "month" else Unit.YEAR
    return Timeline(normalised.anchor, Instant(unit, index_of(unit, normalised.anchor)).middle, normalised.birth)


def date_text(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> str | None:
    """Return a DATE or RELDATE with less detail; None if nothing coarser can be said.

    A day becomes its month or year (`granularity`), a longer unit the next coarser one: a month its year, a year its
    decade. A distance ("il y a 10 jours") becomes a vague one. A date since the birth and more than the top-coded age
    before the document becomes "avant" the year after that limit. No ε bounds any of this: two documents with dates in
    the same units have the same surrogates, others do not. The text agrees with the words ahead; a date among several
    of a mention is left to `joined`.
    """
    original = context.text(mention)
    said, instant = normalised.said[mention], normalised.instants[mention]
    eldest = births.first_told_day(context, normalised.anchor)
    candidates: Iterator[str]
    if normalised.birth is not None and normalised.birth <= instant.first < eldest:
        candidates = iter((f"avant {eldest.year + 1}",))
    elif isinstance(said, Relative):
        candidates = _distances(instant, normalised.anchor, context.policy.dates.granularity)
    else:
        candidates = _coarser(instant, context.policy.dates.granularity)
    texts = (_agreeing(context, normalised, mention, text) for text in candidates)
    return next((text for text in texts if comparable(text) != comparable(original)), None)


def _agreeing(context: DocumentContext, normalised: NormalisedTimes, mention: Mention, text: str) -> str:
    """Return a candidate in the mention's case, made to agree with the words ahead."""
    if isinstance(normalised.said[mention], Relative):
        return sentence_case_of(context.text(mention), agreement.of_vague(agreement.ahead(context, mention), text))
    if normalised.segments.holds(mention):
        return _cased(context, mention, text)
    return _cased(context, mention, agreement.of_less(_ahead(context, normalised, mention), text))


def _ahead(context: DocumentContext, normalised: NormalisedTimes, mention: Mention) -> str:
    """Return the word ahead of a mention; "ne" for a weekday alone behind a verb ("revient lundi")."""
    said = normalised.said[mention]
    if isinstance(said, Expression) and said.weekday is not None and said.day is None:
        return "ne" if agreement.behind_a_word(context, mention) else agreement.ahead(context, mention)
    return agreement.ahead(context, mention)


def _cased(context: DocumentContext, mention: Mention, text: str) -> str:
    """Return `text` in the case of the mention's first word or, if it has none, of its line."""
    word = next(iter(_WORD.findall(context.text(mention))), None)
    if word is None:
        return text.upper() if context.line_around(mention).isupper() else text
    if word.isupper() or not agreement.ahead(context, mention):
        return sentence_case_of(word, text)
    return text


def _coarser(instant: Instant, granularity: str) -> Iterator[str]:
    middle = instant.middle
    if granularity == "month" and instant.unit in _DAYS:
        yield f"{MONTHS[middle.month - 1]} {middle.year}"
    if instant.unit in _DAYS | _WITHIN_A_YEAR:
        yield str(middle.year)
    if instant.unit is not Unit.DECADE:
        yield f"années {middle.year // 10 * 10}"


def _distances(instant: Instant, anchor: date, granularity: str) -> Iterator[str]:
    """Return the phrases that cover the distance to the anchor, finest first."""
    days = (instant.middle - anchor).days if index_of(instant.unit, anchor) != instant.index else 0
    least = max(abs(days), _REACH.get(instant.unit, 366), 32 if granularity == "year" else 0)
    phrases = _NOW if days == 0 else _PAST if days < 0 else _TO_COME
    return (phrase for reach, phrase in phrases if reach >= least)


def joined(context: DocumentContext, mention: Mention, texts: Sequence[str]) -> str:
    """Return the generalised dates or ages of a mention as one text; a DATE agrees with the words ahead."""
    text = _joined([text.lower() for text in texts] if mention.label is Label.DATE else texts)
    if mention.label is not Label.DATE:
        return text
    return _cased(context, mention, agreement.of_less(agreement.ahead(context, mention), text))


def _joined(texts: Sequence[str]) -> str:
    """Return several generalised dates or ages of a mention as one: "mars-avril 2021", "70-79 ans".

    "12-15 mars 2021" is "mars 2021"; the words between the days ("du … au …") go with them.
    """
    told = list(dict.fromkeys(texts))
    bands = [band for text in told if (band := _BAND.fullmatch(text))]
    if len(bands) == len(told) > 1:
        return f"{min(int(band[1]) for band in bands)}-{max(int(band[2]) for band in bands)} ans"
    dated = [text.rpartition(" ") for text in told]
    if all(text.startswith("années ") for text in told):
        told = told[:1] + [year for _, _, year in dated[1:]]
    elif len({year for _, _, year in dated}) == 1 and all(month and year.isdecimal() for month, _, year in dated):
        told = [month for month, _, _ in dated[:-1]] + told[-1:]
    return "-".join(told) if len(told) < 3 else f"{', '.join(told[:-1])} et {told[-1]}"


def age_text(context: DocumentContext, normalised: NormalisedTimes, mention: Mention, value: int) -> str:
    """Return the band of years that holds `value`, in the mention's unit and step: "70-74 ans", "90 ans et plus".

    An age that only says its decade ("quadragénaire") gets a band of twenty years. The text agrees with the words
    ahead, except for an age among several of a mention.
    """
    age = normalised.ages[mention]
    word = "" if normalised.segments.holds(mention) else agreement.ahead(context, mention)
    top = context.policy.ages.top_code
    width: int = context.policy.ages.band_years
    years = int(Age(age.unit, value, age.kind, age.model, age.step).years)
    if age.unit is Unit.DECADE:
        width = 20
    low = years // width * width
    band = f"{top} ans et plus" if years >= top else f"{low}-{min(low + width, top) - 1} ans"
    return sentence_case_of(context.text(mention), agreement.of_band(word, band))
