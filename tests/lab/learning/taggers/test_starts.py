"""Initial weights of networks: subword vectors of running French, and names tagged in open corpora."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from deid.detection.taggers.bilstm import BiLstmCrf, Shape, load_embeddings, save_embeddings
from deid.detection.taggers.features import feature_number
from deid.detection.taggers.tags import INDEX
from deid.domain.errors import InputRefused
from nocturne_lab.learning.taggers import bilstm, pretraining
from nocturne_lab.learning.taggers.bilstm import BilstmSettings
from nocturne_lab.learning.taggers.embeddings import Sentences, train_embeddings
from nocturne_lab.learning.taggers.examples import TokenExample

SMALL = Shape(column_buckets=1 << 12, column_width=16, gram_buckets=1 << 12, gram_width=8, hidden=16)
VERBS = ("soigne", "appelle", "revoit", "opère")


def test_texts_are_read_folded_from_lines_and_records(tmp_path: Path) -> None:
    plain, records = tmp_path / "a.txt.xz", tmp_path / "b.jsonl.xz"
    plain.write_bytes(lzma.compress("Élodie a 12 ans.\n".encode()))
    records.write_bytes(lzma.compress(json.dumps({"text": "Vu à Brest"}).encode()))
    sentences = Sentences([plain, records])
    assert list(sentences) == list(sentences) == [["elodie", "a", "00", "ans", "."], ["vu", "a", "brest"]]


def test_words_of_like_use_get_like_vectors(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lines = []
    for _ in range(6000):
        subject, verb = ("docteur", random.choice(VERBS)) if random.random() < 0.5 else ("rivière", "coule")
        lines.append(f"le {subject} {verb} {'un patient' if verb in VERBS else 'dans la grande vallée'}")
    path = tmp_path / "text.txt.xz"
    path.write_bytes(lzma.compress("\n".join(lines).encode()))
    rows = train_embeddings(Sentences([path]), SMALL, epochs=20, workers=1)
    assert rows.shape == (SMALL.gram_buckets, SMALL.gram_width)
    assert not rows[0].any()

    def vector(word: str) -> np.ndarray:
        return rows[feature_number(f"g=<{word}>") % (SMALL.gram_buckets - 1) + 1].astype(float)

    def like(one: str, other: str) -> float:
        a, b = vector(one), vector(other)
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert like("soigne", "opere") > like("soigne", "vallee")


def test_vectors_are_saved_taken_and_kept(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(SMALL.gram_buckets, SMALL.gram_width)).astype(np.float16)
    save_embeddings(rows, tmp_path / "rows.safetensors")
    model = BiLstmCrf(SMALL)
    model.embed(load_embeddings(tmp_path / "rows.safetensors"))
    assert not model.grams.weight.requires_grad
    assert "grams.weight" not in model.halved()
    with pytest.raises(ValueError, match="expected"):
        model.embed(rows[:, :4])


def corpus(folder: Path, lines: list[tuple[list[str], list[str]]]) -> Path:
    path = folder / "winer_fr_wikinews.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for tokens, tags in lines:
            out.write(json.dumps({"tokens": tokens, "tags": tags}) + "\n")
    return path


def test_what_a_corpus_does_not_decide_is_left_open(tmp_path: Path) -> None:
    tokens = ["Hier", ",", "Aimé", "Césaire", "est", "à", "l'", "Élysée", "."]
    path = corpus(tmp_path, [(tokens, ["O", "O", "B-PER", "I-PER", "O", "O", "O", "B-LOC", "O"])])
    path_lines = [(tokens, ["O"] * 9)] * 7
    corpus(tmp_path, [(tokens, ["O", "O", "B-PER", "I-PER", "O", "O", "O", "B-LOC", "O"]), *path_lines])
    (first,) = pretraining.open_examples([path])
    agrees = first.agrees
    assert agrees is not None
    hier, aime, cesaire = agrees[0], agrees[2], agrees[3]
    assert hier[0]
    assert hier[INDEX["B-RELDATE"]]
    assert not hier[INDEX["B-CITY"]]
    assert {"B-PATIENT", "B-DOCTOR", "B-PERSON"} == {tag for tag, index in INDEX.items() if aime[index]}
    assert {"I-PATIENT", "I-DOCTOR", "I-PERSON"} == {tag for tag, index in INDEX.items() if cesaire[index]}


def test_a_network_learns_from_what_is_said(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    names = ["Kerdoncuff", "Loubat", "Ziani", "Vauquelin"]
    lines = []
    for _ in range(160):
        name = str(random.choice(names))
        lines.append((["Le", "ministre", name, "parle", "."], ["O", "O", "B-PER", "O", "O"]))
    corpus(tmp_path, lines)
    passages = pretraining.open_examples([tmp_path / "winer_fr_wikinews.jsonl.gz"])
    settings = BilstmSettings(shape=SMALL, epochs=60, rate=2e-3)
    untrained = mean_loss(BiLstmCrf(SMALL).eval(), passages, settings)
    trained = mean_loss(bilstm.train_network(lambda _: passages, settings), passages, settings)
    assert trained < untrained / 4


def mean_loss(model: BiLstmCrf, passages: list[TokenExample], settings: BilstmSettings) -> float:
    (batch,) = bilstm._Batches(passages[:1], settings, np.random.default_rng(0), None)
    return float(bilstm._loss(model, batch, settings))


QUAERO = {
    "EMEA/train/doc1.txt": "La maladie de Charcot\nest suivie en Guyane\nfrançaise , à Paris .\n",
    "EMEA/train/doc1.ann": (
        "T1\tDISO 3 21\tmaladie de Charcot\n#1\tAnnotatorNotes T1\tC0002736\nT2\tGEOG 36 42;43 52\tGuyane française\n"
    ),
    "MEDLINE/train/2.txt": "Traitement du zona\n",
    "MEDLINE/train/2.ann": "",
}


def quaero(folder: Path, **changed: str) -> Path:
    for name, content in {**QUAERO, **changed}.items():
        path = folder / "QUAERO_FrenchMed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder / "QUAERO_FrenchMed"


def test_quaero_is_read_as_it_is_published(tmp_path: Path) -> None:
    first, second = pretraining.open_examples([quaero(tmp_path)])
    assert first.agrees is not None
    tags = dict(zip(first.words, first.agrees, strict=True))
    assert not tags["charcot"][INDEX["B-DOCTOR"]]  # an eponym names nobody
    assert tags["charcot"][INDEX["O"]]
    assert tags["charcot"][INDEX["B-ORG"]]  # which the corpus does not decide
    assert not tags["guyane"][INDEX["O"]]
    assert tags["guyane"][INDEX["B-CITY"]]
    assert tags["francaise"][INDEX["B-LOC"]]
    assert tags["paris"][INDEX["O"]]
    assert "zona" in second.words


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"MEDLINE/train/2.ann": "T1\tGEOG 0 90\tx\n"}, "2.ann, line 1"),
        ({"MEDLINE/train/2.ann": "T1\tGEOG\n"}, "2.ann, line 1"),
        ({"MEDLINE/train/3.ann": ""}, "3: .txt and .ann"),
    ],
)
def test_a_damaged_quaero_is_refused_by_file_and_line(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    with pytest.raises(InputRefused, match=said):
        pretraining.open_examples([quaero(tmp_path, **changed)])


def test_what_is_no_open_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match=r"no open corpus.*winer_fr_wikinews"):
        pretraining.open_examples([tmp_path / "ud_sequoia.jsonl.gz"])
    with pytest.raises(InputRefused, match=r"holds no \.ann"):
        pretraining.open_examples([tmp_path])
