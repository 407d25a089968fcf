"""A relay before a real PostgreSQL, which changes what a client sees of the server: its version, or TLS."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

_SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@contextlib.contextmanager
def relay(server: str, *, major: int | None = None, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """Give the port of a relay to the server of a URI; `major` is the version it tells, of two digits."""
    parts = urlsplit(server)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    behind = socket.create_connection((parts.hostname, parts.port))
                    threading.Thread(target=_talk, args=(client, behind, major, tls), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def _talk(client: socket.socket, server: socket.socket, major: int | None, tls: ssl.SSLContext | None) -> None:
    with contextlib.suppress(OSError):
        first = client.recv(8, socket.MSG_PEEK)
        if first == _SSL_REQUEST and tls is not None:
            client.recv(8)
            client.sendall(b"S")
            client = tls.wrap_socket(client, server_side=True)
        threading.Thread(target=_pump, args=(client, server, None), daemon=True).start()
        _pump(server, client, major)


def _pump(source: socket.socket, target: socket.socket, major: int | None) -> None:
    name = b"server_version\0"
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            if major is not None and name in data:
                at = data.index(name) + len(name)
                data = data[:at] + str(major).encode() + data[at + 2 :]
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
