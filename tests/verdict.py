"""Every test once; the modules of the few that fail once more, alone: one unlucky test does not decide of a run.

    python -m tests.verdict [ARGUMENTS OF PYTEST]

Branch coverage of `deid` and `nocturne_lab` is measured beside: benchmarks/coverage_by_package.py holds it to a floor.
Exit status 0: all passed, or at most two failed that passed alone; the last lines name these as FLAKY, a defect to
mend. A test that looks for leaks is not asked twice.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests import ROOT

COVERAGE = ROOT / "var" / "coverage.json"  # of the last run, as slipcover writes it
NEVER = ("tests/privacy/", "tests/dags/test_canary.py")
MOST = 2  # tests that may have been unlucky in one run
PASSED, FAILED = 0, 1


def judge(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run the tests of a checkout, then those that failed; return the exit status."""
    cache = root / ".pytest_cache" / "verdict"
    shutil.rmtree(cache, ignore_errors=True)
    python, pytest = [sys.executable, "-X", "faulthandler"], ["-m", "pytest", "-rfEs", "-o", f"cache_dir={cache}"]
    command = [*python, *pytest]
    COVERAGE.parent.mkdir(exist_ok=True)
    slipcover = ["-m", "slipcover", "--branch", "--source", "deid,lab/nocturne_lab", "--json", "--out", str(COVERAGE)]
    measured = slipcover if root == ROOT else []
    status = subprocess.run([*python, *measured, *pytest, *arguments], cwd=root, check=False).returncode
    failed = _failed(cache)
    if status != FAILED or not 0 < len(failed) <= MOST or any(test.startswith(NEVER) for test in failed):
        return status
    for module in sorted({test.partition("::")[0] for test in failed}):  # with the tests of its story that go before
        print(f"\nOnce more, alone: {module}", flush=True)
        if subprocess.run([*command, "-p", "no:xdist", module], cwd=root, check=False).returncode != PASSED:
            return status
    for test in failed:
        print(f"FLAKY {test}: failed beside others, passed alone. Mend its cause.")
    return PASSED


def _failed(cache: Path) -> list[str]:
    """Return the ids of the tests that failed in the last run, sorted: processes end in any order."""
    path = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


if __name__ == "__main__":
    sys.exit(judge(sys.argv[1:]))
