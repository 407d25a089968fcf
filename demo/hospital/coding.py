"""ICD-10 codes of stays: what the documents said, what age and home imply, and a coder's errors."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from demo.hospital.model import Patient, Stay
from demo.hospital.prose.dates import years_between
from demo.hospital.prose.library import pathologies
from demo.hospital.prose.scene import DocumentScene, Setting
from demo.hospital.streams import Stream

FORGOTTEN = 0.12  # share of secondary codes that the coder leaves out
CONFUSED = 0.04  # share replaced by another code of the same three characters
INVENTED = 0.03  # stays with a code that nothing supports
MOST = 20

# Code implied by another one at some ages: (code, youngest, oldest, what is coded instead).
BY_AGE = (
    ("E119", 0, 34, "E109"),
    ("E116", 0, 34, "E106"),
    ("E149", 0, 34, "E109"),
    ("E149", 35, 120, "E119"),
    ("F329", 0, 19, "F928"),
    ("G409", 0, 15, "G403"),
    ("I10", 0, 29, "I159"),
    ("K219", 0, 1, "P788"),
    ("J459", 0, 15, "J450"),
    ("C509", 0, 39, "C508"),
)
# Code that an age alone gives, with its share: (youngest, oldest, code, share).
OF_AGE = (
    (85, 120, "R54", 0.5),
    (75, 120, "Z740", 0.25),
    (65, 120, "M819", 0.2),
    (70, 120, "H911", 0.2),
    (0, 1, "Z001", 0.4),
    (2, 15, "Z002", 0.15),
    (16, 30, "Z301", 0.05),
)
# Exposure at home: (departments, youngest, code, share).
OF_PLACE = (
    (("59", "62", "57", "42", "71", "81"), 55, "J60", 0.35),
    (("44", "76", "13", "50", "56", "29"), 50, "J920", 0.35),
    (("67", "68", "88", "54", "55"), 5, "A692", 0.3),
    (("971", "972", "973", "974", "976"), 0, "A90", 0.4),
    (("971", "972", "973"), 0, "D573", 0.2),
    (("87", "63", "23", "19", "15", "43"), 40, "Z581", 0.35),
    (("06", "83", "2A", "2B", "66"), 40, "L570", 0.35),
    (("75", "92", "93", "94", "69"), 2, "Z581", 0.3),
    (("25", "39", "70", "74", "73"), 10, "B679", 0.2),
    (("24", "33", "40", "47", "64"), 20, "A279", 0.2),
)


def coded(
    seed: int, stays: Sequence[Stay], patients: Sequence[Patient], setting: Setting, said: Mapping[str, set[str]]
) -> tuple[Stay, ...]:
    """Return the stays with their codes, the main diagnosis first.

    `said`: the codes of what the documents of a stay said, by stay. The main diagnosis is the pathology's, whether a
    document says it or not; age changes some codes, age and department of the home add some, and a coder forgets,
    confuses and invents.
    """
    by_id = {patient.patient_id: patient for patient in patients}
    known = sorted(set().union(*said.values())) if said else []
    return tuple(
        replace(stay, diagnoses=_codes(Stream(f"{seed}:{stay.stay_id}:codes"), stay, by_id, setting, said, known))
        for stay in stays
    )


def _codes(
    rng: random.Random,
    stay: Stay,
    patients: Mapping[str, Patient],
    setting: Setting,
    said: Mapping[str, set[str]],
    known: Sequence[str],
) -> tuple[str, ...]:
    patient = patients[stay.patient_id]
    age = years_between(patient.birth_date, stay.admitted_on)
    main = _main(rng, stay, patient, setting)
    implied = {code for low, high, code, share in OF_AGE if low <= age <= high and rng.random() < share}
    for departments, low, code, share in OF_PLACE:
        if patient.place.department in departments and age >= low and rng.random() < share:
            implied.add(code)
    found = []
    for code in sorted(said.get(stay.stay_id, set()) | implied | set(main[1:])):
        if rng.random() < FORGOTTEN:
            continue
        near = [other for other in known if other != code and other[:3] == code[:3]]
        found.append(rng.choice(near) if near and rng.random() < CONFUSED else code)
    if known and rng.random() < INVENTED:
        found.append(rng.choice(known))
    aged = [_of_age(code, age) for code in (main[0], *found)]
    return tuple(dict.fromkeys(aged))[:MOST]


def _main(rng: random.Random, stay: Stay, patient: Patient, setting: Setting) -> list[str]:
    """Draw the main diagnosis, and those that go with it, among the titles of the stay's pathology."""
    pathology = pathologies()[stay.pathology]
    team = setting.staff[stay.service_code]
    scene = DocumentScene(rng, setting, patient, stay, pathology, team[0], stay.discharged_on)
    scene.write(pathology.section("titre").pick(rng))

    return list(scene.codes)


def _of_age(code: str, age: int) -> str:
    return next((other for own, low, high, other in BY_AGE if own == code and low <= age <= high), code)
