"""Reference server of the key service: shares of one file, over TLS, for named client certificates, with an access log.

For a third party (docs/keys.md, “Protocol”). The file is read at each question, so that an added or destroyed version
counts at once. A share leaves only after its line stands in the log.
"""

from __future__ import annotations

import json
import os
import ssl
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from deid.config.key_service import PATH
from deid.config.keys import Keyring, parse_keyring
from deid.domain.errors import SettingsError

_MOST_DIGITS = 9  # of a version, as `parse_keyring` takes it


@dataclass(frozen=True)
class AccessLog:
    """Lines of JSON of a server's requests, each on the disk before its answer leaves."""

    path: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write_log(self, **event: object) -> None:
        """Append one line, on the disk before this returns.

        Raises:
            OSError: it could not be written.
        """
        line = json.dumps({"at": datetime.now(UTC).isoformat(timespec="milliseconds"), **event}, ensure_ascii=False)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with self._lock, os.fdopen(os.open(self.path, flags, 0o600), "w", encoding="utf-8") as sink:
            sink.write(line + "\n")
            sink.flush()
            os.fsync(sink.fileno())


@dataclass(frozen=True)
class Shares:
    """Shares of `path` (in the form of docs/keys.md), the names of certificates that may ask, and the access log."""

    path: Path
    clients: Collection[str]
    log: AccessLog

    def read(self) -> Keyring:
        """Return the shares held now.

        Raises:
            SettingsError: the file cannot be read, or holds no usable share.
        """
        try:
            return parse_keyring(self.path.read_text(encoding="ascii"), where=str(self.path))
        except (OSError, UnicodeDecodeError):
            raise SettingsError(f"{self.path} cannot be read.", "Give a file made by `key new`.") from None

    def answer(self, path: str, client: str | None) -> tuple[HTTPStatus, dict[str, Any]]:
        """Return the answer to one question of a client, who is named by the common name of a verified certificate."""
        if client is None or client not in self.clients:
            return HTTPStatus.FORBIDDEN, {}
        asked = path.removeprefix(PATH)
        if not (path.startswith(PATH) and asked.isascii() and asked.isdigit() and len(asked) <= _MOST_DIGITS):
            return HTTPStatus.NOT_FOUND, {}
        try:
            shares = {key.version: key.secret for key in self.read().keys}
        except SettingsError:
            return HTTPStatus.SERVICE_UNAVAILABLE, {}
        share = shares.get(int(asked))
        if share is None:
            return HTTPStatus.NOT_FOUND, {}
        return HTTPStatus.OK, {"version": int(asked), "share": share.hex()}


class ThreadedServer(ThreadingHTTPServer):
    """Server whose TLS, if any, begins in the thread of each connection, so that a silent client delays nobody."""

    daemon_threads = True
    access: AccessLog
    context: ssl.SSLContext | None
    wait_s = 15.0  # for the rest of a request

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Begin TLS, if there is a certificate, then answer."""
        request.settimeout(self.wait_s)
        if self.context is None:
            super().finish_request(request, client_address)
            return
        try:
            link = self.context.wrap_socket(request, server_side=True)
        except OSError as error:
            self.access.write_log(peer=client_address[0], refused=type(error).__name__)
            return
        try:
            super().finish_request(link, client_address)
        finally:
            link.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Show nothing of a broken connection: a traceback could hold a share, or a text."""


class KeyServer(ThreadedServer):
    """HTTPS server of shares."""

    def __init__(self, address: tuple[str, int], shares: Shares, context: ssl.SSLContext) -> None:
        super().__init__(address, _Handler)
        self.shares, self.access, self.context = shares, shares.log, context


class QuietHandler(BaseHTTPRequestHandler):
    """Requests whose only log is the server's access log, and whose answers no cache keeps."""

    sys_version = ""

    def send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        """Send an answer of a media type."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing to standard error: the access log holds it."""


class _Handler(QuietHandler):
    server: KeyServer
    connection: ssl.SSLSocket
    server_version = "nocturne-keys"

    def do_GET(self) -> None:
        certificate: Any = self.connection.getpeercert() or {}
        names = [value for part in certificate.get("subject", ()) for name, value in part if name == "commonName"]
        client = names[0] if len(names) == 1 else None
        status, body = self.server.shares.answer(self.path, client)
        about = {"client": client, "serial": certificate.get("serialNumber"), "asked": self.path[:64]}
        try:
            self.server.shares.log.write_log(peer=self.client_address[0], **about, status=int(status))
        except OSError:
            status, body = HTTPStatus.SERVICE_UNAVAILABLE, {}
        self.send(status, "application/json", json.dumps(body).encode())


def make_context(certificate: Path, authority: Path | None = None) -> ssl.SSLContext:
    """Return TLS of a server; with an `authority` (PEM), it admits only clients whose certificate that one signed.

    Raises:
        SettingsError: a file cannot be used.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, password="")
        if authority is not None:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(authority)
    except (OSError, ssl.SSLError):
        files = ", ".join(str(one) for one in (certificate, authority) if one)
        raise SettingsError(
            f"{files} cannot be used for TLS.",
            "Give PEM files, the first with its private key and without a passphrase.",
        ) from None
    return context
