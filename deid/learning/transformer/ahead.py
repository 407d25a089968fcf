"""Work prepared by a thread while the device is busy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from queue import Queue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Made(Generic[T]):
    item: T


def prepared(make: Callable[[], Iterable[T]], most: int) -> Iterator[T]:
    """What `make()` gives, in its order, prepared by a thread that runs at most `most` ahead.

    What `make()` raises is raised here, in its turn.
    """
    queue: Queue[_Made[T] | Exception | None] = Queue(most)
    left = False

    def fill() -> None:
        try:
            for item in make():
                queue.put(_Made(item))
                if left:
                    return
        except Exception as error:
            queue.put(error)
        else:
            queue.put(None)

    thread = Thread(target=fill, daemon=True)
    thread.start()
    try:
        while (made := queue.get()) is not None:
            if isinstance(made, Exception):
                raise made
            yield made.item
    finally:
        left = True
        while thread.is_alive():
            while not queue.empty():
                queue.get()
            thread.join(0.05)
