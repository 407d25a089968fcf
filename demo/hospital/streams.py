"""Seeded random streams, the only source of randomness in the synthetic hospital."""

from __future__ import annotations

import random


class Stream(random.Random):
    """A Mersenne Twister seeded by a name, with the same draws on any machine. Nothing drawn is secret."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
