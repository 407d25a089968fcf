"""Estimate of leaking documents in an interval from its sample, in figures and in words; agreement of two readers.

Bounds are those of `deid.reviews.bounds`; agreement on leaking documents is Cohen's kappa (Cohen 1960, Educational and
Psychological Measurement 20, 37-46).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from deid.domain.wording import read_wording
from deid.reports.numbers import Writer
from deid.reviews.bounds import Found, fewest_leaking, least_detection, most_leaking, sample_size
from deid.reviews.marks import ErrorKind, Mark, merge_marks
from deid.reviews.progress import OpenedReview, Sampled, count_sentinels

NO_SENTINELS = Found(0, 0)
_WORDS: Mapping[str, Mapping[str, str]] = read_wording("estimates")
FEW = 1000  # a population of at most this size is given unrounded


@dataclass(frozen=True, slots=True)
class Mentions:
    """Counts of mentions judged by readers, without a bound: mentions of one document are not independent."""

    replaced: int
    missed: int
    wrong_label: int
    not_identifying: int

    @property
    def missed_share(self) -> float | None:
        """Share of missed mentions among identifying mentions; None if there are none."""
        identifying = self.replaced - self.not_identifying + self.missed
        return self.missed / identifying if identifying > 0 else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimate for `population` documents, of which `read` were read and `leaking` leak.

    At most `at_most` documents leak, at `confidence` (one-sided); between `interval[0]` and `interval[1]` at the same
    two-sided confidence. Both hold whenever reading stops, and after a sample was enlarged. `sentinels` found in the
    documents read correct the upper bounds. `provisional`: sentinels are still hidden, and a mark on one counts as a
    leak.
    """

    population: int
    read: int
    leaking: int
    confidence: float
    target: float
    at_most: int
    interval: tuple[int, int]
    mentions: Mentions
    sentinels: Found = NO_SENTINELS
    provisional: bool = False

    @property
    def detection(self) -> float | None:
        """The share of leaking documents that the bound supposes to be noticed, at least; None without sentinels."""
        return least_detection(self.sentinels, (1 + self.confidence) / 2) if self.sentinels.planted else None

    @property
    def upper(self) -> Fraction:
        """The one-sided bound as a share of the population."""
        return Fraction(self.at_most, self.population)

    @property
    def reached(self) -> bool:
        """True if the bound is at most the target of the review."""
        return float(self.upper) <= self.target

    @property
    def whole(self) -> bool:
        """True if every document was read, by readers who are taken to see all: nothing is estimated then."""
        return self.read == self.population and not self.sentinels.planted


def estimate_leaks(review: OpenedReview, sampled: Sequence[Sampled]) -> Estimate | None:
    """Return the estimate so far; None before the first finished reading.

    A document counts once its required readings are finished. A document with a mark of a missed passage counts at once
    and as leaking, before its other readings: the estimate is never better than the marks.
    """
    counted = [one for one in sampled if _counts(review, one)]
    if not counted:
        return None
    population = _population(review, sampled)
    read, leaking = len(counted), sum(one.leaks for one in counted)
    two_sided = 1 - (1 - review.confidence) / 2
    sentinels = count_sentinels(counted)
    return Estimate(
        population=population,
        read=read,
        leaking=leaking,
        confidence=review.confidence,
        target=review.target,
        at_most=most_leaking(leaking, read, population, review.confidence, sentinels),
        interval=(
            fewest_leaking(leaking, read, population, two_sided),
            most_leaking(leaking, read, population, two_sided, sentinels),
        ),
        mentions=_count_mentions(counted),
        sentinels=sentinels,
        provisional=_hides(review, sampled),
    )


class Outlook(StrEnum):
    """Answer to whether a review reaches, or can still reach, its target."""

    REACHED = "reached"  # the bound is at most the target
    READ_ON = "read_on"  # the sample, read to its end without another leak, will show it
    TOO_SMALL = "too_small"  # only a larger sample can
    NEVER = "never"  # no sample can: too much leaks, or everything was read


def foresee(review: OpenedReview, sampled: Sequence[Sampled]) -> tuple[Outlook, int]:
    """Return the outlook of a review, and the sample that its target needs if no further document leaks."""
    found = estimate_leaks(review, sampled)
    leaking = found.leaking if found else 0
    if _hides(review, sampled):
        return Outlook.READ_ON, review.sample
    if found is not None and found.reached:
        return Outlook.REACHED, review.sample
    population = _population(review, sampled)
    if leaking > int(review.target * population) or population == (found.read if found else 0):
        return Outlook.NEVER, review.sample
    missed = found.sentinels.planted - found.sentinels.found if found else 0
    needed = sample_size(
        *(review.target, review.confidence, population), leaking=leaking, missed=missed, sentinels=review.sentinels
    )
    lost = sum(not one.readable and not _counts(review, one) for one in sampled)
    if needed <= review.sample - lost:
        return Outlook.READ_ON, review.sample
    sample = min(needed + lost, review.population)
    return (Outlook.TOO_SMALL if sample > review.sample else Outlook.NEVER), sample


def _population(review: OpenedReview, sampled: Sequence[Sampled]) -> int:
    """Return the number of documents that an estimate is about: a document withdrawn unread is no longer one."""
    return review.population - sum(one.withdrawn and not _counts(review, one) for one in sampled)


def _hides(review: OpenedReview, sampled: Sequence[Sampled]) -> bool:
    """Return whether sentinels may be hidden: the sample is not read to its end."""
    unread = any(one.readable and len(one.readers) < review.readings for one in sampled)
    return review.sentinels > 0 and not review.closed and unread


def _counts(review: OpenedReview, one: Sampled) -> bool:
    return len(one.readers) >= review.readings or one.leaks


def _count_mentions(counted: Sequence[Sampled]) -> Mentions:
    marks = merge_marks(mark for one in counted for mark in one.marks if mark.stands)
    of = {kind: sum(mark.kind is kind for mark in marks) for kind in ErrorKind}
    replaced = sum(one.surrogates for one in counted)
    return Mentions(replaced, of[ErrorKind.MISSED], of[ErrorKind.WRONG_LABEL], of[ErrorKind.NOT_IDENTIFYING])


def bound_in_words(found: Estimate, lang: str) -> str:
    """Return the one-sided bound in words, rounded up: « au plus 3 documents sur 1 000, à 95 % »."""
    some, of = (found.at_most, found.population) if found.population <= FEW else _rounded_up(found.upper)
    key = "several" if some > 1 else "one" if some else "none"
    if found.whole:
        key, some, of = "whole" if found.leaking else "whole_none", found.leaking, found.population
    return _in_words(found, lang, key, some=some, of=of)


def interval_in_words(found: Estimate, lang: str) -> str:
    """Return the two-sided interval in words, in documents of the population."""
    low, high = found.interval
    return _in_words(found, lang, "interval", low=low, high=high, of=found.population)


def _in_words(found: Estimate, lang: str, key: str, **counts: int) -> str:
    w = Writer(lang)
    shown = {name: w.plain(count) for name, count in counts.items()}
    return _WORDS[lang][key].format(level=_percent(found.confidence, lang), **shown)


def _rounded_up(share: Fraction) -> tuple[int, int]:
    """Return a share as a count in a power of ten, rounded up: (3, 1000), not 0.3 in 100."""
    of = 100
    while share * of < 3 and of < 1_000_000:
        of *= 10
    return -(-share.numerator * of // share.denominator), of


def _percent(share: float, lang: str) -> str:
    """Return a level of confidence in per cent, rounded down."""
    tenths = int(Fraction(str(share)) * 1000)
    digits = 0 if tenths % 10 == 0 else 1
    return Writer(lang).percent(tenths / 1000, digits)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two readings of `documents` documents.

    `both`, `one` and `none` count the documents in which two, one or no reader marked a missed passage. `kappa` is
    Cohen's κ of these answers; None if all answers are equal. `passages` is the share of marks with an overlapping
    mark of the other reader of the same kind and label; None without marks.
    """

    documents: int
    both: int
    one: int
    none: int
    kappa: float | None
    passages: float | None
    marks: int


def measure_agreement(sampled: Sequence[Sampled]) -> Agreement | None:
    """Return the agreement on the documents with two finished readings; None if there are none.

    Each reader's own marks count, before any verdict. Of more than two readers, the first two by name count.
    """
    pairs = [_marks_of_two(one) for one in sampled if len(one.readers) >= 2]
    if not pairs:
        return None
    table = [(_any_missed(first), _any_missed(second)) for first, second in pairs]
    both, none = table.count((True, True)), table.count((False, False))
    marks = sum(len(first) + len(second) for first, second in pairs)
    shared = sum(_count_shared(first, second) + _count_shared(second, first) for first, second in pairs)
    return Agreement(
        documents=len(pairs),
        both=both,
        one=len(pairs) - both - none,
        none=none,
        kappa=cohen_kappa(table),
        passages=shared / marks if marks else None,
        marks=marks,
    )


def cohen_kappa(answers: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's κ of two raters' yes or no answers; None if expected agreement is 1."""
    total = len(answers)
    if not total:
        return None
    observed = sum(first == second for first, second in answers) / total
    first_yes, second_yes = (sum(answer[rater] for answer in answers) / total for rater in (0, 1))
    expected = first_yes * second_yes + (1 - first_yes) * (1 - second_yes)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _marks_of_two(one: Sampled) -> tuple[list[Mark], list[Mark]]:
    first, second = one.readers[:2]
    return [m for m in one.marks if m.reader == first], [m for m in one.marks if m.reader == second]


def _any_missed(marks: Sequence[Mark]) -> bool:
    return any(mark.kind is ErrorKind.MISSED for mark in marks)


def _count_shared(marks: Sequence[Mark], others: Sequence[Mark]) -> int:
    return sum(any(mark.agrees(other) for other in others) for mark in marks)
