"""Open corpora: rows read as they are written, bad ones refused by file and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from deid.domain.errors import InputRefused
from deid.domain.labels import SCHEMES
from nocturne_lab.learning.open_corpora import CORPORA, QUAERO, TaggedSentence, check_licence, coarse, read_sentences

NEWS = {
    "tokens": ["1er", "janvier", "2016", ",", "14h30", ":", "Valence", "(", "Drôme", ")"],
    "tags": ["B-DATE", "I-DATE", "I-DATE", "O", "B-HOUR", "O", "B-LOC", "O", "B-LOC", "O"],
    "doc": "2016_01_01-001",
}
TREE = {"tokens": ["Aviator", ",", "un", "film"], "upos": ["PROPN", "PUNCT", "DET", "NOUN"], "src": "dev.conllu"}


def corpus(folder: Path, *rows: object, name: str = "winer_fr_wikinews.jsonl.gz") -> Path:
    path = folder / name
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("name", ["winer_fr_wikinews.jsonl.gz", "plain.jsonl"])
def test_sentences_come_in_order(tmp_path: Path, name: str) -> None:
    found = list(read_sentences(corpus(tmp_path, NEWS, "", TREE, name=name)))
    assert found == [
        TaggedSentence(tuple(NEWS["tokens"]), tuple(NEWS["tags"])),
        TaggedSentence(tuple(TREE["tokens"]), tuple(TREE["upos"])),
    ]


@pytest.mark.parametrize(
    "row",
    [
        "{",
        "[]",
        {"tokens": ["a"]},
        {"tokens": ["a"], "tags": ["O"], "upos": ["DET"]},
        {"tokens": ["a", "b"], "tags": ["O"]},
        {"tokens": [], "tags": []},
        {"tokens": ["a", ""], "tags": ["O", "O"]},
        {"tokens": ["a", 3], "tags": ["O", "O"]},
        {"tokens": "ab", "tags": ["O", "O"]},
        {"tokens": ["a"], "tags": ["PER"]},
        {"tokens": ["a"], "tags": ["B-"]},
        {"tokens": ["a"], "tags": ["I-PER"]},
        {"tokens": ["a", "b"], "tags": ["B-LOC", "I-PER"]},
        {"tokens": ["a"], "upos": ["NOM"]},
    ],
)
def test_a_bad_row_is_refused_by_file_and_line(tmp_path: Path, row: object) -> None:
    with pytest.raises(InputRefused, match=r"^winer_fr_wikinews\.jsonl\.gz, line 2: ") as refused:
        list(read_sentences(corpus(tmp_path, NEWS, row)))
    assert "Valence" not in str(refused.value)


def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_text(json.dumps(NEWS), encoding="utf-8")
    with pytest.raises(InputRefused, match=r"x\.jsonl\.gz"):
        list(read_sentences(path))
    with pytest.raises(InputRefused, match=r"absent\.jsonl"):
        list(read_sentences(tmp_path / "absent.jsonl"))


def test_classes_that_we_lack_are_outside() -> None:
    sentence = TaggedSentence(tuple(NEWS["tokens"]), tuple(NEWS["tags"]))
    tags = coarse(sentence, CORPORA["winer_fr_wikinews.jsonl.gz"])
    assert tags == ("B-DATE", "I-DATE", "I-DATE", "O", "O", "O", "B-LOC", "O", "B-LOC", "O")
    undated = coarse(sentence, CORPORA["wikiner_fr_train.jsonl.gz"])
    assert undated[:3] == ("O", "O", "O")


def test_every_corpus_maps_to_coarse_classes_and_is_decided_on() -> None:
    known = set(SCHEMES["coarse"].values())
    for file, entry in CORPORA.items():
        assert entry.file == file
        assert set(entry.classes.values()) <= known
        assert entry.decides <= set(entry.classes.values())
        assert "DATE" not in entry.decides, "an untagged date is no negative"
        assert entry.licence
        assert entry.why


def test_share_alike_and_non_commercial_corpora_are_not_shipped() -> None:
    for entry in CORPORA.values():
        if any(word in entry.licence for word in ("SA", "NC", "LGPL")):
            assert not entry.shippable
    assert {entry.file for entry in CORPORA.values() if entry.shippable} == {
        "winer_fr_wikinews.jsonl.gz",
        "romans7_fr.jsonl.gz",
        "europeana_fr_bnf.jsonl.gz",
        "newseye_fr_hist.jsonl.gz",
    }


@pytest.mark.parametrize(
    ("names", "licence", "remedy"),
    [
        (["wikiner_fr_train.jsonl.gz"], "other", "Give --licence cc-by-sa-3.0 or cc-by-sa-4.0"),
        (["wikiner_fr_train.jsonl.gz"], "mit", "Give --licence cc-by-sa-3.0 or cc-by-sa-4.0"),
        (["wikiner_fr_train.jsonl.gz", "eltec_ner_fr.jsonl.gz"], "cc-by-sa-3.0", "Give --licence cc-by-sa-4.0"),
        ([QUAERO.file], "cc-by-sa-4.0", "Give --licence gfdl"),
        (["wikiner_fr_train.jsonl.gz", QUAERO.file], "gfdl", "No licence agrees with all"),
        (["perdu.jsonl.gz"], "other", "Train without it"),
    ],
)
def test_a_licence_that_contradicts_a_corpus_is_refused(names: list[str], licence: str, remedy: str) -> None:
    with pytest.raises(InputRefused, match=remedy):
        check_licence(names, licence)


def test_attribution_suffices_or_share_alike_is_kept() -> None:
    for corpus in (*CORPORA.values(), QUAERO):
        assert corpus.shippable == (not corpus.alike)
        for licence in corpus.alike or {"other", "mit", "cc-by-sa-4.0"}:
            check_licence([corpus.file], licence)
