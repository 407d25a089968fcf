"""Workers whose clocks are an hour off: what they publish, and what the ledger says of when."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from deid.nightly import steps
from tests import ROOT
from tests.conftest import Database, Deploy
from tests.database.warehouse.nights import night, published, reasons, states
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put

COMPILER = shutil.which("cc")
# What the C library answers of the time of day, an hour or so off; a clock of how long something takes stays.
CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t which, struct timespec *told) {
    int (*asked)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = asked(which, told);
    if (which == CLOCK_REALTIME) told->tv_sec += atol(getenv("SECONDS_OFF"));
    return failed;
}
"""
EARLY, LATE = -3600, 3600
REST_OF_THE_NIGHT = """
from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval
for step in (steps.detect, steps.substitute, steps.validate):
    step({run}, {batch})
publish_interval(steps.stage({run})["interval_key"])
make_visible("nightly")
"""


def fill(hospital: Database) -> None:
    """One letter."""
    open_hospital(hospital)
    put(hospital, "letter")


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler (Debian: apt install gcc)")
@pytest.mark.parametrize("seconds", [EARLY, LATE])
def test_a_worker_whose_clock_is_an_hour_off_publishes_what_others_do(
    deploy: Deploy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    (tmp_path / "policy.yaml").write_text("extends: rules\nname: clocks\n", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(tmp_path / "policy.yaml"))
    library = tmp_path / "clock.so"
    (tmp_path / "clock.c").write_text(CLOCK, encoding="ascii")
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-o", library, tmp_path / "clock.c", "-ldl"], check=True)

    def there(code: str, seconds: int) -> str:
        """Run code on a machine whose clock is so many seconds off; return what it says."""
        shifted = {"LD_PRELOAD": str(library), "SECONDS_OFF": str(seconds), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | shifted, check=True, capture_output=True, text=True
        )
        return done.stdout

    alone = deploy(fill)
    night("alone")
    told = published(alone), states(alone), reasons(alone)
    spread = deploy(fill)
    asked = "import time; print(time.time())"
    assert float(there(asked, LATE)) - float(there(asked, EARLY)) == pytest.approx(LATE - EARLY, abs=120)
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="spread")
    there(REST_OF_THE_NIGHT.format(run=batch["run_id"], batch=batch["batch_id"]), seconds)
    assert (published(spread), states(spread), reasons(spread)) == told
    assert len(told[0]) == 1
    times = "SELECT now() - started_at, now() - active_at, now() - finished_at FROM deid.run"
    assert all(timedelta() <= ago < timedelta(minutes=10) for ago in spread.rows(times)[0])
