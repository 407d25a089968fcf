"""The neural coder learns what a stay says wherever it says it, and reads long stays whole."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from transformers import ModernBertConfig, ModernBertForMaskedLM

from benchmarks.coding import main as benchmark
from deid.detection.annotators.transformer import SHIPPED
from deid.detection.annotators.transformer.model_directory import TOKENIZER, load_tokenizer
from deid.domain.errors import InputRefused, PolicyError
from deid.models import FOLDER
from nocturne_lab.evaluation.coding.neural import NeuralCoder, Settings, StackedEncoder

CAUSES = ("une fracture du col du fémur", "une pneumonie franche lobaire", "une colique néphrétique gauche")
FILLER = (
    "Le patient est entré par les urgences. ",
    "Examen cardiaque sans particularité. ",
    "Le bilan biologique est normal. ",
    "Retour au domicile avec son traitement. ",
)
SETTINGS = Settings(epochs=12, batch=4, negatives=2, width=64)


@pytest.fixture(scope="module")
def encoder() -> StackedEncoder:
    return StackedEncoder()


def stays(seed: int, number: int) -> tuple[list[str], np.ndarray]:
    random = np.random.default_rng(seed)
    causes = random.integers(len(CAUSES), size=number)
    texts = []
    for cause in causes:
        parts = list(random.choice(FILLER, size=random.integers(2, 8)))
        parts.insert(random.integers(len(parts) + 1), f"Hospitalisé pour {CAUSES[cause]}. ")
        texts.append("".join(parts))
    return texts, np.eye(len(CAUSES) + 1, dtype=bool)[causes]


def test_the_coder_finds_what_stays_say(encoder: StackedEncoder) -> None:
    coder = NeuralCoder(encoder, SETTINGS).fit(*stays(1, 60))
    texts, gold = stays(2, 40)
    scores = coder.scores(texts)
    assert scores.shape == gold.shape
    assert (scores.argmax(axis=1) == gold.argmax(axis=1)).mean() >= 0.9
    assert scores[:, -1].max() < 0.2  # a class that no stay has
    assert np.allclose(coder.scores(texts[:1]), scores[:1], atol=1e-5)  # whatever is read beside it


def test_the_same_seed_gives_the_same_scores(encoder: StackedEncoder) -> None:
    texts, gold = stays(3, 12)
    one, other = (NeuralCoder(encoder, Settings(epochs=1)).fit(texts, gold).scores(texts) for _ in range(2))
    assert np.array_equal(one, other)


def test_a_long_stay_is_read_to_its_end(encoder: StackedEncoder) -> None:
    page = "".join(FILLER) * 40
    assert len(encoder.rows(page * 10)) > 9 * len(encoder.rows(page))
    ends = [encoder.rows(page * 3 + f"Hospitalisé pour {cause}.")[-1].numpy() for cause in CAUSES[:2]]
    assert not np.allclose(*ends, atol=1e-2)


def test_an_empty_stay_has_the_scores_of_no_evidence(encoder: StackedEncoder) -> None:
    coder = NeuralCoder(encoder, SETTINGS).fit(*stays(4, 12))
    assert np.isfinite(coder.scores(["", " "])).all()
    assert coder.scores([]).shape == (0, len(CAUSES) + 1)


def test_an_encoder_of_another_directory_reads_as_well(tmp_path: Path) -> None:
    config = ModernBertConfig(
        vocab_size=load_tokenizer(FOLDER / SHIPPED, SHIPPED).get_vocab_size(),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        pad_token_id=0,
    )
    ModernBertForMaskedLM(config).save_pretrained(tmp_path)
    shutil.copy(FOLDER / SHIPPED / TOKENIZER, tmp_path)
    assert StackedEncoder(tmp_path).rows("Examen cardiaque sans particularité.").shape[1] == 16


def damaged(folder: Path, fault: str) -> None:
    """Copy the encoder that ships, with a fault."""
    shutil.copytree(FOLDER / SHIPPED, folder, dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_text())
    if fault == "weights of another":
        config["intermediate_size"] += 64
    if fault == "layers of another":
        config["num_hidden_layers"] += 1
    if fault == "another architecture":
        config["model_type"] = "no such type"
    (folder / "config.json").write_text(json.dumps(config))
    if fault == "damaged weights":
        (folder / "model.safetensors").write_bytes(b"x" * 100)
    if fault == "no tokenizer":
        (folder / TOKENIZER).unlink()


@pytest.mark.parametrize(
    "fault",
    [
        "empty",
        "no folder",
        "weights of another",
        "layers of another",
        "another architecture",
        "damaged weights",
        "no tokenizer",
    ],
)
def test_a_directory_that_holds_no_encoder_is_refused(tmp_path: Path, fault: str) -> None:
    folder = tmp_path / "encoder"
    if fault == "empty":
        folder.mkdir()
    elif fault != "no folder":
        damaged(folder, fault)
    with pytest.raises((InputRefused, PolicyError), match=r"holds no encoder|has no tokenizer\.json") as raised:
        StackedEncoder(folder)
    assert str(tmp_path) not in str(raised.value)


def test_the_benchmark_refuses_it_before_it_reads_a_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked, said in (("neural", "holds no encoder"), ("classical", "is of --coders neural")):
        monkeypatch.setattr(sys, "argv", ["coding", "--coders", asked, "--encoder", str(tmp_path)])
        with pytest.raises(SystemExit):
            benchmark()
        assert said in capsys.readouterr().err
