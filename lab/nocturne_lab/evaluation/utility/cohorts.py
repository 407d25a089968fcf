"""Cohort queries of a researcher, asked of original and of published documents by the same programs.

A query is a function of sums over patients, so that its error has an interval over patients drawn again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from deid.domain.document import Document, Mention
from deid.domain.labels import Label
from deid.french.folding import fold
from deid.reference.tables import packaged_tables
from deid.substitution.temporal.ages import parse_age
from nocturne_lab.evaluation.intervals import drawn_interval, resampled
from nocturne_lab.evaluation.utility.facts import Pair
from nocturne_lab.evaluation.utility.measures import Numbers

_SOON, _LONG, _OLD = 30, 7, 75  # days to a stay that follows, nights of a long stay, years
_DELAYS = 400  # days, the longest delay within a stay that is told apart
_BIN, _BINS = 30, 24  # of the time to the next stay: two years in bins of 30 days
_DECADES = 11
_DEPARTMENTS = 100
_MUCH_RADON = 3  # class of the ground, of three
_OPERATION = re.compile(r"compte[ -]rendu operatoire")


class NoteFacts(NamedTuple):
    """Facts that a researcher reads of a document; days are ordinals, an age is in years."""

    stay: date | None  # true first day, which names the stay and is never counted with
    day: int | None
    age: float | None
    zip: str | None  # or its first two digits
    fracture: bool
    operation: bool  # the operative report
    male: bool


class Read(NamedTuple):
    """Rows of the documents of a patient, in original and in published form."""

    original: tuple[NoteFacts, ...]
    published: tuple[NoteFacts, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A question about a cohort.

    Attributes:
        counts: vector of one patient; its length is the same for all.
        answer: the answer, one number or a curve, of each row of sums over patients, shape (rows, length).
        error: the error of published answers against true ones, one for each row.
    """

    words: str
    counts: Callable[[Sequence[NoteFacts]], Sequence[float] | Numbers]
    answer: Callable[[Numbers], Numbers]
    error: Callable[[Numbers, Numbers], Numbers]


@dataclass(frozen=True, slots=True)
class Answer:
    """A query's answers and error; a curve has no single answer. The interval of 95 % is over patients."""

    name: str
    original: float | None
    published: float | None
    error: float
    low: float
    high: float


def ask(pairs: Sequence[Pair], mentions: Sequence[Sequence[Mention]]) -> tuple[Answer, ...]:
    """Ask every query of the originals, read with their `mentions`, and of what was published of them.

    A query that finds nobody in the originals is left out.

    Raises:
        ValueError: no document.
    """
    patients = list(_by_patient(pairs, mentions).values())
    if not patients:
        raise ValueError("no document to ask about")
    weights = np.vstack([np.ones(len(patients)), resampled(len(patients))])
    return tuple(found for name, query in QUERIES.items() if (found := _asked(name, query, patients, weights)))


def _by_patient(pairs: Sequence[Pair], mentions: Sequence[Sequence[Mention]]) -> Mapping[str, Read]:
    rows: defaultdict[str, tuple[list[NoteFacts], list[NoteFacts]]] = defaultdict(lambda: ([], []))
    for (document, published), found in zip(pairs, mentions, strict=True):
        original, other = rows[document.patient.key or f"document {document.id}"]
        true = ((document.text[one.start : one.end], one.label) for one in sorted(found))
        drawn = (
            (published.text[start:end], one.mention.label)
            for (start, end), one in sorted(zip(published.spans, published.surrogates, strict=True))
        )
        original.append(_row(document, document.text, true, document.reference_date))
        other.append(_row(document, published.text, drawn, published.reference_date))
    return {key: Read(tuple(one), tuple(other)) for key, (one, other) in rows.items()}


def _row(document: Document, text: str, told: Iterator[tuple[str, Label]], day: date | None) -> NoteFacts:
    age: float | None = None
    home: str | None = None
    for value, label in told:
        if label is Label.AGE and age is None and (read := parse_age(value)) is not None:
            age = read.years
        digits = value.replace(" ", "")
        if label is Label.ZIP and home is None and digits[:2].isdecimal():
            home = digits
    folded = fold(text)
    return NoteFacts(
        stay=document.stay.first if document.stay else None,
        day=day.toordinal() if day else None,
        age=age,
        zip=home,
        fracture="fracture" in folded,
        operation=_OPERATION.search(folded) is not None,
        male=document.patient.sex == "M",
    )


def _asked(name: str, query: Query, patients: Sequence[Read], weights: Numbers) -> Answer | None:
    sides = [one.original for one in patients], [one.published for one in patients]
    true, drawn = (weights @ np.array([query.counts(rows) for rows in side], dtype=float) for side in sides)
    answers = query.answer(true), query.answer(drawn)
    errors = query.error(*answers)
    if not true[0].any() or np.isnan(errors[0]):
        return None
    single = [float(one[0, 0]) if one.shape[1] == 1 else None for one in answers]
    return Answer(name, single[0], single[1], float(errors[0]), *drawn_interval(errors[1:]))


# ---- One patient
def _dated(rows: Sequence[NoteFacts]) -> list[list[tuple[int, bool]]]:
    """Return of each stay the day of each document, in order, and whether it is an operative report."""
    days: defaultdict[date, list[tuple[int, bool]]] = defaultdict(list)
    for row in rows:
        if row.stay is not None and row.day is not None:
            days[row.stay].append((row.day, row.operation))
    return [sorted(one) for one in days.values()]


def _stays(rows: Sequence[NoteFacts]) -> list[tuple[int, int]]:
    """Return first and last day of the documents of each stay, by first day."""
    return sorted((one[0][0], one[-1][0]) for one in _dated(rows))


def _surgery(rows: Sequence[NoteFacts]) -> list[float]:
    """Return the days from the first document of a stay to its operative reports, summed, and the number of these."""
    delays = [day - one[0][0] for one in _dated(rows) for day, operation in one if operation]
    return [sum(delays), len(delays)]


def _age(rows: Sequence[NoteFacts]) -> float | None:
    return next((row.age for row in rows if row.age is not None), None)


def _old_with_fracture(rows: Sequence[NoteFacts]) -> list[float]:
    return [any(row.fracture and row.age is not None and row.age >= _OLD for row in rows)]


def _long(rows: Sequence[NoteFacts]) -> list[float]:
    return [sum(last - first >= _LONG for first, last in _stays(rows))]


def _followed(rows: Sequence[NoteFacts]) -> list[float]:
    stays = _stays(rows)
    return [sum(0 < later[0] - one[1] <= _SOON for one, later in pairwise(stays))]


def _readmitted_old(rows: Sequence[NoteFacts]) -> list[float]:
    """Return whether an old patient with a fracture comes back within a month of leaving."""
    return [float(bool(_old_with_fracture(rows)[0] and _followed(rows)[0]))]


def _winters(rows: Sequence[NoteFacts]) -> list[float]:
    months = [date.fromordinal(first).month for first, _ in _stays(rows)]
    return [sum(month in (12, 1, 2) for month in months), len(months)]


def _delays(rows: Sequence[NoteFacts]) -> Numbers:
    delays = [min(last - first, _DELAYS) for first, last in _stays(rows) if last > first]
    return np.bincount(delays, minlength=_DELAYS + 1).astype(float)


def _pyramid(rows: Sequence[NoteFacts]) -> Numbers:
    found, age = np.zeros(2 * _DECADES), _age(rows)
    if age is not None:
        found[min(int(age // 10), _DECADES - 1) + (_DECADES if rows[0].male else 0)] = 1
    return found


def _to_next(rows: Sequence[NoteFacts]) -> Numbers:
    """Return, of the stays that another follows, those at risk in each bin of time since leaving, and those it ends."""
    at_risk, ended, stays = np.zeros(_BINS), np.zeros(_BINS), _stays(rows)
    for one, later in pairwise(stays):
        at = max(0, later[0] - one[1]) // _BIN
        at_risk[: at + 1] += 1
        if at < _BINS:
            ended[at] += 1
    return np.concatenate([at_risk, ended])


def _departments(rows: Sequence[NoteFacts]) -> Numbers:
    found = {int(row.zip[:2]) for row in rows if row.zip}
    return np.bincount(list(found), minlength=_DEPARTMENTS).astype(float)


def _exposed(rows: Sequence[NoteFacts]) -> list[float]:
    """Return whether a commune of the first postal code of France has much radon, and whether there is such a code."""
    homes = next((one for row in rows if row.zip and (one := packaged_tables().communes.at_zip(row.zip))), ())
    return [any(one.features["radon"] >= _MUCH_RADON for one in homes), bool(homes)]


def _years(rows: Sequence[NoteFacts]) -> Numbers:
    """Return the stays that begin in each year of 2000 to 2099."""
    years = [min(max(date.fromordinal(first).year - 2000, 0), 99) for first, _ in _stays(rows)]
    return np.bincount(years, minlength=100).astype(float)


# ---- Sums, answers, errors
def _share(sums: Numbers) -> Numbers:
    return np.asarray(sums[:, :1] / np.maximum(sums[:, 1:], 1), dtype=np.float64)


def _median(sums: Numbers) -> Numbers:
    cumulated = np.cumsum(sums, axis=1)
    return np.asarray(np.argmax(2 * cumulated >= cumulated[:, -1:], axis=1)[:, None], dtype=np.float64)


def _shares(sums: Numbers) -> Numbers:
    return np.asarray(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1), dtype=np.float64)


def _survival(sums: Numbers) -> Numbers:
    """Return the share of followed stays that are not followed yet, by bin: product of 1 − ended / at risk."""
    at_risk, ended = sums[:, :_BINS], sums[:, _BINS:]
    return np.asarray(np.cumprod(1 - ended / np.maximum(at_risk, 1), axis=1), dtype=np.float64)


def _relative(true: Numbers, drawn: Numbers) -> Numbers:
    base = np.where(true[:, 0] == 0, np.nan, true[:, 0])
    return np.asarray(np.abs(drawn[:, 0] - true[:, 0]) / base, dtype=np.float64)


def _variation(true: Numbers, drawn: Numbers) -> Numbers:
    """Return the total variation of shares; 1 where nothing is published."""
    return np.where(drawn.any(axis=1), np.abs(true - drawn).sum(axis=1) / 2, 1.0)


def _widest(true: Numbers, drawn: Numbers) -> Numbers:
    return np.asarray(np.abs(true - drawn).max(axis=1), dtype=np.float64)


QUERIES: Mapping[str, Query] = {
    "old_with_fracture": Query(
        f"patients of {_OLD} and over with a fracture", _old_with_fracture, np.asarray, _relative
    ),
    "readmitted_old": Query("… who come back within 30 days", _readmitted_old, np.asarray, _relative),
    "followed": Query("stays that another follows within 30 days", _followed, np.asarray, _relative),
    "long_stays": Query("stays of a week or more", _long, np.asarray, _relative),
    "delay": Query("median days from first to last document of a stay", _delays, _median, _relative),
    "surgery": Query("mean days from first document of a stay to an operative report", _surgery, _share, _relative),
    "exposed": Query("share of homes where radon is high, by postal code", _exposed, _share, _relative),
    "winter": Query("share of stays that begin in winter", _winters, _share, _relative),
    "to_next": Query(
        "time to the next stay of those that have one, survival curve: widest gap", _to_next, _survival, _widest
    ),
    "pyramid": Query("age pyramid, decades by sex: total variation", _pyramid, _shares, _variation),
    "departments": Query("patients by department: total variation", _departments, _shares, _variation),
    "years": Query("stays by year: total variation", _years, _shares, _variation),
}
