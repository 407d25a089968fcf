"""The commune version made of the raw national files, by the code that made the table that ships."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from deid.domain.errors import ReferenceRefused
from deid.reference.packaged import packaged_rows
from deid.refresh.refreshing import refresh
from deid.refresh.sources.communes import RAW
from tests.conftest import Database

GEO, RADON, AREAS, DEATHS = RAW
BARE = "25056"  # a commune of which no health feature is known


@pytest.fixture
def dsn(postgres: Database) -> str:
    return postgres.dsn("refresher")


@pytest.fixture(scope="module")
def national() -> dict[str, str]:
    """Raw files with the values of the table that ships, but for those of one commune."""
    geo = [["type", "code_insee", "nom", "dep", "reg", "commune_parente", "population", "superficie_km2", "lon", "lat"]]
    geo[0].append("codes_postaux")
    radon, areas = [["code_insee", "radon_classe"]], [["niveau", "code", "pmun2022", "apl_gen", "med21"]]
    deaths = {("departement", "sexe", "cause", "valeur"): None}
    for row in packaged_rows("communes"):
        if row["kind"] != "COM":
            continue
        density = float(row["density"])
        area = str(int(row["population"]) / density) if density else ""
        code = row["insee"]
        geo.append(["COM", code, row["name"], row["department"], row["region"], "", row["population"], area])
        geo[-1] += [row["lon"], row["lat"], row["zips"]]
        if code != BARE:
            radon.append([code, str(int(float(row["radon"])))])
            areas.append(["commune", code, row["population"], row["apl_gen"], row["median_income"]])
        deaths[row["department"], "Tous sexes", "2. Tumeurs", row["cancer_mortality"]] = None
        deaths[row["department"], "Tous sexes", "7. Circulation", row["circulatory_mortality"]] = None
    return {GEO: _text(geo), RADON: _text(radon), AREAS: _text(areas), DEATHS: _text(list(map(list, deaths)))}


def _text(table: list[list[str]]) -> str:
    lines: list[str] = []

    class Sink:
        def write(self, line: str) -> None:
            lines.append(line)

    csv.writer(Sink(), lineterminator="\n").writerows(table)
    return "".join(lines)


def folder(tmp_path: Path, national: dict[str, str], **changed: bytes) -> str:
    for name, text in national.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    for name, content in changed.items():
        (tmp_path / {"radon": RADON, "areas": AREAS, "geo": GEO}[name]).write_bytes(content)
    return str(tmp_path)


def test_what_a_commune_lacks_is_imputed_and_flagged(
    postgres: Database, dsn: str, tmp_path: Path, national: dict[str, str]
) -> None:
    where = folder(tmp_path, national)
    assert refresh("communes", dsn=dsn, location=where)["rows"] > 34_000
    flags = dict(postgres.rows("SELECT insee, imputed FROM ref.commune WHERE insee IN (%s, '25057')", (BARE,)))
    departmental = ["cancer_mortality", "circulatory_mortality"]
    assert flags == {BARE: ["apl_gen", "median_income", "radon", *departmental], "25057": departmental}
    median = "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (features->>'median_income')::float8) FROM ref.commune"
    [(income,)] = postgres.rows(f"{median} WHERE department = '25' AND insee <> %s", (BARE,))
    [(imputed,)] = postgres.rows("SELECT features->>'median_income' FROM ref.commune WHERE insee = %s", (BARE,))
    assert float(imputed) == pytest.approx(income, abs=0.001)
    assert refresh("communes", dsn=dsn, location=where)["state"] == "unchanged"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"radon": gzip.compress(b"code_insee,radon_classe\n01001,7\n")}, r"radon_irsn_communes.*radon class"),
        ({"radon": gzip.compress(b"code_insee,radon_classe\n01001,1\n01001,1\n")}, "given twice"),
        ({"radon": gzip.compress(b"code_insee,classe\n01001,1\n")}, "lack the column 'radon_classe'"),
        ({"areas": gzip.compress(b"niveau,code\n" * 9)[:30]}, r"territoires_sante.*damaged"),
        ({"areas": gzip.compress(b"0" * (20 << 20))}, r"territoires_sante.*(without end|far more)"),
        ({"geo": b"<!DOCTYPE html>"}, r"communes_2024.*web page"),
    ],
)
def test_a_raw_file_that_is_wrong_is_named(
    postgres: Database, dsn: str, tmp_path: Path, national: dict[str, str], changed: dict[str, bytes], message: str
) -> None:
    with pytest.raises(ReferenceRefused, match=message):
        refresh("communes", dsn=dsn, location=folder(tmp_path, national, **changed))
    assert postgres.rows("SELECT count(*) FROM ref.release") == [(0,)]


def test_a_folder_that_lacks_a_raw_file_is_refused(dsn: str, tmp_path: Path, national: dict[str, str]) -> None:
    where = folder(tmp_path, national)
    (tmp_path / RADON).unlink()
    with pytest.raises(ReferenceRefused, match=r"radon_irsn_communes\.csv\.gz: No such file"):
        refresh("communes", dsn=dsn, location=where)
