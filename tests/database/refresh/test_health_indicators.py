"""Health indicators in their producers' formats, from a server here: loaded, refused, features of the communes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median_low
from typing import Any

import pytest

from deid.config.settings import settings
from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import DEPARTMENTS
from deid.refresh.reference_versions import list_versions, roll_back
from deid.refresh.refreshing import refresh
from tests.conftest import Database
from tests.database.refresh import health_formats as health
from tests.database.refresh.conftest import Web
from tests.database.refresh.in_use import communes_in_use

pytestmark = pytest.mark.slow

COMMUNES = health.few_communes()
CODES = [row["insee"] for row in COMMUNES]
ORDER = {insee: number for number, insee in enumerate(CODES)}
PARTS = {"75056": ("75101", "75102"), "13055": ("13201", "13216"), "69123": ("69381", "69389")}
# Arrondissements for their city, and a commune that was merged since.
AREAS = [part for insee in CODES for part in PARTS.get(insee, (insee,))] + ["01015"]
METROPOLIS = [insee for insee in CODES if not insee.startswith("97")]
APL = {insee: round(1 + number * 0.01, 2) for number, insee in enumerate(AREAS)} | {"01001": "N/A - secret"}
LOW = {insee: 5 + number * 0.1 for number, insee in enumerate(METROPOLIS)}
RATES = {code: 200 + number for number, code in enumerate(DEPARTMENTS)}
INCOMES = {insee: 20_000 + number for number, insee in enumerate(CODES)} | {"01001": "s", "01002": "nd"}
STROKE = {code: 100.5 + number for number, code in enumerate(one for one in DEPARTMENTS if one not in ("2A", "2B"))}
FILES: dict[str, tuple[str, bytes]] = {
    "care_access": ("/APL.xlsx", health.accessibility(APL)),
    "mortality": ("/mortalite.xlsx", health.mortality(RATES)),
    "deaths": ("/DS_ETAT_CIVIL", health.deaths({one: [90, 1, 2, None, 4, 5] for one in CODES})),
    "air_quality": ("/air.zip", health.air(LOW)),
    "radon": ("/radon.csv", health.radon({one: 1 + ORDER[one] % 2 for one in CODES}, {"01002": 3})),
    "incomes": ("/filosofi.zip", health.incomes(INCOMES)),
    "indicators": ("/avc", health.stroke(STROKE | {"20": 77.7})),
}
SMALL = "sources: {communes: {floor: 200}, " + ", ".join(f"{name}: {{floor: 100}}" for name in FILES) + "}"
ADDED = """
features:
  pm25: {source: air_quality, indicator: pm25}
  deaths: {source: deaths, indicator: deaths}
  stroke: {source: indicators, indicator: taux standardisé AVC}
"""


@pytest.fixture
def dsn(deployed: Database) -> str:
    return deployed.dsn("refresher")


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, web: Web) -> Callable[[str], None]:
    """Write the configuration: every source at the server of the test, small files allowed."""

    def write(features: str = "") -> None:
        (tmp_path / "references.yaml").write_text(f"{SMALL}\n{features}", encoding="utf-8")
        monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
        settings.cache_clear()

    header = list(COMMUNES[0])
    table = "\n".join(",".join(row.values()) for row in [dict(zip(header, header, strict=True)), *COMMUNES]) + "\n"
    for name, (path, content) in {**FILES, "communes": ("/communes.csv", table.encode())}.items():
        monkeypatch.setenv(f"NOCTURNE_{name.upper()}_LOCATION", web.serve(path, content))
    write()
    return write


def commune(deployed: Database, column: str, insee: str) -> Any:
    """One column of a commune in the version in use."""
    asked = f"SELECT {column} FROM ref.commune INNER JOIN ref.release USING (release_id) WHERE state = 'in_use'"
    [(found,)] = deployed.rows(f"{asked} AND insee = %s", (insee,))
    return found


def features(deployed: Database, insee: str) -> dict[str, float]:
    return dict(commune(deployed, "ref.commune.features", insee))


def imputed(deployed: Database, insee: str) -> set[str]:
    return set(commune(deployed, "imputed", insee))


def test_indicators_of_seven_producers_become_features_that_communes_are_drawn_by(
    deployed: Database, dsn: str, configure: Callable[[str], None], web: Web
) -> None:
    assert refresh("communes", dsn=dsn)["rows"] == len(CODES)
    shipped = {insee: features(deployed, insee) for insee in ("25056", "01001", "75056", "2A004", "97411")}
    rows = {name: refresh(name, dsn=dsn)["rows"] for name in FILES}
    assert rows == {
        "care_access": 2 * len(AREAS),
        "mortality": 3 * len(DEPARTMENTS),
        "deaths": len(CODES),
        "air_quality": 4 * len(METROPOLIS),
        "radon": len(CODES),
        "incomes": len(CODES),
        "indicators": len(STROKE) + 1,
    }
    configure(ADDED)
    assert refresh("communes", dsn=dsn)["state"] == "loaded"
    assert refresh("communes", dsn=dsn)["state"] == "unchanged"

    besancon = features(deployed, "25056")
    people = {row["insee"]: int(row["population"]) for row in COMMUNES}
    assert besancon == {
        "apl_gen": APL["25056"],
        "median_income": INCOMES["25056"],
        "radon": 1 + ORDER["25056"] % 2,
        "cancer_mortality": RATES["25"],
        "circulatory_mortality": RATES["25"] + 10,
        "density": shipped["25056"]["density"],
        "pm25": pytest.approx(LOW["25056"] + 3, abs=0.0005),
        "deaths": round(1000 * 3 / people["25056"], 3),
        "stroke": STROKE["25"],
    }
    assert imputed(deployed, "25056") == {"cancer_mortality", "circulatory_mortality", "stroke"}
    paris = features(deployed, "75056")
    assert paris["apl_gen"] == pytest.approx((APL["75101"] + APL["75102"]) / 2, abs=0.0006)
    assert features(deployed, "2A004")["stroke"] == 77.7
    assert features(deployed, "01002")["radon"] == 3, "twice in the file: the highest class"
    around = [value for insee, value in APL.items() if insee.startswith("01") and insee in CODES[1:]]
    assert features(deployed, "01001")["apl_gen"] == median_low(around)
    assert {"apl_gen", "median_income"} <= imputed(deployed, "01001")
    assert "pm25" in imputed(deployed, "97411"), "Ineris measures the metropolis"

    for source in ("streets", "establishments"):
        refresh(source, dsn=dsn)
    table = communes_in_use(deployed.dsn("worker"))
    here = table.get("25056")
    territory = table.territory(here)
    other = next(one for one in territory if one.features["apl_gen"] != here.features["apl_gen"])
    apart = abs(APL[here.insee] - other.features["apl_gen"]) / max(one.features["apl_gen"] for one in territory)
    assert table.distance(here, other, ("apl_gen",)) == pytest.approx(apart * 1_000_000, abs=2)

    changes = list_versions(dsn, "communes")
    assert set(changes[0]["features"]) == {*besancon} - {"density"}
    assert changes[0]["features"]["apl_gen"].startswith("care_access-")
    assert changes[-1]["features"] == {}
    assert changes[0]["version"] != changes[-1]["version"]

    # What a hospital keeps by name stays that of the file; a rollback of a source changes the next version.
    configure("features: {apl_gen: {source: communes}}")
    refresh("communes", dsn=dsn)
    assert features(deployed, "25056")["apl_gen"] == shipped["25056"]["apl_gen"]
    path, _ = FILES["mortality"]
    web.serve(path, health.mortality({code: rate + 1 for code, rate in RATES.items()}))
    versions = {refresh("mortality", dsn=dsn)["version"], roll_back("mortality", dsn=dsn)["version"]}
    assert len(versions) == 2
    assert refresh("communes", dsn=dsn)["state"] == "unchanged", "the rates of before are in use again"


def test_a_feature_of_no_such_indicator_names_those_there_are_and_leaves_the_communes(
    deployed: Database, dsn: str, configure: Callable[[str], None]
) -> None:
    refresh("communes", dsn=dsn)
    refresh("air_quality", dsn=dsn)
    before = deployed.rows("SELECT release_id, state FROM ref.release WHERE source = 'communes'")
    configure("features: {soot: {source: air_quality, indicator: soot}}")
    with pytest.raises(ReferenceRefused, match=r"soot is known of 0 of .* \(air_quality has no2, o3, pm10, pm25"):
        refresh("communes", dsn=dsn)
    assert deployed.rows("SELECT release_id, state FROM ref.release WHERE source = 'communes'") == before


def without(codes: dict[str, float], start: str) -> dict[str, float]:
    return {code: value for code, value in codes.items() if not code.startswith(start)}


NUMBERS = dict.fromkeys(CODES, 2.0)
BAD: dict[str, tuple[str, bytes, str]] = {
    "lost zero": ("care_access", health.accessibility({**NUMBERS, "1004": 2.0}), r"1 of .* lines are not as"),
    "another sheet": ("care_access", health.workbook(health.grid({"01001": 1})), "no worksheet has a column Code comm"),
    "words for numbers": ("care_access", health.accessibility({**NUMBERS, "01001": "élevée"}), "lines are not as"),
    "a region missing": ("mortality", health.mortality(without(RATES, "2A")), r"missing of 96 in the metropolis \(1\)"),
    "other units": ("mortality", health.mortality({code: rate * 100 for code, rate in RATES.items()}), "above 20000"),
    "most secret": (
        "incomes",
        health.incomes({one: "s" if ORDER[one] % 2 else 20_000 for one in CODES}),
        "one in five",
    ),
    "twice": ("indicators", health.stroke(STROKE) + b"01;Ain;3,5\n", r"values given twice \(1\)"),
    "no such column": ("incomes", b"CODGEO;MEDIANE\n01001;20000\n", "lacks the column med99"),
    "another zip": ("air_quality", FILES["incomes"][1], "the zip holds 0 tables"),
    "a fourth class": ("radon", health.radon(dict.fromkeys(CODES, 4), {}), "below 1 or above 3"),
    "without Paris": ("radon", health.radon({one: 1 for one in CODES if one != "75056"}, {}), "well-known communes"),
    "metadata only": ("deaths", health.packed_workbook(""), "tables"),
    "web page": ("deaths", b"<!DOCTYPE html><p>Maintenance</p>", "web page"),
    "no area": ("indicators", b"ville;valeur\nParis;3\n", "no column of communes or departments"),
}


@pytest.mark.usefixtures("configure")
def test_a_file_that_would_mislead_is_refused_by_name_and_touches_nothing(
    deployed: Database, dsn: str, web: Web
) -> None:
    for fault, (source, content, message) in BAD.items():
        url = web.serve("/wrong", content)
        with pytest.raises(ReferenceRefused, match=message):
            refresh(source, dsn=dsn, location=url)
        counts = "SELECT count(*) FROM ref.release UNION ALL SELECT count(*) FROM ref.health_indicator"
        assert deployed.rows(counts) == [(0,), (0,)], fault


@pytest.mark.usefixtures("configure")
def test_values_that_moved_as_by_another_unit_are_refused_beside_the_version_in_use(
    deployed: Database, dsn: str, web: Web
) -> None:
    first = refresh("mortality", dsn=dsn)
    path, _ = FILES["mortality"]
    web.serve(path, health.mortality({code: rate * 3 for code, rate in RATES.items()}))
    with pytest.raises(ReferenceRefused, match="half or more than twice"):
        refresh("mortality", dsn=dsn)
    assert deployed.rows("SELECT version FROM ref.release WHERE state = 'in_use'") == [(first["version"],)]
