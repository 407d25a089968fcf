"""Whose name: patient, professional or somebody else, decided per document and person, not per token."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deid.detection.reading import Reading
from deid.detection.refining.role_evidence import Evidence, gather
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label

ROLES = (Label.PATIENT, Label.DOCTOR, Label.PERSON)
WEIGHTS = Path(__file__).parents[2] / "models" / "roles" / "weights.json"
# What votes weigh where the weights were fitted without any: those of learned taggers, those of the staff list.
_UNFITTED = {"vote learned ": 3.0, "vote identity ": 4.0}
_MOST_FORMS = 50
_MOST_WORDS = 12
SHARED = 0.3  # how much of what the other mentions of a person say counts for one

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
    return [replace(mention, label=roles[mention.start]) if mention.label in NAMES else mention for mention in mentions]


def scores(one: Evidence, weights: Weights) -> list[float]:
    """Log-odds of each of `ROLES`, up to a constant."""
    total = [0.0] * len(ROLES)
    for name, value in one.cues:
        row = weights.get(name)
        if row is None:
            weight = next((weight for start, weight in _UNFITTED.items() if name.startswith(start)), 0.0)
            row = [weight if name.endswith(role) else 0.0 for role in ROLES] if weight else None
        if row is not None:
            for at, weight in enumerate(row):
                total[at] += weight * value
    return total


def _pooled(found: Sequence[Evidence], own: Sequence[Sequence[float]]) -> list[list[float]]:
    """Own log-odds and, in part, those of the same person's other mentions."""
    forms: dict[_Form, _Sum] = {}
    by_word: dict[str, list[_Form]] = {}
    for one, row in zip(found, own, strict=True):
        form = _Form(one.words, one.initials)
        if form not in forms:
            forms[form] = _Sum([0.0] * len(ROLES))
            for word in one.words or one.initials:
                by_word.setdefault(word, []).append(form)
        forms[form].add(row)
    kin = {form: [forms[other] for other in _alike(form, by_word)] for form in forms}
    pooled = [_with_others(row, kin[_Form(one.words, one.initials)]) for one, row in zip(found, own, strict=True)]
    for at, one in enumerate(found):
        if at and one.goes_on:
            pooled[at - 1] = pooled[at] = [sum(both) for both in zip(pooled[at - 1], pooled[at], strict=True)]
    return pooled


def _with_others(row: Sequence[float], sums: Sequence[_Sum]) -> list[float]:
    """`row` and a part of the mean of the rest of `sums`, in which it is counted."""
    count = sum(one.count for one in sums) - 1
    if not count:
        return list(row)
    share = SHARED * min(count, 3) ** 0.5 / count
    return [value + share * (sum(one.row[at] for one in sums) - value) for at, value in enumerate(row)]


class _Form(NamedTuple):
    """How a person is named: words, and initials beside them."""

    words: tuple[str, ...]
    initials: tuple[str, ...]


@dataclass(slots=True)
class _Sum:
    row: list[float]
    count: int = 0

    def add(self, row: Sequence[float]) -> None:
        self.count += 1
        for at, value in enumerate(row):
            self.row[at] += value


def _alike(form: _Form, by_word: Mapping[str, Sequence[_Form]]) -> list[_Form]:
    """The forms that can name the same person, itself among them; of a word in very many forms, the first only."""
    # Nobody has more names than that: what is longer is no name, and would be compared word by word with itself.
    words = (form.words or form.initials)[:_MOST_WORDS]
    near = dict.fromkeys(other for word in words for other in by_word[word][:_MOST_FORMS])
    return [form, *(other for other in near if other != form and _same_person(form, other))]


def _same_person(one: _Form, other: _Form) -> bool:
    """Whether two mentions can name one person: the words of one are among the other's, initials agree."""
    if not one.words or not other.words:
        return bool(one.initials) and one.initials == other.initials and one.words == other.words
    few, many = sorted((one, other), key=lambda form: len(form.words))
    if not set(few.words) <= set(many.words):
        return False
    rest = [word[0] for word in many.words if word not in few.words] + list(many.initials)
    return all(initial in rest for initial in few.initials) or not rest


@cache
def _weights() -> Weights:
    table: Weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))["weights"]
    return table
