"""An evaluation of a release: numbers of the ledger that hold no text, and that researchers never see."""

from __future__ import annotations

import json
import logging
import shutil
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from airflow.sdk.exceptions import AirflowSkipException
from markupsafe import escape
from nocturne_airflow import launch
from psycopg2.errors import InsufficientPrivilege

from deid.config.settings import settings
from deid.database.queries import SQL
from deid.domain.document import Document
from deid.domain.errors import InputRefused, PolicyError
from deid.ledger import models
from deid.models import FOLDER
from deid.reports import gather, render
from deid.reports.annex import gather_annex, write_annex
from deid.reports.numbers import Writer
from deid.reports.wording import WORDING
from deid.stewardship.exports import export_tables
from nocturne_lab.evaluation import released
from nocturne_lab.evaluation.attacks.membership import LEAST
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.hospital.evaluations import draw_sample, read_codes, read_filing
from nocturne_lab.learning import registry
from tests.conftest import Database
from tests.database.warehouse import light
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put
from tests.lab.evaluation.test_second_opinion import said, served

KEY, RUN = "2026-03-02", "manual__2026-03-03"
ORIGINALS = ("VASSEROT", "Maëlys", "BROUSTET", "Célestin", "Dijon", "P000001", "S000001", "14/05/1961", "letter0")


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """Two patients with two documents each, published."""
    open_hospital(deployed)
    light.decide(monkeypatch, tmp_path)
    for number in range(2):
        put(deployed, f"letter{number}", LETTER + f"\nSuites simples, {number + 1}e lettre.\n")
        put(deployed, f"page{number}", f"{PAGE}<p>{number}</p>", patient="P000002", format="text/html")
    night("first")
    return deployed


def evaluate(size: int = 400) -> None:
    released.choose(KEY, size)
    for step in (released.attack, released.utility):
        step(KEY, size, RUN)


def test_what_is_attacked_is_what_researchers_read(hospital: Database) -> None:
    assert released.choose(KEY, 400) == {"documents": 4, "runs": 1, "runs_left_out": 0}
    ((run_id,),) = hospital.rows("SELECT run_id FROM deid.run")
    sample = released.republish(draw_sample(KEY, [run_id], 400))
    read = hospital.rows("SELECT text FROM research.document", role="researcher")
    assert sorted(one.substitution.text for one in sample) == sorted(text for (text,) in read)
    assert {one.document.text for one in sample}.isdisjoint(one.substitution.text for one in sample)


def test_only_numbers_are_kept_and_researchers_see_none(hospital: Database) -> None:
    evaluate()
    before = hospital.rows("SELECT * FROM deid.evaluation ORDER BY measure")
    evaluate()
    assert hospital.rows("SELECT * FROM deid.evaluation ORDER BY measure") == before, "a repeated step writes nothing"
    rows = hospital.rows("SELECT measure, value, low, high, n FROM deid.evaluation", role="steward")
    found = {measure: (value, low, high, n) for measure, value, low, high, n in rows}
    assert {"attack.chance", "attack.text", "attack.person", "attack.dates", "utility.constraints_kept"} <= set(found)
    assert found["attack.chance"][0] == 0.5
    assert found["attack.text"][0] == 1, "the clinical words of two different letters tell them apart"
    assert all(0 <= low <= value <= high <= 1 for value, low, high, _ in found.values() if low is not None)
    assert found["attack.text"][1] < 0.2, "two patients prove little"
    told = str(hospital.rows("SELECT e::text FROM deid.evaluation AS e"))
    assert not [word for word in ORIGINALS if word in told]
    for role in ("researcher", "reader", "publisher", "worker", "refresher"):
        with pytest.raises(InsufficientPrivilege):
            hospital.rows("SELECT 1 FROM deid.evaluation", role=role)
    for role in ("steward", "researcher", "publisher"):
        with pytest.raises(InsufficientPrivilege):
            hospital.rows("INSERT INTO deid.evaluation SELECT * FROM deid.evaluation", role=role)


def test_times_and_types_of_stays_are_attacked(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_hospital(deployed)
    light.decide(monkeypatch, tmp_path)
    told = "Arrivée à {}h12, électrocardiogramme à {}h25, scanner à {}h48."
    put(deployed, "letter", f"{LETTER}\n{told.format(8, 9, 11)}\n")
    page = PAGE.replace("</body>", f"<p>{told.format(14, 15, 20)}</p></body>")
    put(deployed, "page", page, patient="P000002", format="text/html", type_code="CS", loinc_code="11488-4")
    night("first")
    assert read_filing(["letter", "page", "never met"]) == {
        "letter": ("S000001", "CRH", "34105-7"), "page": ("S000002", "CS", "11488-4"),
    }  # fmt: skip
    released.attack(KEY, 400, RUN)
    rows = "SELECT measure, value, low, high, n FROM deid.evaluation WHERE measure LIKE 'attack.known_t%' ORDER BY 1"
    found = {measure: (value, n) for measure, value, low, high, n in deployed.rows(rows) if low < value <= high}
    assert found == {f"attack.known_{what}": (1, 2) for what in ("times", "types", "types_all")}
    annex = write_annex(gather_annex(KEY))
    for measure in found:
        assert escape(WORDING["en"][f"evaluation_{measure}"]) in render(gather(KEY), "en")
        assert f"| {WORDING['fr'][f'evaluation_{measure}']} | 100" in annex


def test_a_second_reader_sees_published_texts_alone(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text for (text,) in hospital.rows("SELECT text FROM research.document", role="researcher")]
    with served(lambda _: said("Suites")) as (url, asked):
        monkeypatch.setenv("NOCTURNE_SECOND_OPINION_URL", url)
        monkeypatch.setenv("NOCTURNE_SECOND_OPINION_MODEL", "petit")
        settings.cache_clear()
        released.attack(KEY, 400, RUN)
    assert sorted(question["messages"][1]["content"] for question in asked) == sorted(texts)
    rows = hospital.rows("SELECT measure, value, n FROM deid.evaluation WHERE measure LIKE 'opinion.%' ORDER BY 1")
    assert [(measure, value, n) for measure, value, n in rows if measure != "opinion.named"] == [
        ("opinion.left", 0.5, 4), ("opinion.unread", 0, 4),
    ]  # fmt: skip
    assert escape(WORDING["fr"]["evaluation_opinion.left"]) in render(gather(KEY), "fr")


def test_the_codes_of_stays_are_those_of_the_source(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def coding(run: str) -> dict[str, tuple[float, int]]:
        released.utility(KEY, 400, run)
        rows = hospital.rows("SELECT measure, value, n FROM deid.evaluation WHERE run = %s", (run,))
        return {measure: (value, n) for measure, value, n in rows if measure.startswith("utility.coding")}

    assert coding("none") == {"utility.coding_few": (0, 0)}
    hospital.rows("INSERT INTO cdw.diagnosis VALUES ('S000001', 2, 'I10', ''), ('S000001', 1, 'I501', '')")
    told = read_codes(["letter0", "page0", "never met"])
    assert told == {"letter0": ("S000001", ("I501", "I10"))}
    assert coding("few") == {"utility.coding_few": (0, 1)}
    assert not [word for word in ("I501", "S000001") if word in str(hospital.rows("SELECT * FROM deid.evaluation"))]
    assert escape(WORDING["fr"]["evaluation_utility.coding_few"]) in render(gather(KEY), "fr")
    own = tmp_path / "sources" / "ehop"
    shutil.copytree(SQL / "sources" / "ehop", own, ignore=shutil.ignore_patterns("codes.sql"))
    monkeypatch.setenv("NOCTURNE_SOURCES", str(own.parent))
    settings.cache_clear()
    assert coding("without") == {"utility.coding_no_codes": (0, 0)}


def test_the_report_and_the_exports_show_it(hospital: Database) -> None:
    assert WORDING["en"]["evaluation_none"] in render(gather(KEY), "en")
    evaluate()
    figures = gather(KEY)
    for lang in ("fr", "en"):
        page = render(figures, lang)
        assert WORDING[lang]["evaluation_attack.person"] in page
        told = WORDING[lang]["evaluation_wide"].format(widest=Writer(lang).percent(0.3, 0))
        assert escape(told) in page, "two patients"
        assert WORDING[lang]["evaluation_plot"] not in page
    assert "attack.person" in str(export_tables(figures, "fr")["evaluation"])
    hospital.rows("UPDATE deid.evaluation SET low = value * 0.9, high = value * 0.9 + 0.1")
    page = render(gather(KEY))
    assert page.count("<circle") == 1
    assert WORDING["fr"]["evaluation_plot"] in page


@pytest.mark.usefixtures("hospital")
def test_a_sample_of_one_patient_is_said_to_have_no_attack() -> None:
    size = 2
    assert released.choose(KEY, size)["documents"] == size
    assert released.attack(KEY, size, RUN) == {"documents": size, "measures": 1}, "why there is no membership"
    released.utility(KEY, size, RUN)
    for lang in ("fr", "en"):
        page = render(gather(KEY), lang)
        assert escape(WORDING[lang]["evaluation_one_patient"]) in page
        assert escape(WORDING[lang]["evaluation_wide"].format(widest=Writer(lang).percent(0.3, 0))) not in page


@pytest.mark.usefixtures("hospital")
def test_the_log_says_how_far_a_step_is_and_no_word_of_a_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(released, "_BATCH", 3)
    with caplog.at_level(logging.INFO):
        released.attack(KEY, 400, RUN)
    said = [record.getMessage() for record in caplog.records]
    assert "3 of 4 documents reopened and drawn again" in said
    assert "4 of 4 documents reopened and drawn again" in said
    assert any(line.startswith("attack 8 of 8") for line in said)
    assert not [word for word in ORIGINALS if word in "\n".join(said)]


def test_the_plot_has_a_point_for_each_interval_that_was_evaluated(hospital: Database) -> None:
    put(hospital, "later", LETTER + "\nRevue ensuite.\n", at=NIGHT + DAY)
    put(hospital, "paged", f"{PAGE}<p>ensuite</p>", patient="P000002", format="text/html", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    keys = [key for (key,) in hospital.rows("SELECT DISTINCT interval_key FROM deid.run ORDER BY 1")]
    assert keys[0] == KEY
    for key in keys:
        for step in (released.attack, released.utility):
            step(key, 400, RUN)
    hospital.rows("UPDATE deid.evaluation SET low = value * 0.9, high = value * 0.9 + 0.1")
    page = render(gather(keys[1]))
    assert page.count("<circle") == 2
    hospital.rows(
        "UPDATE deid.evaluation SET low = 0, high = 1 WHERE release_id = (SELECT min(release_id) FROM deid.evaluation)"
    )
    assert render(gather(keys[1])).count("<circle") == 1, "an interval too wide has no point"


def test_the_sample_is_of_whole_patients_in_no_order_of_theirs(hospital: Database) -> None:
    ((run_id,),) = hospital.rows("SELECT run_id FROM deid.run")
    order = [[one.document_id for one in draw_sample(KEY, [run_id], size)] for size in (2, 4)]
    assert order[0] == order[1][:2]
    assert {name[:4] for name in order[0]} in ({"lett"}, {"page"})


def membership(hospital: Database, run: str) -> dict[str, tuple[float, float | None, float | None, int]]:
    """Attack for a run, and return its rows on membership."""
    released.attack(KEY, 400, run)
    found = hospital.rows("SELECT measure, value, low, high, n FROM deid.evaluation WHERE run = %s", (run,))
    return {row[0]: row[1:] for row in found if row[0].startswith("attack.membership")}


def test_a_model_of_the_hospital_is_asked_whom_it_learned_from(
    deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_hospital(deployed)
    light.decide(monkeypatch, tmp_path)
    path = tmp_path / "policy.yaml"
    own = "{name: identity}, {name: crf, options: {model: registry}}]"
    path.write_text(path.read_text().replace("{name: identity}]", own), encoding="utf-8")
    settings.cache_clear()
    for number in range(LEAST):
        put(deployed, f"letter{number}", LETTER + f"\nSuites simples, {number + 1}e lettre.\n")
        put(deployed, f"page{number}", f"{PAGE}<p>{number}</p>", patient="P000002", format="text/html")
    night("first")
    assert membership(deployed, "shipped") == {"attack.membership_no_model": (0, None, None, 0)}
    model = tmp_path / "crf"
    shutil.copytree(FOLDER / "crf", model, ignore=shutil.ignore_patterns("README.md"))
    manifest = json.loads((model / "model.json").read_text())
    (model / "model.json").write_text(json.dumps(manifest | {"temperature": 2.0}))
    digest = registry.register(model, "alice")
    registry.compare(digest, [GoldDocument(Document("x", LETTER), (), "")])
    models.promote_model(digest, "alice", "relu sur cent lettres")
    assert membership(deployed, "unrecorded") == {"attack.membership_unrecorded.crf": (0, None, None, 0)}
    assert escape(WORDING["fr"]["evaluation_attack.membership_unrecorded"] + " – crf") in render(gather(KEY), "fr")
    learned = {f"letter{number}" for number in range(LEAST)}
    assert registry.register(model, "alice", learned=learned - {"letter0"} | {"never met"}) == digest
    assert membership(deployed, "few") == {"attack.membership_few.crf": (0, None, None, LEAST - 1)}
    registry.register(model, "alice", learned=learned)
    found = membership(deployed, "attacked")
    assert set(found) == {f"attack.membership{name}.crf" for name in ("", "_advantage", "_chance")}
    for value, low, high, n in found.values():
        assert low is not None
        assert high is not None
        assert 0 <= low <= value <= high <= 1
        assert n == LEAST
    assert escape(WORDING["en"]["evaluation_attack.membership"] + " – crf") in render(gather(KEY), "en")


def test_what_cannot_be_drawn_again_is_refused(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputRefused, match="is published"):
        released.choose("2026-03-09", 400)
    with pytest.raises(InputRefused, match="no key"):
        released.choose("hier", 400)
    put(hospital, "letter0", LETTER, at=NIGHT + timedelta(days=1))  # corrected since: no longer what was published
    ((run_id,),) = hospital.rows("SELECT run_id FROM deid.run")
    assert len(released.republish(draw_sample(KEY, [run_id], 400))) == 3
    light.decide(monkeypatch, tmp_path, "{scope: document}")
    with pytest.raises(PolicyError, match="another version, policy"):
        released.choose(KEY, 400)


def test_a_release_is_evaluated_if_the_policy_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    light.decide(monkeypatch, tmp_path)
    by_release, by_hand = (SimpleNamespace(run_type=kind) for kind in ("asset_triggered", "manual"))
    launch.evaluation_wanted(by_hand)
    with pytest.raises(AirflowSkipException):
        launch.evaluation_wanted(by_release)
    path = tmp_path / "policy.yaml"
    path.write_text(path.read_text() + "release: {evaluate: true}\n", encoding="utf-8")
    settings.cache_clear()
    launch.evaluation_wanted(by_release)
