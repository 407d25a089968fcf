"""Look for patients by three known times of day under every strategy for them; write `known_times.md`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from demo.population import SEED, population
from nocturne_lab.evaluation.attacks.known_times import TIME_STRATEGIES, known_times, times_page

PATIENTS, GROUPS = 320, 3


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
