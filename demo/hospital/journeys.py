"""Stays of patients, and the documents of each stay."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from demo.hospital.calendar import Calendar
from demo.hospital.model import Patient, Stay
from demo.hospital.prose.library import Pathology, pathologies
from demo.hospital.staff import BY_CODE

RECENT_SHARE = 0.42  # stays before a patient's latest, within the period
PAST_DAYS = 700
STAY_DAYS = {"hospitalisation": (3, 14), "ambulatoire": (0, 0), "urgences": (0, 1), "consultation": (0, 0)}
SERVICE_OF_FORM = {"urgences": "URGE"}

# Documents by form of stay: kind, chance.
LEAVES: dict[str, tuple[tuple[str, float], ...]] = {
    "hospitalisation": (
        ("CRH", 0.6), ("LSO", 0.5), ("URG", 0.35), ("IMG", 0.6), ("BIO", 0.7), ("IDE", 0.75), ("ORD", 0.55),
        ("SOC", 0.22), ("CERT", 0.12), ("CS", 0.2),
    ),
    "ambulatoire": (("CPA", 0.7), ("CRO", 1.0), ("LSO", 0.6), ("ORD", 0.5), ("IDE", 0.4), ("CERT", 0.2)),
    "urgences": (("URG", 1.0), ("IMG", 0.35), ("BIO", 0.4), ("ORD", 0.4), ("CERT", 0.15)),
    "consultation": (("CS", 1.0), ("IMG", 0.25), ("BIO", 0.2), ("ORD", 0.3), ("CERT", 0.12), ("SOC", 0.06)),
}  # fmt: skip
SURGICAL = (("CRO", 0.9), ("CPA", 0.6))
EXTRAS = ("BIO", "IDE", "IMG", "ORD", "SOC", "CS")


@dataclass(frozen=True, slots=True)
class Plan:
    """Document to be written; `told` are templates that it begins with."""

    patient: Patient
    stay: Stay
    kind: str
    written_on: date
    told: tuple[str, ...] = ()


def stays(rng: random.Random, patients: Sequence[Patient], calendar: Calendar, per_patient: float) -> list[Stay]:
    """Draw every stay; the last one of each patient is in or just before the period."""
    wanted = [1] * len(patients)
    for _ in range(max(0, round(len(patients) * per_patient) - len(patients))):
        wanted[rng.randrange(len(patients))] += 1
    found: list[Stay] = []
    for patient, count in zip(patients, wanted, strict=True):
        for index in range(count):
            found.append(_stay(rng, patient, calendar, len(found) + 1, latest=index == 0))
    return found


def _stay(rng: random.Random, patient: Patient, calendar: Calendar, number: int, *, latest: bool) -> Stay:
    pathology = pathologies()[rng.choice(patient.pathologies)]
    form = rng.choices([name for name, _ in pathology.forms], [weight for _, weight in pathology.forms])[0]
    days = rng.randint(*STAY_DAYS[form])
    if latest or rng.random() < RECENT_SHARE:
        discharged = calendar.first + timedelta(days=rng.randint(-6, max(0, calendar.nights - 4)))
    else:
        discharged = calendar.first - timedelta(days=rng.randint(20, PAST_DAYS))
    admitted = max(discharged - timedelta(days=days), patient.birth_date)
    discharged = max(discharged, admitted)
    if form in ("consultation", "ambulatoire") and discharged.weekday() >= 5:
        admitted = discharged = discharged - timedelta(days=2)
    service = SERVICE_OF_FORM.get(form, pathology.service)
    return Stay(
        stay_id=f"V{number:06d}",
        patient_id=patient.patient_id,
        nda=f"{admitted:%y%m}{10_000 + number * 37 % 89_989:05d}",
        service_code=service,
        service_name=BY_CODE[service].name,
        admitted_on=max(admitted, patient.birth_date),
        discharged_on=max(discharged, patient.birth_date),
        pathology=pathology.name,
        form=form,
    )


def plans(
    rng: random.Random, patients: Sequence[Patient], found: Sequence[Stay], count: int, calendar: Calendar
) -> list[Plan]:
    """Draw exactly `count` documents over the stays `found`."""
    by_id = {patient.patient_id: patient for patient in patients}
    planned: list[Plan] = []
    for stay in found:
        for kind in _leaves(rng, stay):
            planned.append(_plan(rng, by_id[stay.patient_id], stay, kind, calendar))
    while len(planned) < count:
        stay = rng.choice(found)
        planned.append(_plan(rng, by_id[stay.patient_id], stay, rng.choice(EXTRAS), calendar))
    if len(planned) > count:
        kept = sorted(rng.sample(range(len(planned)), count))
        planned = [planned[index] for index in kept]
    return planned


def _leaves(rng: random.Random, stay: Stay) -> list[str]:
    pathology: Pathology = pathologies()[stay.pathology]
    chances = list(LEAVES[stay.form])
    if stay.form == "hospitalisation" and pathology.section("operation").lines:
        chances += SURGICAL
    if stay.form in ("hospitalisation", "ambulatoire") and pathology.section("histologie").lines:
        chances.append(("ACP", 0.75))
    if pathology.section("rcp").lines:
        chances.append(("RCP", 0.6))
    kinds = [kind for kind, chance in chances if rng.random() < chance]
    return kinds or [chances[0][0]]


def _plan(rng: random.Random, patient: Patient, stay: Stay, kind: str, calendar: Calendar) -> Plan:
    last = stay.discharged_on
    span = (last - stay.admitted_on).days
    offsets = {
        "URG": -span,
        "BIO": -rng.randint(0, span),
        "IMG": -rng.randint(0, span),
        "CRO": -max(0, span - 1),
        "CPA": -span,
        "ACP": rng.randint(2, 6),
        "RCP": rng.randint(3, 10),
        "CRH": rng.choice((0, 0, 1, 2, 4)),
        "CS": 0 if stay.form == "consultation" else rng.randint(10, 40),
    }
    written = last + timedelta(days=offsets.get(kind, 0))
    return Plan(patient, stay, kind, max(min(written, calendar.last), patient.birth_date))
