"""A third party's key service on this machine, over real HTTPS, with certificates of an authority of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

from deid.cli.key_server import AccessLog, KeyServer, Shares, make_context
from deid.config import key_service
from deid.config.settings import settings
from tests.database.refresh.certificates import HERE, Authority

WORKER = "nocturne-worker"


@dataclass(frozen=True)
class Service:
    """A running service: its authority, the third party's file, the access log, and its address."""

    authority: Authority
    shares: Path
    log: Path
    url: str

    @property
    def logged(self) -> list[dict[str, object]]:
        """Lines of the access log; a refused client goes before its line is written."""
        until = time.monotonic() + 10
        while not (self.log.exists() and self.log.read_bytes().endswith(b"\n")) and time.monotonic() < until:
            time.sleep(0.02)
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Give this process the service's address and a certificate that it admits."""
        monkeypatch.setenv("NOCTURNE_KEY_SERVICE", self.url)
        monkeypatch.setenv("NOCTURNE_KEY_SERVICE_CERTIFICATE", str(self.authority.client(WORKER)))
        monkeypatch.setenv("NOCTURNE_KEY_SERVICE_AUTHORITY", str(self.authority.bundle))
        settings.cache_clear()


def forget_shares() -> None:
    """Forget the shares in memory, as a new process would have none."""
    key_service._fetch_once.cache_clear()
    settings.cache_clear()


@contextmanager
def serve(folder: Path, *, host: str = HERE, days: int = 30) -> Iterator[Service]:
    """Serve the shares of the file `third` in a folder, under a certificate for this host and so many days."""
    authority = Authority(folder)
    authority.server(host=host, days=days)
    (own,) = folder.glob(f"{host}{days}*.pem")
    shares = Shares(folder / "third", frozenset({WORKER}), AccessLog(folder / "access.jsonl"))
    server = KeyServer((HERE, 0), shares, make_context(own, authority.bundle))
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield Service(authority, shares.path, shares.log.path, f"https://{HERE}:{server.server_address[1]}")
    finally:
        server.shutdown()
        server.server_close()
        forget_shares()
