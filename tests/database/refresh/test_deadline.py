"""Servers and proxies that answer byte by byte: the deadline counts from the first connection to the last byte."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.refresh.conftest import Web, dripping

BAN = "/ban/adresses-25.csv.gz"
LONG_S = 60  # what each server below would take: a deadline of one second ends it long before, on any machine
HEADERS = b"HTTP/1.1 200 OK\r\nX-Slow: " + b"z" * 1000
TUNNEL = b"HTTP/1.1 200 Connection established\r\nX-Slow: " + b"z" * 1000
HANDSHAKE = b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc" + b"\0" * 1000  # the begin of a long TLS record


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    (tmp_path / "references.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
    settings.cache_clear()


def assert_too_long(dsn: str, location: str) -> None:
    began = time.monotonic()
    with pytest.raises(ReferenceRefused, match="took too long to download"):
        refresh("streets", dsn=dsn, location=location, deadline_s=1)
    assert time.monotonic() - began < LONG_S / 2


@pytest.mark.parametrize(
    ("scheme", "said"), [("http", HEADERS), ("http", HEADERS[:-900]), ("https", HANDSHAKE), ("https", b"")]
)
def test_headers_and_a_handshake_that_drip_meet_the_deadline(dsn: str, scheme: str, said: bytes) -> None:
    with dripping(said, most=10 * LONG_S) as place:
        assert_too_long(dsn, f"{scheme}://{place}{BAN}")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_drips_meets_the_deadline(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    with dripping(TUNNEL, most=10 * LONG_S) as place:
        configure(monkeypatch, tmp_path, f"proxy: http://{place}")
        assert_too_long(dsn, f"{scheme}://ban.invalid{BAN}")


def test_a_body_without_length_that_the_deadline_ends_is_no_whole_file(postgres: Database, dsn: str) -> None:
    whole = b"HTTP/1.0 200 OK\r\nContent-Type: text/csv\r\n\r\n" + b"name,addresses\n" * 100
    with dripping(whole, pause_s=LONG_S / len(whole), most=len(whole)) as place:
        assert_too_long(dsn, f"http://{place}{BAN}")
    assert postgres.rows("SELECT count(*) FROM ref.release") == [(0,)]


def test_redirects_count(dsn: str, web: Web) -> None:
    web.serve(BAN, b"." * 4, status=302, headers={"Location": BAN}, drip_s=LONG_S / 4)
    assert_too_long(dsn, web.url + BAN)


def test_retries_count(dsn: str, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deid.refresh.download.BACKOFF_S", float(LONG_S))
    assert_too_long(dsn, web.serve(BAN, b"", status=503))


def test_a_checksum_that_drips_counts(dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(monkeypatch, tmp_path, "sources: {streets: {checksum: beside}}")
    web.serve(f"{BAN}.sha256", b"0" * 64, drip_s=LONG_S / 64)
    assert_too_long(dsn, web.serve(BAN, formats.packed(formats.ban())))


def test_mirrors_share_one_deadline(dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = web.serve(BAN, formats.packed(formats.ban()))
    with dripping(HEADERS, most=10 * LONG_S) as place:
        configure(monkeypatch, tmp_path, f"sources: {{streets: {{locations: ['http://{place}{BAN}', '{good}']}}}}")
        began = time.monotonic()
        with pytest.raises(ReferenceRefused, match="took too long"):
            refresh("streets", dsn=dsn, deadline_s=1)
    assert time.monotonic() - began < LONG_S / 2
    assert web.seen == []
