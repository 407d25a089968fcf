"""Originals: read by the source's reader, only in the version that was judged, never without a line of the trail."""

from __future__ import annotations

from pathlib import Path

import pytest

from deid.config.settings import settings
from deid.domain.document import Mention
from deid.ledger import originals
from deid.ledger.originals import OriginalProblem, OriginalRefused
from tests.conftest import Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import oppose, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put, withdraw

BROKEN = "Compte rendu \udce9".encode("utf-8", "surrogateescape")


def fill(database: Database) -> None:
    open_hospital(database)
    put(database, "D1")
    put(database, "D2", BROKEN)
    process("night")


@pytest.fixture
def hospital(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    decide(monkeypatch, tmp_path)
    return deploy(fill)


def known(hospital: Database, document_id: str) -> tuple[int, str, str]:
    rows = hospital.rows(
        "SELECT run_id, document_id, content_hash FROM deid.document WHERE document_id = %s", (document_id,)
    )
    return rows[0]


def trail(hospital: Database) -> list[tuple]:
    return hospital.rows("SELECT actor, action, object, details ->> 'why' FROM deid.audit ORDER BY seq")


def test_an_original_comes_with_what_detection_found_and_a_line(hospital: Database) -> None:
    assert originals.read_original("référente", *known(hospital, "D1")).mentions == (), "neither held back nor sampled"
    hospital.rows(
        "INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)"
        " SELECT run_id, document_id, content_hash, 'validate', 'residual_identity' FROM deid.document"
        " WHERE document_id = 'D1'"
    )
    found = originals.read_original("référente", *known(hospital, "D1"))
    assert found.text == LETTER
    assert found.mentions
    assert all(isinstance(mention, Mention) for mention in found.mentions)
    assert any("VASSEROT" in found.text[mention.start : mention.end] for mention in found.mentions)
    assert trail(hospital) == [("référente", "read_original", "document D1", None)] * 2


def _objects(_: Database) -> None:
    oppose("P000001")


@pytest.mark.parametrize(
    ("document", "happens", "why"),
    [
        ("D2", lambda _: None, OriginalProblem.UNREADABLE),
        ("D1", lambda hospital: put(hospital, "D1", LETTER + "Addendum."), OriginalProblem.CHANGED),
        (
            "D1",
            lambda hospital: hospital.rows("DELETE FROM cdw.document WHERE document_id = 'D1'"),
            OriginalProblem.GONE,
        ),
        ("D1", lambda hospital: withdraw(hospital, "D1", NIGHT + DAY), OriginalProblem.WITHDRAWN),
        ("D1", _objects, OriginalProblem.WITHDRAWN),
    ],
    ids=["unreadable", "corrected", "deleted", "withdrawn", "objected"],
)
def test_what_was_not_judged_or_may_not_be_read_is_refused_and_recorded(
    hospital: Database, document: str, happens: object, why: OriginalProblem
) -> None:
    asked = known(hospital, document)
    happens(hospital)  # type: ignore[operator]
    with pytest.raises(OriginalRefused) as refused:
        originals.read_original("référente", *asked)
    assert refused.value.why is why
    assert "VASSEROT" not in str(refused.value)
    told = [line for line in trail(hospital) if line[0] == "référente"]
    assert told == [("référente", "refused", f"document {document}", why.value)]


def test_a_document_that_no_run_knows_is_unknown(hospital: Database) -> None:
    run_id, name, content_hash = known(hospital, "D1")
    for asked in ((run_id + 9, name, content_hash), (run_id, "D9", content_hash), (run_id, name, "0" * 64)):
        with pytest.raises(OriginalRefused) as refused:
            originals.read_original("référente", *asked)
        assert refused.value.why is OriginalProblem.UNKNOWN


def test_a_server_without_access_to_the_source_says_so(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = known(hospital, "D1")
    monkeypatch.delenv("NOCTURNE_READER_DSN")
    settings.cache_clear()
    with pytest.raises(OriginalRefused) as refused:
        originals.read_original("référente", *asked)
    assert refused.value.why is OriginalProblem.NOT_CONFIGURED
    assert trail(hospital) == []
