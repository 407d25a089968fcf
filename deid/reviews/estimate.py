"""What the documents read so far say of the whole interval: how many may leak at most, in figures and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from deid.reports.numbers import Writer
from deid.reviews.bounds import fewest_leaking, most_leaking
from deid.reviews.marks import merged
from deid.reviews.places import Kind
from deid.reviews.progress import Review, Sampled

NBSP = "\u00a0"
FEW = 1000  # a population of at most so many is named as it is


@dataclass(frozen=True, slots=True)
class Mentions:
    """What readers saw of single mentions. No bound is given: those of one document are not independent."""

    replaced: int
    missed: int
    wrong_label: int
    not_identifying: int

    @property
    def missed_share(self) -> float | None:
        """Missed ones among all that identify somebody; None where there is none."""
        identifying = self.replaced - self.not_identifying + self.missed
        return self.missed / identifying if identifying > 0 else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a sample says of `population` documents, of which `read` were read and `leaking` leak.

    `at_most` documents leak, at `confidence` (one-sided); between `interval[0]` and `interval[1]`, at the same
    confidence, two-sided.
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
        """Whether the bound is what the review was opened to show."""
        return float(self.upper) <= self.target

    @property
    def whole(self) -> bool:
        """Whether every document was read: then nothing is estimated."""
        return self.read == self.population


def estimate(review: Review, sampled: Sequence[Sampled]) -> Estimate | None:
    """What the sample says so far; None as long as nobody has finished a document.

    A document counts once as many people as wanted have read it; one in which something missed is marked counts at once
    and as leaking, whoever else has still to read it: the estimate is never better than what was seen.
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
        mentions=_mentions(counted),
    )


def _mentions(counted: Sequence[Sampled]) -> Mentions:
    marks = merged(mark for one in counted for mark in one.marks if mark.stands)
    of = {kind: sum(mark.kind is kind for mark in marks) for kind in Kind}
    replaced = sum(one.surrogates for one in counted)
    return Mentions(replaced, of[Kind.MISSED], of[Kind.WRONG_LABEL], of[Kind.NOT_IDENTIFYING])


def in_words(found: Estimate, lang: str) -> str:
    """The one-sided bound as a person says it: « au plus 3 documents sur 1 000, à 95 % »; never less than it is."""
    if found.whole:
        return _counted(found, lang)
    w, level = Writer(lang), _percent(found.confidence, lang)
    if not found.at_most:
        return f"aucun document, à {level}" if lang == "fr" else f"no document, with {level} confidence"
    some, of = (found.at_most, found.population) if found.population <= FEW else _rounded_up(found.upper)
    documents = "document" if some == 1 else "documents"
    if lang == "fr":
        return f"au plus {w.plain(some)}{NBSP}{documents} sur {w.plain(of)}, à {level}"
    return f"at most {w.plain(some)}{NBSP}{documents} in {w.plain(of)}, with {level} confidence"


def interval_in_words(found: Estimate, lang: str) -> str:
    """The two-sided interval in documents of the population."""
    w, (low, high) = Writer(lang), found.interval
    level = _percent(found.confidence, lang)
    if lang == "fr":
        return f"entre {w.plain(low)} et {w.plain(high)} des {w.plain(found.population)} documents, à {level}"
    every = w.plain(found.population)
    return f"between {w.plain(low)} and {w.plain(high)} of the {every} documents, with {level} confidence"


def _counted(found: Estimate, lang: str) -> str:
    w = Writer(lang)
    some, every = w.plain(found.leaking), w.plain(found.population)
    if lang == "fr":
        if not found.leaking:
            return f"aucun des {every}{NBSP}documents, tous lus"
        return f"{some} des {every}{NBSP}documents, tous lus"
    return f"{some if found.leaking else 'none'} of the {every}{NBSP}documents, all of them read"


def _rounded_up(share: Fraction) -> tuple[int, int]:
    """A share as so many in a round number, never less than it is: three in 1,000, not 0.3 in 100."""
    of = 100
    while share * of < 3 and of < 1_000_000:
        of *= 10
    return -(-share.numerator * of // share.denominator), of


def _percent(share: float, lang: str) -> str:
    """A level of confidence, never shown higher than it is."""
    tenths = int(Fraction(str(share)) * 1000)
    digits = 0 if tenths % 10 == 0 else 1
    return Writer(lang).percent(tenths / 1000, digits)
