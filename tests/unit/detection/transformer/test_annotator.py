"""The annotator as the detector uses it, on tiny models of four architectures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from transformers import AutoModelForTokenClassification

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators.registry import Tagger, build
from deid.detection.annotators.transformer import Transformer, model_directory
from deid.detection.taggers.tags import TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import DocumentRefused, Reason
from tests.unit.detection.transformer import models

Models = Callable[[str], Path]
KINDS = tuple(models.TOKENIZERS)
LETTER = (
    "CHU de Brest\n\nCher confrère,\nJ'ai vu ce jour M. Jean DUPONT, né le 12/03/1950, demeurant\r\n"
    "12 bis rue des Tilleuls, 29200 Saint-E\u0301tienne. Il va bien 🙂.\n\nDr Hélène Le Goff\n"
)
SHORT = ["", "Jean DUPONT", "12/03/1950", "\n\n", "L'œuvre du Dr Le\u0301on", "\x00\x01", LETTER]
quietly = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _reading(text: str, name: str = "d") -> Reading:
    return Reading(Document(name, text))


def _rows(annotator: Transformer, *texts: str) -> list[np.ndarray]:
    return annotator.distributions([_reading(text, str(at)) for at, text in enumerate(texts)])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_what_the_model_says_of_first_subwords(model_of: Models, kind: str) -> None:
    """Against transformers itself, on a text of one window."""
    folder = model_of(kind)
    text = "M. Jean DUPONT, né le 12/03/1950 à Brest."
    (found,) = _rows(Transformer(str(folder), precision="fp32"), text)
    tokenizer = model_directory.load_tokenizer(folder, "m")
    encoding = tokenizer.encode(text)
    model = AutoModelForTokenClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        expected = torch.softmax(model(input_ids=torch.tensor([encoding.ids])).logits[0], dim=1).numpy()
    reading = _reading(text)
    seen = 0
    for token, (start, end) in enumerate(zip(reading.starts, reading.ends, strict=True)):
        touching = [at for at, (a, b) in enumerate(encoding.offsets) if a < end and b > start]
        if token and touching and encoding.offsets[touching[0]][0] < reading.ends[token - 1]:
            continue  # shares its sub-word: B- became I-
        # The first token may not continue anything: its I- went to B-.
        if token:
            assert np.allclose(found[token], expected[touching[0]], atol=1e-5)
            seen += 1
    assert seen > 10


@quietly
@given(
    kind=st.sampled_from(KINDS),
    texts=st.lists(st.one_of(st.text(max_size=60), st.sampled_from(SHORT)), min_size=1, max_size=4),
    repeat=st.integers(1, 8),
)
def test_every_token_has_a_distribution(model_of: Models, kind: str, texts: list[str], repeat: int) -> None:
    annotator = Transformer(str(model_of(kind)), window=32, overlap=6, precision="fp32")
    texts = [text * repeat for text in texts]
    for text, rows in zip(texts, _rows(annotator, *texts), strict=True):
        assert rows.shape == (len(_reading(text).starts), len(TAGS))
        assert rows.dtype == np.float32
        assert np.isfinite(rows).all()
        assert (rows >= 0).all()
        assert np.allclose(rows.sum(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_document_does_not_depend_on_its_neighbours(model_of: Models, kind: str, precision: str) -> None:
    annotator = Transformer(str(model_of(kind)), window=48, overlap=8, precision=precision)  # type: ignore[arg-type]
    texts = [*SHORT, LETTER * 5]
    alone = [_rows(annotator, text)[0] for text in texts]
    for order in (range(len(texts)), reversed(range(len(texts)))):
        order = list(order)
        for at, rows in zip(order, _rows(annotator, *(texts[at] for at in order)), strict=True):
            assert np.array_equal(rows, alone[at])


@pytest.mark.parametrize("kind", KINDS)
def test_batches_of_windows_say_the_same(model_of: Models, kind: str) -> None:
    one = Transformer(str(model_of(kind)), window=48, overlap=8, precision="fp32")
    many = Transformer(str(model_of(kind)), window=48, overlap=8, precision="fp32", batch_tokens=400)
    texts = [*SHORT, LETTER * 5]
    for first, second in zip(_rows(one, *texts), _rows(many, *texts), strict=True):
        assert np.allclose(first, second, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_short_text_needs_no_window(model_of: Models, kind: str) -> None:
    """The same whatever the window, as long as the text fits in it."""
    text = "Vu M. Jean DUPONT à Brest."
    wide = _rows(Transformer(str(model_of(kind)), precision="fp32"), text)[0]
    narrow = _rows(Transformer(str(model_of(kind)), window=64, overlap=4, precision="fp32"), text)[0]
    assert np.array_equal(wide, narrow)


@pytest.mark.parametrize("size", [24, 48, 200])
def test_windows_lose_and_move_nothing(tmp_path: Path, size: int) -> None:
    """A model without attention says the same of a sub-word wherever it stands: windows must not show."""
    folder = models.write(tmp_path, "modernbert")
    weights = load_file(folder / "model.safetensors")
    for key in weights:
        if key.endswith("attn.Wo.weight"):
            weights[key].zero_()
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    whole = _rows(Transformer(str(folder), window=1024, precision="fp32"), LETTER * 3)[0]
    parts = _rows(Transformer(str(folder), window=size, overlap=4, precision="fp32"), LETTER * 3)[0]
    assert np.allclose(whole, parts, atol=1e-5)
    assert len(set(whole.argmax(axis=1))) > 5


@pytest.mark.parametrize("kind", KINDS)
def test_eight_bits_agree_with_thirty_two(model_of: Models, kind: str) -> None:
    texts = [LETTER * 3]
    exact = _rows(Transformer(str(model_of(kind)), precision="fp32"), *texts)[0]
    small = _rows(Transformer(str(model_of(kind)), precision="int8"), *texts)[0]
    assert (exact.argmax(axis=1) == small.argmax(axis=1)).mean() > 0.95
    assert np.abs(exact - small).mean() < 0.01
    assert not np.array_equal(exact, small)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_number_that_is_not_finite_refuses_the_document(tmp_path: Path, value: float, precision: str) -> None:
    folder = models.write(tmp_path, "bert")
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][3] = value
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    annotator = Transformer(str(folder), precision=precision)  # type: ignore[arg-type]
    with pytest.raises(DocumentRefused) as refusal:
        annotator.annotate_batch([_reading("", "empty"), _reading("M. Vraz", "letter-7")])
    assert refusal.value.document_id == "letter-7"
    assert refusal.value.reason is Reason.DETECTION_FAILED
    assert "Vraz" not in str(refusal.value)


def test_one_document_with_one_bad_subword_is_refused_alone(tmp_path: Path) -> None:
    folder = models.write(tmp_path, "bert")
    tokenizer = model_directory.load_tokenizer(folder, "m")
    weights = load_file(folder / "model.safetensors")
    weights["bert.embeddings.word_embeddings.weight"][tokenizer.token_to_id("Brest")] = float("nan")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    annotator = Transformer(str(folder), precision="fp32", batch_tokens=1000)
    assert len(_rows(annotator, "Vu M. Jean DUPONT")[0]) == 4 + 1
    with pytest.raises(DocumentRefused, match="document 1:"):
        _rows(annotator, "Vu M. Jean DUPONT", "Vu à Brest")


def test_mentions_follow_the_rows(model_of: Models) -> None:
    annotator = Transformer(str(model_of("modernbert")), precision="fp32")
    mentions = annotator.annotate(_reading(LETTER))
    assert mentions
    for mention in mentions:
        assert LETTER[mention.start : mention.end].strip() == LETTER[mention.start : mention.end]
        assert "\n" not in LETTER[mention.start : mention.end]
        assert 0 <= mention.score <= 1
    assert annotator.annotate_batch([_reading(LETTER), _reading("")]) == [mentions, []]
    assert annotator.annotate_batch([]) == []


def test_labels_of_others_are_found_as_ours(tmp_path: Path) -> None:
    folder = models.write(tmp_path, "camembert", ("O", "I-PER", "I-LOC", "I-ORG", "I-MISC"))
    annotator = Transformer(str(folder), precision="fp32", labels={"MISC": None, "PER": "DOCTOR"})
    assert annotator.labels == {"DOCTOR", "LOC", "ORG"}
    (rows,) = _rows(annotator, LETTER)
    given = {TAGS[index].partition("-")[2] for index in np.flatnonzero(rows.sum(axis=0) > 1e-6)} - {""}
    assert given == {"DOCTOR", "LOC", "ORG"}
    assert annotator.annotate(_reading(LETTER))


def test_the_policy_makes_a_tagger(model_of: Models) -> None:
    made = build(AnnotatorChoice(name="transformer", options={"model": str(model_of("bert")), "precision": "fp32"}))
    assert isinstance(made, Tagger)


def test_version_names_model_and_options(model_of: Models, tmp_path: Path) -> None:
    plain = Transformer(str(model_of("bert"))).version
    assert plain == Transformer(str(model_of("bert")), batch_tokens=300).version  # changes no answer
    others = {
        Transformer(str(model_of("bert")), window=64, overlap=4).version,
        Transformer(str(model_of("bert")), precision="fp32").version,
        Transformer(str(model_of("camembert"))).version,
    }
    folder = Path(shutil.copytree(model_of("bert"), tmp_path / "copy"))
    assert Transformer(str(folder)).version == plain  # the same files elsewhere
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][3] += 1
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    others.add(Transformer(str(folder)).version)
    assert len(others) == 4
    assert plain not in others
