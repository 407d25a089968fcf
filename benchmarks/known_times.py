"""Look for patients by three known times of day under every strategy for them; write `known_times.md`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from demo.population import SEED, population
from nocturne_lab.evaluation.attacks import known_times as study
from nocturne_lab.evaluation.attacks.known_times import KNOWN_OF, TIME_STRATEGIES, TimesFound, TimesRow, known_times

PATIENTS, GROUPS = 320, 3


def times_page(rows: Sequence[TimesRow], patients: int, groups: int) -> str:
    """Return the rows as a page of Markdown."""
    head = (
        "strategy",
        *(f"{known}, targets" for known in KNOWN_OF),
        "order told",
        "error of a delay, minutes",
        "left to the minute",
    )
    lines = [
        (_name(row.strategy), *map(_cell, row.found), f"{row.ordered:.1%}", f"{row.error:.0f}", f"{row.exact:.1%}")
        for row in rows
    ]
    table = [head, ("---", *["---:"] * (len(head) - 1)), *lines]
    parts = [
        "# What three known times of day find",
        "Written by `python -m benchmarks.known_times` (`make attacks`): the same figures on every machine. "
        + " ".join((study.__doc__ or "").partition("\n\n")[2].split()),
        f"{patients * groups} patients of the synthetic hospital in {groups} groups of {patients}, each looked for in "
        "its group; eight documents for each patient; times as detection finds them, other mentions the true ones. "
        "Found: share of targets ranked first, its 95 % interval (Clopper–Pearson), number of targets: patients with a "
        "document, a stay, or documents together, that tell three different times. "
        f"Chance: {1 / patients:.1%}.",
        "\n".join("| " + " | ".join(line) + " |" for line in table),
        "Order told: neighbouring times of a document, of different minutes, of which the published text still says "
        "which is the first. Error: of the delay between them, where each published time is taken as the middle of "
        "what it leaves. Research loses the difference to the first line. Left to the minute: times that detection "
        "took for a duration, or did not see.",
    ]
    return "\n\n".join(parts) + "\n"


def _name(strategy: str) -> str:
    return {"keep": "keep (`default`)", "part_of_day": "part_of_day (`strict`)"}.get(strategy, strategy)


def _cell(found: TimesFound) -> str:
    low, high = found.interval
    return f"{found.hits / found.targets:.1%} ({low:.1%} to {high:.1%}), {found.targets}"


def main(arguments: list[str] | None = None) -> int:
    """Write the page into a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_times", description=__doc__)
    parser.add_argument("--patients", type=int, default=PATIENTS, help="of each group (default: %(default)s)")
    parser.add_argument("--groups", type=int, default=GROUPS, help="hospitals of their own (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder (default: %(default)s)")
    given = parser.parse_args(arguments)
    hospitals = [population(given.patients, SEED + at) for at in range(given.groups)]
    rows = list(tqdm(known_times(hospitals), total=len(TIME_STRATEGIES), desc="known times", file=sys.stderr))
    target = given.out / "known_times.md"
    target.write_text(times_page(rows, given.patients, given.groups), encoding="utf-8")
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
