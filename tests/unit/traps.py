"""An annotator that some documents stop, as a defect of a pattern or of a library would."""

from __future__ import annotations

import ctypes
import re
import signal
from collections.abc import Iterator

from deid.detection.text.reading import Reading
from deid.domain.document import Mention

LOOP, LOCK, GROW, HUGE, CRASH = "PIEGEBOUCLE", "PIEGEVERROU", "PIEGECROISSANCE", "PIEGEGEANT", "PIEGEMORT"


class Trap:
    """Finds nothing. A word of the text makes it loop, lock, grow, ask for too much or crash."""

    name = "trap"

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Spring the trap that the text names."""
        if LOOP in reading.text:
            re.match(r"(a+)+$", "a" * 60 + "b")
        if LOCK in reading.text:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})  # a busy library would not be interrupted
            ctypes.PyDLL(None).sleep(600)  # holds the interpreter's lock, and no signal handler runs
        if GROW in reading.text:
            held = []
            while True:
                held.append(bytearray(1 << 20))
        if HUGE in reading.text:
            bytearray(1 << 46)
        if CRASH in reading.text:
            ctypes.string_at(0)
        return iter(())
