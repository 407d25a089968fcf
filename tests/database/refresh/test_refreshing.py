"""Refreshing: what is right is loaded and swapped in, what is wrong is refused by name and touches nothing."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused, WarehouseError
from deid.reference.packaged import DATA
from deid.reference.tables import packaged_tables
from deid.refresh.reference_versions import version_names
from deid.refresh.refreshing import refresh
from deid.refresh.sources import SOURCES
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.refresh.conftest import Web
from tests.database.refresh.in_use import communes_in_use

BAN = "/ban/adresses-25.csv.gz"


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


def state(postgres: Database) -> list[tuple]:
    """Everything the room wrote, as counts: equal before and after whatever is refused."""
    tables = ("commune", "street", "establishment", "professional")
    counts = [postgres.rows(f"SELECT '{table}', count(*) FROM ref.{table}")[0] for table in tables]
    return counts + postgres.rows("SELECT release_id, source, version, state, rows FROM ref.release ORDER BY 1")


def test_what_ships_is_loaded_and_read_back_as_it_was(postgres: Database, dsn: str) -> None:
    loaded = [refresh(name, dsn=dsn) for name, source in SOURCES.items() if source.default]
    assert [result["state"] for result in loaded] == ["loaded"] * 6
    before = state(postgres)
    again = [refresh(name, dsn=dsn) for name, source in SOURCES.items() if source.default]
    assert [result["state"] for result in again] == ["unchanged"] * 6
    assert state(postgres) == before

    table, shipped = communes_in_use(postgres.dsn("worker")), packaged_tables().communes
    assert tuple(table.communes) == tuple(shipped.communes)
    assert [commune.features for commune in table.communes] == [commune.features for commune in shipped.communes]
    assert [commune.zips for commune in table.communes] == [commune.zips for commune in shipped.communes]
    assert {name: tuple(codes) for name, codes in table.partition.items()} == shipped.partition
    assert table.streets == shipped.streets
    assert table.establishments("75056") == shipped.establishments("75056")
    used = {
        name: version
        for name, version in version_names(dsn).items()
        if name in ("communes", "streets", "establishments")
    }
    assert all(version in table.version for version in used.values())
    assert {location for (location,) in postgres.rows("SELECT location FROM ref.release")} == {"packaged"}


def test_without_a_version_the_table_says_what_to_do(postgres: Database, dsn: str) -> None:
    refresh("streets", dsn=dsn)
    with pytest.raises(ReferenceRefused, match=r"no version of communes, establishments .*refresh_references"):
        communes_in_use(postgres.dsn("worker"))


def test_the_worker_may_read_and_not_write(postgres: Database) -> None:
    assert version_names(postgres.dsn("worker")) == {}
    with pytest.raises(WarehouseError, match="42501"):
        refresh("streets", dsn=postgres.dsn("worker"))


@pytest.mark.parametrize("columns", [23, 22])
def test_the_address_base_over_http(postgres: Database, dsn: str, web: Web, columns: int) -> None:
    url = web.serve(BAN, formats.packed(formats.ban(columns=columns)), headers={"ETag": '"v1"'})
    first = refresh("streets", dsn=dsn, location=url)
    assert (first["state"], first["rows"], first["skipped"]) == ("loaded", 5200, 0)
    assert postgres.rows("SELECT insee, sum(addresses) FROM ref.street GROUP BY 1") == [("25056", 10400)]
    assert refresh("streets", dsn=dsn, location=url)["state"] == "unchanged"
    assert web.seen[-1][1]["If-None-Match"] == '"v1"'


def test_the_health_directory_keeps_names_and_no_phone(postgres: Database, dsn: str, web: Web) -> None:
    url = web.serve("/PS_LibreAcces.txt", formats.directory().encode())
    assert refresh("professionals", dsn=dsn, location=url)["rows"] == 1100
    row = postgres.rows(
        "SELECT identifier, last_name, first_name, profession, insee FROM ref.professional ORDER BY 1 LIMIT 1"
    )
    assert row == [("10000000000", 'NOM0000 D"A', "ANNE", "Médecin", "25056")]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_finess(postgres: Database, dsn: str, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "finess.csv"
    file.write_bytes(formats.finess().encode(encoding))
    assert refresh("establishments", dsn=dsn, location=file.as_uri())["rows"] == 3100
    assert postgres.rows("SELECT DISTINCT insee FROM ref.establishment ORDER BY 1") == [("25056",), ("97101",)]
    assert postgres.rows("SELECT DISTINCT kind FROM ref.establishment ORDER BY 1") == [
        ("Pharmacie d'Officine",),
        ("hospital",),
    ]
    assert postgres.rows("SELECT name FROM ref.establishment ORDER BY finess LIMIT 1") == [("CENTRE HOSPITALIER Nº0",)]


@pytest.mark.parametrize(
    ("name", "content", "other"),
    [
        ("finess-structures-journalier-20260601.json", formats.finess_structures(), "620"),
        ("finess-structures-mensuel.json", formats.finess_structures(indent=None), "620"),
        ("finess-structures-journalier-20260819.json.gz", formats.finess_structures(), "620"),
        ("finess-structures-v1.json", formats.finess_structures_of_schema(), "620"),
        ("finess-geolocalise.csv", formats.finess_table(), "Pharmacie d'Officine"),
    ],
)
def test_finess_since_its_stock_file_is_no_longer_updated(
    postgres: Database, dsn: str, tmp_path: Path, name: str, content: str, other: str
) -> None:
    raw = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    assert refresh("establishments", dsn=dsn, location=(tmp_path / name).as_uri())["rows"] == 3100
    assert postgres.rows("SELECT insee, count(*) FROM ref.establishment GROUP BY 1 ORDER BY 1") == [
        ("25056", 1550),
        ("97101", 1550),
    ]
    assert postgres.rows("SELECT kind, count(*) FROM ref.establishment GROUP BY 1 ORDER BY 1") == [
        (other, 1034),
        ("hospital", 2066),
    ]
    assert postgres.rows("SELECT name FROM ref.establishment ORDER BY finess LIMIT 1") == [("CENTRE HOSPITALIER Nº0",)]


def test_a_file_of_finess_that_is_put_into_its_folder_by_hand(postgres: Database, dsn: str, tmp_path: Path) -> None:
    def given(day: int, content: str) -> None:
        (tmp_path / f"finess-structures-journalier-202608{day}.json.gz").write_bytes(gzip.compress(content.encode()))

    given(19, formats.finess_structures())
    assert refresh("establishments", dsn=dsn, location=str(tmp_path))["rows"] == 3100
    given(20, formats.finess_structures(indent=None))
    with pytest.raises(ReferenceRefused):
        refresh("establishments", dsn=dsn, location=str(tmp_path))
    (tmp_path / "finess-structures-journalier-20260819.json.gz").unlink()
    assert refresh("establishments", dsn=dsn, location=str(tmp_path))["rows"] == 3100
    assert postgres.rows("SELECT count(*) FROM ref.establishment") == [(6200,)], "two versions are kept"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (formats.finess_structures()[:-40_000], "cut short"),
        (formats.finess_structures().replace('"cogCommune"', '"commune"'), "has what is read of it: cogCommune"),
        ('{"schemaVersion": "v1.0.0", "activites": []}', "no list “pmej”"),
        ("nofinesset;rs;rslongue;categetab\n250000001;CH;;355\n", "commune"),
    ],
)
def test_another_file_of_finess_is_refused_by_what_it_lacks(
    postgres: Database, dsn: str, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "finess"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ReferenceRefused, match=message):
        refresh("establishments", dsn=dsn, location=path.as_uri())
    assert postgres.rows("SELECT count(*) FROM ref.establishment") == [(0,)]


def test_a_source_without_a_file_is_left_alone_until_settings_name_one(
    dsn: str, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refresh("professionals", dsn=dsn) == {"source": "professionals", "state": "not_configured", "rows": 0}
    monkeypatch.setenv("NOCTURNE_PROFESSIONALS_LOCATION", web.serve("/ps.txt", formats.directory().encode()))
    settings.cache_clear()
    assert refresh("professionals", dsn=dsn)["rows"] == 1100


def test_every_source_has_a_setting() -> None:
    assert {name: settings().location(name) for name in SOURCES} == dict.fromkeys(SOURCES)


def test_an_unknown_source_is_named(dsn: str) -> None:
    with pytest.raises(ReferenceRefused, match="there is no source “horoscopes”"):
        refresh("horoscopes", dsn=dsn)


GOOD = formats.packed(formats.ban())
BAD_STREETS = {
    "404": ({"body": b"", "status": 404}, "answered 404"),
    "500": ({"body": b"", "status": 500}, "answered 500"),
    "cut short": ({"body": GOOD[: len(GOOD) // 2], "length": len(GOOD)}, "could not be downloaded|cut short"),
    "truncated gzip": ({"body": GOOD[: len(GOOD) // 2]}, "damaged or cut short"),
    "corrupt gzip": ({"body": GOOD[:2000] + b"\0" * 64 + GOOD[2064:]}, "damaged or cut short|not text"),
    "web page": ({"body": b"<!DOCTYPE html><p>Maintenance</p>"}, "is a web page"),
    "page by type": ({"body": b"oups", "headers": {"Content-Type": "text/html; charset=utf-8"}}, "is a web page"),
    "empty": ({"body": b""}, "lacks the columns"),
    "columns": ({"body": formats.packed(formats.ban().replace("nom_voie", "voie"))}, "lacks the column nom_voie"),
    "delimiter": ({"body": formats.packed(formats.ban().replace(";", "\t"))}, "columns between “;”"),
    "latin-1": ({"body": gzip.compress(formats.ban().replace("’", "'").encode("latin-1"))}, "not text in utf-8"),
    "too few": ({"body": formats.packed(formats.ban(40))}, "40 rows, fewer than 5000"),
    "zip archive": ({"body": b"PK\x03\x04" + b"\0" * 64}, "damaged"),
    "bomb": ({"body": gzip.compress(b"x;" * (20 << 20))}, "line without end"),
    "long bomb": (
        {"body": gzip.compress((formats.BAN_HEADER + "\n" + (";" * 22 + "\n") * 900_000).encode())},
        "unpacks",
    ),
    "ragged lines": ({"body": formats.packed(formats.ban().replace("_00001;;1;;", "_00001;;1;"))}, "lines are not as"),
    "no letters": ({"body": formats.packed(formats.ban().replace("Rue du Bois", "0").replace("l’Évêque", ""))}, "ters"),
    "slow": ({"body": GOOD, "drip_s": 0.05}, "too long"),
}


@pytest.fixture
def loaded(postgres: Database, dsn: str) -> list[tuple]:
    refresh("streets", dsn=dsn)
    return state(postgres)


@pytest.mark.parametrize("fault", BAD_STREETS)
def test_what_is_wrong_is_refused_and_changes_nothing(
    postgres: Database, dsn: str, web: Web, loaded: list[tuple], fault: str
) -> None:
    answer, message = BAD_STREETS[fault]
    url = web.serve(BAN, **answer)
    with pytest.raises(ReferenceRefused, match=message) as caught:
        refresh("streets", dsn=dsn, location=url, deadline_s=0.5)
    assert caught.value.remedy
    assert state(postgres) == loaded


def test_passing_faults_are_tried_again(dsn: str, web: Web) -> None:
    url = web.serve(BAN, b"", status=503)
    with pytest.raises(ReferenceRefused, match="answered 503"):
        refresh("streets", dsn=dsn, location=url)
    assert len(web.seen) == 4


def test_nobody_answers(postgres: Database, dsn: str, loaded: list[tuple]) -> None:
    with pytest.raises(ReferenceRefused, match=r"could not be downloaded \(nobody answers there\)"):
        refresh("streets", dsn=dsn, location="http://127.0.0.1:9/ban.csv.gz")
    with pytest.raises(ReferenceRefused, match="No such file"):
        refresh("streets", dsn=dsn, location="/no/such/file.csv")
    with pytest.raises(ReferenceRefused, match="ftp:// is not supported"):
        refresh("streets", dsn=dsn, location="ftp://host/file.csv")
    assert state(postgres) == loaded


def test_credentials_are_neither_kept_nor_shown(
    postgres: Database, dsn: str, web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="deid")
    web.serve(BAN, GOOD)
    secret = web.url.replace("http://", "http://jeanne:sesame@") + BAN + "?token=sesame"
    refresh("streets", dsn=dsn, location=secret)
    assert postgres.rows("SELECT location FROM ref.release") == [(web.url + BAN,)]
    assert "Basic" in web.seen[-1][1]["Authorization"]
    for status in (404, 503):
        web.serve(BAN, b"", status=status)
        with pytest.raises(ReferenceRefused) as caught:
            refresh("streets", dsn=dsn, location=secret)
        assert "sesame" not in f"{caught.value}{caplog.text}"


def test_a_file_that_shrank_is_refused_and_another_location_is_not_compared(dsn: str, web: Web) -> None:
    url = web.serve(BAN, formats.packed(formats.ban(8000)))
    refresh("streets", dsn=dsn, location=url)
    web.serve(BAN, formats.packed(formats.ban(6000)))
    with pytest.raises(ReferenceRefused, match="6000 rows where the version in use has 8000"):
        refresh("streets", dsn=dsn, location=url)
    other = web.serve("/ban/adresses-70.csv.gz", formats.packed(formats.ban(6000, insee="70550")))
    assert refresh("streets", dsn=dsn, location=other)["state"] == "loaded"


def test_two_versions_are_kept(postgres: Database, dsn: str, web: Web) -> None:
    for number in range(4):
        url = web.serve(BAN, formats.packed(formats.ban(5200 + number)))
        refresh("streets", dsn=dsn, location=url)
    assert postgres.rows("SELECT state FROM ref.release ORDER BY release_id") == [
        ("pruned",), ("pruned",), ("former",), ("in_use",),
    ]  # fmt: skip
    assert postgres.rows("SELECT count(*) FROM ref.street GROUP BY release_id ORDER BY 1") == [(5202,), (5203,)]


def communes_with(tmp_path: Path, old: str, new: str) -> str:
    text = gzip.decompress((DATA / "communes.csv.gz").read_bytes()).decode()
    assert old in text
    (tmp_path / "communes.csv").write_text(text.replace(old, new), encoding="utf-8")
    return str(tmp_path / "communes.csv")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\n25056,", "\n25057,", "given twice"),
        (",25000,6.012,47.26,", ",2500,6.012,47.26,", "lines are not as they should be"),
        (",25000,6.012,47.26,", ",25000,47.26,6.012,", "lines are not as they should be"),
        (",25000,6.012,47.26,119198,", ",25000,6.012,47.26,nan,", "lines are not as they should be"),
        ("\n25056,Besançon,COM,25,", "\n25056,Besançon,COM,39,", "outside their department"),
        ("\n75056,Paris,", "\n75056,Lutèce,", "well-known communes absent"),
        ("median_income,", "revenu,", "lacks the column median_income"),
    ],
)
def test_a_commune_table_that_would_mislead_is_refused(
    postgres: Database, dsn: str, tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(ReferenceRefused, match=message):
        refresh("communes", dsn=dsn, location=communes_with(tmp_path, old, new))
    assert state(postgres)[0] == ("commune", 0)
    assert postgres.rows("SELECT count(*) FROM ref.release") == [(0,)]


def test_two_refreshes_at_once_load_one_version(dsn: str) -> None:
    results: list[object] = []
    threads = [threading.Thread(target=lambda: results.append(refresh("streets", dsn=dsn)["state"])) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, results)) == ["loaded", "unchanged", "unchanged"]
