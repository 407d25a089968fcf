"""The attack of membership finds what an overfitted model learned, and nothing of what it did not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deid.cli import main
from deid.domain.document import Document
from deid.domain.errors import InputRefused, PolicyError
from nocturne_lab.evaluation.attacks.membership import attack_losses, attack_model
from nocturne_lab.evaluation.corpus import GoldDocument, gold_record, load_corpus
from nocturne_lab.learning.taggers.training import SMALL, train_tagger
from nocturne_lab.learning.transformer.optimization import Machine
from nocturne_lab.learning.transformer.plan import CONFIGS, Plan, load_plan
from nocturne_lab.learning.transformer.pretraining import pretrain
from tests import ROOT

SIZE = 30
OVERFITTED = replace(SMALL, crf=replace(SMALL.crf, c1=0, c2=1e-4, least=1, iterations=60, hide_tables=0, hide_rules=0))


@pytest.fixture(scope="module")
def corpus() -> list[list[GoldDocument]]:
    """Three times as many short documents of the same authors."""
    read = sorted(load_corpus(ROOT / "corpus" / "train"), key=lambda one: len(one.document.text))[: 3 * SIZE]
    order = np.random.default_rng(2).permutation(len(read))
    return [[read[at] for at in order[part::3]] for part in range(3)]


@pytest.fixture(scope="module")
def overfitted(corpus: list[list[GoldDocument]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CRF without penalty, of the first third."""
    return train_tagger("crf", corpus[0], OVERFITTED, tmp_path_factory.mktemp("model"))


def test_an_overfitted_tagger_tells_what_it_learned(corpus: list[list[GoldDocument]], overfitted: Path) -> None:
    found = attack_model(overfitted, corpus[0], corpus[1])
    assert (found.members, found.others) == (SIZE, SIZE)
    assert found.auc.low is not None
    assert found.auc.low > 0.8
    assert found.advantage.value is not None
    assert found.chance.high is not None
    assert found.advantage.value > found.chance.high
    assert found.low.value is None, "1 % of 30 documents is none"


def test_documents_that_no_model_learned_are_not_told_apart(corpus: list[list[GoldDocument]], overfitted: Path) -> None:
    found = attack_model(overfitted, corpus[1], corpus[2])
    auc, advantage, chance = found.auc, found.advantage, found.chance
    assert auc.low is not None
    assert auc.high is not None
    assert auc.low < 0.5 < auc.high
    assert advantage.value is not None
    assert chance.high is not None
    assert advantage.value <= chance.high


def test_an_encoder_tells_what_it_learned(corpus: list[list[GoldDocument]], tmp_path: Path) -> None:
    values = load_plan(CONFIGS / "train-small.yaml").model_dump()
    values["encoder"] |= {"hidden": 64, "intermediate": 128, "vocabulary": 1500}
    values["pretraining"] |= {"steps": 600, "learning_rate": 5e-3}
    short = [
        [replace(one, document=replace(one.document, text=one.document.text[:200])) for one in some] for some in corpus
    ]
    pretrain(Plan.model_validate(values), short[0], tmp_path, Machine.of("fp32"))
    learned, others = attack_model(tmp_path, short[0], short[1]), attack_model(tmp_path, short[1], short[2])
    assert learned.auc.low is not None
    assert learned.auc.low > 0.8
    assert others.auc.low is not None
    assert others.auc.high is not None
    assert others.auc.low < 0.5 < others.auc.high


def test_figures_of_known_losses() -> None:
    """AUC, best threshold and share at 1 %, by hand."""
    apart = attack_losses([0.1] * 10, [0.2] * 200)
    assert (apart.auc.value, apart.advantage.value, apart.low.value) == (1, 1, 1)
    same = attack_losses([0.1] * 10, [0.1] * 200)
    assert (same.auc.value, same.advantage.value, same.low.value) == (0.5, 0, 0)
    # Half of the members lie below all others, half above.
    half = attack_losses([0.1] * 5 + [0.9] * 5, [0.5] * 100)
    assert (half.auc.value, half.advantage.value, half.low.value) == (0.5, 0.5, 0.5)
    inverse = attack_losses([0.9] * 10, [0.5] * 100)
    assert (inverse.auc.value, inverse.advantage.value, inverse.low.value) == (0, 0, 0)


def test_what_cannot_be_attacked_is_refused(corpus: list[list[GoldDocument]], overfitted: Path, tmp_path: Path) -> None:
    empty = [GoldDocument(Document(f"e{at}", ""), (), "") for at in range(20)]
    for members, others in ((corpus[0], corpus[1][:9]), (corpus[0][:9], corpus[1]), (corpus[0], empty)):
        with pytest.raises(InputRefused, match="are too few"):
            attack_model(overfitted, members, others)
    with pytest.raises(InputRefused, match="among the members and the others"):
        attack_model(overfitted, corpus[0], [*corpus[1], corpus[0][0]])
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "architectures": ["BertForMaskedLM"]}))
    with pytest.raises(PolicyError, match=r"tokenizer\.json"):
        attack_model(tmp_path, corpus[0], corpus[1])


def test_the_command_writes_numbers_alone(
    corpus: list[list[GoldDocument]], overfitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, some in (("members", corpus[0]), ("others", corpus[1])):
        lines = (json.dumps(gold_record(one)) + "\n" for one in some)
        (tmp_path / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    given = [str(tmp_path / "members.jsonl"), "--others", str(tmp_path / "others.jsonl")]
    assert main(["models", "membership", str(overfitted), "--members", *given]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["members"] == SIZE
    assert said["auc"]["value"] > 0.8
    assert set(said) == {"members", "others", "auc", "advantage", "low", "chance"}
