"""Second layer of ICD-10 codes: sentences whose code follows from an order, a delay, a length, a term or a home alone.

`generate(dated=True)` has them told by the last document of each stay; without it the hospital is the one of the first
layer (`demo.hospital.coding`). The words of a sentence are the same whatever its code: dates and the home decide. The
exposures of homes are invented, so that neighbouring departments and communes of other sizes differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from demo.hospital.journeys import Plan
from demo.hospital.model import Patient, Stay
from demo.hospital.prose.dates import years_between
from demo.hospital.prose.library import pathologies
from demo.hospital.streams import Stream

ADULT = 18
LATEST = (5, 900)  # days from the later event to the admission
GAPS = (3, 10, 40, 120, 400, 1500)  # days between both
# Two events, the code if the first comes before the second, and the code if it comes after.
ORDERED = (
    ("anticoagulation débutée", "hématome constaté", "D683", "R58"),
    ("radiothérapie du cou terminée", "hypothyroïdie découverte", "E898", "E038"),
    ("thrombose veineuse constatée", "cancer découvert", "I829", "D688"),
    ("accident du travail déclaré", "lombalgie apparue", "Y96", "M545"),
    ("neuroleptique débuté", "tremblement apparu", "G211", "G250"),
)
# Classes of a number of days or nights: (fewest, code), the last one that is reached; "" is none.
WAITS = ((0, ""), (3, "Z758"), (60, "Z752"))  # from the decision to the operation
RETURNS = ((1, "T818"), (3, ""), (5, "T813"))  # from the operation to the next one
NIGHTS = ((0, ""), (7, "Z748"), (10, "Z751"))
TERMS = ((168, "O601"), (259, ""), (287, "O48"))  # from the beginning of a pregnancy to the admission
EARLY = ((0, ""), (21, "P073"), (84, "P072"))  # from a birth to its term
WAITED = (0, 1, 2, 5, 20, 45, 75, 150)
INFANT = 2  # years
# Exposure at home: (departments or any if empty, fewest inhabitants, fewer than, youngest, code, share).
HOMES: tuple[tuple[tuple[str, ...], int, int, int, str, float], ...] = (
    ((), 50_000, 10_000_000, 0, "Z580", 0.6),
    ((), 0, 2_000, 20, "Z574", 0.6),
    (("06", "13", "30", "48", "66", "2A", "2B"), 0, 10_000_000, 0, "B550", 0.5),
    (("33", "34", "51", "21", "84", "37", "49"), 0, 10_000_000, 0, "Z582", 0.5),
    (("07", "19", "22", "23", "29", "35", "43", "56", "63", "87"), 0, 10_000_000, 0, "Z584", 0.5),
    (("25", "39", "52", "54", "55", "70", "73", "74", "88", "90"), 0, 10_000_000, 0, "B675", 0.5),
    (("02", "08", "59", "60", "62", "80"), 0, 10_000_000, 0, "A985", 0.5),
    (("16", "17", "53", "61", "72", "79", "85", "86"), 0, 10_000_000, 0, "A78", 0.5),
    (("57", "67", "68", "01", "38"), 0, 10_000_000, 0, "A841", 0.5),
    (("69", "75", "77", "78", "91", "92", "93", "94", "95"), 0, 10_000_000, 0, "T560", 0.5),
)
Classes = tuple[tuple[int, str], ...]


def _named(*classes: Classes) -> frozenset[str]:
    return frozenset(code for one in classes for _, code in one if code)


CODES: Mapping[str, frozenset[str]] = {
    "order of events": frozenset(code for _, _, *codes in ORDERED for code in codes),
    "delay of surgery": _named(WAITS, RETURNS),
    "length of stay": _named(NIGHTS),
    "term of a pregnancy": _named(TERMS, EARLY),
    "home": frozenset(code for *_, code, _ in HOMES),
}


def dated(seed: int, planned: Sequence[Plan]) -> list[Plan]:
    """Return the plans, the last one of each stay with the sentences of the stay."""
    last = {plan.stay.stay_id: index for index, plan in sorted(enumerate(planned), key=lambda one: one[1].written_on)}
    return [
        replace(plan, told=tuple(sentences(seed, plan))) if last[plan.stay.stay_id] == index else plan
        for index, plan in enumerate(planned)
    ]


def sentences(seed: int, plan: Plan) -> Iterator[str]:
    """Yield the templates of a stay's sentences, with the codes that they yield."""
    rng, patient, stay = Stream(f"{seed}:{plan.stay.stay_id}:dated"), plan.patient, plan.stay
    age = years_between(patient.birth_date, stay.admitted_on)
    if age >= ADULT:
        yield from _ordered(rng)
    if plan.written_on >= stay.discharged_on:
        yield from _delayed(rng, stay)
    yield from _born(rng, stay, age)
    if not patient.place.country:
        yield "Expositions recherchées au domicile ({adresse})." + _marked(_exposures(rng, patient, age))


def _ordered(rng: random.Random) -> Iterator[str]:
    one, other, before, after = rng.choice(ORDERED)
    late = rng.randint(*LATEST)
    early = late + rng.choice(GAPS)
    first = rng.random() < 0.5
    days = (early, late) if first else (late, early)
    yield f"À noter : {one} le {{D:adm-{days[0]}}}, {other} le {{D:adm-{days[1]}}}." + _marked(
        [before if first else after]
    )


def _delayed(rng: random.Random, stay: Stay) -> Iterator[str]:
    nights = (stay.discharged_on - stay.admitted_on).days
    inside = stay.form in ("hospitalisation", "ambulatoire")
    if inside and pathologies()[stay.pathology].section("operation").lines:
        days = rng.choice(WAITED)
        yield f"Intervention décidée le {{D:op-{days}}}, réalisée le {{D:op}}." + _marked([_class(WAITS, days)])
        if nights > 2 and rng.random() < 0.4:
            days = rng.randint(1, nights - 1)
            yield f"Opéré le {{D:op}}, repris au bloc le {{D:op+{days}}}." + _marked([_class(RETURNS, days)])
    if stay.form == "hospitalisation":
        yield "Séjour du {D:adm} au {D:dis}." + _marked([_class(NIGHTS, nights)])


def _born(rng: random.Random, stay: Stay, age: int) -> Iterator[str]:
    if stay.pathology == "accouchement" and stay.form == "hospitalisation":
        days = rng.choice((rng.randint(168, 258), rng.randint(259, 286), rng.randint(287, 294)))
        yield f"Début de grossesse le {{D:adm-{days}}}, entrée le {{D:adm}}." + _marked([_class(TERMS, days)])
    if age < INFANT:
        days = rng.choice((rng.randint(0, 20), rng.randint(21, 83), rng.randint(84, 105)))
        yield f"Naissance le {{D:birth}}, terme prévu le {{D:birth+{days}}}." + _marked([_class(EARLY, days)])


def _exposures(rng: random.Random, patient: Patient, age: int) -> list[str]:
    home = patient.place
    return [
        code
        for departments, fewest, fewer, youngest, code, share in HOMES
        if (not departments or home.department in departments)
        and fewest <= home.population < fewer
        and age >= youngest
        and rng.random() < share
    ]


def _class(classes: Classes, number: int) -> str:
    return [code for fewest, code in classes if fewest <= number][-1]


def _marked(codes: Sequence[str]) -> str:
    return "".join(f"{{cim:{code}}}" for code in codes if code)
