"""Find a patient by three known times of day, under each strategy for times; measure what order and delays remain.

The attacker knows three true times of one patient, to the minute: of one document, of one stay, or of any documents. He
reads all published texts, which document and stay each is of, and knows the policy; he lacks the secret, which draws
nothing here. A candidate's likelihood is the chance that three of the times published of a document, stay or patient
are the known ones: the number of ways to place these on distinct times, each divided by the minutes that what is
published leaves (1 for a time as it was, 60 for an hour, 360 for a part of the day, 1,440 for a label), over all ways
to choose three. A patient's documents, or stays, count alike. Ties are drawn.

Known times are those that a pattern of its own reads in the original, so that a time which detection missed is found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid.config.generators import KEEP
from deid.config.policy import Policy, load
from deid.detection.annotators import ClockTimes
from deid.detection.refining import add_optional
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Substitution
from deid.domain.labels import Label
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.attacks.document_dates import KEY
from nocturne_lab.evaluation.attacks.inputs import Population, Record
from nocturne_lab.evaluation.intervals import RankedFirst

KnownOf = Literal["one document", "one stay", "one patient"]
KNOWN_OF: tuple[KnownOf, ...] = ("one document", "one stay", "one patient")
TIME_STRATEGIES = ("keep", "hour", "part_of_day", "drop")
_THREE = 3
_DAY = 24 * 60
_WRITTEN = re.compile(
    r"(?<![\d:/.,*\w])(?P<hour>[01]?\d|2[0-3]) ?(?:h|:|heures?) ?(?P<minute>[0-5]\d)(?!\d)", re.IGNORECASE
)
# What a published time may say (`deid.substitution.generators.generalising`) → first minute and how many.
_PARTS = {word: (start * 60, 360) for word, start in (("nuit", 0), ("matin", 6), ("midi", 12), ("soir", 18))}
_HOUR = re.compile(r"\d{1,2}")
_PART = re.compile("|".join(_PARTS))


@dataclass(frozen=True, slots=True)
class ToldTime:
    """A time of day of a document: its true minute of the day, and the minutes that its publication leaves."""

    true: int
    first: int
    width: int


@dataclass(frozen=True, slots=True)
class TimedDocument:
    """ClockTimes of one document, in the order of the text; `stay` and `patient` are those of the warehouse."""

    patient: str
    stay: str
    document: str
    times: tuple[ToldTime, ...]


@dataclass(frozen=True, slots=True)
class TimesFound(RankedFirst):
    """Patients found by the times of what is known."""

    known: KnownOf


@dataclass(frozen=True, slots=True)
class TimesRow:
    """One strategy: the attacks, and what research keeps of neighbouring times of a document.

    Attributes:
        strategy: of the policy.
        found: one attack for each of `KNOWN_OF`.
        ordered: share of neighbouring times of different minutes whose order is still told.
        error: mean minutes between the true delay of neighbours and that of the middles of what is published.
        exact: share of all times that are published to the minute.
    """

    strategy: str
    found: tuple[TimesFound, ...]
    ordered: float
    error: float
    exact: float


def with_times(strategy: str) -> Policy:
    """Return the shipped policy with a strategy for times of day."""
    values = load().model_dump()
    values["substitution"]["times"] = {"strategy": strategy}
    return Policy.model_validate(values)


def seek_times(records: Iterable[Record]) -> list[tuple[Record, list[Mention]]]:
    """Return each document with the times of day that detection finds beside the true mentions."""
    times, policy = ClockTimes(), load().detection
    readings = ((record, Reading(record.document)) for record in records)
    found = (
        (record, add_optional(reading, record.mentions, list(times.annotate(reading)), policy))
        for record, reading in readings
    )
    return [(record, [one for one in mentions if one.label is Label.TIME]) for record, mentions in found]


def publish_times(found: Iterable[tuple[Record, Sequence[Mention]]], policy: Policy) -> list[TimedDocument]:
    """Publish the times of day of documents, other mentions left, and read what the texts then say."""
    substitutor = Substitutor(policy, KEY, packaged_tables().communes)
    sought = policy.substitution.seeks_times
    return [_published(record, mentions if sought else (), substitutor) for record, mentions in found]


def _published(record: Record, mentions: Sequence[Mention], substitutor: Substitutor) -> TimedDocument:
    stay = f"{record.patient} {record.stay.admitted_on} {record.stay.discharged_on}"
    return read_times(record.document, substitutor.substitute(record.document, mentions), stay)


def read_times(document: Document, done: Substitution, stay: str) -> TimedDocument:
    """Return the times of day of a document of a known patient, with what its publication leaves of them."""
    said = {one.mention: one.text for one in done.surrogates if one.strategy != KEEP}
    return TimedDocument(document.patient.key or "", stay, document.id, tuple(_told(document.text, said)))


def _told(text: str, said: Mapping[Mention, str]) -> Iterator[ToldTime]:
    for match in _WRITTEN.finditer(text):
        true = int(match["hour"]) * 60 + int(match["minute"])
        written = next((new for one, new in said.items() if one.start < match.end() and match.start() < one.end), None)
        yield ToldTime(true, *((true, 1) if written is None else _left(written)))


def _left(written: str) -> tuple[int, int]:
    """Return the first minute and the number of minutes that a published time leaves."""
    if exact := _WRITTEN.search(written):
        return int(exact["hour"]) * 60 + int(exact["minute"]), 1
    if hour := _HOUR.search(written):
        return int(hour.group()) * 60, 60
    part = _PART.search(written.casefold())
    return (0, _DAY) if part is None else _PARTS[part.group()]


def known_times(populations: Sequence[Population], seed: int = 1) -> Iterator[TimesRow]:
    """Yield a row for each of `TIME_STRATEGIES`; targets are looked for in their own population."""
    sought = [seek_times(one.records) for one in populations]
    for strategy in TIME_STRATEGIES:
        policy = with_times(strategy)
        published = [publish_times(one, policy) for one in sought]
        people = [sorted({one.patient_id for one in population.residents}) for population in populations]
        found = tuple(
            _sum(known, [find_by_times(one, who, known, seed) for one, who in zip(published, people, strict=True)])
            for known in KNOWN_OF
        )
        yield TimesRow(strategy, found, *_kept([one for documents in published for one in documents]))


def _sum(known: KnownOf, parts: Sequence[tuple[int, int, int]]) -> TimesFound:
    candidates = min(people for people, _, _ in parts)
    return TimesFound(candidates, sum(part[1] for part in parts), sum(part[2] for part in parts), known)


def find_by_times(
    published: Sequence[TimedDocument], people: Sequence[str], known: KnownOf, seed: int = 1
) -> tuple[int, int, int]:
    """Return the numbers of candidates, of targets and of those ranked first."""
    rng = np.random.default_rng(seed)
    units = _units(published, known)
    candidates = _Candidates.of(units, people)
    targets = hits = 0
    for patient in people:
        chosen = _chosen(units.get(patient, ()), rng)
        if chosen is None:
            continue
        scores = candidates.likelihoods(chosen)
        best = np.flatnonzero(scores >= scores.max() * (1 - 1e-9))
        targets += 1
        hits += people[int(rng.choice(best))] == patient
    return len(people), targets, hits


def _units(published: Sequence[TimedDocument], known: KnownOf) -> Mapping[str, list[list[ToldTime]]]:
    """Return the times of each patient's documents, stays or whole, of three times at least."""
    grouped: dict[tuple[str, str], list[ToldTime]] = defaultdict(list)
    for one in published:
        name = {"one document": one.document, "one stay": one.stay}.get(known, "")
        grouped[one.patient, name].extend(one.times)
    units: dict[str, list[list[ToldTime]]] = defaultdict(list)
    for (patient, _), times in sorted(grouped.items()):
        if len({one.true for one in times}) >= _THREE:
            units[patient].append(times)
    return units


def _chosen(units: Sequence[Sequence[ToldTime]], rng: np.random.Generator) -> tuple[int, ...] | None:
    """Return three true times of one of a patient's units, of different minutes; None where there is none."""
    if not units:
        return None
    distinct = sorted({one.true for one in units[int(rng.integers(len(units)))]})
    return tuple(distinct[at] for at in sorted(rng.choice(len(distinct), _THREE, replace=False)))


class _Candidates(NamedTuple):
    """Published times of all candidates in one row: of each its documents or stays, of each of these its times."""

    first: NDArray[np.int64]
    width: NDArray[np.int64]
    starts: NDArray[np.int64]  # of each document or stay, in the row
    number: NDArray[np.int64]  # of its times
    owner: NDArray[np.int64]  # its candidate
    people: int

    @classmethod
    def of(cls, units: Mapping[str, Sequence[Sequence[ToldTime]]], people: Sequence[str]) -> _Candidates:
        """Return the times of candidates in their order."""
        owned = [(at, times) for at, one in enumerate(people) for times in units.get(one, ())]
        number = np.array([len(times) for _, times in owned])
        row = [time for _, times in owned for time in times]
        return cls(
            np.array([time.first for time in row]),
            np.array([time.width for time in row]),
            np.cumsum(number) - number,
            number,
            np.array([at for at, _ in owned]),
            len(people),
        )

    def likelihoods(self, known: Sequence[int]) -> NDArray[np.float64]:
        """Return of each candidate the weighted share of ways (a permanent), mean over its documents or stays."""
        one, two, three = (((self.first <= time) & (time < self.first + self.width)) / self.width for time in known)

        def each(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.add.reduceat(values, self.starts)

        ways = each(one) * each(two) * each(three) + 2 * each(one * two * three)
        ways -= each(one * two) * each(three) + each(one * three) * each(two) + each(two * three) * each(one)
        ways /= self.number * (self.number - 1) * (self.number - 2)
        units = np.bincount(self.owner, minlength=self.people)
        total = np.bincount(self.owner, ways, minlength=self.people).astype(np.float64)
        return total / np.maximum(units, 1)


def _kept(published: Sequence[TimedDocument]) -> tuple[float, float, float]:
    """Return the share of neighbours whose order is told, the mean error of their delay, the share of exact times."""
    pairs = [
        pair
        for document in published
        for pair in pairwise(sorted(document.times, key=lambda one: one.true))
        if pair[0].true != pair[1].true
    ]
    true, first, width = (_columns(pairs, name) for name in ("true", "first", "width"))
    middle = first + (width - 1) / 2
    told = first[:, 0] + width[:, 0] <= first[:, 1]
    exact = np.mean([time.width == 1 for document in published for time in document.times])
    return float(told.mean()), float(np.abs(np.diff(middle) - np.diff(true)).mean()), float(exact)


def _columns(pairs: Sequence[tuple[ToldTime, ToldTime]], name: str) -> NDArray[np.float64]:
    return np.array([[getattr(one, name) for one in pair] for pair in pairs], dtype=np.float64)
