"""States of a frozen encoder at tokens, and the tagger that reads them: trained, copied, served, refused if altered."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators.registry import Tagger, build
from deid.detection.annotators.transformer.embeddings import EncoderStates
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import PolicyError
from deid.models.directories import directory_hash
from nocturne_lab.evaluation.corpus import gold_record
from nocturne_lab.hospital.model_facts import kind_of, read_training
from nocturne_lab.learning import memorisation
from nocturne_lab.learning.checkpoints import Checkpoint, Position
from nocturne_lab.learning.model_card import new_card
from nocturne_lab.learning.taggers.training import PACKAGED_ENCODER, SMALL, train_tagger
from tests.lab.learning.taggers.test_checkpoints import TINY
from tests.lab.learning.transformer_encoders import ENCODERS, encoder
from tests.lab.learning.transformer_letters import letters as small_letters
from tests.unit.cli.conftest import Call, deid, jsonl

__all__ = ["deid"]
KIND = "encoder_bilstm_crf"


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def files(folder: Path) -> dict[str, bytes]:
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def served(folder: Path, reading: Reading) -> np.ndarray:
    tagger = build(AnnotatorChoice(name=KIND, options={"model": str(folder)}))
    assert isinstance(tagger, Tagger)
    (found,) = tagger.distributions([reading])
    return found


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_a_token_has_the_mean_of_the_last_states_of_its_subwords(name: str, tmp_path: Path) -> None:
    path = encoder(name, tmp_path)
    text = "Cher confrère,\nBisoprolol : Mme Guézennec-Plouguer habite Quimperlé."
    reading = Reading(Document("a", text))
    (found,) = EncoderStates(path).states([text], [reading.starts], [reading.ends])
    encoding = Tokenizer.from_file(str(path / "tokenizer.json")).encode(text)
    with torch.inference_mode():
        states = AutoModel.from_pretrained(path)(input_ids=torch.tensor([encoding.ids])).last_hidden_state[0].numpy()
    several = 0
    for row, (start, end) in enumerate(zip(reading.starts, reading.ends, strict=True)):
        own = [at for at, (low, high) in enumerate(encoding.offsets) if low < end and high > start]
        several += len(own) > 1
        wanted = states[own].mean(axis=0) if own else np.zeros(states.shape[1])
        assert np.allclose(found[row], wanted, atol=4e-3), text[start:end]
    assert several > 3


def test_states_do_not_depend_on_the_batch_and_long_texts_have_them_everywhere() -> None:
    states = EncoderStates(PACKAGED_ENCODER)
    long = "\n".join(one.document.text for one in small_letters())
    readings = [Reading(Document("a", text)) for text in (long, "Mme Kerbrat est revue.", "", "\n")]
    texts, starts, ends = ([getattr(one, name) for one in readings] for name in ("text", "starts", "ends"))
    together = states.states(texts, starts, ends)
    for text, first, last, own in zip(texts, starts, ends, together, strict=True):
        assert np.array_equal(states.states([text], [first], [last])[0], own)
        assert own.shape == (len(first), states.width)
    words = np.array([not text.isspace() for text in readings[0].words])
    assert np.abs(together[0][words].astype(np.float32)).sum(axis=1).min() > 0


def test_what_is_trained_serves_from_any_folder_without_the_encoder_s_own(tmp_path: Path) -> None:
    start = encoder("camembert", tmp_path)
    recipe = replace(SMALL, encoder=replace(SMALL.encoder, epochs=8, batch=4, rate=1e-2))
    folder = train_tagger(KIND, small_letters(), recipe, tmp_path / "out", encoder=start)
    assert kind_of(folder) == KIND
    assert "| encoder | camembert |" in new_card(KIND, read_training(folder), "other")
    reading = Reading(small_letters()[3].document)
    before, digest = served(folder, reading), directory_hash(folder)
    moved = tmp_path / "registry" / digest
    shutil.copytree(folder, moved)
    for gone in (start, folder):
        shutil.rmtree(gone)
    assert np.array_equal(served(moved, reading), before)
    tagger = build(AnnotatorChoice(name=KIND, options={"model": str(moved)}))
    found = {(one.start, one.end, one.label) for one in tagger.annotate(reading)}
    wanted = {(one.start, one.end, one.label) for one in small_letters()[3].mentions}
    assert len(found & wanted) > len(wanted) / 2, "it learned from the states"
    weights = moved / "encoder" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    with pytest.raises(PolicyError, match=r"the encoder of model .* is not the one it was trained on"):
        build(AnnotatorChoice(name=KIND, options={"model": str(moved)}))


def test_an_interrupted_training_goes_on_and_with_another_encoder_begins_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = (encoder(name, tmp_path) for name in ("mbert", "flaubert"))
    whole = train_tagger(KIND, small_letters(6), TINY, tmp_path / "whole", encoder=first)
    save, out = Checkpoint.save, tmp_path / "interrupted"

    def interrupted(self: Checkpoint, at: Position, *state: Any) -> None:
        save(self, at, *state)
        if at.epoch == 1:
            raise KeyboardInterrupt

    for start in (first, other):
        with monkeypatch.context() as patched:
            patched.setattr(Checkpoint, "save", interrupted)
            with pytest.raises(KeyboardInterrupt):
                train_tagger(KIND, small_letters(6), TINY, out, save_every=0, encoder=first)
        again = train_tagger(KIND, small_letters(6), TINY, out, encoder=start)
        assert (files(again) == files(whole)) == (start == first)
        assert ("of another corpus or recipe" in caplog.text) == (start == other)


@pytest.mark.usefixtures("english")
def test_the_command_takes_an_encoder_and_a_check_measures_its_canaries(
    deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 63)
    (tmp_path / "corpus.jsonl").write_text(jsonl([gold_record(one) for one in small_letters(6)]), encoding="utf-8")
    start = encoder("flaubert", tmp_path)
    asked = ("train", "corpus.jsonl", "--kind", KIND, "--small", "--canaries", "7", "--out", "models")
    said = deid(*asked, "--start", start)
    assert said.status == 0, said.err
    folder = tmp_path / "models" / KIND
    assert files(folder)["encoder/model.safetensors"] == (start / "model.safetensors").read_bytes()
    check = memorisation.check_model(folder, small_letters(6))
    assert set(check.exposures) == {"tags"}
    assert "encoder/tokenizer.json" in check.found, "words of a tokenizer are searched too"
    (start / "tokenizer.json").unlink()
    refused = deid(*asked, "--start", start)
    assert refused.status == 2
    assert "flaubert holds no encoder" in refused.err
