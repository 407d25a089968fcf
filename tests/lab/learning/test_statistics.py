"""Tables of a corpus: what an author wrote, and how often each label occurs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from deid.domain.labels import TAGGED, Label
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.learning import statistics


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w1-01.txt").write_text("M. [[PATIENT|DUPONT]] et [[PATIENT|DUPONT]], vu", encoding="utf-8")
    (tmp_path / "w1-02.txt").write_text("le [[DATE|3 mai]] par [[DOCTOR|MOREL]]", encoding="utf-8")
    (tmp_path / "w10-01.txt").write_text("M. [[PATIENT|GARNIER]]", encoding="utf-8")
    records = [{"document": "w1-01", "type": "Lettre"}, {"document": "w1-02", "type": "LETTRE"}]
    (tmp_path / "w-identity.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return tmp_path


def cells(table: str) -> dict[str, list[str]]:
    """First cell of each row → the others."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_an_author_is_counted_and_all_together(folder: Path) -> None:
    table = cells(statistics.author_table(load_corpus(folder)))
    assert table["author"] == ["documents", "words", "mentions", "types"]
    assert table["w1"] == ["2", "10", "4", "1"]  # the type is the same in both cases
    assert table["w10"] == ["1", "2", "1", "1"]
    assert table["**all**"] == ["3", "12", "5", "2"]


def test_a_label_has_mentions_surfaces_and_documents(folder: Path) -> None:
    table = cells(statistics.label_table(load_corpus(folder)))
    assert table["PATIENT"] == ["3", "2", "2"]
    assert table["DATE"] == ["1", "1", "1"]
    assert table["NIR"] == ["0", "0", "0"]
    assert set(table) & set(Label) == set(TAGGED)


def test_the_command_prints_both_tables_per_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["statistics", str(folder), str(folder)])
    assert statistics.main() == 0
    said = capsys.readouterr().out
    assert said.count(f"## {folder.name}") == 2
    assert said.count("| PATIENT") == 2
