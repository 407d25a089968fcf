"""Slots of health professionals."""

from __future__ import annotations

from collections.abc import Iterable

from deid.domain.labels import Label
from demo.hospital.model import Professional
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene, bare_slot, is_doctor, one, slot
from demo.hospital.prose.slots_patient import surname_case

FEMININE = {
    "IDE": "IDE", "aide-soignant": "aide-soignante", "assistant social": "assistante sociale",
    "psychologue": "psychologue", "diététicien": "diététicienne", "kinésithérapeute": "kinésithérapeute",
    "cadre de santé": "cadre de santé", "secrétaire": "secrétaire", "interne": "interne", "externe": "externe",
    "assistant": "assistante", "chef de clinique": "cheffe de clinique", "médecin": "médecin", "PH": "PH",
    "PU-PH": "PU-PH", "docteur junior": "docteure junior",
}  # fmt: skip


def doctor_name(scene: DocumentScene, person: Professional) -> list[Piece]:
    """ "Dr MARTIN", "Pr Claire Martin", "Dr C. Martin"."""
    rng = scene.rng
    title = "Pr" if person.role == "PU-PH" else rng.choice(("Dr", "Dr", "Dr", "Docteur"))
    surname = surname_case(scene, person.last_name)
    draw = rng.random()
    if draw < 0.55:
        name = surname
    elif draw < 0.8:
        name = f"{person.first_name} {surname}"
    elif draw < 0.93:
        name = f"{person.first_name[0]}. {surname}"
    else:
        name = f"{surname} {person.first_name}"
    return [Piece(f"{title} "), Piece(name, Label.DOCTOR)]


def staff_name(scene: DocumentScene, person: Professional) -> list[Piece]:
    """How the team names one of its own: first name, with an initial, or with civility."""
    if is_doctor(person):
        return doctor_name(scene, person)
    draw = scene.rng.random()
    if draw < 0.35:
        return one(person.first_name, Label.DOCTOR)
    if draw < 0.6:
        return one(f"{person.first_name} {person.last_name[0]}.", Label.DOCTOR)
    if draw < 0.8:
        return one(f"{person.first_name} {surname_case(scene, person.last_name)}", Label.DOCTOR)
    civil = "Mme" if person.sex == "F" else "M."
    return [Piece(f"{civil} "), Piece(surname_case(scene, person.last_name), Label.DOCTOR)]


@slot("dr")
def _doctor(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """A doctor of the service of code `argument`, else a colleague of the author."""
    return doctor_name(scene, scene.colleague("médecin", argument or None))


@slot("ledr")
def _the_doctor(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    pieces = doctor_name(scene, scene.colleague("médecin", argument or None))
    return [Piece("le "), *pieces]


@bare_slot("gp")
def _physician(scene: DocumentScene) -> Iterable[Piece]:
    return doctor_name(scene, scene.patient.physician)


@bare_slot("ville_dr")
def _town_doctor(scene: DocumentScene) -> Iterable[Piece]:
    """A doctor of the town that nobody else names."""
    person = scene.rng.choice(scene.world.physicians)
    return doctor_name(scene, person)


@slot("staff")
def _colleague(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """A colleague of a role: {staff:IDE}, {staff:assistant social@SOCI}."""
    role, _, service = argument.partition("@")
    return staff_name(scene, scene.colleague(role, service or None))


@bare_slot("nurse")
def _private_nurse(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.nurse, Label.DOCTOR)


@bare_slot("initiales")
def _author_initials(scene: DocumentScene) -> Iterable[Piece]:
    """Marks at the foot: author/typist."""
    author, typist = scene.author, scene.colleague("secrétaire")
    first = "".join(part[0] for part in (author.first_name, author.last_name)).upper()
    second = "".join(part[0] for part in (typist.first_name, typist.last_name)).lower()
    return [Piece(first, Label.DOCTOR), Piece("/"), Piece(second, Label.DOCTOR)]


@bare_slot("ae")
def _author_agreement(scene: DocumentScene) -> Iterable[Piece]:
    return one("e" if scene.author.sex == "F" else "")


@bare_slot("moi")
def _author(scene: DocumentScene) -> Iterable[Piece]:
    author = scene.author
    name = f"{author.first_name} {surname_case(scene, author.last_name)}"
    return [Piece("docteur " if is_doctor(author) else ""), Piece(name, Label.DOCTOR)]
