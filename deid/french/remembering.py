"""Pure functions of one text that are asked for the same texts again and again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class _Answers(dict[Key, Value]):
    """What a function gives for each argument, found out on first sight, forgotten and begun again when full."""

    def __init__(self, function: Callable[[Key], Value], entries: int) -> None:
        super().__init__()
        self._function = function
        self._entries = entries

    def __missing__(self, key: Key) -> Value:
        if len(self) >= self._entries:
            self.clear()
        answer = self[key] = self._function(key)
        return answer


def remembering(entries: int) -> Callable[[Callable[[Key], Value]], Callable[[Key], Value]]:
    """A decorator that keeps so many answers; without the order that `lru_cache` keeps them in, half the time a hit."""

    def decorated(function: Callable[[Key], Value]) -> Callable[[Key], Value]:
        return _Answers(function, entries).__getitem__

    return decorated
