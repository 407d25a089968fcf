"""Branch coverage of `deid` by package, from the `.coverage` file of the last run: `make coverage`."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from pathlib import Path

from coverage import Coverage

COUNTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def main() -> None:
    """Print a Markdown table: package, statements, share of lines covered, share of branches covered."""
    measured = Coverage()
    measured.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        measured.json_report(outfile=str(report))
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    packages: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for name, file in files.items():
        _, first, *rest = Path(name).parts
        package = packages[first if rest else "(top)"]
        for count in COUNTS:
            package[count] += file["summary"].get(count, 0)
    print("| Package | Statements | Lines | Branches |\n|---|---:|---:|---:|")
    for name, counts in sorted(packages.items()):
        lines = counts["covered_lines"] / max(counts["num_statements"], 1)
        branches = counts["covered_branches"] / max(counts["num_branches"], 1)
        print(f"| {name} | {counts['num_statements']} | {lines:.0%} | {branches:.0%} |")


if __name__ == "__main__":
    main()
