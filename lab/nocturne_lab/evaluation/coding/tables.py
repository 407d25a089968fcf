"""Comparison of arms as a page: tables as Markdown, and the cumulative plot of Jaccard indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from deid.reports.evaluation import WIDEST
from nocturne_lab.evaluation.attacks.plots import STYLE, saved
from nocturne_lab.evaluation.coding.comparison import FEWEST_STAYS, ORIGINAL, Coded
from nocturne_lab.evaluation.coding.icd10 import LEVELS, at_level
from nocturne_lab.evaluation.coding.scores import jaccard, loss, macro, micro, micro_f1, precision_at
from nocturne_lab.evaluation.coding.stays import CodedStay, statistics
from nocturne_lab.evaluation.intervals import Interval, resampled
from nocturne_lab.evaluation.score_tables import markdown

KS = (5, 8, 15)
HEAD = """# What published texts are worth for ICD-10 coding
{origin}
{stays:,} stays of {patients:,} patients with codes; {documents:,} documents, {length:.0f} words a stay on average,
{longest:,} at most. Each stay is coded by a coder that learned from other patients, in five folds; arms share the
split. Intervals of 95 % are of 1,000 resamples of stays. Loss: points of micro F1 against original texts, paired by
stay. Jaccard: of the codes found in a stay with those found in its original text (Tchouka et al. 2022, figure 8).

{levels}"""
FEW = f"\nFewer than {FEWEST_STAYS} stays, or an interval of more than {100 * WIDEST:.0f} points: no plot is drawn."


def head(stays: Sequence[CodedStay], origin: str = "") -> str:
    """Return the beginning of a page: what the stays are, at each level, and how they are coded."""
    told = [statistics(stays, level) for level in LEVELS]
    rows = [
        [level, f"{one.assigned:,}", f"{one.classes:,}", f"{one.rare:,}", f"{one.frequent:,}"]
        for level, one in zip(LEVELS, told, strict=True)
    ]
    columns = "level", "assigned", "classes", "stays with fewer than 10", "with 100 or more"
    return HEAD.format(
        origin=origin, patients=len({one.patient for one in stays}), levels=markdown(columns, rows),
        **{name: getattr(told[0], name) for name in ("stays", "documents", "length", "longest")},
    )  # fmt: skip


def section(
    title: str,
    found: Mapping[str, Coded],
    *,
    chapters: bool = True,
    others: Mapping[str, Coded] | None = None,
    against: str = "",
    plot: Path | None = None,
) -> str:
    """Return the scores of arms, of which one is `ORIGINAL`.

    Args:
        title: coder, texts and level.
        found: answers by arm.
        chapters: whether scores by chapter follow; the classes must be of another level.
        others: arms whose effect is that of what differs from the arm `against` of `found`, such as one label.
        against: name of that arm.
        plot: file of the plot, drawn unless `tell_little`.
    """
    columns = [
        *("arm", "precision", "recall", "micro F1", "loss", "macro precision", "macro recall", "macro F1"),
        *(f"P@{k}" for k in KS), "Jaccard", "same codes",
    ]  # fmt: skip
    parts = [f"\n## {title}\n", markdown(columns, [*compared(found)])]
    if chapters:
        parts += [f"\n### {title}, by chapter: precision, recall, **F1** over its codes\n"]
        parts += [markdown(("chapter", "assigned", *found), [*by_chapter(found)])]
    if others:
        parts += [f"\n### {title}: effect of each label\n"]
        parts += [markdown(("arm", "micro F1", f"gain over {against}"), [*gained(others, found[against])])]
    if plot:
        parts += [FEW if tell_little(found) else f"\n![Jaccard index, {title}]({drawn(plot, found)})"]
    return "\n".join(parts)


def compared(found: Mapping[str, Coded]) -> Iterator[list[str]]:
    """Yield a row for each arm."""
    original = found[ORIGINAL]
    weights = resampled(len(original.gold))
    for name, one in found.items():
        small, large = micro(one.gold, one.found), macro(one.gold, one.found)
        lost = loss(one.gold, original.found, one.found, weights)
        same = jaccard(original.found, one.found)
        yield [
            name, f"{small.precision:.3f}", f"{small.recall:.3f}", _f1(micro_f1(one.gold, one.found, weights)),
            points(lost),
            f"{large.precision:.3f}", f"{large.recall:.3f}", f"{large.f1:.3f}",
            *(f"{precision_at(one.gold, one.scores, k):.3f}" for k in KS), f"{same.mean():.3f}",
            f"{100 * (same == 1).mean():.0f} %",
        ]  # fmt: skip


def by_chapter(found: Mapping[str, Coded]) -> Iterator[list[str]]:
    """Yield a row for each chapter: codes assigned, and precision, recall and F1 of each arm over its codes."""
    first = next(iter(found.values()))
    classes = np.asarray(first.classes)
    chapters = np.asarray([at_level(str(name), "chapter") for name in classes])
    for chapter in sorted(set(chapters), key=lambda name: min(classes[chapters == name])):
        own = chapters == chapter
        scores = [micro(one.gold[:, own], one.found[:, own]) for one in found.values()]
        assigned = f"{first.gold[:, own].sum():,}"
        yield [chapter, assigned, *(f"{one.precision:.2f} {one.recall:.2f} **{one.f1:.2f}**" for one in scores)]


def gained(others: Mapping[str, Coded], base: Coded) -> Iterator[list[str]]:
    """Yield a row for each of other arms: its micro F1, and what it gains over an arm, paired by stay."""
    weights = resampled(len(base.gold))
    for name, one in others.items():
        gain = loss(one.gold, one.found, base.found, weights)
        yield [name, _f1(micro_f1(one.gold, one.found, weights)), points(gain)]


def tell_little(found: Mapping[str, Coded]) -> bool:
    """Tell whether stays are fewer than `FEWEST_STAYS`, or the interval of an arm is wider than `WIDEST`."""
    stays = len(found[ORIGINAL].gold)
    intervals = [micro_f1(one.gold, one.found, resampled(stays)) for one in found.values()]
    return stays < FEWEST_STAYS or any(one.high - one.low > WIDEST for one in intervals)


def drawn(path: Path, found: Mapping[str, Coded]) -> str:
    """Write the share of stays at or above each Jaccard index with the original's codes; return the file's name."""
    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
        for name, one in found.items():
            if name != ORIGINAL:
                same = np.sort(jaccard(found[ORIGINAL].found, one.found))
                axes.step(same, 1 - np.arange(len(same)) / len(same), where="pre", label=name)
        axes.set(
            xlabel="Jaccard index with the codes found in the original text", ylabel="share of stays at or above it",
            xlim=(0, 1), ylim=(0, 1),
        )  # fmt: skip
        axes.legend()
        return saved(path, figure)


def points(one: Interval) -> str:
    """Return a difference of scores in points, with its interval."""
    return f"{100 * one.value:+.2f} ({100 * one.low:+.2f} to {100 * one.high:+.2f})"


def _f1(one: Interval) -> str:
    return f"**{one.value:.3f}** ({one.low:.3f}–{one.high:.3f})"
