"""Detection reads the versions in use: a lookup built once from the database, cited, mended when damaged."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deid.detection.lookup import PACKAGED_LOOKUPS, Kind, LookupTable, lookup_stamp
from deid.detection.lookup.lexicon import gazetteers, use_lookup
from deid.domain.errors import WarehouseError
from deid.french.folding import key
from deid.nightly import runtime
from deid.refresh.refreshing import refresh
from deid.refresh.tables import open_lookup
from tests.conftest import Database, Deploy
from tests.database.refresh.formats import (
    KINDS,
    directory,
    hexasmal,
    insee_first_names,
    insee_surnames,
    lieux_dits,
    zipped,
)

NAME = "rue du Tardigrade Bleu"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = tmp_path / "lookups"
    monkeypatch.setenv("NOCTURNE_LOOKUP_FOLDER", str(place))
    yield place
    use_lookup(None)


@pytest.fixture(scope="module")
def _one_more(tmp_path_factory: pytest.TempPathFactory) -> tuple[Callable[[Database], None], Path]:
    """Loader of streets with one more, and the folder of their lookup, built once for all tests."""
    home = tmp_path_factory.mktemp("streets")

    def fill(database: Database) -> None:
        refresh("streets", dsn=database.dsn("refresher"), location=_streets(home / "one.csv.gz", NAME))

    return fill, home / "lookups"


@pytest.fixture
def built(deploy: Deploy, _one_more: tuple[Callable[[Database], None], Path]) -> tuple[Database, LookupTable]:
    """A database whose streets have one more, and its lookup."""
    database = deploy(_one_more[0])
    return database, open_lookup(database.dsn("worker"), _one_more[1])


def _streets(path: Path, *more: str) -> str:
    names = [f"{KINDS[number % len(KINDS)]} numéro {number}" for number in range(6000)] + list(more)
    path.write_bytes(gzip.compress("\n".join(["name,addresses", *(f"{name},1" for name in names)]).encode()))
    return str(path)


def test_before_any_load_it_is_the_file_that_ships(deployed: Database, folder: Path) -> None:
    known = LookupTable.find(PACKAGED_LOOKUPS, lookup_stamp())
    assert known is not None
    assert open_lookup(deployed.dsn("worker"), folder).digest == known.digest
    assert not folder.exists()


@pytest.mark.slow
def test_the_shipped_tables_loaded_as_a_version_give_the_file_that_ships(deployed: Database, folder: Path) -> None:
    for source in ("communes", "former_communes", "streets", "establishments", "first_names", "surnames"):
        refresh(source, dsn=deployed.dsn("refresher"))
    built = open_lookup(deployed.dsn("worker"), folder)
    known = LookupTable.find(PACKAGED_LOOKUPS, lookup_stamp())
    assert known is not None
    assert built.digest == known.digest
    assert built.path.parent == folder


@pytest.mark.usefixtures("folder")
@pytest.mark.slow
def test_a_street_of_a_refresh_is_known_and_cited_and_one_more_refresh_changes_both(
    deployed: Database, tmp_path: Path
) -> None:
    before = runtime.reference_versions()["lookup"]
    for source in ("communes", "establishments"):
        refresh(source, dsn=deployed.dsn("refresher"))
    refresh("streets", dsn=deployed.dsn("refresher"), location=_streets(tmp_path / "one.csv.gz", NAME))
    table = runtime.use_current_lookup()
    assert Kind.STREET in table.kinds("rue du tardigrade bleu")
    assert Kind.STREET in table.kinds("rue de rivoli"), "what ships stays known"
    assert [hit.entry.name for hit in gazetteers().scan("12 rue du tardigrade bleu ")][:1] == ["rue du tardigrade bleu"]
    cited = runtime.reference_versions()
    assert table.digest.startswith(cited["lookup"])
    assert cited["lookup"] != before
    refresh("streets", dsn=deployed.dsn("refresher"), location=_streets(tmp_path / "two.csv.gz"))
    assert not runtime.use_current_lookup().kinds("rue du tardigrade bleu")
    assert runtime.reference_versions()["lookup"] != cited["lookup"]


def test_professionals_of_the_directory_are_known_in_both_orders(
    deployed: Database, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "PS_LibreAcces_Personne_activite_1.txt"
    path.write_text(directory(1200), encoding="utf-8")
    refresh("professionals", dsn=deployed.dsn("refresher"), location=str(path))
    ((first, last),) = deployed.rows("SELECT first_name, last_name FROM ref.professional ORDER BY identifier LIMIT 1")
    table = open_lookup(deployed.dsn("worker"), folder)
    for name in (f"{first} {last}", f"{last} {first}"):
        assert [entry.kind for _, _, entry in table.scan(key(name))] == [Kind.PROFESSIONAL]


def test_names_postal_names_and_lieux_dits_of_versions_are_known(
    deployed: Database, folder: Path, tmp_path: Path
) -> None:
    files = {
        "first_names": ("prenoms.csv", insee_first_names().encode()),
        "surnames": ("noms.zip", zipped("noms2008nat_txt.txt", insee_surnames())),
        "postal_codes": ("postaux.csv", hexasmal().encode()),
        "localities": ("lieux-dits-05-beta.csv.gz", gzip.compress(lieux_dits().encode())),
    }
    for source, (name, content) in files.items():
        (tmp_path / name).write_bytes(content)
        refresh(source, dsn=deployed.dsn("refresher"), location=str(tmp_path / name))
    table = open_lookup(deployed.dsn("worker"), folder)
    for query, kind in (
        ("SELECT name, births FROM ref.surname WHERE name !~ '[^A-Z]' ORDER BY births DESC LIMIT 3", Kind.SURNAME),
        ("SELECT name, sum(births) FROM ref.first_name WHERE name !~ '[^A-Z]' GROUP BY 1 LIMIT 3", Kind.FIRST_NAME),
    ):
        rows = deployed.rows(query)
        assert rows
        assert all(table.births(kind, key(name)) >= births for name, births in rows)
    ((place,),) = deployed.rows("SELECT name FROM ref.locality ORDER BY name LIMIT 1")
    assert Kind.LOCALITY in table.kinds(key(place))
    ((label,),) = deployed.rows("SELECT label FROM ref.postal_code ORDER BY label DESC LIMIT 1")
    assert table.kinds(key(label)) & {Kind.COMMUNE, Kind.FORMER}


def test_a_damaged_file_is_built_again_with_the_same_content(
    built: tuple[Database, LookupTable], folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database, table = built
    content, damaged = table.path.read_bytes(), folder / table.path.name
    folder.mkdir()
    damaged.write_bytes(content[:-50])
    again = open_lookup(database.dsn("worker"), folder)
    assert (again.digest, again.path) == (table.digest, damaged)
    assert damaged.read_bytes() == content
    assert "refused" in caplog.text


def test_a_folder_that_cannot_be_written_costs_no_name(built: tuple[Database, LookupTable], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    table = open_lookup(built[0].dsn("worker"), tmp_path / "file")
    assert Kind.STREET in table.kinds("rue du tardigrade bleu")


def test_a_worker_may_read_and_a_researcher_may_not(deployed: Database, folder: Path) -> None:
    open_lookup(deployed.dsn("worker"), folder)
    with pytest.raises(WarehouseError):
        open_lookup(deployed.dsn("researcher"), folder)
