"""How far two readers of the same documents agree: on which documents leak (Cohen 1960), and on which passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deid.reviews.marks import Mark
from deid.reviews.places import Kind
from deid.reviews.progress import Sampled


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two readings of `documents` documents have in common.

    `both`, `one` and `none` count the documents in which two, one or no reader marked something missed. `kappa` is
    Cohen's κ on that; None where it says nothing: all answers were the same. `passages` is the share of marks that the
    other reader made too, overlapping and saying the same; None where nobody marked anything.
    """

    documents: int
    both: int
    one: int
    none: int
    kappa: float | None
    passages: float | None
    marks: int


def agreement(sampled: Sequence[Sampled]) -> Agreement | None:
    """The agreement on the documents that two people have finished; None where there is none.

    Each reader's own marks count, whatever was settled later. Where more than two finished a document, the first two by
    name count.
    """
    pairs = [_pair(one) for one in sampled if len(one.readers) >= 2]
    if not pairs:
        return None
    table = [(_missed(first), _missed(second)) for first, second in pairs]
    both, none = table.count((True, True)), table.count((False, False))
    marks = sum(len(first) + len(second) for first, second in pairs)
    shared = sum(_shared(first, second) + _shared(second, first) for first, second in pairs)
    return Agreement(
        documents=len(pairs),
        both=both,
        one=len(pairs) - both - none,
        none=none,
        kappa=kappa(table),
        passages=shared / marks if marks else None,
        marks=marks,
    )


def kappa(answers: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's κ of two raters' yes or no; None where chance alone would make them agree always."""
    total = len(answers)
    if not total:
        return None
    observed = sum(first == second for first, second in answers) / total
    first_yes, second_yes = (sum(answer[rater] for answer in answers) / total for rater in (0, 1))
    expected = first_yes * second_yes + (1 - first_yes) * (1 - second_yes)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _pair(one: Sampled) -> tuple[list[Mark], list[Mark]]:
    first, second = one.readers[:2]
    return [m for m in one.marks if m.reader == first], [m for m in one.marks if m.reader == second]


def _missed(marks: Sequence[Mark]) -> bool:
    return any(mark.kind is Kind.MISSED for mark in marks)


def _shared(marks: Sequence[Mark], others: Sequence[Mark]) -> int:
    return sum(any(mark.agrees(other) for other in others) for mark in marks)
