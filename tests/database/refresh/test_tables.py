"""Substitution reads the versions in use out of one file, built once, cited, mended when damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config import policy
from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import ReferenceRefused
from deid.domain.labels import Label
from deid.nightly import runtime
from deid.reference.tables import packaged_tables
from deid.refresh.refreshing import refresh
from deid.refresh.tables import REQUIRED, open_tables
from deid.substitution import Substitutor
from tests.conftest import Database, Deploy
from tests.database.refresh.formats import hexasmal, insee_first_names, insee_surnames, zipped

KEY = bytes(range(32))
TEXT = "Vu M. Albert Dubreuil, domicilié à Gap."


@pytest.fixture(scope="module")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("built") / "lookups"


@pytest.fixture
def folder(_built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder in which tables are built, once for each version and all tests."""
    monkeypatch.setenv("NOCTURNE_LOOKUP_FOLDER", str(_built))
    return _built


def load(database: Database) -> None:
    for source in REQUIRED:
        refresh(source, dsn=database.dsn("refresher"))


@pytest.fixture
def loaded(deploy: Deploy) -> Database:
    return deploy(load)


def _drawn(substitutor: Substitutor) -> str:
    name, town = "Albert Dubreuil", "Gap"
    at, there = TEXT.index(name), TEXT.index(town)
    mentions = [Mention(at, at + len(name), Label.PATIENT), Mention(there, there + len(town), Label.CITY)]
    return substitutor.substitute(Document("d", TEXT, patient=Patient(key="p")), mentions).text


def _substitutor(deployed: Database, folder: Path) -> Substitutor:
    made = open_tables(deployed.dsn("worker"), folder)
    return Substitutor(policy.load(), KEY, made.communes, made.names)


def test_before_any_load_it_is_the_file_that_ships(deployed: Database, tmp_path: Path) -> None:
    assert open_tables(deployed.dsn("worker"), tmp_path / "lookups") is packaged_tables()
    assert not (tmp_path / "lookups").exists()


@pytest.mark.slow
def test_the_shipped_tables_loaded_as_a_version_give_the_same_surrogates(loaded: Database, folder: Path) -> None:
    made = open_tables(loaded.dsn("worker"), folder)
    assert made.path.parent == folder
    assert open_tables(loaded.dsn("worker"), folder) is made
    assert _drawn(_substitutor(loaded, folder)) == _drawn(Substitutor(policy.load(), KEY, packaged_tables().communes))
    assert runtime.reference_versions()["tables"] == made.digest[:16]
    assert runtime.tables().communes.version == made.communes.version


@pytest.mark.slow
def test_names_of_a_version_are_drawn_and_cited(loaded: Database, folder: Path, tmp_path: Path) -> None:
    before = runtime.reference_versions()
    (tmp_path / "prenoms.csv").write_text(insee_first_names(), encoding="utf-8")
    (tmp_path / "noms.zip").write_bytes(zipped("noms2008nat_txt.txt", insee_surnames()))
    for source, name in (("first_names", "prenoms.csv"), ("surnames", "noms.zip")):
        refresh(source, dsn=loaded.dsn("refresher"), location=str(tmp_path / name))
    made = open_tables(loaded.dsn("worker"), folder)
    born = dict(loaded.rows("SELECT name, births FROM ref.surname ORDER BY births DESC LIMIT 50"))
    assert {name: made.names.surname_births(name) for name in born} == born
    ((first, births),) = loaded.rows(
        "SELECT name, sum(births)::int FROM ref.first_name GROUP BY name ORDER BY 2 DESC LIMIT 1"
    )
    known = made.names.first_name(first)
    assert known is not None
    assert known.births == births
    cited = runtime.reference_versions()
    assert made.digest.startswith(cited["tables"])
    assert cited["tables"] != before["tables"]
    assert {"first_names", "surnames"} <= cited.keys()
    assert cited["territories"] == before["territories"]


def test_postal_codes_and_quarters_of_a_version_are_found(loaded: Database, folder: Path, tmp_path: Path) -> None:
    header, *lines = hexasmal().splitlines()
    gap = {"code_commune_insee": "05061", "code_postal": "05999", "ligne_5": "ROMETTE LES PINS"}
    columns = [name.lstrip("#").casefold().replace("é", "e") for name in header.split(";")]
    row = ";".join(gap.get(column, "GAP") for column in columns)
    (tmp_path / "postaux.csv").write_text("\n".join([header, *lines, row]) + "\n", encoding="utf-8")
    refresh("postal_codes", dsn=loaded.dsn("refresher"), location=str(tmp_path / "postaux.csv"))
    communes = open_tables(loaded.dsn("worker"), folder).communes
    gap_today = communes.get("05061")
    assert gap_today is not None
    assert communes.at_zip("05999") == (gap_today,)
    assert communes.find("Romette-les-Pins") == (gap_today,)
    assert gap_today.zips[0] == "05000", "its own code comes first"
    assert "postal_codes-" in communes.version


def test_damaged_tables_are_built_again_with_the_same_content(
    loaded: Database, folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = open_tables(loaded.dsn("worker"), folder)
    content, damaged = made.path.read_bytes(), tmp_path / made.path.name
    damaged.write_bytes(content[:-50])
    again = open_tables(loaded.dsn("worker"), tmp_path)
    assert (again.digest, again.path) == (made.digest, damaged)
    assert damaged.read_bytes() == content
    assert "refused" in caplog.text


def test_a_folder_that_cannot_be_written_costs_no_surrogate(loaded: Database, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    made = open_tables(loaded.dsn("worker"), tmp_path / "file")
    assert made.communes.find("Gap")


def test_without_what_is_needed_nothing_is_drawn(deployed: Database, folder: Path) -> None:
    refresh("streets", dsn=deployed.dsn("refresher"))
    with pytest.raises(ReferenceRefused, match=r"no version of communes, establishments .*refresh_references"):
        open_tables(deployed.dsn("worker"), folder)
