"""Annex for the data protection officer: a release's own figures, recounted here, and nothing of a patient."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from deid.domain.labels import Label
from deid.release import actions
from deid.reports.wording import LABEL_WORDS
from tests.conftest import Database, Deploy
from tests.database.cli.conftest import deid
from tests.database.release.ledger import CANARY, Ledger
from tests.unit.cli.conftest import Call

__all__ = ["deid"]
FIRST, SECOND = "2026-10-02", "2026-10-03"
# A shift for each pseudonym, and delays of 0 to 3 days, as a hospital's documents would have them.
DATED = """UPDATE deid.published_document AS d
SET reference_date = (r.interval_start AT TIME ZONE 'Europe/Paris')::date
    + mod(ascii(d.patient_id), 17) - 8 - mod(ascii(d.document_id), 4)
FROM deid.run AS r WHERE d.run_id = r.run_id"""

# What a batch does that goes through the steps: its lines of ε count from its publication on.
SPENT = """UPDATE deid.budget AS b SET content_hash = d.content_hash, published = true
FROM deid.document AS d WHERE b.run_id = d.run_id AND b.document_id = d.document_id AND d.state = 'published'"""


def publish_two(database: Database) -> None:
    """Two published nights of the same patients, dated, and an opt-out that removed one of them."""
    ledger = Ledger(database)
    for day, documents, refused in ((FIRST, 90, 1), (SECOND, 120, 9)):
        ledger.night(day, documents, quarantined=refused)
        summary = actions.summarise(day)
        needed = {"chosen": "approve", "decided_by": "c.morel", "reason": "lu"}
        actions.publish(day, needed if actions.needs_approval(summary) else None)
    database.rows(DATED)
    database.rows(SPENT)


@pytest.fixture
def published(deploy: Deploy) -> Database:
    return deploy(publish_two)


def rows_of(page: str, section: str) -> dict[str, list[str]]:
    """Rows of a section's tables by their first cell, with thin spaces taken out."""
    part = page.split(f"## {section}")[1].split("\n## ")[0]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")
    ]
    return {first: [cell.replace("\u202f", "") for cell in rest] for first, *rest in cells}


def test_groups_and_pseudonyms_are_those_of_the_published_rows(published: Database, deid: Call) -> None:
    page = deid("dpo-annex", SECOND).out
    mine = "FROM deid.published_document d JOIN deid.release r USING (release_id) WHERE r.interval_key = '2026-10-03'"
    ((documents, patients),) = published.rows(f"SELECT count(*), count(DISTINCT d.patient_id) {mine}")
    assert f"| Patients de la publication | {patients} |" in page
    same = (
        "SELECT count(DISTINCT o.patient_id) FROM deid.published_document o"
        " WHERE o.document_type = d.document_type AND o.reference_date = d.reference_date"
    )
    sizes = [size for (size,) in published.rows(f"SELECT ({same}) {mine}")]
    assert len(sizes) == documents
    alone, under_5, under_11, least, _ = rows_of(page, "1.")["type de document et code LOINC, jour de la date publiée"]
    shown = [int(cell.split(" ")[0]) for cell in (alone, under_5, under_11)]
    assert shown == [sum(size < limit for size in sizes) for limit in (2, 5, 11)]
    assert int(least) == min(sizes)
    everywhere = published.rows(
        "SELECT count(*) FROM deid.published_document"
        f" WHERE patient_id IN (SELECT d.patient_id {mine}) GROUP BY patient_id"
    )
    linked = rows_of(page, "2.")
    assert linked["Pseudonymes de cinq documents et plus"][0].startswith(f"{sum(n >= 5 for (n,) in everywhere)} (")
    assert linked["Médiane / 95 % / maximum"][0].endswith(f"/ {max(n for (n,) in everywhere)}")


def test_k_and_l_count_the_columns_that_the_policy_publishes(published: Database, deid: Call) -> None:
    """Sex alone hides each patient among many, a year of birth hides nobody: the page says which to keep."""
    published.rows(
        "UPDATE deid.policy SET content = jsonb_set(content, '{publication,columns}', '[\"sex\", \"birth_year\"]')"
    )
    published.rows(
        "UPDATE deid.published_document SET stay_id = NULL, attributes = jsonb_build_object("
        " 'sex', CASE ascii(right(patient_id, 1)) % 2 WHEN 0 THEN 'F' ELSE 'M' END,"
        " 'birth_year', 1900 + hashtext(patient_id) % 90)"
    )
    groups = "SELECT attributes ->> 'sex', count(DISTINCT patient_id), count(DISTINCT document_type) {} GROUP BY 1"
    sizes = published.rows(groups.format("FROM deid.published_document"))
    page = deid("dpo-annex", SECOND).out
    shown = rows_of(page, "1.")
    everything = "sexe, année de naissance, type de document et code LOINC, types des documents du séjour"
    assert everything in shown
    (*_, k, l_) = shown["sexe, année de naissance"]
    by_both = published.rows(
        "SELECT count(DISTINCT patient_id), count(DISTINCT document_type), bool_or(r.interval_key = '2026-10-03')"
        " FROM deid.published_document JOIN deid.release r USING (release_id) GROUP BY attributes"
    )
    mine = [(size, kinds) for size, kinds, here in by_both if here]
    assert (int(k), int(l_)) == (min(size for size, _ in mine), min(kinds for _, kinds in mine))
    assert int(k) < 5 <= min(size for _, size, _ in sizes)
    months = published.rows(
        "SELECT count(DISTINCT patient_id) FROM deid.published_document JOIN deid.release r USING (release_id)"
        " GROUP BY attributes, document_type, loinc_code, date_trunc('month', reference_date)"
        " HAVING bool_or(r.interval_key = '2026-10-03')"
    )
    assert int(shown[f"{everything}, mois de la date publiée"][-2]) == min(size for (size,) in months)
    (kept,) = re.findall(r"Ne publier, hors dates, que (.*) porterait", page)
    assert "sexe" in kept
    assert "année" not in kept


def test_epsilon_composes_over_all_of_a_patient(published: Database, deid: Call) -> None:
    shown = rows_of(deid("dpo-annex", SECOND).out, "3.")
    totals = published.rows(
        "SELECT sum(epsilon) FROM deid.budget WHERE published AND patient_id IN (SELECT patient_id FROM deid.document"
        " WHERE state = 'published' AND run_id = 2) GROUP BY patient_id ORDER BY 1"
    )
    (most,) = totals[-1]
    assert shown["par patient de cette publication, tout ce qui est publié"][-1] == f"{most:.2f}".replace(".", ",")
    of_document = float(shown["par document de cette publication"][-1].replace(",", "."))
    assert of_document < most
    assert [shown[LABEL_WORDS["fr"][label]][-1] for label in (Label.PATIENT, Label.PHONE, Label.DATE)] == [
        "non",
        "non",
        "oui",
    ]


def test_the_attack_follows_the_rhythm_and_the_setting(published: Database, deid: Call) -> None:
    page = deid("dpo-annex", SECOND).out
    found = {name: float(cells[0].strip("<%")) for name, cells in rows_of(page, "2.").items() if "chaque" in name}
    assert [name for name in found if "réglage" in name] == ["chaque semaine (réglage de cette publication)"]
    nightly, weekly, monthly = found.values()
    assert nightly > max(weekly, monthly)
    assert deid("dpo-annex", SECOND).out.split("## 1.")[1] == page.split("## 1.")[1]
    published.rows("UPDATE deid.published_document SET reference_date = NULL")
    without = deid("dpo-annex", SECOND).out
    assert "Non estimé" in without
    assert "Décalage retrouvé" not in without


def test_a_night_whose_delays_never_vary_gives_every_shift_away(published: Database, deid: Call) -> None:
    published.rows(DATED.replace("- mod(ascii(d.document_id), 4)", "- 1"))
    assert rows_of(deid("dpo-annex", SECOND).out, "2.")["chaque nuit"] == ["100%"]


def test_quarantine_decisions_versions_and_opt_outs(published: Database, deid: Call) -> None:
    page = deid("dpo-annex", FIRST).out
    held = published.rows("SELECT reason, count(*)::text FROM deid.quarantine WHERE run_id = 1 GROUP BY 1")
    quarantined = rows_of(page, "4.")
    assert all(quarantined[reason][-1] == count for reason, count in held)
    ((decided_by,),) = published.rows(
        "SELECT DISTINCT decided_by FROM deid.decision WHERE interval_key = %s AND chosen <> 'proposed'", (FIRST,)
    )
    assert decided_by in page.split("## 6.")[1]
    ((policy,),) = published.rows("SELECT policy_hash FROM deid.run WHERE run_id = 1")
    assert policy in page
    (made_by,) = [line for line in page.splitlines() if policy in line]
    ((recorded,),) = published.rows("SELECT key_fingerprint FROM deid.run WHERE run_id = 1")
    assert recorded in made_by
    ((pseudonym, count),) = published.rows(
        "SELECT d.patient_id, count(*) FROM deid.published_document d JOIN deid.release r USING (release_id)"
        " WHERE r.interval_key = %s GROUP BY 1 ORDER BY 1 LIMIT 1",
        (FIRST,),
    )
    assert rows_of(page, "5.")["Lignes de cette publication retirées par une opposition"] == ["0"]
    assert deid("opt-outs", "add", "--pseudonym", pseudonym, "--reason", "demande écrite du patient").status == 0
    opposed = rows_of(deid("dpo-annex", FIRST).out, "5.")
    assert opposed["Lignes de cette publication retirées par une opposition"] == [str(count)]
    assert opposed["En vigueur, tout le registre"] == ["1"]


@pytest.mark.usefixtures("published")
def test_the_report_writes_it_and_nothing_of_a_patient_is_in_it(deid: Call, tmp_path: Path) -> None:
    assert deid("dpo-annex", SECOND, "-o", tmp_path / "annexe.md").status == 0
    page = (tmp_path / "annexe.md").read_text(encoding="utf-8")
    beside = Path(actions.report(SECOND)["annex"]).read_text(encoding="utf-8")
    assert beside.split("## 1.")[1] == page.split("## 1.")[1]
    assert CANARY not in page
    assert not re.search(r"\bD2026-10-0\d-\d+|\bP\d+\b|\b[a-z2-7]{20}\b", page), "an id of a document or patient"


@pytest.mark.usefixtures("english")
def test_what_is_not_published_has_no_annex(deployed: Any, deid: Call) -> None:
    Ledger(deployed).night(SECOND, 40)
    refused = deid("dpo-annex", SECOND)
    assert (refused.status, refused.out) == (2, "")
    assert "nothing of 2026-10-03 is published" in refused.err
    assert "annex" not in actions.report(SECOND)
    assert deid("dpo-annex", "nonsense").status == 2
