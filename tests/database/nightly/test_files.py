"""Nights over files: bytes of any format, files on a share or in a store, and what a hospital gets wrong about them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fsspec
import pytest

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.domain.errors import PolicyError, SettingsError, WarehouseUnreachable
from deid.ledger.originals import OriginalProblem, OriginalRefused, read_original
from deid.nightly import runtime, steps
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.source import contract
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process, reasons, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put
from tests.unit.formats.test_docx import docx
from tests.unit.formats.test_pdf import pdf

HL7 = "\r".join(
    (
        r"MSH|^~\&|DPI|CHU|NOC|CHU|20260302100000||ORU^R01|1|P|2.5",
        "PID|1||{ipp}^^^CHU^PI||{name}^{first}||{birth}|F",
        "OBX|1|TX|CR^Compte rendu||Madame VASSEROT est suivie pour une douleur thoracique ; la tension est normale.",
    )
)
PARAGRAPHS = "".join(f"<w:p><w:r><w:t xml:space='preserve'>{line}</w:t></w:r></w:p>" for line in LETTER.split("\n"))
LETTERS = {  # document → its bytes and what the warehouse says of its format
    "word": (docx(PARAGRAPHS), "docx"),
    "word_undeclared": (docx(PARAGRAPHS), None),
    "hl7_message": (None, "application/hl7-v2"),
    "text": (LETTER.encode(), "text/plain"),
    "text_undeclared": (LETTER.encode("cp1252"), None),
    "wrong_ending": (docx(PARAGRAPHS), ".pdf"),
}


def hl7(ipp: str = "8001234567", name: str = "VASSEROT", first: str = "Maëlys", birth: str = "19610514") -> bytes:
    return HL7.format(ipp=ipp, name=name, first=first, birth=birth).encode()


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A hospital whose contract gives paths and the digests of files; its folder is `tmp_path / "share"`."""
    open_hospital(deployed)
    deployed.rows("ALTER TABLE cdw.document ADD path text, ADD digest text, ALTER format DROP NOT NULL", role="owner")
    folder = tmp_path / "contracts" / "mine"
    folder.mkdir(parents=True)
    for path in (contract.SQL / "sources" / "ehop").iterdir():
        text = path.read_text(encoding="utf-8")
        plain = "encode(sha256(coalesce(d.content, ''::bytea)), 'hex')"
        assert path.name not in ("plan.sql", "contents.sql") or plain in text
        text = text.replace(plain, f"coalesce(d.digest, {plain})")
        (folder / path.name).write_text(text.replace("d.charset,", "d.charset, d.path AS content_path,"), "utf-8")
    (tmp_path / "share").mkdir()
    decide(monkeypatch, tmp_path)
    monkeypatch.setenv("NOCTURNE_SOURCES", str(folder.parent))
    monkeypatch.setenv("NOCTURNE_SOURCE", "mine")
    monkeypatch.setenv("NOCTURNE_FILE_ROOTS", f"/nowhere, {tmp_path / 'share'}/")
    settings.cache_clear()
    return deployed


def share(tmp_path: Path, name: str, content: bytes) -> str:
    path = tmp_path / "share" / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(content)
    return str(path)


def put_file(hospital: Database, document_id: str, path: str, **columns: str) -> None:
    """Announce a file of the share: no content, a digest as the hospital knows it."""
    columns = {"format": None, "digest": document_id, **columns}
    put(hospital, document_id, b"", path=path, **columns)


def test_a_night_reads_bytes_of_every_format_by_their_content(hospital: Database) -> None:
    for name, (content, kind) in LETTERS.items():
        put(hospital, name, hl7() if content is None else content, format=kind, charset="" if kind is None else "utf-8")
    put(hospital, "portable", pdf(), format="application/pdf")
    staged = process("night")
    assert staged["staged"] == len(LETTERS) + 1, reasons(hospital)
    texts = dict(hospital.rows("SELECT document_id, text FROM deid.candidate"))
    letter = texts["text"]
    for name in ("word", "word_undeclared", "wrong_ending"):
        assert [line for line in texts[name].split("\n") if line.strip()][3:] == [
            line for line in letter.split("\n") if line.strip()
        ]
    assert texts["text_undeclared"] == letter
    assert "Hémoglobine\t12,5 g/dL" in texts["portable"]
    everything = json.dumps(texts, ensure_ascii=False)
    assert not [name for name in ("VASSEROT", "Maëlys", "14/05/1961", "8001234567") if name in everything]
    (surname,) = hospital.rows("SELECT text FROM deid.candidate WHERE document_id = 'hl7_message'")
    assert "douleur thoracique" in surname[0]


def test_a_file_of_a_share_is_read_whatever_its_declaration(hospital: Database, tmp_path: Path) -> None:
    put_file(hospital, "word", share(tmp_path, "2026/a/letter.docx", docx(PARAGRAPHS)))
    put_file(hospital, "text", share(tmp_path, "letter.txt", LETTER.encode()))
    put_file(hospital, "bytes", share(tmp_path, "letter.bin", LETTER.encode()), format="application/octet-stream")
    put(hospital, "inline")
    assert process("night")["staged"] == 4, reasons(hospital)
    texts = dict(hospital.rows("SELECT document_id, text FROM deid.candidate"))
    assert texts["text"] == texts["inline"] == texts["bytes"]
    assert "bisoprolol 2,5 mg" in texts["word"]


def test_what_is_wrong_about_a_file_has_its_own_reason_and_the_rest_go_on(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").mkdir()
    outside = tmp_path / "secret" / "letter.txt"
    outside.write_text(LETTER, "utf-8")
    inside = share(tmp_path, "letter.txt", LETTER.encode())
    (tmp_path / "share" / "link").symlink_to(outside)
    (tmp_path / "share" / "folder").symlink_to(outside.parent)
    (tmp_path / "share" / "good").symlink_to(inside)
    os.mkfifo(tmp_path / "share" / "pipe")
    (tmp_path / "share" / "loop").symlink_to(tmp_path / "share" / "loop")
    root = str(tmp_path / "share")
    expected = {
        "elsewhere": (str(outside), "file_outside"),
        "upwards": (f"{root}/../secret/letter.txt", "file_outside"),
        "escaped": (f"{root}/%2e%2e/secret/letter.txt", "file_outside"),
        "neighbour": (f"{root}s/letter.txt", "file_outside"),
        "relative": ("letter.txt", "file_outside"),
        "chained": (f"{root}/letter.txt::file://{outside}", "file_outside"),
        "linked": (f"{root}/link", "file_outside"),
        "through": (f"{root}/folder/letter.txt", "file_outside"),
        "root": (f"{root}/", "file_outside"),
        "missing": (f"{root}/none.txt", "file_missing"),
        "a_folder": (f"{root}/.", "file_unreadable"),
        "a_pipe": (f"{root}/pipe", "file_unreadable"),
        "loop": (f"{root}/loop", "file_unreadable"),
    }
    for name, (path, _) in expected.items():
        put_file(hospital, name, path)
    put_file(hospital, "large", share(tmp_path, "large", b"a" * 20_001))
    put_file(hospital, "empty", share(tmp_path, "empty", b""))
    put_file(hospital, "good", f"{root}/good", format="text/plain")
    monkeypatch.setenv("NOCTURNE_MAX_DOCUMENT_BYTES", "20000")
    settings.cache_clear()
    night("night")
    assert reasons(hospital) == {name: ("detect", reason) for name, (_, reason) in expected.items()} | {
        "large": ("detect", "too_large"),
        "empty": ("detect", "empty"),
    }
    assert states(hospital)["good"] == "published"


def test_a_file_that_is_not_the_one_announced_is_held_back(hospital: Database, tmp_path: Path) -> None:
    raw = LETTER.encode()
    path = share(tmp_path, "letter.txt", raw)
    digests = {
        "sha256": f"sha256:{hashlib.sha256(raw).hexdigest().upper()}",
        "md5": f"md5:{hashlib.md5(raw, usedforsecurity=False).hexdigest()}",
        "size": f"size:{len(raw)};mtime:2026-03-02T01:00:00Z",
        "etag": 'etag:"9f"',
    }
    wrong = {"other_sha256": f"sha256:{'0' * 64}", "other_md5": f"md5:{'0' * 32}", "other_size": "size:1"}
    for name, digest in (digests | wrong).items():
        put_file(hospital, name, path, digest=digest)
    assert process("night")["staged"] == len(digests)
    assert reasons(hospital) == dict.fromkeys(wrong, ("detect", "file_changed"))


def test_a_share_that_is_away_stops_the_night_and_refuses_nothing(hospital: Database, tmp_path: Path) -> None:
    put_file(hospital, "letter", share(tmp_path, "letter.txt", LETTER.encode()))
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    away = (tmp_path / "share").rename(tmp_path / "unmounted")
    with pytest.raises(WarehouseUnreachable, match="NOCTURNE_FILE_ROOTS does not answer") as caught:
        steps.detect(batch["run_id"], batch["batch_id"])
    assert "letter" not in str(caught.value)
    assert reasons(hospital) == {}
    away.rename(tmp_path / "share")
    assert steps.detect(batch["run_id"], batch["batch_id"])["detected"] == 1


def test_a_file_that_never_answers_is_refused_in_time(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deid.source import file_shares

    put_file(hospital, "slow", share(tmp_path, "slow.txt", b"a"))
    monkeypatch.setenv("NOCTURNE_FILE_TIMEOUT_S", "0.2")
    settings.cache_clear()
    pipe = tmp_path / "share" / "never"
    os.mkfifo(pipe)

    def never(_self: object, _rest: str, _size: int) -> bytes:
        return pipe.read_bytes()

    monkeypatch.setattr(file_shares._Folder, "read", never)
    process("night")
    assert reasons(hospital) == {"slow": ("detect", "file_unreadable")}


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NOCTURNE_FILE_ROOTS", "memory://letters/2026,s3://bucket")
    settings.cache_clear()
    store = fsspec.filesystem("memory")
    store.pipe("/letters/2026/a/letter.txt", LETTER.encode())
    store.pipe("/letters/other.txt", LETTER.encode())
    yield
    store.rm("/letters", recursive=True)


@pytest.mark.usefixtures("hospital", "bucket")
def test_a_file_of_an_object_store_is_read_within_its_root(hospital: Database) -> None:
    put_file(hospital, "letter", "memory://letters/2026/a/letter.txt")
    put_file(hospital, "outside", "memory://letters/other.txt")
    put_file(hospital, "upwards", "memory://letters/2026/../other.txt")
    put_file(hospital, "missing", "memory://letters/2026/none.txt")
    assert process("night")["staged"] == 1
    assert reasons(hospital) == {
        "outside": ("detect", "file_outside"),
        "upwards": ("detect", "file_outside"),
        "missing": ("detect", "file_missing"),
    }


@pytest.mark.usefixtures("hospital", "bucket")
def test_a_store_without_its_driver_is_named(hospital: Database) -> None:
    put_file(hospital, "letter", "s3://bucket/letter.txt")
    with pytest.raises(SettingsError, match=r"nothing installed here reads s3://.*s3fs"):
        process("night")


over = threading.Event()  # the test of the web server has ended


class _Archive(BaseHTTPRequestHandler):
    """A server of letters: one good, one moved elsewhere, one refused, one that never ends."""

    def do_HEAD(self) -> None:
        self.send_response(403)
        self.end_headers()

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        status = {"letter.txt": 200, "%C3%A9t%C3%A9%20.txt": 200, "large": 200, "moved": 302, "refused": 403}.get(
            name, 404
        )
        if name == "slow":
            over.wait(60)
        self.send_response(status)
        if name == "moved":
            self.send_header("Location", "/2026/letter.txt")
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(b"a" * 5_000_000 if name == "large" else LETTER.encode())

    def log_message(self, *_: object) -> None:
        pass


def test_a_file_of_a_web_server_is_read_and_no_redirection_followed(
    hospital: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Archive) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/2026"
        monkeypatch.setenv("NOCTURNE_FILE_ROOTS", root)
        monkeypatch.setenv("NOCTURNE_FILE_TIMEOUT_S", "5")
        settings.cache_clear()
        for name in ("letter.txt", "été .txt", "large", "moved", "refused", "slow", "gone", "../letter.txt"):
            put_file(hospital, name, f"{root}/{name}")
        staged = process("night")["staged"]
        over.set()
        server.shutdown()
    assert reasons(hospital) == {
        "large": ("detect", "too_large"),
        "moved": ("detect", "file_outside"),
        "refused": ("detect", "file_unreadable"),
        "slow": ("detect", "file_unreadable"),
        "gone": ("detect", "file_missing"),
        "../letter.txt": ("detect", "file_outside"),
    }
    assert staged == 2
    put_file(hospital, "later", f"{root}/letter.txt", at=NIGHT + DAY)
    with pytest.raises(WarehouseUnreachable, match="does not answer"):
        process("next", NIGHT + DAY)


def test_a_content_may_be_text(hospital: Database, tmp_path: Path) -> None:
    contents = tmp_path / "contracts" / "mine" / "contents.sql"
    query = contents.read_text("utf-8")
    assert "coalesce(d.content, ''::bytea) AS content," in query
    as_text = "convert_from(d.content, 'UTF8') AS content,"
    contents.write_text(query.replace("coalesce(d.content, ''::bytea) AS content,", as_text), "utf-8")
    put(hospital, "letter", charset="latin1")
    process("night")
    (text,) = hospital.rows("SELECT text FROM deid.candidate")[0]
    assert "Compte rendu d'hospitalisation" in text
    assert "tension artérielle" in text


@pytest.mark.parametrize(
    ("message", "held"),
    [
        (hl7(), False),
        (hl7(ipp="9999999999"), False),  # the same person, under the number of a merged record
        (hl7(name="DURAND"), False),  # the same number, under another name
        (hl7(ipp="9999999999", name="BROUSTET", first="Célestin", birth="19481102"), True),
        (hl7(ipp="", name="BROUSTET", first="Célestin", birth="19481102"), True),
        (hl7(ipp="", first="Célestine", birth="20010203"), True),
        (hl7(ipp="", birth="19610515"), False),
        (hl7(ipp="", name="QUILLEC", first="Maelys"), False),
        (hl7(ipp="9999999999", name="", first="", birth=""), True),
        (hl7(ipp="", name="", first="", birth=""), False),
    ],
)
def test_a_file_of_another_patient_is_held_back(hospital: Database, message: bytes, held: bool) -> None:
    put(hospital, "message", message, format="application/hl7-v2")
    process("night")
    assert reasons(hospital) == ({"message": ("detect", "patient_mismatch")} if held else {})


def test_the_rules_of_a_source_count_for_its_files_and_for_the_version(hospital: Database, tmp_path: Path) -> None:
    before = runtime.pipeline_version()
    put(hospital, "message", hl7() + b"\rZZZ|1|Parole de couloir", format="hl7")
    assert process("night")["staged"] == 1
    rules = tmp_path / "contracts" / "mine" / "formats.yaml"
    rules.write_text("formats: {hl7: {fields: {ZZZ-2: drop}}}", "utf-8")
    assert runtime.pipeline_version() not in ("", before)
    assert process("again")["staged"] == 1, "new rules are another version"
    said = [text for (text,) in hospital.rows("SELECT text FROM deid.candidate ORDER BY run_id")]
    assert ["Parole de couloir" in text for text in said][-1] is False
    rules.write_text("images: perhaps", "utf-8")
    with pytest.raises(PolicyError, match=r"formats\.yaml: images"):
        process("third")


def test_the_original_of_a_file_is_shown_as_it_was_searched(hospital: Database, tmp_path: Path) -> None:
    path = share(tmp_path, "letter.docx", docx(PARAGRAPHS))
    put_file(hospital, "letter", path, digest="sha256:" + hashlib.sha256(docx(PARAGRAPHS)).hexdigest())
    run_id = process("night")["run_id"]
    (version, interval), *others = hospital.rows(
        "SELECT d.content_hash, r.interval_key FROM deid.document AS d INNER JOIN deid.run AS r USING (run_id)"
    )
    assert not others
    assert read_original("anne", run_id, "letter", version).mentions == (), "no sample is drawn"
    with open_cursor("steward") as cursor:
        open_review(cursor, interval, SamplePlan(0.01, 0.95, 1), "anne")
    original = read_original("anne", run_id, "letter", version)
    assert "Madame Maëlys VASSEROT" in original.text
    assert any("VASSEROT" in original.text[one.start : one.end] for one in original.mentions)
    Path(path).write_bytes(docx())
    with pytest.raises(OriginalRefused) as caught:
        read_original("anne", run_id, "letter", version)
    assert caught.value.why == OriginalProblem.UNREADABLE
