"""Figures of blind coding by people: each coder and arm against the stays' codes, coders against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deid.domain.errors import InputRefused
from deid.reviews.estimate import cohen_kappa
from nocturne_lab.evaluation.coding.blind import ARMS, Arm, Item, Sheet
from nocturne_lab.evaluation.coding.icd10 import Level, at_level
from nocturne_lab.evaluation.coding.scores import (
    Matrix,
    Prf,
    alpha,
    encoded,
    jaccard,
    loss,
    mean,
    micro,
    micro_f1,
)
from nocturne_lab.evaluation.intervals import Interval, resampled

TENTHS = tuple(round(step / 10, 1) for step in range(11))


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """Scores of one arm against the stays' codes; `main` is the share of stays whose main class comes first."""

    micro: Prf
    f1: Interval
    jaccard: Interval
    main: Interval


@dataclass(frozen=True, slots=True)
class CoderFigures:
    """Figures of a coder, or of all, on stays coded in both arms.

    `f1_loss` and `jaccard_loss` are original less published. `same` takes the coding of the original as the truth and
    that of the published text as the answer (Tchouka et al. 2022, table 4); `cumulative` is the share of stays whose
    Jaccard index between both is at least 0, 0.1, ..., 1 (figure 8).
    """

    stays: int
    arms: Mapping[Arm, ArmFigures]
    f1_loss: Interval
    jaccard_loss: Interval
    same: Prf
    same_jaccard: Interval
    cumulative: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two coders in an arm on the stays that both coded.

    `kappa` is Cohen's κ over all pairs of stay and class, None if both always answer alike; `alpha` is Krippendorff's α
    of sets, None if all sets are equal.
    """

    stays: int
    jaccard: Interval
    kappa: float | None
    alpha: Interval | None


@dataclass(frozen=True, slots=True)
class Human:
    """Figures at one level; pairs of coders are in alphabetical order."""

    level: Level
    classes: int
    everybody: CoderFigures
    coders: Mapping[str, CoderFigures]
    agreement: Mapping[tuple[str, str], Mapping[Arm, Agreement]]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Codings of some stays in both arms, one row for each; `at` is the index of the stay."""

    at: NDArray[np.int64]
    gold: Matrix
    arms: Mapping[Arm, Matrix]
    main: Mapping[Arm, NDArray[np.float64]]


def judge(key: Mapping[str, Item], sheets: Sequence[Sheet], level: Level = "code", seed: int = 2026) -> Human:
    """Score filled sheets at a level of the classification; intervals are of stays drawn again.

    Raises:
        InputRefused: two sheets of one coder, or a coder who coded no stay in both arms.
    """
    if len({one.coder for one in sheets}) < len(sheets):
        raise InputRefused("two sheets are of one coder.", "Give one sheet for each coder.")
    told = {one.stay: one.codes for one in key.values()}
    stays = sorted(told)
    used = [*told.values(), *(codes for one in sheets for codes in one.codes.values())]
    classes = sorted({at_level(code, level) for codes in used for code in codes})
    weights = resampled(len(stays), seed)
    rows = {one.coder: _rows(stays, told, one, level, classes) for one in sorted(sheets, key=lambda one: one.coder)}
    return Human(
        level,
        len(classes),
        _figures(_joined(list(rows.values())), weights),
        {coder: _figures(own, weights) for coder, own in rows.items()},
        {
            (one.coder, other.coder): {
                arm: found for arm in ARMS if (found := _agreement(stays, one, other, arm, level, classes, weights))
            }
            for one, other in combinations(sorted(sheets, key=lambda one: one.coder), 2)
        },
    )


def _rows(
    stays: Sequence[str], told: Mapping[str, tuple[str, ...]], sheet: Sheet, level: Level, classes: Sequence[str]
) -> _Rows:
    chosen = [at for at, stay in enumerate(stays) if all((stay, arm) in sheet.codes for arm in ARMS)]
    if not chosen:
        raise InputRefused(
            f"coder {sheet.coder} coded no stay in both arms.", "Give sheets in which both texts of stays are coded."
        )
    own = {arm: [[at_level(code, level) for code in sheet.codes[stays[at], arm]] for at in chosen] for arm in ARMS}
    gold = [[at_level(code, level) for code in told[stays[at]]] for at in chosen]
    return _Rows(
        np.asarray(chosen),
        encoded([*map(frozenset, gold)], classes),
        {arm: encoded([*map(frozenset, codes)], classes) for arm, codes in own.items()},
        {
            arm: np.asarray([one[:1] == true[:1] for one, true in zip(codes, gold, strict=True)], dtype=np.float64)
            for arm, codes in own.items()
        },
    )


def _joined(rows: Sequence[_Rows]) -> _Rows:
    return _Rows(
        np.concatenate([one.at for one in rows]),
        np.vstack([one.gold for one in rows]),
        {arm: np.vstack([one.arms[arm] for one in rows]) for arm in ARMS},
        {arm: np.concatenate([one.main[arm] for one in rows]) for arm in ARMS},
    )


def _figures(rows: _Rows, weights: NDArray[np.float64]) -> CoderFigures:
    drawn = weights[:, rows.at]
    before, after = rows.arms["original"], rows.arms["published"]
    alike = jaccard(before, after)
    return CoderFigures(
        stays=len(set(rows.at.tolist())),
        arms={
            arm: ArmFigures(
                micro(rows.gold, own),
                micro_f1(rows.gold, own, drawn),
                mean(jaccard(rows.gold, own), drawn),
                mean(rows.main[arm], drawn),
            )
            for arm, own in rows.arms.items()
        },
        f1_loss=loss(rows.gold, before, after, drawn),
        jaccard_loss=mean(jaccard(rows.gold, before) - jaccard(rows.gold, after), drawn),
        same=micro(before, after),
        same_jaccard=mean(alike, drawn),
        cumulative=tuple(float((alike >= least).mean()) for least in TENTHS),
    )


def _agreement(
    stays: Sequence[str],
    one: Sheet,
    other: Sheet,
    arm: Arm,
    level: Level,
    classes: Sequence[str],
    weights: NDArray[np.float64],
) -> Agreement | None:
    """Return the agreement in an arm; None without a stay that both coded."""
    both = [at for at, stay in enumerate(stays) if (stay, arm) in one.codes and (stay, arm) in other.codes]
    if not both:
        return None
    first, second = (
        encoded([frozenset(at_level(code, level) for code in own.codes[stays[at], arm]) for at in both], classes)
        for own in (one, other)
    )
    answers = list(zip(first.ravel().tolist(), second.ravel().tolist(), strict=True))
    drawn = weights[:, both]
    return Agreement(len(both), mean(jaccard(first, second), drawn), cohen_kappa(answers), alpha(first, second, drawn))
