"""A folder of annotated documents and identities."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import load_corpus, load_staff


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w1-01.txt").write_bytes(b"M. [[PATIENT|DUPONT]]\r\nvu")
    (tmp_path / "w12-03.txt").write_text("Rien.", encoding="utf-8")
    (tmp_path / "d07.txt").write_text("le [[DATE|3 mai]]", encoding="utf-8")
    (tmp_path / "notes.csv").write_text("x", encoding="utf-8")
    record = {
        "document": "w1-01",
        "type": "Lettre",
        "reference_date": "2023-03-16",
        "patient": {"last_name": "Dupont", "first_names": ["Jean"], "birth_date": "1948-05-14", "emails": []},
    }
    partial = {"document": "d07", "type": None, "reference_date": None, "patient": {"birth_date": "1996-01"}}
    (tmp_path / "w1-identity.jsonl").write_text(json.dumps(record) + "\n\n", encoding="utf-8")
    (tmp_path / "identity.jsonl").write_text(json.dumps(partial), encoding="utf-8")
    return tmp_path


def test_documents_come_with_mentions_identity_and_author(folder: Path) -> None:
    unknown, letter, empty = load_corpus(folder)
    assert letter.document.text == "M. DUPONT\r\nvu"
    assert [(m.start, m.end, m.label) for m in letter.mentions] == [(3, 9, Label.PATIENT)]
    assert letter.document.type == "Lettre"
    assert letter.document.reference_date == date(2023, 3, 16)
    assert letter.document.patient.names == ("Dupont", "Jean")
    assert letter.document.patient.birth_date == date(1948, 5, 14)
    assert [gold.author for gold in (unknown, letter, empty)] == ["d", "w1", "w12"]
    assert empty.document.patient.names == ()
    assert unknown.document.patient.birth_date is None  # "1996-01" is no day
    assert unknown.document.patient.birth_period == "1996-01"
    assert letter.without_identity().document.patient.names == ()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("w2-01.txt", b"[[PATIENT|DUPONT", "w2-01.txt, line 1, column 1"),
        ("w2-01.txt", b"\xff", "w2-01.txt: not UTF-8 at byte 0"),
        ("w2-identity.jsonl", b"{}\n", 'w2-identity.jsonl, line 1: not a JSON object with a "document"'),
        ("w2-identity.jsonl", b"\n{DUPONT", "w2-identity.jsonl, line 2"),
        ("w2-identity.jsonl", b'{"document": "w1-01", "reference_date": "DUPONT"}', "document w1-01"),
    ],
)
def test_a_bad_file_is_named(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(InputRefused) as refusal:
        load_corpus(folder)
    assert message in str(refusal.value)
    assert "DUPONT" not in str(refusal.value)


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match=r"no \.txt file"):
        load_corpus(tmp_path)


def test_the_staff_stand_beside_the_documents(folder: Path) -> None:
    assert not load_staff(folder)
    (folder / "w1-staff.jsonl").write_text('{"last_name": "Ouali", "first_names": ["Samira"]}\n', encoding="utf-8")
    (folder / "staff.jsonl").write_text('{"last_name": "Roux"}\n', encoding="utf-8")
    assert [one.last_name for one in load_staff(folder).people] == ["Roux", "Ouali"]
