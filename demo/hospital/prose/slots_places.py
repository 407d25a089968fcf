"""Slots of places and organisations."""

from __future__ import annotations

from collections.abc import Iterable

from deid.domain.labels import Label
from demo.hospital.model import Establishment
from demo.hospital.places import address, territories
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene, bare_slot, one, place_pieces, slot
from demo.hospital.prose.slots_numbers import phone_form


@bare_slot("ville")
def _town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.world.country.near(scene.rng).name, Label.CITY)


@bare_slot("loin")
def _far_town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.world.country.far(scene.rng).name, Label.CITY)


@bare_slot("chu")
def _hospital_town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.world.country.town.name, Label.CITY)


@bare_slot("domicile")
def _home_town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.place.name, Label.CITY)


@bare_slot("adresse")
def _address(scene: DocumentScene) -> Iterable[Piece]:
    place = scene.patient.place
    gap = scene.rng.choice((", ", " ", " - "))
    return [Piece(scene.patient.address, Label.STREET), Piece(gap), *place_pieces(place)]


@bare_slot("rue")
def _street(scene: DocumentScene) -> Iterable[Piece]:
    return one(address(scene.rng, scene.patient.place), Label.STREET)


@bare_slot("pays")
def _country(scene: DocumentScene) -> Iterable[Piece]:
    names_ = ("Maroc", "Portugal", "Sénégal", "Vietnam", "Canada", "Mexique", "Japon", "Brésil", "Viêt Nam", "Pérou")
    return one(scene.rng.choice(names_), Label.LOC)


@bare_slot("region")
def _region(scene: DocumentScene) -> Iterable[Piece]:
    pool = territories("department") if scene.rng.random() < 0.7 else territories("region")
    return one(scene.rng.choice(pool)[1], Label.LOC)


@bare_slot("naissance")
def _birth_place(scene: DocumentScene) -> Iterable[Piece]:
    pieces = [Piece(scene.patient.birth_place, Label.CITY)]
    if scene.patient.birth_country:
        pieces += [Piece(" ("), Piece(scene.patient.birth_country, Label.LOC), Piece(")")]
    return pieces


def _organisation(scene: DocumentScene, kind: str) -> Establishment:
    fixed = {
        "pharmacie": scene.patient.pharmacy,
        "laboratoire": scene.patient.laboratory,
        "entreprise": scene.patient.employer,
    }
    if kind in fixed:
        return fixed[kind]
    # The same care home or school for the same patient, whoever writes.
    pool = scene.world.around[kind]
    return pool[(int(scene.patient.ipp) + len(kind)) % len(pool)]


@slot("org")
def _named(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{org:ehpad}": the organisation of that kind in this patient's life."""
    return one(_organisation(scene, argument).name, Label.ORG)


@slot("org_autre")
def _other(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(scene.rng.choice(scene.world.around[argument]).name, Label.ORG)


@slot("org_tel")
def _named_with_phone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    found = _organisation(scene, argument)
    return [Piece(found.name, Label.ORG), Piece(" ("), Piece(phone_form(scene, found.phone), Label.PHONE), Piece(")")]
