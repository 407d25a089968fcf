"""Findings of a study as SVG files, equal bytes for equal findings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from nocturne_lab.evaluation.attacks.reidentification import Source
from nocturne_lab.evaluation.attacks.study import Study

_COLOURS = {
    "metric": "#1b6ca8", "bounded_laplace": "#d1662b", "uniform_shift": "#a83246", "generalise": "#5a8f3c",
    "tag": "#777777", "health_exponential": "#1b6ca8", "knn_exponential": "#d1662b",
    "geo_indistinguishability": "#5a8f3c",
}  # fmt: skip
STYLE: Any = {
    "svg.hashsalt": "nocturne", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#e6e6e6", "axes.axisbelow": True, "legend.frameon": False,
    "axes.titlesize": 10, "axes.titlelocation": "left",
}  # fmt: skip
STEM = "privacy_attacks"


def plots(found: Study, folder: Path, suffix: str = "svg") -> list[str]:
    """Write the figures into an existing folder; return their file names.

    Raises:
        OSError: the folder cannot be written to.
    """
    with mpl.rc_context(STYLE):
        return [
            saved(folder / f"{STEM}.dates.{suffix}", _dates(found)),
            saved(folder / f"{STEM}.more.{suffix}", _more(found)),
        ]


def saved(path: Path, figure: Figure) -> str:
    """Write a figure, equal bytes for equal figures; return the file's name."""
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=110)
    plt.close(figure)
    return path.name


def _dates(found: Study) -> Figure:
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    _trade(left, found)
    _known(middle, found, "text", "Known dates told in the texts")
    _known(right, found, "document", "Known dates of documents")
    right.sharey(middle)
    right.text(2.9, 0.1, "only shifted by metric, bounded_laplace\nand tag: one line", size=8, color="#555555")
    handles, labels = middle.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    return figure


def _trade(axes: Axes, found: Study) -> None:
    axes.set_title("Documents re-identified, and error of dates")
    for row in found.dates:
        if row.kept.error is None:
            continue
        colour = _COLOURS[row.strategy]
        error = max(row.kept.error, 0.5)
        axes.plot(error, row.sequences.exact, "o", color=colour)
        axes.plot(error, row.sequences.nearest, "o", color=colour, markerfacecolor="none")
    axes.plot([], [], "o", color="#444444", label="moved copy of true dates")
    axes.plot([], [], "o", color="#444444", markerfacecolor="none", label="nearest true dates")
    axes.axhline(found.dates[0].sequences.chance, color="#999999", linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks([5, 10, 20, 50, 100, 200], minor=False)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel("mean error of a date, days")
    axes.set_ylabel("documents of the right patient")
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.legend(loc="center right")


def _known(axes: Axes, found: Study, source: Source, title: str) -> None:
    axes.set_title(title)
    shown: set[tuple[str, float | None, bool]] = set()
    for row in found.dates:
        own = "document_date" in row.name
        if row.epsilon not in (None, 0.25, 4) or (row.strategy, row.epsilon, own) in shown:
            continue
        shown.add((row.strategy, row.epsilon, own))
        points = [(one.known, one.top_1) for one in row.linkages if one.source == source]
        name = row.name if own else row.strategy
        name = name if row.epsilon is None else f"{name}, ε = {row.epsilon:g}"
        style = ":" if own else "-" if row.epsilon in (None, 0.25) else "--"
        axes.plot(*zip(*points, strict=True), style, marker=".", color=_COLOURS[row.strategy], label=name)
    axes.set_xlabel("dates known of a patient")
    axes.set_ylabel("right patient ranked first")
    axes.set_xticks([1, 2, 3, 5])
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(PercentFormatter(1))


def _communes(axes: Axes, found: Study) -> None:
    axes.set_title("One commune in n documents: guessed right")
    for row in found.commune_averages:
        style = "--" if row.scope == "document" else ":" if row.split == "uniform" else "-"
        axes.plot(
            [one.documents for one in row.points], [one.guess for one in row.points], style, marker=".",
            color="#0b3d63" if row.epsilon > 1 else "#777777" if row.scope == "corpus" else _COLOURS[row.strategy],
            label=f"{row.strategy}, {row.scope}"
            + (", split uniform" if row.split == "uniform" else f", ε = {row.epsilon:g}"),
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xticks([one.documents for one in found.commune_averages[0].points])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylim(-0.65, 1.03)  # space for the legend
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_xlabel("documents n")
    axes.legend(loc="lower left", fontsize=7)


def _more(found: Study) -> Figure:
    figure, (left, middle, communes, right) = plt.subplots(1, 4, figsize=(17, 4.2), layout="constrained")
    _communes(communes, found)
    left.set_title("One date in n documents: error of the mean")
    for averaged in found.averages:
        style = "-" if averaged.scope == "patient" else "--"
        points = [(one.documents, max(one.error, 0.3)) for one in averaged.points]
        left.plot(
            *zip(*points, strict=True), style, marker=".", color=_COLOURS[averaged.strategy],
            label=f"{averaged.strategy}, scope {averaged.scope}",
        )  # fmt: skip
    left.set_xscale("log", base=2)
    left.set_yscale("log")
    left.set_ylim(bottom=0.12)  # space for the legend
    left.set_xticks([one.documents for one in found.averages[0].points])
    left.xaxis.set_major_formatter("{x:g}")
    left.yaxis.set_major_formatter("{x:g}")
    left.set_xlabel("documents n")
    left.set_ylabel("days")
    left.legend(loc="lower left", fontsize=7)
    middle.set_title("Communes: guessed right, and profile kept")
    for strategy in dict.fromkeys(row.posterior.strategy for row in found.places):
        rows = [row for row in found.places if row.posterior.strategy == strategy]
        positions = [(row.kept.kept, row.posterior.guess) for row in rows]
        middle.plot(*zip(*positions, strict=True), "-", marker="o", color=_COLOURS[strategy], label=strategy)
        for row, (x, y) in zip(rows, positions, strict=True):
            if strategy != "knn_exponential" and row.posterior.epsilon in (4, 16, 64, 256):
                middle.annotate(f"ε = {row.posterior.epsilon:g}", (x, y), (4, -10), textcoords="offset points", size=7)
    middle.set_xlabel("addresses whose health profile is kept")
    middle.set_ylabel("attacker's best guess is right")
    for axis in (middle.xaxis, middle.yaxis):
        axis.set_major_formatter(PercentFormatter(1))
    middle.legend(loc="lower right", fontsize=8)
    right.set_title("Surnames matched by frequency rank")
    labels = [f"{row.whose.lower()}s,\nscope {row.scope}" for row in found.surnames]
    at = range(len(labels))
    right.barh([one + 0.2 for one in at], [row.matched_most for row in found.surnames], 0.36, color="#a83246",
               label="20 most frequent")  # fmt: skip
    right.barh([one - 0.2 for one in at], [row.matched for row in found.surnames], 0.36, color="#d9a0a9", label="all")
    right.set_yticks(list(at), labels)
    right.invert_yaxis()
    right.set_xlim(0, 1)
    right.xaxis.set_major_formatter(PercentFormatter(1))
    right.legend(loc="center right")
    return figure
