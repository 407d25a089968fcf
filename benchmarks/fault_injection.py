"""One fault in a process of its own: killed, disconnected, server stopped, disk full, out of memory.

A unit of work runs in a forked process whose connections to PostgreSQL count the points at which a fault may strike:
before each statement, before and after each commit. The fault strikes at the point that the schedule drew.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import psycopg2
from psycopg2.extensions import connection as Connection
from psycopg2.extensions import cursor as Cursor

from deid import pipeline
from deid.database.embedded import EmbeddedServer
from deid.detection import Detector
from deid.substitution import Substitutor

DISK_FULL = "DO $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$"


class Kind(StrEnum):
    """Kinds of faults."""

    KILLED = "process killed with SIGKILL"
    DISCONNECTED = "connection terminated by the server"
    SERVER_STOPPED = "server stopped at once (no checkpoint), then started"
    DISK_FULL = "write refused: disk full"
    OUT_OF_MEMORY = "MemoryError in a step"
    DOCUMENT_MEMORY = "MemoryError in a document"
    TWICE = "step run twice at the same time"
    TAKEN_OVER = "run taken over, its own step run once more"


@dataclass(frozen=True)
class Fault:
    """A fault, and the share of the unit's points that pass before it strikes."""

    kind: Kind
    share: float


@dataclass(frozen=True)
class Outcome:
    """End of a unit: `error` is the type of the exception, "killed", or empty; `struck` if the fault happened."""

    value: Any
    error: str
    struck: bool
    points: int


class Injector:
    """Strikes once, at point `at` of this process; counts the points where no fault is set."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self.points = 0
        self.struck = False
        self._kind: Kind | None = None
        self._at = 0
        self._tell: Callable[[], None] = lambda: None

    def set(self, kind: Kind, at: int, tell: Callable[[], None]) -> None:
        """Choose the fault of this process; `tell` is called as it strikes."""
        self.points, self.struck = 0, False
        self._kind, self._at, self._tell = kind, at, tell

    def reach(self, link: Connection) -> None:
        """Pass one point of the work on a connection."""
        self.points += 1
        if self._kind in (None, Kind.DOCUMENT_MEMORY) or self.struck or self.points <= self._at:
            return
        self._strike()
        if self._kind is Kind.KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        elif self._kind is Kind.DISCONNECTED:
            self._disconnect(link)
        elif self._kind is Kind.SERVER_STOPPED:
            self._server.stop(immediate=True)
            self._server.start()
        elif self._kind is Kind.DISK_FULL:
            Cursor(link).execute(DISK_FULL)
        elif self._kind is Kind.OUT_OF_MEMORY:
            raise MemoryError

    def reach_document(self) -> None:
        """Pass one call on documents."""
        if self._kind is Kind.DOCUMENT_MEMORY and not self.struck:
            self._strike()
            raise MemoryError

    def _strike(self) -> None:
        self.struck = True
        self._tell()

    def _disconnect(self, link: Connection) -> None:
        other = _connect(self._server.uri("postgres"))
        with other, other.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", (link.info.backend_pid,))
        other.close()


_connect = psycopg2.connect


def install(injector: Injector) -> None:
    """Make every connection of this process, and its detection and substitution, report their points."""

    class Watched(Cursor):
        def execute(self, *arguments: Any) -> None:
            injector.reach(self.connection)
            super().execute(*arguments)

        def copy_expert(self, *arguments: Any, **options: Any) -> None:
            injector.reach(self.connection)
            super().copy_expert(*arguments, **options)

    class Link(Connection):
        def commit(self) -> None:
            injector.reach(self)
            super().commit()
            injector.reach(self)

    def connect(*arguments: Any, **options: Any) -> Any:
        return _connect(*arguments, connection_factory=Link, cursor_factory=Watched, **options)

    psycopg2.connect = connect
    for owner, name in ((Detector, "detect"), (Substitutor, "substitute"), (pipeline, "validate_batch")):
        setattr(owner, name, _watched(getattr(owner, name), injector))


def _watched(function: Callable[..., Any], injector: Injector) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        injector.reach_document()
        return function(*arguments, **options)

    return call


def run_apart(injector: Injector, unit: Callable[[], Any], fault: Fault | None = None, points: int = 0) -> Outcome:
    """Run a unit in a process of its own and wait for its end; `points` is how many it passes undisturbed."""
    return finish(start(injector, unit, fault, points))


def start(injector: Injector, unit: Callable[[], Any], fault: Fault | None, points: int) -> tuple[int, int]:
    """Fork a process for a unit; return its id and the pipe that it writes to."""
    read, write = os.pipe()
    child = os.fork()
    if child:
        os.close(write)
        return child, read
    os.close(read)
    status = 1
    try:
        if fault is not None:
            injector.set(fault.kind, int(fault.share * points), lambda: _send(write, {"struck": True}))
        _send(write, {"value": unit(), "error": ""})
        status = 0
    except BaseException as error:
        _send(write, {"value": None, "error": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(status)


def finish(started: tuple[int, int]) -> Outcome:
    """Wait for the end of a process that `start` made."""
    child, read = started
    with os.fdopen(read, encoding="utf-8") as pipe:
        said: dict[str, Any] = {}
        for line in pipe:
            said |= json.loads(line)
    os.waitpid(child, 0)
    return Outcome(said.get("value"), said.get("error", "killed"), bool(said.get("struck")), 0)


def _send(pipe: int, record: dict[str, Any]) -> None:
    os.write(pipe, (json.dumps(record, default=str) + "\n").encode())
