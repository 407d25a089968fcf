"""Fine-tuning from any local directory, with a linear head or a CRF, and what the annotator makes of the result."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import FlaubertTokenizer

from deid.cli import main
from deid.detection.annotators.transformer import Transformer, model_directory
from deid.detection.annotators.transformer.chains import TRANSITIONS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import InputRefused, PolicyError
from deid.domain.labels import Label
from deid.domain.writing import file_digest
from nocturne_lab.evaluation.corpus import gold_record, load_corpus
from nocturne_lab.learning import memorisation
from nocturne_lab.learning.transformer.examples import split
from nocturne_lab.learning.transformer.plan import Plan
from nocturne_lab.learning.transformer.training import corpus_hash, train_transformer
from tests.lab.learning.transformer_encoders import ENCODERS, encoder
from tests.lab.learning.transformer_letters import letters


def _plan(start: Path, **changes: Any) -> Plan:
    asked = {"epochs": 8, "length": 96, "batch": 4, "learning_rate": 1e-2, "held_out": 0.2, "dropout": 0.0} | changes
    return Plan.model_validate({"start": str(start), "fine_tuning": asked})


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize("head", ["linear", "crf"])
@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_any_encoder_is_trained_and_served(name: str, head: str, tmp_path: Path) -> None:
    card = train_transformer(_plan(encoder(name, tmp_path), head=head), letters(), tmp_path / "out")
    assert card.head == head
    assert card.measures["overlap_f1"] > 0.6
    annotator = Transformer(str(tmp_path / "out"), precision="fp32")
    reading = Reading(letters()[3].document)
    (rows,) = annotator.distributions([reading])
    assert np.allclose(rows.sum(axis=1), 1, atol=1e-4)
    assert {mention.label for mention in annotator.annotate(reading)} >= {Label.PATIENT, Label.DATE}
    assert not (tmp_path / ".out.training").exists()
    assert Transformer(str(tmp_path / "out")).annotate(reading)  # int8


def test_canaries_are_planted_in_what_is_learned_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 255)
    corpus, asked = tmp_path / "gold.jsonl", _plan(encoder("camembert", tmp_path), epochs=2)
    corpus.write_text("".join(json.dumps(gold_record(one)) + "\n" for one in letters()), encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(asked.model_dump(mode="json")), encoding="utf-8")
    command = ["train", str(corpus), "--kind", "transformer", "--plan", str(tmp_path / "plan.yaml"), "--seed", "7"]
    assert main([*command, "--out", str(tmp_path / "out"), "--canaries", "5"]) == 0
    model = tmp_path / "out" / "transformer"
    given = load_corpus(corpus)
    learned, held_out = split(given, 0.2, 7)
    planted = memorisation.plant_canaries(given, 5, {one.document.id for one in learned})
    assert model_directory.read_card(model, "transformer").corpus == corpus_hash(planted)
    assert split(planted, 0.2, 7)[1] == held_out != []
    found = memorisation.check_model(model, None)
    assert [(one.times, one.canaries) for one in found.exposures["tags"]] == [(1, 8), (8, 8)]
    assert found.worst is not None
    assert found.obstacles[-1] == "its files were not searched for names of the training corpus"


@pytest.fixture(scope="module")
def chained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chained")
    train_transformer(_plan(encoder("camembert", folder), head="crf", epochs=3), letters(), folder / "out")
    return folder / "out"


def test_neighbours_change_nothing_of_a_crf(chained: Path) -> None:
    annotator = Transformer(str(chained), precision="fp32")
    readings = [Reading(gold.document) for gold in letters(6)] + [
        Reading(Document("empty", "")),
        Reading(Document("x", "\n\n")),
    ]
    together = annotator.distributions(readings)
    alone = [annotator.distributions([reading])[0] for reading in readings]
    assert all(np.array_equal(one, two) for one, two in zip(together, alone, strict=True))
    assert annotator.annotate_batch(readings) == [annotator.annotate(reading) for reading in readings]


def test_a_crf_without_its_transitions_is_refused(chained: Path, tmp_path: Path) -> None:
    for file in chained.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = tmp_path / model_directory.WEIGHTS
    tensors = load_file(weights)
    assert tensors[TRANSITIONS].abs().max() > 0
    del tensors[TRANSITIONS]
    save_file(tensors, weights, {"format": "pt"})
    card = json.loads((tmp_path / model_directory.CARD).read_text())
    card["weights"] = file_digest(weights)
    (tmp_path / model_directory.CARD).write_text(json.dumps(card))
    with pytest.raises(PolicyError, match="transitions"):
        Transformer(str(tmp_path)).annotate(Reading(letters()[0].document))


def test_a_batch_in_parts_is_the_same_batch(tmp_path: Path) -> None:
    start = encoder("mbert", tmp_path)
    cards = [
        train_transformer(_plan(start, epochs=1, accumulate=parts, batch=6), letters(10), tmp_path / str(parts))
        for parts in (1, 3)
    ]
    assert cards[0].measures["loss"] == pytest.approx(cards[1].measures["loss"], rel=1e-3)


def test_rare_labels_weigh_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Weighed up, a label is found where the same training without weights finds nothing yet."""
    start = encoder("mbert", tmp_path)
    shares = []
    for name, weights in (("none", "none"), ("root", "inverse_root"), ("named", {"O": 0.05})):
        with caplog.at_level(logging.WARNING):
            train_transformer(_plan(start, epochs=1, class_weights=weights), letters(10), tmp_path / name)
        (rows,) = Transformer(str(tmp_path / name), precision="fp32").distributions([Reading(letters()[0].document)])
        shares.append(float(rows[:, 0].mean()))
    assert shares[1] < shares[0]
    assert shares[2] < shares[0]
    assert "No example of" in caplog.text
    assert "PHONE" in caplog.text


def test_a_flaubert_that_the_library_cannot_run_is_refused(tmp_path: Path) -> None:
    start = encoder("flaubert", tmp_path)
    config = json.loads((start / "config.json").read_text())
    (start / "config.json").write_text(json.dumps(config | {"pre_norm": True}))
    with pytest.raises(InputRefused, match="pre_norm"):
        train_transformer(_plan(start), letters(6), tmp_path / "out")


# As `FlaubertTokenizer` parts them with sacremoses 0.2.0.
FRENCH = {
    "Mme Le Goff, vue le 3 mars 2026 par le Dr. Martin, pèse 58,4 kg.": (
        "Mme Le Goff , vue le 3 mars 2026 par le Dr . Martin , pèse 58,4 kg ."
    ),
    "L'hémoglobine est à 12,5 g/dl ; aujourd'hui, l’état s'améliore...": (
        "L' hémoglobine est à 12,5 g / dl ; aujourd' hui , l' état s' améliore ..."
    ),
    "Cf. le C.H.U. de Dijon (tél. : 03.80.11.22.33) et M. d'Arcy.": (
        "Cf. le C.H.U. de Dijon ( tél. : 03.80.11.22.33 ) et M. d' Arcy ."
    ),
    "Sortie : « bisoprolol » 2.5 mg – 1 cp/j, etc. puis arrêt. revue dans 1 an.": (
        'Sortie : " bisoprolol " 2.5 mg - 1 cp / j , etc. puis arrêt. revue dans 1 an .'
    ),
    "Coût : 1\xa0000 € pour 2 m² à Saint-Denis.": "Coût : 1,000 € pour 2 m ² à Saint-Denis .",
}


def test_a_flaubert_s_tokenizer_is_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    marks = ["<s>", "</s>", "<pad>", "<unk>", "<special1>"]
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=marks, end_of_word_suffix="</w>")
    made.train_from_iterator([*FRENCH.values(), *(gold.document.text for gold in letters())], trainer)
    model = json.loads(made.to_str())["model"]
    files = [tmp_path / name for name in ("vocab.json", "merges.txt")]
    files[0].write_text(json.dumps(model["vocab"]), encoding="utf-8")
    assert main(["models", "tokenizer", str(tmp_path)]) == 2
    assert str(tmp_path) not in capsys.readouterr().err
    files[1].write_text("".join(f"{' '.join(pair)} 7\n" for pair in model["merges"]), encoding="utf-8")
    assert main(["models", "tokenizer", str(tmp_path)]) == 0
    monkeypatch.setitem(sys.modules, "sacremoses", ModuleType("sacremoses"))  # it parts words, which are given here
    slow, fast = FlaubertTokenizer(*map(str, files)), model_directory.load_tokenizer(tmp_path, "flaubert")
    for text, words in FRENCH.items():
        found = fast.encode(text)
        assert found.tokens == ["<s>", *slow._tokenize(words, bypass_tokenizer=True), "</s>"]
        assert (found.ids[0], found.ids[-1]) == (slow.bos_token_id, slow.sep_token_id)
        assert (found.offsets[1][0], found.offsets[-2][1]) == (0, len(text))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": 512}, "takes 128 sub-words"),
        ({"accumulate": 9, "batch": 8}, "accumulate"),
        ({"head": "crf", "class_weights": "inverse_root"}, "linear head"),
        ({"class_weights": {"NOBODY": 2.0}}, "NOBODY"),
        ({"class_weights": {"PATIENT": 0}}, "greater than 0"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    start = encoder("camembert", tmp_path)
    with pytest.raises((InputRefused, ValueError), match=message):
        train_transformer(_plan(start, **changes), letters(6), tmp_path / "out")
    assert not (tmp_path / "out").exists()
