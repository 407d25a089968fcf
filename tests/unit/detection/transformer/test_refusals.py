"""A model that cannot serve is refused by name when the detector is made, not at some document."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from deid.config import policy
from deid.detection import Detector
from deid.detection.annotators import transformer
from deid.detection.annotators.transformer import Transformer
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import PolicyError
from tests.unit.detection.transformer import models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return models.write(tmp_path / "tagger", "modernbert", with_card=True)


def _truncate(folder: Path) -> None:
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[: len(content) // 2])


def _pickled(folder: Path) -> None:
    torch.save({}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def _without(folder: Path, part: str) -> None:
    weights = {key: value for key, value in load_file(folder / "model.safetensors").items() if part not in key}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})


def _other_tokenizer(folder: Path) -> None:
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    first, second = content["model"]["merges"][:2]
    content["model"]["merges"][:2] = [second, first]
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")


def _larger_tokenizer(folder: Path) -> None:
    models.sentence_piece().save(str(folder / "tokenizer.json"))


def _few_labels(folder: Path) -> None:
    (folder / "nocturne.json").unlink()
    models.rewrite(folder, "config.json", id2label={"0": "O", "1": "B-PER"})


def _labels_of_before(folder: Path) -> None:
    models.write(folder, "modernbert", [tag for tag in models.TAGS if not tag.endswith("-RPPS")], with_card=True)


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "no model.safetensors"),
    "pickled weights": (_pickled, "no model.safetensors: weights in other formats can run code"),
    "half the weights": (_truncate, "model.safetensors is damaged"),
    "a missing part": (
        lambda folder: (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "m-2.safetensors"}}'),
        "no m-2.safetensors",
    ),
    "no configuration": (lambda folder: (folder / "config.json").unlink(), "config.json is missing"),
    "broken configuration": (lambda folder: (folder / "config.json").write_text("{"), "config.json is missing or"),
    "no labels": (lambda folder: models.rewrite(folder, "config.json", id2label=None), "no id2label"),
    "labels of nobody": (
        lambda folder: models.rewrite(folder, "config.json", id2label={"0": "O", "1": "B-PLANTE"}),
        "cannot be mapped: PLANTE",
    ),
    "fewer labels than rows": (_few_labels, f"config.json has 2 labels, its weights {len(models.TAGS)}"),
    "no head": (lambda folder: _without(folder, "classifier"), "no token classifier"),
    "slow tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json: a slow tokenizer"),
    "broken tokenizer": (lambda folder: (folder / "tokenizer.json").write_text("{}"), "tokenizer.json cannot be read"),
    "other weights": (lambda folder: _without(folder, "layers.1.mlp"), "is not the file that training wrote"),
    "another tokenizer": (_other_tokenizer, "its tokenizer is not the one that it was trained with"),
    "a tokenizer of another size": (_larger_tokenizer, r"its tokenizer has \d+ entries, it was trained with \d+"),
    "broken card": (lambda folder: (folder / "nocturne.json").write_text('{"labels": 3}'), "nocturne.json cannot be"),
    "a label of the scheme that it never learnt": (_labels_of_before, "trained for other labels: it can give no RPPS"),
    "labels in another order": (
        lambda folder: models.rewrite(
            folder, "config.json", id2label={str(at): tag for at, tag in enumerate(["O", *reversed(models.TAGS[1:])])}
        ),
        "other labels than those it was trained with",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), FAULTS.values(), ids=FAULTS)
def test_a_model_that_cannot_serve(folder: Path, spoil: Callable[[Path], object], message: str) -> None:
    Transformer(str(folder))
    spoil(folder)
    with pytest.raises(PolicyError, match=f"tagger.*{message}") as refusal:
        Transformer(str(folder))
    assert refusal.value.remedy


def test_a_tokenizer_larger_than_an_unknown_model(folder: Path) -> None:
    (folder / "nocturne.json").unlink()
    models.rewrite(folder, "config.json", vocab_size=50)
    with pytest.raises(PolicyError, match=r"tagger: its tokenizer has \d+ entries, the model 50"):
        Transformer(str(folder))


def test_weights_that_would_be_random_are_refused_at_the_first_document(folder: Path) -> None:
    _without(folder, "layers.1.mlp")
    (folder / "nocturne.json").unlink()
    with pytest.raises(PolicyError, match="lack 3 tensors"):
        Transformer(str(folder)).annotate(Reading(Document("d", "")))


def test_an_architecture_that_nobody_knows(folder: Path) -> None:
    models.rewrite(folder, "config.json", model_type="nocturnal")
    with pytest.raises(PolicyError, match="tagger: transformers cannot load it"):
        Transformer(str(folder)).annotate(Reading(Document("d", "")))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "/nowhere/tagger"}, "there is no such directory"),
        ({"model": "./tagger"}, "there is no such directory"),
        ({"model": "someone/french-tagger"}, "neither a directory nor in the local cache"),
        ({"overlap": 600}, "a quarter of the window"),
        ({"overlap": -1}, "a quarter of the window"),
        ({"precision": "fp8"}, "no precision fp8"),
        ({"labels": {"PATIENT": "NOBODY"}}, "NOBODY is no label"),
        ({"trust_remote_code": True}, "does not take the options"),
    ],
)
def test_options_that_cannot_be_met(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, object], message: str
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(folder))
    asked = policy.load().model_dump()
    asked["detection"]["annotators"] = [{"name": "transformer", "options": {"model": str(folder), **options}}]
    with pytest.raises(PolicyError, match=message):
        Detector.check(policy.Policy.model_validate(asked))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "nothing"}, "no device nothing"),
        ({"device": "cpu", "precision": "fp16"}, "fp16 runs on a GPU"),
    ],
)
def test_a_device_that_is_not_there(folder: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Transformer(str(folder), **options).annotate(Reading(Document("d", "x")))  # type: ignore[arg-type]


def test_no_model_named_and_none_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformer, "SHIPPED", "no such folder")
    with pytest.raises(PolicyError, match="no model ships"):
        Transformer()


def test_a_name_of_the_hub_is_found_in_the_local_cache(folder: Path, tmp_path: Path) -> None:
    """In the cache's own layout, without any network: in a process of its own, as the library reads its place once."""
    cache = tmp_path / "hub"
    revision = "0123456789012345678901234567890123456789"
    snapshot = cache / "models--someone--french-tagger" / "snapshots" / revision
    snapshot.parent.mkdir(parents=True)
    folder.rename(snapshot)
    (cache / "models--someone--french-tagger" / "refs").mkdir()
    (cache / "models--someone--french-tagger" / "refs" / "main").write_text(revision)
    code = (
        "import sys; from deid.detection.annotators.transformer import Transformer;"
        "print(Transformer('someone/french-tagger').version, 'transformers' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], env={"HF_HUB_CACHE": str(cache)}, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr[-500:]
    assert found.stdout.startswith("transformer-")
    assert found.stdout.split()[1] == "False"  # a step that only asks for the version does not wait for the library
