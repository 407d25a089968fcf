"""The whole chain on a sample of the corpus: train, save, load, refuse, tag."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
import torch
from typer.testing import CliRunner

from deid.cli import app
from deid.config.policy import AnnotatorChoice, Policy
from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.detection.annotators import FEATURE_RULES
from deid.detection.annotators.registry import build
from deid.detection.taggers.crf import window_features
from deid.detection.taggers.features import feature_table
from deid.detection.taggers.tagging import MANIFEST_FILE, WEIGHTS
from deid.detection.taggers.tags import TAGS, encode
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import DocumentRefused, PolicyError
from deid.domain.labels import Label
from nocturne_lab.evaluation import corpus
from nocturne_lab.evaluation.scoring import Judged, evaluate
from nocturne_lab.learning import held_out
from nocturne_lab.learning.taggers import continuation, cross_validation, learning_curve
from nocturne_lab.learning.taggers.crf import CrfSettings
from nocturne_lab.learning.taggers.crf import train_weights as train_crf
from nocturne_lab.learning.taggers.examples import token_examples
from nocturne_lab.learning.taggers.training import KINDS, SHIPPED, SMALL, train_tagger
from tests import ROOT

pytestmark = pytest.mark.slow
CORPUS = ROOT / "corpus" / "train"


@pytest.fixture(scope="module")
def gold() -> list[corpus.GoldDocument]:
    return corpus.load_corpus(CORPUS)


@pytest.fixture(scope="module")
def sample(gold: list[corpus.GoldDocument]) -> list[corpus.GoldDocument]:
    return gold[::20]


@pytest.fixture(scope="module")
def models(sample: list[corpus.GoldDocument], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for kind in KINDS:  # how well the others learn is measured in benchmarks/distant.md
        train_tagger(kind, sample if kind in SHIPPED else sample[::8], SMALL, folder)
    return folder


def hybrid(models: Path) -> Policy:
    base = load_policy()
    learned = [AnnotatorChoice(name=kind, options={"model": str(models / kind)}) for kind in SHIPPED]
    choices = tuple(AnnotatorChoice(name=name) for name in ("patterns", "gazetteer", "context"))
    detection = base.detection.model_copy(update={"annotators": (*choices, *learned), "merge": "average"})
    return base.model_copy(update={"detection": detection})


def test_a_small_hybrid_finds_most_of_what_it_never_saw(
    models: Path, gold: list[corpus.GoldDocument], sample: list[corpus.GoldDocument]
) -> None:
    unseen = [one.without_identity() for one in gold[6::48] if one not in sample]
    found = Detector(hybrid(models)).detect([one.document for one in unseen])
    scores = evaluate(
        Judged(one.document.id, one.document.text, one.mentions, mentions)
        for one, mentions in zip(unseen, found, strict=True)
    )
    overlap = scores.schemes["coarse"].micro("overlap")
    assert overlap.f1 is not None
    assert overlap.f1 > 0.8
    votes = {vote.annotator for mentions in found for mention in mentions for vote in mention.votes}
    assert {"crf", "bilstm_crf"} <= votes


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_model(kind: str, sample: list[corpus.GoldDocument], tmp_path: Path) -> None:
    one, again = (train_tagger(kind, sample[::8], SMALL, tmp_path / name) for name in ("one", "again"))
    assert (
        json.loads((again / MANIFEST_FILE).read_text())["training"]
        == json.loads((one / MANIFEST_FILE).read_text())["training"]
    )
    readings = [Reading(document.document) for document in sample[:3]]
    options = ({"model": str(folder)} for folder in (one, again))
    first, second = (build(AnnotatorChoice(name=kind, options=option)).distributions(readings) for option in options)
    for before, after in zip(first, second, strict=True):
        assert np.allclose(before, after, atol=2e-3)


def test_a_network_unlearns_what_names_nobody(models: Path, sample: list[corpus.GoldDocument], tmp_path: Path) -> None:
    texts = [f"Le signe de {name} est positif. Un score de {name} est noté." for name in ("Masaoka", "Nantes", "Roux")]
    prose = [corpus.GoldDocument(Document(f"prose-{n}", text), (), "prose") for n, text in enumerate(texts)]
    folder = continuation.continue_network(models / "bilstm_crf", sample[:20], prose * 8, tmp_path)
    assert (
        json.loads((folder / MANIFEST_FILE).read_text())["training"]["continued"]["epochs"] == continuation.PROSE.epochs
    )

    def outside(model: Path) -> float:
        tagger = build(AnnotatorChoice(name="bilstm_crf", options={"model": str(model)}))
        return float(sum(rows[:, 0].sum() for rows in tagger.distributions([Reading(one.document) for one in prose])))

    assert outside(folder) > outside(models / "bilstm_crf")


def test_reviewed_documents_of_one_author_are_learned(
    models: Path, gold: list[corpus.GoldDocument], tmp_path: Path
) -> None:
    own = [one for one in gold if one.author == "w25"][:8]
    reviewed = tmp_path / "reviewed.jsonl"
    reviewed.write_text("".join(json.dumps(corpus.gold_record(one)) + "\n" for one in own), encoding="utf-8")
    asked = ["train", str(reviewed), "--continue", str(models / "bilstm_crf"), "--out", str(tmp_path / "new")]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    manifest = json.loads((tmp_path / "new" / "bilstm_crf" / MANIFEST_FILE).read_text())
    assert manifest["training"]["continued"]["documents"] == len(own)

    def likelihood(model: Path) -> float:
        tagger = build(AnnotatorChoice(name="bilstm_crf", options={"model": str(model)}))
        rows = zip(own, tagger.distributions([Reading(one.document) for one in own]), strict=True)
        tags = [(array, encode(Reading(one.document), one.mentions)) for one, array in rows]
        return float(np.mean([np.log(array[np.arange(len(path)), path] + 1e-6).mean() for array, path in tags]))

    assert likelihood(tmp_path / "new" / "bilstm_crf") > likelihood(models / "bilstm_crf")
    refused = CliRunner().invoke(app, [*asked[:3], str(models / "crf"), *asked[4:]])
    assert refused.exit_code != 0


def test_doubtful_sentences_are_not_learned_from(tmp_path: Path) -> None:
    letters = []
    for number, name in enumerate(("Kerbrat", "Madec", "Vraz", "Ouali") * 6):
        text = f"Vu ce jour par le Dr {name}. Examen normal.\n"
        told = Mention(text.index(name), text.index(name) + len(name), Label.DOCTOR)
        letters.append(corpus.GoldDocument(Document(f"a{number}", text), (told,), "a"))
        wrong = replace(letters[-1], mentions=(replace(told, label=Label.CITY, score=0.1),))
        letters += [replace(wrong, document=Document(f"b{number}{n}", text)) for n in range(3)]
    model = train_tagger("crf", letters, SMALL, tmp_path)
    tagger = build(AnnotatorChoice(name="crf", options={"model": str(model)}))
    found = tagger.annotate_batch([Reading(one.document) for one in letters[::4]])
    assert {mention.label for mentions in found for mention in mentions} == {Label.DOCTOR}
    assert all(found)


@pytest.mark.parametrize("kind", KINDS)
def test_distributions_do_not_depend_on_the_batch(kind: str, models: Path, sample: list[corpus.GoldDocument]) -> None:
    tagger = build(AnnotatorChoice(name=kind, options={"model": str(models / kind)}))
    readings = [Reading(one.document) for one in sample[:4]]
    together = tagger.distributions(readings)
    alone = [tagger.distributions([reading])[0] for reading in reversed(readings)]
    for array, other in zip(together, reversed(alone), strict=True):
        assert array.shape == (len(other), len(TAGS))
        assert np.allclose(array.sum(axis=1), 1, atol=1e-4)
        assert np.allclose(array, other, atol=1e-4)


def test_marginals_are_those_of_crfsuite(sample: list[corpus.GoldDocument], tmp_path: Path) -> None:
    seen = token_examples(sample[:8])
    settings = CrfSettings(iterations=15, hide_tables=0, hide_rules=0)
    path = tmp_path / "oracle"
    weights = train_crf(seen, settings, keep=path)
    oracle = pycrfsuite.Tagger()
    oracle.open(str(path))
    folder = tmp_path / "crf"
    folder.mkdir()
    from deid.detection.taggers.crf import CrfScores, marginals, padded

    features = window_features(feature_table(Reading(sample[9].document), FEATURE_RULES))[:60]
    oracle.set([[str(one) for one in row if one] for row in features.tolist()])
    # CRFsuite has no opinion of a step it never saw; the product forbids it almost.
    scores = CrfScores(replace(weights, transitions=np.where(weights.transitions == -8, 0, weights.transitions)))
    ours = marginals(*_emitted(scores, features, padded))[0].numpy()
    for at in (0, 7, 30, 59):  # to what weights in half precision allow
        for tag in oracle.labels():
            assert ours[at, TAGS.index(tag)] == pytest.approx(
                oracle.marginal(tag, at), abs=0.05
            )  # weights are kept in half precision


def _emitted(scores, features, padded):  # type: ignore[no-untyped-def]
    emissions, lengths = padded([scores.emissions(features)])
    return emissions, scores.transitions, lengths


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: shutil.rmtree(folder), "no model in"),
        (lambda folder: (folder / WEIGHTS).unlink(), "no model in"),
        (lambda folder: (folder / MANIFEST_FILE).write_text("{"), "cannot be read"),
        (lambda folder: _change(folder, features="0" * 16), "other features or labels"),
        (lambda folder: _change(folder, kind="oracle"), "is a oracle"),
        (lambda folder: (folder / WEIGHTS).write_bytes(b"x" * 100), "is not the file that was saved"),
    ],
)
def test_a_model_that_does_not_fit_is_refused_at_start(
    kind: str, harm, said: str, models: Path, tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / kind
    shutil.copytree(models / kind, folder)
    harm(folder)
    with pytest.raises(PolicyError, match=f"{kind}.*{said}"):
        build(AnnotatorChoice(name=kind, options={"model": str(folder)}))


def _change(folder: Path, **values: str) -> None:
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest | values))


def test_a_score_that_is_no_number_refuses_the_document(models: Path) -> None:
    tagger = build(AnnotatorChoice(name="bilstm_crf", options={"model": str(models / "bilstm_crf")}))
    tagger.distributions([Reading(Document("a", "Vu ce jour."))])
    with torch.no_grad():
        tagger._members[0].out.bias.fill_(float("nan"))  # type: ignore[attr-defined]
    with pytest.raises(DocumentRefused) as refused:
        tagger.distributions([Reading(Document("b", "Vu ce jour par le Dr Kerbrat."))])
    assert refused.value.document_id == "b"
    assert "Kerbrat" not in str(refused.value)


def test_cross_validation_leaves_authors_out_and_plays_back(gold: list[corpus.GoldDocument], tmp_path: Path) -> None:
    few = [one for one in gold if one.author in ("w1", "w2", "w3")][::10]
    cross_validation.run(few, tmp_path, SMALL, cross_validation.folds(few, 2), rows=None, workers=2)
    assert {author for fold in cross_validation.folds(few, 2) for author in fold} == {"w1", "w2", "w3"}
    saved = held_out.load_distributions(tmp_path, "crf")
    assert set(saved) == {one.document.id for one in few}
    base = load_policy()
    choice = AnnotatorChoice(
        name="nocturne_lab.learning.held_out:HeldOut", options={"tagger": "crf", "folder": str(tmp_path)}
    )
    detection = base.detection.model_copy(update={"annotators": (choice,), "merge": "average"})
    detector = Detector(base.model_copy(update={"detection": detection}))
    found = detector.detect([one.document for one in few])
    assert sum(map(len, found)) > len(few)


def test_the_learning_curve_has_a_line_per_share(gold: list[corpus.GoldDocument]) -> None:
    few = [one for one in gold if one.author in ("w1", "w2", "w3")][::12]
    table = learning_curve.curve(few, replace(SMALL, crf=replace(SMALL.crf, iterations=5)), (0.5, 1.0))
    sizes = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    assert [int(size) for size in sizes] == sorted(int(size) for size in sizes)
    assert len(set(sizes)) == 2
