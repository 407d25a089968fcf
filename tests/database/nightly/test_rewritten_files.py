"""Rewritten files, from the candidate to researchers: published, corrected, withdrawn and opposed as their text is."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import psycopg2
import pytest

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.domain.errors import ReleaseRefused, ReviewRefused
from deid.nightly import runtime, steps
from deid.publication.publish import make_visible, publish_interval
from deid.reports.figures import gather
from deid.reviews import reading
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.stewardship import opt_outs, releases
from deid.stewardship.opt_outs import PatientKey
from tests.conftest import Database, Deploy
from tests.database.nightly.test_files import PARAGRAPHS, hl7
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process, reasons
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw
from tests.unit.formats.test_docx import docx, part

ORIGINALS = ("VASSEROT", "Maëlys", "14/05/1961", "19610514", "8001234567", "TREGUIER", "03 80 11 22 33")
WORD = docx(PARAGRAPHS, more={"word/comments.xml": ("comments", part("comments", "<w:comment w:author='VASSEROT'/>"))})
FILES = "SELECT document_id, media_type, suffix, size, file FROM research.document_file ORDER BY suffix"


def put_four(database: Database) -> None:
    """A Word letter, a message, a page of HTML and a text."""
    open_hospital(database)
    put(database, "word", WORD, format="application/octet-stream")
    put(database, "message", hl7(), format="application/hl7-v2")
    put(database, "page", PAGE, patient="P000002", format="text/html")
    put(database, "text")


def stage_four(database: Database) -> None:
    put_four(database)
    process("night")


@pytest.fixture
def hospital(deploy: Deploy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A hospital of four documents, whose policy publishes files."""
    publish_files(tmp_path, monkeypatch, "rewritten")
    return deploy(put_four)


@pytest.fixture
def staged(deploy: Deploy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The same after its night, before anything is published."""
    publish_files(tmp_path, monkeypatch, "rewritten")
    return deploy(stage_four)


@pytest.fixture
def shown(staged: Database) -> Database:
    """The same once researchers read it."""
    publish_interval("2026-03-02")
    make_visible("nightly")
    return staged


def publish_files(folder: Path, monkeypatch: pytest.MonkeyPatch, files: str) -> None:
    decide(monkeypatch, folder)
    policy = folder / "policy.yaml"
    policy.write_text(policy.read_text("utf-8") + f"publication: {{files: {files}}}\n", "utf-8")
    settings.cache_clear()


def files(hospital: Database, role: str = "researcher") -> dict[str, tuple[str, bytes]]:
    """Rewritten files that a role reads: ending → media type and bytes."""
    return {suffix: (media, bytes(file)) for _, media, suffix, _, file in hospital.rows(FILES, role=role)}


def words(raw: bytes) -> str:
    """Everything that a file holds, its parts expanded."""
    if not raw.startswith(b"PK"):
        return raw.decode("utf-8")
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return "\n".join([name + archive.read(name).decode("utf-8") for name in archive.namelist()])


def test_the_rewritten_file_reaches_researchers_with_the_surrogates_of_its_text(shown: Database) -> None:
    assert reasons(shown) == {}
    found = files(shown)
    assert {suffix: media for suffix, (media, _) in found.items()} == {
        ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ".hl7": "x-application/hl7-v2+er7",
    }, "a text and a page of HTML are published as text and markup"
    for _, raw in found.values():
        assert not [name for name in ORIGINALS if name in words(raw)]
    assert "bisoprolol 2,5 mg" in words(found[".docx"][1])
    texts = dict(shown.rows("SELECT file_suffix, text FROM research.document WHERE file IS NOT NULL"))
    surname = words(found[".hl7"][1]).split("PID|")[1].split("|")[5].split("^")[0]
    assert surname in texts[".hl7"]
    assert surname in texts[".docx"], "one patient, one surrogate, in every file"
    assert shown.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    sizes = shown.rows("SELECT size = length(file) FROM research.document_file", role="researcher")
    assert sizes == [(True,)] * 2


def test_by_default_no_file_leaves_and_another_policy_redoes_what_was_published(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_files(tmp_path, monkeypatch, "none")
    version = runtime.pipeline_version()
    process("first")
    assert hospital.rows("SELECT count(*) FROM deid.candidate WHERE file IS NOT NULL") == [(0,)]
    publish_interval("2026-03-02")
    assert files(hospital) == {}
    publish_files(tmp_path, monkeypatch, "rewritten")
    assert runtime.pipeline_version() != version
    night("second")
    assert set(files(hospital)) == {".docx", ".hl7"}


def test_a_correction_replaces_the_file_and_a_withdrawal_removes_it(shown: Database) -> None:
    before = files(shown)
    put(shown, "word", docx(PARAGRAPHS.replace("bisoprolol 2,5", "bisoprolol 5")), format="docx", at=NIGHT + DAY)
    withdraw(shown, "message", NIGHT + DAY)
    night("second", NIGHT + DAY)
    after = files(shown)
    assert set(after) == {".docx"}
    assert "bisoprolol 5 mg" in words(after[".docx"][1])
    assert after != before
    put(shown, "word", LETTER, at=NIGHT + 2 * DAY)
    night("third", NIGHT + 2 * DAY)
    assert files(shown) == {}, "the correction is a text"
    kept = "SELECT count(*) FROM deid.published_document WHERE file IS NOT NULL"
    assert shown.rows(kept) == [(0,)]


def test_an_opt_out_takes_the_patients_files(shown: Database) -> None:
    (pseudonym,) = {row[0] for row in shown.rows("SELECT patient_id FROM research.document_file")}
    with open_cursor("steward") as cursor:
        opt_outs.record_opt_out(cursor, "anne", PatientKey(pseudonym), "courrier reçu du patient")
    assert files(shown) == {}


def test_the_same_night_again_stages_the_same_files(staged: Database) -> None:
    run_id = steps.run_of("night")
    kept = "SELECT document_id, file, file_type, file_suffix FROM deid.candidate WHERE file IS NOT NULL ORDER BY 1"
    before = staged.rows(kept)
    assert len(before) == 2
    for batch in staged.rows("SELECT DISTINCT batch_id FROM deid.document"):
        steps.substitute(run_id, batch[0])
    assert [tuple(map(bytes_of, row)) for row in staged.rows(kept)] == [tuple(map(bytes_of, row)) for row in before]


def bytes_of(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


@pytest.mark.parametrize(
    "change",
    [
        "file = '\\x00'",
        "file_type = 'text/html'",
        "file_suffix = '.exe'",
        "file = NULL, file_type = NULL, file_suffix = NULL",
    ],
)
def test_a_file_that_was_altered_after_it_was_staged_is_not_published(staged: Database, change: str) -> None:
    staged.rows(f"UPDATE deid.candidate SET {change} WHERE document_id = 'word'")
    with pytest.raises(ReleaseRefused, match="altered since it was staged"):
        publish_interval("2026-03-02")
    assert files(staged) == {}


def test_who_reads_a_text_reads_its_file_and_nobody_else(staged: Database) -> None:
    count = "SELECT count(*) FROM deid.staged_file"
    assert staged.rows(count, role="steward") == [(0,)], "no sample is drawn"
    with open_cursor("steward") as cursor:
        open_review(cursor, "2026-03-02", SamplePlan(0.01, 0.95, 1), "anne")
    assert staged.rows(count, role="steward") == [(2,)]
    refused = [("steward", "SELECT file FROM deid.candidate"), ("reader", count), ("researcher", count)]
    refused += [("refresher", FILES), ("steward", "SELECT file FROM deid.published_document")]
    for role, statement in refused:
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            staged.rows(statement, role=role)
    assert files(staged, "researcher") == {}, "not published yet"


def test_a_reader_of_a_review_gets_the_file_as_long_as_it_waits(staged: Database) -> None:
    with open_cursor("steward") as cursor:
        review_id = open_review(cursor, "2026-03-02", SamplePlan(0.01, 0.95, 1), "anne")
    with open_cursor("steward") as cursor:
        read = [reading.begin_reading(cursor, review_id, ordinal, "anne") for ordinal in range(1, 5)]
        found = {one.document_id: reading.read_file(cursor, review_id, one.ordinal, "anne") for one in read}
        with pytest.raises(ReviewRefused):
            reading.read_file(cursor, review_id, 1, "boris")
    assert {one.document_id: one.has_file for one in read} == {
        "word": True, "message": True, "page": False, "text": False,
    }  # fmt: skip
    assert {name: one.suffix for name, one in found.items() if one} == {"word": ".docx", "message": ".hl7"}
    logged = staged.rows("SELECT count(*) FROM deid.audit WHERE action = 'read_file' AND actor = 'anne'")
    assert logged == [(2,)]
    publish_interval("2026-03-02")
    make_visible("nightly")
    with open_cursor("steward") as cursor:
        (word,) = [one.ordinal for one in read if one.document_id == "word"]
        assert reading.read_file(cursor, review_id, word, "anne") is None
        for name, has_file in staged.rows("SELECT document_id, file IS NOT NULL FROM research.document"):
            shown, kept = releases.published_text(cursor, "x", name), releases.published_file(cursor, "x", name)
            assert shown is not None
            assert shown.has_file is has_file is (kept is not None)


@pytest.mark.usefixtures("staged")
def test_the_report_counts_formats_and_what_was_removed() -> None:
    found = {row["format"]: row for row in gather("2026-03-02")["files"]}
    assert {name: row["documents"] for name, row in found.items()} == {"docx": 1, "hl7": 1}
    assert found["docx"]["removed"]["comment"] == 1
    assert "VASSEROT" not in json.dumps(found)


def test_a_file_that_changes_during_the_night_is_held_back(
    hospital: Database, own_contract: Callable[[], Path]
) -> None:
    share = own_contract()
    for name in ("same", "other"):
        (share / name).write_bytes(docx(PARAGRAPHS))
        put(hospital, name, b"", format="docx", title=str(share / name), at=NIGHT + timedelta(hours=1))
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    steps.detect(batch["run_id"], batch["batch_id"])
    (share / "other").write_bytes(docx(PARAGRAPHS.replace("VASSEROT", "VASSERO")))
    steps.substitute(batch["run_id"], batch["batch_id"])
    assert reasons(hospital) == {"other": ("substitute", "file_changed")}


@pytest.fixture
def own_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Put a contract in force whose documents lie in files that their titles name; gives the folder of the files."""
    from deid.source import contract

    def use() -> Path:
        folder, share = tmp_path / "contracts" / "mine", tmp_path / "share"
        folder.mkdir(parents=True)
        share.mkdir()
        for path in (contract.SQL / "sources" / "ehop").iterdir():
            text = path.read_text("utf-8").replace(
                "    d.title,", "    d.title,\n    CASE WHEN d.title LIKE '/%%' THEN d.title END AS content_path,"
            )
            (folder / path.name).write_text(text, "utf-8")
        monkeypatch.setenv("NOCTURNE_SOURCES", str(folder.parent))
        monkeypatch.setenv("NOCTURNE_SOURCE", "mine")
        monkeypatch.setenv("NOCTURNE_FILE_ROOTS", str(share))
        settings.cache_clear()
        return share

    return use
