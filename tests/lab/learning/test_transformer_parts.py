"""The parts of training a transformer: vocabulary, packed and masked words, examples, who is held out."""

from __future__ import annotations

import gzip
import lzma
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from deid.detection.taggers.tags import encode
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.errors import InputRefused, SettingsError
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.transformer import optimization, pretraining_data
from nocturne_lab.learning.transformer.classifier import labels_without_example
from nocturne_lab.learning.transformer.examples import split, window_examples
from nocturne_lab.learning.transformer.plan import Plan
from nocturne_lab.learning.transformer.pretraining_data import IGNORED, Subwords, masked
from nocturne_lab.learning.transformer.tuning import tune
from tests.lab.learning.transformer_letters import letters, small

LETTER = "Vu M. Jean DUPONT,  né le 12/03/1950\n\nà Saint-E\u0301tienne (tél. 02 98 00 11 22) l'œuvre\r\n"


@cache
def _learned() -> Tokenizer:
    return pretraining_data.learn([LETTER] * 20, 500, 1)


@pytest.fixture
def tokenizer() -> Tokenizer:
    return _learned()


@settings(deadline=None)
@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80))
def test_a_subword_of_ours_stays_in_one_token(text: str) -> None:
    """Save where signs are composed into the letter before: "é" of two characters is two tokens."""
    tokenizer = _learned()
    composed = tokenizer.normalizer.normalize_str(text)
    reading = Reading(Document("d", composed))
    for start, end in tokenizer.encode(composed, add_special_tokens=False).offsets:
        touched = [
            at
            for at, (first, last) in enumerate(zip(reading.starts, reading.ends, strict=True))
            if first < end and last > start
        ]
        marks = [at for at in touched[1:] if not _is_mark(reading.words[at])]
        assert not marks


def _is_mark(word: str) -> bool:
    return unicodedata.category(word[0]).startswith("M")


def test_line_breaks_and_every_character_are_kept(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("a\n\nb 🙂\x01", add_special_tokens=False)
    assert encoding.tokens.count("Ċ") == 2
    assert tokenizer.decode(encoding.ids) == "a\n\nb 🙂\x01"


def test_digits_stand_alone(tokenizer: Tokenizer) -> None:
    assert len(tokenizer.encode("0298001122", add_special_tokens=False).ids) == 10


def _subwords(tokenizer: Tokenizer, texts: list[str], folder: Path, length: int) -> Subwords:
    pretraining_data.encode(tokenizer, texts, folder)
    return Subwords(folder, tokenizer, length)


def test_sequences_are_framed_and_follow_the_texts(tokenizer: Tokenizer, tmp_path: Path) -> None:
    subwords = _subwords(tokenizer, [LETTER] * 30, tmp_path, 20)
    whole = 30 * tokenizer.encode(LETTER, add_special_tokens=False).ids
    each = (len(whole) // 18 - 1) // 4
    batches = list(islice(subwords.batches(4, 7, 0), 2 * each))
    frame = {tokenizer.token_to_id(mark) for mark in (pretraining_data.BEGIN, pretraining_data.END)}
    assert {ids.shape for ids, _ in batches} == {(4, 20)}
    assert {int(one) for ids, _ in batches for one in ids[:, [0, -1]].ravel()} == frame
    places = [tuple(row[1:-1]) for ids, _ in batches[:each] for row in ids]
    text = "".join(map(chr, whole))
    assert all("".join(map(chr, one)) in text for one in places)
    resumed = islice(subwords.batches(4, 7, each + 1), each - 1)
    assert all(np.array_equal(one[0], two[0]) for one, two in zip(batches[each + 1 :], resumed, strict=True))
    assert not np.array_equal(batches[0][0], batches[each][0])  # another order in another pass


def test_texts_that_fill_no_batch_are_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="do not fill one batch"):
        next(_subwords(tokenizer, [LETTER], tmp_path, 64).batches(64, 7, 0))


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5])
def test_words_are_hidden_whole(tokenizer: Tokenizer, tmp_path: Path, share: float) -> None:
    ids, beginnings = next(_subwords(tokenizer, [LETTER] * 400, tmp_path, 64).batches(64, 7, 0))
    draw = torch.Generator().manual_seed(7)
    found = masked(torch.from_numpy(ids), torch.from_numpy(beginnings), share, tokenizer, draw)
    seen, wanted = (one.numpy() for one in found)
    hidden = wanted != IGNORED
    mask = tokenizer.token_to_id(pretraining_data.MASK)
    assert hidden.any()
    assert np.array_equal(wanted[hidden], ids[hidden])
    assert np.array_equal(seen[~hidden], ids[~hidden])
    assert not hidden[:, [0, -1]].any()
    words = np.cumsum(beginnings.ravel())
    for word in np.unique(words[hidden.ravel()]):
        of_word = words == word
        assert hidden.ravel()[of_word].all()
        assert len({*(seen.ravel()[of_word] == mask)}) == 1
    if share >= 0.2:
        assert abs(len(np.unique(words[hidden.ravel()])) / words[-1] - share) < 0.05
        assert abs((seen[hidden] == mask).mean() - 0.8) < 0.06


@settings(deadline=None, max_examples=30)
@given(
    marks=st.lists(st.tuples(st.integers(0, 380), st.integers(1, 30)), max_size=8),
    length=st.sampled_from([24, 64, 400]),
)
def test_each_token_is_judged_once_with_its_tag(marks: list[tuple[int, int]], length: int) -> None:
    tokenizer = _learned()
    text = (LETTER * 5)[:400].replace("E\u0301", "É")
    mentions, end = [], 0
    for start, width in sorted(marks):
        if start >= end and text[start : start + width].strip():
            mentions.append(Mention(start, min(start + width, len(text)), Label.PATIENT))
            end = start + width
    gold = GoldDocument(Document("d", text), tuple(mentions), "a")
    reading = Reading(gold.document)
    judged = [tag for one in window_examples(tokenizer, [gold], length) for tag in one.tags.tolist() if tag != IGNORED]
    assert judged == encode(reading, mentions).tolist()
    assert all(len(one.ids) <= length for one in window_examples(tokenizer, [gold], length))


def test_doubtful_sentences_have_no_tags() -> None:
    text = "Vu ce jour avec Kerbrat. Adressé par Madec. Va bien.\nSigné Vraz.\n"
    spans = [(name, text.index(name), text.index(name) + len(name)) for name in ("Kerbrat", "Madec", "Vraz")]
    scores = {"Kerbrat": 0.9, "Madec": 0.4, "Vraz": 1.0}
    mentions = tuple(Mention(start, end, Label.DOCTOR, scores[name]) for name, start, end in spans)
    gold = GoldDocument(Document("d", text), mentions, "a")

    def told(least: float) -> list[int]:
        return [tag for one in window_examples(_learned(), [gold], 400, least) for tag in one.tags if tag != IGNORED]

    whole, sure = told(0.0), told(0.5)
    labelled = {tag: whole.count(tag) for tag in whole if tag}
    assert sum(labelled.values()) == 3
    assert sum(1 for tag in sure if tag) == 2
    assert len(whole) - len(sure) == len("Adressé par Madec .".split()), "the sentence is left out as a whole"
    doubtful = replace(gold, mentions=(Mention(0, len(text), Label.ID, 0.4),))
    assert list(window_examples(_learned(), [doubtful], 400)) == []
    alone = replace(gold, mentions=mentions[1:2])
    counts = Counter(tag for one in window_examples(_learned(), [alone], 400) for tag in one.tags if tag != IGNORED)
    assert "DOCTOR" in labels_without_example(counts), "a doubtful tag is no example"


def _documents(authors: list[str]) -> list[GoldDocument]:
    return [GoldDocument(Document(f"{name}-{at}", "x"), (), name) for at, name in enumerate(authors)]


@given(authors=st.lists(st.sampled_from("abcdef"), min_size=2, max_size=30), share=st.floats(0.05, 0.5))
def test_no_author_is_on_both_sides(authors: list[str], share: float) -> None:
    documents = _documents(authors)
    learned, held_out = split(documents, share, 7)
    assert sorted(one.document.id for one in learned + held_out) == sorted(one.document.id for one in documents)
    assert learned
    assert held_out
    if len(set(authors)) > 1:
        assert not {one.author for one in learned} & {one.author for one in held_out}
    assert split(documents, share, 7) == (learned, held_out)
    assert split(documents, 0, 7) == (documents, [])


@given(patients=st.lists(st.sampled_from("abcdef"), min_size=6, max_size=30), author=st.sampled_from(["", "w1"]))
def test_no_patient_is_on_both_sides_where_no_author_tells(patients: list[str], author: str) -> None:
    documents = [GoldDocument(Document(f"d{at}", "x", Patient(key=key)), (), author) for at, key in enumerate(patients)]
    learned, held_out = split(documents, 0.2, 7)
    assert len(learned) + len(held_out) == len(documents)
    assert not {one.document.patient.key for one in learned} & {one.document.patient.key for one in held_out}
    assert learned
    assert held_out or len(set(patients)) == 1
    others = [GoldDocument(Document(f"e{at}", "x"), (), "w2") for at in range(4)]
    learned, held_out = split([*documents, *others], 0.2, 7)
    sides = [{one.author or one.document.patient.key for one in side} for side in (learned, held_out)]
    assert not sides[0] & sides[1]


def test_texts_of_any_packing_are_read_as_often_as_patterns_match(tmp_path: Path) -> None:
    lines = {f"{kind} {at}\n" for kind in ("plain", "gz", "xz") for at in range(200)}
    for kind, opened in (("txt", open), ("txt.gz", gzip.open), ("txt.xz", lzma.open)):
        name = {"txt": "plain", "txt.gz": "gz", "txt.xz": "xz"}[kind]
        with opened(tmp_path / f"{name}.{kind}", "wt", encoding="utf-8") as stream:
            stream.writelines(sorted(line for line in lines if line.startswith(name)))
    paths = pretraining_data.files([str(tmp_path / "*.txt*"), str(tmp_path / "plain.txt")])
    read = "".join(pretraining_data.passages(paths, "7")).splitlines(keepends=True)
    assert sorted(read) == sorted([*lines, *(line for line in lines if line.startswith("plain"))])
    assert read != sorted(read)  # mixed
    assert read == "".join(pretraining_data.passages(paths, "7")).splitlines(keepends=True)


def test_records_are_read_by_their_text(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": 1, "text": "Un cas."}\n{"text": "Deux\\ncas."}\n', encoding="utf-8")
    assert "".join(pretraining_data.passages([tmp_path / "cases.jsonl"], "7")) == "Un cas.\nDeux\ncas.\n"
    (tmp_path / "cases.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(InputRefused, match=r"cases.jsonl.*text"):
        list(pretraining_data.passages([tmp_path / "cases.jsonl"], "7"))


@pytest.mark.parametrize("name", ["t.txt", "t.txt.xz", "t.txt.gz"])
def test_a_text_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputRefused, match=name):
        list(pretraining_data.passages([tmp_path / name], "7"))


def test_the_rate_rises_then_falls() -> None:
    rates = [optimization.rate(1.0, 0.1, done) for done in (0.0, 0.05, 0.1, 0.55, 1.0, 1.2)]
    assert rates == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0, 0.0])
    assert optimization.rate(1.0, 0.0, 0.0) == 1.0


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Sums in one order: a busy machine gives them fewer threads, and two trials may change places by a last digit."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("one_thread")
def test_tuning_gives_a_plan_no_worse_than_the_first(tmp_path: Path) -> None:
    plan = small(pretraining=None)
    best = tune(plan, letters(6), tmp_path, 2)
    assert isinstance(best, Plan)
    assert best.encoder == plan.encoder
    assert best == tune(plan, letters(6), tmp_path / "again", 2)


def test_a_study_of_a_name_needs_a_database(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="NOCTURNE_TUNING_DSN"):
        tune(small(pretraining=None), letters(6), tmp_path, 1, study="ours")
