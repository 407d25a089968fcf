"""A night on a small hospital and a real PostgreSQL, through the steps that Airflow calls."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from socket import gethostname

import pytest

from deid.config.settings import settings
from deid.detection import Detector
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, NocturneError, PolicyError, ReleaseRefused, SettingsError
from deid.nightly import runtime, steps
from deid.publication.publish import make_visible, publish_interval, staged_digest
from tests import ROOT
from tests.conftest import Database, Deploy
from tests.database.warehouse.nights import fingerprint, night, process, published, reasons, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw
from tests.unit import traps

KEY = "2026-03-02"
ENGLISH = """The patient was admitted to the hospital with chest pain and was seen by the team on the ward. She had not
been well for three weeks and was given a treatment that she did not take. He will be seen again in the clinic."""
ORIGINALS = (
    "VASSEROT",
    "Maëlys",
    "QUILLEC",
    "BROUSTET",
    "Célestin",
    "TREGUIER",
    "14/05/1961",
    "03 80 11 22 33",
    "Lilas",
)


def put_two(database: Database) -> None:
    open_hospital(database)
    put(database, "letter")
    hour = NIGHT + timedelta(hours=1)
    put(database, "page", PAGE, patient="P000002", format="text/html", title="Consultation", at=hour)


def stage_two(database: Database) -> None:
    put_two(database)
    process("first")


def publish_two(database: Database) -> None:
    put_two(database)
    night("first")


@pytest.fixture
def hospital(deploy: Deploy) -> Database:
    """A hospital of a letter and a page."""
    return deploy(put_two)


@pytest.fixture
def staged(deploy: Deploy) -> Database:
    """The same after its night, before anything is published."""
    return deploy(stage_two)


@pytest.fixture
def shown(deploy: Deploy) -> Database:
    """The same once researchers read it."""
    return deploy(publish_two)


def test_a_night_publishes_what_it_can_prove_and_nothing_of_the_originals(hospital: Database) -> None:
    staged = process("night")
    assert {name: staged[name] for name in ("interval_key", "seen", "planned", "staged", "quarantined")} == {
        "interval_key": KEY,
        "seen": 2,
        "planned": 2,
        "staged": 2,
        "quarantined": 0,
    }, reasons(hospital)
    release = publish_interval(KEY)
    assert (release["published"], release["replaced"], release["withdrawn"]) == (2, 0, 0)
    assert published(hospital) == []  # until what researchers read is written again
    make_visible("weekly")
    rows = published(hospital)
    assert len(rows) == 2
    everything = json.dumps(rows, default=str, ensure_ascii=False)
    assert not [value for value in (*ORIGINALS, '"letter"', '"page"', '"P000001"', '"S000001"') if value in everything]
    assert "bisoprolol 2,5 mg" in everything
    assert states(hospital) == {"letter": "published", "page": "published"}


def test_the_page_keeps_its_structure_and_the_letter_has_none(shown: Database) -> None:
    pages = dict(shown.rows("SELECT document_type, NULL FROM deid.published_document"))
    assert pages == {"CRH": None}
    markups = [row[0] for row in shown.rows("SELECT markup FROM deid.published_document ORDER BY markup NULLS LAST")]
    assert markups[1] is None
    assert "<h1>" in markups[0]
    assert "<title>" not in markups[0]


def test_ids_are_pseudonyms_shared_by_the_documents_of_a_patient(hospital: Database) -> None:
    put(hospital, "second", LETTER + "\nSuites simples.")
    night("night")
    counts = "SELECT count(*), count(DISTINCT patient_id), count(DISTINCT stay_id) FROM deid.published_document"
    assert hospital.rows(counts) == [(3, 2, 2)]
    assert hospital.rows("SELECT count(*) FROM research.note WHERE person_id > 0", role="researcher") == [(3,)]


def test_every_row_says_where_it_comes_from_and_text_in_waiting_is_erased(shown: Database) -> None:
    assert shown.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    stamps = shown.rows(
        "SELECT DISTINCT policy_hash, detector_version, reference_versions FROM deid.published_document"
    )
    assert stamps == [(runtime.policy().digest, runtime.detector().version, runtime.reference_versions())]
    assert shown.rows("SELECT count(*) > 8 FROM deid.mention") == [(True,)]
    assert shown.rows("SELECT count(DISTINCT document_id) FROM deid.budget") == [(2,)]
    assert shown.rows("SELECT count(*) > 10 AND bool_and(success) FROM deid.check_result") == [(True,)]
    steps = shown.rows(
        "SELECT step, documents, characters > 700, peak_rss_mb > 10 FROM deid.timing ORDER BY batch_id, step"
    )
    whole, batch = ("plan", "publish"), ("detect", "substitute", "validate")
    assert steps == [(step, 2, False, True) for step in whole] + [(step, 2, True, True) for step in batch]


def test_the_staff_of_the_source_are_known_to_detection(hospital: Database) -> None:
    put(hospital, "bare", LETTER + "\nRelu treguier yann ce matin.")
    night("night")
    votes = hospital.rows("SELECT votes FROM deid.mention WHERE document_id = 'bare' AND label = 'DOCTOR'")
    assert any(["identity", "DOCTOR", 0.97] in found for (found,) in votes)


def test_every_step_can_be_repeated_and_writes_nothing(hospital: Database) -> None:
    run_id = process("night", batch_size=1)["run_id"]
    all_steps = [steps.detect, steps.substitute, steps.validate]
    before = fingerprint(hospital)
    assert [step(run_id, 1) for step in all_steps] == [
        {"run_id": run_id, "batch_id": 1, "documents": 1, "staged": 1}
    ] * 3
    summary = steps.stage(run_id)
    assert fingerprint(hospital) == before
    assert summary == steps.stage(run_id)
    release = publish_interval(KEY)
    before = fingerprint(hospital)
    assert publish_interval(KEY) == release
    assert steps.stage(run_id)["staged_digest"] == summary["staged_digest"]
    assert [step(run_id, 1)["published"] for step in all_steps] == [1, 1, 1]
    assert fingerprint(hospital) == before


def test_the_same_interval_again_publishes_nothing_twice(shown: Database) -> None:
    rows = shown.rows("SELECT xmin::text, t::text FROM deid.published_document AS t ORDER BY 2")
    again = process("again")
    assert (again["planned"], again["staged"]) == (0, 0)
    release = publish_interval(KEY)
    assert (release["published"], release["replaced"], release["withdrawn"]) == (0, 0, 0)
    assert shown.rows("SELECT xmin::text, t::text FROM deid.published_document AS t ORDER BY 2") == rows


def test_a_correction_replaces_and_a_withdrawal_removes(shown: Database) -> None:
    before = {row[0]: row for row in published(shown)}
    put(shown, "letter", LETTER.replace("bisoprolol 2,5 mg", "bisoprolol 5 mg"), at=NIGHT + DAY)
    withdraw(shown, "page", NIGHT + DAY)
    release = night("second", NIGHT + DAY)
    assert (release["published"], release["replaced"], release["withdrawn"]) == (1, 1, 1)
    (corrected,) = published(shown)
    assert corrected[0] in before
    assert "bisoprolol 5 mg" in corrected[6]
    assert corrected[6] == before[corrected[0]][6].replace("bisoprolol 2,5 mg", "bisoprolol 5 mg")
    assert states(shown) == {"letter": "published", "page": "withdrawn"}


def test_a_night_of_withdrawals_alone_removes_them(shown: Database) -> None:
    withdraw(shown, "page", NIGHT + DAY)
    shown.rows("DELETE FROM cdw.document WHERE document_id = 'letter'")
    staged = process("second", NIGHT + DAY)
    assert (staged["staged"], staged["withdrawn"]) == (0, 2)
    assert publish_interval("2026-03-03")["withdrawn"] == 2
    assert published(shown) == []


def test_what_is_withdrawn_while_it_waits_for_approval_is_not_published(staged: Database) -> None:
    withdraw(staged, "page", NIGHT + DAY)
    process("second", NIGHT + DAY)
    assert publish_interval(KEY)["published"] == 1
    assert states(staged)["page"] == "withdrawn"
    assert staged.rows("SELECT count(*) FROM deid.candidate") == [(0,)]


def test_an_older_version_approved_late_does_not_come_back(staged: Database) -> None:
    put(staged, "letter", LETTER.replace("2,5 mg", "5 mg"), at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert publish_interval(KEY)["published"] == 1  # the page; the letter was overtaken
    (text,) = staged.rows("SELECT text FROM deid.published_document WHERE text LIKE '%%bisoprolol%%'")
    assert "bisoprolol 5 mg" in text[0]


def test_a_document_back_in_its_first_version_is_published_again(shown: Database) -> None:
    first = published(shown)
    put(shown, "letter", LETTER.replace("2,5 mg", "5 mg"), at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    put(shown, "letter", at=NIGHT + 2 * DAY)
    assert night("third", NIGHT + 2 * DAY)["replaced"] == 1
    assert published(shown) == first


def test_each_bad_document_has_its_own_reason_and_the_rest_go_on(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_MAX_DOCUMENT_BYTES", "20000")
    settings.cache_clear()
    put(hospital, "empty", "")
    put(hospital, "only_markup", "<html><body><p> </p></body></html>", format="text/html")
    put(hospital, "undecodable", b"Compte rendu \xff\xfe\xe9\x80 illisible" * 5, charset="utf-8")
    put(hospital, "too_large", LETTER * 60)
    put(hospital, "a_picture", b"\x89PNG", format="image/png")
    put(hospital, "nobody", patient=None)
    put(hospital, "english", ENGLISH)
    release = night("night", batch_size=4)
    assert reasons(hospital) == {
        "empty": ("detect", "empty"),
        "only_markup": ("detect", "empty"),
        "undecodable": ("detect", "undecodable"),
        "too_large": ("detect", "too_large"),
        "a_picture": ("detect", "scanned"),
        "nobody": ("detect", "no_patient"),
        "english": ("detect", "not_french"),
    }
    assert release["published"] == 2
    assert hospital.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    assert process("again")["planned"] == 0


class _Brittle(Detector):
    """A detector that one document breaks, with an error that quotes it."""

    def detect(self, documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
        for document in documents:
            if document.id == "breaks":
                raise RuntimeError(document.text)
        return super().detect(documents)


def test_a_document_that_breaks_a_step_is_set_apart_and_not_quoted(
    hospital: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    put(hospital, "breaks")
    brittle = _Brittle(runtime.policy())
    monkeypatch.setattr(runtime, "detector", lambda *_: brittle)
    with caplog.at_level(logging.DEBUG):
        release = night("night")
    assert release["published"] == 2
    assert reasons(hospital) == {"breaks": ("detect", "detection_failed")}
    assert "RuntimeError" in caplog.text
    assert not [value for value in ORIGINALS if value in caplog.text]


def test_a_step_that_fails_says_where_and_quotes_nothing(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")

    def fail(*_: object) -> None:
        raise RuntimeError(LETTER)

    monkeypatch.setattr(runtime, "detector", fail)
    with pytest.raises(NocturneError, match=r"detect failed: RuntimeError at test_nightly\.py:\d+") as caught:
        steps.detect(batch["run_id"], batch["batch_id"])
    assert "VASSEROT" not in "".join(traceback.format_exception(caught.value))
    assert set(states(hospital).values()) == {"planned"}


def test_a_title_that_names_the_patient_is_not_published(hospital: Database) -> None:
    put(hospital, "named", LETTER + "\nFin.", title="Courrier concernant Mme VASSEROT Maëlys")
    night("night")
    titles = {row[0] for row in hospital.rows("SELECT title FROM deid.published_document")}
    assert titles == {"Compte rendu d'hospitalisation", "Consultation", None}


def test_what_changed_between_plan_and_step_is_left_to_a_later_run(hospital: Database) -> None:
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    put(hospital, "letter", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    hospital.rows("DELETE FROM cdw.document WHERE document_id = 'page'")
    assert steps.detect(batch["run_id"], 1) == {**batch, "superseded": 1, "withdrawn": 1}
    assert steps.stage(batch["run_id"])["staged"] == 0
    assert night("next", NIGHT + DAY)["published"] == 1


@pytest.mark.usefixtures("hospital")
def test_an_interval_is_not_staged_before_every_batch_is_validated() -> None:
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    steps.detect(batch["run_id"], 1)
    with pytest.raises(ReleaseRefused, match="2 documents have not been validated"):
        steps.stage(batch["run_id"])
    with pytest.raises(ReleaseRefused, match="nothing is staged"):
        publish_interval(KEY)


def test_only_what_was_approved_is_published(hospital: Database) -> None:
    digest = process("night")["staged_digest"]
    assert staged_digest(KEY) == digest
    put(hospital, "more", LETTER + "\nEncore.")
    process("more")
    with pytest.raises(ReleaseRefused, match="no longer what was approved"):
        publish_interval(KEY, {"staged_digest": digest})
    assert published(hospital) == []
    assert publish_interval(KEY, {"staged_digest": staged_digest(KEY)})["published"] == 3


def test_a_later_run_takes_the_place_of_what_an_earlier_one_staged(
    staged: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _change_policy(tmp_path, monkeypatch)
    second = process("second")
    assert staged.rows("SELECT state FROM deid.run ORDER BY run_id") == [("superseded",), ("staged",)]
    release = publish_interval(KEY)
    assert (release["run_ids"], release["published"]) == ([second["run_id"]], 2)


def test_a_policy_changed_in_the_middle_of_a_run_is_noticed(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    _change_policy(tmp_path, monkeypatch)
    ((planned, key),) = hospital.rows("SELECT pipeline_version, key_fingerprint FROM deid.run")
    with pytest.raises(PolicyError, match="planned with another") as refusal:
        steps.detect(batch["run_id"], 1)
    here = runtime.pipeline_version()
    assert f"{planned} {key}, on {gethostname()} {here} {key}" in str(refusal.value)
    differs = [one != other for one, other in zip(planned.split("-"), here.split("-"), strict=True)]
    assert differs[:3] == [False, True, False], "version, policy, detector"
    assert set(states(hospital).values()) == {"planned"}


def test_other_code_under_one_version_is_refused_and_named(hospital: Database, tmp_path: Path) -> None:
    """A second worker has a copy of the library; the same files are the same code, one line more is another."""
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    ((planned,),) = hospital.rows("SELECT code_digest FROM deid.run")
    for name in ("deid", "sql"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))

    def there(code: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    asked = "from deid.nightly.code import code_digest; print(code_digest())"
    assert there(asked).stdout.strip() == planned
    with (tmp_path / "deid" / "pipeline.py").open("a") as changed:
        changed.write("# one line more\n")
    other = there(asked).stdout.strip()
    said = there(f"from deid.nightly import steps; steps.detect({batch['run_id']}, 1)")
    assert said.returncode == 1
    assert f"by other code than this process has, under one version: {planned[:16]}, on {gethostname()}" in said.stderr
    assert other[:16] in said.stderr
    assert set(states(hospital).values()) == {"planned"}
    hospital.rows("UPDATE deid.run SET code_digest = ''")  # from before it was kept
    assert steps.detect(batch["run_id"], 1)["detected"] == 2


def test_a_moved_threshold_does_not_redo_documents(
    shown: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _change_policy(tmp_path, monkeypatch, "max_quarantined_share: 0.2", "max_quarantined_share: 0.3")
    again = process("second")
    assert (again["seen"], again["planned"]) == (2, 0)
    assert shown.rows("SELECT count(DISTINCT policy_hash) FROM deid.run") == [(2,)]


def test_without_a_secret_nothing_starts(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOCTURNE_SECRET")
    settings.cache_clear()
    with pytest.raises(SettingsError, match="NOCTURNE_SECRET is not set"):
        process("night")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(0,)]


@pytest.mark.usefixtures("hospital")
def test_a_dry_run_has_nothing_to_work_on() -> None:
    assert steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="dry", dry_run=True) == []
    with pytest.raises(InputRefused):
        steps.run_of("dry")
    with pytest.raises(InputRefused):
        steps.detect(1, 1)
    with pytest.raises(InputRefused):
        steps.stage(99)


def _change_policy(
    folder: Path, monkeypatch: pytest.MonkeyPatch, old: str = "top_code: 90", new: str = "top_code: 85"
) -> None:
    from deid.config.policy import DEFAULT

    shipped = DEFAULT.read_text(encoding="utf-8")
    assert old in shipped
    changed = shipped.replace(old, new)
    (folder / "policy.yaml").write_text(changed, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(folder / "policy.yaml"))
    settings.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(("trap", "isolated"), [(traps.LOOP, False), (traps.HUGE, False), (traps.HUGE, True)])
def test_a_document_that_is_too_costly_is_set_apart_and_the_rest_is_published(
    hospital: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trap: str, isolated: bool
) -> None:
    put(hospital, "costly", f"{LETTER} {trap}")
    policy = tmp_path / "policy.yaml"
    names = "".join(f"    - {{name: {name}}}\n" for name in ("patterns", "gazetteer", "context", "identity"))
    annotators = f"{names}    - {{name: 'tests.unit.traps:Trap'}}\n"
    policy.write_text(f"extends: rules\nname: trapped\ndetection:\n  annotators:\n{annotators}", encoding="utf-8")
    for name, value in (("POLICY", policy), ("MAX_DOCUMENT_SECONDS", 4), ("ISOLATE", isolated)):
        monkeypatch.setenv(f"NOCTURNE_{name}", str(value))
    settings.cache_clear()
    assert night("night")["published"] == 2
    assert reasons(hospital) == {"costly": ("detect", "too_costly")}
