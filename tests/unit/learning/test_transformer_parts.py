"""The parts of training a transformer: vocabulary, packed and masked words, examples, who is held out."""

from __future__ import annotations

import gzip
import lzma
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from deid.detection.reading import Reading
from deid.detection.taggers.tags import encode
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, SettingsError
from deid.domain.labels import Label
from deid.evaluation.corpus import GoldDocument
from deid.learning.transformer import optimization, pretraining_data
from deid.learning.transformer.examples import split, window_examples
from deid.learning.transformer.plan import Plan
from deid.learning.transformer.pretraining_data import IGNORED, masked, packed
from deid.learning.transformer.tuning import tune
from tests.unit.learning.transformer_letters import letters, small

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


def test_sequences_are_framed_and_lose_nothing_inside(tokenizer: Tokenizer) -> None:
    batches = list(packed(tokenizer, [LETTER] * 30, 20, 4, 7))
    frame = {tokenizer.token_to_id(mark) for mark in (pretraining_data.BEGIN, pretraining_data.END)}
    assert {batch.ids.shape for batch in batches} == {(4, 20)}
    assert {int(one) for batch in batches for one in batch.ids[:, [0, -1]].ravel()} == frame
    total = 30 * len(tokenizer.encode(LETTER, add_special_tokens=False).ids)
    assert len(batches) == total // 18 // 4
    again = list(packed(tokenizer, [LETTER] * 30, 20, 4, 7))
    assert all(np.array_equal(one.ids, two.ids) for one, two in zip(batches, again, strict=True))


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5])
def test_words_are_hidden_whole(tokenizer: Tokenizer, share: float) -> None:
    (batch, *_) = packed(tokenizer, [LETTER] * 400, 64, 64, 7)
    seen, wanted = masked(batch, share, tokenizer, np.random.default_rng(7))
    hidden = wanted != IGNORED
    mask = tokenizer.token_to_id(pretraining_data.MASK)
    assert hidden.any()
    assert np.array_equal(wanted[hidden], batch.ids[hidden])
    assert np.array_equal(seen[~hidden], batch.ids[~hidden])
    assert not hidden[:, [0, -1]].any()
    words = np.cumsum(batch.beginnings.ravel())
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


def test_texts_of_any_packing_are_read_once(tmp_path: Path) -> None:
    lines = {f"{kind} {at}\n" for kind in ("plain", "gz", "xz") for at in range(200)}
    for kind, opened in (("txt", open), ("txt.gz", gzip.open), ("txt.xz", lzma.open)):
        name = {"txt": "plain", "txt.gz": "gz", "txt.xz": "xz"}[kind]
        with opened(tmp_path / f"{name}.{kind}", "wt", encoding="utf-8") as stream:
            stream.writelines(sorted(line for line in lines if line.startswith(name)))
    paths = pretraining_data.files([str(tmp_path / "*.txt*"), str(tmp_path / "plain.txt")])
    read = "".join(pretraining_data.passages(paths, "7")).splitlines(keepends=True)
    assert sorted(read) == sorted(lines)
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


def test_tuning_gives_a_plan_no_worse_than_the_first(tmp_path: Path) -> None:
    plan = small(pretraining=None)
    best = tune(plan, letters(6), tmp_path, 2)
    assert isinstance(best, Plan)
    assert best.encoder == plan.encoder
    assert best == tune(plan, letters(6), tmp_path / "again", 2)


def test_a_study_of_a_name_needs_a_database(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="NOCTURNE_TUNING_DSN"):
        tune(small(pretraining=None), letters(6), tmp_path, 1, study="ours")
