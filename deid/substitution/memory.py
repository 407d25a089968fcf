"""What was computed for a patient's documents and holds for all of them, kept while a batch is worked through.

A draw is a function of the key, the scope and the question, so one that is kept is the one that would be made again:
remembering changes nothing but time. Only what depends on no other part of a document may be kept here. It is as secret
as the documents and the key, lives in the process alone, and ends with the substitutor.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Any, Generic, TypeVar, cast

from deid.privacy import Streams

Item = TypeVar("Item")

_SCOPES = 512
_ENTRIES = 1 << 14  # per scope: beyond, which only the whole corpus as a scope reaches, it is forgotten and begun again


class Row(Generic[Item]):
    """A row of draws, endless or not, kept as far as it was read, so that each reader gets the same from its start."""

    __slots__ = ("_drawn", "_source")

    def __init__(self, source: Iterator[Item]) -> None:
        self._source = source
        self._drawn: list[Item] = []

    def first(self) -> Item | None:
        """The first draw, nearly always the only one that is asked for; None where there is none."""
        if not self._drawn:
            drawn = next(self._source, self)
            if drawn is self:
                return None
            self._drawn.append(cast(Item, drawn))
        return self._drawn[0]

    def __iter__(self) -> Iterator[Item]:
        yield from self._drawn
        place = len(self._drawn)
        while True:
            if place == len(self._drawn):
                drawn = next(self._source, self)
                if drawn is self:
                    return  # a mechanism that gives none
                self._drawn.append(cast(Item, drawn))
            yield self._drawn[place]
            place += 1


class Shelf:
    """What is known of one scope: its streams, and by question what was computed."""

    __slots__ = ("known", "streams")

    def __init__(self, streams: Streams) -> None:
        self.streams = streams
        self.known: dict[Hashable, Any] = {}


class Memory:
    """Shelves of the scopes that were last worked on, under one key and policy."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._shelves: OrderedDict[tuple[str, str], Shelf] = OrderedDict()

    def of(self, scope: tuple[str, str]) -> Shelf:
        """The shelf of a scope."""
        shelf = self._shelves.get(scope)
        if shelf is None:
            shelf = self._shelves[scope] = Shelf(Streams(self._secret, *scope))
            if len(self._shelves) > _SCOPES:
                self._shelves.popitem(last=False)
        else:
            self._shelves.move_to_end(scope)
            if len(shelf.known) > _ENTRIES:
                shelf.known.clear()
        return shelf
