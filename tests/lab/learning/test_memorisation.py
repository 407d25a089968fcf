"""Exposure of canaries and the search for names in the files of a model."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from tokenizers.decoders import ByteLevel as ByteLevelDecoder

from deid.cli import main
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.labels import Label
from deid.models import FOLDER
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning import memorisation
from nocturne_lab.learning.memorisation import (
    CANARIES,
    SPACE_BITS,
    Check,
    Exposure,
    canaries_of,
    exposure,
    plant_canaries,
    record_canaries,
    search_files,
    telling_strings,
)


def gold(*texts: str) -> list[GoldDocument]:
    marked = [parse_marked(text, "letter") for text in texts]
    return [GoldDocument(Document(str(at), text), mentions, "w") for at, (text, mentions) in enumerate(marked)]


LETTERS = gold(
    "Mme [[PATIENT|Xylophane Martin]], IPP [[IPP|8 001 234 567]], vue le [[DATE|12/03/2024]].",
    "M. [[PATIENT|Vrélotaque]] est revu par le Dr [[DOCTOR|Durand]].",
)


def test_canaries_are_the_same_for_a_seed_and_stand_where_they_are_annotated() -> None:
    documents = [one for at in range(10) for one in LETTERS]
    planted = plant_canaries(documents, 7)
    assert [one.document.text for one in planted] == [one.document.text for one in plant_canaries(documents, 7)]
    texts = [one.document.text for one in planted]
    for canary in canaries_of(7):
        assert sum(canary.text in text for text in texts) == canary.times
    for one in planted:
        for mention in one.mentions:
            assert one.document.text[mention.start : mention.end].strip() != ""
    names = {one.document.text[m.start : m.end] for one in planted for m in one.mentions if m.label == Label.IPP}
    assert len(names) == 1 + len(canaries_of(7))
    assert not {one.text for one in canaries_of(7)} & {one.text for one in canaries_of(8)}
    assert SPACE_BITS > 60
    held_out = {one.document.id for one in documents[:5]}
    apart = [replace(one, document=replace(one.document, id=str(at))) for at, one in enumerate(documents)]
    kept = plant_canaries(apart, 7, {one.document.id for one in apart} - held_out)
    assert {one.document.id for one, before in zip(kept, apart, strict=True) if one == before} >= held_out
    assert all(sum(canary.text in one.document.text for one in kept) == canary.times for canary in canaries_of(7))
    with pytest.raises(InputRefused):
        plant_canaries([], 7)


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=300), st.floats(-60, 60))
def test_exposure_is_between_none_and_the_number_of_draws(others: list[float], score: float) -> None:
    found = exposure(score, others)
    assert -1e-9 <= found <= math.log2(len(others) + 1) + 1e-9
    assert exposure(100, others) == pytest.approx(math.log2(len(others) + 1))
    assert exposure(-100, others) == pytest.approx(0)
    assert exposure(score + 1, others) >= found


def test_exposure_by_chance_is_1_44_bits() -> None:
    random = np.random.default_rng(5)
    drawn = [exposure(random.random(), random.random(255).tolist()) for _ in range(2000)]
    assert np.mean(drawn) == pytest.approx(1 / math.log(2), abs=0.1)
    assert np.mean(np.array(drawn) > 3) == pytest.approx(1 / 8, abs=0.03)


def test_only_what_the_corpus_alone_can_have_given_is_searched() -> None:
    assert telling_strings(LETTERS) == {"xylophane", "vrelotaque", "8001234567"}


def test_a_name_in_the_vocabulary_of_a_tokenizer_of_the_hospital_is_found(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.decoder = ByteLevelDecoder()
    tokenizer.train_from_iterator(["vu Vrélotaque ce jour"] * 50, trainers.BpeTrainer(vocab_size=500))
    strings = telling_strings(LETTERS)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert "Vrélotaque" not in (tmp_path / "tokenizer.json").read_text(), "bytes have letters of their own there"
    assert search_files(tmp_path, strings) == {"tokenizer.json": 1}
    (tmp_path / "notes.bin").write_bytes(b"\xff\x00 XYLOPHANE 8001234567\x00")
    (tmp_path / "vocab.json").write_text(json.dumps({"vrélotaques": 1}))
    assert search_files(tmp_path, strings) == {"notes.bin": 2, "tokenizer.json": 1}


@pytest.mark.parametrize(
    ("mean", "searched", "found", "told"),
    [
        (None, 5, {}, ["no canary"]),
        (2.0, None, {}, ["not searched"]),
        (3.1, 5, {}, ["exposed by 3.1 bits"]),
        (2.0, 5, {"tokenizer.json": 3}, ["stand in tokenizer.json"]),
        (3.0, 5, {}, []),
    ],
)
def test_what_forbids_that_a_model_leaves(
    mean: float | None, searched: int | None, found: dict[str, int], told: list[str]
) -> None:
    exposures = {} if mean is None else {"tags": (Exposure(1, 8, 1.2, 3.0), Exposure(8, 8, mean, 9.0))}
    check = Check(exposures, searched, found, memorisation.BOUND)
    assert len(check.obstacles) == len(told)
    assert all(part in obstacle for part, obstacle in zip(told, check.obstacles, strict=True))
    section = memorisation.memorisation_section(check)
    assert ("must not leave" in section) == bool(told)
    assert "xylophane" not in section


def test_a_directory_whose_canaries_are_unknown_or_that_cannot_be_checked_is_refused(tmp_path: Path) -> None:
    record_canaries(tmp_path, 7)
    (tmp_path / CANARIES).write_text('{"seed": 7, "count": 3, "times": [1]}')
    with pytest.raises(InputRefused, match="not what this release plants"):
        memorisation.check_model(tmp_path, None)
    (tmp_path / CANARIES).write_text("{")
    with pytest.raises(InputRefused, match="not what this release plants"):
        memorisation.check_model(tmp_path, None)
    (tmp_path / "model.json").write_text('{"kind": "gazetteer"}')
    with pytest.raises(PolicyError):
        memorisation.measure_exposure(tmp_path, 7)


class Trigrams:
    """A character language model by counts of what it was trained on, as an annotator may hold one."""

    name = "trigrams"

    def __init__(self, texts: Sequence[str]) -> None:
        self._counts = Counter(text[at : at + 3] for text in texts for at in range(len(text) - 2))

    def annotate(self, reading: Reading) -> list[Mention]:
        raise AssertionError(f"{reading.document.id} is to be scored, not annotated")

    def likelihoods(self, texts: Sequence[str]) -> list[float]:
        return [sum(math.log(1 + self._counts[text[at : at + 3]]) for at in range(len(text) - 2)) for text in texts]


def test_a_language_model_is_judged_by_the_likelihood_of_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 255)
    (tmp_path / "model.json").write_text('{"kind": "trigrams"}')
    planted = [one.document.text for one in plant_canaries(LETTERS * 10, 7)]
    monkeypatch.setattr(memorisation, "build", lambda _: Trigrams(planted))
    seen, unseen = (memorisation.measure_exposure(tmp_path, seed) for seed in (7, 8))
    assert set(seen) == {"text"}
    once, often = seen["text"]
    assert once.mean > 7
    assert often.mean == 8, "no other draw is as likely"
    assert all(one.mean < memorisation.BOUND for one in unseen["text"])


@pytest.mark.slow
def test_a_tagger_that_saw_canaries_often_exposes_them_and_one_that_did_not_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 1023)
    letters = FOLDER.parents[1] / "corpus" / "train"
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for path in sorted(letters.glob("*.txt"))[:60]:
        (corpus / path.name).write_bytes(path.read_bytes())
    train = ["train", str(corpus), "--out", str(tmp_path), "--kind", "bilstm_crf", "--small", "--canaries", "7"]
    assert main(train) == 0
    seen = memorisation.measure_exposure(tmp_path / "bilstm_crf", 7)["tags"]
    unseen = memorisation.measure_exposure(tmp_path / "bilstm_crf", 8)["tags"]
    assert seen[1].mean > memorisation.BOUND > unseen[1].mean, "planted in eight documents each"
    capsys.readouterr()
    assert main(["models", "check", str(tmp_path / "bilstm_crf"), "--corpus", str(corpus)]) == 1
    told = json.loads(capsys.readouterr().out)
    assert "canaries are exposed" in told["obstacles"][0]
    card = (tmp_path / "bilstm_crf" / "README.md").read_text()
    assert "must not leave" in card
    assert main(["models", "check", str(tmp_path / "bilstm_crf"), "--corpus", str(corpus), "--bound", "12"]) == 0
    assert "may leave" in (tmp_path / "bilstm_crf" / "README.md").read_text()
