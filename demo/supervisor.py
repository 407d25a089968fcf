"""Starts Airflow's components and ends them together: `python -m demo.supervisor LOGS [--detached]`.

The supervisor leads a session. When one component ends, or on SIGTERM, all end. Unless detached, the supervisor also
reads its standard input, a pipe from the starting process: the session ends with that
process, even by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from demo.airflow import kill_session

COMPONENTS = {
    "api-server": ["api-server"],
    "scheduler": ["scheduler", "--skip-serve-logs"],
    "dag-processor": ["dag-processor"],
    "triggerer": ["triggerer", "--skip-serve-logs"],
}
TERMINATE_S = 20


def main(arguments: list[str]) -> int:
    """Migrate Airflow's database, run the components until one ends; return 0 if the end was requested, else 1."""
    logs = Path(arguments[0])
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if "--detached" not in arguments:
        threading.Thread(target=watch_starter, daemon=True).start()
    if airflow(["db", "migrate"], logs / "migrate.log").wait() != 0:
        sys.stderr.write(f"Airflow could not prepare its database: {logs / 'migrate.log'}\n")
        return 1
    components = {name: airflow(command, logs / f"{name}.log") for name, command in COMPONENTS.items()}
    while not stop.wait(0.5):
        ended = [name for name, process in components.items() if process.poll() is not None]
        if ended:
            sys.stderr.write(f"ended by itself: {', '.join(ended)}\n")
            break
    finish(list(components.values()))
    return 0 if stop.is_set() else 1


def airflow(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    """Start one `airflow` command, its output added to `log`."""
    with log.open("ab") as sink:
        return subprocess.Popen(  # noqa: S603 - our own environment's program
            [sys.executable, "-m", "airflow", *command],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )


def finish(components: list[subprocess.Popen[bytes]]) -> None:
    """Ask the components to end, give them time, then end the session."""
    for process in components:
        if process.poll() is None:
            process.terminate()
    deadline = time.monotonic() + TERMINATE_S
    while any(process.poll() is None for process in components) and time.monotonic() < deadline:
        time.sleep(0.2)
    kill_session(os.getpid())


def watch_starter() -> None:
    """Wait for the end of standard input, then kill the session."""
    while sys.stdin.buffer.read(1):
        pass
    kill_session(os.getpid())
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
