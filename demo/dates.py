"""Dates of as many patients as wanted, by the hospital's laws of stays, documents and told days, without any text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from deid.domain.labels import Label
from deid.substitution.temporal.groups import grouped
from deid.substitution.temporal.values import Instant, Unit
from demo.hospital import build, journeys
from demo.hospital.calendar import Calendar
from demo.hospital.model import Stay
from demo.hospital.streams import Stream
from demo.population import surrounding
from nocturne_lab.evaluation.attacks.document_dates import DocumentDates
from nocturne_lab.evaluation.attacks.histories import Histories

_DOCUMENTS_PER_PATIENT = 8
_NIGHTS = 30
_PEOPLE = 4_000  # people drawn whole; the others have their ages and pathologies
Days = tuple[int, ...]  # told by a document, from the first day of its stay
Told = Mapping[tuple[int, int], Sequence[Days]]  # by nights of the stay, and day that the document was written on
Row = tuple[int, int, int, int, bool, bool, int, bool]


def histories(patients: int, models: Iterable[DocumentDates], before: int, after: int, seed: int = 1) -> Histories:
    """Return the dates of `patients` patients.

    Stays and documents are drawn as `demo.hospital` draws them. A document tells the days, from the first day of its
    stay, that one of `models` tells: a document written as long after the beginning of a stay as long.

    Args:
        patients: their number.
        models: documents of the hospital, with their texts' dates.
        before, after: days around a stay whose dates move with it (`days_before`, `days_after` of the policy).
        seed: of the draw.
    """
    setting, _ = build.setting_of(Stream(f"{seed}:world"))
    pool = build.patients_of(Stream(f"{seed}:patients"), setting, min(patients, _PEOPLE))
    people = [replace(pool[at % len(pool)], patient_id=f"{at:07d}") for at in range(patients)]
    rng, calendar = Stream(f"{seed}:dates"), Calendar(_NIGHTS)
    stays = journeys.stays(rng, people, calendar, build.STAYS_PER_PATIENT)
    plans = journeys.plans(rng, people, stays, _DOCUMENTS_PER_PATIENT * patients, calendar)
    plans.sort(key=lambda one: one.patient.patient_id)
    told, around = _told(models), surrounding(stays)
    rows = [
        row
        for number, plan in enumerate(plans)
        for row in _rows(number, plan, around[plan.stay.stay_id], _days(rng, told, plan), (before, after))
    ]
    patient, document, episode, *others = map(np.array, zip(*rows, strict=True))
    return Histories(patient, document, np.unique(episode, return_inverse=True)[1], *others)


def _told(models: Iterable[DocumentDates]) -> Told:
    found: dict[tuple[int, int], list[Days]] = defaultdict(list)
    for one in models:
        first, last = one.record.stay.admitted_on.toordinal(), one.record.stay.discharged_on.toordinal()
        pairs = (pair for pair in one.pairs if pair.label is Label.DATE and not pair.birth)
        days = tuple(pair.true.index - first for pair in pairs if pair.true.unit is Unit.DAY)
        found[last - first, one.written_on.toordinal() - first].append(days)
    return found


def _days(rng: Stream, told: Told, plan: journeys.Plan) -> Days:
    first = plan.stay.admitted_on
    nights, written = (plan.stay.discharged_on - first).days, (plan.written_on - first).days
    if (nights, written) not in told:
        nights, written = min(told, key=lambda one: (abs(one[0] - nights) + abs(one[1] - written), one))
    return rng.choice(told[nights, written])


def _rows(number: int, plan: journeys.Plan, around: Stay, days: Days, window: tuple[int, int]) -> Iterator[Row]:
    """Yield the document's own date, and each day that it gives: of the stay, or of an episode outside.

    A stay that begins during another moves with that one, `around`.
    """
    patient, own, start = int(plan.patient.patient_id), plan.written_on.toordinal(), plan.stay.admitted_on.toordinal()
    first, last = around.admitted_on.toordinal(), around.discharged_on.toordinal()
    weekly = first != last
    episode = 2 * int(around.stay_id[1:])
    yield patient, number, episode, first, weekly, False, own, True
    told = {Instant(Unit.DAY, start + one): date.fromordinal(start + one) for one in days if start + one != own}
    ends = first, max(last, own)
    near = [one for one in told if ends[0] - window[0] <= one.index <= ends[1] + window[1]]
    parted = grouped(told, near, (date.fromordinal(ends[0]), date.fromordinal(ends[1])), window)
    beginning = {one: group.first.toordinal() for group in parted.groups for one in group.days}
    for one in sorted(told):
        if one in beginning:
            key = 2 * (patient * 10**6 + beginning[one]) + 1
            yield patient, number, key, beginning[one], True, True, one.index, False
        else:
            yield patient, number, episode, first, weekly, False, one.index, False
