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
from deid.models.scores import MEASURES, SCORES, WAYS, score_of
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import DRAWS, SEED, drawn_interval, resampled
from nocturne_lab.evaluation.scoring import Judged, evaluate

_DIGITS = 6  # in the ledger, which keeps thousands of figures for a model
_COUNTS = ("right", "predicted", "found", "gold")
_SCHEME = "nocturne"
_LABELS = frozenset(map(str, Label))
_TYPES = ("clean", "token_f1", "false")  # of the figures by type of document, those of the short table

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

    Names: `clean` (share of documents that keep no direct identifier), `<way>_<measure>` over all mentions (`SCORES`:
    ways exact, overlap, token; measures precision, recall, f1), `false` (mentions that share no character with an
    annotated one, per 1,000 words); `<way>_<measure>/LABEL`, but `recall/LABEL` for overlap; each figure over all
    mentions followed by `/TYPE`, in small letters, where there are several types of document.

    `first`: no model of the candidate's kind serves or ships, and `serving` is the detector without that annotator.
    """

    hash: str
    against: str
    documents: int
    candidate: Mapping[str, Figure]
    serving: Mapping[str, Figure]
    difference: Mapping[str, Figure]
    first: bool = False

    def numbers(self) -> dict[str, float | None]:
        """Return every figure that counts something under a flat name: the ledger keeps numbers only."""
        result: dict[str, float | None] = {"documents": float(self.documents)}
        for part in ("candidate", "serving", "difference"):
            for name, figure in getattr(self, part).items():
                if self.candidate[name].value is not None or self.serving[name].value is not None:
                    for bound in ("value", "low", "high"):
                        value = getattr(figure, bound)
                        result[f"{part}.{name}.{bound}"] = None if value is None else round(value, _DIGITS)
        return result

    def rows(self) -> list[list[str]]:
        """Return the short table: figures of the candidate, of what serves, and their difference."""
        return [
            [name, str(figure), str(self.serving[name]), str(self.difference[name])]
            for name, figure in self.candidate.items()
            if figure.value is not None and _is_short(name)
        ]

    def breakdown(self) -> list[list[str]]:
        """Return the candidate's `SCORES` of each label and type of document that has any, a row each."""
        groups = dict.fromkeys(name.partition("/")[2] for name in self.candidate if "/" in name)
        rows = {group: [self.candidate[score_of(score, group)].value for score in SCORES] for group in groups}
        return [
            [group, *("–" if value is None else f"{value:.3f}" for value in values)]
            for group, values in rows.items()
            if any(value is not None for value in values)
        ]


def _is_short(name: str) -> bool:
    figure, _, group = name.partition("/")
    return not group or figure == "recall" or (figure in _TYPES and group not in _LABELS)


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
    weights = np.vstack([np.ones(len(documents)), resampled(len(documents), SEED, DRAWS)])
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
            Outcome.WAIT, f"{comparison.documents} documents are too few: the policy asks for {rule.least_documents}."
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
    return Figure(float(value), *drawn_interval(sample))


def _drawn(documents: Sequence[GoldDocument], found: Found, weights: Array) -> dict[str, Array]:
    """Return each figure under each row of weights of the documents."""
    counted = [_counts(gold, mentions) for gold, mentions in zip(documents, found, strict=True)]
    total = _sums(counted, weights)
    figures = _figures(total, "") | _label_figures(total)
    by_type: dict[str, list[int]] = defaultdict(list)
    for at, gold in enumerate(documents):
        by_type[(gold.document.type or "–").casefold()].append(at)
    if len(by_type) > 1:
        for kind, places in sorted(by_type.items()):
            figures |= _figures(_sums([counted[at] for at in places], weights[:, places]), f"/{kind}")
    return figures


def _counts(gold: GoldDocument, mentions: Sequence[Mention]) -> Counter[str]:
    text = gold.document.text
    judged = Judged(gold.document.id, text, gold.mentions, sorted(mentions))
    whole = evaluate([judged])
    counts = Counter(documents=1, words=len(text.split()), clean=whole.fully_redacted["direct"])
    counts["false"] = sum(not any(one.overlaps(true) for true in gold.mentions) for one in mentions)
    scores = whole.schemes[_SCHEME]
    for way in WAYS:
        tallies = {"": scores.micro(way)} | {f"{label}.": scores.classes[label][way] for label in scores.named()}
        for prefix, tally in tallies.items():
            for name in _COUNTS:
                counts[f"{prefix}{way}.{name}"] = getattr(tally, name)
    return counts


def _sums(counted: Sequence[Mapping[str, int]], weights: Array) -> Callable[[str], Array]:
    """Return what gives the sum of a count over documents under each row of weights."""
    names = sorted({name for one in counted for name in one})
    summed = weights @ np.array([[one.get(name, 0) for name in names] for one in counted], dtype=np.float64)
    of, nothing = dict(zip(names, summed.T, strict=True)), np.zeros(len(weights))
    return lambda name: of.get(name, nothing)


def _figures(total: Callable[[str], Array], suffix: str) -> dict[str, Array]:
    figures = {"clean": _ratio(total("clean"), total("documents")), **_scores(total, "")}
    figures["false"] = 1000 * _ratio(total("false"), total("words"))
    return {f"{name}{suffix}": values for name, values in figures.items()}


def _label_figures(total: Callable[[str], Array]) -> dict[str, Array]:
    return {score_of(name, label): values for label in Label for name, values in _scores(total, f"{label}.").items()}


def _scores(total: Callable[[str], Array], prefix: str) -> dict[str, Array]:
    """Return the `SCORES` of the counts whose names begin with `prefix`."""
    figures: dict[str, Array] = {}
    for way in WAYS:
        right, predicted, found, gold = (total(f"{prefix}{way}.{name}") for name in _COUNTS)
        precision, recall = _ratio(right, predicted), _ratio(found, gold)
        both = np.nan_to_num(precision), np.nan_to_num(recall)
        mean = np.nan_to_num(_ratio(2 * both[0] * both[1], both[0] + both[1]))
        values = (precision, recall, np.where(predicted + gold > 0, mean, np.nan))
        figures |= {f"{way}_{measure}": one for measure, one in zip(MEASURES, values, strict=True)}
    return figures


def _ratio(part: Array, whole: Array) -> Array:
    return np.divide(part, whole, out=np.full_like(part, np.nan), where=whole > 0)
