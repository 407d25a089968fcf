"""The hospital's ids in another database: nights, opt-outs and originals go on, and neither database links alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.linkage import read_names
from benchmarks.linkers import Known, attack, read_tables
from deid.cli import main
from deid.config.settings import settings
from deid.database.connection import connect
from deid.doctor import databases
from deid.domain.errors import WarehouseError
from deid.ledger import opt_outs as removal
from deid.ledger import originals
from deid.ledger.keys import record_destroyed
from deid.ledger.originals import OriginalProblem, OriginalRefused
from tests.conftest import Database, fresh_database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, oppose, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put
from tests.database.warehouse.test_backup import address, program, restoring

HELD = "SELECT kind, source_id, ledger_id FROM identity.mapping ORDER BY 1, 2"
IDS = ("VASSEROT_1961.txt", "D2", "P000001", "P000002", "S000001", "S000002")


pytestmark = pytest.mark.usefixtures("english")


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """A ledger with one night behind it, and the ids beside it, as an upgraded deployment has them."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed, opaque=True)
    put(deployed, IDS[0])
    put(deployed, "D2", LETTER + "Suite.", patient="P000002")
    night("first")
    return deployed


@pytest.fixture
def other(postgres_server: str) -> Iterator[Database]:
    """A database for the ids, empty."""
    with fresh_database(postgres_server) as database:
        yield database


def tell_of(other: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name a database for the ids, without role and password."""
    where = urlsplit(other.superuser)
    monkeypatch.setenv("NOCTURNE_IDENTITY_DATABASE", f"postgresql://{where.hostname}:{where.port}/{other.name}")
    settings.cache_clear()


def levels() -> set[str]:
    return {str(found.level) for found in databases.check_identity()}


def test_the_ids_move_and_everything_goes_on(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hospital.rows("ANALYZE")
    before, (salt,) = hospital.rows(HELD), hospital.rows("SELECT salt FROM identity.salt")
    assert {name for _, name, _ in before} == set(IDS)
    assert levels() == {"ok"}
    tell_of(other, monkeypatch)
    assert levels() == {"error"}, "the ids are still in the ledger's database"
    assert (main(["migrate"]), main(["migrate"])) == (0, 0)
    assert "6 ids moved" in capsys.readouterr().out
    assert levels() == {"ok"}
    assert (other.rows(HELD), other.rows("SELECT salt FROM identity.salt")) == (before, [salt])
    for table in ("mapping", "salt", "opt_out", "discarded"):
        assert hospital.rows(f"SELECT count(*) FROM identity.{table}") == [(0,)], table
    kept = hospital.rows("SELECT attname FROM pg_stats WHERE schemaname = 'identity'")
    assert set(kept) <= {("kind",), ("adopted",)}

    put(hospital, "D2", LETTER + "Corrigé.", patient="P000002", at=NIGHT + DAY)
    put(hospital, "D3", LETTER + "Fin.", patient="P000002", at=NIGHT + DAY)
    release = night("second", NIGHT + DAY)
    assert (release["replaced"], release["published"]) == (1, 2)
    assert [row for row in other.rows(HELD) if row[1] != "D3"] == before
    assert main(["ids", "find", IDS[0]]) == 0
    name = json.loads(capsys.readouterr().out)["ledger_id"]
    asked = hospital.rows("SELECT run_id, document_id, content_hash FROM deid.document WHERE document_id = %s", (name,))
    assert originals.read_original("référente", *asked[0]).text == LETTER
    oppose("P000001")
    with pytest.raises(OriginalRefused) as refused:
        originals.read_original("référente", *asked[0])
    assert refused.value.why is OriginalProblem.WITHDRAWN
    assert removal.apply_opt_outs()["removed"] == 1
    (key,) = settings().keyring.keys
    record_destroyed(key.version, key.fingerprint)
    assert {source for kind, source, _ in other.rows(HELD) if kind != "stay"} == {IDS[0], "P000001"}


def test_neither_database_links_without_the_other(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    oppose("P000001")
    names = read_names(hospital.owner)
    tell_of(other, monkeypatch)
    assert main(["migrate"]) == 0
    for number in range(10):
        put(hospital, f"E{number}", f"{LETTER}\nExemplaire {number}.", patient="P000002", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    sources = {source for _, source, _ in other.rows(HELD)}
    ledger, ids = tmp_path / "nocturne.dump", tmp_path / "identity.dump"
    program("pg_dump", "--format=custom", "--exclude-schema=cdw", f"--file={ledger}", address(hospital, hospital.name))
    program("pg_dump", "--format=custom", f"--file={ids}", address(other, other.name))
    with restoring(hospital, ledger) as alone:
        known = Known([(source, "", "") for source in sorted(sources)], [], names)
        found = attack(alone.owner, known)
        assert found.cells > 1000
        assert (found.linked, found.told) == (set(), set())
        assert alone.rows("SELECT count(*) FROM research.document") == [(11,)]
    with restoring(other, ids) as alone:
        columns = "document_id, patient_id, stay_id"
        published = {name for row in hospital.rows(f"SELECT {columns} FROM research.document") for name in row}
        with connect(alone.owner) as link, link.cursor() as cursor:
            cells = {cell for _, rows in read_tables(cursor).values() for row in rows for cell in row if cell}
        assert len(cells) > 100
        assert not [cell for cell in cells if any(name in cell for name in published)]
        assert {source for _, source, _ in alone.rows(HELD)} == sources


def test_what_would_lose_or_divide_the_ids_is_refused(
    hospital: Database, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_of(hospital, monkeypatch)
    assert main(["migrate"]) == 1
    tell_of(other, monkeypatch)
    other.rows("INSERT INTO identity.mapping (kind, source_id) VALUES ('document', 'D2')")
    assert main(["migrate"]) == 1
    assert len(hospital.rows(HELD)) == len(IDS), "nothing left"
    other.rows("DELETE FROM identity.mapping")
    assert main(["migrate"]) == 0
    other.rows("DELETE FROM identity.mapping WHERE source_id = 'D2'")  # as an older backup would
    with pytest.raises(WarehouseError, match="1 documents of the ledger are not in the schema identity"):
        process("second", NIGHT + DAY)
    oppose("P000002")
    with monkeypatch.context() as forgetful:
        forgetful.delenv("NOCTURNE_IDENTITY_DATABASE")
        settings.cache_clear()
        assert levels() == {"error"}
        for act in (lambda: process("second", NIGHT + DAY), lambda: oppose("P000001"), removal.apply_opt_outs):
            with pytest.raises(WarehouseError, match="42501"):
                act()
    settings.cache_clear()
    assert hospital.rows("SELECT count(*) FROM deid.opt_out") == [(1,)]
    other.rows("DELETE FROM identity.opt_out")
    with pytest.raises(WarehouseError, match="the patients of 1 opt-outs"):
        removal.apply_opt_outs()
