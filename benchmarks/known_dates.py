"""Look for patients by three known dates under every way to publish dates; write `known_dates.md` and its plot."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from demo.dates import histories
from demo.population import population
from nocturne_lab.evaluation.attacks.document_dates import publish_dates
from nocturne_lab.evaluation.attacks.frontier import COMPARED, PLOT, SIZES, page, plot, study
from nocturne_lab.evaluation.attacks.inputs import with_dates

MODELS = 320


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
