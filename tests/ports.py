"""TCP ports that no other test and no outgoing connection takes, for servers that must know theirs beforehand."""

from __future__ import annotations

import fcntl
import os
import random
import tempfile
from pathlib import Path
from typing import IO

from deid.database.embedded import port_taken

# Below the ports that Linux gives to outgoing connections (32768 and above).
RANGE = range(20_000, 32_000)
_reserved: list[IO[str]] = []


def reserve_port() -> int:
    """Return a free port, reserved for this process by a lock that ends with it."""
    folder = Path(tempfile.gettempdir()) / f"nocturne-ports-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    for port in random.SystemRandom().sample(RANGE, len(RANGE)):
        handle = (folder / str(port)).open("w", encoding="ascii")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            continue
        if not port_taken(port):
            _reserved.append(handle)
            return port
        handle.close()
    raise OSError("every port that tests may take is taken")
