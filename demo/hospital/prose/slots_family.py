"""Slots of the family and of others outside care."""

from __future__ import annotations

from collections.abc import Iterable

from deid.domain.labels import Label
from demo.hospital import names
from demo.hospital.model import Relative
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene, one, slot
from demo.hospital.prose.slots_patient import surname_case


def _relative(scene: DocumentScene, wanted: str) -> Relative:
    groups = {
        "conjoint": ("épouse", "mari", "compagne", "compagnon"),
        "enfant": ("fils", "fille"),
        "parent": ("mère", "père"),
        "fratrie": ("frère", "sœur"),
        "voisin": ("voisin", "voisine"),
    }
    roles = groups.get(wanted, (wanted,)) if wanted else ()
    kin = scene.patient.relatives
    able = [one for one in kin if one.role in roles]
    near = [one for one in kin if one.role not in groups["voisin"]]
    return scene.rng.choice(able or near or list(kin))


def _possessive(relative: Relative) -> str:
    vowel = relative.role[0] in "aeéiouh"
    return "son" if relative.sex == "M" or vowel else "sa"


def relative_name(scene: DocumentScene, relative: Relative) -> list[Piece]:
    """How one names a relative: first name, both, or civility and surname."""
    rng = scene.rng
    surname = surname_case(scene, relative.last_name)
    draw = rng.random()
    if draw < 0.5 or relative.birth_year > scene.written_on.year - 15:
        return one(relative.first_name, Label.PERSON)
    if draw < 0.7:
        return one(f"{relative.first_name} {surname}", Label.PERSON)
    if draw < 0.9:
        civil = {"F": "Mme", "M": "M."}[relative.sex]
        return [Piece(f"{civil} "), Piece(surname, Label.PERSON)]
    return one(f"{surname} {relative.first_name}", Label.PERSON)


@slot("proche")
def _someone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "sa fille Claire", "son épouse, Mme Dupont": with the possessive."""
    relative = _relative(scene, argument)
    head = f"{_possessive(relative)} {relative.role}"
    name = relative_name(scene, relative)
    if scene.rng.random() < 0.3:
        return [Piece(f"{head} ("), *name, Piece(")")]
    return [Piece(f"{head} "), *name]


@slot("proche_nu")
def _bare_relative(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "fille Claire": telegraphic."""
    relative = _relative(scene, argument)
    return [Piece(relative.role + " "), *relative_name(scene, relative)]


@slot("nomproche")
def _relative_alone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return relative_name(scene, _relative(scene, argument))


@slot("proche_tel")
def _relative_and_phone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    relative = _relative(scene, argument)
    name = f"{surname_case(scene, relative.last_name)} {relative.first_name}"
    return [Piece(name, Label.PERSON), Piece(f" ({relative.role}), "), Piece(relative.phone, Label.PHONE)]


@slot("proche_age")
def _relative_with_age(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "son fils Paul, 34 ans, mécanicien à Lens"."""
    relative = _relative(scene, argument)
    age = max(1, scene.written_on.year - relative.birth_year - 1)
    pieces = [Piece(f"{_possessive(relative)} {relative.role} "), Piece(relative.first_name, Label.PERSON)]
    pieces += [Piece(", "), Piece(f"{age} ans", Label.AGE)]
    if age > 22 and scene.rng.random() < 0.7:
        job = relative.occupation if age < 63 else "retraité" + ("e" if relative.sex == "F" else "")
        pieces += [Piece(f", {job} à~"), Piece(relative.city.name, Label.CITY)]
    return pieces


@slot("tiers")
def _third_party(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """Someone outside family and care (lawyer, employer, interpreter): surname with civility."""
    sex = scene.rng.choice("MF")
    surname = surname_case(scene, names.surname(scene.rng, names.origin(scene.rng)))
    civil = "Me" if argument == "avocat" else {"F": "Mme", "M": "M."}[sex]
    return [Piece(f"{civil} "), Piece(surname, Label.PERSON)]


@slot("telproche")
def _phone_of_relative(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(_relative(scene, argument).phone, Label.PHONE)
