"""Builds the whole synthetic hospital from a seed."""

from __future__ import annotations

import random
import sys

from tqdm import tqdm

from demo.hospital import coding, identifiers, journeys
from demo.hospital.calendar import Calendar
from demo.hospital.dated import dated as with_dates
from demo.hospital.model import Hospital, Patient, Professional
from demo.hospital.people import Households
from demo.hospital.places import Country, establishments
from demo.hospital.profiles import with_profiles
from demo.hospital.prose import (
    slots_people,
    slots_time,
    slots_values,
)
from demo.hospital.prose.library import pathologies
from demo.hospital.prose.scene import Setting
from demo.hospital.staff import SERVICES, Registry, hospital_staff
from demo.hospital.streams import Stream
from demo.hospital.timeline import FAULTS, DocumentTimeline

STAYS_PER_PATIENT = 3.05
PHYSICIANS = 60
SECOND_PATHOLOGY_SHARE = 0.45
HOSPITALS = (
    ("Centre hospitalier universitaire Saint-Aubert", "chu-saint-aubert.example"),
    ("CHU Hélène-Brion", "chu-helene-brion.example"),
    ("Centre hospitalier Alphonse-Guérard", "ch-guerard.example"),
)
SITES = (
    "Hôpital Sainte-Clothilde",
    "Hôpital Nord – Les Charmilles",
    "Hôpital de la Visitation",
    "Institut Émile-Vautrin",
)

# Importing the modules of slots registers them.
SLOT_MODULES = (slots_people, slots_time, slots_values)


def generate(
    seed: int = 2026,
    *,
    patients: int = 320,
    documents: int = 2600,
    nights: int = 30,
    files: float = 0.0,
    dated: bool = False,
    progress: bool = False,
) -> Hospital:
    """The synthetic hospital of `seed`: `documents` documents, the faulty ones included, arriving over `nights` days.

    A share `files` of them are files of other formats than plain text and HTML, each of `demo.hospital.files.FORMS` if
    they are many enough; the others are the same as without. `dated` adds a layer of codes that follow from dates and
    homes, and the sentences that tell them (`demo.hospital.dated`). `progress` shows a bar on stderr.

    Raises:
        ValueError: fewer documents than there are faults, or no patient or night.
    """
    if patients < 1 or nights < 1 or documents <= len(FAULTS):
        raise ValueError(f"a hospital needs a patient, a night and more than {len(FAULTS)} documents")
    rng = Stream(f"{seed}:world")
    calendar = Calendar(nights)
    setting, staff = setting_of(rng)
    people = patients_of(Stream(f"{seed}:patients"), setting, patients)
    rng = Stream(f"{seed}:stays")
    found = journeys.stays(rng, people, calendar, STAYS_PER_PATIENT)
    planned = journeys.plans(rng, people, found, documents - len(FAULTS), calendar)
    if dated:
        planned = with_dates(seed, planned)
    timeline = DocumentTimeline(seed, setting, calendar)
    with tqdm(total=len(planned), desc="documents", unit="doc", disable=not progress, file=sys.stderr) as bar:
        written = timeline.documents(planned, files, bar.update)
    written += timeline.faulty(people, len(written) + 1, staff[0])
    stays = coding.coded(seed, found, people, setting, timeline.said)
    return Hospital(seed, setting.name, people, stays, staff, tuple(written), calendar.first, nights)


def setting_of(rng: random.Random) -> tuple[Setting, tuple[Professional, ...]]:
    country = Country(rng)
    name, domain = rng.choice(HOSPITALS)
    registry = Registry(rng, country, domain)
    staff = hospital_staff(registry)
    by_service = {service.code: tuple(one for one in staff if one.service == service.code) for service in SERVICES}
    physicians = tuple(
        registry.hire("médecin", "", place=country.near(rng) if rng.random() < 0.8 else country.town)
        for _ in range(PHYSICIANS)
    )
    finess = f"{country.town.department[:2]}{identifiers.digits(rng, 7)}"
    street = (
        f"{rng.randrange(1, 60)} {rng.choice(('avenue des Hospices', 'boulevard de la Visitation', 'rue du Lazaret'))}"
    )
    around = establishments(rng, country)
    setting = Setting(name, SITES, domain, street, finess, country, by_service, physicians, around)
    return setting, staff


def patients_of(rng: random.Random, setting: Setting, count: int) -> tuple[Patient, ...]:
    households = Households(rng, setting.country, setting.around, setting.physicians)
    known = list(pathologies().values())
    found = []
    for number in range(1, count + 1):
        main = known[(number - 1) % len(known)] if number <= len(known) else rng.choice(known)
        low, high = main.ages
        sexes = main.sexes
        partners = [
            other
            for other in known
            if other is not main
            and set(sexes) & set(other.sexes)
            and min(high, other.ages[1]) - max(low, other.ages[0]) > 8
        ]
        names = [main.name]
        if partners and rng.random() < SECOND_PATHOLOGY_SHARE:
            second = rng.choice(partners)
            names.append(second.name)
            low, high = max(low, second.ages[0]), min(high, second.ages[1])
            sexes = "".join(sex for sex in sexes if sex in second.sexes)
        found.append(households.patient(number, (low, high), sexes, tuple(names)))
    return with_profiles(rng, setting.country, found)
