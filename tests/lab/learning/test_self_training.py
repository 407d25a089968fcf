"""Labels from agreement, students of a teacher, and the decision between two models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from deid.cli import app
from deid.detection.taggers.bilstm import Shape
from deid.detection.taggers.tags import INDEX, TAGS
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from nocturne_lab.learning import memorisation, self_training
from nocturne_lab.learning.memorisation import COUNT, TIMES, check_model
from nocturne_lab.learning.objectives import known_tokens, without_labels
from nocturne_lab.learning.self_training import (
    HELD_OUT,
    RECORD,
    agree,
    compared,
    distributions,
    open_tagger,
    self_train,
)
from nocturne_lab.learning.taggers.training import SMALL, train_tagger
from nocturne_lab.learning.transformer.examples import split
from tests.lab.learning.transformer_letters import letters

TEXT = "Vu par Kerbrat ce jour. Suivi par Madec à Brest. Rien à signaler."
TINY = replace(
    SMALL,
    bilstm=replace(
        SMALL.bilstm, epochs=12, batch=4, rate=1e-2,
        shape=Shape(column_buckets=1 << 10, column_width=16, gram_buckets=1 << 10, gram_width=8, hidden=16),
    ),
)  # fmt: skip


class Killed(Exception):
    """Ends a training where a test wants it."""


class Told:
    """Tagger that gives words the labels and probabilities it was made with."""

    def __init__(self, name: str, said: dict[str, tuple[str, float]]) -> None:
        self.name, self._said = name, said

    def distributions(self, readings: Sequence[Reading]) -> list[NDArray[np.float32]]:
        found = []
        for reading in readings:
            array = np.full((len(reading.words), len(TAGS)), 1e-4, dtype=np.float32)
            for at, word in enumerate(reading.words):
                tag, probability = self._said.get(word, ("O", 0.99))
                array[at, 0] = 1 - probability
                array[at, INDEX[tag]] = probability
            found.append(array / array.sum(axis=1, keepdims=True))
        return found

    def annotate_batch(self, readings: Sequence[Reading]) -> list[list[Mention]]:
        raise NotImplementedError

    def annotate(self, reading: Reading) -> list[Mention]:
        raise NotImplementedError


def labelled(first: dict[str, tuple[str, float]], second: dict[str, tuple[str, float]]) -> dict[str, float]:
    """Return the text and confidence of each mention on which two such taggers were asked."""
    (gold,) = agree([Document("a", TEXT)], Told("crf", first), Told("transformer", second))
    return {TEXT[one.start : one.end]: one.score for one in gold.mentions}


def test_what_both_are_sure_of_becomes_a_label() -> None:
    said = {"kerbrat": ("B-DOCTOR", 0.97), "madec": ("B-PERSON", 0.95)}
    found = labelled(said, {"kerbrat": ("B-DOCTOR", 0.99), "madec": ("B-PERSON", 0.98)})
    assert found.keys() == {"Kerbrat", "Madec"}
    assert all(score >= 0.9 for score in found.values())


@pytest.mark.parametrize(
    "other",
    [{}, {"madec": ("B-CITY", 0.99)}, {"madec": ("B-PERSON", 0.6)}, {"madec": ("B-PERSON", 0.2)}],
    ids=["missed", "other label", "unsure", "unsure that nobody is named"],
)
def test_sentences_with_a_disagreement_are_left_out(other: dict[str, tuple[str, float]]) -> None:
    both = {"kerbrat": ("B-DOCTOR", 0.97)}
    (gold,) = agree(
        [Document("a", TEXT)],
        Told("crf", both | {"madec": ("B-PERSON", 0.97)}),
        Told("transformer", both | other),
    )
    reading = Reading(gold.document)
    known = dict(zip(reading.words, known_tokens(reading, gold.mentions), strict=True))
    assert known["kerbrat"]
    assert known["signaler"]
    assert not known["madec"]
    assert not known["brest"]


def test_a_faint_suspicion_of_both_is_no_proof_that_nobody_is_named() -> None:
    faint = {"brest": ("B-CITY", 0.2)}
    assert labelled(faint, faint) == {"Brest": 0.0}


def test_a_student_comes_closer_to_its_teacher_than_one_with_tags_alone(tmp_path: Path) -> None:
    gold = letters(24)
    learned, unseen, held = gold[:4], gold[4:16], gold[16:]
    teacher = open_tagger(train_tagger("crf", gold[:16], SMALL, tmp_path))
    others = [without_labels(replace(one, mentions=())) for one in unseen]
    told = distributions(teacher, [one.document for one in (*learned, *others)])
    alone = train_tagger("bilstm_crf", learned, TINY, tmp_path / "alone")
    student = train_tagger("bilstm_crf", [*learned, *others], TINY, tmp_path / "student", teacher=told)
    wanted = distributions(teacher, [one.document for one in held])

    def apart(model: Path) -> float:
        found = distributions(open_tagger(model), [one.document for one in held])
        return float(np.mean([np.abs(found[name] - wanted[name]).sum(axis=1).mean() for name in wanted]))

    assert apart(student) < apart(alone)


def test_a_model_that_is_not_surely_better_is_not_kept(tmp_path: Path) -> None:
    gold = letters(12)
    model = train_tagger("crf", gold, SMALL, tmp_path)
    decision = compared("crf", model, model, gold)
    assert (decision.gain, decision.kept) == (0.0, False)
    assert "does not lie above 0" in decision.reason
    assert not replace(decision, low=-0.01, gain=0.2).kept
    assert replace(decision, low=0.01, gain=0.2).kept


def test_the_command_trains_on_what_two_models_agree_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 63)
    gold = letters(24)
    second = train_tagger("bilstm_crf", gold[:12], TINY, tmp_path)
    corpus, texts = tmp_path / "gold.jsonl", tmp_path / "texts.jsonl"
    from nocturne_lab.evaluation.corpus import gold_record

    corpus.write_text("".join(json.dumps(gold_record(one)) + "\n" for one in gold[:12]), encoding="utf-8")
    records = ({"id": one.document.id, "text": one.document.text} for one in gold[12:])
    texts.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    out = tmp_path / "out"
    asked = ["train", str(corpus), "--small", "--kind", "crf", "--unlabelled", str(texts), "--out", str(out)]
    trained: list[str] = []

    def followed(kind: str, learned: Any, recipe: Any, folder: Path, rows: Any) -> Path:
        trained.append(folder.name)
        return train_tagger(kind, learned, recipe, folder, rows)

    def killed(*_: Any) -> list[Any]:
        raise Killed

    monkeypatch.setattr(self_training, "train_tagger", followed)
    with monkeypatch.context() as patched:
        patched.setattr(self_training, "agree", killed)
        cut = CliRunner().invoke(app, [*asked, "--second", str(second), "--canaries", "7"])
    assert isinstance(cut.exception, Killed)
    assert {one.name for one in out.iterdir()} == {self_training.UNLABELLED}
    told = CliRunner().invoke(app, [*asked, "--second", str(second), "--canaries", "7"])
    assert told.exit_code == 0, told.output
    assert len(trained) == 2, "the first model was there"
    assert trained[1] == "after"
    found = check_model(out / "crf", None)
    assert [(one.times, one.canaries) for one in found.exposures["tags"]] == [(1, 8), (8, 8)]
    learned, _ = split(gold[:12], HELD_OUT, SMALL.seed)
    planted = sum(min(times, len(learned)) for times in TIMES) * COUNT // len(TIMES)
    labels = json.loads((out / "crf" / "model.json").read_text())["training"]["data"]["labels"]
    assert labels["IPP"] == planted, "the letters have none; a canary held out would look unlearned"
    record = json.loads((out / RECORD).read_text())
    assert record["unlabelled"] == 12
    assert record["agreed"] + record["doubtful"] > 0
    assert open_tagger(out / "crf").name == "crf"
    assert {one.name for one in out.iterdir()} == {"crf", RECORD}
    assert CliRunner().invoke(app, asked).exit_code == 2  # neither --second nor --teacher
    with pytest.raises(InputRefused, match="they err alike"):
        self_train("crf", gold, [], out / "crf", SMALL, tmp_path / "other")
