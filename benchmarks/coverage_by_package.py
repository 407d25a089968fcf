"""Branch coverage of `deid` by package, from the `.coverage` file of the last run: `make coverage`.

    python -m benchmarks.coverage_by_package [--record]

Exit status 1 where a package covers a smaller share of its branches than benchmarks/coverage.json records: a floor that
only rises, up to 85 %. `--record` raises it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from coverage import Coverage

COUNTS = ("covered_lines", "num_statements", "covered_branches", "num_branches")
RECORD = Path(__file__).with_name("coverage.json")
ENOUGH = 85  # per cent of branches; beyond it a floor asks for tests that tell nothing


def measured() -> dict[str, dict[str, int]]:
    """Return the counts of `COUNTS` by package."""
    found = Coverage()
    found.load()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        found.json_report(outfile=str(report))
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    packages: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for name, file in files.items():
        _, first, *rest = Path(name).parts
        package = packages[first if rest else "(top)"]
        for count in COUNTS:
            package[count] += file["summary"].get(count, 0)
    return packages


def branches(counts: Mapping[str, int]) -> float:
    """Return the share of a package's branches that ran, in per cent."""
    return 100 * counts["covered_branches"] / max(counts["num_branches"], 1)


def main(*, record: bool = False) -> int:
    """Print a Markdown table: package, statements, shares of lines and branches, floor; return the exit status."""
    packages = measured()
    floors = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if record:
        shares = {name: min(ENOUGH, int(branches(counts))) for name, counts in sorted(packages.items())}
        floors = {name: max(share, floors.get(name, 0)) for name, share in shares.items()}
        RECORD.write_text(json.dumps(floors, indent=2) + "\n", encoding="utf-8")
    print("| Package | Statements | Lines | Branches | Floor |\n|---|---:|---:|---:|---:|")
    for name, counts in sorted(packages.items()):
        lines = 100 * counts["covered_lines"] / max(counts["num_statements"], 1)
        shares = f"{lines:.0f} % | {branches(counts):.1f} % | {floors.get(name, 0)} %"
        print(f"| {name} | {counts['num_statements']} | {shares} |")
    below = [name for name, counts in packages.items() if branches(counts) < floors.get(name, 0)]
    for name in below:
        print(f"{name}: fewer of its branches run than the {floors[name]} % recorded.", file=sys.stderr)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(record="--record" in sys.argv))
