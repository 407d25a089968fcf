"""Choices on quarantined documents, over nights of a small hospital: the next run applies them, and nothing more."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from psycopg2.extensions import cursor as Cursor
from pypdf import PdfReader
from selectolax.lexbor import LexborHTMLParser

from deid.config.policy import load
from deid.config.settings import settings
from deid.database.connection import connect
from deid.domain.document import Mention
from deid.domain.errors import NocturneError, Reason, ReviewRefused
from deid.domain.labels import Label
from deid.publication.publish import publish_interval
from deid.quality.checks import REQUIREMENTS
from deid.quality.reasons import CHECKS_OF, WAIVABLE
from deid.release.actions import annex
from deid.reports import gather, render
from deid.stewardship import quarantine, releases
from deid.stewardship.exports import export_figures
from deid.stewardship.quarantine import (
    Choice,
    ChoiceProblem,
    ChoiceRefused,
    ChoiceResult,
    Filter,
    Marked,
    QuarantinedDocument,
    Standing,
    record_choice,
    undo_choice,
)
from deid.stewardship.workbench import Workbench, open_workbench
from nocturne_lab.hospital.annotations import gold_records
from tests.conftest import Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import ledger_id, night, process, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put, withdraw

NOTHING_INSIDE = (
    "Nom :\n\nL'examen est normal et le traitement est poursuivi. Le bilan biologique est sans particularité, et un "
    "contrôle est à prévoir. Le tracé est sans anomalie et aucun symptôme nouveau n'est décrit depuis la consultation."
)
ENGLISH = (
    "Nom :\n\nThe examination was normal and the treatment is continued without any change. Blood tests were "
    "within the usual range and a further visit was planned within the month. There was nothing new to say."
)
UNREADABLE = LETTER.encode("cp1252")
WHY = "Lu en entier : aucune personne n'y est nommée."


def hold_one(database: Database) -> None:
    open_hospital(database)
    put(database, "D1", NOTHING_INSIDE)
    night("first")


@pytest.fixture
def hospital(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    decide(monkeypatch, tmp_path)
    return deploy(open_hospital)


@pytest.fixture
def held(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """A hospital whose first night held back D1, since nothing was found in it."""
    decide(monkeypatch, tmp_path)
    return deploy(hold_one)


@contextmanager
def steward_cursor() -> Iterator[Cursor]:
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        yield cursor


def on_desk(standing: Standing = Standing.WAITING, **wanted: object) -> list[QuarantinedDocument]:
    with steward_cursor() as cursor:
        return quarantine.list_quarantined(cursor, Filter(standing, **wanted))  # type: ignore[arg-type]


def decided(choice: Choice, documents: Sequence[str] = (), text: str = WHY, actor: str = "intendante") -> ChoiceResult:
    """The choice for these waiting documents, or for all that wait."""
    entries = [(one.run_id, one.document_id) for one in on_desk() if not documents or one.document_id in documents]
    with steward_cursor() as cursor:
        return record_choice(cursor, actor, choice, entries, text)


def test_a_retry_is_done_by_the_next_night_whatever_its_interval(hospital: Database) -> None:
    put(hospital, "D1")
    put(hospital, "D2", UNREADABLE)
    night("first")
    assert states(hospital) == {"D1": "published", "D2": "quarantined"}
    assert [(one.document_id, one.reason, one.interval_key) for one in on_desk()] == [
        ("D2", Reason.UNDECODABLE, "2026-03-02")
    ]
    hospital.rows("UPDATE cdw.document SET charset = 'cp1252' WHERE document_id = 'D2'")  # the fix: not the content
    night("second", NIGHT + 5 * DAY)
    assert states(hospital)["D2"] == "quarantined"  # nobody asked
    assert decided(Choice.RETRY).done
    assert [one.standing for one in on_desk(Standing.RETRY)] == [Standing.RETRY]
    put(hospital, "D3", at=NIGHT + 9 * DAY)
    done = night("third", NIGHT + 9 * DAY)
    assert (done["published"], done["interval_key"]) == (2, "2026-03-11")
    (run_id,) = hospital.rows("SELECT used_by_run FROM deid.quarantine_choice")[0]
    assert hospital.rows("SELECT run_id, state FROM deid.document WHERE document_id = 'D2'") == [(run_id, "published")]
    assert not on_desk(Standing.RETRY)
    assert on_desk(Standing.SETTLED)[0].document_id == "D2"
    night("fourth", NIGHT + 12 * DAY)
    assert hospital.rows("SELECT used_by_run FROM deid.quarantine_choice") == [(run_id,)]


def test_a_retry_listed_by_its_own_interval_too_is_done_once(hospital: Database) -> None:
    put(hospital, "D2", UNREADABLE)
    night("first")
    decided(Choice.RETRY)
    process("again")
    assert hospital.rows("SELECT count(*) FROM deid.document WHERE document_id = 'D2'") == [(1,)]
    assert [(one.document_id, one.standing) for one in on_desk()] == [("D2", Standing.WAITING)]


def test_a_retry_waits_for_a_run_that_takes_its_type(hospital: Database) -> None:
    put(hospital, "D2", NOTHING_INSIDE, type_code="ORD")
    night("first")
    decided(Choice.RETRY)
    process("other types", NIGHT + DAY, document_types=["CRH"])
    assert on_desk(Standing.RETRY)
    process("its type", NIGHT + DAY, document_types=["ORD"])
    assert not on_desk(Standing.RETRY)


def test_a_retry_reads_what_the_source_has_now(hospital: Database) -> None:
    put(hospital, "D1", UNREADABLE)
    put(hospital, "D2", UNREADABLE)
    night("first")
    decided(Choice.RETRY)
    put(hospital, "D1", LETTER)  # reloaded in place: its time of arrival did not move
    withdraw(hospital, "D2", NIGHT)
    night("second", NIGHT + 3 * DAY)
    assert states(hospital) == {"D1": "published", "D2": "withdrawn"}
    assert not on_desk(Standing.RETRY)
    assert hospital.rows("SELECT count(*) FROM deid.quarantine_choice WHERE used_by_run IS NULL") == [(0,)]


def test_a_release_passes_the_waived_check_alone_and_the_verdict_stays(held: Database) -> None:
    assert [one.reason for one in on_desk()] == [Reason.UNCHANGED]
    assert decided(Choice.RELEASE).done
    night("second", NIGHT + 3 * DAY)
    assert states(held) == {"D1": "published"}
    rows = "SELECT check_name, success, waived FROM deid.verdict WHERE NOT success AND severity = 'critical'"
    assert held.rows(f"{rows} ORDER BY run_id, waived") == [
        ("text_unchanged", False, False),
        ("text_unchanged", False, True),
    ]


def test_what_was_let_through_is_marked_on_the_side_where_it_stands(hospital: Database) -> None:
    put(hospital, "D1", NOTHING_INSIDE)
    put(hospital, "D2", NOTHING_INSIDE + " Encore.")
    put(hospital, "fine", LETTER, at=NIGHT + 3 * DAY)
    night("first")
    assert decided(Choice.RELEASE).done
    key = process("second", NIGHT + 3 * DAY)["interval_key"]
    for side in ("proposed", "held"):
        figures = gather(key)
        assert figures["sides"][side]["documents"] == 3
        assert {name: figures["sides"][name]["waived"] for name in figures["sides"]} == {
            "proposed": 2 * (side == "proposed"),
            "held": 2 * (side == "held"),
        }
        assert figures["waived"] == [{"side": side, "check_name": "text_unchanged", "documents": 2}]
        shown = [f"{2 * (name == side)}" for name in ("proposed", "held")]
        meaning = REQUIREMENTS["fr"]["text_unchanged"]
        page = LexborHTMLParser(render(figures, "fr"))
        rows = {row.css_first("th").text(): [cell.text() for cell in row.css("td")] for row in page.css("#headline tr")}
        assert rows["Dont laissés passer par une personne"] == rows[f"Contrôle levé : « {meaning} »"] == shown
        assert f"« {meaning} » Documents : 2" in page.css_first(".notes").text()
        pages = PdfReader(io.BytesIO(export_figures(figures, "pdf", "fr"))).pages
        text = re.sub(r"\s+", " ", " ".join(one.extract_text() for one in pages))
        assert "Dont laissés passer par une personne {} {}".format(*shown) in text
        assert meaning in text
        with steward_cursor() as cursor:
            listed = releases.let_through(cursor, key)
        assert {one.document_id for one in listed} == {ledger_id(hospital, name) for name in ("D1", "D2")}
        assert {(one.side, *one.checks, one.chosen_by, one.justification) for one in listed} == {
            (side, "text_unchanged", "intendante", WHY)
        }
        publish_interval(key)
    assert "Contrôles levés par une personne, avec justification : 2 document(s)." in annex(key)


def test_the_report_says_what_was_held_back_for_nothing(hospital: Database) -> None:
    for number in range(3):
        put(hospital, f"D{number}", f"{NOTHING_INSIDE} {number}")
    put(hospital, "E", ENGLISH)
    key = process("first")["interval_key"]
    assert gather(key)["held_back"] == {"judged": 0, "let_through": 0}
    assert decided(Choice.RELEASE, ["D0", "D1"]).done
    assert decided(Choice.DISCARD, ["D2", "E"]).done
    # E was refused before any check
    assert gather(key)["held_back"] == {"judged": 3, "let_through": 2}
    assert "Retenus à tort : sur 3 documents" in render(gather(key), "fr")
    hospital.rows("UPDATE deid.quarantine_choice SET chosen_at = now() - interval '91 days' WHERE document_id = 'D0'")
    assert gather(key)["held_back"] == {"judged": 2, "let_through": 1}


def test_a_release_is_for_exactly_one_content(held: Database) -> None:
    decided(Choice.RELEASE)
    put(held, "D1", NOTHING_INSIDE + " Rien d'autre.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert [(one.document_id, one.reason) for one in on_desk()] == [("D1", Reason.UNCHANGED)]
    assert held.rows("SELECT count(*) FROM deid.verdict WHERE waived") == [(0,)]


def test_what_else_is_wrong_still_holds_a_released_document_back(hospital: Database) -> None:
    put(hospital, "D1", ENGLISH)
    night("first")
    assert [(one.reason, one.step) for one in on_desk()] == [(Reason.NOT_FRENCH, "detect")]
    decided(Choice.RELEASE)
    night("second", NIGHT + DAY)
    assert [(one.reason, one.step) for one in on_desk()] == [(Reason.UNCHANGED, "validate")]
    assert hospital.rows("SELECT check_name FROM deid.verdict WHERE waived") == [("language_foreign",)]


def test_a_check_that_shows_more_than_what_was_judged_holds(held: Database) -> None:
    decided(Choice.RELEASE)
    held.rows("""UPDATE deid.quarantine_choice SET waived = '{"text_unchanged": 0.5}'""")
    night("second", NIGHT + DAY)
    assert states(held) == {"D1": "quarantined"}


def test_a_release_given_under_another_pipeline_waives_nothing(held: Database) -> None:
    decided(Choice.RELEASE)
    held.rows("UPDATE deid.quarantine_choice SET pipeline_version = 'an older one'")
    night("second", NIGHT + DAY)
    assert states(held) == {"D1": "quarantined"}


def test_a_stored_waiver_that_may_not_be_has_no_effect(held: Database) -> None:
    decided(Choice.RELEASE)
    held.rows("""UPDATE deid.quarantine_choice SET waived = '{"identity_name": 9, "original_kept": 9}'""")
    night("second", NIGHT + DAY)
    assert states(held) == {"D1": "quarantined"}


def test_a_discarded_document_stays_out_until_its_content_changes(held: Database) -> None:
    decided(Choice.DISCARD, text="hors sujet")
    held.rows("UPDATE deid.document SET state = 'superseded'")  # what would make it new again
    night("again")
    assert held.rows("SELECT count(*) FROM deid.run WHERE planned > 0") == [(1,)]
    assert [one.document_id for one in on_desk(Standing.DISCARD)] == ["D1"]
    put(held, "D1", LETTER, at=NIGHT + DAY)
    night("corrected", NIGHT + DAY)
    assert states(held) == {"D1": "published"}


def test_the_second_of_two_people_is_told_what_the_first_decided(hospital: Database) -> None:
    for number in range(6):
        put(hospital, f"D{number}", NOTHING_INSIDE)
    night("first")
    entries = [(one.run_id, one.document_id) for one in on_desk()]

    def person(number: int) -> ChoiceResult:
        with steward_cursor() as cursor:
            order = entries if number % 2 else entries[::-1]
            return record_choice(
                cursor, f"p{number}", Choice.RETRY if number % 2 else Choice.DISCARD, order, "hors sujet"
            )

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(person, range(4)))
    assert sum(len(outcome.done) for outcome in outcomes) == 6
    assert hospital.rows("SELECT count(*), count(DISTINCT document_id) FROM deid.quarantine_choice") == [(6, 6)]
    winners = dict(hospital.rows("SELECT document_id, chosen_by FROM deid.quarantine_choice"))
    for outcome in outcomes:
        assert all(one.chosen_by == winners[one.document_id] for one in outcome.taken)
    assert hospital.rows("SELECT count(*) FROM deid.audit") == [(6,)]


def test_every_choice_is_in_the_trail_with_its_reason(hospital: Database) -> None:
    for name in ("D1", "D2", "D3"):
        put(hospital, name, NOTHING_INSIDE)
    night("first")
    decided(Choice.RETRY, ["D1"], "")
    decided(Choice.RELEASE, ["D2"], WHY, actor="référente")
    decided(Choice.DISCARD, ["D3"], "doublon")
    lines = hospital.rows(
        "SELECT actor, action, object, details ->> 'justification', details -> 'waived' FROM deid.audit ORDER BY seq"
    )
    assert lines == [
        ("intendante", "retry", "document D1", None, None),
        ("référente", "release_document", "document D2", WHY, {"text_unchanged": 1.0}),
        ("intendante", "discard", "document D3", "doublon", None),
    ]


@pytest.mark.usefixtures("held")
def test_a_choice_that_no_run_has_used_is_taken_back() -> None:
    (chosen,) = decided(Choice.DISCARD).done
    entry = (chosen.run_id, chosen.document_id)
    with steward_cursor() as cursor:
        assert undo_choice(cursor, "référente", entry)
    with steward_cursor() as cursor:
        assert not undo_choice(cursor, "référente", entry)
    assert [one.document_id for one in on_desk()] == ["D1"]
    assert decided(Choice.RETRY).done
    night("second", NIGHT + DAY)
    with steward_cursor() as cursor:
        assert not undo_choice(cursor, "référente", entry)


def test_no_other_reason_can_be_waived(held: Database) -> None:
    for reason in (reason for reason in Reason if reason not in WAIVABLE):
        held.rows("UPDATE deid.quarantine SET reason = %s", (reason,))
        with pytest.raises(ChoiceRefused) as refused:
            decided(Choice.RELEASE)
        assert refused.value.why is ChoiceProblem.NOT_WAIVABLE
    assert held.rows("SELECT count(*) FROM deid.quarantine_choice") == [(0,)]


def test_what_survived_of_a_person_is_never_waivable() -> None:
    never = {
        *(Reason.RESIDUAL_IDENTITY, Reason.ORIGINAL_KEPT, Reason.DETECTION_FAILED, Reason.SUBSTITUTION_FAILED),
        *(Reason.BUDGET_EXCEEDED, Reason.NO_PATIENT, Reason.INCONSISTENT),
    }
    assert not never & set(WAIVABLE)
    assert not any(name.startswith("identity") for names in CHECKS_OF.values() for name in names)


@pytest.mark.parametrize(
    ("choice", "text", "why"),
    [
        (Choice.RELEASE, "", ChoiceProblem.TOO_SHORT),
        (Choice.RELEASE, "x" * 19, ChoiceProblem.TOO_SHORT),
        (Choice.RELEASE, " " * 30, ChoiceProblem.TOO_SHORT),
        (Choice.DISCARD, "", ChoiceProblem.TOO_SHORT),
        (Choice.DISCARD, "x" * 501, ChoiceProblem.TOO_LONG),
    ],
)
@pytest.mark.usefixtures("hospital")
def test_a_choice_without_its_words_is_refused(choice: Choice, text: str, why: ChoiceProblem) -> None:
    with steward_cursor() as cursor, pytest.raises(ChoiceRefused) as refused:
        record_choice(cursor, "intendante", choice, [(1, "D1")], text)
    assert refused.value.why is why


@pytest.mark.usefixtures("hospital")
def test_nothing_too_much_and_the_unknown_are_refused() -> None:
    cases = (
        ([], ChoiceProblem.NOTHING_CHOSEN),
        ([(1, str(n)) for n in range(201)], ChoiceProblem.TOO_MANY),
        ([(1, "D9")], ChoiceProblem.UNKNOWN),
    )
    for entries, why in cases:
        with steward_cursor() as cursor, pytest.raises(ChoiceRefused) as refused:
            record_choice(cursor, "intendante", Choice.RETRY, entries)
        assert refused.value.why is why


def test_the_desk_is_filtered_and_leafed_through(hospital: Database) -> None:
    for number in range(7):
        put(hospital, f"D{number}", NOTHING_INSIDE, type_code="ORD" if number % 2 else "CRH")
    hospital.rows("UPDATE cdw.stay SET service_code = 'PNEU' WHERE stay_id = 'S000002'")
    put(hospital, "D9", UNREADABLE, patient="P000002")
    process("first")
    with steward_cursor() as cursor:
        assert dict(quarantine.count_waiting(cursor)) == {Reason.UNCHANGED: 7, Reason.UNDECODABLE: 1}
        assert quarantine.list_document_types(cursor, Standing.WAITING) == ["CRH", "ORD"]
        seen: list[str] = []
        after = None
        while page := quarantine.list_quarantined(cursor, Filter(), after, limit=3):
            seen += [one.document_id for one in page]
            after = (page[-1].at, page[-1].run_id, page[-1].document_id)
    assert sorted(seen) == [*(f"D{number}" for number in range(7)), "D9"]
    assert {one.document_id for one in on_desk(document_type="ORD")} == {"D1", "D3", "D5"}
    assert {one.document_id for one in on_desk(reason=Reason.UNDECODABLE)} == {"D9"}
    assert {one.document_id for one in on_desk(step="detect")} == {"D9"}
    assert {one.document_id for one in on_desk(service="PNEU")} == {"D9"}
    assert len(on_desk(check_name="text_unchanged")) == 7
    assert not on_desk(check_name="residual_email")
    assert not on_desk(check_name="text_unchanged", service="PNEU")
    assert len(on_desk(interval_key="2026-03-02")) == 8
    assert not on_desk(interval_key="2026-03-03")
    now = on_desk()[0].at
    assert not on_desk(before=now - timedelta(days=7))
    assert len(on_desk(since=now - timedelta(days=7))) == 8


def test_the_story_of_a_document_is_told_in_order(held: Database) -> None:
    decided(Choice.RELEASE)
    night("second", NIGHT + DAY)
    with steward_cursor() as cursor:
        kinds = [(event.kind, event.what) for event in quarantine.document_history(cursor, "D1")]
        (entry,) = held.rows("SELECT min(run_id) FROM deid.quarantine")
        checks = quarantine.failed_checks(cursor, entry[0], "D1")
    assert kinds == [("quarantine", "unchanged"), ("choice", "release"), ("state", "published")]
    assert (checks[0].check, checks[0].severity, checks[0].observed) == ("text_unchanged", "critical", 1.0)


def test_a_correction_settles_what_its_former_version_left(held: Database) -> None:
    put(held, "D1", LETTER, at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert not on_desk()
    assert [one.document_id for one in on_desk(Standing.SETTLED)] == ["D1"]


TOKEN = "TW1lIEphY3F1ZWxpbmUgQmF5bGU="
ENCODED = f"{LETTER}\nJeton {TOKEN} du courrier.\n"


def on_bench(marks: Sequence[Mention] = (), actor: str = "référente") -> Workbench:
    """The workbench of the one document that waits."""
    (held,) = on_desk()
    return open_workbench(actor, held, load(None), marks, sees_source=True)


def test_what_a_person_marks_is_hidden_by_the_next_night_and_joins_the_annotated_documents(hospital: Database) -> None:
    put(hospital, "D1", ENCODED)
    night("first")
    assert [one.reason for one in on_desk()] == [Reason.RESIDUAL_PATTERN]
    bench = on_bench()
    assert [check.name for check in bench.held_by] == ["residual_encoded"]
    shown = bench.candidate.substitution.text
    assert [shown[start:end] for start, end in bench.places["residual_encoded"]] == [TOKEN.rstrip("=")]
    marks = bench.mark_text(Label.ID, TOKEN.rstrip("="))
    assert [bench.original.text[mark.start : mark.end] for mark in marks] == [TOKEN.rstrip("=")]
    assert on_bench(marks).held_by == ()
    with steward_cursor() as cursor:
        (held,) = on_desk()
        entry = (held.run_id, held.document_id)
        assert record_choice(cursor, "référente", Choice.RETRY, [entry], marked=Marked(marks, read=True)).done
    night("second", NIGHT + DAY)
    assert states(hospital) == {"D1": "published"}
    ((published,),) = hospital.rows("SELECT text FROM research.document", role="researcher")
    assert TOKEN[:-1] not in published
    assert "du courrier." in published
    refusals: list[NocturneError] = []
    with steward_cursor() as cursor:
        (record,) = gold_records(cursor, "apprentissage", refusals)
    assert refusals == []
    found = {record["text"][one["start"] : one["end"]]: one["label"] for one in record["mentions"]}
    assert found[TOKEN.rstrip("=")] == "ID"
    assert len(found) > 3  # what the run found is there too
    details = "SELECT details -> 'marks', details -> 'read' FROM deid.audit WHERE action = 'retry'"
    assert hospital.rows(details) == [(1, True)]


def test_marks_hold_for_their_content_until_they_are_taken_back(hospital: Database) -> None:
    put(hospital, "D1", ENCODED)
    night("first")
    marks = on_bench().mark_text(Label.ID, TOKEN.rstrip("="))
    (held,) = on_desk()
    entry = (held.run_id, held.document_id)
    with steward_cursor() as cursor:
        record_choice(cursor, "référente", Choice.RETRY, [entry], marked=Marked(marks))
        assert undo_choice(cursor, "référente", entry)
        record_choice(cursor, "référente", Choice.RETRY, [entry])
    night("second", NIGHT + DAY)
    assert states(hospital) == {"D1": "quarantined"}
    with steward_cursor() as cursor:
        (held,) = on_desk()
        record_choice(cursor, "référente", Choice.RETRY, [(held.run_id, "D1")], marked=Marked(marks))
    put(hospital, "D1", ENCODED.replace("Jeton", "Le jeton"), at=NIGHT + 2 * DAY)
    night("third", NIGHT + 2 * DAY)
    assert states(hospital) == {"D1": "quarantined"}  # marks of the former version
    with steward_cursor() as cursor:
        assert not list(gold_records(cursor, "apprentissage", []))


def test_segments_are_both_texts_and_marks_extend_to_what_is_replaced(hospital: Database) -> None:
    put(hospital, "D1", ENCODED.replace("\n", "\r\n"))
    night("first")
    bench = on_bench()
    pieces = list(bench.segments())
    assert "".join(one.text for one in pieces) == bench.candidate.substitution.text
    assert "".join(one.source for one in pieces) == bench.original.text
    for one in pieces:
        assert bench.original.text[one.source_start : one.source_start + len(one.source)] == one.source
        assert (one.label is None) == (one.text == one.source)
    place = next(one for one in pieces if one.places)
    assert place.text == TOKEN.rstrip("=")
    (mark,) = bench.mark(Label.ID, place.start - 2, place.start + 3, in_source=False, everywhere=False)
    assert bench.original.text[mark.start : mark.end] == "n TW1"
    again = on_bench([mark])
    (whole,) = again.mark(Label.ID, mark.start - 3, mark.end + 1, in_source=True, everywhere=True)
    assert bench.original.text[whole.start : whole.end] == "eton TW1l"
    numbered = [(one.mark, one.source) for one in on_bench([whole]).segments() if one.mark]
    assert numbered == [(1, "eton TW1l")]
    first = next(one for one in pieces if one.label)
    for label, where, why in (
        (Label.ID, (first.start, first.start + 1), "replaced"),
        (Label.ID, (5, 5), "bad_place"),
        (None, (place.start, place.start + 4), "no_label"),
    ):
        with pytest.raises(ReviewRefused) as refused:
            bench.mark(label, *where, in_source=False, everywhere=False)
        assert refused.value.why == why
    with pytest.raises(ReviewRefused):
        bench.mark_text(Label.ID, "introuvable")
