"""A mail server that keeps what it is given, and the connection that names it, as an operator writes both."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from nocturne_airflow import alerts


class Mailbox(socketserver.ThreadingTCPServer):
    """`messages` are those that came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.messages: list[EmailMessage] = []

    @property
    def port(self) -> int:
        """Address of the server."""
        return int(self.server_address[1])


class _Session(socketserver.StreamRequestHandler):
    server: Mailbox

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        written: list[bytes] | None = None
        for line in self.rfile:
            if written is None:
                said = line.strip().upper()
                written = [] if said == b"DATA" else None
                self.wfile.write({b"DATA": b"354 go on\r\n", b"QUIT": b"221 bye\r\n"}.get(said, b"250 ok\r\n"))
            elif line.rstrip() == b".":
                self.server.messages.append(message_from_bytes(b"".join(written), policy=default))
                written = None
                self.wfile.write(b"250 kept\r\n")
            else:
                written.append(line)


def told(message: EmailMessage) -> str:
    """Return the subject and the texts of a message."""
    parts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
    return "\n".join([message["Subject"], *parts])


@contextmanager
def mailbox() -> Iterator[Mailbox]:
    """A server that listens until the block ends."""
    with Mailbox() as box:
        threading.Thread(target=box.serve_forever, daemon=True).start()
        yield box
        box.shutdown()


def connection(port: int, **extra: Any) -> dict[str, str]:
    """Variables that make Nocturne's alerts go to a server on that port; `extra` is the connection's."""
    plain = {"disable_tls": True, "disable_ssl": True, "from_email": "nocturne@chu.example", **extra}
    made = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": plain}
    return {"AIRFLOW_CONN_NOCTURNE_ALERTS": json.dumps(made), alerts.CONNECTION: "nocturne_alerts"}
