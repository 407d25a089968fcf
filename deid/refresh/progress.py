"""How far a long job has come: a bar on a terminal, now and then a line of counts in a log."""

from __future__ import annotations

import logging
import sys
import time

from tqdm import tqdm

logger = logging.getLogger(__name__)

EVERY_S = 15.0


class Progress:
    """Counts what is done of `total` units (None where nobody knows)."""

    def __init__(self, what: str, unit: str, total: int | None = None, done: int = 0) -> None:
        self._what, self._unit, self._total, self._done = what, unit, total, done
        self._said = time.monotonic()
        self._bar = tqdm(
            desc=what,
            total=total,
            initial=done,
            unit=unit,
            unit_scale=True,
            leave=False,
            disable=not sys.stderr.isatty(),
        )

    def add(self, count: int) -> None:
        """`count` units more are done."""
        self._done += count
        self._bar.update(count)
        if self._bar.disable and time.monotonic() - self._said > EVERY_S:
            self._said = time.monotonic()
            self._say()

    def end(self) -> None:
        """Nothing more is to come."""
        self._bar.close()
        if self._bar.disable:
            self._say()

    def _say(self) -> None:
        of = f" of {self._total}" if self._total else ""
        logger.info("%s: %s%s %s", self._what, self._done, of, self._unit)
