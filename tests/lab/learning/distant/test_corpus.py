"""The Parquet corpus: what it holds, what is left out, and what happens when the disk is full."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from deid.config.policy import DEFAULT, load
from deid.detection.lookup.staff import Staff
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.parquet_corpus import SPLITS
from nocturne_lab.learning.distant.corpus import STATISTICS, Built, Method, build_corpus, split_of, split_sentences
from nocturne_lab.learning.distant.statistics import as_tables, labels_without_example
from nocturne_lab.learning.taggers.training import SMALL, train_tagger
from tests.lab.learning.distant.letters import STAFF, TEXT, letter, letters
from tests.unit.cli.conftest import jsonl

RULES = load(DEFAULT).detection


def build(out: Path, documents: list[Document], method: Method = "agreement") -> Built:
    return build_corpus(documents, out, RULES, Staff(STAFF), method)


def rows(folder: Path) -> list[dict]:
    return [row for path in sorted(folder.rglob("*.parquet")) for row in parquet.ParquetFile(path).read().to_pylist()]


@pytest.mark.parametrize("method", ["agreement", "label-model"])
def test_a_corpus_and_its_way_back(tmp_path: Path, method: Method) -> None:
    built = build(tmp_path / "c", list(letters(30)), method)
    corpus = load_corpus(tmp_path / "c")
    assert {one.document.text for one in corpus} == {TEXT}
    numbers = [built.splits[split].numbers["documents"] for split in SPLITS]
    assert sum(numbers) == len(corpus) == 30
    assert [len(load_corpus(tmp_path / "c" / split)) for split in SPLITS] == numbers
    surfaces = {(TEXT[one.start : one.end], one.label) for one in corpus[0].mentions}
    assert {
        ("Maëlys VASSEROT", Label.PATIENT),
        ("Yann TREGUIER", Label.DOCTOR),
        ("14/05/1961", Label.DATE),
        ("Dijon", Label.CITY),
    } <= surfaces
    assert all(0 <= one.score <= 1 for one in corpus[0].mentions)
    statistics = json.loads((tmp_path / "c" / STATISTICS).read_text())
    assert [statistics["splits"][split]["documents"] for split in SPLITS] == numbers


def test_rows_hold_tokens_tags_votes_and_random_ids(tmp_path: Path) -> None:
    build(tmp_path / "c", list(letters(30)))
    found = rows(tmp_path / "c")
    for row in found:
        assert row["text"] == TEXT[row["start"] : row["end"]]
        assert len(row["token_starts"]) == len(row["token_ends"]) == len(row["tags"]) == len(row["confidences"])
        assert {tag[2:] for tag in row["tags"] if tag != "O"} == {one["label"] for one in row["mentions"]}
        assert all(0 <= one <= 1 for one in row["confidences"])
    row = next(row for row in found if "VASSEROT" in row["text"])
    words = [TEXT[start:end] for start, end in zip(row["token_starts"], row["token_ends"], strict=True)]
    assert dict(zip(words, row["tags"], strict=True)) | {"Maëlys": "B-PATIENT", "VASSEROT": "I-PATIENT"} == dict(
        zip(words, row["tags"], strict=True)
    )
    assert {("patient", "PATIENT"), ("places", "CITY")} <= {(one["function"], one["label"]) for one in row["votes"]}
    for name in ("patient", "document"):
        assert all(re.fullmatch(r"[0-9a-f]{32}", row[name]) for row in found)
        assert len({row[name] for row in found}) == 30


def test_a_corpus_keeps_type_service_and_date(tmp_path: Path) -> None:
    known = replace(letter(), service="CARD", reference_date=date(2024, 3, 12))
    build(tmp_path / "c", [known, letter(1)])
    told = {(row["type"], row["service"], row["date"]) for row in rows(tmp_path / "c")}
    assert told == {("lettre", "CARD", date(2024, 3, 12)), ("lettre", None, None)}
    read = {(one.document.service, one.document.reference_date) for one in load_corpus(tmp_path / "c")}
    assert read == {("CARD", date(2024, 3, 12)), (None, None)}
    for path in (tmp_path / "c").rglob("*.parquet"):  # a corpus of an earlier release
        parquet.write_table(parquet.read_table(path).drop_columns(["service", "date"]), path)
    assert {one.document.service for one in load_corpus(tmp_path / "c")} == {None}


def test_a_patient_is_in_one_split_whose_share_is_the_papers(tmp_path: Path) -> None:
    documents = [Document(f"D{number}", "Vu le 12/03/2024.", Patient(key=f"P{number % 60}")) for number in range(120)]
    build(tmp_path / "c", documents)
    splits: dict[str, set[str]] = {}
    for row in rows(tmp_path / "c"):
        splits.setdefault(row["patient"], set()).add(row["split"])
    assert len(splits) == 60
    assert all(len(found) == 1 for found in splits.values())
    shares = [sum(split_of(f"P{number}") == split for number in range(5000)) / 5000 for split in SPLITS]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.02)


def test_another_run_gives_the_same_splits_and_other_ids(tmp_path: Path) -> None:
    build(tmp_path / "a", list(letters(20)))
    build(tmp_path / "b", list(letters(20)))
    first, second = rows(tmp_path / "a"), rows(tmp_path / "b")
    assert [row["split"] for row in first] == [row["split"] for row in second]
    assert not {row["patient"] for row in first} & {row["patient"] for row in second}
    build(tmp_path / "a", list(letters(4)))
    assert len(load_corpus(tmp_path / "a")) == 4
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b"]


def test_documents_without_patient_or_text_are_left_out(tmp_path: Path) -> None:
    documents = [letter(1), letter(2, " \n"), letter(3, ""), Document("D4", TEXT), letter(5, "12\n\n\nbonjour")]
    built = build(tmp_path / "c", documents)
    assert built.empty == 2
    assert built.without_patient == ["D4"]
    assert sorted(one.document.text for one in load_corpus(tmp_path / "c")) == sorted([TEXT, "12\n\n\nbonjour"])


def test_only_the_owner_may_read_a_corpus(tmp_path: Path) -> None:
    build(tmp_path / "c", [letter()])
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "c").rglob("*.*")} == {0o600}


def test_a_folder_of_something_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "notes.txt").write_text("precious")
    with pytest.raises(InputRefused, match="no folder of a corpus"):
        build(tmp_path / "c", [letter()])
    assert (tmp_path / "c" / "notes.txt").read_text() == "precious"
    with pytest.raises(InputRefused, match="No such file"):
        build(tmp_path / "nowhere" / "c", [letter()])


def test_a_full_disk_leaves_the_earlier_corpus(tmp_path: Path) -> None:
    build(tmp_path / "c", [letter(1)])
    documents = [{"id": f"D{number}", "text": TEXT, "patient": {"key": f"P{number}"}} for number in range(40)]
    (tmp_path / "more.jsonl").write_text(jsonl(documents), encoding="utf-8")
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000));"
        "sys.argv = ['deid', 'annotations', 'distant', 'more.jsonl', '--out', 'c'];"
        "runpy.run_module('deid', None, '__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", limited],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[4]), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "File too large" in done.stderr
    assert len(load_corpus(tmp_path / "c")) == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["c", "more.jsonl"]


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    build(tmp_path / "c", list(letters(10)))
    path = tmp_path / "c" / "train" / "part-00000.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InputRefused, match=r"part-00000\.parquet"):
        load_corpus(tmp_path / "c")


def test_labels_without_example_are_told(tmp_path: Path) -> None:
    built = build(tmp_path / "c", list(letters(20)))
    missing = labels_without_example(built.splits)
    assert Label.RPPS in missing
    assert Label.PATIENT not in missing
    assert "| RPPS | 0 (0.0) |" in as_tables(built.splits)


@given(st.text("ab .\nÉD!«»", max_size=60), st.lists(st.tuples(st.integers(0, 59), st.integers(1, 12)), max_size=4))
def test_sentences_hold_the_text_and_cut_no_mention(text: str, spans: list[tuple[int, int]]) -> None:
    mentions: list[Mention] = []
    for start, length in sorted(spans):
        if start >= (mentions[-1].end if mentions else 0) and start + length <= len(text):
            mentions.append(Mention(start, start + length, Label.ORG))
    pieces = list(split_sentences(Reading(Document("d", text)), mentions))
    assert "".join(text[start:end] for start, end in pieces) == text
    assert all(not (one.start < end < one.end) for one in mentions for _, end in pieces)


def test_sentences_end_at_full_stops_but_not_behind_titles() -> None:
    text = "Vu par le Dr. Martin. Bilan normal.\nM. J. Roux sort."
    pieces = [text[start:end] for start, end in split_sentences(Reading(Document("d", text)), ())]
    assert pieces == ["Vu par le Dr. Martin. ", "Bilan normal.\n", "M. J. Roux sort."]


def test_a_tagger_trains_on_a_split(tmp_path: Path) -> None:
    build(tmp_path / "c", list(letters(12)))
    folder = train_tagger("crf", load_corpus(tmp_path / "c" / "train"), SMALL, tmp_path / "models")
    assert (folder / "model.json").is_file()


def test_a_mention_ends_with_its_line_and_any_text_trains(tmp_path: Path) -> None:
    text = "Tél. :\n03 80 11\n22 33\nM. VASSEROT [[x]] 12/03/2024\n"
    patient = Patient(key="P1", last_name="VASSEROT", phones=("03 80 11 22 33",))
    build(tmp_path / "c", [Document("D1", text, patient)])
    (gold,) = load_corpus(tmp_path / "c")
    assert {(text[one.start : one.end], str(one.label)) for one in gold.mentions} == {
        ("03 80 11", "PHONE"),
        ("22 33", "PHONE"),
        ("VASSEROT", "PATIENT"),
        ("12/03/2024", "DATE"),
    }
    train_tagger("crf", [gold], SMALL, tmp_path / "models")
