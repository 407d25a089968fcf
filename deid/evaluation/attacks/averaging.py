"""One date told in many documents of a patient: what the mean of its surrogates gives away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.evaluation.attacks.chronicle import chronicles
from deid.evaluation.attacks.population import Record, Stay
from deid.substitution.temporal.values import Unit

_TRUE = date(2024, 3, 14)
_FIRST = date(2024, 3, 25)
_HEAD, _DAYS_BETWEEN = "Opérée le ", 1


@dataclass(frozen=True, slots=True)
class Averaging:
    """The mean distance, in days over `patients` patients, of the mean of `documents` surrogates from the true date.

    `alone` leaves the patient's shift out, as who knows it would.
    """

    documents: int
    patients: int
    error: float
    alone: float


def averaging(policy: Policy, documents: Iterable[int], patients: int = 60) -> list[Averaging]:
    """The attack on a date that stands in each of a patient's documents, beside one that changes.

    The patients are made for it: an operation told again at every visit, a day apart, with the date of the one
    before; no hospital is needed. Under `scope: patient` the same value gets the same surrogate, and the mean of many
    is no better than one; under `scope: document` each is drawn anew.

    Raises:
        ValueError: under the policy the published texts hold no whole day.
    """
    numbers = sorted(set(documents))
    records = [_visit(patient, visit) for patient in range(patients) for visit in range(numbers[-1])]
    found: dict[str, list[tuple[int, int]]] = {}
    for one in chronicles(records, policy):
        told = one.sayings[0].told
        if told is None or told.unit is not Unit.DAY:
            raise ValueError("the policy publishes no whole day")
        off = told.index - _TRUE.toordinal()
        found.setdefault(one.patient, []).append((off, off - one.shift))
    return [
        Averaging(number, patients, _error(found.values(), number, 0), _error(found.values(), number, 1))
        for number in numbers
    ]


def _error(found: Iterable[Sequence[tuple[int, int]]], number: int, at: int) -> float:
    means = [abs(sum(one[at] for one in mine[:number])) / number for mine in found]
    return sum(means) / len(means)


def _visit(patient: int, visit: int) -> Record:
    on = _FIRST + timedelta(days=_DAYS_BETWEEN * visit)
    operated, before = f"{_TRUE:%d/%m/%Y}", f"{on - timedelta(days=2 + visit % 5):%d/%m/%Y}"
    text = f"{_HEAD}{operated}, vue le {before}."
    start = len(_HEAD)
    second = text.index(before, start + 10)
    mentions = (Mention(start, start + 10, Label.DATE), Mention(second, second + 10, Label.DATE))
    name = f"A{patient:04d}"
    document = Document(f"{name}-{visit:03d}", text, Patient(key=name), on)
    return Record(document, mentions, Stay(on, on))
