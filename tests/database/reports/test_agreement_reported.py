"""Documents of one patient that disagree, over nights: counted, shown, held back by a policy, stored without a name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from psycopg2.errors import InsufficientPrivilege

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.nightly import steps
from deid.publication.publish import make_visible, publish_interval
from deid.reports import gather, render
from deid.reports.wording import WORDING
from deid.stewardship.exports import export_figures
from deid.stewardship.releases import count_disagreeing, disagreeing_documents
from tests.conftest import Database
from tests.database.warehouse import light
from tests.database.warehouse.nights import night, process, reasons
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

FIRST, SECOND = "2026-03-02", "2026-03-03"


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    open_hospital(deployed)
    light.decide(monkeypatch, tmp_path)
    return deployed


def _second_night(hospital: Database, trigger: str = "second") -> dict[str, Any]:
    """A night whose drawing gives the patient another first name, of as many letters, than research has."""
    put(hospital, trigger, LETTER, at=NIGHT + DAY)
    (batch,) = steps.plan(interval_start=NIGHT + DAY, interval_end=NIGHT + 2 * DAY, triggered_by=trigger)
    for step in (steps.detect, steps.substitute):
        step(**batch_of(batch))
    name = _first_name(hospital)
    changed = "SELECT count(*) FROM deid.candidate WHERE text LIKE %s"
    assert hospital.rows(changed, (f"%{name}%",)) == [(1,)]  # the same patient, the same draw, whatever the night
    hospital.rows("UPDATE deid.candidate SET text = replace(text, %s, %s)", (name, name[0] + name[:0:-1]))
    steps.validate(**batch_of(batch))
    return steps.stage(steps.run_of(trigger))


def batch_of(batch: dict[str, int]) -> dict[str, int]:
    return {name: batch[name] for name in ("run_id", "batch_id")}


def _first_name(hospital: Database) -> str:
    ((text,),) = hospital.rows("SELECT text FROM research.document", role="researcher")
    found = re.search(r"Madame (\S+) \S+, née", text)
    assert found is not None
    return found[1]


def _counts(key: str) -> dict[str, tuple[int, int, int]]:
    rows = gather(key)["agreement"]
    return {row["kind"]: (row["stated"], row["violated"], row["documents_violated"]) for row in rows}


def test_a_document_that_disagrees_with_what_research_holds_is_counted_and_published(hospital: Database) -> None:
    put(hospital, "first", LETTER)
    night("first")
    agreed = _counts(FIRST)
    assert {kind: found[0] for kind, found in agreed.items()} == {
        **{"first_name": 1, "surname": 1, "birth_date": 3, "town": 1, "article": agreed["article"][0]},
        **({"sex": agreed["sex"][0]} if "sex" in agreed else {}),
    }
    assert not any(violated for _, violated, _ in agreed.values())
    assert _second_night(hospital)["staged"] == 1
    assert {kind: found[1:] for kind, found in _counts(SECOND).items() if found[1]} == {"first_name": (1, 1)}
    assert _counts(FIRST) == agreed  # what was published is right: the newcomer is wrong
    assert _shown(SECOND) == [("second", {"first_name": 1})]
    publish_interval(SECOND)
    make_visible("nightly")
    assert _shown(SECOND) == []
    with open_cursor("steward") as cursor:
        assert count_disagreeing(cursor, SECOND) == 1
    assert _shown(FIRST) == []


def test_the_policy_may_hold_it_back(hospital: Database, tmp_path: Path) -> None:
    put(hospital, "first", LETTER)
    night("first")
    policy = tmp_path / "policy.yaml"
    held = policy.read_text(encoding="utf-8").replace("quality: {", "quality: {patient_disagreement: hold, ")
    policy.write_text(held, encoding="utf-8")
    settings.cache_clear()
    assert _second_night(hospital)["quarantined"] == 1
    assert reasons(hospital) == {"second": ("stage", "patient_disagrees")}
    assert hospital.rows("SELECT count(*) FROM deid.candidate WHERE document_id = 'second'") == [(0,)]
    put(hospital, "third", LETTER, at=NIGHT + DAY)  # what agrees is not held
    assert process("third", NIGHT + DAY)["staged"] == 1


def test_documents_of_one_night_are_compared_whatever_their_batches_and_a_repeated_step_changes_nothing(
    hospital: Database,
) -> None:
    for number in range(3):
        put(hospital, f"letter{number}", f"{LETTER}\nExemplaire {number}.")
    batches = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night", batch_size=1)
    for batch in batches:
        steps.detect(**batch_of(batch))
        steps.substitute(**batch_of(batch))
    ((name,),) = hospital.rows(
        "SELECT (regexp_match(text, 'Madame (\\S+)'))[1] FROM deid.candidate WHERE document_id = 'letter1'"
    )
    hospital.rows(
        "UPDATE deid.candidate SET text = replace(text, %s, %s) WHERE document_id = 'letter1'",
        (name, name[0] + name[:0:-1]),
    )
    for batch in batches:
        steps.validate(**batch_of(batch))
    steps.stage(steps.run_of("night"))
    assert _shown(FIRST) == [("letter1", {"first_name": 1})]
    before = hospital.rows("SELECT document_id, agreement, said FROM deid.document ORDER BY 1")
    steps.stage(steps.run_of("night"))
    assert hospital.rows("SELECT document_id, agreement, said FROM deid.document ORDER BY 1") == before


def test_a_patients_documents_share_nothing_to_compare_under_the_scope_of_a_document(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    light.decide(monkeypatch, tmp_path, "{scope: document}")
    for number in range(2):
        put(hospital, f"letter{number}", f"{LETTER}\nExemplaire {number}.")
    night("night")
    assert set(_counts(FIRST)) <= {"sex", "article"}


def test_names_that_are_to_change_are_not_compared(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    light.decide(monkeypatch, tmp_path, "{repeated_names: changing}")
    put(hospital, "first", LETTER)
    night("night")
    assert {"birth_date", "town"} <= set(_counts(FIRST)) <= {"sex", "birth_date", "town", "article"}


def test_no_steward_publisher_or_researcher_reads_what_was_said_and_the_worker_reads_digests(
    hospital: Database,
) -> None:
    put(hospital, "first", LETTER)
    night("first")
    _second_night(hospital)
    ((text,),) = hospital.rows("SELECT text FROM research.document", role="researcher")
    for role in ("steward", "publisher", "researcher"):
        with pytest.raises(InsufficientPrivilege):
            hospital.rows("SELECT said FROM deid.document", role=role)
    kinds = {"first_name", "surname", "sex", "birth_date", "town", "article"}
    counted = hospital.rows("SELECT agreement FROM deid.document", role="publisher")
    assert all(set(one) <= kinds and all(map(_is_counts, one.values())) for (one,) in counted)
    stored = [one for (said,) in hospital.rows("SELECT said FROM deid.document", role="worker") for one in said]
    assert stored
    for kind, source, value, times in stored:
        assert kind in kinds
        assert re.fullmatch("[0-9a-f]{16}", source)
        assert re.fullmatch("[0-9a-f]{16}", value)
        assert times > 0
    pages = [render(gather(SECOND), lang) for lang in WORDING]
    seen = json.dumps([counted, stored, gather(SECOND)["agreement"], _shown(SECOND)]).lower()
    for word in (*_names(text), "vasserot", "maëlys"):
        assert word not in seen
        assert all(word not in page.lower() for page in pages)


def _names(text: str) -> list[str]:
    found = re.search(r"Madame (\S+) (\S+), née", text)
    assert found is not None
    return [found[1].lower(), found[2].lower()]


def _is_counts(counts: list[int]) -> bool:
    return len(counts) == 2 and all(isinstance(number, int) for number in counts)


def test_what_was_said_is_forgotten_with_the_text(hospital: Database) -> None:
    put(hospital, "first", LETTER)
    night("first")
    assert _said_of(hospital, "first")
    put(hospital, "first", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    night("correction", NIGHT + DAY)
    assert hospital.rows("SELECT state, said IS NULL FROM deid.document ORDER BY state") == [
        ("published", False),
        ("superseded", True),
    ]
    hospital.rows("DELETE FROM cdw.document", role="owner")
    process("withdrawal", NIGHT + 2 * DAY)
    publish_interval("2026-03-04")
    assert hospital.rows("SELECT count(*) FROM deid.document WHERE said IS NOT NULL") == [(0,)]


def _said_of(hospital: Database, name: str) -> object:
    ((said,),) = hospital.rows("SELECT said FROM deid.document WHERE document_id = %s", (name,))
    return said


def test_another_secret_is_another_draw_and_is_not_compared(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(hospital, "first", LETTER)
    night("first")
    former = settings().keyring.current.secret.hex()
    monkeypatch.setenv("NOCTURNE_SECRET", f"1:{former},2:{bytes(range(100, 132)).hex()}")
    settings.cache_clear()
    put(hospital, "second", LETTER, at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert not any(violated for _, violated, _ in _counts(SECOND).values())


def test_the_report_and_the_exports_say_it_in_words(hospital: Database) -> None:
    put(hospital, "first", LETTER)
    night("first")
    figures = gather(FIRST)
    figures["agreement"] = [
        {"kind": "town", "stated": 400, "violated": 13, "documents": 90, "documents_violated": 9},
    ]
    assert "Commune du patient" in render(figures, "fr")
    assert "3.25%" in render(figures, "en")
    assert export_figures(figures, "pdf", "fr").startswith(b"%PDF")
    figures["agreement"] = []
    for lang, words in WORDING.items():
        assert words["agreement_none"] in render(figures, lang)


def _shown(key: str) -> list[tuple[str, dict[str, int]]]:
    with open_cursor("steward") as cursor:
        found = disagreeing_documents(cursor, key)
    return [(one.document_id, dict(one.disagreements)) for one in found]
