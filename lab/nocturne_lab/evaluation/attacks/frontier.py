"""Patients found by known dates under each way to publish dates, beside the gaps that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deid.substitution.temporal.order import project
from nocturne_lab.evaluation.attacks.histories import (
    ANY_DAY,
    PARTS,
    Generalised,
    Histories,
    Ints,
    Mechanism,
    TimeChange,
    Way,
    is_weekend,
)
from nocturne_lab.evaluation.attacks.informed import KNOWN, Found, find

SIZES = (320, 10_000, 100_000)
SHORT = 60  # days


@dataclass(frozen=True, slots=True)
class Row:
    """One way to publish dates: what is found, and what is kept.

    Attributes:
        name: as in the table.
        found: the attacks.
        exact: share of gaps of up to 60 days between neighbouring dates of a document that are kept to the day.
        wrong: share of them that change by more than half.
        kind: share of a document's days that stay working days or days of a weekend.
        in_order: share of a patient's successive documents, of different days, that are still in their order.
    """

    name: str
    found: tuple[Found, ...]
    exact: float
    wrong: float
    kind: float
    in_order: float


# Way to publish, numbers of candidates. Scales in days; ε of an episode is 2 / scale.
COMPARED: tuple[tuple[Way, tuple[int, ...]], ...] = (
    (Mechanism("shift only, 14", 0, 14, "patient", None), SIZES[:1]),
    (Mechanism("own noise of each day, 14 and 4 (`metric`)", 14, 4, "day", None), SIZES[:1]),
    (Mechanism("stays by whole weeks, 180 and 60", 180, 60), SIZES[:1]),
    (Mechanism("the same, and own noise of each day, 0.3", 180, 60, jitter=0.3), SIZES[:1]),
    (Mechanism("stays within a part of the week, 180 and 180", 180, 180, parts=PARTS), SIZES[:1]),
    (Mechanism("stays by whole weeks, 180 and 180", 180, 180), SIZES[:1]),
    (Mechanism("stays by whole weeks, 180 and 400 (`default`)", 180, 400), SIZES),
    (Mechanism("stays by any days, each brought to its kind", 180, 60, parts=ANY_DAY, together=-1), SIZES[:1]),
    (Mechanism("stays by any days, 180 and 60", 180, 60, parts=None), SIZES[:1]),
    (Mechanism("own noise of each day, 180 and 90", 180, 90, "day", None), SIZES[:1]),
    (Mechanism("own noise of each day, 365 and 180 (`strict`)", 365, 180, "day", None), SIZES),
    (Generalised("months (`generalise`)", "M"), SIZES[:1]),
    (Generalised("years (`generalise`)", "Y"), SIZES[:1]),
    (TimeChange("changed time, 180 and shape 0.15", 180, 0.15), SIZES[:1]),
)


def study(true: Histories, targets: int = 1_000, step: Callable[[str], object] = lambda _what: None) -> Iterator[Row]:
    """Yield a row for each way of `COMPARED`, on the dates of as many patients as the greatest of `SIZES`."""
    for mechanism, sizes in COMPARED:
        one = true.head(max(sizes[-1], 16 * sizes[0]))
        found = [each for known in KNOWN for each in find(one, mechanism, known, sizes, targets)]
        yield Row(mechanism.name, tuple(found), *utility(true.head(1_000), mechanism))
        step(mechanism.name)


def utility(true: Histories, mechanism: Way, seed: int = 1) -> tuple[float, float, float, float]:
    """Return the shares of `Row`: short gaps kept to the day, changed by more than half, kinds, documents in order.

    The order of a document's dates is restored, as in `deid.substitution.temporal.order`.
    """
    published = mechanism.publish(true, np.random.default_rng(seed))
    documents = list(_documents(true, published))
    gaps = np.concatenate([np.diff(one) for one in documents], axis=1)
    short = gaps[:, gaps[0] <= SHORT]
    change = np.abs(short[1] - short[0])
    weekends = is_weekend(np.concatenate(documents, axis=1))
    own = np.flatnonzero(true.own)
    own = own[np.lexsort((true.day[own], true.patient[own]))]
    next_to = (np.diff(true.patient[own]) == 0) & (np.diff(true.day[own]) > 0)
    return (
        float((change == 0).mean()),
        float((change > short[0] / 2).mean()),
        float((weekends[0] == weekends[1]).mean()),
        float((np.diff(published[own])[next_to] > 0).mean()),
    )


def _documents(true: Histories, published: Ints) -> Iterator[Ints]:
    """Yield the true days of each document, in order, and the published ones, their order restored."""
    ends = [*np.flatnonzero(np.diff(true.document, prepend=-1)), len(true.day)]
    for start, stop in pairwise(ends):
        days, at = np.unique(true.day[start:stop], return_index=True)
        own = true.own[start:stop][at]
        moved = project(
            [int(one) for one in published[start:stop][at]], [(None, None)] * len(days), list(map(bool, own))
        )
        yield np.array([days, moved])
