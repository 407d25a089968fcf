"""Health features that a deployment adds to the communes: density grid, pathologies; each change is a new version."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.errors import PolicyError, ReferenceRefused, SettingsError
from deid.nightly import runtime
from deid.reference.partition import digest_partition
from deid.reference.tables import packaged_tables
from deid.refresh.configuration import DEPARTMENTS, configured_source
from deid.refresh.refreshing import refresh
from tests.conftest import Database, Deploy
from tests.database.refresh import health_formats as health
from tests.database.refresh.conftest import Web
from tests.database.refresh.in_use import communes_in_use

pytestmark = pytest.mark.slow
LACKING = "25057"
SMALL = "sources: {pathologies: {floor: 8000}}"
BOTH = """
features:
  density_level: {source: density_levels}
  cancers: {source: pathologies, pathology: CAN_CAT_CAT}
"""


@pytest.fixture
def dsn(deployed: Database) -> str:
    return deployed.dsn("refresher")


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    def write(*parts: str) -> None:
        (tmp_path / "references.yaml").write_text("\n".join(parts), encoding="utf-8")
        monkeypatch.setenv("NOCTURNE_REFERENCES", str(tmp_path / "references.yaml"))
        settings.cache_clear()

    write(SMALL)
    return write


def load_communes(database: Database) -> None:
    refresh("communes", dsn=database.dsn("refresher"))


@pytest.fixture
def with_communes(deploy: Deploy) -> Database:
    """A database with the communes as they ship."""
    return deploy(load_communes)


@cache
def _grid() -> bytes:
    return health.workbook(health.grid(health.levels((LACKING,))))


@cache
def _counts() -> bytes:
    return "\n".join(health.counts()).encode()


@pytest.fixture
def grid(web: Web) -> str:
    return web.serve("/grille_densite_7_niveaux_2024.xlsx", _grid())


@pytest.fixture
def counts(web: Web) -> str:
    return web.serve("/effectifs.csv", _counts())


def standardised(department: str, code: str) -> Fraction:
    """Share of patients in per cent, by age and sex of the country: written again, without SQL."""
    cells = [(sex, age) for sex in (1, 2) for age in range(len(health.AGES))]
    total = result = Fraction(0)
    for cell in cells:
        country = [health.patients(one, code, *cell) for one in DEPARTMENTS]
        weight = sum(people for _, people in country)
        rate = Fraction(sum(ill or 0 for ill, _ in country), weight)
        ill, people = health.patients(department, code, *cell)
        result += weight * (min(Fraction(10), rate * people) if ill is None else Fraction(ill)) / people
        total += weight
    return 100 * result / total


def test_the_grid_as_a_workbook_and_as_text_are_the_same_levels(
    deployed: Database, dsn: str, tmp_path: Path, grid: str
) -> None:
    known = health.levels((LACKING,))
    assert refresh("density_levels", dsn=dsn, location=grid)["rows"] == len(known)
    assert dict(deployed.rows("SELECT insee, level FROM ref.density_level")) == known
    text = tmp_path / "grille_densite_2024.csv"
    for table in (health.as_csv(health.grid(known)), health.as_csv(health.grid(known)).replace(b",", b";")):
        text.write_bytes(table)
        loaded = refresh("density_levels", dsn=dsn, location=str(text))
        found = deployed.rows(
            "SELECT insee, level FROM ref.density_level WHERE release_id = %s", (loaded["release_id"],)
        )
        assert dict(found) == known


@pytest.mark.usefixtures("configure")
def test_counts_are_those_of_the_latest_year_without_the_lines_that_sum_them(
    deployed: Database, dsn: str, counts: str
) -> None:
    result = refresh("pathologies", dsn=dsn, location=counts)
    assert (result["rows"], result["skipped"]) == (2 * 101 * 2 * 20, 2 * 2 * 102)
    ill, people = health.patients("25", "DIA_CAT_CAT", 2, 19)
    asked = "SELECT patients, population FROM ref.pathology WHERE (department, pathology, sex, age) = %s"
    assert deployed.rows(asked, (("25", "DIA_CAT_CAT", "F", "95et+"),)) == [(ill, people)]
    assert deployed.rows(asked, (("25", "CAN_CAT_CAT", "F", "00-04"),))[0][0] is None


@pytest.mark.usefixtures("configure")
def test_the_api_writes_its_columns_small(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "effectifs.csv"
    path.write_text("\n".join(health.counts((2023,))).replace("Ntop;Npop", "ntop;npop"), encoding="utf-8")
    assert refresh("pathologies", dsn=dsn, location=str(path))["rows"] == 8080


def test_features_are_added_flagged_and_drawn_by(
    with_communes: Database, grid: str, counts: str, configure: Callable[..., None]
) -> None:
    dsn = with_communes.dsn("refresher")
    refresh("density_levels", dsn=dsn, location=grid)
    refresh("pathologies", dsn=dsn, location=counts)
    configure(SMALL, BOTH)
    assert refresh("communes", dsn=dsn)["state"] == "loaded"
    assert refresh("communes", dsn=dsn)["state"] == "unchanged"
    for source in ("streets", "establishments"):
        refresh(source, dsn=dsn)

    table, shipped = communes_in_use(with_communes.dsn("worker")), packaged_tables().communes
    levels = health.levels((LACKING,))
    shares = {code: float(round(standardised(code, "CAN_CAT_CAT"), 3)) for code in ("01", "25", "2A", "75", "976")}
    assert len(set(shares.values())) == len(shares)
    for commune in table.communes:
        if commune.insee != LACKING:
            assert commune.features["density_level"] == levels[commune.insee]
        if commune.department in shares:
            assert commune.features["cancers"] == shares[commune.department]
        bare = {name: value for name, value in commune.features.items() if name not in ("density_level", "cancers")}
        assert bare == shipped.get(commune.insee).features
    flagged = dict(
        with_communes.rows(
            "SELECT insee, imputed FROM ref.commune WHERE insee IN ('25056', '25057') AND imputed <> '{}'"
        )
    )
    assert flagged == {"25056": ["cancers"], "25057": ["cancers", "density_level"]}
    middle = sorted(level for insee, level in levels.items() if insee.startswith("25"))
    assert table.get("25057").features["density_level"] == middle[(len(middle) - 1) // 2]
    besancon, other = table.get("25056"), table.territory(table.get("25056"))[0]
    assert table.distance(besancon, other, ("density_level", "cancers")) > 0


def test_each_change_of_features_is_a_version_with_its_partition(
    with_communes: Database, grid: str, counts: str, configure: Callable[..., None], web: Web
) -> None:
    """Territories are made of places and people, so their digest stays; the version says what else changed."""
    dsn = with_communes.dsn("refresher")
    refresh("density_levels", dsn=dsn, location=grid)
    refresh("pathologies", dsn=dsn, location=counts)
    steps = [
        (SMALL, "features: {grille: {source: density_levels}}"),
        (SMALL, BOTH),
        (SMALL, BOTH.replace("CAN_CAT_CAT", "DIA_CAT_CAT")),
    ]
    for parts in steps:
        configure(*parts)
        assert refresh("communes", dsn=dsn)["state"] == "loaded"
    web.serve("/grille_densite_7_niveaux_2024.xlsx", health.workbook(health.grid(health.levels(("25057", "01001")))))
    configure(*steps[-1])
    refresh("density_levels", dsn=dsn, location=grid)
    assert refresh("communes", dsn=dsn)["state"] == "loaded"
    configure(SMALL)
    assert refresh("communes", dsn=dsn)["state"] == "loaded"
    told = with_communes.rows(
        "SELECT version, partition, checksum FROM ref.release WHERE source = 'communes' ORDER BY release_id"
    )
    versions = [version for version, _, _ in told]
    assert versions[0] == versions[-1]
    assert len(set(versions)) == len(told) - 1 == 5
    assert {partition for _, partition, _ in told} == {digest_partition(packaged_tables().communes.partition)}
    assert len({checksum for _, _, checksum in told}) == 1


def test_a_file_that_did_not_change_is_loaded_again_for_other_features(
    dsn: str, grid: str, configure: Callable[..., None], web: Web
) -> None:
    from deid.reference.packaged import DATA

    where = web.serve("/communes", (DATA / "communes.csv.gz").read_bytes(), headers={"ETag": '"v1"'})
    refresh("communes", dsn=dsn, location=where)
    refresh("density_levels", dsn=dsn, location=grid)
    assert refresh("communes", dsn=dsn, location=where)["state"] == "unchanged"
    assert web.seen[-1][1]["If-None-Match"] == '"v1"'
    configure(SMALL, "features: {grille: {source: density_levels}}")
    assert refresh("communes", dsn=dsn, location=where)["state"] == "loaded"
    assert "If-None-Match" not in web.seen[-1][1]
    assert refresh("communes", dsn=dsn, location=where)["state"] == "unchanged"
    assert web.seen[-1][1]["If-None-Match"] == '"v1"'


def test_a_feature_that_cannot_be_had_leaves_the_communes_as_they_are(
    with_communes: Database, counts: str, configure: Callable[..., None]
) -> None:
    dsn = with_communes.dsn("refresher")
    before = with_communes.rows("SELECT release_id, state, rows FROM ref.release WHERE source = 'communes'")
    configure(SMALL, BOTH)
    with pytest.raises(
        ReferenceRefused, match="the feature density_level comes from density_levels, which has no version"
    ):
        refresh("communes", dsn=dsn)
    refresh("pathologies", dsn=dsn, location=counts)
    configure(SMALL, "features: {stroke: {source: pathologies, pathology: MCV_AVC_AIG}}")
    with pytest.raises(ReferenceRefused, match=r"the feature stroke is known of 0 of \d+ communes"):
        refresh("communes", dsn=dsn)
    assert with_communes.rows("SELECT release_id, state, rows FROM ref.release WHERE source = 'communes'") == before


def test_a_policy_that_draws_by_a_feature_that_is_not_there_is_refused_by_name(
    dsn: str,
    grid: str,
    configure: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("extends: default\nsubstitution: {places: {features: [radon, density_level]}}\n", encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(path))
    settings.cache_clear()
    with pytest.raises(PolicyError, match=r"the communes in use have no density_level\. Add it in NOCTURNE_REFERENCES"):
        runtime.tables()
    refresh("density_levels", dsn=dsn, location=grid)
    configure(SMALL, "features: {density_level: {source: density_levels}}")
    for source in ("communes", "streets", "establishments"):
        refresh(source, dsn=dsn)
    assert not runtime.tables().communes.lacking(["radon", "density_level"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("features: {radon: {source: density_levels}}", "features that communes have already: radon"),
        ("features: {'bad name': {source: density_levels}}", "not small letters, digits and _"),
        ("features: {grille: {source: streets}}", "'indicators' or 'communes'"),
        ("features: {grille: {source: density_levels, pathology: CAN_CAT_CAT}}", "goes with the source pathologies"),
        ("features: {pm25: {source: air_quality}}", "`indicator` goes with the sources of health indicators"),
        ("features: {pm25: {source: density_levels, indicator: pm25}}", "`indicator` goes with"),
        ("features: {soot: {source: communes}}", "features that communes do not have: soot"),
        ("features: {cancers: {source: pathologies}}", "goes with the source pathologies"),
        ("features: {cancers: {source: pathologies, pathology: Cancers}}", "should match pattern"),
    ],
)
def test_a_feature_that_says_nothing_is_refused(configure: Callable[..., None], text: str, message: str) -> None:
    configure(text)
    with pytest.raises(SettingsError, match=message):
        configured_source("communes")


GRID = list(health.grid(health.levels()))
[PARIS] = [row for row in GRID if row[0] == "75056"]
BAD_GRIDS = {
    "three levels": (
        [GRID[0], *((*row[:2], min(int(row[2]), 3), *row[3:]) for row in GRID[1:])],
        r"absent of the seven \(4\)",
    ),
    "lost zero": (
        [GRID[0], *((int(str(row[0])) if str(row[0]).isdecimal() else row[0], *row[1:]) for row in GRID[1:])],
        "lines are",
    ),
    "level 8": ([GRID[0], *((*row[:2], int(row[2]) + 1, *row[3:]) for row in GRID[1:])], "lines are not as they"),
    "twice": ([*GRID, GRID[5]], r"INSEE codes given twice \(1\)"),
    "changed header": ([("CODE", *GRID[0][1:]), *GRID[1:]], "no worksheet has a column CODGEO"),
    "column gone": ([(*GRID[0][:2], "NIVEAU", *GRID[0][3:]), *GRID[1:]], "lacks the column DENS"),
    "half the rows": ([*GRID[:17_000], PARIS], "17000 rows, fewer than 34000"),
    "Paris in the fields": (
        [GRID[0], *((*row[:2], 7 if row[0] == "75056" else row[2], *row[3:]) for row in GRID[1:])],
        "densest",
    ),
}


@pytest.mark.parametrize("fault", BAD_GRIDS)
def test_a_grid_that_would_mislead_is_refused(deployed: Database, dsn: str, web: Web, fault: str) -> None:
    table, message = BAD_GRIDS[fault]
    with pytest.raises(ReferenceRefused, match=message):
        refresh("density_levels", dsn=dsn, location=web.serve("/grid.xlsx", health.workbook(table)))
    assert (
        deployed.rows("SELECT count(*) FROM ref.release UNION ALL SELECT count(*) FROM ref.density_level") == [(0,)] * 2
    )


HEADER = "".join(f'<c t="inlineStr"><is><t>{name}</t></is></c>' for name in ("CODGEO", "DENS"))
LAUGHS = (
    "<!DOCTYPE sst [<!ENTITY a '01001'>"
    + "".join(f"<!ENTITY {chr(98 + at)} '{f'&{chr(97 + at)};' * 10}'>" for at in range(9))
    + "]>"
)
BAD_WORKBOOKS = {
    "bomb": (
        health.packed_workbook(f"<row>{HEADER}</row>" + "<row><c><v>1</v></c></row>" * 800_000),
        "unpacks to far more",
    ),
    "bomb of strings": (health.packed_workbook("", raw="<si><t>a</t></si>" * 1_200_000), "unpacks to far more"),
    "billion laughs": (
        health.packed_workbook(
            f'<row>{HEADER}</row><row><c t="s"><v>0</v></c><c><v>1</v></c></row>',
            doctype=LAUGHS,
            raw="<si><t>&j;</t></si>",
        ),
        "1 of 1 lines are not as they should be|damaged",
    ),
    "cut": (health.workbook(GRID)[:-3000], "damaged"),
    "out of order": (health.packed_workbook('<row r="1"><c r="B1"/><c r="A1"/></row>'), "no worksheet has a column"),
    "far column": (health.packed_workbook('<row r="1"><c r="XFD1"/></row>'), "damaged"),
    "string that is not there": (health.packed_workbook('<row r="1"><c r="A1" t="s"><v>9</v></c></row>'), "damaged"),
    "broken XML": (health.packed_workbook('<row r="1">'), "damaged"),
    "another workbook": (health.workbook([("Nom", "Valeur"), ("a", 1)]), "no worksheet has a column CODGEO"),
    "empty": (health.packed_workbook(""), "no worksheet has a column CODGEO"),
}


@pytest.mark.parametrize("fault", BAD_WORKBOOKS)
def test_a_workbook_that_is_broken_or_hostile_is_refused(dsn: str, web: Web, fault: str) -> None:
    content, message = BAD_WORKBOOKS[fault]
    with pytest.raises(ReferenceRefused, match=message):
        refresh("density_levels", dsn=dsn, location=web.serve("/grid.xlsx", content))


COUNTS = "\n".join(health.counts((2023,)))
BAD_COUNTS = {
    "delimiter": (COUNTS.replace(";", ","), "lacks the columns annee"),
    "Latin-1": (COUNTS.lstrip("\ufeff").encode("latin-1"), "not text in utf-8"),
    "changed header": (COUNTS.replace("Ntop", "effectif"), "lacks the column ntop"),
    "ages through a spreadsheet": (COUNTS.replace(";05-09;", ";05-sept.;"), "lines are not as they should be"),
    "lost zero": (COUNTS.replace(";27;05;", ";27;5;"), "lines are not as they should be"),
    "twice": (
        COUNTS + COUNTS[COUNTS.rindex("\n2023") :].replace(";tsage;9;27;999;", ";00-04;1;27;976;"),
        "given twice",
    ),
    "one region": ("\n".join(health.counts((2023,), DEPARTMENTS[:80])), "missing of 96 in the metropolis"),
    "more patients than people": (COUNTS.replace(";27;01;", ";27;01;9999", 1), "above their population"),
    "no cancers": (COUNTS.replace("CAN_CAT_CAT", "CAN_SEI_CAT"), "well-known pathologies absent"),
    "a comma in a count": (COUNTS.replace(";27;01;", ";27;01;1,", 9), "lines are not as they should be"),
}


@pytest.mark.parametrize("fault", BAD_COUNTS)
def test_counts_that_would_mislead_are_refused(
    deployed: Database, dsn: str, web: Web, fault: str, configure: Callable[..., None]
) -> None:
    content, message = BAD_COUNTS[fault]
    configure("sources: {pathologies: {floor: 1000}}")
    url = web.serve("/effectifs.csv", content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ReferenceRefused, match=message):
        refresh("pathologies", dsn=dsn, location=url)
    assert deployed.rows("SELECT count(*) FROM ref.release UNION ALL SELECT count(*) FROM ref.pathology") == [(0,)] * 2
