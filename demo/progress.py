"""Progress of the demo on standard output: one line per change, with the time since the start."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TextIO

from demo.rest import ENDED, AirflowRefused, Interface, check_alive

POLL_S = 1.5
DONE = frozenset({"success", "skipped"})
BROKEN = frozenset({"failed", "upstream_failed"})


@dataclass
class Progress:
    """Writes lines to `out`, with the minutes and seconds since its creation."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    began: float = field(default_factory=time.monotonic)

    def say(self, line: str) -> None:
        """Write one line with the elapsed time."""
        minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
        self.plain(f"[{minutes:2d}:{seconds:02d}] {line}")

    def plain(self, line: str = "") -> None:
        """Write one line without the time."""
        self.out.write(f"{line}\n")
        self.out.flush()


@dataclass
class Follower:
    """Follows runs of Airflow and prints their changes. `meanwhile` is called at each poll, to answer questions."""

    interface: Interface
    progress: Progress
    meanwhile: Callable[[], None] = lambda: None
    alive: Callable[[], bool] = lambda: True

    def follow(self, dag_id: str, run_id: str, about: str) -> str:
        """Wait for the end of a run; return its state.

        Raises:
            AirflowRefused: Airflow has ended, or the run is gone.
        """
        seen: dict[str, tuple[int, int]] = {}
        while True:
            run = self.interface.run(dag_id, run_id)
            if run is None:
                raise AirflowRefused(f"run {run_id} of {dag_id} is gone.", "Run `make demo` again.")
            for line in changes(seen, self.interface.steps(dag_id, run_id)):
                self.progress.say(f"{dag_id} ({about}) : {line}")
            if run["state"] in ENDED:
                return str(run["state"])
            self.wait()

    def wait(self) -> None:
        """Wait for one poll interval, then call `meanwhile`.

        Raises:
            AirflowRefused: Airflow has ended.
        """
        self.rest()
        self.meanwhile()

    def rest(self) -> None:
        """Wait for one poll interval.

        Raises:
            AirflowRefused: Airflow has ended.
        """
        check_alive(self.alive)
        time.sleep(POLL_S)


def changes(seen: dict[str, tuple[int, int]], steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the changes since `seen`, and update `seen`: "detect 3/5", "plan fait", "publish en échec"."""
    done: Counter[str] = Counter()
    total: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for step in steps:
        name = step["task_id"].rpartition(".")[2]
        total[name] += 1
        done[name] += step["state"] in DONE
        skipped[name] += step["state"] == "skipped"
        broken[name] += step["state"] in BROKEN
    lines = []
    for name, number in total.items():
        now = (done[name], broken[name])
        if now == seen.get(name, (0, 0)):
            continue
        seen[name] = now
        if broken[name]:
            lines.append(f"{name} en échec")
        elif skipped[name] < number:
            lines.append(f"{name} {done[name]}/{number}" if number > 1 else f"{name} fait")
    return lines
