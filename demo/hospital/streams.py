"""Seeded streams of chance: the only source of it in the fictional hospital."""

from __future__ import annotations

import random


class Stream(random.Random):
    """A Mersenne Twister seeded by name: the same name gives the same draws on any machine.

    Nothing drawn from it is secret: it invents people, it does not protect any.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
