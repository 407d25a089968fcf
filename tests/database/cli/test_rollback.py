"""`references rollback`, end to end: nights and commands read the former version, and what was put away stays away."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.detection.lookup.lexicon import use_lookup
from tests.conftest import Database
from tests.database.refresh.formats import KINDS
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put
from tests.unit.cli.conftest import Call, Said, jsonl

STREET = "rue du Tardigrade Bleu"
TEXT = f"Le patient demeure au 12 {STREET}, il est seul."


@pytest.fixture
def hospital(deployed: Database, deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A hospital whose communes and establishments are loaded."""
    monkeypatch.setenv("NOCTURNE_LOOKUP_FOLDER", str(tmp_path / "lookups"))
    settings.cache_clear()
    open_hospital(deployed)
    for source in ("communes", "establishments"):
        assert deid("references", "refresh", source).status == 0
    yield deployed
    use_lookup(None)


def spelt(number: int) -> str:
    """A number in letters: names of streets with digits are not drawn."""
    return "X" + "".join("abcdefghij"[int(digit)] for digit in str(number))


def edition(deid: Call, tmp_path: Path, word: str, *more: str) -> Said:
    """Refresh the streets with names that hold a word; the file is the same at each call."""
    names = [f"{KINDS[number % len(KINDS)]} {word} {spelt(number)}" for number in range(6000)] + list(more)
    path = tmp_path / f"{word}.csv.gz"
    path.write_bytes(gzip.compress("\n".join(["name,addresses", *(f"{name},1" for name in names)]).encode(), mtime=0))
    return deid("references", "refresh", "streets", "--location", path)


def street_of_a_night(hospital: Database, days: int) -> tuple[str, str]:
    """The street and the version of the streets that a night writes into a new letter of the same patient."""
    name, start = f"D{days}", NIGHT + days * DAY
    put(hospital, name, at=start + timedelta(hours=1))
    night(f"night {days}", start)
    ((text, cited),) = hospital.rows(
        "SELECT text, reference_versions ->> 'streets' FROM deid.published_document ORDER BY published_at DESC LIMIT 1"
    )
    found = re.search(r"(?:étroite|numéro|élargie) X[a-j]+", text)
    assert found is not None, "a street of one of the versions is written"
    return found[0], cited


def knows_the_street(deid: Call) -> bool:
    said = deid("detect", "-", "--database", "--annotators", "gazetteer", stdin=jsonl([{"id": "1", "text": TEXT}]))
    assert said.status == 0, said.err
    return any(STREET.endswith(TEXT[one["start"] : one["end"]][-10:]) for one in said.lines[0]["mentions"])


@pytest.mark.slow
def test_the_night_after_a_rollback_detects_and_draws_by_the_former_version(
    hospital: Database, deid: Call, tmp_path: Path
) -> None:
    first = edition(deid, tmp_path, "numéro", STREET).lines[0]
    before = street_of_a_night(hospital, 1)
    assert before[1] == first["version"]
    assert knows_the_street(deid)

    second = edition(deid, tmp_path, "étroite").lines[0]
    between = street_of_a_night(hospital, 2)
    assert between[0].startswith("étroite")
    assert between[1] == second["version"]
    assert not knows_the_street(deid)

    back = deid("references", "rollback", "streets")
    assert back.status == 0, back.err
    assert (back.lines[0]["state"], back.lines[0]["version"]) == ("rolled_back", first["version"])
    assert street_of_a_night(hospital, 3) == before, "the patient's street is that of the first night"
    assert knows_the_street(deid)


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
    assert "streets n'a pas de version précédente avec ses lignes" in third.err
    for word in ("étroite", "élargie"):
        assert edition(deid, tmp_path, word).lines[0]["state"] == "held"


def test_a_version_without_rows_is_named(hospital: Database, deid: Call, tmp_path: Path) -> None:
    first, second, third = (edition(deid, tmp_path, word).lines[0] for word in ("numéro", "étroite", "élargie"))
    pruned = deid("references", "rollback", "streets", "--to", first["release_id"])
    assert pruned.status == 1
    assert f"la version {first['release_id']} de streets a été élaguée : ses lignes ne sont plus là" in pruned.err
    in_use = deid("references", "rollback", "streets", "--to", third["release_id"])
    assert in_use.status == 1
    assert "elle est en service" in in_use.err
    states = "SELECT version, state FROM ref.release WHERE source = 'streets' ORDER BY release_id"
    assert [state for _, state in hospital.rows(states)] == ["pruned", "former", "in_use"]
    again = edition(deid, tmp_path, "numéro").lines[0]
    assert (again["state"], again["version"]) == ("loaded", first["version"]), "its file brings it back"
    assert second["release_id"] < again["release_id"]
