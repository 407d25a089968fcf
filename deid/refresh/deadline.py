"""A deadline for all that a download does: connection, TLS, the proxy's CONNECT, headers, redirects and body.

The timeouts of sockets count from byte to byte, so a server that sends a byte a second meets none of them.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import Any, Self

from requests.adapters import HTTPAdapter


class DeadlinePassed(Exception):
    """A connection was wanted after the deadline. No OSError: urllib3 would wrap it and try again."""


class Deadline:
    """A time of the monotonic clock, in seconds, at which every connection made under it is shut down.

    A context: the timer runs and connections are watched until its end. The resolution of a host's name is bounded by
    the machine's resolver; each address of a host has a connection timeout of its own.
    """

    def __init__(self, until: float) -> None:
        self._until = until
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._timer = threading.Timer(self.left, self._shut)
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            while self._connections:
                self._connections.pop().close()

    @property
    def left(self) -> float:
        """Seconds that are left; 0 once it has passed."""
        return max(0.0, self._until - time.monotonic())

    @property
    def passed(self) -> bool:
        """True once nothing is left."""
        return self.left == 0

    def sleep(self, seconds: float) -> None:
        """Sleep, until the deadline at most."""
        time.sleep(min(seconds, self.left))

    def watch(self, connection: socket.socket) -> socket.socket:
        """Return `connection`, which will be shut down at the deadline.

        Raises:
            DeadlinePassed: it has passed; the connection is closed.
        """
        with self._lock:
            # A duplicate: TLS takes the original over, and shutting down either ends both.
            self._connections.append(connection.dup())
        if self.passed:
            connection.close()
            raise DeadlinePassed
        return connection

    def _shut(self) -> None:
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):  # the other side may have closed it
                    connection.shutdown(socket.SHUT_RDWR)


class DeadlineAdapter(HTTPAdapter):
    """An adapter of requests whose connections, direct or through a proxy, end at the deadline; it tries once."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        super().__init__(max_retries=0)

    def get_connection_with_tls_context(self, *given: Any, **options: Any) -> Any:
        """Return the pool of connections for a request, with connections that are watched."""
        pool: Any = super().get_connection_with_tls_context(*given, **options)
        if not hasattr(pool.ConnectionCls, "watched_until"):
            pool.ConnectionCls = _watched(pool.ConnectionCls, self._deadline)
        return pool


def _watched(kind: Any, deadline: Deadline) -> Any:
    """Return the connection class `kind` of urllib3 with each new socket watched, before TLS and CONNECT."""

    class Watched(kind):  # type: ignore[misc]
        watched_until = deadline

        def _new_conn(self) -> socket.socket:
            if deadline.passed:
                raise DeadlinePassed
            return deadline.watch(super()._new_conn())

    return Watched
