"""Weights of cues and of the roles of names, fitted on a handful of invented examples."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from deid.config.policy import AnnotatorChoice, Policy
from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.detection.refining.roles import ROLES
from deid.domain.document import Document, Patient
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning import roles
from nocturne_lab.learning.roles import fit_cues

LETTERS = (
    "Compte rendu de consultation\n\nMadame [[PATIENT|Claire LEMOINE]], née le [[DATE|3 mai 1960]], est vue ce jour.",
    "Cher confrère,\n\nMonsieur [[PATIENT|Paul GARNIER]] est vu depuis hier.\n\nDocteur [[DOCTOR|Jeanne MOREL]]",
    "Je revois Madame [[PATIENT|Sophie BRUN]], adressée par le Dr [[DOCTOR|Henri PASQUIER]] pour une toux.",
    "Signé : Dr [[DOCTOR|Luc FABRE]], chef de service. Le traitement est poursuivi.",
)


def test_a_cue_weighs_for_the_class_that_it_goes_with() -> None:
    examples = [([("titre", 1.0)], 0), ([("titre", 1.0), ("bruit", 1.0)], 0), ([("signature", 1.0)], 1)] * 5
    weights = fit_cues(examples, 2, ridge=0.5)
    assert list(weights) == ["bruit", "signature", "titre"]
    assert weights["titre"][0] > 0.5 > 0 > weights["titre"][1]
    assert weights["signature"][1] > 0.5
    assert abs(weights["bruit"][0]) < weights["titre"][0]
    assert all(value == round(value, 3) for row in weights.values() for value in row)


def test_a_stronger_penalty_gives_smaller_weights() -> None:
    examples = [([("a", 1.0)], 0), ([("b", 1.0)], 1)]
    loose, tight = (fit_cues(examples, 2, ridge) for ridge in (0.1, 10.0))
    assert 0 < tight["a"][0] < loose["a"][0]


@pytest.fixture(scope="module")
def policy() -> Policy:
    """The default policy with one annotator, which leaves roles undecided."""
    base = load_policy()
    detection = base.detection.model_copy(
        update={"annotators": (AnnotatorChoice(name="context"),), "merge": "weights", "recall": {}}
    )
    return base.model_copy(update={"detection": detection})


@pytest.fixture(scope="module")
def gold() -> list[GoldDocument]:
    documents = []
    for number, marked in enumerate(LETTERS):
        text, mentions = parse_marked(marked, "letter")
        document = Document(id=f"w{number % 2}-{number}", text=text, patient=Patient())
        documents.append(GoldDocument(document, mentions, f"w{number % 2}"))
    return documents


def test_names_are_found_with_their_true_role_and_weights_settle_them(policy: Policy, gold: list[GoldDocument]) -> None:
    undecided = policy.model_copy(update={"detection": policy.detection.model_copy(update={"settle_roles": False})})
    found = roles.find(Detector(undecided), gold)
    known = [role for one in found for role in one.roles.values()]
    assert {Label.PATIENT, Label.DOCTOR} <= set(known)
    weights = roles.fit_roles(found)
    assert weights
    assert all(len(row) == len(ROLES) for row in weights.values())
    good, total = roles.right(found, weights)
    assert total == len(known)
    assert good / total >= 0.8
    assert 0 <= roles.left_out(found) <= 1


def test_the_command_writes_the_weights(
    policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, marked in enumerate(LETTERS):
        (tmp_path / f"w{number % 2}-{number}.txt").write_text(marked, encoding="utf-8")
    output = tmp_path / "made" / "weights.json"
    monkeypatch.setattr(roles, "load_policy", lambda: policy)
    monkeypatch.setattr(sys, "argv", ["roles", str(tmp_path), "--output", str(output)])
    assert roles.main() == 0
    assert "of the names in their role" in capsys.readouterr().out
    written = json.loads(output.read_text(encoding="utf-8"))
    assert written["roles"] == list(ROLES)
    assert written["weights"]
