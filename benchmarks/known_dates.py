"""Look for patients by three known dates under every way to publish dates; write `known_dates.md` and its plot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from tqdm import tqdm

from demo.dates import histories
from demo.population import population
from nocturne_lab.evaluation.attacks.document_dates import publish_dates
from nocturne_lab.evaluation.attacks.frontier import COMPARED, SHORT, SIZES, Row, study
from nocturne_lab.evaluation.attacks.informed import KNOWN
from nocturne_lab.evaluation.attacks.inputs import with_dates
from nocturne_lab.evaluation.attacks.plots import STYLE, saved

MODELS = 320
PLOT = "known_dates.svg"


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
        f"Gaps: of up to {SHORT} days between neighbouring dates of a document, kept to the day, or changed by more "
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
    axes.set_xlabel(f"gaps of up to {SHORT} days kept to the day")
    axes.set_ylabel(f"patients found, of {SIZES[0]}")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1))
    figure.legend(loc="outside right upper", fontsize=7)
    return figure


def main(arguments: list[str] | None = None) -> int:
    """Write the page and the plot into a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_dates", description=__doc__)
    parser.add_argument("--models", type=int, default=MODELS, help="patients with texts (default: %(default)s)")
    parser.add_argument("--targets", type=int, default=1_000, help="per attack, at least (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder (default: %(default)s)")
    given = parser.parse_args(arguments)
    policy = with_dates("metric")
    models = publish_dates(population(given.models).records, policy)
    dates = policy.substitution.dates
    true = histories(SIZES[-1], models, dates.days_before, dates.days_after)
    with tqdm(total=len(COMPARED), desc="known dates", file=sys.stderr) as bar:

        def step(what: str) -> None:
            bar.set_postfix_str(what)
            bar.update()

        rows = list(study(true, given.targets, step))
    plot(rows, given.out / PLOT)
    target = given.out / "known_dates.md"
    target.write_text(page(rows, true.patients, len(models)), encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
