"""Types of documents and stays as a policy shows them to researchers: classes, or nothing; each row by its policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from deid.config.policy import load
from deid.nightly import runtime
from deid.privacy.perturbations import describe_policy
from deid.reports.annex import gather_annex, write_annex
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put

Show = Callable[..., None]
MASKED = "{labels: {NDA: {provider: mask}}}"
COLUMNS = "document_type, loinc_code, title IS NOT NULL, stay_id IS NOT NULL, visit_occurrence_id IS NOT NULL"
SHOWN = f"SELECT {COLUMNS} FROM research.document ORDER BY document_type, 4"
OMOP = (
    "SELECT note_class_source_value, note_title IS NOT NULL, visit_occurrence_id IS NOT NULL,"
    " (SELECT count(*) FROM research.visit_occurrence) FROM research.note ORDER BY 1"
)
BOTH_HIDDEN = {"types": "drop", "stay": "drop"}


@pytest.fixture
def hospital(deployed: Database) -> Database:
    open_hospital(deployed, opaque=True)
    put(deployed, "letter", LETTER)
    put(deployed, "page", PAGE, patient="P000002", format="text/html", type_code="XRAY", loinc_code="18748-4")
    put(deployed, "form", LETTER + "\nÀ remettre.", type_code="FORM", loinc_code="0-0")
    return deployed


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Put a policy of rules in force with this `publication`; stays have no number in its texts."""

    def with_publication(**publication: Any) -> None:
        decide(monkeypatch, tmp_path, MASKED)
        path = tmp_path / "policy.yaml"
        path.write_text(path.read_text("utf-8") + yaml.safe_dump({"publication": publication}), "utf-8")

    return with_publication


def read(hospital: Database, statement: str) -> list[tuple]:
    return hospital.rows(statement, role="researcher")


def test_as_shipped_researchers_read_type_code_title_and_stay(hospital: Database, show: Show) -> None:
    show()
    night("night")
    assert read(hospital, SHOWN) == [
        ("CRH", "34105-7", True, True, True),
        ("FORM", "0-0", True, True, True),
        ("XRAY", "18748-4", True, True, True),
    ]


def test_classes_go_by_type_then_by_loinc_code_and_nothing_passes_through(hospital: Database, show: Show) -> None:
    show(types="classes", classes={"CRH": "séjour"}, other_class="reste")
    night("night")
    # The letter's class is the policy's own, the page's that of its LOINC code in the map that ships.
    assert read(hospital, SHOWN) == [(name, None, False, True, True) for name in ("reste", "résultat", "séjour")]
    assert [row[:2] for row in read(hospital, OMOP)] == [(name, False) for name in ("reste", "résultat", "séjour")]
    assert hospital.rows("SELECT DISTINCT document_type FROM deid.document ORDER BY 1", role="worker") == [
        ("CRH",), ("FORM",), ("XRAY",),
    ]  # fmt: skip


def test_without_stays_no_table_of_research_has_one(hospital: Database, show: Show) -> None:
    show(stay="drop")
    night("night")
    assert [row[0] for row in read(hospital, SHOWN)] == ["CRH", "FORM", "XRAY"]
    assert {row[3:] for row in read(hospital, SHOWN)} == {(False, False)}
    assert {row[2:] for row in read(hospital, OMOP)} == {(False, 0)}


def test_each_row_shows_what_its_own_policy_does_until_it_is_made_anew(hospital: Database, show: Show) -> None:
    show()
    before = runtime.pipeline_version()
    night("night")
    show(**BOTH_HIDDEN)
    assert runtime.pipeline_version() != before
    put(hospital, "third", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    hidden = (None, None, False, False, False)
    assert [row[0] for row in read(hospital, SHOWN)] == ["CRH", "FORM", "XRAY", None]
    assert read(hospital, SHOWN)[-1] == hidden
    told = "SELECT DISTINCT strategy FROM research.perturbation WHERE element = 'document.stay_id' ORDER BY 1"
    assert read(hospital, told) == [("null",), ("pseudonym",)]
    night("again")  # the first night, under the policy in force
    assert read(hospital, SHOWN) == [hidden] * 4
    assert {row[0] for row in read(hospital, OMOP)} == {None}
    show()
    night("back")
    assert [row[0] for row in read(hospital, SHOWN)] == ["CRH", "FORM", "XRAY", None]


@pytest.mark.usefixtures("deployed")
def test_classes_make_documents_new_where_they_are_shown(show: Show) -> None:
    show()
    before = runtime.pipeline_version()
    show(classes={"CRH": "séjour"}, other_class="reste")  # read by `types: classes` alone
    assert runtime.pipeline_version() == before
    show(types="classes", classes={"CRH": "séjour"})
    classes = runtime.pipeline_version()
    show(types="classes", classes={"CRH": "autre chose"})
    assert len({before, classes, runtime.pipeline_version()}) == 3


@pytest.mark.usefixtures("hospital")
def test_the_annex_counts_groups_of_what_is_shown(show: Show) -> None:
    def alone() -> dict[str, int]:
        figures = gather_annex("2026-03-02")
        return {" ".join(row["columns"]): row["alone"] for row in figures["groups"]}

    show()
    night("night")
    assert alone()["type"] == 3
    show(types="drop")
    night("again")
    assert alone()["type"] == 0
    assert "types, drop ; séjours, pseudonym." in write_annex(gather_annex("2026-03-02"))


def test_the_policy_describes_what_it_hides() -> None:
    strict = {one.element: one.strategy for one in describe_policy(load(Path("deid/config/policies/strict.yaml")))}
    columns = ("document_type", "loinc_code", "title", "stay_id", "visit_occurrence_id")
    assert {strict[f"document.{name}"] for name in columns} == {"null"}
    assert strict["NDA"] == "mask"
