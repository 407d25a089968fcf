"""Whose name: patient, professional or somebody else, decided per document and person, not per token."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from deid.detection.reading import Reading
from deid.detection.refining.role_evidence import Evidence, gather
from deid.document import Mention
from deid.labels import NAMES, Label

ROLES = (Label.PATIENT, Label.DOCTOR, Label.PERSON)
WEIGHTS = Path(__file__).parents[2] / "models" / "roles" / "weights.json"
# Votes of learned taggers weigh this much where the weights were fitted without any.
_LEARNED = 3.0
SHARED = 0.6  # how much of what the other mentions of a person say counts for one

Weights = Mapping[str, Sequence[float]]  # cue → what it adds to the log-odds of each of ROLES


def settle_roles(reading: Reading, mentions: Sequence[Mention], weights: Weights | None = None) -> list[Mention]:
    """`mentions` with every name in the role that its own surroundings and the person's other mentions give it."""
    found = gather(reading, mentions)
    if not found:
        return list(mentions)
    table = weights or _weights()
    own = [scores(one, table) for one in found]
    roles = {}
    for one, total in zip(found, _pooled(found, own), strict=True):
        roles[one.mention.start] = ROLES[max(range(len(ROLES)), key=total.__getitem__)]
    return [
        replace(mention, label=roles[mention.start]) if mention.label in NAMES else mention for mention in mentions
    ]


def scores(one: Evidence, weights: Weights) -> list[float]:
    """Log-odds of each of `ROLES`, up to a constant."""
    total = [0.0] * len(ROLES)
    for name, value in one.cues:
        row = weights.get(name)
        if row is None and name.startswith("vote learned "):
            row = [_LEARNED if name.endswith(role) else 0.0 for role in ROLES]
        if row is not None:
            for at, weight in enumerate(row):
                total[at] += weight * value
    return total


def _pooled(found: Sequence[Evidence], own: Sequence[Sequence[float]]) -> list[list[float]]:
    """Own log-odds and, in part, the mean of those of the same person's other mentions."""
    result = []
    for at, one in enumerate(found):
        others = [own[other] for other in range(len(found)) if other != at and same_person(one, found[other])]
        total = list(own[at])
        for role in range(len(ROLES)):
            if others:
                total[role] += SHARED * sum(row[role] for row in others) / len(others) * min(len(others), 3) ** 0.5
        result.append(total)
    return result


def same_person(one: Evidence, other: Evidence) -> bool:
    """Whether two mentions can name one person: the words of one are among the other's, initials agree."""
    if not one.words or not other.words:
        return bool(one.initials) and one.initials == other.initials and one.words == other.words
    few, many = sorted((one, other), key=lambda evidence: len(evidence.words))
    if not set(few.words) <= set(many.words):
        return False
    rest = [word[0] for word in many.words if word not in few.words] + list(many.initials)
    return all(initial in rest for initial in few.initials) or not rest


@cache
def _weights() -> Weights:
    table: Weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return table
