"""`annotations`: from documents to a tool, back, agreement, adjudication, scores."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.learning.exchange.formats import FORMATS
from tests.lab.learning.exchange.test_formats import parhaf, row
from tests.unit.cli.conftest import Call, jsonl

LETTERS = [
    {
        "id": f"d{number}",
        "text": f"M. Dupont, tél. 06 12 34 56 7{number}, vu le 0{number + 1}/03/2024.\n\nBilan normal.",
        "patient": {"last_name": "Dupont"},
        "type": "lettre" if number % 2 else "urgences",
        "service": "cardio",
    }
    for number in range(8)
]
RULES = "version: 1\ndetection:\n  annotators: [{name: patterns}, {name: identity}]\n  merge: weights\n"


@pytest.fixture
def given(tmp_path: Path) -> Path:
    (tmp_path / "lettres.jsonl").write_text(jsonl(LETTERS), encoding="utf-8")
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", [name for name, one in FORMATS.items() if one.write])
def test_from_a_sample_to_a_merged_corpus(deid: Call, given: Path, name: str) -> None:
    options = ("--format", name, "--size", 6, "--shared", 2, "--annotators", "ab,cd", "--policy", "rules.yaml")
    said = deid("annotations", "sample", "lettres.jsonl", "todo", "--method", "stratified", *options)
    assert (said.status, said.err) == (0, "6 documents à annoter\n")
    suffix = FORMATS[name].suffix
    corpora = []
    for person in ("ab", "cd"):
        file = given / "todo" / f"{person}{suffix}"
        assert stat.S_IMODE(file.stat().st_mode) in (0o600, 0o700)
        told = ("--documents", "lettres.jsonl", "--annotator", person)
        said = deid("annotations", "import", name, file, f"{person}.jsonl", *told)
        assert (said.status, said.err) == (0, "4 documents annotés\n")
        assert stat.S_IMODE((given / f"{person}.jsonl").stat().st_mode) == 0o600
        corpora.append(load_corpus(given / f"{person}.jsonl"))
    assert {one.annotator for one in corpora[0]} == {"ab"}
    assert corpora[0][0].document.patient.last_name == "Dupont"
    assert [str(m.label) for m in corpora[0][0].mentions] == ["PATIENT", "PHONE", "DATE"]

    said = deid("annotations", "agreement", "ab.jsonl", "cd.jsonl")
    assert said.status == 0
    assert "2 documents, " in said.out
    assert "κ de Fleiss : 1.000" in said.out

    records = [json.loads(line) for line in (given / "cd.jsonl").read_text().splitlines()]
    shared = {one.document.id for one in corpora[0]} & {one.document.id for one in corpora[1]}
    record = next(one for one in records if one["id"] in shared)
    record["mentions"] = record["mentions"][1:]
    (given / "cd.jsonl").write_text(jsonl(records), encoding="utf-8")
    files = ("ab.jsonl", "cd.jsonl")
    learned = deid("train", *files, "--kind", "crf", "--small", "--out", "models")
    assert (learned.status, (given / "models").exists()) == (2, False)
    assert f"1 documents sont donnés deux fois avec des mentions différentes ({record['id']})" in learned.err
    assert "Dupont" not in learned.err
    assert deid("annotations", "adjudicate", *files, "--out", "differ.jsonl").err == "1 désaccords\n"
    (passage,) = [json.loads(line) for line in (given / "differ.jsonl").read_text().splitlines()]
    assert passage["text"] == "Dupont"
    undecided = deid("annotations", "adjudicate", *files, "--out", "all.jsonl", "--decisions", "differ.jsonl")
    assert undecided.status == 1
    assert f"document {record['id']}, [3, 9)" in undecided.err
    whole = next(at for at, one in enumerate(passage["options"]) if one["mentions"])
    (given / "differ.jsonl").write_text(jsonl([passage | {"decision": whole}]), encoding="utf-8")
    said = deid("annotations", "adjudicate", *files, "--out", "all.jsonl", "--decisions", "differ.jsonl")
    assert (said.status, said.err) == (0, "6 documents fusionnés\n")
    assert all(len(one.mentions) == 3 for one in load_corpus(given / "all.jsonl"))


def test_what_is_left_out_is_named_with_its_remedy_and_never_quoted(deid: Call, given: Path) -> None:
    text = LETTERS[0]["text"]
    tasks = [
        {"text": text, "meta": {"id": "d0"}, "spans": [{"start": 3, "end": 9, "label": "PATIENT"}], "answer": "accept"},
        {"text": text, "meta": {"id": "d1"}, "spans": [], "answer": "accept"},
        {"text": "x", "meta": {"id": "zz"}, "spans": [{"start": 0, "end": 1, "label": "NOM"}], "answer": "accept"},
    ]
    (given / "a.jsonl").write_text(jsonl(tasks), encoding="utf-8")
    said = deid("annotations", "import", "prodigy", "a.jsonl", "out.jsonl", "--documents", "lettres.jsonl")
    assert said.status == 1
    assert "document d1 (line 2) : le texte n'est pas celui du document" in said.err
    assert "document zz (line 3) : absent des documents donnés" in said.err
    assert "1 documents annotés" in said.err
    assert "Dupont" not in said.err
    assert [one.document.id for one in load_corpus(given / "out.jsonl")] == ["d0"]


def test_labels_of_a_tool_are_translated_by_a_table(deid: Call, given: Path) -> None:
    span = {"start": 3, "end": 9, "label": "NOM"}
    (given / "a.jsonl").write_text(jsonl([{"text": "M. Dupont", "meta": {"id": "d"}, "spans": [span]}]))
    (given / "noms.yaml").write_text("NOM: PATIENT\nAUTRE: null\n")
    assert "étiquette inconnue" in deid("annotations", "import", "prodigy", "a.jsonl", "o.jsonl").err
    assert deid("annotations", "import", "prodigy", "a.jsonl", "o.jsonl", "--labels", "noms.yaml").status == 0
    (given / "noms.yaml").write_text("NOM: MALADE\n")
    assert deid("annotations", "import", "prodigy", "a.jsonl", "o.jsonl", "--labels", "noms.yaml").status == 2


def test_a_corpus_goes_to_a_tool(deid: Call, given: Path) -> None:
    (given / "gold").mkdir()
    (given / "gold" / "w1-01.txt").write_text("M. [[PATIENT|Dupont]]", encoding="utf-8")
    assert deid("annotations", "convert", "gold", "w.jsonl", "--format", "doccano").status == 0
    assert json.loads((given / "w.jsonl").read_text())["label"] == [[3, 9, "PATIENT"]]


def test_a_blank_sample_has_no_marks(deid: Call, given: Path) -> None:
    assert deid("annotations", "sample", "lettres.jsonl", "todo", "--size", 3, "--blank").status == 0
    tasks = [json.loads(line) for line in (given / "todo" / "annotateur.jsonl").read_text().splitlines()]
    assert [task["spans"] for task in tasks] == [[], [], []]


def test_a_sample_to_measure_is_of_patients_of_whom_nothing_was_learned(deid: Call, given: Path) -> None:
    """A learned document is known by its text under another id, and another of its patient is left out with it."""
    documents = [one | {"patient": {"key": f"P{number % 4}"}} for number, one in enumerate(LETTERS)]
    documents.append({"id": "d8", "text": "Patient inconnu."})
    (given / "in.jsonl").write_text(jsonl(documents), encoding="utf-8")
    learned = [{"id": "x", "text": LETTERS[0]["text"], "mentions": []}, {"id": "d5", "text": "", "mentions": []}]
    (given / "learned.jsonl").write_text(jsonl(learned), encoding="utf-8")
    asked = ("annotations", "sample", "in.jsonl", "todo", "--blank", "--not-in", "learned.jsonl")
    assert deid(*asked).status == 0
    tasks = [json.loads(line) for line in (given / "todo" / "annotateur.jsonl").read_text().splitlines()]
    assert {task["meta"]["ID_ENTREPOT"] for task in tasks} == {"d2", "d3", "d6", "d7"}
    assert deid(*asked, "--not-in", "lettres.jsonl").status == 2


def test_parhaf_is_evaluated_by_one_command(deid: Call, given: Path) -> None:
    text = "Vu le 14/05/1972, tél. 06 12 34 56 78."
    rows = [row(text, "14/05/1972", "IDENTIFYING_DATE"), row(text, "06 12 34 56 78", "PHONE_NUMBER")]
    parhaf(given / "data", [{"report": "r1", "full_text": text}], rows)
    said = deid("annotations", "evaluate", "parhaf", "data", "--policy", "rules.yaml", "--json")
    assert said.status == 0
    classes = json.loads(said.out)["schemes"]["parhaf"]["classes"]
    assert classes["PHONE_NUMBER"]["exact"] == {"precision": 1, "recall": 1, "f1": 1, "predicted": 1, "gold": 1}
    assert classes["DATE"]["exact"]["f1"] == 1
    assert "| PHONE_NUMBER |" in deid("annotations", "evaluate", "parhaf", "data", "--policy", "rules.yaml").out


def test_distant_labels_tell_counts_and_never_a_text(deid: Call, tmp_path: Path) -> None:
    known = {"key": "P1", "last_name": "VASSEROT", "first_names": ["Maëlys"]}
    text = "Madame Maëlys VASSEROT, née le 14/05/1961, vit à Dijon."
    documents = [{"id": "D1", "text": text, "patient": known}, {"id": "D2", "text": text}]
    (tmp_path / "in.jsonl").write_text(jsonl(documents), encoding="utf-8")
    said = deid("annotations", "distant", "in.jsonl", "--out", "c")
    assert said.status == 1
    assert "D2 : patient inconnu" in said.err
    assert "aucun exemple de NIR" in said.err
    assert said.err.endswith("1 documents étiquetés\n")
    assert "VASSEROT" not in said.out + said.err
    (gold,) = load_corpus(tmp_path / "c")
    assert [str(one.label) for one in gold.mentions] == ["PATIENT", "DATE", "CITY"]
    assert deid("annotations", "distant", "--out", "d").status == 2
