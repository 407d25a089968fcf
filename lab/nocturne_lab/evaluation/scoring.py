r"""Scores of predicted mentions against annotated ones.

Per class of a label scheme (`deid.domain.labels.SCHEMES`), matches are counted in three ways:
    exact    same start, same end, same class
    overlap  at least one character in common with a mention of the same class; one mention may match several, so
             precision counts predictions and recall counts gold mentions
    token    a token has the class of the first mention that overlaps it; tokens are `\w+|\S`
For any class ("any" in the result), over the characters of the gold mentions without white space:
    redaction   share of gold characters covered by a prediction, for all labels, direct identifiers
                (`deid.domain.labels.DIRECT`) and the rest; and the share of predicted characters covered by gold
    documents   share of documents with every character of gold (of direct identifiers) covered
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deid.domain.document import Mention
from deid.domain.labels import DIRECT, QUASI, SCHEMES, Label
from deid.models.scores import WAYS

ANY = "any"


@dataclass(frozen=True, slots=True)
class Judged:
    """Document with annotated and predicted mentions, both sorted."""

    id: str
    text: str
    gold: Sequence[Mention]
    predicted: Sequence[Mention]
    type: str | None = None
    author: str | None = None


@dataclass(slots=True)
class Tally:
    """Counts behind precision and recall: `right` of `predicted` are right; `found` of `gold` are found."""

    right: int = 0
    predicted: int = 0
    found: int = 0
    gold: int = 0

    def add(self, other: Tally) -> None:
        """Add the counts of `other`."""
        self.right += other.right
        self.predicted += other.predicted
        self.found += other.found
        self.gold += other.gold

    @property
    def precision(self) -> float | None:
        """Share of predictions that are right; None without predictions."""
        return self.right / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        """Share of gold mentions that are found; None without gold mentions."""
        return self.found / self.gold if self.gold else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean; 0 if only one of gold and predictions is empty, None if both are."""
        if not self.predicted and not self.gold:
            return None
        precision, recall = self.precision or 0.0, self.recall or 0.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def as_json(self) -> dict[str, float | int | None]:
        """Return figures and counts as a JSON object."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "predicted": self.predicted,
            "gold": self.gold,
        }


@dataclass(slots=True)
class SchemeScores:
    """Tallies per class and way of counting; under `ANY`, all labels of the scheme are one class."""

    classes: dict[str, dict[str, Tally]] = field(default_factory=lambda: defaultdict(_tallies))

    def named(self) -> list[str]:
        """Classes present in gold or predictions, in alphabetical order."""
        return sorted(name for name in self.classes if name != ANY)

    def micro(self, way: str, without: Iterable[str] = ()) -> Tally:
        """Return the tally over all mentions of all classes."""
        total = Tally()
        for name in set(self.named()) - set(without):
            total.add(self.classes[name][way])
        return total

    def macro_f1(self, way: str) -> float | None:
        """Return the mean of the F1 of the classes, with equal weights."""
        values = [value for name in self.named() if (value := self.classes[name][way].f1) is not None]
        return sum(values) / len(values) if values else None


@dataclass(slots=True)
class Evaluation:
    """Scores over a set of documents."""

    documents: int = 0
    schemes: dict[str, SchemeScores] = field(default_factory=lambda: {name: SchemeScores() for name in SCHEMES})
    redaction: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in _REDACTED})
    fully_redacted: Counter[str] = field(default_factory=Counter)  # "all", "direct" → documents

    def share_fully_redacted(self, which: str) -> float | None:
        """Return the share of documents with "all" or "direct" mentions fully covered; None without documents."""
        return self.fully_redacted[which] / self.documents if self.documents else None

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ratios in [0, 1]."""
        return {
            "documents": self.documents,
            "redaction": {name: tally.recall for name, tally in self.redaction.items()}
            | {"precision": self.redaction["all"].precision},
            "documents_fully_redacted": {which: self.share_fully_redacted(which) for which in ("all", "direct")},
            "schemes": {name: _scheme_json(scores) for name, scores in self.schemes.items()},
        }


_REDACTED: Mapping[str, frozenset[Label]] = {"all": frozenset(Label), "direct": DIRECT, "quasi": QUASI}


def evaluate(documents: Iterable[Judged]) -> Evaluation:
    """Score predictions over documents."""
    result = Evaluation()
    for document in documents:
        result.documents += 1
        _count_redaction(result, document)
        tokens = tokenise(document.text)
        gold_of, predicted_of = labelled_tokens(tokens, document.gold), labelled_tokens(tokens, document.predicted)
        for name, classes in SCHEMES.items():
            _count(result.schemes[name], document, classes.__getitem__, gold_of, predicted_of)
    return result


def evaluate_by(documents: Sequence[Judged], key: Callable[[Judged], str | None]) -> dict[str, Evaluation]:
    """Score documents in groups, in alphabetical order; those without a key are under "–"."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for document in documents:
        groups[key(document) or "–"].append(document)
    return {name: evaluate(groups[name]) for name in sorted(groups)}


def _count(
    scores: SchemeScores,
    document: Judged,
    class_of: Callable[[Label], str | None],
    gold_of: Mapping[int, Label],
    predicted_of: Mapping[int, Label],
) -> None:
    gold, predicted = spans(document.gold, class_of), spans(document.predicted, class_of)
    _count_spans(scores, gold, predicted)
    _count_spans(scores, [span._replace(name=ANY) for span in gold], [span._replace(name=ANY) for span in predicted])
    for token in gold_of.keys() | predicted_of.keys():
        truth = class_of(gold_of[token]) if token in gold_of else None
        guess = class_of(predicted_of[token]) if token in predicted_of else None
        _count_token(scores, truth, guess)
        _count_token(scores, truth and ANY, guess and ANY)


def _count_spans(scores: SchemeScores, gold: Sequence[LabelledSpan], predicted: Sequence[LabelledSpan]) -> None:
    same = Counter(gold) & Counter(predicted)
    gold_met, predicted_met = met(gold, predicted), met(predicted, gold)
    for span, is_met in zip(gold, gold_met, strict=True):
        scores.classes[span.name]["exact"].gold += 1
        scores.classes[span.name]["overlap"].gold += 1
        scores.classes[span.name]["overlap"].found += is_met
    for span, is_met in zip(predicted, predicted_met, strict=True):
        scores.classes[span.name]["exact"].predicted += 1
        scores.classes[span.name]["overlap"].predicted += 1
        scores.classes[span.name]["overlap"].right += is_met
    for span, times in same.items():
        scores.classes[span.name]["exact"].right += times
        scores.classes[span.name]["exact"].found += times


def _count_token(scores: SchemeScores, truth: str | None, guess: str | None) -> None:
    if truth is not None:
        scores.classes[truth]["token"].gold += 1
        scores.classes[truth]["token"].found += truth == guess
    if guess is not None:
        scores.classes[guess]["token"].predicted += 1
        scores.classes[guess]["token"].right += truth == guess


def _count_redaction(result: Evaluation, document: Judged) -> None:
    covered = characters(document.text, document.predicted, _REDACTED["all"])
    for which, labels in _REDACTED.items():
        marked = characters(document.text, document.gold, labels)
        tally = result.redaction[which]
        tally.gold += len(marked)
        tally.found += len(marked & covered)
        if which == "all":
            tally.predicted += len(covered)
            tally.right += len(marked & covered)
        result.fully_redacted[which] += marked <= covered


def _tallies() -> dict[str, Tally]:
    return {way: Tally() for way in WAYS}


def _scheme_json(scores: SchemeScores) -> dict[str, Any]:
    return {
        "classes": {
            name: {way: tally.as_json() for way, tally in scores.classes[name].items()} for name in scores.named()
        },
        "micro": {way: scores.micro(way).as_json() for way in WAYS},
        "micro_without_reldate": {way: scores.micro(way, ["RELDATE"]).as_json() for way in WAYS},
        "macro_f1": {way: scores.macro_f1(way) for way in WAYS},
        "any": {way: tally.as_json() for way, tally in scores.classes[ANY].items()},
    }


# Overlaps of gold and predicted mentions: spans, tokens and characters of one document.
_TOKEN = re.compile(r"\w+|\S")


class LabelledSpan(NamedTuple):
    """`[start, end)` in a text, with a class of a label scheme."""

    start: int
    end: int
    name: str


def spans(mentions: Iterable[Mention], class_of: Callable[[Label], str | None]) -> list[LabelledSpan]:
    """Return the spans of the mentions with a class in a scheme."""
    named = ((mention, class_of(mention.label)) for mention in mentions)
    return [LabelledSpan(mention.start, mention.end, name) for mention, name in named if name is not None]


def met(spans: Sequence[LabelledSpan], others: Sequence[LabelledSpan]) -> list[bool]:
    """Return, for each span, True if one of `others` of the same class shares a character with it."""
    by_class: dict[str, list[LabelledSpan]] = defaultdict(list)
    for other in others:
        by_class[other.name].append(other)
    return [_meets(span, by_class[span.name]) for span in spans]


def _meets(span: LabelledSpan, others: Sequence[LabelledSpan]) -> bool:
    """True if a span shares a character with one of `others`, sorted and disjoint."""
    last = bisect_left(others, span.end, key=lambda other: other.start) - 1
    return last >= 0 and others[last].end > span.start


def tokenise(text: str) -> list[tuple[int, int]]:
    """Return the spans of the tokens: words, and every other character except white space."""
    return [match.span() for match in _TOKEN.finditer(text)]


def labelled_tokens(tokens: Sequence[tuple[int, int]], mentions: Iterable[Mention]) -> dict[int, Label]:
    """Map the index of each token that a mention overlaps to the label of the first such mention."""
    labels: dict[int, Label] = {}
    for mention in mentions:
        token = bisect_left(tokens, mention.start + 1, key=lambda span: span[1])
        while token < len(tokens) and tokens[token][0] < mention.end:
            labels.setdefault(token, mention.label)
            token += 1
    return labels


def characters(text: str, mentions: Iterable[Mention], labels: frozenset[Label]) -> set[int]:
    """Return the offsets covered by mentions of `labels`, white space excluded."""
    return {
        offset
        for mention in mentions
        if mention.label in labels
        for offset in range(mention.start, mention.end)
        if not text[offset].isspace()
    }
