"""Split secret: the two shares, the key service over real HTTPS with client certificates, and every refusal."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config import key_service, keys
from deid.config.keys import Keyring
from deid.config.settings import Settings, settings
from deid.domain.errors import KeyServiceUnreachable, SettingsError
from tests import ROOT
from tests.conftest import SECRET
from tests.database.refresh.certificates import HERE, Authority
from tests.key_services import WORKER, Service, serve
from tests.unit.cli.conftest import Call, deid

__all__ = ["deid"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Start a service for a certificate of the given host and days."""
    with ExitStack() as running:
        yield lambda **certificate: running.enter_context(serve(tmp_path, **certificate))


@pytest.fixture
def split_secret(start: Callable[..., Service], deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A secret that was split between this hospital and a running service."""
    path = tmp_path / "hospital"
    path.write_text(f"1:{SECRET}\n")
    monkeypatch.delenv("NOCTURNE_SECRET", raising=False)
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(path))
    settings.cache_clear()
    assert deid("key", "split", tmp_path / "third").status == 0
    service = start()
    service.use(monkeypatch)
    return service


def read_keyring() -> Keyring:
    """Return the versions of the secret, as a process reads them when it starts."""
    return Settings().keyring


@given(st.binary(min_size=32, max_size=64).filter(lambda secret: len(set(secret)) >= 16))
def test_two_shares_give_the_secret_and_neither_is_it(secret: bytes) -> None:
    key = keys.Key(3, secret)
    first, second = keys.split(key)
    assert keys.combine(first, second.secret) == keys.combine(second, first.secret) == key
    assert secret not in (first.secret, second.secret)
    assert keys.split(key)[0] != first


@pytest.mark.parametrize(
    ("other", "told"), [(bytes.fromhex(SECRET), "is not random"), (bytes(range(40)), "differ in length")]
)
def test_shares_that_give_no_secret_are_refused(other: bytes, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        keys.combine(keys.Key(1, bytes.fromhex(SECRET)), other)


def test_a_worker_has_the_secret_and_neither_file_does(split_secret: Service, tmp_path: Path) -> None:
    assert Settings().key.hex() == SECRET
    assert SECRET not in (tmp_path / "hospital").read_text() + split_secret.shares.read_text()
    assert Settings().held.current.secret.hex() != SECRET
    assert split_secret.shares.stat().st_mode & 0o077 == 0


def test_a_process_asks_once_and_the_log_says_who(split_secret: Service) -> None:
    for _ in range(3):
        assert Settings().key.hex() == SECRET
    (line,) = split_secret.logged
    assert (line["client"], line["asked"], line["status"], line["peer"]) == (WORKER, "/v1/shares/1", 200, HERE)
    assert line["serial"]
    share = split_secret.shares.read_text().strip().partition(":")[2]
    assert share not in split_secret.log.read_text()


def test_no_share_without_its_line_in_the_log(split_secret: Service) -> None:
    split_secret.log.mkdir()
    with pytest.raises(KeyServiceUnreachable, match="status 503"):
        read_keyring()
    split_secret.log.rmdir()
    assert Settings().key.hex() == SECRET


def test_a_certificate_that_is_not_admitted_has_no_share(
    split_secret: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_KEY_SERVICE_CERTIFICATE", str(split_secret.authority.client("nocturne-pages")))
    with pytest.raises(SettingsError, match="does not give version 1 to this certificate"):
        read_keyring()
    assert [(line["client"], line["status"]) for line in split_secret.logged] == [("nocturne-pages", 403)]


def test_a_certificate_of_another_authority_is_refused_and_logged(
    split_secret: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stranger").mkdir()
    stranger = Authority(tmp_path / "stranger").client(WORKER)
    monkeypatch.setenv("NOCTURNE_KEY_SERVICE_CERTIFICATE", str(stranger))
    with pytest.raises(SettingsError, match="refused the certificate of this machine"):
        read_keyring()
    (line,) = split_secret.logged
    assert "client" not in line
    assert line["refused"]


def test_a_server_of_another_authority_is_not_asked(
    split_secret: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stranger").mkdir()
    monkeypatch.setenv("NOCTURNE_KEY_SERVICE_AUTHORITY", str(Authority(tmp_path / "stranger").bundle))
    with pytest.raises(SettingsError, match="cannot be verified"):
        read_keyring()
    assert not [line for line in split_secret.logged if "asked" in line]


@pytest.mark.parametrize("certificate", [{"days": -1}, {"host": "keys.example"}])
def test_a_server_that_cannot_be_verified_is_not_asked(
    certificate: dict[str, object], start: Callable[..., Service]
) -> None:
    service = start(**certificate)
    asked = key_service.KeyService(service.url, service.authority.client(WORKER), service.authority.bundle)
    with pytest.raises(SettingsError, match="cannot be verified"):
        asked.fetch_share(1)


@pytest.mark.usefixtures("split_secret")
def test_a_service_that_is_gone_is_worth_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind((HERE, 0))
        monkeypatch.setenv("NOCTURNE_KEY_SERVICE", f"https://{HERE}:{free.getsockname()[1]}")
    with pytest.raises(KeyServiceUnreachable, match="does not answer") as refusal:
        read_keyring()
    assert "try again" in refusal.value.remedy


@pytest.mark.usefixtures("split_secret")
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("", "http://keys.example", "no address https"),
        ("", "https://", "no address https"),
        ("", "https://someone@keys.example", "no address https"),
        ("", "https://keys.example:port", "no address https"),
        ("_CERTIFICATE", "/nowhere.pem", "holds no certificate with its private key"),
        ("_AUTHORITY", "/nowhere.pem", "holds no certificate of an authority"),
    ],
)
def test_settings_that_cannot_be_used_are_named(
    name: str, value: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"NOCTURNE_KEY_SERVICE{name}", value)
    with pytest.raises(SettingsError, match=told):
        read_keyring()
    monkeypatch.delenv(f"NOCTURNE_KEY_SERVICE{name or '_AUTHORITY'}")
    with pytest.raises(SettingsError, match=r"without its certificate or authority|no address"):
        read_keyring()


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ("2:{other}", "holds no share of version 1"),
        ("1:{other}ab", "differ in length"),
        ("nonsense", "cannot answer now"),
        ("", "cannot answer now"),
    ],
)
def test_what_a_third_party_lacks_is_told_without_a_value(held: str, told: str, split_secret: Service) -> None:
    other = bytes(range(7, 39)).hex()
    split_secret.shares.write_text(held.format(other=other))
    with pytest.raises(SettingsError, match=told) as refusal:
        read_keyring()
    assert other not in str(refusal.value)


def test_rotation_asks_the_third_party_first(deid: Call, split_secret: Service, tmp_path: Path) -> None:
    before = (tmp_path / "hospital").read_text()
    refused = deid("key", "rotate")
    assert (refused.status, (tmp_path / "hospital").read_text()) == (2, before)
    assert "holds no share of version 2" in refused.err
    added = keys.make_key(2)
    with split_secret.shares.open("a") as file:
        file.write(f"2:{added.secret.hex()}\n")
    said = deid("key", "rotate")
    assert said.status == 0
    ring = Settings().keyring
    assert (ring.current.version, ring.of(1).secret.hex()) == (2, SECRET)
    assert ring.current.fingerprint in said.out
    assert ring.current.secret.hex() not in (tmp_path / "hospital").read_text()


@pytest.mark.usefixtures("english")
@pytest.mark.usefixtures("split_secret")
def test_a_secret_is_split_once(deid: Call, tmp_path: Path) -> None:
    again = deid("key", "split", tmp_path / "new")
    assert again.status == 2
    assert "is split already" in again.err
    assert not (tmp_path / "new").exists()


def test_a_third_party_destroys_its_share_without_any_database(
    deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "third"
    keys.write_keyring(path, [old := keys.make_key(1), keys.make_key(2)])
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(path))
    settings.cache_clear()
    assert deid("key", "destroy", 1, "--fingerprint", "0" * 16, "--share").status == 2
    assert deid("key", "destroy", 1, "--fingerprint", old.fingerprint, "--share").status == 0
    assert old.secret.hex() not in path.read_text()


def test_the_command_serves_and_a_silent_client_delays_nobody(tmp_path: Path) -> None:
    """The process that a third party runs, from its command line."""
    authority = Authority(tmp_path)
    authority.server()
    (own,) = [path for path in tmp_path.glob("*.pem") if path != authority.bundle]
    keys.write_keyring(tmp_path / "third", [held := keys.make_key(1)])
    arguments = ["--certificate", own, "--authority", authority.bundle, "--client", WORKER, "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "deid", "key", "serve", *map(str, arguments), "--log", str(tmp_path / "access.jsonl")],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "NOCTURNE_SECRET_FILE": str(tmp_path / "third")},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[0]
        asked = key_service.KeyService(url, authority.client(WORKER), authority.bundle)
        with socket.create_connection(asked.address or ("", 0)):  # says nothing
            assert asked.fetch_share(1) == held.secret
        first, *rest = [json.loads(line) for line in (tmp_path / "access.jsonl").read_text().splitlines()]
        assert (first["started"], first["clients"]) == ([1], [WORKER])
        assert [line["status"] for line in rest if line.get("client") == WORKER] == [200]
    finally:
        process.terminate()
        process.wait()
