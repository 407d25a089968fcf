"""Folders of servers that tests start: in memory where there is room, since nothing in them outlives the test.

Files of a database that is made, copied and dropped for one test cost three times the processor's time on a disk, and
Airflow's SQLite waits for the disk at each commit.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - each folder there is made by mkdtemp
ROOM = 6 << 30  # bytes free there and in memory: a server takes 66 MiB, and about 13 for each database


def make_server_folder(prefix: str = "nocturne-tests-") -> Path:
    """Make a folder, which the caller removes.

    Not under pytest's own: each new pytest closes that one to other users, PostgreSQL's among them.
    """
    return Path(tempfile.mkdtemp(prefix=prefix, dir=MEMORY if has_room() else None))


def has_room() -> bool:
    """Return whether `MEMORY` is a file system of memory with room for servers."""
    if not MEMORY.is_mount() or not os.access(MEMORY, os.W_OK):
        return False
    free = os.statvfs(MEMORY)
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    available = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))
    return min(free.f_bavail * free.f_frsize, available) > ROOM
