"""Character language models: their states at tokens, their training, and the tagger that reads them."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators.registry import Tagger, build
from deid.detection.taggers.characters import Alphabet, CharacterStates
from deid.detection.taggers.tagging import MANIFEST_FILE
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import InputRefused, PolicyError
from nocturne_lab.hospital.model_facts import read_training
from nocturne_lab.learning import memorisation
from nocturne_lab.learning.model_card import new_card
from nocturne_lab.learning.taggers.characters import CharacterSettings, read_texts, train_characters
from nocturne_lab.learning.taggers.training import Recipe, train_tagger
from tests.lab.learning.taggers.test_checkpoints import TINY, contents, kill_in_mid_epoch, letters
from tests.lab.learning.transformer_letters import letters as small_letters

SETTINGS = CharacterSettings(width=8, hidden=24, lanes=4, length=16, epochs=12, rate=1e-2, dropout=0.0)


@pytest.fixture(scope="module")
def models() -> CharacterStates:
    torch.manual_seed(1)
    return CharacterStates("abcdé ", 4, 6)


def stepwise(models: CharacterStates, text: str, start: int, end: int) -> np.ndarray:
    """Return a token's embedding, one character at a time."""
    found = []
    for model, signs in ((models.onward, text[:end]), (models.backward_, text[start:][::-1])):
        code, carried = models.alphabet.codes(signs), None
        for sign in code:
            states, carried = model.read(torch.tensor([[sign]]), carried)
        found.append(states[0, 0].detach().numpy())
    return np.concatenate(found)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.text("abcdéz ", max_size=600), st.integers(0, 600)), min_size=1, max_size=4))
def test_states_are_those_at_the_edges_of_each_token(texts: list[tuple[str, int]]) -> None:
    torch.manual_seed(1)
    models = CharacterStates("abcdé ", 4, 6)
    cut = [min(at, len(text)) for text, at in texts]
    alone = [text for text, _ in texts]
    starts = [[0, at] for at in cut]
    ends = [[at, len(text)] for text, at in zip(alone, cut, strict=True)]
    for text, first, last, states in zip(alone, starts, ends, models.states(alone, starts, ends), strict=True):
        for row in range(2):
            assert np.allclose(states[row], stepwise(models, text, first[row], last[row]), atol=2e-3)


def test_states_do_not_depend_on_the_batch(models: CharacterStates) -> None:
    texts = ["abc " * count for count in (1, 80, 3, 200, *range(4, 20))]
    ends = [list(range(3, len(text), 4)) for text in texts]
    starts = [[end - 3 for end in own] for own in ends]
    together = models.states(texts, starts, ends)
    for text, first, last, states in zip(texts, starts, ends, together, strict=True):
        (alone,) = models.states([text], [first], [last])
        assert np.array_equal(states, alone)
    assert models.states([], [], []) == []
    assert models.states([""], [[]], [[]])[0].shape == (0, 12)


def test_likelihoods_are_those_of_each_next_and_each_previous_character(models: CharacterStates) -> None:
    texts = ["", "abc", "dé cab" * 60, "z" + "ab " * 100]
    for text, found in zip(texts, models.likelihoods(texts), strict=True):
        wanted = 0.0
        for model, signs in ((models.onward, text), (models.backward_, text[::-1])):
            states, _ = model.read(torch.from_numpy(models.alphabet.codes(signs)).unsqueeze(0), None)
            shares = torch.log_softmax(model.out(states)[0].double(), dim=1)
            wanted += sum(float(shares[at, code]) for at, code in enumerate(models.alphabet.codes(signs)[1:]))
        assert found == pytest.approx(wanted, abs=1e-2)
    assert models.likelihoods([]) == []


def test_a_flair_that_read_canaries_often_exposes_them_by_its_character_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 255)
    characters = CharacterSettings(width=16, hidden=64, lanes=4, length=48, epochs=30, rate=1e-2, dropout=0.0)
    recipe = replace(TINY, characters=characters, flair=replace(TINY.flair, epochs=1))
    folder = train_tagger("flair", memorisation.plant_canaries(small_letters(8), 7), recipe, tmp_path)
    seen, unseen = (memorisation.measure_exposure(folder, seed) for seed in (7, 8))
    assert set(seen) == {"tags", "text"}
    assert seen["text"][1].mean > 7, "no other draw but a few is as likely"
    assert all(one.mean < memorisation.BOUND for one in unseen["text"])
    memorisation.record_canaries(folder, 7)
    assert "canaries are exposed" in memorisation.check_model(folder, None).obstacles[0]


def test_characters_without_a_code_are_read_as_unknown() -> None:
    assert Alphabet("\na").codes("a\U0001f600\udc80").tolist() == [1, 2, 0, 0]


def test_training_learns_what_follows_and_gives_the_same_weights_again() -> None:
    texts = ["le patient va bien. " * 20] * 12
    first, second = (train_characters(texts, SETTINGS, 3) for _ in range(2))
    for name, value in first.tensors().items():
        assert torch.equal(value, second.tensors()[name])
    codes = torch.from_numpy(first.alphabet.codes(texts[0])).unsqueeze(0)
    for model, read in ((first.onward, codes), (first.backward_, torch.cat((codes[:, :1], codes[:, 1:].flip(1)), 1))):
        states, _ = model.read(read[:, :-1], None)
        loss = torch.nn.functional.cross_entropy(model.out(states)[0, 20:], read[0, 21:])
        assert float(loss) < 0.5  # 2.6 nats where every character is as likely


def test_texts_are_read_from_lines_and_records_and_refused_by_line(tmp_path: Path) -> None:
    plain, records = tmp_path / "a.txt", tmp_path / "b.jsonl.xz"
    plain.write_text("Un.\n\nDeux.\n", encoding="utf-8")
    records.write_bytes(lzma.compress(json.dumps({"text": "Trois\nquatre"}).encode()))
    assert read_texts([plain, records]) == ["Un.", "Deux.", "Trois\nquatre"]
    records.write_bytes(lzma.compress(b'{"text": "x"}\n{"name": "Kerbrat"}'))
    with pytest.raises(InputRefused, match=r"b\.jsonl\.xz, line 2") as refused:
        read_texts([records])
    assert "Kerbrat" not in str(refused.value)
    with pytest.raises(InputRefused, match="no text"):
        train_characters([], SETTINGS, 3)


@pytest.mark.slow
def test_a_killed_flair_goes_on_in_its_own_stage(tmp_path: Path) -> None:
    whole = train_tagger("flair", letters(), TINY, tmp_path / "whole")
    kill_in_mid_epoch("flair", tmp_path / "killed", "flair")
    assert contents(train_tagger("flair", letters(), TINY, tmp_path / "killed")) == contents(whole)


def test_flair_is_served_by_a_policy_with_and_without_open_corpora(tmp_path: Path) -> None:
    lines = [{"tokens": ["Aimé", "Césaire", "parle", "."], "tags": ["B-PER", "I-PER", "O", "O"]}] * 40
    path = tmp_path / "wikiner_fr_train.jsonl"
    wiki = path.with_suffix(".jsonl.gz")
    import gzip

    wiki.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    reading = Reading(Document("a", "Aimé Césaire parle.\nVu le 3 mai par le Dr Kerbrat."))
    found = {}
    for name, given_files in {"alone": [], "open": [wiki]}.items():
        recipe = replace(TINY, open_epochs=8)
        folder = train_tagger("flair", letters(), recipe, tmp_path / name, open_corpora=given_files)
        training = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))["training"]
        assert list(training["open_corpora"]) == [file.name for file in given_files]
        card = new_card("flair", read_training(folder), "other")
        assert ("| wikiner_fr_train.jsonl.gz | CC BY 3.0" in card) == bool(given_files)
        tagger = build(AnnotatorChoice(name="flair", options={"model": str(folder)}))
        assert isinstance(tagger, Tagger)
        (found[name],) = tagger.distributions([reading])
        assert np.allclose(found[name].sum(axis=1), 1, atol=1e-4)
    assert not np.allclose(found["alone"], found["open"], atol=1e-3)
    with pytest.raises(InputRefused, match="crf: CRFsuite does not learn from partial"):
        train_tagger("crf", letters(), TINY, tmp_path, open_corpora=[wiki])


def test_feature_tables_are_read_too_where_the_recipe_says() -> None:
    with_tables = replace(TINY.flair, shape=replace(TINY.flair.shape, column_width=8))
    assert Recipe(flair=with_tables).network("flair").shape.column_width == 8


def test_no_flair_ships() -> None:
    with pytest.raises(PolicyError, match="flair: no model"):
        build(AnnotatorChoice(name="flair"))
