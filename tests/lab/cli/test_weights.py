"""`policy weights`: proposed weights follow what people marked, paste as YAML, and no policy is written."""

from __future__ import annotations

from pathlib import Path

import yaml
from scipy.stats import binomtest

from deid.config.policy import load
from nocturne_lab.evaluation.annotator_weights import Cell
from tests.unit.cli.conftest import Call

POLICY = """extends: rules
name: ours
types:
  RING: {label: ID, names: {fr: Anneau, en: Ring}, patterns: ['anneau (?P<value>[A-Z]\\d+)']}
"""


def test_the_proposal_is_yaml_that_the_policy_takes(deid: Call, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(15):
        right, wrong = f"[[EMAIL|a.petit{number}@chu-nord.fr]]", f"b.petit{number}@chu-nord.fr"
        ring = f"anneau [[ID|B{number}11]], anneau C{number}22" if number < 12 else "rien"
        text = f"Écrire à {right}{f' ou à {wrong}' if number < 5 else ''}, {ring}.\n"
        (corpus / f"w01-{number:02d}.txt").write_text(text, encoding="utf-8")
    path = tmp_path / "ours.yaml"
    path.write_text(POLICY, encoding="utf-8")
    said = deid("policy", "weights", corpus, "--policy", path)
    assert said.status == 0, said.err
    proposed = yaml.safe_load(said.out)
    # 15 of 20: the lower bound of Clopper and Pearson, over the mean score of what the pattern finds
    low = binomtest(15, 20).proportion_ci(0.95).low
    assert 100 * low <= proposed["detection"]["weights"]["patterns"]["EMAIL"] <= 100 * low / 0.9
    assert proposed["types"]["RING"]["weight"] == int(100 * binomtest(12, 24).proportion_ci(0.95).low)
    assert "EMAIL: " in said.out
    assert "précision 75.0 % [50.9 ; 91.3], 20 mentions, rappel 100.0 %" in said.out
    assert path.read_text(encoding="utf-8") == POLICY
    merged = {**yaml.safe_load(POLICY), "detection": proposed["detection"]}
    merged["types"]["RING"] |= proposed["types"]["RING"]
    path.write_text(yaml.safe_dump(merged), encoding="utf-8")
    assert load(path).types["RING"].weight == proposed["types"]["RING"]["weight"]


def test_few_mentions_give_no_weight_and_a_weight_never_silences() -> None:
    assert Cell(found=9, right=9, scores=9).weight(0.5) is None
    assert Cell(found=40, right=4, scores=40).weight(0.5) == 50
    assert Cell(found=40, right=4, scores=40 * 0.4).weight(0.5) == 100
    assert Cell(found=40, right=0, scores=40).interval[0] == 0
    assert Cell(found=40, right=40, scores=40).interval[1] == 1
