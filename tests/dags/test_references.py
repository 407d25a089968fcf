"""Every wrong file through the DAG: its task fails, the others and the releases in service stay as they were."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

import pytest

from deid.reference import SOURCES, download
from deid.resources import DATA
from deid.settings import settings
from tests.conftest import Database
from tests.reference import formats
from tests.reference.conftest import Web, web  # noqa: F401 - a fixture

COMMUNES = gzip.decompress((DATA / "communes.csv.gz").read_bytes()).decode()
SURNAMES = gzip.decompress((DATA / "surnames.csv.gz").read_bytes()).decode()
STREETS = formats.packed(formats.ban())


def _latin() -> bytes:
    return COMMUNES.encode("latin-1", errors="replace")


def _misplaced() -> bytes:
    return formats.packed(formats.ban().replace(";6.012;47.26;", ";47.26;6.012;"))


# One night each: (source, what its server answers).
NIGHTS: list[dict[str, tuple[str, dict[str, Any]]]] = [
    {
        "404": ("streets", {"body": b"", "status": 404}),
        "duplicated INSEE codes": ("communes", {"body": COMMUNES.replace("\n25056,", "\n25057,").encode()}),
        "half the rows gone": ("surnames", {"body": "\n".join(SURNAMES.split("\n")[:109_000]).encode()}),
        "web page": ("establishments", {"body": b"<!DOCTYPE html><p>Maintenance</p>"}),
        "wrong delimiter": (
            "first_names",
            {"body": formats.insee_first_names(20).replace(";", "|").encode()},
        ),
    },
    {
        "500": ("surnames", {"body": b"", "status": 500}),
        "Latin-1": ("communes", {"body": _latin()}),
        "coordinates outside France": ("streets", {"body": _misplaced()}),
        "changed header": ("former_communes", {"body": b"code,libelle\n01015,Arbignieu\n"}),
        "timeout": ("first_names", {"body": b"sexe;preusuel;annais;nombre\n" * 100, "drip_s": 3}),
    },
    {
        "truncated gzip": ("streets", {"body": STREETS[: len(STREETS) // 2]}),
        "postal code as an integer": ("communes", {"body": COMMUNES.replace(",01400,", ",1400,").encode()}),
        "zip bomb": ("surnames", {"body": gzip.compress(b"NOM\t" * (20 << 20))}),
        "checksum mismatch": ("establishments", {"body": (DATA / "establishments.csv.gz").read_bytes()}),
    },
]


def service(database: Database) -> list[tuple]:
    """Everything the sources left, as counts."""
    tables = ("commune", "street", "establishment", "first_name", "surname", "former_commune")
    counts = [database.rows(f"SELECT '{table}', release_id, count(*) FROM ref.{table} GROUP BY 2") for table in tables]
    return [*counts, *database.rows("SELECT release_id, source, version, state, rows FROM ref.release ORDER BY 1")]


def test_each_fault_fails_its_own_task_and_touches_nothing(
    deployed: Database,
    play: Any,
    web: Web,  # noqa: F811 - the fixture
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(download, "BACKOFF_S", 0.0)
    monkeypatch.setattr(download, "READ_S", 0.5)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    first = play("refresh_references")
    assert {name: first.steps[name] for name in SOURCES} == {name: ["success"] for name in SOURCES}
    before = service(deployed)
    for night in NIGHTS:
        if "checksum mismatch" in night:
            wrong = "sources: {establishments: {checksum: '" + "0" * 64 + "'}}"
            (tmp_path / "references.yaml").write_text(wrong, encoding="utf-8")
            monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
        for source, answer in night.values():
            monkeypatch.setenv(f"NOCTURNE_{source.upper()}_LOCATION", web.serve(f"/{source}", **answer))
        settings.cache_clear()
        failed = {source for source, _ in night.values()}
        time.sleep(0.01)  # a run of its own instant
        run = play("refresh_references")
        ended = {name: run.steps[name] for name in SOURCES}
        assert ended == {name: ["failed" if name in failed else "success"] for name in SOURCES}, night.keys()
        assert service(deployed) == before, night.keys()
        for source in failed:
            monkeypatch.delenv(f"NOCTURNE_{source.upper()}_LOCATION")
