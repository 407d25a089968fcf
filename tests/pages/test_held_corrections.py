"""A correction that is held back, and an opt-out that waits: what the pages say of what researchers read meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deid.config.settings import settings
from deid.database.connection import connect
from deid.publication.publish import make_visible, publish_interval
from deid.stewardship import opt_outs
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, put
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

LEAKING = LETTER.replace("Elle sort", "Au dos de la feuille : « позвонить Анне ».\nElle sort")
START = NIGHT + 14 * DAY
FIRST, SECOND = str(START.date()), str((START + DAY).date())


@pytest.fixture
def corrected(stewards: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """A document is published and read; its correction is held back, beside another document that is ready."""
    decide(monkeypatch, tmp_path)
    put(stewards, "D000050", at=START)
    process("published", START)
    publish_interval(FIRST)
    make_visible("nightly")
    put(stewards, "D000050", LEAKING, at=START + DAY)
    put(stewards, "D000051", LETTER + "\nAutre.", at=START + DAY)
    process("corrected", START + DAY)
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        patient = opt_outs.PatientKey(patient_id="P000001")
        opt_outs.record_opt_out(cursor, "intendante", patient, "courrier reçu")
    return stewards


def test_what_is_still_read_and_what_will_not_be_published_is_said(
    corrected: Database, visit: Callable[..., Page], server: Server
) -> None:
    ((run_id, document_id),) = corrected.rows(
        "SELECT run_id, document_id FROM deid.quarantine WHERE interval_key = %s", (SECOND,)
    )
    page = visit("referente")
    page.goto(f"{server.pages}/quarantine/{run_id}/{document_id}")
    told = page.get_by_text("les chercheurs lisent encore")
    expect(told).to_contain_text("Si c'est elle qui est en défaut")
    assert (told.get_by_role("link").get_attribute("href") or "").endswith(f"/releases/{FIRST}")
    assert violations(page) == []
    reader = visit("exploitant")
    reader.goto(page.url)
    expect(reader.get_by_text("Retirer la version publiée")).to_have_count(0)
    page.get_by_text("Retirer la version publiée").press("Enter")
    page.get_by_label("Motif").fill("des initiales y sont restées")
    page.get_by_role("button", name="Retirer de la recherche").press("Enter")
    expect(page.get_by_text("elle quitte la recherche à la prochaine publication")).to_be_visible()
    expect(page.get_by_role("button", name="Retirer de la recherche")).to_have_count(0)
    assert violations(page) == []
    page.goto(f"{server.pages}/releases/{SECOND}/decision")
    expect(page.get_by_role("main")).to_contain_text("Oppositions pas encore appliquées : 1")
    assert violations(page) == []
