"""Fit the weights of cues of the role of a name: `python -m nocturne_lab.learning.roles CORPUS/train`.

A multinomial logistic regression over the cues of `deid.detection.refining.roles`, on the names found by the detector
of the policy in annotated documents, half of them with the patient unknown. Writes `deid/models/roles/weights.json` and
prints the share of right roles on authors left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.detection.refining.roles import ROLES, WEIGHTS, Weights, gather_evidence, settle_roles
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus

_RIDGE = 2.0  # L2 penalty per weight
Cues = Sequence[tuple[str, float]]  # with their values


@dataclass(frozen=True, slots=True)
class Found:
    """Document, the detector's mentions, and the true roles of names by start offset."""

    gold: GoldDocument
    mentions: tuple[Mention, ...]
    roles: dict[int, Label]


def find(detector: Detector, documents: Sequence[GoldDocument]) -> list[Found]:
    """Run `detector` on documents; a name that overlaps no true name has no role, and is not used."""
    result = []
    found = detector.detect([one.document for one in documents])
    for one, mentions in zip(documents, found, strict=True):
        true = [mention for mention in one.mentions if mention.label in NAMES]
        roles = {}
        for mention in mentions:
            touched = [name for name in true if name.overlaps(mention)]
            if mention.label in NAMES and touched:
                roles[mention.start] = touched[0].label
        result.append(Found(one, mentions, roles))
    return result


def fit_roles(found: Sequence[Found]) -> Weights:
    """Return the weights of every cue present."""
    rows: list[tuple[Cues, int]] = []
    for one in found:
        for evidence in gather_evidence(Reading(one.gold.document), one.mentions):
            if evidence.mention.start in one.roles:
                rows.append((evidence.cues, ROLES.index(one.roles[evidence.mention.start])))
    return fit_cues(rows, len(ROLES), _RIDGE)


def fit_cues(examples: Sequence[tuple[Cues, int]], classes: int, ridge: float) -> dict[str, list[float]]:
    """Return cue → weights of the classes (nats, rounded to a thousandth), cues in alphabetical order.

    Minimises the summed cross-entropy of softmax(Σ value · weight) plus ridge · ‖weights‖² / 2, by L-BFGS.

    Args:
        examples: cues with their values, and the class in [0, classes).
        classes: number of classes.
        ridge: L2 penalty per weight.
    """
    names = sorted({name for cues, _ in examples for name, _ in cues})
    column = {name: at for at, name in enumerate(names)}
    values = torch.zeros(len(examples), len(names))
    for row, (cues, _) in enumerate(examples):
        for name, value in cues:
            values[row, column[name]] = value
    wanted = torch.tensor([one for _, one in examples])
    weights = torch.zeros(len(names), classes, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = torch.nn.functional.cross_entropy(values @ weights, wanted, reduction="sum")
        value = value + ridge * weights.square().sum() / 2
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return {name: [round(one, 3) for one in row] for name, row in zip(names, weights.tolist(), strict=True)}


def right(found: Sequence[Found], weights: Weights) -> tuple[int, int]:
    """Count the names with the right role, and all names with a role."""
    good = total = 0
    for one in found:
        settled = settle_roles(Reading(one.gold.document), one.mentions, weights)
        for mention in settled:
            if mention.start in one.roles:
                total += 1
                good += mention.label is one.roles[mention.start]
    return good, total


def left_out(found: Sequence[Found]) -> float:
    """Return the share of right roles, each author's documents scored with weights fitted on the other authors'."""
    good = total = 0
    for author in sorted({one.gold.author for one in found}):
        weights = fit_roles([one for one in found if one.gold.author != author])
        one_good, one_total = right([one for one in found if one.gold.author == author], weights)
        good, total = good + one_good, total + one_total
    return good / total


def main() -> int:
    """Fit, measure, write; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of annotated documents")
    parser.add_argument("--output", type=Path, default=WEIGHTS, help="where the weights go")
    given = parser.parse_args()
    policy = load_policy()
    # The detector must leave roles undecided: they are the target of the regression.
    policy = policy.model_copy(update={"detection": policy.detection.model_copy(update={"settle_roles": False})})
    detector, gold = Detector(policy), load_corpus(given.folder)
    known = find(detector, gold)
    unknown = find(detector, [one.without_identity() for one in gold])
    print(f"authors left out: {left_out([*known, *unknown]):.4f} of the names in their role")
    weights = fit_roles([*known, *unknown])
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(
        json.dumps({"roles": list(ROLES), "weights": weights}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
