"""False mentions and leaks on annotated documents of authors left out of training, with intervals, and their plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

from deid.domain.document import Mention
from deid.domain.labels import DIRECT, Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import Interval, drawn_interval, redrawn
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.evaluation.scoring import characters

mpl.use("Agg")

from matplotlib import pyplot as plt

Array = NDArray[np.float64]
STYLE: Any = {
    "svg.hashsalt": "nocturne", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#e6e6e6", "axes.axisbelow": True, "legend.frameon": False,
}  # fmt: skip
COLOURS = {"before": "#d1662b", "after": "#1b6ca8"}


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of one run, one entry per document; `labels` are those of the false mentions.

    A mention is false that shares no character with an annotated one, of any label.
    """

    words: Array
    false: Array
    direct: Array
    covered: Array
    labels: Counter[Label]

    def drawn(self, draws: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        """Return per draw: false mentions per 1,000 words, direct characters and documents covered in percent."""
        false = 1000 * self.false[draws].sum(axis=-1) / self.words[draws].sum(axis=-1)
        direct = 100 * self.covered[draws].sum(axis=-1) / self.direct[draws].sum(axis=-1)
        return false, direct, 100 * (self.covered == self.direct)[draws].mean(axis=-1)

    def figures(self) -> tuple[Interval, Interval, Interval]:
        """Return the figures of `drawn` for all documents, with their intervals."""
        whole = self.drawn(np.arange(len(self.words))[None, :])
        false, direct, documents = (
            Interval(float(value[0]), *drawn_interval(drawn))
            for value, drawn in zip(whole, self.drawn(redrawn(len(self.words))), strict=True)
        )
        return false, direct, documents


def rate(false: Sequence[int], words: Sequence[int]) -> Interval:
    """Return false mentions per 1,000 words with its interval, from counts per document."""
    wrong, read = np.array(false, dtype=np.float64), np.array(words, dtype=np.float64)
    draws = redrawn(len(false))
    drawn = 1000 * wrong[draws].sum(axis=1) / read[draws].sum(axis=1)
    return Interval(1000 * float(wrong.sum() / read.sum()), *drawn_interval(drawn))


def count(documents: Sequence[GoldDocument], found: Sequence[Sequence[Mention]]) -> Counts:
    """Count a run over annotated documents."""
    rows, labels = [], Counter[Label]()
    for gold, mentions in zip(documents, found, strict=True):
        text = gold.document.text
        false = [one for one in mentions if not any(one.overlaps(true) for true in gold.mentions)]
        direct = characters(text, gold.mentions, DIRECT)
        covered = direct & characters(text, mentions, frozenset(Label))
        rows.append((len(text.split()), len(false), len(direct), len(covered)))
        labels.update(one.label for one in false)
    words, spurious, direct_characters, covered_characters = np.array(rows, dtype=np.float64).T
    return Counts(words, spurious, direct_characters, covered_characters, labels)


def false_at_equal_recall(curve: Sequence[Counts], reference: Counts) -> Interval:
    """Return false mentions per 1,000 words where a curve covers as many direct characters as `reference`.

    Between two runs the figure is interpolated; beyond the last, that of the last is taken.
    """
    everything = np.arange(len(reference.words))[None, :]
    value = _interpolated(curve, reference, everything)[0]
    drawn = _interpolated(curve, reference, redrawn(len(reference.words)))
    return Interval(float(value), *drawn_interval(drawn))


def _interpolated(curve: Sequence[Counts], reference: Counts, draws: NDArray[np.int64]) -> Array:
    wanted = reference.drawn(draws)[1]
    runs = [one.drawn(draws)[:2] for one in curve]
    false, covered = (np.stack([one[at] for one in runs], axis=1) for at in (0, 1))
    order = np.argsort(covered, axis=1)
    false, covered = np.take_along_axis(false, order, 1), np.take_along_axis(covered, order, 1)
    return np.array([np.interp(*one) for one in zip(wanted, covered, false, strict=True)])


def summary_table(runs: Mapping[str, Counts]) -> str:
    """Tabulate the figures of each run."""
    head = ["run", "false per 1,000 words", "direct identifiers covered, %", "documents without any direct left, %"]
    return markdown(head, [[name, *map(str, counts.figures())] for name, counts in runs.items()])


def labels_table(runs: Mapping[str, Counts]) -> str:
    """Tabulate false mentions per 1,000 words by the label that they were given."""
    labels = sorted({label for counts in runs.values() for label in counts.labels})
    rows = [
        [label, *(f"{1000 * counts.labels[label] / counts.words.sum():.2f}" for counts in runs.values())]
        for label in labels
    ]
    return markdown(["label", *runs], rows)


def plot(path: Path, curves: Mapping[str, Mapping[float, Counts]], defaults: Mapping[str, Counts]) -> None:
    """Write the frontier of leaks against false mentions: a line per version over nats, and its default policy."""
    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7, 4.6), layout="constrained")
        for version, curve in curves.items():
            points = [counts.figures() for counts in curve.values()]
            _draw(axes, points, version, fmt="o-", ms=4, lw=1.2, elinewidth=0.5, label=f"{version}, every label alike")
            for nats, (false, direct, _) in zip(curve, points, strict=True):
                place = (false.value, 100 - direct.value)
                axes.annotate(f"{nats:g}", place, textcoords="offset points", xytext=(4, 4), size=7)
            own = [defaults[version].figures()]
            _draw(axes, own, version, fmt="D", ms=8, elinewidth=1.4, capsize=3, label=f"{version}, default policy")
        axes.set_xlabel("false mentions per 1,000 words")
        axes.set_ylabel("characters of direct identifiers left, %")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend()
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def _draw(axes: Any, points: Sequence[tuple[Interval, Interval, Interval]], version: str, **how: Any) -> None:
    false, left = [one[0] for one in points], [one[1] for one in points]
    axes.errorbar(
        [one.value for one in false],
        [100 - one.value for one in left],
        xerr=[[one.value - one.low for one in false], [one.high - one.value for one in false]],
        yerr=[[one.high - one.value for one in left], [one.value - one.low for one in left]],
        color=COLOURS[version],
        **how,
    )
