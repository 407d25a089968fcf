"""The sums of an interval: what became of the documents that it saw, at each turn of their life, in every form."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from selectolax.lexbor import LexborHTMLParser

from deid.config.policy import load, next_rewriting
from deid.config.settings import settings
from deid.database.connection import connect
from deid.database.queries import one
from deid.ledger.audit import Action, list_lines
from deid.ledger.opt_outs import apply_opt_outs
from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval
from deid.release.decisions import REWORK, take_answer
from deid.release.status import read_status
from deid.reports import gather, render
from deid.reports.numbers import Writer
from deid.reports.run_checks import run_checks
from deid.reports.view import BALANCE, view
from deid.stewardship import opt_outs, recalls
from deid.stewardship.exports import export_figures
from deid.stewardship.metrics import read_metrics
from deid.stewardship.overview import read_overview
from deid.stewardship.quarantine import ChoiceRefused, find_former, withdraw_former
from deid.stewardship.releases import list_intervals
from deid.substitution import pseudonym
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

FIRST, SECOND, THIRD = "2026-03-02", "2026-03-03", "2026-03-04"
LEAKING = LETTER.replace("Elle sort", "Au dos de la feuille : « позвонить Анне ».\nElle sort")
UNREADABLE = b"Compte rendu \xff\xfe\xe9\x80 illisible" * 5


def balance(key: str) -> dict[str, int]:
    """Parts of an interval that are not empty; they add up, and page, exports and overview say the same."""
    figures = gather(key)
    parts = {name: figures["balance"][name] for name in BALANCE}
    assert sum(parts.values()) == figures["balance"]["seen"]
    assert sum(part["count"] for part in view(figures, "fr")["flow"]) == figures["balance"]["seen"]
    with zipfile.ZipFile(io.BytesIO(export_figures(figures, "csv", "en"))) as archive:
        rows = dict(csv.reader(io.StringIO(archive.read(f"{key}/balance.csv").decode("utf-8-sig"))))
    assert {name: int(rows[name]) for name in BALANCE} == parts
    assert json.loads(export_figures(figures, "json", "fr"))["balance"] == figures["balance"]
    (listed,) = [found.interval for found in read_overview().judged if found.interval.key == key]
    named = {"seen": figures["balance"]["seen"], **{name: parts[name] for name in ("waiting", "quarantined")}}
    assert {name: getattr(listed, name) for name in named} == named
    assert listed.treated == sum(parts[name] for name in ("visible", "later", "waiting", "quarantined", "removed"))
    assert listed.published == figures["headline"]["published"] >= parts["visible"] + parts["later"]
    status = read_status(key)
    if status is not None and status.digest is not None:  # people are asked: they read the same
        assert {name: status.counts[name] for name in ("seen", "staged", "quarantined")} == {
            name: figures["balance"][part]
            for name, part in (("seen", "seen"), ("staged", "waiting"), ("quarantined", "quarantined"))
        }
    metrics = read_metrics(key)
    told = {"seen": "seen", "staged": "waiting", "quarantined": "quarantined", "removed": "removed"}
    told |= {"unfinished": "unfinished"}
    assert {name: metrics[f"night.{name}"] for name in told} == {
        name: figures["balance"][part] for name, part in told.items()
    }
    assert metrics["night.planned"] == figures["balance"]["seen"] - parts["untaken"]
    assert metrics["night.published"] == listed.published
    held = [documents for name, documents in metrics.items() if name.startswith("quarantined.")]
    assert sum(held) == listed.quarantined
    assert sum(side["mentions"] for side in figures["sides"].values()) == mentions_kept(key)
    check_what_left()
    check_means(figures, listed.measures)
    return {name: documents for name, documents in parts.items() if documents}


def stands(key: str) -> str:
    """State of an interval, as its report and its decision say."""
    decided = read_status(key)
    assert decided is not None
    assert gather(key)["state"] == decided.state
    return decided.state.value


def mentions_kept(key: str) -> int:
    """Mentions of an interval's documents that are ready or published, counted one by one."""
    with connect(settings().dsn("worker")) as link, link.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM deid.mention AS m JOIN deid.document AS d USING (run_id, document_id)"
            " JOIN deid.run AS r USING (run_id) WHERE r.interval_key = %s AND d.state IN ('staged', 'published')",
            (key,),
        )
        return int(one(cursor)[0])


def check_what_left() -> None:
    """Check that the ledger's sums of documents that left their run are those of the documents, one by one."""
    with connect(settings().dsn("worker")) as link, link.cursor() as cursor:
        cursor.execute("SELECT run_id, sum(mentions), sum(epsilon) FROM deid.document_change GROUP BY 1 ORDER BY 1")
        kept = cursor.fetchall()
        cursor.execute(
            "SELECT c.run_id, coalesce(sum(m.mentions), 0), coalesce(sum(b.epsilon), 0)"
            " FROM (SELECT DISTINCT run_id FROM deid.document_change) AS c"
            " LEFT JOIN deid.document AS d ON d.run_id = c.run_id"
            "  AND d.state IN ('superseded', 'withdrawn', 'recalled') AND NOT EXISTS"
            "  (SELECT FROM deid.quarantine AS q WHERE (q.run_id, q.document_id) = (d.run_id, d.document_id))"
            " LEFT JOIN (SELECT run_id, document_id, count(*) AS mentions FROM deid.mention GROUP BY 1, 2) AS m"
            "  ON (m.run_id, m.document_id) = (d.run_id, d.document_id)"
            " LEFT JOIN (SELECT run_id, document_id, sum(epsilon) AS epsilon FROM deid.budget GROUP BY 1, 2) AS b"
            "  ON (b.run_id, b.document_id) = (d.run_id, d.document_id) GROUP BY 1 ORDER BY 1"
        )
        counted = cursor.fetchall()
    assert [row[:2] for row in kept] == [row[:2] for row in counted]
    assert [row[2] for row in kept] == pytest.approx([row[2] for row in counted])


def check_means(figures: dict[str, Any], measures: dict[str, float]) -> None:
    """Check that means are over the documents that the page shows, unless an opt-out is still to be applied."""
    sides = figures["sides"].values()
    documents = sum(side["documents"] for side in sides)
    if figures["headline"]["opted_out"] or documents != figures["headline"]["kept"]:
        return
    if not documents:
        assert "epsilon_per_document" not in measures
        return
    assert measures["mentions_per_document"] == sum(side["mentions"] for side in sides) / documents
    assert measures["epsilon_per_document"] == pytest.approx(sum(side["epsilon"] for side in sides) / documents)


def object_to(patient: opt_outs.PatientKey) -> None:
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        opt_outs.record_opt_out(cursor, "intendante", patient, "courrier reçu")


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """Eight documents of two patients arrived in the first night; two of them are held back."""
    decide(monkeypatch, tmp_path)
    open_hospital(deployed)
    for number in range(4):
        put(deployed, f"letter{number}", f"{LETTER}\nExemplaire {'abcd'[number]}.")
    for number in range(2):
        put(deployed, f"page{number}", PAGE.replace("fièvre", ("fièvre", "gêne")[number]), patient="P000002")
    put(deployed, "leaking", LEAKING)
    put(deployed, "unreadable", UNREADABLE)
    return deployed


def test_the_parts_add_up_at_every_turn(hospital: Database) -> None:
    process("first")
    assert balance(FIRST) == {"waiting": 6, "quarantined": 2}
    publish_interval(FIRST)
    assert balance(FIRST) == {"later": 6, "quarantined": 2}
    assert stands(FIRST) == "published"
    make_visible("weekly")
    assert balance(FIRST) == {"visible": 6, "quarantined": 2}
    assert stands(FIRST) == "visible"
    put(hospital, "letter0", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    put(hospital, "letter1", LEAKING + "\nCorrigé.", at=NIGHT + DAY)
    withdraw(hospital, "page0", NIGHT + DAY)
    put(hospital, "letter2", f"{LETTER}\nExemplaire c.", at=NIGHT + DAY)  # listed again as it was
    process("second", NIGHT + DAY)
    assert balance(SECOND) == {"waiting": 1, "quarantined": 1, "untaken": 1}
    publish_interval(SECOND)
    assert make_visible("weekly") is None
    assert balance(SECOND) == {"later": 1, "quarantined": 1, "untaken": 1}
    assert (stands(FIRST), stands(SECOND)) == ("visible", "published")
    assert balance(FIRST) == {"visible": 4, "quarantined": 2, "moved": 1, "removed": 1}
    make_visible("nightly")
    assert balance(SECOND) == {"visible": 1, "quarantined": 1, "untaken": 1}
    object_to(opt_outs.PatientKey(pseudonym(settings().key, "patient", "P000002")))
    assert balance(FIRST) == {"visible": 3, "quarantined": 2, "moved": 1, "removed": 2}
    apply_opt_outs()
    assert balance(FIRST) == {"visible": 3, "quarantined": 2, "moved": 1, "removed": 2}
    process("again")
    assert balance(FIRST) == {"visible": 3, "quarantined": 2, "moved": 1, "removed": 2}
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        found = recalls.find_recallable(cursor, SECOND)
        assert found is not None
        recalls.make_recall(cursor, "referente", SECOND, found.release_ids, "un défaut trouvé après coup")
    assert balance(SECOND) == {"removed": 1, "quarantined": 1, "untaken": 1}


def shares(key: str) -> tuple[str, str, str]:
    """The share of quarantine on the report of an interval: the run's, which run of how many, the interval's own.

    The interval's own is that of the balance, on report, PDF, exports, list and overview.
    """
    figures = gather(key)
    (summary,) = [found.interval for found in read_overview().judged if found.interval.key == key]
    (listed,) = [one for one in list_intervals().intervals if one.key == key]
    assert summary.measures == listed.measures == {row["measure"]: row["value"] for row in figures["usual"]}
    parts = figures["balance"]
    treated = parts["seen"] - sum(parts[name] for name in ("moved", "unfinished", "untaken"))
    assert summary.measures["quarantined_share"] == parts["quarantined"] / treated
    page = LexborHTMLParser(render(figures, "fr"))
    ((observed, run),) = [
        (row.css("td")[1].text(deep=False), row.css("td")[1].css_first("span").text())
        for row in page.css("#checks tr")
        if row.css_matches("code") and row.css_first("code").text().startswith("quarantined_share")
    ]
    (own,) = [row["now"] for row in view(figures, "fr")["usual"] if row["measure"] == "quarantined_share"]
    assert own == Writer("fr").percent(parts["quarantined"] / treated)
    pages = PdfReader(io.BytesIO(export_figures(figures, "pdf", "fr"))).pages
    text = plain(" ".join(one.extract_text() for one in pages))
    assert plain(f"{observed} ({run})") in text
    assert plain(f"Part en quarantaine {own}") in text
    with zipfile.ZipFile(io.BytesIO(export_figures(figures, "csv", "en"))) as archive:
        rows = csv.DictReader(io.StringIO(archive.read(f"{key}/checks.csv").decode("utf-8-sig")))
        ((run_id, documents),) = [
            (row["run_id"], row["documents"]) for row in rows if row["rule"].startswith("quarantined_share")
        ]
    assert run == f"exécution {run_id}, documents\N{NO-BREAK SPACE}: {documents}"
    return plain(observed), plain(run), plain(own)


def plain(words: str) -> str:
    return re.sub(r"\s+", " ", words)


def judge() -> None:
    """Judge the last run as a whole, as the release does before it asks."""
    with connect(settings().dsn("worker")) as link, link.cursor() as cursor:
        cursor.execute("SELECT max(run_id) FROM deid.run")
        run_checks(int(one(cursor)[0]), load(settings().policy))


def test_a_share_is_of_the_interval_or_says_of_which_run(hospital: Database) -> None:
    process("first")
    judge()
    assert shares(FIRST) == ("25,0 %", "exécution 1, documents : 8", "25,0 %")
    publish_interval(FIRST)
    for number, name in enumerate(("letter0", "letter1", "leaking")):
        put(hospital, name, f"{LETTER}\nCorrigé {'abc'[number]}.", at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    judge()
    publish_interval(SECOND)
    assert shares(FIRST) == ("25,0 %", "exécution 1, documents : 8", "20,0 %")
    rows = view(gather(SECOND), "fr")["comparison"]
    (compared,) = [row for row in rows if row["name"] == "Part en quarantaine"]
    assert (plain(compared["before"]), plain(compared["now"])) == ("20,0 %", "0,0 %")
    hospital.rows(
        "INSERT INTO deid.quarantine_choice (run_id, document_id, content_hash, reason, choice, chosen_by)"
        " SELECT run_id, document_id, content_hash, reason, 'retry', 'intendante' FROM deid.quarantine"
        " JOIN deid.document USING (run_id, document_id, content_hash) WHERE state = 'quarantined'",
        role="steward",
    )
    process("again")
    judge()
    assert shares(FIRST) == ("100,0 %", "exécution 3, documents : 1", "20,0 %")
    assert "Exécutions 1, 3" in render(gather(FIRST), "fr")


def take_out(hospital: Database, key: str, former: int | None = None) -> bool:
    """Take out the version that is published (or that of the run `former`) of the document that an interval holds."""
    (held,) = hospital.rows("SELECT run_id, document_id FROM deid.quarantine WHERE interval_key = %s", (key,))
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        found = find_former(cursor, *held)
        asked = former or (found[0] if found else 0)
        return withdraw_former(cursor, "intendante", held, asked, "des initiales y sont restées")


def read_texts(hospital: Database, words: str) -> int:
    """Documents with these words that researchers read."""
    rows = hospital.rows("SELECT text FROM research.document", role="researcher")
    return sum(words in text for (text,) in rows)


@pytest.fixture
def corrected_twice(hospital: Database) -> Database:
    """A published document; the run of its first correction ends behind the one that holds the second back."""
    process("first")
    publish_interval(FIRST)
    make_visible("nightly")
    put(hospital, "letter1", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    (batch,) = steps.plan(interval_start=NIGHT + DAY, interval_end=NIGHT + 2 * DAY, triggered_by="second")
    for step in (steps.detect, steps.substitute, steps.validate):
        step(batch["run_id"], batch["batch_id"])
    put(hospital, "letter1", LEAKING + "\nCorrigé encore.", at=NIGHT + 2 * DAY)
    process("third", NIGHT + 2 * DAY)
    assert steps.stage(batch["run_id"])["staged"] == 1
    return hospital


def test_a_former_version_that_a_person_takes_out_leaves_a_correction_that_waits(corrected_twice: Database) -> None:
    assert take_out(corrected_twice, THIRD)
    withdrawals = {key: gather(key)["headline"]["withdrawals"] for key in (FIRST, SECOND, THIRD)}
    assert withdrawals == {FIRST: 1, SECOND: 0, THIRD: 0}
    publish_interval(SECOND)
    make_visible("nightly")
    assert read_texts(corrected_twice, "Corrigé.") == 1
    assert read_ids(corrected_twice) == (6, 0)


def test_the_version_that_is_taken_out_is_the_one_that_was_shown(corrected_twice: Database) -> None:
    """The first correction is published between the page and the click, and a later run settles the second."""
    publish_interval(SECOND)
    assert not take_out(corrected_twice, THIRD, former=1)
    standing = "UPDATE deid.quarantine SET standing = %s WHERE interval_key = %s"
    corrected_twice.rows(standing, ("settled", THIRD))
    assert not take_out(corrected_twice, THIRD)
    corrected_twice.rows(standing, ("waiting", THIRD))
    assert take_out(corrected_twice, THIRD)


@pytest.mark.parametrize("upgraded", [False, True])
def test_what_a_person_took_out_comes_back_only_in_a_run_that_a_person_asks_for(
    upgraded: bool, hospital: Database
) -> None:
    process("first")
    publish_interval(FIRST)
    make_visible("nightly")
    put(hospital, "letter1", LEAKING + "\nCorrigé.", at=NIGHT + DAY)
    put(hospital, "letter2", f"{LETTER}\nAutre.", at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    assert take_out(hospital, SECOND)
    put(hospital, "letter1", f"{LETTER}\nExemplaire b.", at=NIGHT + 2 * DAY)  # the correction is undone
    assert process("before it leaves", NIGHT + 2 * DAY)["staged"] == 0
    publish_interval(SECOND)
    make_visible("nightly")
    assert read_texts(hospital, "Exemplaire b.") == 0
    if upgraded:
        hospital.rows("UPDATE deid.document SET pipeline_version = 'rules-1'")
    assert process("third", NIGHT + 2 * DAY)["staged"] == 0
    assert balance(THIRD) == {"untaken": 1}
    assert process("by hand", NIGHT + 2 * DAY, requested_by="exploitant")["staged"] == 1
    publish_interval(THIRD)
    make_visible("nightly")
    assert read_texts(hospital, "Exemplaire b.") == 1


def test_a_release_of_which_nothing_is_left_to_read_has_been_read(hospital: Database) -> None:
    process("first")
    publish_interval(FIRST)
    make_visible("nightly")
    put(hospital, "letter0", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    publish_interval(SECOND)
    make_visible("nightly")
    withdraw(hospital, "letter0", NIGHT + 2 * DAY)
    process("third", NIGHT + 2 * DAY)
    publish_interval(THIRD)
    make_visible("nightly")
    assert (stands(SECOND), stands(THIRD)) == ("visible", "visible")


def test_a_night_done_again_waits_whatever_the_clock_said_of_the_one_before(hospital: Database) -> None:
    process("first")
    status = read_status(FIRST)
    assert status is not None
    take_answer(FIRST, {"chosen": REWORK, "decided_by": "c.morel", "reason": "à refaire"}, digest=str(status.digest))
    hospital.rows("UPDATE deid.run SET finished_at = finished_at + interval '1 day'")
    hospital.rows("UPDATE deid.decision SET decided_at = decided_at + interval '1 day'")
    process("rework")
    assert gather(FIRST)["state"] == "waiting"


def test_a_former_version_that_a_person_takes_out_leaves_at_the_next_publication(hospital: Database) -> None:
    process("first")
    publish_interval(FIRST)
    make_visible("nightly")
    put(hospital, "letter1", LEAKING + "\nCorrigé.", at=NIGHT + DAY)
    put(hospital, "letter2", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    process("second", NIGHT + DAY)
    (held,) = hospital.rows("SELECT run_id, document_id FROM deid.quarantine WHERE interval_key = %s", (SECOND,))
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        former, *found = find_former(cursor, *held) or (0,)
        assert found == [FIRST, False]
        with pytest.raises(ChoiceRefused):
            withdraw_former(cursor, "intendante", held, former, "court")
        assert withdraw_former(cursor, "intendante", held, former, "des initiales y sont restées")
        assert not withdraw_former(cursor, "referente", held, former, "des initiales y sont restées")
        assert find_former(cursor, *held) == (former, FIRST, True)
        (line,) = list_lines(cursor, about=f"document {held[1]}", action=Action.WITHDRAW_VERSION)
        assert (line.actor, line.details["reason"]) == ("intendante", "des initiales y sont restées")
    assert balance(FIRST) == {"visible": 6, "quarantined": 2}
    assert balance(SECOND) == {"waiting": 1, "quarantined": 1}
    assert read_ids(hospital) == (6, 0)
    publish_interval(SECOND)
    make_visible("nightly")
    assert balance(FIRST) == {"visible": 4, "quarantined": 2, "moved": 1, "removed": 1}
    assert balance(SECOND) == {"visible": 1, "quarantined": 1}
    assert read_ids(hospital) == (5, 1)
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        assert find_former(cursor, *held) is None
    put(hospital, "letter1", f"{LETTER}\nCorrigé encore.", at=NIGHT + 2 * DAY)
    process("third", NIGHT + 2 * DAY)
    publish_interval(str((NIGHT + 2 * DAY).date()))
    make_visible("nightly")
    assert read_ids(hospital) == (6, 0)


def read_ids(hospital: Database) -> tuple[int, int]:
    """Documents that researchers read, and those of which they are told to destroy copies."""
    query = "SELECT (SELECT count(*) FROM research.document), (SELECT count(*) FROM research.withdrawn_document)"
    ((read, withdrawn),) = hospital.rows(query, role="researcher")
    return read, withdrawn


def test_what_is_sent_back_or_under_way_is_neither_corrected_nor_lost(hospital: Database) -> None:
    process("first")
    status = read_status(FIRST)
    assert status is not None
    answer = {"chosen": REWORK, "decided_by": "c.morel", "reason": "à refaire"}
    take_answer(FIRST, answer, digest=str(status.digest))
    assert balance(FIRST) == {"unfinished": 6, "quarantined": 2}
    process("rework")
    assert balance(FIRST) == {"waiting": 6, "quarantined": 2}
    hospital.rows("UPDATE deid.document SET state = 'detected' WHERE state = 'staged'")
    assert balance(FIRST) == {"unfinished": 6, "quarantined": 2}


@pytest.mark.parametrize(
    ("visible", "last", "due"),
    [
        ("nightly", "2026-10-01T05:00:00+00:00", "2026-10-01"),
        ("weekly", None, "2026-10-01"),
        ("weekly", "2026-09-28T05:00:00+00:00", "2026-10-05"),
        ("weekly", "2026-09-27T21:30:00+00:00", "2026-10-01"),  # a Sunday, still, in Paris
        ("weekly", "2026-09-27T22:30:00+00:00", "2026-10-05"),  # a Monday in Paris
        ("monthly", "2026-10-01T05:00:00+00:00", "2026-11-01"),
        ("monthly", "2026-09-30T05:00:00+00:00", "2026-10-01"),
    ],
)
def test_the_day_of_the_next_rewriting(visible: str, last: str | None, due: str) -> None:
    now = datetime(2026, 10, 1, 12, tzinfo=UTC)
    told = datetime.fromisoformat(last) if last else None
    assert next_rewriting(visible, told, now) == date.fromisoformat(due)


@pytest.mark.usefixtures("hospital")
def test_the_day_from_which_it_is_read_is_told() -> None:
    process("first")
    make_visible("weekly")
    publish_interval(FIRST)
    figures = gather(FIRST)
    due = next_rewriting("weekly", datetime.now(UTC), datetime.now(UTC))
    assert figures["balance"]["visible_on"] == due.isoformat()
    (part, _) = view(figures, "fr")["flow"]
    assert part["words"].startswith("publiés, lisibles à la première publication à partir du lundi")
