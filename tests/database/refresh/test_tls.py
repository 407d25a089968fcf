"""Servers that cannot prove who they are, and proxies that refuse: named, and the version in use stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused, SettingsError
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.refresh.certificates import Authority
from tests.database.refresh.conftest import Web

BAN = "/ban/adresses-25.csv.gz"
FILE = formats.packed(formats.ban())
BAD = {
    "self-signed": ({"self_signed": True}, "it is self-signed"),
    "another host": ({"host": "ban.example"}, "it is for another host"),
    "another address": ({"host": "192.0.2.1"}, "it is for another host"),
    "expired": ({"days": -1}, "it has expired"),
    "not yet": ({"days": 500}, "it is not valid yet"),
}


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    def write(text: str) -> None:
        (tmp_path / "references.yaml").write_text(text, encoding="utf-8")
        monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
        settings.cache_clear()

    return write


def state(postgres: Database) -> list[tuple]:
    return postgres.rows("SELECT release_id, version, state, rows FROM ref.release ORDER BY 1")


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_certificate_is_refused_by_name_even_if_its_authority_is_trusted(
    postgres: Database,
    dsn: str,
    secure: Callable[..., Web],
    authority: Authority,
    configure: Callable[[str], None],
    fault: str,
) -> None:
    refresh("streets", dsn=dsn)
    before = state(postgres)
    certificate, message = BAD[fault]
    place = secure(**certificate)
    configure(f"ca_bundle: {authority.bundle}")
    with pytest.raises(ReferenceRefused, match=f"the certificate of the server was refused: {message}") as caught:
        refresh("streets", dsn=dsn, location=place.serve(BAN, FILE))
    assert "ca_bundle" in caught.value.remedy
    assert state(postgres) == before
    assert place.seen == []


def test_an_authority_that_nobody_named_is_not_trusted(dsn: str, secure: Callable[..., Web]) -> None:
    with pytest.raises(ReferenceRefused, match="its authority is not trusted"):
        refresh("streets", dsn=dsn, location=secure().serve(BAN, FILE))


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_the_bundle_of_the_environment_is_accepted_and_that_of_the_configuration_comes_before_it(
    dsn: str,
    secure: Callable[..., Web],
    authority: Authority,
    configure: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    variable: str,
) -> None:
    url = secure().serve(BAN, FILE)
    monkeypatch.setenv(variable, str(authority.bundle))
    assert refresh("streets", dsn=dsn, location=url)["state"] == "loaded"
    (tmp_path / "other").mkdir()
    configure(f"ca_bundle: {Authority(tmp_path / 'other').bundle}")
    with pytest.raises(ReferenceRefused, match="its authority is not trusted"):
        refresh("streets", dsn=dsn, location=url)
    configure("{}")
    monkeypatch.setenv(variable, "/no/such/bundle.pem")
    with pytest.raises(ReferenceRefused, match=f"{variable} names /no/such/bundle.pem, which is not there"):
        refresh("streets", dsn=dsn, location=url)


def test_through_a_proxy_the_bundle_still_counts_and_checksums_come_the_same_way(
    dsn: str,
    web: Web,
    secure: Callable[..., Web],
    authority: Authority,
    configure: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """requests forgets REQUESTS_CA_BUNDLE when it is told to ignore the environment's proxy."""
    place = secure()
    url = place.serve(BAN, FILE)
    place.serve(f"{BAN}.sha256", b"0" * 64)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.bundle))
    configure(f"proxy: {web.url}\nsources: {{streets: {{checksum: beside}}}}")
    with pytest.raises(ReferenceRefused, match="should be 000000000000…"):
        refresh("streets", dsn=dsn, location=url)
    assert [path for path, _ in web.seen] == [place.url.removeprefix("https://")] * 2
    configure(f"proxy: {web.url}")
    assert refresh("streets", dsn=dsn, location=url)["state"] == "loaded"
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(ReferenceRefused, match="its authority is not trusted"):
        refresh("streets", dsn=dsn, location=url)


@pytest.mark.parametrize("status", [403, 407])
def test_a_proxy_that_refuses_is_named_without_its_password(
    postgres: Database, dsn: str, web: Web, configure: Callable[[str], None], status: int
) -> None:
    refresh("streets", dsn=dsn)
    before = state(postgres)
    web.serve("ban.example:443", b"", status=status)
    web.serve("http://ban.example/adresses-25.csv.gz", b"", status=status)
    configure(f"proxy: {web.url.replace('http://', 'http://nocturne:sesame@')}")
    with pytest.raises(ReferenceRefused, match="the proxy refused, or does not answer") as caught:
        refresh("streets", dsn=dsn, location=f"https://ban.example{BAN}")
    with pytest.raises(ReferenceRefused, match=f"answered {status}") as plain:
        refresh("streets", dsn=dsn, location="http://ban.example/adresses-25.csv.gz")
    assert "sesame" not in f"{caught.value}{plain.value}"
    assert state(postgres) == before


def test_a_proxy_that_is_not_there_is_named(dsn: str, web: Web, configure: Callable[[str], None]) -> None:
    configure("proxy: http://127.0.0.1:9")
    with pytest.raises(ReferenceRefused, match="the proxy refused, or does not answer"):
        refresh("streets", dsn=dsn, location=web.serve(BAN, FILE))
    assert web.seen == []


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "ca_bundle: Path does not point to a file"), ("not a certificate", "no TLS")],
)
def test_a_bundle_that_holds_no_authority_is_refused(
    dsn: str,
    secure: Callable[..., Web],
    configure: Callable[[str], None],
    tmp_path: Path,
    content: str | None,
    message: str,
) -> None:
    path = tmp_path / "bundle.pem"
    if content is not None:
        path.write_text(content)
    configure(f"ca_bundle: {path}")
    with pytest.raises((ReferenceRefused, SettingsError), match=message):
        refresh("streets", dsn=dsn, location=secure().serve(BAN, FILE))
