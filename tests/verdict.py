"""Every test once; the few that fail once more, alone: one unlucky test does not decide what a whole run says.

    python -m tests.verdict [ARGUMENTS OF PYTEST]

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

NEVER = ("tests/privacy/", "tests/dags/test_canary.py")
MOST = 2  # tests that may have been unlucky in one run
PASSED, FAILED = 0, 1


def judge(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Run the tests of a checkout, then those that failed; return the exit status."""
    cache = root / ".pytest_cache" / "verdict"
    shutil.rmtree(cache, ignore_errors=True)
    command = [sys.executable, "-X", "faulthandler", "-m", "pytest", "-rfEs", "-o", f"cache_dir={cache}"]
    status = subprocess.run([*command, *arguments], cwd=root, check=False).returncode
    failed = _failed(cache)
    if status != FAILED or not 0 < len(failed) <= MOST or any(test.startswith(NEVER) for test in failed):
        return status
    for test in failed:
        print(f"\nOnce more, alone: {test}", flush=True)
        if subprocess.run([*command, "-p", "no:xdist", test], cwd=root, check=False).returncode != PASSED:
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
