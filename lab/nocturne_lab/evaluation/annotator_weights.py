"""Weights of annotators proposed from documents marked by people (Braghin et al. 2019, "Priority System").

The strength of a mention in merging is weight / 100 × its score. The weight proposed makes an annotator's mean strength
on a label the lower bound of its precision there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from deid.config.policy import Policy
from deid.detection import Detector
from deid.detection.merging import votes
from deid.detection.refining.own_types import ANNOTATOR
from deid.domain.document import Mention
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import share_interval
from nocturne_lab.evaluation.scoring import met, spans

CONFIDENCE = 0.95
LEAST = 10  # mentions from which a weight is proposed
_BATCH = 64  # documents searched at once


@dataclass(slots=True)
class Cell:
    """Mentions of one annotator under one label or own type, against the marks of people.

    `right` of `found` mentions share a character with a mark of the label; `met` of `marked` marks with a mention.
    `scores` adds up the scores of the mentions.
    """

    found: int = 0
    right: int = 0
    marked: int = 0
    met: int = 0
    scores: float = 0.0

    @property
    def precision(self) -> float:
        """Share of the mentions that are right."""
        return self.right / self.found

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the precision at `CONFIDENCE` (Clopper and Pearson 1934), as if mentions were independent."""
        return share_interval(self.right, self.found, CONFIDENCE)

    @property
    def recall(self) -> float | None:
        """Share of the marks that a mention meets; None without marks."""
        return self.met / self.marked if self.marked else None

    def weight(self, threshold: float) -> int | None:
        """Return the weight proposed, in [0, 100]; None if there are too few mentions.

        Never so low that the annotator's mentions of mean score would fall below `threshold`, and be lost.
        """
        if self.found < LEAST:
            return None
        mean = max(self.scores / self.found, 0.01)
        return min(100, max(int(100 * self.interval[0] / mean), ceil(100 * threshold / mean)))


# Annotator → label or own type → cell.
Cells = dict[str, dict[str, Cell]]


def measure_annotators(documents: Sequence[GoldDocument], detector: Detector, policy: Policy) -> Cells:
    """Return the cells of the mentions that count under a policy: their strength is its threshold or more."""
    cells: defaultdict[str, defaultdict[str, Cell]] = defaultdict(lambda: defaultdict(Cell))
    for start in range(0, len(documents), _BATCH):
        part = documents[start : start + _BATCH]
        for gold, opinions in zip(part, detector.opinions([one.document for one in part]), strict=True):
            for annotator, mentions in _counting(opinions, policy).items():
                for kind, label, said in _by_kind(annotator, mentions):
                    _count(cells[annotator][kind], label, said, gold.mentions)
    own = {ANNOTATOR: {name: cells[ANNOTATOR][name] for name in policy.types}} if policy.types else {}
    return {annotator: dict(sorted(row.items())) for annotator, row in cells.items()} | own


def _counting(opinions: dict[str, list[Mention]], policy: Policy) -> dict[str, list[Mention]]:
    """Return the mentions that are strong enough to count alone under the weights of today."""
    table = votes.AVERAGING_WEIGHTS if votes.TAGGERS in opinions else votes.WEIGHTS
    strong = {name: mentions if name == ANNOTATOR else [] for name, mentions in opinions.items()}
    for one in votes.weigh(opinions, policy.detection.weights, table):
        if one.annotator != ANNOTATOR and one.strength >= policy.detection.threshold:
            strong[one.annotator].append(one.mention)
    return strong


def _by_kind(annotator: str, mentions: Sequence[Mention]) -> Iterator[tuple[str, Label, list[Mention]]]:
    """Yield the mentions of each label, or own type; for each label of which there is none, an empty list."""
    if annotator == ANNOTATOR:
        for name, label in sorted({(one.subtype or "", one.label) for one in mentions}):
            yield name, label, [one for one in mentions if one.subtype == name]
        return
    for label in Label:
        yield label, label, [one for one in mentions if one.label is label]


def _count(cell: Cell, label: Label, said: Sequence[Mention], marks: Sequence[Mention]) -> None:
    def label_of(one: Label) -> str | None:
        return one if one is label else None

    found, marked = spans(sorted(said), label_of), spans(sorted(marks), label_of)
    cell.found += len(found)
    cell.right += sum(met(found, marked))
    cell.marked += len(marked)
    cell.met += sum(any(mark.start < one.end and one.start < mark.end for one in found) for mark in marked)
    cell.scores += sum(one.score for one in said)


def proposal(cells: Cells, policy: Policy) -> Iterator[str]:
    """Yield the lines of YAML to paste into a policy, each with what was measured as its comment, in French."""
    threshold = policy.detection.threshold
    parts = {name: row for name, row in cells.items() if name != ANNOTATOR and any(cell.found for cell in row.values())}
    if parts:
        yield "detection:\n  weights:"
    for name, row in parts.items():
        lines = [_line(f"      {kind}", cell, threshold) for kind, cell in row.items() if cell.found]
        proposed = any(cell.weight(threshold) is not None for cell in row.values() if cell.found)
        yield from (f"    {name}:" if proposed else f"    # {name} :", *lines)
    own = cells.get(ANNOTATOR, {})
    if own:
        yield "types:"
    for name, cell in own.items():
        proposed = bool(cell.found) and cell.weight(0) is not None
        yield from (f"  {name}:" if proposed else f"  # {name} :", _line("    weight", cell, 0))


def _line(name: str, cell: Cell, threshold: float) -> str:
    start = len(name) - len(name.lstrip())
    remark = f"{name[:start]}# {name[start:]} : "
    if not cell.found:
        return f"{remark}aucune mention"
    low, high = (f"{100 * bound:.1f}" for bound in cell.interval)
    recall = "–" if cell.recall is None else f"{100 * cell.recall:.1f} %"
    said = f"précision {100 * cell.precision:.1f} % [{low} ; {high}], {cell.found} mentions, rappel {recall}"
    weight = cell.weight(threshold)
    return f"{remark}trop peu ; {said}" if weight is None else f"{name}: {weight}  # {said}"
