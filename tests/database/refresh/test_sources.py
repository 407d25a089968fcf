"""Each source in the format of its producer, through `refresh`: what is kept of it, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused, SettingsError
from deid.refresh.configuration import DEPARTMENTS, configured_source, find_origin
from deid.refresh.refreshing import refresh
from deid.refresh.sources import SOURCES
from tests.conftest import Database
from tests.database.refresh import formats
from tests.database.refresh.conftest import Web


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


def test_lieux_dits(postgres: Database, dsn: str, web: Web) -> None:
    url = web.serve("/lieux-dits-05-beta.csv.gz", formats.packed(formats.lieux_dits()))
    result = refresh("localities", dsn=dsn, location=url)
    assert (result["rows"], result["skipped"]) == (600, 1)
    assert postgres.rows("SELECT DISTINCT insee FROM ref.locality") == [("05001",)]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_postal_codes(postgres: Database, dsn: str, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "hexasmal.csv"
    file.write_bytes(formats.hexasmal().encode(encoding))
    assert refresh("postal_codes", dsn=dsn, location=str(file))["state"] == "loaded"
    found = postgres.rows("SELECT zip, line FROM ref.postal_code WHERE insee = '97411' ORDER BY zip")
    assert found == [("97400", ""), ("97417", "LA MONTAGNE")]


@pytest.mark.parametrize("edition", [2023, 2025])
def test_first_names_by_generation(postgres: Database, dsn: str, web: Web, edition: int) -> None:
    text = formats.insee_first_names(edition=edition)
    url = web.serve("/prenoms.zip", formats.zipped(f"prenoms-{edition}-nat.csv", text))
    assert refresh("first_names", dsn=dsn, location=url)["rows"] == 10_103
    assert postgres.rows("SELECT * FROM ref.first_name WHERE name = 'MARIE' ORDER BY sex")[0][1:] == (
        *("MARIE", "F", 35, 20, 5, 0, 7),
    )
    assert postgres.rows("SELECT count(*) FROM ref.first_name WHERE name IN ('UNIQUE', '_PRENOMS_RARES')") == [(0,)]


def test_surnames_that_nearly_nobody_bears_are_left_out(postgres: Database, dsn: str, web: Web) -> None:
    url = web.serve("/noms.zip", formats.zipped("noms2008nat_txt.txt", formats.insee_surnames()))
    assert refresh("surnames", dsn=dsn, location=url)["rows"] == 50_103
    assert postgres.rows("SELECT name, births FROM ref.surname WHERE name IN ('MARTIN', 'SEUL', 'AUTRES NOMS')") == [
        ("MARTIN", 22)
    ]


def test_a_former_commune_leads_to_what_it_has_become(postgres: Database, dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "v_mvtcommune_2025.csv"
    file.write_text(formats.commune_changes(), encoding="utf-8")
    refresh("former_communes", dsn=dsn, location=str(file))
    names = dict(postgres.rows("SELECT name, insee FROM ref.former_commune"))
    assert {names[name] for name in ("Cherbourg", "Octeville", "Cherbourg-Octeville", "Tourlaville")} == {"50129"}
    assert {"Revenue", "Mère", "Cherbourg-en-Cotentin"}.isdisjoint(names)


def test_a_folder_of_departments_is_one_version(postgres: Database, dsn: str, tmp_path: Path) -> None:
    for code in ("25056", "05061"):
        (tmp_path / f"adresses-{code[:2]}.csv.gz").write_bytes(formats.packed(formats.ban(2600, insee=code)))
    (tmp_path / "lieux-dits-05-beta.csv.gz").write_bytes(b"not of this source")
    result = refresh("streets", dsn=dsn, location=tmp_path.as_uri())
    assert result["rows"] == 5200
    assert postgres.rows("SELECT insee, count(*) FROM ref.street GROUP BY 1 ORDER BY 1") == [
        ("05061", 2600),
        ("25056", 2600),
    ]
    assert refresh("streets", dsn=dsn, location=tmp_path.as_uri())["state"] == "unchanged"
    with pytest.raises(ReferenceRefused, match="holds no PS_LibreAcces"):
        refresh("professionals", dsn=dsn, location=str(tmp_path))


def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    (tmp_path / "references.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
    settings.cache_clear()


def test_departments_over_http_are_asked_for_together_and_again_only_if_one_changed(
    postgres: Database, dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(code: str, edition: int) -> None:
        text = formats.ban(2600 + edition, insee=code)
        web.serve(f"/adresses-{code[:2]}.csv.gz", formats.packed(text), headers={"ETag": f'"{code}-{edition}"'})

    publish("25056", 1)
    publish("05061", 1)
    configure(
        monkeypatch,
        tmp_path,
        f"sources: {{streets: {{locations: ['{web.url}/adresses-{{department}}.csv.gz'], departments: ['05', '25']}}}}",
    )
    first = refresh("streets", dsn=dsn)
    assert first["rows"] == 5202
    assert refresh("streets", dsn=dsn)["state"] == "unchanged"
    assert [request["If-None-Match"] for _, request in web.seen[-2:]] == ['"05061-1"', '"25056-1"']
    publish("25056", 2)
    again = refresh("streets", dsn=dsn)
    assert (again["state"], again["rows"]) == ("loaded", 5203)
    [(location,)] = postgres.rows("SELECT location FROM ref.release WHERE state = 'in_use'")
    assert location == f"{web.url}/adresses-{{department}}.csv.gz [05,25]"
    files = postgres.rows("SELECT jsonb_array_length(files), files->0->>'etag' FROM ref.release WHERE state = 'in_use'")
    assert files == [(2, '"05061-1"')]


def test_mirrors_are_tried_in_order(
    postgres: Database, dsn: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = web.serve("/mirror.csv.gz", formats.packed(formats.ban()))
    configure(monkeypatch, tmp_path, f"sources: {{streets: {{locations: ['{web.url}/gone.csv.gz', '{mirror}']}}}}")
    assert refresh("streets", dsn=dsn)["state"] == "loaded"
    assert [path for path, _ in web.seen] == ["/gone.csv.gz", "/mirror.csv.gz"]
    del web.answers["/mirror.csv.gz"]
    with pytest.raises(ReferenceRefused, match=r"gone\.csv\.gz answered 404"):
        refresh("streets", dsn=dsn)
    assert postgres.rows("SELECT files->0->>'location' FROM ref.release") == [(mirror,)]


def test_a_deployment_moves_bounds_within_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configure(monkeypatch, tmp_path, "sources: {streets: {floor: 10, drift: 0.5, max_age_days: 7, keep: 4}}")
    streets = configured_source("streets")
    assert (streets.floor, float(streets.drift), streets.max_age_days, streets.keep) == (10, 0.5, 7, 4)
    assert configured_source("surnames") == SOURCES["surnames"]


def test_national_means_every_department_of_the_producer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configure(monkeypatch, tmp_path, "proxy: http://proxy:3128\nsources: {streets: {locations: [national]}}")
    where = find_origin(SOURCES["streets"])
    assert where is not None
    assert len(where.files) == len(DEPARTMENTS) == 101
    assert where.files[0][0].endswith("adresses-01.csv.gz")
    assert where.network.proxy == "http://proxy:3128"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sources: {horoscopes: {}}", "no sources: horoscopes"),
        ("sources: {streets: {flor: 3}}", "Extra inputs"),
        ("sources: {streets: {checksum: abc}}", "64 hexadecimal"),
        ("sources: {streets: {departments: ['99']}}", "no departments: 99"),
        ("sources: [", "is not YAML"),
    ],
)
def test_a_configuration_that_says_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, message: str
) -> None:
    configure(monkeypatch, tmp_path, text)
    with pytest.raises(SettingsError, match=message):
        configured_source("streets")


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_says_what_and_whose_it_is(name: str) -> None:
    source = SOURCES[name]
    assert source.licence
    assert source.format
    assert source.max_age_days > 0
    assert {rule.column for rule in source.rules} <= set(source.columns)
    assert all(url.startswith("https://") for url in source.urls)
    assert source.default is None or source.default.is_file()
