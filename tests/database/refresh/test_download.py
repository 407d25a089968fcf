"""Downloads from a real server: resumed, held against a checksum, bounded, through a proxy."""

from __future__ import annotations

import gzip
import hashlib
import logging
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.refresh.conftest import Web

BAN = "/ban/adresses-25.csv.gz"
FILE = formats.packed(formats.ban())


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    (tmp_path / "references.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
    settings.cache_clear()


def ranges(web: Web) -> list[str | None]:
    return [headers.get("Range") for _, headers in web.seen]


def kept(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "home" / "downloads").glob("*.part"))


def test_a_download_that_breaks_off_goes_on_where_it_stopped(
    postgres: Database, dsn: str, web: Web, tmp_path: Path
) -> None:
    url = web.serve(BAN, FILE, headers={"ETag": '"v1"'}, breaks=[1000, 500])
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web) == [None, "bytes=1000-", "bytes=1500-"]
    assert web.seen[-1][1]["If-Range"] == '"v1"'
    assert postgres.rows("SELECT checksum FROM ref.release") == [(hashlib.sha256(FILE).hexdigest(),)]
    assert kept(tmp_path) == []


def test_a_later_refresh_goes_on_too(dsn: str, web: Web, tmp_path: Path) -> None:
    url = web.serve(BAN, FILE, headers={"ETag": '"v1"'}, breaks=[1000, 0, 0, 0])
    with pytest.raises(ReferenceRefused, match="could not be downloaded"):
        refresh("streets", dsn=dsn, location=url)
    assert [part.stat().st_size for part in kept(tmp_path)] == [1000]
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web)[-1] == "bytes=1000-"


def test_what_was_kept_of_a_file_that_changed_is_not_used(postgres: Database, dsn: str, web: Web) -> None:
    url = web.serve(BAN, FILE, headers={"ETag": '"v1"'}, breaks=[1000, 0, 0, 0])
    with pytest.raises(ReferenceRefused):
        refresh("streets", dsn=dsn, location=url)
    other = formats.packed(formats.ban(5300))
    web.serve(BAN, other, headers={"ETag": '"v2"'})
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5300
    assert web.seen[-1][1]["If-Range"] == '"v1"'
    assert postgres.rows("SELECT checksum FROM ref.release") == [(hashlib.sha256(other).hexdigest(),)]


OTHER = formats.packed(formats.ban(5300))
DATES = {"first": "Mon, 05 Feb 2024 05:00:00 GMT", "second": "Mon, 12 Feb 2024 05:00:00 GMT"}
EDITIONS = {
    "another ETag": ({"ETag": '"v1"'}, {"ETag": '"v2"'}, {}),
    "no ETag in the part": ({"ETag": '"v1"'}, {"ETag": '"v2"'}, {"ETag": None}),
    "another date": ({"Last-Modified": DATES["first"]}, {"Last-Modified": DATES["second"]}, {}),
    "no date in the part": (
        {"Last-Modified": DATES["first"]},
        {"Last-Modified": DATES["second"]},
        {"Last-Modified": None},
    ),
    "another length under one ETag": ({"ETag": '"v1"'}, {"ETag": '"v1"'}, {}),
    "an unknown length": ({"ETag": '"v1"'}, {"ETag": '"v1"'}, {"Content-Range": "bytes 1000-1999/*"}),
    "another place": ({"ETag": '"v1"'}, {"ETag": '"v1"'}, {"Content-Range": f"bytes 900-999/{len(FILE)}"}),
}


@pytest.mark.parametrize("fault", EDITIONS)
def test_parts_of_two_editions_are_never_joined(postgres: Database, dsn: str, web: Web, fault: str) -> None:
    before, after, part = EDITIONS[fault]
    url = web.serve(BAN, FILE, headers=before, breaks=[1000, 0, 0, 0])
    with pytest.raises(ReferenceRefused):
        refresh("streets", dsn=dsn, location=url)
    assert ranges(web)[-1] == "bytes=1000-"
    web.serve(BAN, OTHER, headers=after, part=part, careless=True)
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5300
    assert ranges(web)[-2:] == ["bytes=1000-", None]
    assert postgres.rows("SELECT checksum FROM ref.release") == [(hashlib.sha256(OTHER).hexdigest(),)]


def test_a_part_of_the_same_edition_is_joined_by_its_date(dsn: str, web: Web) -> None:
    url = web.serve(BAN, FILE, headers={"Last-Modified": DATES["first"]}, breaks=[1000])
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web) == [None, "bytes=1000-"]


def test_a_date_that_is_not_before_the_answer_tells_no_edition(dsn: str, web: Web) -> None:
    url = web.serve(BAN, FILE, headers={"Last-Modified": formatdate(time.time() + 86_400, usegmt=True)}, breaks=[1000])
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web) == [None, None]


def test_joined_parts_that_miss_the_checksum_are_downloaded_whole(
    dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under one ETag and one length the checksum alone tells two editions apart."""
    configure(monkeypatch, tmp_path, f"sources: {{streets: {{checksum: '{hashlib.sha256(FILE).hexdigest()}'}}}}")
    former = bytes(len(FILE))
    url = web.serve(BAN, former, headers={"ETag": '"v1"'}, breaks=[1000, 0, 0, 0])
    with pytest.raises(ReferenceRefused, match="could not be downloaded"):
        refresh("streets", dsn=dsn, location=url)
    web.serve(BAN, FILE, headers={"ETag": '"v1"'})
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web)[-2:] == ["bytes=1000-", None]


def test_without_an_etag_nothing_is_kept(dsn: str, web: Web) -> None:
    url = web.serve(BAN, FILE, breaks=[1000])
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web) == [None, None]


def test_an_encoded_answer_is_decoded_and_never_resumed(dsn: str, web: Web) -> None:
    plain = formats.ban().encode()
    url = web.serve(BAN, gzip.compress(plain), headers={"ETag": '"v1"', "Content-Encoding": "gzip"}, breaks=[1000])
    assert refresh("streets", dsn=dsn, location=url)["rows"] == 5200
    assert ranges(web) == [None, None]


def test_the_checksum_of_the_configuration(dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = web.serve(BAN, FILE)
    configure(monkeypatch, tmp_path, f"sources: {{streets: {{checksum: '{'0' * 64}'}}}}")
    with pytest.raises(ReferenceRefused, match=r"its SHA-256 is .*…, and should be 000000000000…"):
        refresh("streets", dsn=dsn, location=url)
    configure(monkeypatch, tmp_path, f"sources: {{streets: {{checksum: '{hashlib.sha256(FILE).hexdigest()}'}}}}")
    assert refresh("streets", dsn=dsn, location=url)["state"] == "loaded"


def test_the_checksum_beside(dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = web.serve(BAN, FILE)
    configure(monkeypatch, tmp_path, "sources: {streets: {checksum: beside}}")
    with pytest.raises(ReferenceRefused, match=r"sha256 answered 404"):
        refresh("streets", dsn=dsn, location=url)
    web.serve(f"{BAN}.sha256", f"{'1' * 64}  adresses-25.csv.gz\n".encode())
    with pytest.raises(ReferenceRefused, match="should be 111111111111…"):
        refresh("streets", dsn=dsn, location=url)
    web.serve(f"{BAN}.sha256", f"{hashlib.sha256(FILE).hexdigest().upper()}  adresses-25.csv.gz\n".encode())
    assert refresh("streets", dsn=dsn, location=url)["state"] == "loaded"


def test_a_file_on_disk_is_held_against_what_lies_beside_it(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "adresses-25.csv.gz"
    file.write_bytes(FILE)
    beside = tmp_path / "adresses-25.csv.gz.sha256"
    beside.write_text("2" * 64, encoding="ascii")
    with pytest.raises(ReferenceRefused, match="should be 222222222222…"):
        refresh("streets", dsn=dsn, location=str(file))
    beside.write_text("nothing", encoding="ascii")
    with pytest.raises(ReferenceRefused, match="no checksum beside"):
        refresh("streets", dsn=dsn, location=str(file))
    beside.unlink()
    assert refresh("streets", dsn=dsn, location=str(file))["state"] == "loaded"


def test_a_file_beyond_its_bound_is_refused_before_and_while_it_comes(
    dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(monkeypatch, tmp_path, "sources: {streets: {max_bytes: 10000}}")
    url = web.serve(BAN, FILE)
    with pytest.raises(ReferenceRefused, match="larger than 10000 bytes"):
        refresh("streets", dsn=dsn, location=url)
    web.serve(BAN, gzip.compress(b"x" * 20_000), headers={"Content-Encoding": "gzip"})
    with pytest.raises(ReferenceRefused, match="larger than 10000 bytes"):
        refresh("streets", dsn=dsn, location=url)


def test_the_proxy_of_the_configuration_is_asked(
    dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.serve("http://ban.invalid/adresses-25.csv.gz", FILE)
    configure(monkeypatch, tmp_path, f"proxy: {web.url}")
    result = refresh("streets", dsn=dsn, location="http://ban.invalid/adresses-25.csv.gz")
    assert result["state"] == "loaded"
    assert web.seen[0][0] == "http://ban.invalid/adresses-25.csv.gz"


def test_https_never_falls_back_to_plain_text(dsn: str, web: Web) -> None:
    url = web.serve(BAN, FILE).replace("http://", "https://")
    with pytest.raises(ReferenceRefused, match=r"could not be downloaded \(no TLS"):
        refresh("streets", dsn=dsn, location=url)
    assert web.seen == []


def test_the_log_counts(dsn: str, web: Web, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="deid.refresh")
    refresh("streets", dsn=dsn, location=web.serve(BAN, FILE))
    said = [record.getMessage() for record in caplog.records]
    assert f"download {web.url}{BAN}: {len(FILE)} of {len(FILE)} bytes" in said
    assert "load streets: 5200 rows" in said
