"""Connections of a download: their deadline, proxy and trusted authorities; what errors say without a password.

The deadline is one for connection, TLS, the proxy's CONNECT, headers, redirects and body: timeouts of sockets count
from byte to byte, so a server that sends a byte a second meets none of them.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import threading
import time
from pathlib import Path
from typing import Any, Self, TypeVar

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import ProtocolError
from urllib3.exceptions import TimeoutError as TimedOut

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import ConnectionSettings

CONNECT_S, READ_S = 10, 60
BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # as requests reads them
# Verification errors of OpenSSL (X509_V_ERR_…); others are cited by number.
CERTIFICATE = {
    7: "its authority is not trusted",
    9: "it is not valid yet",
    10: "it has expired",
    18: "it is self-signed",
    19: "its authority is not trusted",
    20: "its authority is not trusted",
    21: "its authority is not trusted",
    62: "it is for another host",
    64: "it is for another host",
}
Caught = TypeVar("Caught", bound=BaseException)


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


class _Session(requests.Session):
    """A session with timeouts, whose `verify` has precedence over REQUESTS_CA_BUNDLE, unlike in requests."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline
        for scheme in ("http://", "https://"):
            self.mount(scheme, DeadlineAdapter(deadline))

    def request(self, *given: Any, **options: Any) -> requests.Response:
        if self._deadline.passed:
            raise DeadlinePassed
        timeout = (min(CONNECT_S, self._deadline.left), READ_S)
        return super().request(*given, **{"verify": self.verify, "timeout": timeout, **options})


def open_session(network: ConnectionSettings, deadline: Deadline) -> requests.Session:
    """Return a session whose connections end at the deadline, through the proxy of `network` or of the environment.

    Certificates are always verified, against `network.ca_bundle`, that of the environment, or the usual authorities.

    Raises:
        ReferenceRefused: the bundle that the environment names is not there.
    """
    authorities = _authorities(network)
    made = _Session(deadline)
    made.verify = authorities
    if network.proxy:
        made.trust_env = False  # else the environment's proxy would come first
        made.proxies = {"http": network.proxy, "https": network.proxy}
    return made


def network_refusal(name: str, error: Exception) -> ReferenceRefused:
    """Return the refusal for a network error, whose own text would quote the URL with its password."""
    if isinstance(error, requests.exceptions.SSLError):
        certificate = find_cause(error, ssl.SSLCertVerificationError)
        if certificate is None:
            return unreachable_refusal(name, "no TLS: the server, the proxy or the bundle of authorities is wrong")
        fault = CERTIFICATE.get(certificate.verify_code, f"OpenSSL's error {certificate.verify_code}")
        return ReferenceRefused(
            f"{name}: the certificate of the server was refused: {fault}.",
            "Have it renewed, or name the authority of a mirror or proxy of your own as `ca_bundle` "
            "(docs/reference-data.md, “Configuration”). The version in use stays.",
        )
    if isinstance(error, requests.exceptions.ProxyError):
        return unreachable_refusal(name, "the proxy refused, or does not answer")
    return unreachable_refusal(name, describe_error(error))


def describe_error(error: Exception) -> str:
    """Return the kind of a network error in words."""
    if isinstance(error, requests.Timeout | TimedOut):
        return "no answer in time"
    if isinstance(error, ProtocolError | requests.exceptions.ChunkedEncodingError):
        return "the connection broke off"
    return "nobody answers there" if isinstance(error, requests.ConnectionError) else type(error).__name__


def unreachable_refusal(name: str, why: str) -> ReferenceRefused:
    """Return the refusal of a file that cannot be downloaded."""
    return ReferenceRefused(
        f"{name} could not be downloaded ({why}).",
        "Check the network, the proxy and the address, or give a local file; the version in use stays.",
    )


def _authorities(network: ConnectionSettings) -> str | bool:
    """File of trusted authorities; True for those of the platform, never False."""
    if network.ca_bundle is not None:
        return str(network.ca_bundle)
    for name in BUNDLES:
        if bundle := os.environ.get(name):
            if not Path(bundle).exists():
                raise ReferenceRefused(f"{name} names {bundle}, which is not there.", "Give the path of a PEM file.")
            return bundle
    return True


def find_cause(error: BaseException, kind: type[Caught]) -> Caught | None:
    """Return the first error of that kind among the causes; requests and urllib3 wrap it as an argument or a reason."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, kind):
        wrapped = [getattr(found, "reason", None), *found.args, found.__cause__, found.__context__]
        found = next((one for one in wrapped if isinstance(one, BaseException)), None)
    return found
