"""Real servers on this machine: HTTP, HTTPS with good and bad certificates, proxies, and servers that drip bytes."""

from __future__ import annotations

import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deid.refresh import connections, download
from tests.database.refresh.certificates import HERE, Authority


@dataclass
class Answer:
    """Answer of the server for one path.

    `length` may lie; `drip_s` is the pause after each byte; the connection breaks after each number of bytes of
    `breaks`, once for each. Parts are given on request (`Range`), to whom has another edition too where `careless`;
    `part` replaces headers of such an answer, and leaves out those that are None.
    """

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    length: int | None = None
    drip_s: float = 0.0
    breaks: list[int] = field(default_factory=list)
    careless: bool = False
    part: Mapping[str, str | None] = field(default_factory=dict)


@dataclass
class Web:
    """The server's address, what it answers by path, and the requests that it saw."""

    url: str
    answers: dict[str, Answer] = field(default_factory=dict)
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def serve(self, path: str, body: bytes, **rest: object) -> str:
        """Answer `path` with `body`; returns the URL."""
        self.answers[path] = Answer(body, **rest)  # type: ignore[arg-type]
        return self.url + path


@pytest.fixture
def web() -> Iterator[Web]:
    """A server that answers in plain text, and may stand as a proxy."""
    with serving() as place:
        yield place


@contextmanager
def dripping(said: bytes, pause_s: float = 0.1, most: int = 40) -> Iterator[str]:
    """A server that says one byte after each pause, and hangs up after `most` of them; its host and port."""
    over = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection:
            for position in range(most):
                try:
                    connection.sendall(said[position : position + 1])
                except OSError:
                    return  # the client had enough
                if over.wait(pause_s):
                    return

    def listen(listener: socket.socket) -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    with socket.create_server((HERE, 0)) as listener:
        listener.settimeout(0.1)
        thread = threading.Thread(target=listen, args=(listener,))
        thread.start()
        try:
            yield f"{HERE}:{listener.getsockname()[1]}"
        finally:
            over.set()
            thread.join()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """The authority of a hospital, which nobody else trusts."""
    folder = tmp_path / "authority"
    folder.mkdir()
    return Authority(folder)


@pytest.fixture
def secure(authority: Authority) -> Iterator[Callable[..., Web]]:
    """Servers with TLS: `secure(host="ban.example", days=-1, self_signed=True)` has the certificate so described."""
    with ExitStack() as stack:
        yield lambda **certificate: stack.enter_context(serving(authority.server(**certificate)))


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[Web]:
    """A server for the length of the block."""
    place = Web("")
    server = ThreadingHTTPServer((HERE, 0), _handler(place))
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    place.url = f"http{'s' if tls else ''}://{HERE}:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield place
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Retries happen, without the waiting between them; no proxy and no authority of this machine's is in the way."""
    monkeypatch.setattr(download, "BACKOFF_S", 0.0)
    monkeypatch.setattr(connections, "READ_S", 2)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in connections.BUNDLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NOCTURNE_HOME", str(tmp_path / "home"))


def _relay(one: socket.socket, other: socket.socket) -> None:
    """Bytes both ways until one side has no more."""
    across = {one: other, other: one}
    while True:
        for side in select.select(list(across), [], [])[0]:
            if not (piece := side.recv(1 << 16)):
                return
            across[side].sendall(piece)


def _handler(place: Web) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place.seen.append((self.path, dict(self.headers)))
            answer = place.answers.get(self.path.partition("?")[0], Answer(status=404))
            etag = answer.headers.get("ETag")
            if etag and self.headers.get("If-None-Match") == etag:
                answer = Answer(status=304, headers=answer.headers)
            begin = self._part(answer)
            if begin:
                total = len(answer.body)
                headers = {**answer.headers, "Content-Range": f"bytes {begin}-{total - 1}/{total}"} | answer.part
                headers = {name: value for name, value in headers.items() if value is not None}
                answer = replace(answer, body=answer.body[begin:], status=206, headers=headers)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.status != 304:
                self.send_header("Content-Length", str(len(answer.body) if answer.length is None else answer.length))
            self.end_headers()
            self._send(answer)

        def do_CONNECT(self) -> None:
            place.seen.append((self.path, dict(self.headers)))
            answer = place.answers.get(self.path, Answer())
            self.send_response(answer.status)
            self.end_headers()
            if answer.status == 200:
                host, _, port = self.path.partition(":")
                with socket.create_connection((host, int(port))) as beyond, suppress(ConnectionResetError):
                    _relay(self.connection, beyond)
            self.close_connection = True

        def _part(self, answer: Answer) -> int:
            """First byte asked for, if the file is still the one that the client has a part of."""
            asked, known = self.headers.get("Range", ""), self.headers.get("If-Range")
            same = answer.careless or known in (answer.headers.get("ETag"), answer.headers.get("Last-Modified"))
            if answer.status != 200 or not asked or not same:
                return 0
            return int(asked.removeprefix("bytes=").removesuffix("-"))

        def _send(self, answer: Answer) -> None:
            try:
                if answer.breaks:
                    self.wfile.write(answer.body[: answer.breaks.pop(0)])
                    self.close_connection = True
                    return
                if not answer.drip_s:
                    self.wfile.write(answer.body)
                    return
                for position in range(len(answer.body)):
                    self.wfile.write(answer.body[position : position + 1])
                    time.sleep(answer.drip_s)
            except OSError:
                pass  # the client had enough

        def log_message(self, *_: object) -> None:
            pass

    return Handler
