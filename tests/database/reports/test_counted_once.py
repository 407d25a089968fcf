"""An interval that several runs took up: every figure counts a document once, as research has it."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pypdf import PdfReader
from selectolax.lexbor import LexborHTMLParser

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.ledger import opt_outs as removal
from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval, staged_digest
from deid.release.decisions import REWORK, take_answer
from deid.release.status import read_status
from deid.reports import gather, render
from deid.reports.view import view
from deid.stewardship import opt_outs, recalls
from deid.stewardship.exports import export_figures
from deid.stewardship.metrics import read_metrics
from deid.stewardship.overview import read_overview
from deid.stewardship.releases import list_intervals
from deid.substitution import pseudonym
from tests.conftest import Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put

KEY = "2026-03-02"
UNREADABLE = b"Compte rendu \xff\xfe\xe9\x80 illisible" * 5


SECOND = "{epsilon_per_document: 3.0}"


def stage_twice(database: Database) -> None:
    open_hospital(database)
    for number in range(2):
        put(database, f"letter{number}", LETTER + f"\nExemplaire {'ab'[number]}.")
    put(database, "page", PAGE, patient="P000002", format="text/html")
    put(database, "unreadable", UNREADABLE)
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        decide(patch, Path(folder))
        process("first")
        decide(patch, Path(folder), SECOND)
        process("second")


@pytest.fixture
def twice(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Four documents, one of them unreadable, staged under one policy and then under another."""
    decide(monkeypatch, tmp_path, SECOND)
    return deploy(stage_twice)


def last_run(hospital: Database) -> dict[str, Any]:
    """Mentions and ε of the last run, from its mentions and budget."""
    ((run_id,),) = hospital.rows("SELECT max(run_id) FROM deid.run")
    ((mentions,),) = hospital.rows("SELECT count(*) FROM deid.mention WHERE run_id = %s", (run_id,))
    ((epsilon,),) = hospital.rows("SELECT sum(epsilon) FROM deid.budget WHERE run_id = %s", (run_id,))
    return {"run_id": run_id, "mentions": mentions, "epsilon": epsilon}


def in_research(hospital: Database) -> int:
    """Documents that researchers read once all that is published is visible."""
    make_visible("nightly")
    return int(hospital.rows("SELECT count(*) FROM research.document", role="researcher")[0][0])


def check_figures(hospital: Database, waiting: int, published: int) -> dict[str, Any]:
    """Gather the figures of the interval, and compare each with the last run and with research."""
    last, figures = last_run(hospital), gather(KEY)
    headline = figures["headline"]
    assert (headline["seen"], headline["planned"], headline["quarantined"]) == (4, 4, 1)
    assert (headline["waiting"], headline["published"]) == (waiting, published)
    assert headline["mentions"] == sum(figures["mentions"]["totals"].values()) == last["mentions"]
    assert sum(row["mentions"] for row in figures["types"]) == last["mentions"]
    assert sum(row["documents"] for row in figures["types"]) == 3
    assert [row["documents"] for row in figures["quarantine"]] == [1]
    assert sum(cell["documents"] for cell in figures["epsilon"]["histogram"]) == 3
    spent = sum(row["mean"] * row["documents"] for row in figures["epsilon"]["mechanisms"])
    assert spent == pytest.approx(last["epsilon"])
    assert sum(cell["documents"] for cell in figures["lengths"]["histogram"]) == 3
    assert {row["batches"] for row in figures["steps"] if row["step"] == "detect"} == {1}
    assert figures["interval"]["run_ids"] == [last["run_id"]]
    check_sides(hospital, KEY, figures)
    check_shown(figures)
    check_metrics(figures)
    assert read_metrics(KEY)["epsilon"] == pytest.approx(last["epsilon"])
    (compared,) = read_overview().judged
    shown = compared.interval
    assert (shown.treated, shown.waiting, shown.published, shown.quarantined) == (4, waiting, published, 1)
    assert (shown.mentions, shown.epsilon) == (last["mentions"], pytest.approx(last["epsilon"]))
    return figures


def test_what_waits_is_counted_once_under_the_last_policy(twice: Database) -> None:
    assert check_figures(twice, waiting=3, published=0)["state"] == "waiting"


def test_what_is_published_is_what_researchers_read_in_every_export(twice: Database) -> None:
    publish_interval(KEY)
    figures = check_figures(twice, waiting=0, published=in_research(twice))
    with zipfile.ZipFile(io.BytesIO(export_figures(figures, "csv", "en"))) as archive:
        rows = dict(csv.reader(io.StringIO(archive.read(f"{KEY}/headline.csv").decode("utf-8-sig"))))
    assert (rows["seen"], rows["published"], rows["quarantined"]) == ("4", "3", "1")
    assert json.loads(export_figures(figures, "json", "fr"))["headline"]["published"] == 3


def test_an_interval_published_twice_counts_its_documents_once(
    twice: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    publish_interval(KEY)
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 2.0}")
    process("third")
    check_figures(twice, waiting=3, published=3)  # what waits is to take the place of what is published
    publish_interval(KEY)
    figures = check_figures(twice, waiting=0, published=in_research(twice))
    assert figures["headline"]["corrected"] == 3
    (listed,) = list_intervals().intervals
    assert (listed.published, listed.corrected) == (3, 3)


def test_intervals_add_up_to_what_researchers_read(twice: Database) -> None:
    publish_interval(KEY)
    put(twice, "letter0", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    put(twice, "other", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("next", NIGHT + DAY)
    published = {one.interval.key: one.interval.published for one in read_overview().judged}
    assert published == {KEY: 2, "2026-03-03": 2}
    assert sum(published.values()) == in_research(twice) == 4
    assert gather(KEY)["headline"]["published"] == 2


def test_a_document_refused_twice_under_two_policies_counts_in_the_last_interval(
    deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    decide(monkeypatch, tmp_path, "{max_epsilon_per_patient: 0.001}")
    open_hospital(deployed)
    put(deployed, "letter", LETTER)
    assert process("first")["quarantined"] == 1
    choice = (
        "INSERT INTO deid.quarantine_choice (run_id, document_id, content_hash, reason, choice, chosen_by)"
        " SELECT run_id, document_id, content_hash, reason, 'retry', 'intendante' FROM deid.quarantine"
    )
    deployed.rows(choice, role="steward")
    decide(monkeypatch, tmp_path, "{max_epsilon_per_patient: 0.002}")
    assert process("retried", NIGHT + DAY)["quarantined"] == 1
    once = last_run(deployed)["mentions"]
    assert deployed.rows("SELECT count(*) FROM deid.mention") == [(2 * once,)]
    shown = [one.interval for one in read_overview().judged]
    assert {one.key: (one.treated, one.quarantined) for one in shown} == {KEY: (0, 0), "2026-03-03": (1, 1)}
    assert [one.mentions for one in shown] == [0, 0], "what is held back is in no sum"
    assert [gather(key)["headline"]["mentions"] for key in (KEY, "2026-03-03")] == [0, 0]


def totals(hospital: Database, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Documents, mentions, ε and document types of rows: ledger id, run and type of each."""
    mentions, epsilon, kinds = 0, 0.0, dict[str, int]()
    for document_id, run_id, kind in rows:
        one = (run_id, document_id)
        mentions += hospital.rows("SELECT count(*) FROM deid.mention WHERE (run_id, document_id) = (%s, %s)", one)[0][0]
        spent = "SELECT coalesce(sum(epsilon), 0) FROM deid.budget WHERE (run_id, document_id) = (%s, %s)"
        epsilon += hospital.rows(spent, one)[0][0]
        kinds[kind or ""] = kinds.get(kind or "", 0) + 1
    return {"documents": len(rows), "mentions": mentions, "epsilon": pytest.approx(epsilon), "types": kinds}


def check_sides(hospital: Database, key: str, figures: dict[str, Any]) -> None:
    """Compare what is proposed with the texts that wait, and what is held with the rows of research."""
    known = hospital.rows("SELECT source_id, ledger_id FROM identity.mapping WHERE kind = 'document'")
    ledger_ids = {pseudonym(settings().key, "document", source): ledger for source, ledger in known}
    published = (
        "SELECT p.document_id, p.run_id, p.document_type FROM deid.published_document AS p"
        " JOIN deid.release AS r USING (release_id) WHERE r.interval_key = %s AND r.published_at IS NOT NULL"
    )
    waiting = (
        "SELECT c.document_id, c.run_id, d.document_type FROM deid.candidate AS c"
        " JOIN deid.document AS d USING (run_id, document_id) JOIN deid.run AS r USING (run_id)"
        " WHERE r.interval_key = %s AND d.state = 'staged'"
    )
    rows = {
        "proposed": hospital.rows(waiting, (key,)),
        "held": [(ledger_ids[named], *rest) for named, *rest in hospital.rows(published, (key,))],
    }
    for side, expected in rows.items():
        found = figures["sides"][side]
        kinds = {row["document_type"]: row["documents"] for row in found["types"]}
        shown = {name: found[name] for name in ("documents", "mentions", "epsilon")}
        assert shown | {"types": kinds} == totals(hospital, expected), side
    assert figures["sides"]["held"]["documents"] == figures["headline"]["published"]
    assert figures["sides"]["proposed"]["documents"] == figures["headline"]["waiting"]
    details = figures["sides"]["proposed" if rows["proposed"] else "held"]
    assert sum(figures["mentions"]["totals"].values()) == details["mentions"]
    spent = sum(row["mean"] * row["documents"] for row in figures["epsilon"]["mechanisms"])
    assert spent == pytest.approx(details["epsilon"])
    assert sum(cell["documents"] for cell in figures["lengths"]["histogram"]) == details["documents"]


def check_metrics(figures: dict[str, Any]) -> None:
    """Compare what monitoring is sent, and who decides reads, with the balance, and with what its two sides cost."""
    metrics, parts = read_metrics(figures["interval"]["key"]), figures["balance"]
    status = read_status(figures["interval"]["key"])
    assert status is not None
    if status.digest is not None:  # people are asked: they read the same
        read = {name: status.counts[name] for name in ("seen", "staged", "quarantined")}
        assert read == {"seen": parts["seen"], "staged": parts["waiting"], "quarantined": parts["quarantined"]}
    assert metrics["night.planned"] == parts["seen"] - parts["untaken"]
    assert metrics["night.quarantined"] == parts["quarantined"]
    assert metrics["night.removed"] == parts["removed"]
    refused = {row["reason"]: row["documents"] for row in figures["quarantine"]}
    sent = {name: documents for name, documents in metrics.items() if name.startswith("quarantined.") and documents}
    assert sent == {f"quarantined.{reason}": documents for reason, documents in refused.items()}
    assert sum(sent.values()) == parts["quarantined"]
    sides = figures["sides"].values()
    if sum(side["documents"] for side in sides) == figures["headline"]["kept"]:
        assert metrics["epsilon"] == pytest.approx(sum(side["epsilon"] for side in sides))


def check_shown(figures: dict[str, Any]) -> None:
    """Read the flow, the comparison and the two sides back from view, page and PDF."""
    treated, sides, arrived = figures["headline"]["treated"], figures["sides"], figures["balance"]["seen"]
    seen = view(figures, "fr")
    parts = [part["count"] for part in seen["flow"]]
    assert sum(parts) == arrived
    assert sum(part["share"] for part in seen["flow"]) == pytest.approx(1 if arrived else 0)
    if seen["comparison"]:
        assert {row["name"]: row["now"] for row in seen["comparison"]}["Documents traités"] == str(treated)
    page = LexborHTMLParser(render(figures, "fr"))
    legend = [int(item.text().split()[0]) for item in page.css(".legend li")][:-1]
    assert legend == parts
    names = [cell.text() for cell in page.css("#sides + .scroll tbody th")]
    cells = [cell.text() for cell in page.css("#sides + .scroll tbody td")]
    shown = {name: (cells[2 * place], cells[2 * place + 1]) for place, name in enumerate(names)}
    counts = {name: tuple(str(sides[side][name]) for side in sides) for name in ("documents", "mentions")}
    assert (shown["Documents"], shown["Mentions remplacées"]) == (counts["documents"], counts["mentions"])
    pages = PdfReader(io.BytesIO(export_figures(figures, "pdf", "fr"))).pages
    text = re.sub(r"\s+", " ", " ".join(one.extract_text() for one in pages))
    assert f"Ce que sont devenus les {arrived} documents vus" in text
    assert "Mentions remplacées {} {}".format(*counts["mentions"]) in text
    with zipfile.ZipFile(io.BytesIO(export_figures(figures, "csv", "en"))) as archive:
        table = archive.read(f"{figures['interval']['key']}/sides.csv").decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(table)))
    for side in sides:
        mine = [row for row in rows if row["side"] == side]
        assert sum(int(row["documents"]) for row in mine) == sides[side]["documents"]
        assert sum(int(row["mentions"]) for row in mine) == sides[side]["mentions"]
        assert sum(float(row["epsilon"]) for row in mine) == pytest.approx(sides[side]["epsilon"])


def check_holds(hospital: Database, waiting: int, published: int, *, opted_out: bool = False) -> None:
    """Compare what is proposed and held, on report, export, list and overview, with research."""
    listed = {one.key: one for one in list_intervals().intervals}
    for key in listed:
        figures = gather(key)
        check_shown(figures)
        check_metrics(figures)
        if not opted_out:
            check_sides(hospital, key, figures)
    headlines = {key: gather(key)["headline"] for key in listed}
    readable = {key: head["readable"] for key, head in headlines.items()}
    assert {key: one.readable for key, one in listed.items()} == readable
    assert {one.interval.key: one.interval.readable for one in read_overview().judged} == readable
    ((read,),) = hospital.rows("SELECT count(*) FROM research.document", role="researcher")
    assert sum(head["readable"] for head in headlines.values()) == read
    assert sum(head["published"] for head in headlines.values()) == published
    assert sum(head["waiting"] for head in headlines.values()) == waiting
    counts = {key: (head["waiting"], head["published"]) for key, head in headlines.items()}
    assert {key: (one.waiting, one.published) for key, one in listed.items()} == counts
    judged = {one.interval.key: one.interval for one in read_overview().judged}
    assert {key: (one.waiting, one.published) for key, one in judged.items()} == counts
    exported = json.loads(export_figures(gather(KEY), "json", "fr"))["headline"]
    assert exported == headlines[KEY]


def test_what_the_next_rewriting_shows_is_not_said_to_be_read(twice: Database) -> None:
    publish_interval(KEY)
    assert gather(KEY)["headline"]["readable"] == 0
    check_holds(twice, waiting=0, published=3)
    assert in_research(twice) == gather(KEY)["headline"]["readable"] == 3


def test_what_is_sent_back_leaves_what_research_holds(
    twice: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    publish_interval(KEY)
    assert in_research(twice) == 3
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 2.0}")
    process("third")
    check_holds(twice, waiting=3, published=3)
    answer = {"chosen": REWORK, "decided_by": "intendante", "reason": "trop de dates masquées"}
    take_answer(KEY, answer, digest=str(staged_digest(KEY)))
    check_holds(twice, waiting=0, published=3)
    process("fourth")
    publish_interval(KEY)
    assert in_research(twice) == 3
    check_holds(twice, waiting=0, published=3)


def test_an_opt_out_leaves_the_figures_with_its_rows(twice: Database) -> None:
    publish_interval(KEY)
    assert in_research(twice) == 3
    with open_cursor("steward") as cursor:
        patient = opt_outs.PatientKey(pseudonym(settings().key, "patient", "P000001"))
        opt_outs.record_opt_out(cursor, "intendante", patient, "courrier reçu")
    check_holds(twice, waiting=0, published=1, opted_out=True)
    figures = gather(KEY)
    assert figures["sides"]["held"]["documents"] == 1, "the row has left; the ledger learns whose it was tonight"
    assert "2 documents" in view(figures, "fr")["sides_note"]
    removal.apply_opt_outs()
    assert gather(KEY)["headline"]["opted_out"] == 0
    check_holds(twice, waiting=0, published=1)


def test_a_backfill_takes_over_the_documents_of_its_nights(
    twice: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    publish_interval(KEY)
    put(twice, "other", LETTER + "\nAutre.", at=NIGHT + DAY)
    night("next", NIGHT + DAY)
    check_holds(twice, waiting=0, published=4)
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 2.0}")
    for batch in steps.plan(interval_start=NIGHT, interval_end=NIGHT + 2 * DAY, triggered_by="backfill"):
        for step in (steps.detect, steps.substitute, steps.validate):
            step(batch["run_id"], batch["batch_id"])
    steps.stage(steps.run_of("backfill"))
    check_holds(twice, waiting=4, published=4)
    publish_interval("2026-03-02..2026-03-04")
    make_visible("nightly")
    check_holds(twice, waiting=0, published=4)
    assert gather("2026-03-02..2026-03-04")["headline"]["published"] == 4


@pytest.mark.usefixtures("twice")
def test_what_was_proposed_is_what_research_holds_after(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    publish_interval(KEY)
    before = gather(KEY)["sides"]["held"]
    decide(monkeypatch, tmp_path, "{epsilon_per_document: 1.0}")
    process("third")
    sides = gather(KEY)["sides"]
    assert sides["held"] == before
    assert sides["proposed"]["epsilon"] < before["epsilon"]
    assert gather(KEY, "held")["mentions"]["totals"], "the officer's annex is of what is published"
    publish_interval(KEY)
    after = gather(KEY)["sides"]
    assert after["proposed"]["documents"] == 0
    assert [row | {"side": ""} for row in after["held"]["types"]] == [
        row | {"side": ""} for row in sides["proposed"]["types"]
    ]


def test_a_correction_moves_from_its_interval_to_the_next(twice: Database) -> None:
    publish_interval(KEY)
    assert in_research(twice) == 3
    put(twice, "letter0", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    process("next", NIGHT + DAY)
    check_holds(twice, waiting=1, published=3)
    publish_interval("2026-03-03")
    check_holds(twice, waiting=0, published=3)
    assert gather(KEY)["headline"]["readable"] == 3, "the former version is read until the next rewriting"
    assert in_research(twice) == 3
    check_holds(twice, waiting=0, published=3)
    assert (gather(KEY)["headline"]["readable"], gather("2026-03-03")["headline"]["readable"]) == (2, 1)


def test_a_recall_leaves_nothing_held(twice: Database) -> None:
    publish_interval(KEY)
    assert in_research(twice) == 3
    with open_cursor("steward") as cursor:
        found = recalls.find_recallable(cursor, KEY)
        assert found is not None
        recalls.make_recall(cursor, "intendante", KEY, found.release_ids, "des initiales sont restées")
    check_holds(twice, waiting=0, published=0)
    headline = gather(KEY)["headline"]
    assert (headline["treated"], headline["removed"], headline["in_force"]) == (4, 3, 0)
    process("by hand", requested_by="exploitant")
    check_holds(twice, waiting=3, published=0)
