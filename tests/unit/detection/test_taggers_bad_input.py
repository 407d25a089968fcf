"""Unusual text for learned taggers: every token gets a distribution, or the document is refused."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from deid.config.policy import AnnotatorChoice
from deid.detection.annotators.registry import Tagger, build
from deid.detection.annotators.transformer import Transformer
from deid.detection.taggers.tags import TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document
from deid.domain.errors import DocumentRefused, Reason
from tests.unit.detection.transformer import models

pytestmark = pytest.mark.slow

LETTER = "Vu ce jour M. Jean DUPONT, né le 12/03/1950, demeurant 12 rue des Tilleuls à Brest (29200).\n"
TEXTS = {
    "empty": "",
    "blanks": " \n\t \r\n\u00a0\u2009",
    "line breaks": "\n" * 3000,
    "control characters": "\x00\x01\x02\x07\x1b\x7f\x85\u200b\ufeff" * 40,
    "control characters inside": "M. Je\x00an DU\x07PONT né\x1b le 12\x00/03/1950",
    "lone surrogates": "M. \ud800DUPONT\udfff né le\udc80 12/03/1950 \ud83d",
    "only lone surrogates": "\ud800" * 300,
    "combining marks": "e" + "\u0301" * 2000,
    "right to left": "السيد دوبون ולד ב־12/03/1950 \u202eDUPONT\u202c",
    "emojis": "👩‍👩‍👧‍👦🏽" * 300,
    "private and unassigned": "\ue000\U0010ffff\u0378" * 100,
    "glued tokens": "a1" * 50_000,  # 1e5 tokens without a blank
    "one long word": "a" * 100_000,
    "one long number": "7" * 100_000,
    "signs": ".-/(" * 25_000,
}


@pytest.fixture(scope="module")
def small_transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models.write(tmp_path_factory.mktemp("tagger"), "modernbert")


@pytest.fixture(scope="module", params=["crf", "bilstm_crf", "transformer"])
def tagger(request: pytest.FixtureRequest, small_transformer: Path) -> Tagger:
    """Each tagger: those with a model that ships, the transformer with a tiny one."""
    options = {"model": str(small_transformer)} if request.param == "transformer" else {}
    made = build(AnnotatorChoice(name=request.param, options=options))
    assert isinstance(made, Tagger)
    return made


def _sound(tagger: Tagger, text: str) -> np.ndarray:
    reading = Reading(Document("d", text))
    (rows,) = tagger.distributions([reading])
    assert rows.shape == (len(reading.starts), len(TAGS))
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    assert (rows >= 0).all()
    assert np.allclose(rows.sum(axis=1), 1, atol=1e-3)
    return rows


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_token_has_a_distribution(tagger: Tagger, text: str) -> None:
    _sound(tagger, text)


@pytest.mark.parametrize("text", [text for text in TEXTS.values() if len(text) < 5000], ids=lambda text: len(text))
def test_mentions_lie_in_the_text(tagger: Tagger, text: str) -> None:
    for mention in tagger.annotate(Reading(Document("d", text))):
        surface = text[mention.start : mention.end]
        assert surface.strip() == surface != ""
        assert "\n" not in surface


def test_no_document(tagger: Tagger) -> None:
    assert tagger.distributions([]) == []


def test_bad_documents_do_not_touch_their_neighbours(tagger: Tagger) -> None:
    def rows(texts: list[str]) -> np.ndarray:
        return tagger.distributions([Reading(Document(str(at), text)) for at, text in enumerate(texts)])[0]

    bad = [text for text in TEXTS.values() if len(text) < 5000]
    assert np.allclose(rows([LETTER]), rows([LETTER, *bad]), atol=1e-5)


def test_a_long_line_is_read_to_its_end(tagger: Tagger) -> None:
    """The end of the line gets other answers than nothing at all: what stands there is seen."""
    filler = "le patient va bien et le traitement est poursuivi, " * 2000
    reading = Reading(Document("d", filler + LETTER))
    long = _sound(tagger, filler + LETTER)
    other = _sound(tagger, filler + "le patient va bien.")
    tail = len(Reading(Document("d", LETTER)).starts)
    assert len(reading.starts) == len(long)
    assert not np.allclose(long[-tail:-1].mean(axis=0), other[-tail:-1].mean(axis=0), atol=1e-4)


def test_a_hundred_thousand_tokens_in_one_line(small_transformer: Path) -> None:
    rows = _sound(Transformer(str(small_transformer)), LETTER.replace("\n", " ") * (370_000 // len(LETTER)))
    assert len(rows) > 100_000


def test_ten_megabytes_in_one_line_need_no_more_memory_than_one(small_transformer: Path) -> None:
    """A single word of ten million letters: nothing but the text and what is under way is held."""
    annotator = Transformer(str(small_transformer))

    def peak(length: int) -> int:
        _sound(annotator, "a" * length)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = peak(1_000_000)
    start = time.process_time()
    after = peak(10_000_000)
    assert time.process_time() - start < 300
    assert (after - before) / 1024 < 150  # MiB: three forms of the text are some forty


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_refuse_the_document(tmp_path: Path, value: float) -> None:
    folder = models.write(tmp_path, "modernbert")
    weights = load_file(folder / "model.safetensors")
    weights["head.norm.weight"][0] = value
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(DocumentRefused) as refusal:
        Transformer(str(folder)).distributions([Reading(Document("letter-3", LETTER))])
    assert refusal.value.reason is Reason.DETECTION_FAILED
    assert refusal.value.document_id == "letter-3"
    assert "DUPONT" not in str(refusal.value)
