"""What the words of a text say, one after another, to someone who looks for names that open with them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Generic, TypeVar

from marisa_trie import Trie

_KEPT = 1 << 17

Found = TypeVar("Found")


class Steps(dict[str, "tuple[Found, Steps[Found] | None] | None"], Generic[Found]):
    """Word → what the words so far name together with it, and the steps from there on where a longer name has them.

    None where no name opens with these words. A step is asked of the trie once and kept, since words come back: most
    open no name, and cost no more than a dictionary's answer. `room` is how many more are kept, negative when it is
    time to begin anew.
    """

    __slots__ = ("_name", "_trie", "_what", "room")

    def __init__(self, trie: Trie, what: Callable[[str], Found], name: str = "", room: list[int] | None = None) -> None:
        self._trie, self._what, self._name = trie, what, name
        self.room = [_KEPT] if room is None else room

    def __missing__(self, word: str) -> tuple[Found, Steps[Found] | None] | None:
        name = f"{self._name}{word} "
        opened = list(islice(self._trie.iterkeys(name), 2)) if word else ()
        step: tuple[Found, Steps[Found] | None] | None = None
        if opened:
            goes_on = len(opened) > 1 or opened[0] != name
            step = self._what(name), Steps(self._trie, self._what, name, self.room) if goes_on else None
        self[word] = step
        self.room[0] -= 1
        return step
