"""Nights whose secret is split with a third party: the same ids, nothing without both shares, destruction."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from deid.cli import main
from deid.config.settings import settings
from deid.domain.errors import KeyServiceUnreachable, SettingsError
from deid.publication.publish import publish_interval
from tests.conftest import SECRET, Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import fingerprint, night, process, published
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put
from tests.key_services import Service, forget_shares, serve


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A hospital of one letter, published under a secret that it holds whole."""
    (tmp_path / "secret").write_text(f"1:{SECRET}\n")
    monkeypatch.delenv("NOCTURNE_SECRET")
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(tmp_path / "secret"))
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    put(deployed, "letter")
    night("whole")
    return deployed


@pytest.fixture
def service(hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The same secret, split with a third party."""
    assert hospital
    assert main(["key", "split", str(tmp_path / "third")]) == 0
    with serve(tmp_path) as running:
        running.use(monkeypatch)
        yield running


def test_what_was_published_stays_reachable_under_the_split_secret(hospital: Database, service: Service) -> None:
    before = published(hospital)
    put(hospital, "late", LETTER + "\nRevue ce jour.", at=NIGHT + DAY)
    put(hospital, "letter", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    assert night("split", NIGHT + DAY)["published"] == 2
    after = published(hospital)
    assert {row[0] for row in before} < {row[0] for row in after}  # the same id: its row was replaced
    assert len({row[1] for row in after}) == 1
    assert {line["client"] for line in service.logged} == {"nocturne-worker"}
    assert "late" not in service.log.read_text()


def test_without_the_third_party_nothing_is_planned_or_published(
    hospital: Database, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(hospital, "late", LETTER + "\nRevue ce jour.", at=NIGHT + DAY)
    waiting = process("before", NIGHT + DAY)["interval_key"]
    before = fingerprint(hospital)
    forget_shares()
    monkeypatch.setenv("NOCTURNE_KEY_SERVICE", service.url.replace("127.0.0.1", "127.0.0.2"))
    settings.cache_clear()
    with pytest.raises(KeyServiceUnreachable):
        process("away", NIGHT + timedelta(days=2))
    with pytest.raises(KeyServiceUnreachable):
        publish_interval(waiting)
    assert fingerprint(hospital) == before
    service.use(monkeypatch)
    assert publish_interval(waiting)["published"] == 1


def test_one_share_alone_is_another_secret_for_the_ledger(
    hospital: Database, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(hospital, "late", LETTER + "\nRevue ce jour.", at=NIGHT + DAY)
    before = published(hospital)
    monkeypatch.delenv("NOCTURNE_KEY_SERVICE")
    for path in (tmp_path / "secret", service.shares):
        monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(path))
        settings.cache_clear()
        with pytest.raises(SettingsError, match="is not the one that the ledger knows as version 1"):
            process(f"alone {path.name}", NIGHT + DAY)
    assert published(hospital) == before


@pytest.mark.usefixtures("english")
def test_a_share_that_the_third_party_destroyed_is_settled_here(
    hospital: Database, service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ((known,),) = hospital.rows("SELECT fingerprint FROM deid.key")
    service.shares.write_text("")
    service.shares.write_text("2:" + bytes(range(60, 92)).hex())
    forget_shares()
    with pytest.raises(SettingsError, match="holds no share of version 1"):
        process("after", NIGHT + DAY)
    assert main(["key", "rotate"]) == 0
    settings.cache_clear()
    destroy = ["key", "destroy", "1", "--fingerprint"]
    assert main([*destroy, known]) == 2
    assert "1 published documents are of version 1" in capsys.readouterr().err
    assert main([*destroy, "0" * 16, "--freeze"]) == 1
    assert "the ledger knows another secret as version 1" in capsys.readouterr().err
    assert main([*destroy, known, "--freeze"]) == 0
    settings.cache_clear()
    assert [key.version for key in settings().keyring.keys] == [2]
    assert hospital.rows("SELECT destroyed_at IS NOT NULL FROM deid.key WHERE key_version = 1") == [(True,)]
    assert (tmp_path / "secret").read_text().startswith("2:")
