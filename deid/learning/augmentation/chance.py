"""Seeded chance for altering documents."""

from __future__ import annotations

import random


class Chance(random.Random):
    """A Mersenne Twister seeded by name: the same name gives the same draws on any machine. It hides nothing."""

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def once(self, rate: float) -> bool:
        """True with probability `rate`."""
        return self.random() < rate

    def digits(self, count: int) -> str:
        """That many digits, each drawn evenly."""
        return f"{self.randrange(10**count):0{count}d}"
