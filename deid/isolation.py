"""Processing within limits of time and memory: a batch in this process, or document by document in another one.

A batch is processed here, under a clock that looks at time and memory once a second. Past its limits it is stopped and
done again in a process of its own, which is killed when a document exceeds them: that one is refused, the others go on.
A statement that never returns to the interpreter cannot be stopped here: the whole process ends (status 1), and the
next attempt must be isolated from the start (`Limits.isolated`).

`python -m deid.isolation FD` is that other process. Texts reach it through a pair of sockets, never through a file.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

from deid.domain.errors import NocturneError
from deid.domain.limits import Limits
from deid.domain.unforeseen import foreseen, kind_and_place

T = TypeVar("T")
R = TypeVar("R")

_TICK = 1.0  # seconds between two looks at time and memory
_GRACE = 60.0  # seconds past its time in which a batch must stop, before its process is ended
_START = 300.0  # seconds in which the other process must load its tables and models
_PAGE = resource.getpagesize()
_MIB = 1 << 20

log = logging.getLogger(__name__)


class _Exceeded(BaseException):
    """A batch exceeds its limits. No `Exception`, so that no handler of the code that is stopped takes it."""


def process_within(
    limits: Limits,
    function: Callable[[Sequence[T]], list[R]],
    items: Sequence[T],
    *,
    length: Callable[[T], int],
    refuse: Callable[[T], R],
    sample: T,
) -> list[R]:
    """Return `function(items)`, with the result of `refuse` for each item that exceeds the limits.

    Args:
        limits: of one item; see `Limits` for those of a batch.
        function: gives one outcome per item, in order, whatever the items beside it. It can be pickled, as items and
            outcomes can.
        items: the batch.
        length: characters of an item.
        refuse: makes the outcome of an item that exceeds the limits.
        sample: an item with which the other process loads its tables and models.

    Raises:
        NocturneError: the function raised it, or failed in the other process by an unforeseen error.
    """
    calls = _Calls(limits, function, length, sample)
    outcomes: dict[int, R] = {}
    with _Isolated(calls) as other:
        for portion in calls.portions(items):
            outcomes |= calls.process(items, portion, other)
            if not limits.isolated:
                other.end()
    return [outcomes[at] if at in outcomes else refuse(item) for at, item in enumerate(items)]


@dataclass(frozen=True, slots=True)
class _Calls(Generic[T, R]):
    """Calls of a function on the items of a batch; see `process_within`. Positions are those in the batch."""

    limits: Limits
    function: Callable[[Sequence[T]], list[R]]
    length: Callable[[T], int]
    sample: T

    def portions(self, items: Sequence[T]) -> Iterator[list[int]]:
        """Yield the positions of the items by portions of `Limits.portion` characters or little more."""
        portion: list[int] = []
        characters = 0
        for at, item in enumerate(items):
            portion.append(at)
            characters += self.length(item)
            if characters >= self.limits.portion:
                yield portion
                portion, characters = [], 0
        if portion:
            yield portion

    def process(self, items: Sequence[T], portion: Sequence[int], other: _Isolated[T, R]) -> dict[int, R]:
        """Return the outcomes of a portion by position, without the items that exceed the limits."""
        chosen = [items[at] for at in portion]
        if not self.limits.isolated:
            try:
                with _clock(self.limits, sum(map(self.length, chosen))):
                    return dict(zip(portion, self.function(chosen), strict=True))
            except (_Exceeded, MemoryError):
                log.warning("%s documents exceed time or memory together: done again one by one", len(portion))
        if self.limits.isolated and (found := other.run(chosen)) is not None:
            return dict(zip(portion, found, strict=True))
        alone = ((at, other.run([items[at]])) for at in portion)
        return {at: found[0] for at, found in alone if found is not None}


# ---- In this process


@contextmanager
def _clock(limits: Limits, characters: int) -> Iterator[None]:
    """Raise `_Exceeded` in the body once it has taken its time or memory; elsewhere than the main thread, do nothing.

    A timer of the caller, such as that of Airflow's `execution_timeout`, goes on afterwards.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    share = limits.share(characters)
    started, seconds = time.monotonic(), limits.seconds * share
    ceiling = _resident() + limits.megabytes * _MIB * share
    running = True

    def look(_signal: int, _frame: FrameType | None) -> None:
        if running and (time.monotonic() - started > seconds or _resident() > ceiling):
            raise _Exceeded

    tick = min(_TICK, limits.seconds / 4)
    handler = signal.signal(signal.SIGALRM, look)
    left, interval = signal.setitimer(signal.ITIMER_REAL, tick, tick)
    faulthandler.dump_traceback_later(seconds + _GRACE, exit=True, file=2)  # functions and lines only
    try:
        yield
    finally:
        running = False
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - started), 1e-3), interval)


def _resident() -> int:
    """Return the bytes of memory that this process holds."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  # in a signal handler
        return int(file.read().split()[1]) * _PAGE


# ---- In another process


class _Isolated(Generic[T, R]):
    """The other process, started when it is needed and after each time that it was killed."""

    def __init__(self, calls: _Calls[T, R]) -> None:
        self._calls = calls
        self._process: subprocess.Popen[bytes] | None = None
        self._link: Connection | None = None

    def __enter__(self) -> _Isolated[T, R]:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def run(self, items: Sequence[T]) -> list[R] | None:
        """Return the outcomes of items; None if they exceed their limits, or end the process twice.

        A process that ended by itself may have been the kernel's choice when memory was short: it is asked once more.

        Raises:
            NocturneError: the function failed, or the process cannot be started.
        """
        limits = self._calls.limits
        share = limits.share(sum(map(self._calls.length, items)))
        for _ in range(2):
            if self._process is None:
                self._start()
            answer = self._ask((list(items), limits.seconds * share, limits.megabytes * share))
            ended = answer is None and self._process is not None and self._has_ended(self._process)
            if answer is not None:
                break
            self.end()
            if not ended:
                return None
        if answer is None:
            return None
        kind, value = answer
        if kind == "refused":
            raise value
        return value if kind == "done" else None

    @staticmethod
    def _has_ended(process: subprocess.Popen[bytes]) -> bool:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_TICK)
        return process.returncode is not None

    def _start(self) -> None:
        link, far = Pipe()
        self._process = subprocess.Popen(  # noqa: S603  # this interpreter
            [sys.executable, "-m", "deid.isolation", str(far.fileno())],
            pass_fds=(far.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # a traceback may quote a document
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        far.close()
        self._link = link
        if self._ask((self._calls.function, self._calls.sample), _START) != ("ready", None):
            self.end()
            raise NocturneError(
                "the process of its own for a batch cannot be started.", "See docs/operators.md, Limits."
            )

    def _ask(self, message: Any, seconds: float | None = None) -> tuple[str, Any] | None:
        """Return the answer to a message; None if the process ends or is silent for too long."""
        if self._link is None:
            return None
        with suppress(EOFError, OSError):
            self._link.send(message)
            if self._link.poll(message[1] if seconds is None else seconds):
                answer: tuple[str, Any] = self._link.recv()
                return answer
        return None

    def end(self) -> None:
        """End the process, if it runs; it is started again when it is needed."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._link is not None:
            self._link.close()
        self._process = self._link = None


def _serve(link: Connection) -> None:
    """Load what the function needs, then answer each list of items with its outcomes until the other side closes."""
    function, sample = link.recv()
    with suppress(Exception):  # what the sample meets, the items meet
        function([sample])
    link.send(("ready", None))
    while True:
        items, seconds, megabytes = link.recv()
        _limit_self(seconds, megabytes)
        answer: tuple[str, Any]
        try:
            answer = ("done", function(items))
        except MemoryError:
            answer = ("exceeded", None)
        except Exception as error:
            value = kind_and_place(error)  # its message may quote a document
            told = NocturneError(f"a step failed in a process of its own: {value}.", "Please report it with this line.")
            answer = ("refused", foreseen(error) or told)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))  # the answer must be written
        link.send(answer)


def _limit_self(seconds: float, megabytes: float) -> None:
    """Let this process take `megabytes` (MiB) more, and end by itself should the other side be gone."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        size = int(file.read().split()[0]) * _PAGE
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = size + int(megabytes * _MIB)
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    used = int(time.process_time() + (seconds + _GRACE) * (os.cpu_count() or 1)) + 1
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (used if hard == resource.RLIM_INFINITY else min(used, hard), hard))


def _refuse_network(event: str, _arguments: tuple[object, ...]) -> None:
    """Refuse what would leave this machine: no document, and no parser of one, has a reason to.

    Raises:
        PermissionError: of an event of Python's sockets.
    """
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"):
        raise PermissionError("no network for documents")


def main() -> None:
    """Serve the process that started this one."""
    sys.addaudithook(_refuse_network)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core holds documents
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")  # the first to go when memory is short
    with suppress(EOFError, OSError):
        _serve(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
