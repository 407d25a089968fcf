"""Estimate of leaking documents in an interval from its sample, in figures and in words; agreement of two readers.

Bounds are exact (`deid.reviews.estimate`); agreement on leaking documents is Cohen's kappa (Cohen 1960, Educational and
Psychological Measurement 20, 37-46).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from deid.reports.numbers import Writer
from deid.reviews.marks import ErrorKind, Mark, merge_marks
from deid.reviews.progress import OpenedReview, Sampled

NBSP = "\u00a0"
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
    two-sided confidence.
    """

    population: int
    read: int
    leaking: int
    confidence: float
    target: float
    at_most: int
    interval: tuple[int, int]
    mentions: Mentions

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
        """True if every document was read: nothing is estimated then."""
        return self.read == self.population


def estimate_leaks(review: OpenedReview, sampled: Sequence[Sampled]) -> Estimate | None:
    """Return the estimate so far; None before the first finished reading.

    A document counts once its required readings are finished. A document with a mark of a missed passage counts at once
    and as leaking, before its other readings: the estimate is never better than the marks.
    """
    counted = [one for one in sampled if len(one.readers) >= review.readings or one.leaks]
    if not counted:
        return None
    read, leaking = len(counted), sum(one.leaks for one in counted)
    two_sided = 1 - (1 - review.confidence) / 2
    return Estimate(
        population=review.population,
        read=read,
        leaking=leaking,
        confidence=review.confidence,
        target=review.target,
        at_most=most_leaking(leaking, read, review.population, review.confidence),
        interval=(
            fewest_leaking(leaking, read, review.population, two_sided),
            most_leaking(leaking, read, review.population, two_sided),
        ),
        mentions=_count_mentions(counted),
    )


def _count_mentions(counted: Sequence[Sampled]) -> Mentions:
    marks = merge_marks(mark for one in counted for mark in one.marks if mark.stands)
    of = {kind: sum(mark.kind is kind for mark in marks) for kind in ErrorKind}
    replaced = sum(one.surrogates for one in counted)
    return Mentions(replaced, of[ErrorKind.MISSED], of[ErrorKind.WRONG_LABEL], of[ErrorKind.NOT_IDENTIFYING])


def bound_in_words(found: Estimate, lang: str) -> str:
    """Return the one-sided bound in words, rounded up: « au plus 3 documents sur 1 000, à 95 % »."""
    if found.whole:
        return _count_in_words(found, lang)
    w, level = Writer(lang), _percent(found.confidence, lang)
    if not found.at_most:
        return f"aucun document, à {level}" if lang == "fr" else f"no document, with {level} confidence"
    some, of = (found.at_most, found.population) if found.population <= FEW else _rounded_up(found.upper)
    documents = "document" if some == 1 else "documents"
    if lang == "fr":
        return f"au plus {w.plain(some)}{NBSP}{documents} sur {w.plain(of)}, à {level}"
    return f"at most {w.plain(some)}{NBSP}{documents} in {w.plain(of)}, with {level} confidence"


def interval_in_words(found: Estimate, lang: str) -> str:
    """Return the two-sided interval in words, in documents of the population."""
    w, (low, high) = Writer(lang), found.interval
    level = _percent(found.confidence, lang)
    if lang == "fr":
        return f"entre {w.plain(low)} et {w.plain(high)} des {w.plain(found.population)} documents, à {level}"
    every = w.plain(found.population)
    return f"between {w.plain(low)} and {w.plain(high)} of the {every} documents, with {level} confidence"


def _count_in_words(found: Estimate, lang: str) -> str:
    w = Writer(lang)
    some, every = w.plain(found.leaking), w.plain(found.population)
    if lang == "fr":
        if not found.leaking:
            return f"aucun des {every}{NBSP}documents, tous lus"
        return f"{some} des {every}{NBSP}documents, tous lus"
    return f"{some if found.leaking else 'none'} of the {every}{NBSP}documents, all of them read"


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


# Exact bounds (Clopper & Pearson 1934, Biometrika 26). Without a population, each document leaks with one unknown
# probability (binomial). With a population, the sample is drawn without replacement, and the bound is on the number of
# leaking documents (hypergeometric). The true value is above the bound in at most 1 − confidence of all samples.
def upper_bound(leaking: int, read: int, confidence: float) -> float:
    """Return the one-sided upper bound on the probability of a leak, given `leaking` of `read` documents.

    Raises:
        ValueError: unless 0 <= leaking <= read.
    """
    _check_counts(leaking, read, read)
    if leaking == read:
        return 1.0
    from scipy.stats import beta

    return float(beta.ppf(confidence, leaking + 1, read - leaking))


def most_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """Return the one-sided upper bound on the number of leaking documents in `population`.

    Raises:
        ValueError: unless 0 <= leaking <= read <= population.
    """
    _check_counts(leaking, read, population)
    from scipy.stats import hypergeom

    def plausible(leaks: int) -> bool:
        return bool(hypergeom.cdf(leaking, population, leaks, read) >= 1 - confidence)

    return _last_where(plausible, leaking, population - (read - leaking))


def fewest_leaking(leaking: int, read: int, population: int, confidence: float) -> int:
    """Return the one-sided lower bound on the number of leaking documents in `population`.

    Raises:
        ValueError: unless 0 <= leaking <= read <= population.
    """
    return population - most_leaking(read - leaking, read, population, confidence)


def sample_size(target: float, confidence: float, *, tolerated: int = 0, population: int | None = None) -> int:
    """Return the smallest sample whose upper bound is at most `target` with `tolerated` leaking documents.

    With a population, the whole of it if no smaller sample suffices.
    """
    if population is not None:
        size = population
        allowed = int(target * population)

        def too_few(read: int) -> bool:
            return most_leaking(min(tolerated, read), read, size, confidence) > allowed

        return 1 if not too_few(1) else min(population, _last_where(too_few, 1, population) + 1)
    ceiling = tolerated + 1
    while upper_bound(tolerated, ceiling, confidence) > target:
        ceiling *= 2
    return _last_where(lambda read: upper_bound(tolerated, read, confidence) > target, tolerated, ceiling) + 1


def _last_where(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the largest value of [low, high] for which `holds`, a predicate true for `low` and then monotone."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _check_counts(leaking: int, read: int, population: int) -> None:
    if not 0 <= leaking <= read <= population:
        raise ValueError("a bound needs 0 <= leaking <= read <= population")
