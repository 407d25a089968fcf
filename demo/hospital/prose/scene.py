"""Context of one document, and the registry of the slots of templates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date

from deid.domain.labels import Label
from demo.hospital.model import Establishment, Patient, Place, Professional, Stay
from demo.hospital.places import Country
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece, expand
from demo.hospital.prose.library import Pathology, Section, phrases

PEDIATRIC_AGE = 16


@dataclass(frozen=True, slots=True)
class Setting:
    """Facts that all documents of the hospital share."""

    name: str
    sites: tuple[str, ...]
    domain: str
    street: str
    finess: str
    country: Country
    staff: dict[str, tuple[Professional, ...]]  # by service code
    physicians: tuple[Professional, ...]
    around: dict[str, tuple[Establishment, ...]]


@dataclass(slots=True)
class DocumentScene:
    """Context of one document: patient, author, day, pathology, and habits of the author."""

    rng: random.Random
    setting: Setting
    patient: Patient
    stay: Stay
    pathology: Pathology
    author: Professional
    written_on: date
    terse: bool = False
    date_form: str = "slash"
    civility: str = "M."
    recipient: Professional | None = None
    memory: dict[str, str] = field(default_factory=dict)
    people: dict[str, Professional] = field(default_factory=dict)
    past: date | None = None  # the day last told of, some years ago
    codes: dict[str, None] = field(default_factory=dict)  # ICD-10 codes of what the text has said, in order

    def fill(self, slot: str, argument: str) -> Iterable[Piece]:
        """Pieces for `{slot:argument}`.

        Raises:
            KeyError: no such slot.
        """
        return SLOTS[slot](self, argument)

    def write(self, template: str) -> list[Piece]:
        """Expand `template` in this scene."""
        return expand(template, self)

    @property
    def age(self) -> int:
        """The patient's age in completed years on the day of writing."""
        return dates.years_between(self.patient.birth_date, self.written_on)

    @property
    def child(self) -> bool:
        """True if the patient is called by the first name."""
        return self.age < PEDIATRIC_AGE

    def section(self, name: str) -> Section:
        """The pathology's phrases for a section, as fits the patient's age."""
        return self.pathology.section(name).suited(self.age)

    def common(self, name: str) -> Section:
        """Phrases that every speciality shares, as fits the patient's age."""
        return phrases(name).suited(self.age)

    def team(self, service: str | None = None) -> tuple[Professional, ...]:
        """The staff of `service`, by default of the stay's."""
        return self.setting.staff[service or self.stay.service_code]

    def colleague(self, role: str, service: str | None = None) -> Professional:
        """Return a member of the service with that role ("médecin", "IDE", …), the same throughout the document."""
        code = service or self.stay.service_code
        key = f"{role}@{code}"
        if key not in self.people:
            team = self.setting.staff[code]
            if role == "médecin":
                able = [one for one in team if is_doctor(one) and one is not self.author]
            else:
                able = [one for one in team if one.role == role]
            self.people[key] = self.rng.choice(able or list(team))
        return self.people[key]


def is_doctor(professional: Professional) -> bool:
    """True if the professional is addressed as "Docteur"."""
    return professional.role in ("PU-PH", "PH", "assistant", "chef de clinique", "docteur junior", "médecin")


Slot = Callable[[DocumentScene, str], Iterable[Piece]]
BareSlot = Callable[[DocumentScene], Iterable[Piece]]
SLOTS: dict[str, Slot] = {}


def slot(name: str) -> Callable[[Slot], Slot]:
    """Register a function of a scene and an argument as the slot of that name."""

    def register(function: Slot) -> Slot:
        SLOTS[name] = function
        return function

    return register


def bare_slot(name: str) -> Callable[[BareSlot], BareSlot]:
    """Register a function that needs no argument as the slot of that name."""

    def register(function: BareSlot) -> BareSlot:
        SLOTS[name] = lambda scene, _argument: function(scene)
        return function

    return register


def one(text: str, label: Label | None = None) -> list[Piece]:
    """A single piece."""
    return [Piece(text, label)]


def draw_range(rng: random.Random, text: str) -> int:
    """An integer of "a-b" or of "a" alone."""
    low, _, high = text.partition("-")
    return rng.randint(int(low), int(high)) if high else int(low)


def place_pieces(place: Place) -> list[Piece]:
    """Postal code and commune, and the country of a place abroad."""
    pieces = [Piece(place.zip, Label.ZIP), Piece(" "), Piece(place.name, Label.CITY)]
    return [*pieces, Piece(", "), Piece(place.country, Label.LOC)] if place.country else pieces
