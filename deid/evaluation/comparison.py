"""Two detectors on the same annotated documents: figures, bootstrap intervals by document, and the policy's rule.

Every figure is a ratio of counts that add up over documents. The bootstrap (Efron 1979) draws documents with
replacement, the same draws for both detectors, so that the interval of a difference is that of pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from deid.config.policy import Promotion
from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.evaluation.corpus import GoldDocument
from deid.evaluation.scoring import WAYS, Judged, evaluate

DRAWS, SEED = 2000, 2026
_SCHEME = "nocturne"
_TYPES = ("clean", "token_f1", "false")  # figures that are told by type of document too

Array = NDArray[np.float64]
Found = Sequence[Sequence[Mention]]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95 % interval; None where there is nothing to count."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "–"
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Figures of a candidate, of what serves, and of the candidate less what serves.

    Names: `clean` (share of documents that keep no direct identifier), `<way>_<measure>` over all mentions (ways exact,
    overlap, token; measures precision, recall, f1), `false` (mentions that share no character with an annotated one,
    per 1,000 words), `recall/LABEL` (overlap), and `clean/TYPE`, `token_f1/TYPE`, `false/TYPE` by type of document.
    """

    hash: str
    against: str
    documents: int
    candidate: Mapping[str, Figure]
    serving: Mapping[str, Figure]
    difference: Mapping[str, Figure]

    def numbers(self) -> dict[str, float | None]:
        """Return every figure under a flat name: the ledger keeps numbers only."""
        result: dict[str, float | None] = {"documents": float(self.documents)}
        for part in ("candidate", "serving", "difference"):
            for name, figure in getattr(self, part).items():
                for bound in ("value", "low", "high"):
                    result[f"{part}.{name}.{bound}"] = getattr(figure, bound)
        return result


class Outcome(StrEnum):
    """Conclusion of the policy's rule on a comparison."""

    PROMOTE = "promote"
    WAIT = "wait"  # a person decides
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Judgement:
    """An outcome and its reason, a sentence."""

    outcome: Outcome
    reason: str


def compare_found(
    documents: Sequence[GoldDocument], candidate: Found, serving: Found, digest: str = "", against: str = ""
) -> Comparison:
    """Compare the mentions that two detectors found in annotated documents.

    Args:
        documents: the annotated documents.
        candidate: mentions of each document by the candidate.
        serving: the same by what serves.
        digest: hash of the candidate.
        against: hash of the model that serves.

    Raises:
        InputRefused: there is no document.
    """
    if not documents:
        raise InputRefused("there is no annotated document to compare on.", "Give a folder of annotated documents.")
    draws = np.random.default_rng(SEED).multinomial(len(documents), [1 / len(documents)] * len(documents), size=DRAWS)
    weights = np.vstack([np.ones(len(documents)), draws]).astype(np.float64)
    ours, theirs = _drawn(documents, candidate, weights), _drawn(documents, serving, weights)
    names = list(ours | theirs)
    nothing = np.full(DRAWS + 1, np.nan)
    pairs = {name: (ours.get(name, nothing), theirs.get(name, nothing)) for name in names}
    return Comparison(
        digest,
        against,
        len(documents),
        {name: _figure(one) for name, (one, _) in pairs.items()},
        {name: _figure(other) for name, (_, other) in pairs.items()},
        {name: _figure(one - other) for name, (one, other) in pairs.items()},
    )


def judge(comparison: Comparison, rule: Promotion) -> Judgement:
    """Apply the policy's rule.

    Promoted: the paired difference of the metric is above 0 over its whole 95 % interval, and no label's recall falls
    by more than the tolerance (the estimate: with bounds for each of nineteen labels nothing would ever pass).
    Refused: that difference is below 0 over its whole interval. Else, or on too few documents, a person decides.
    """
    if comparison.documents < rule.least_documents:
        return Judgement(
            Outcome.WAIT,
            f"{comparison.documents} documents are too few: the policy asks for {rule.least_documents}.",
        )
    figure = comparison.difference.get(rule.metric, Figure(None, None, None))
    if figure.value is None or figure.low is None or figure.high is None:
        return Judgement(Outcome.WAIT, f"{rule.metric} cannot be computed on these documents.")
    if figure.high < 0:
        return Judgement(Outcome.REFUSE, f"{rule.metric} is worse: {figure}.")
    if worse := _worse_labels(comparison, rule.tolerance):
        return Judgement(Outcome.WAIT, f"recall falls by more than {rule.tolerance:g}: {', '.join(worse)}.")
    if figure.low > 0:
        return Judgement(Outcome.PROMOTE, f"{rule.metric} is better: {figure}.")
    return Judgement(Outcome.WAIT, f"{rule.metric}: {figure} holds 0{_needed(figure, comparison.documents)}.")


def _worse_labels(comparison: Comparison, tolerance: float) -> list[str]:
    found = {
        name.removeprefix("recall/"): figure.value
        for name, figure in comparison.difference.items()
        if name.startswith("recall/") and figure.value is not None
    }
    # A share of 0.01 is no more than 0.01, whatever the last digit of a float.
    return [f"{label} ({value:+.3f})" for label, value in sorted(found.items()) if value < -tolerance - 1e-12]


def _needed(figure: Figure, documents: int) -> str:
    """Tell how many documents such a difference would need: an interval narrows with the root of their number."""
    value, low = figure.value or 0.0, figure.low or 0.0
    if value <= 0:
        return ""
    return f"; such a difference needs about {int(documents * ((value - low) / value) ** 2) + 1} documents"


def _figure(drawn: Array) -> Figure:
    value, sample = drawn[0], drawn[1:][np.isfinite(drawn[1:])]
    if not np.isfinite(value) or not len(sample):
        return Figure(None, None, None)
    low, high = np.percentile(sample, (2.5, 97.5))
    return Figure(float(value), float(low), float(high))


def _drawn(documents: Sequence[GoldDocument], found: Found, weights: Array) -> dict[str, Array]:
    """Return each figure under each row of weights of the documents."""
    counted = [_counts(gold, mentions) for gold, mentions in zip(documents, found, strict=True)]
    figures = _figures(_sums(counted, weights), "")
    by_type: dict[str, list[int]] = defaultdict(list)
    for at, gold in enumerate(documents):
        by_type[(gold.document.type or "–").casefold()].append(at)
    if len(by_type) > 1:
        for kind, places in sorted(by_type.items()):
            own = _figures(_sums([counted[at] for at in places], weights[:, places]), f"/{kind}")
            figures |= {f"{name}/{kind}": own[f"{name}/{kind}"] for name in _TYPES}
    return figures


def _counts(gold: GoldDocument, mentions: Sequence[Mention]) -> Counter[str]:
    text = gold.document.text
    judged = Judged(gold.document.id, text, gold.mentions, sorted(mentions))
    whole = evaluate([judged])
    counts = Counter(documents=1, words=len(text.split()), clean=whole.fully_redacted["direct"])
    counts["false"] = sum(not any(one.overlaps(true) for true in gold.mentions) for one in mentions)
    scores = whole.schemes[_SCHEME]
    for way in WAYS:
        tally = scores.micro(way)
        for name in ("right", "predicted", "found", "gold"):
            counts[f"{way}.{name}"] = getattr(tally, name)
    for label in scores.named():
        tally = scores.classes[label]["overlap"]
        counts[f"{label}.found"], counts[f"{label}.gold"] = tally.found, tally.gold
    return counts


def _sums(counted: Sequence[Mapping[str, int]], weights: Array) -> Callable[[str], Array]:
    """Return what sums a count over documents under each row of weights."""

    def of(name: str) -> Array:
        summed: Array = weights @ np.array([one.get(name, 0) for one in counted], dtype=np.float64)
        return summed

    return of


def _figures(total: Callable[[str], Array], suffix: str) -> dict[str, Array]:
    figures = {"clean": _ratio(total("clean"), total("documents"))}
    for way in WAYS:
        precision = _ratio(total(f"{way}.right"), total(f"{way}.predicted"))
        recall = _ratio(total(f"{way}.found"), total(f"{way}.gold"))
        both = np.nan_to_num(precision), np.nan_to_num(recall)
        mean = np.nan_to_num(_ratio(2 * both[0] * both[1], both[0] + both[1]))
        some = total(f"{way}.predicted") + total(f"{way}.gold") > 0
        figures |= {f"{way}_precision": precision, f"{way}_recall": recall, f"{way}_f1": np.where(some, mean, np.nan)}
    figures["false"] = 1000 * _ratio(total("false"), total("words"))
    for label in Label:
        figures[f"recall/{label}"] = _ratio(total(f"{label}.found"), total(f"{label}.gold"))
    return {f"{name}{suffix}": values for name, values in figures.items()}


def _ratio(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
