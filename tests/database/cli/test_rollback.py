"""`references rollback` by the command: how far it goes, and that what was put away stays away."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.detection.lexicon import use_lookup
from tests.conftest import Database
from tests.database.refresh.formats import KINDS
from tests.unit.cli.conftest import Call, Said


@pytest.fixture
def hospital(deployed: Database, deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A hospital whose communes and establishments are loaded."""
    monkeypatch.setenv("NOCTURNE_LOOKUP_FOLDER", str(tmp_path / "lookups"))
    settings.cache_clear()
    for source in ("communes", "establishments"):
        assert deid("references", "refresh", source).status == 0
    yield deployed
    use_lookup(None)


def edition(deid: Call, tmp_path: Path, word: str, *more: str) -> Said:
    """Refresh the streets with names that hold a word; the file is the same at each call."""
    names = [f"{KINDS[number % len(KINDS)]} {word} {number}" for number in range(6000)] + list(more)
    path = tmp_path / f"{word}.csv.gz"
    path.write_bytes(gzip.compress("\n".join(["name,addresses", *(f"{name},1" for name in names)]).encode(), mtime=0))
    return deid("references", "refresh", "streets", "--location", path)


def test_a_refresh_after_a_rollback(hospital: Database, deid: Call, tmp_path: Path) -> None:
    first = edition(deid, tmp_path, "numéro").lines[0]
    second = edition(deid, tmp_path, "étroite").lines[0]
    deid("references", "rollback", "streets")
    held = edition(deid, tmp_path, "étroite").lines[0]
    assert (held["state"], held["version"]) == ("held", first["version"])
    assert edition(deid, tmp_path, "numéro").lines[0]["state"] == "unchanged"
    undone = deid("references", "rollback", "streets", "--to", second["release_id"]).lines[0]
    assert undone["version"] == second["version"]
    assert edition(deid, tmp_path, "étroite").lines[0]["state"] == "unchanged"
    assert edition(deid, tmp_path, "élargie").lines[0]["state"] == "loaded"
    in_use = hospital.rows("SELECT version FROM ref.release WHERE source = 'streets' AND state = 'in_use'")
    assert len(in_use) == 1


@pytest.mark.usefixtures("hospital")
def test_rolling_back_twice_goes_as_far_as_rows_are_kept(
    deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "references.yaml").write_text("sources: {streets: {keep: 3}}")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
    settings.cache_clear()
    first, second, _ = (edition(deid, tmp_path, word).lines[0] for word in ("numéro", "étroite", "élargie"))
    assert deid("references", "rollback", "streets").lines[0]["version"] == second["version"]
    assert deid("references", "rollback", "streets").lines[0]["version"] == first["version"]
    third = deid("references", "rollback", "streets")
    assert (third.status, third.out) == (1, "")
    assert "streets has no former version with its rows" in third.err
    for word in ("étroite", "élargie"):
        assert edition(deid, tmp_path, word).lines[0]["state"] == "held"


def test_a_version_without_rows_is_named(hospital: Database, deid: Call, tmp_path: Path) -> None:
    first, second, third = (edition(deid, tmp_path, word).lines[0] for word in ("numéro", "étroite", "élargie"))
    pruned = deid("references", "rollback", "streets", "--to", first["release_id"])
    assert pruned.status == 1
    assert f"version {first['release_id']} of streets was pruned: its rows are gone" in pruned.err
    in_use = deid("references", "rollback", "streets", "--to", third["release_id"])
    assert in_use.status == 1
    assert "that one is in use" in in_use.err
    states = "SELECT version, state FROM ref.release WHERE source = 'streets' ORDER BY release_id"
    assert [state for _, state in hospital.rows(states)] == ["pruned", "former", "in_use"]
    again = edition(deid, tmp_path, "numéro").lines[0]
    assert (again["state"], again["version"]) == ("loaded", first["version"]), "its file brings it back"
    assert second["release_id"] < again["release_id"]
