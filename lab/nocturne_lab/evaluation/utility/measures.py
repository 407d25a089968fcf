"""Measures of what a set of published documents is worth, with intervals over patients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from nocturne_lab.evaluation.coding.stays import dealt
from nocturne_lab.evaluation.intervals import drawn_interval, resampled
from nocturne_lab.evaluation.utility.facts import Pair, facts, long_gaps
from nocturne_lab.evaluation.utility.wording import surprises, told_apart, whole, without_shared

FOLDS = 5
LEAST_DOCUMENTS, LEAST_PATIENTS = 30, 10  # for an interval
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of a set of documents (docs/utility.md lists the names).

    Attributes:
        value: a share in 0..1, or a ratio.
        low: lower end of the interval of 95 % over patients drawn again; None where fewer than 30 documents or 10
            patients tell anything of the measure.
        high: its upper end.
        n: number of facts, texts or sub-words that were counted.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    n: int


def measure(pairs: Sequence[Pair], communes: CommuneTable | None = None) -> tuple[Measure, ...]:
    """Measure what published documents keep of their originals.

    A measure of which no document tells anything is left out, as are the perplexity and the classifier of fewer than
    five patients. The same pairs give the same numbers, in any order of patients' keys.

    Args:
        pairs: documents without letters or digits are passed over; one without a patient's key is its own patient.
        communes: the table that surrogates were drawn from; None is the packaged one.
    """
    table = packaged_tables().communes if communes is None else communes
    told = [one for one in pairs if any(map(str.isalnum, one.document.text))]
    patients = [one.document.patient.key or f"document {one.document.id}" for one in told]
    return (*_of_facts(told, patients, table), *_of_long_gaps(told, patients), *_of_wording(told, patients))


def _of_facts(pairs: Sequence[Pair], patients: Sequence[str], table: CommuneTable) -> Iterator[Measure]:
    counts: defaultdict[str, Numbers] = defaultdict(lambda: np.zeros((2, len(pairs))))
    for at, pair in enumerate(pairs):
        for fact in facts(pair, table):
            counts[fact.name][:, at] += fact.kept, fact.told
    for name, (kept, stated) in counts.items():
        if stated.any():
            yield _measured(name, stated > 0, patients, int(stated.sum()), _Sums(lambda k, s: k / s, kept, stated))


def _of_long_gaps(pairs: Sequence[Pair], patients: Sequence[str]) -> Iterator[Measure]:
    found = [(error, at) for at, pair in enumerate(pairs) for error in long_gaps(pair)]
    if found:
        errors, owners = np.array([one for one, _ in found]), np.array([at for _, at in found])
        order = np.argsort(errors, kind="stable")
        telling = np.bincount(owners, minlength=len(pairs)) > 0
        yield _measured("long_gaps_error", telling, patients, len(found), _Median(errors[order], owners[order]))


def _of_wording(pairs: Sequence[Pair], patients: Sequence[str]) -> Iterator[Measure]:
    if len(set(patients)) < FOLDS:
        return
    fold = dealt(patients, FOLDS)
    versions = {
        "": whole(pairs),
        "own_": without_shared(pairs, patients),
        "own_undated_": without_shared(pairs, patients, dates=False),
    }
    for name, texts in versions.items():
        nats, lengths = surprises(texts, fold)
        everyone = lengths.min(axis=1) > 0
        if everyone.any():
            ratio = _Sums(lambda a, b, m, n: np.exp(b / n - a / m), *nats.T, *lengths.T)
            yield _measured(f"{name}perplexity_ratio", everyone, patients, int(lengths[everyone, 1].sum()), ratio)
        shares = _Sums(lambda right, texts: right / texts, told_apart(texts, fold), np.full(len(pairs), 2.0))
        yield _measured(f"{name}told_apart", np.ones(len(pairs), dtype=bool), patients, 2 * len(pairs), shares)


class _Sums:
    """A function of sums over documents."""

    def __init__(self, of: Callable[..., Numbers], *columns: Numbers) -> None:
        self._of, self._columns = of, columns

    def __call__(self, weights: Numbers) -> Numbers:
        """Return the value of each row of weights, shape (rows, documents)."""
        return self._of(*(weights @ one for one in self._columns))


class _Median:
    """The median of values, in increasing order, each of one document."""

    def __init__(self, values: Numbers, owners: NDArray[np.int64]) -> None:
        self._values, self._owners = values, owners

    def __call__(self, weights: Numbers) -> Numbers:
        """Return the median under each row of weights, shape (rows, documents)."""
        return np.array([self._values[_middle(np.cumsum(row[self._owners]))] for row in weights])


def _middle(weights: Numbers) -> int:
    return int(np.searchsorted(weights, weights[-1] / 2))


def _measured(
    name: str, telling: NDArray[np.bool_], patients: Sequence[str], n: int, value: Callable[[Numbers], Numbers]
) -> Measure:
    """Return a measure with its interval over the patients of the `telling` documents, which have a value."""
    own, of_patient = np.unique(np.array(patients)[telling], return_inverse=True)
    once = np.zeros((1, len(patients)))
    once[:, telling] = 1
    found = float(value(once)[0])
    if telling.sum() < LEAST_DOCUMENTS or len(own) < LEAST_PATIENTS:
        return Measure(name, found, None, None, n)
    drawn = resampled(len(own))
    weights = np.zeros((len(drawn), len(patients)))
    weights[:, telling] = drawn[:, of_patient]
    return Measure(name, found, *drawn_interval(value(weights)), n)
