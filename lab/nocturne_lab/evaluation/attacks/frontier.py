"""Table and plot of the patients found by known dates under each way to publish dates, beside the gaps it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from deid.substitution.temporal.order import project
from nocturne_lab.evaluation.attacks.histories import (
    ANY_DAY,
    PARTS,
    Generalised,
    Histories,
    Ints,
    Mechanism,
    TimeChange,
    Way,
    is_weekend,
)
from nocturne_lab.evaluation.attacks.informed import KNOWN, Found, find
from nocturne_lab.evaluation.attacks.plots import STYLE, saved

SIZES = (320, 10_000, 100_000)
PLOT = "known_dates.svg"
_SHORT = 60  # days


@dataclass(frozen=True, slots=True)
class Row:
    """One way to publish dates: what is found, and what is kept.

    Attributes:
        name: as in the table.
        found: the attacks.
        exact: share of gaps of up to 60 days between neighbouring dates of a document that are kept to the day.
        wrong: share of them that change by more than half.
        kind: share of a document's days that stay working days or days of a weekend.
        in_order: share of a patient's successive documents, of different days, that are still in their order.
    """

    name: str
    found: tuple[Found, ...]
    exact: float
    wrong: float
    kind: float
    in_order: float


# Way to publish, numbers of candidates. Scales in days; ε of an episode is 2 / scale.
COMPARED: tuple[tuple[Way, tuple[int, ...]], ...] = (
    (Mechanism("shift only, 14", 0, 14, "patient", None), SIZES[:1]),
    (Mechanism("own noise of each day, 14 and 4 (`metric`)", 14, 4, "day", None), SIZES[:1]),
    (Mechanism("stays by whole weeks, 180 and 60", 180, 60), SIZES[:1]),
    (Mechanism("the same, and own noise of each day, 0.3", 180, 60, jitter=0.3), SIZES[:1]),
    (Mechanism("stays within a part of the week, 180 and 180", 180, 180, parts=PARTS), SIZES[:1]),
    (Mechanism("stays by whole weeks, 180 and 180", 180, 180), SIZES[:1]),
    (Mechanism("stays by whole weeks, 180 and 400 (`default`)", 180, 400), SIZES),
    (Mechanism("stays by any days, each brought to its kind", 180, 60, parts=ANY_DAY, together=-1), SIZES[:1]),
    (Mechanism("stays by any days, 180 and 60", 180, 60, parts=None), SIZES[:1]),
    (Mechanism("own noise of each day, 180 and 90", 180, 90, "day", None), SIZES[:1]),
    (Mechanism("own noise of each day, 365 and 180 (`strict`)", 365, 180, "day", None), SIZES),
    (Generalised("months (`generalise`)", "M"), SIZES[:1]),
    (Generalised("years (`generalise`)", "Y"), SIZES[:1]),
    (TimeChange("changed time, 180 and shape 0.15", 180, 0.15), SIZES[:1]),
)


def study(true: Histories, targets: int = 1_000, step: Callable[[str], object] = lambda _what: None) -> Iterator[Row]:
    """Yield a row for each way of `COMPARED`, on the dates of as many patients as the greatest of `SIZES`."""
    for mechanism, sizes in COMPARED:
        one = true.head(max(sizes[-1], 16 * sizes[0]))
        found = [each for known in KNOWN for each in find(one, mechanism, known, sizes, targets)]
        yield Row(mechanism.name, tuple(found), *utility(true.head(1_000), mechanism))
        step(mechanism.name)


def utility(true: Histories, mechanism: Way, seed: int = 1) -> tuple[float, float, float, float]:
    """Return the shares of `Row`: short gaps kept to the day, changed by more than half, kinds, documents in order.

    The order of a document's dates is restored, as in `deid.substitution.temporal.order`.
    """
    published = mechanism.publish(true, np.random.default_rng(seed))
    documents = list(_documents(true, published))
    gaps = np.concatenate([np.diff(one) for one in documents], axis=1)
    short = gaps[:, gaps[0] <= _SHORT]
    change = np.abs(short[1] - short[0])
    weekends = is_weekend(np.concatenate(documents, axis=1))
    own = np.flatnonzero(true.own)
    own = own[np.lexsort((true.day[own], true.patient[own]))]
    next_to = (np.diff(true.patient[own]) == 0) & (np.diff(true.day[own]) > 0)
    return (
        float((change == 0).mean()),
        float((change > short[0] / 2).mean()),
        float((weekends[0] == weekends[1]).mean()),
        float((np.diff(published[own])[next_to] > 0).mean()),
    )


def _documents(true: Histories, published: Ints) -> Iterator[Ints]:
    """Yield the true days of each document, in order, and the published ones, their order restored."""
    ends = [*np.flatnonzero(np.diff(true.document, prepend=-1)), len(true.day)]
    for start, stop in pairwise(ends):
        days, at = np.unique(true.day[start:stop], return_index=True)
        own = true.own[start:stop][at]
        moved = project(
            [int(one) for one in published[start:stop][at]], [(None, None)] * len(days), list(map(bool, own))
        )
        yield np.array([days, moved])


def page(rows: Sequence[Row], patients: int, models: int) -> str:
    """Return the study as a page of Markdown."""
    parts = [
        "# What three known dates find",
        "Written by `python -m benchmarks.known_dates` (`make attacks`): the same figures on every machine. The "
        "attacker knows three true dates of a patient, which of them share a stay and whether it lasted a day, the "
        "policy, its laws, the law of arrival of stays, and which published documents share a stay; he lacks the "
        "secret. He computes the likelihood of each candidate, exact but for the step of the sum over shifts "
        "(`nocturne_lab.evaluation.attacks.informed`).",
        f"Dates of {patients:,} patients, drawn by the synthetic hospital's laws of stays and documents; dates told "
        f"are those of {models:,} of its texts, counted from the first day of the stay. Found: share of targets ranked "
        "first, its upper 95 % bound (Clopper–Pearson, one side), number of targets. Candidates, secret and known "
        "dates are drawn anew for each group of 320 patients.",
        f"![{PLOT}]({PLOT})",
        "Scales are those of the patient's shift and of the noise around it, in days; ε of an episode is 2 / scale. "
        f"Gaps: of up to {_SHORT} days between neighbouring dates of a document, kept to the day, or changed by more "
        "than half. Kind: days of a document that stay working days or days of a weekend. In order: a patient's "
        "successive documents, of two days. Stays of two days or more move by whole weeks, or within a part of the "
        "week (Monday to Wednesday, Thursday, Friday, the weekend; a day of it more than three days after the first, "
        "or before it, then to the nearest day of its kind). A stay of one day keeps its kind, where stays do not move "
        "by any days. "
        "Changed time is compared, not shipped; there the law of arrival is not used.",
        _table(
            ("way to publish", "candidates", *KNOWN, "gaps exact", "wrong by half", "kind", "in order"),
            [line for row in rows for line in _lines(row)],
        ),
        "What decides is less the noise than what is kept exactly: the weekday of a stay or the part of its week, "
        "whether it lasted a day, the days between its dates. A policy that keeps them for research keeps them for "
        "whoever knows them too.",
    ]
    return "\n\n".join(parts) + "\n"


def _lines(row: Row) -> Iterator[Sequence[str]]:
    for size in dict.fromkeys(one.candidates for one in row.found):
        cells = [
            f"{one.share:.1%} ({one.most:.1%}), {one.targets:,}"
            for known in KNOWN
            for one in row.found
            if (one.known, one.candidates) == (known, size)
        ]
        first = size == row.found[0].candidates
        shares = (row.exact, row.wrong, row.kind, row.in_order)
        kept = tuple(f"{one:.1%}" if first else "" for one in shares)
        yield (row.name if first else "", f"{size:,}", *cells, *kept)


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [head, ["---", *(["---:"] * (len(head) - 1))], *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def plot(rows: Sequence[Row], path: Path) -> str:
    """Write the frontier: patients found among 320, by short gaps kept to the day; return the file's name."""
    with mpl.rc_context(STYLE):
        return saved(path, _figure(rows))


def _figure(rows: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    marks = {"three stays": "o", "at random": "s", "in the text": "^"}
    for at, row in enumerate(rows):
        for one in row.found:
            if one.candidates == SIZES[0] and one.known in marks:
                axes.plot(row.exact, one.share, marks[one.known], color=f"C{at}", alpha=0.9)
        axes.plot([], [], "o", color=f"C{at}", label=row.name.replace("`", ""))
    for known, mark in marks.items():
        axes.plot([], [], mark, color="#444444", markerfacecolor="none", label=f"known {known}")
    axes.set_xlabel(f"gaps of up to {_SHORT} days kept to the day")
    axes.set_ylabel(f"patients found, of {SIZES[0]}")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1))
    figure.legend(loc="outside right upper", fontsize=7)
    return figure
