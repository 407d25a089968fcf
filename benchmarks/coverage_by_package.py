"""Branch coverage by package of `deid` and `nocturne_lab`, in the last run of all tests, `make verdict`.

    python -m benchmarks.coverage_by_package            print a table; exit status 1 where a package is below its floor
    python -m benchmarks.coverage_by_package --record   raise the floors to what is reached, at most MOST

Measured by slipcover in the processes that run tests, not in the commands and Airflow components that tests start.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.verdict import COVERAGE

FLOORS = Path(__file__).parent / "coverage.json"
MOST = 85.0  # percent of branches: above it, a floor asks for tests that tell nothing
SLACK = 1.0  # points: which branch a busy machine takes differs between runs
COUNTS = ("covered_lines", "missing_lines", "covered_branches", "missing_branches")


def by_package(files: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the counts of COUNTS by package of `deid`, its modules as "(top)", and of `nocturne_lab`."""
    packages: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for name, file in files.items():
        top, first, *rest = Path(name.removeprefix("lab/")).parts
        package = first if rest else "(top)"
        for count in COUNTS:
            packages[package if top == "deid" else f"{top}.{package}"][count] += file["summary"][count]
    return dict(sorted(packages.items()))


def share(counts: Mapping[str, int], of: str) -> float:
    """Return the percentage that is covered of "lines" or "branches"; 100 of none."""
    whole = counts[f"covered_{of}"] + counts[f"missing_{of}"]
    return 100 * counts[f"covered_{of}"] / whole if whole else 100.0


def raised(floors: Mapping[str, float], reached: Mapping[str, float]) -> dict[str, float]:
    """Return the floors of the packages that are there, none lower than it was."""
    return {
        name: max(floors.get(name, 0.0), min(MOST, float(int(value - SLACK))))
        for name, value in sorted(reached.items())
    }


def main(arguments: list[str]) -> int:
    """Print a Markdown table: package, lines, share of lines covered, of branches, floor; return the exit status."""
    if not COVERAGE.exists():
        print(f"{COVERAGE} is not there: run `make verdict` first.", file=sys.stderr)
        return 1
    packages = by_package(json.loads(COVERAGE.read_text(encoding="utf-8"))["files"])
    floors = json.loads(FLOORS.read_text(encoding="utf-8")) if FLOORS.exists() else {}
    reached = {name: share(counts, "branches") for name, counts in packages.items()}
    if "--record" in arguments:
        floors = raised(floors, reached)
        FLOORS.write_text(json.dumps(floors, indent=1) + "\n", encoding="utf-8")
    print("| Package | Lines | covered | Branches covered | Floor |\n|---|---:|---:|---:|---:|")
    for name, counts in packages.items():
        lines = counts["covered_lines"] + counts["missing_lines"]
        floor = floors.get(name, MOST)
        print(f"| {name} | {lines} | {share(counts, 'lines'):.0f} % | {reached[name]:.1f} % | {floor:.0f} % |")
    below = [name for name in reached if reached[name] < floors.get(name, MOST)]
    if below:
        print(f"below their floor of covered branches: {', '.join(below)}", file=sys.stderr)
    return int(bool(below))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
