"""`detect --database` and `deidentify --database` read the reference versions in use, not the tables that ship."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from pyarrow.parquet import read_table

from deid.detection.lookup.lexicon import use_lookup
from deid.refresh.refreshing import refresh
from tests.conftest import Database, Deploy
from tests.database.refresh.formats import KINDS
from tests.database.warehouse.small_hospital import open_hospital
from tests.unit.cli.conftest import Call, jsonl

STREET = "rue du Tardigrade Bleu"
LETTER = "Le patient demeure au 12 rue Victor Hugo, 21000 Dijon. Il revient en consultation."


def fill(database: Database) -> None:
    """Streets named by numbers, with one more."""
    names = [f"{KINDS[number % len(KINDS)]} numéro {number}" for number in range(6000)] + [STREET]
    for source in ("communes", "establishments"):
        refresh(source, dsn=database.dsn("refresher"))
    with NamedTemporaryFile(suffix=".csv.gz") as file:
        file.write(gzip.compress("\n".join(["name,addresses", *(f"{name},1" for name in names)]).encode()))
        file.flush()
        refresh("streets", dsn=database.dsn("refresher"), location=file.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder in which the tables of these versions are built, once for all tests."""
    return tmp_path_factory.mktemp("lookups")


@pytest.fixture
def loaded(deploy: Deploy, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setenv("NOCTURNE_LOOKUP_FOLDER", str(folder))
    yield deploy(fill)
    use_lookup(None)


def labelled(deid: Call, text: str, *options: str) -> set[str]:
    """Passages that `detect` finds in a text with the gazetteer alone."""
    said = deid("detect", "-", "--annotators", "gazetteer", *options, stdin=jsonl([{"id": "1", "text": text}]))
    assert said.status == 0, said.err
    return {text[one["start"] : one["end"]] for one in said.lines[0]["mentions"]}


@pytest.mark.usefixtures("loaded")
def test_detect_knows_a_street_of_the_database_only_with_the_option(deid: Call) -> None:
    text = f"Le patient demeure au 12 {STREET}, il est seul."
    assert not any("Tardigrade" in found for found in labelled(deid, text))
    assert any("Tardigrade" in found for found in labelled(deid, text, "--database"))


def test_distant_labels_of_a_file_know_references_and_staff_only_with_the_option(
    loaded: Database, deid: Call, tmp_path: Path
) -> None:
    open_hospital(loaded)
    text = f"Le patient demeure au 12 {STREET}, il est suivi par Yann TREGUIER."
    (tmp_path / "letters.jsonl").write_text(jsonl([{"id": "1", "text": text, "patient": {"key": "P1"}}]))

    def said_of(function: str, *options: str) -> str:
        said = deid("annotations", "distant", "letters.jsonl", "--out", "corpus", *options)
        assert said.status == 0, said.err
        rows = [row for path in (tmp_path / "corpus").rglob("*.parquet") for row in read_table(path).to_pylist()]
        votes = [one for row in rows for one in row["votes"] if one["function"] == function]
        return " ".join(text[one["start"] : one["end"]] for one in votes)

    assert "Tardigrade" not in said_of("places")
    assert "TREGUIER" not in said_of("staff")
    assert "Tardigrade" in said_of("places", "--database")
    assert "TREGUIER" in said_of("staff", "--database")


@pytest.mark.usefixtures("loaded", "secret")
@pytest.mark.slow
def test_deidentify_draws_a_street_of_the_database_only_with_the_option(deid: Call) -> None:
    texts = {}
    for option in ((), ("--database",)):
        said = deid("deidentify", "-", *option, stdin=jsonl([{"id": "1", "text": LETTER}]))
        assert said.status == 0, said.err
        texts[option] = json.dumps(said.lines[0]["text"], ensure_ascii=False)
        assert "Victor Hugo" not in texts[option]
    of_the_database = ("numéro", "Tardigrade")
    assert not any(word in texts[()] for word in of_the_database)
    assert any(word in texts["--database",] for word in of_the_database)


@pytest.mark.usefixtures("secret")
def test_without_a_database_the_option_is_refused_by_name(deid: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOCTURNE_WORKER_DSN", raising=False)
    said = deid("deidentify", "-", "--database", stdin=jsonl([{"id": "1", "text": LETTER}]))
    assert said.status == 2
    assert "NOCTURNE_WORKER_DSN" in said.err
    assert said.out == ""
