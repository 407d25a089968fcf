"""`evaluate` on folders, files and pipes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from deid.domain.labels import SCHEMES
from nocturne_lab.cli.scoring import Scheme
from tests.unit.cli.conftest import Call, jsonl

GOLD = {"w1-01": "M. [[PATIENT|DUPONT]], le [[DATE|3 mai]]", "w2-01": "À [[CITY|Lyon]] [[RELDATE|hier]]"}
TEXTS = {"w1-01": "M. DUPONT, le 3 mai", "w2-01": "À Lyon hier"}
PREDICTED = [
    {"id": "w1-01", "mentions": [{"start": 3, "end": 9, "label": "PATIENT", "score": 1, "votes": []}]},
    {"id": "w2-01", "mentions": [{"start": 2, "end": 6, "label": "LOC"}]},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    gold = tmp_path / "gold"
    gold.mkdir()
    for name, marked in GOLD.items():
        (gold / f"{name}.txt").write_text(marked, encoding="utf-8")
    identity = {"document": "w1-01", "type": "Lettre", "reference_date": None, "patient": None}
    (gold / "identity.jsonl").write_text(json.dumps(identity), encoding="utf-8")
    return gold


def test_figures_of_a_folder_against_a_pipe(deid: Call, folder: Path) -> None:
    said = deid("evaluate", folder, "-", "--json", "--by", "author", stdin=jsonl(PREDICTED))
    assert (said.status, said.err) == (0, "")
    figures = json.loads(said.out)
    assert figures["documents"] == 2
    assert figures["documents_fully_redacted"] == {"all": 0.0, "direct": 1.0}
    assert figures["redaction"]["all"] == pytest.approx(10 / 18)
    assert figures["schemes"]["nocturne"]["micro"]["exact"]["recall"] == 0.25
    assert figures["schemes"]["coarse"]["micro"]["exact"]["recall"] == pytest.approx(2 / 3)
    assert figures["by_author"]["w1"]["redaction"]["direct"] == 1
    assert figures["by_author"]["w2"]["redaction"]["direct"] is None


def test_tables_by_scheme_and_type(deid: Call, folder: Path, tmp_path: Path) -> None:
    predicted = tmp_path / "predicted.jsonl"
    predicted.write_text(jsonl(PREDICTED), encoding="utf-8")
    said = deid("evaluate", folder, predicted, "--scheme", "coarse", "--by", "type")
    assert said.status == 0
    assert "| PER | 1 | 100.0 | 100.0 | 100.0 |" in said.out
    assert "| lettre | 1 |" in said.out
    assert said.out == deid("evaluate", folder, predicted, "--scheme", "coarse", "--by", "type", "--markdown").out


def test_the_reference_may_be_json_lines(deid: Call, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    marks = [
        {"id": "w1-01", "text": TEXTS["w1-01"], "mentions": [{"start": 3, "end": 9, "label": "PATIENT"}], "type": "L"},
        {"id": "w2-01", "text": TEXTS["w2-01"], "mentions": []},
    ]
    gold.write_text(jsonl(marks), encoding="utf-8")
    said = deid("evaluate", gold, "-", "--json", stdin=jsonl(PREDICTED))
    assert said.status == 0
    assert json.loads(said.out)["redaction"]["all"] == 1


def test_what_does_not_match_the_reference_is_told(deid: Call, folder: Path) -> None:
    lines = [
        {"id": "w9-99", "mentions": []},
        {"id": "w1-01", "mentions": [{"start": 3, "end": 99, "label": "PATIENT"}]},
        {"id": "a", "mentions": [{"start": 3, "end": 3, "label": "PATIENT"}]},
        {"id": "b", "mentions": [{"start": 0, "end": 3, "label": "DATE"}, {"start": 2, "end": 4, "label": "DATE"}]},
        {"id": "c", "mentions": [{"start": 0, "end": 3, "label": "DUPONT"}]},
        {"id": "d", "mentions": [{"start": "0", "end": 3, "label": "DATE"}]},
        {"id": "e", "mentions": {}},
        {"id": "f", "text": "x", "mentions": [{"start": 0, "end": 3, "label": "DATE"}]},
    ]
    said = deid("evaluate", folder, "-", "--json", stdin=jsonl(lines))
    assert said.status == 1
    assert json.loads(said.out)["redaction"]["all"] == 0  # missing predictions count as nothing found
    assert len(said.err.splitlines()) == len(lines) + 1
    assert "document w9-99 : absent de la référence" in said.err
    assert "document w2-01 : aucune prédiction" in said.err
    assert "DUPONT" not in said.err


def test_a_reference_that_cannot_be_read_ends_with_two(deid: Call, folder: Path, tmp_path: Path) -> None:
    (folder / "w3-01.txt").write_text("[[PATIENT|", encoding="utf-8")
    broken = deid("evaluate", folder, "-")
    assert broken.status == 2
    assert "w3-01.txt, line 1" in broken.err
    assert deid("evaluate", tmp_path / "absent", "-").status == 2
    assert deid("evaluate", folder, "-", "--json", "--markdown").status == 2
    assert deid("evaluate", folder, "-", "--scheme", "x").status == 2


def test_every_scheme_can_be_chosen() -> None:
    assert list(get_args(Scheme)) == list(SCHEMES)
