"""The services of the hospital and everybody who works in them, and the professionals of the town."""

from __future__ import annotations

import random
from dataclasses import dataclass

from demo.hospital import identifiers, names
from demo.hospital.model import Place, Professional
from demo.hospital.places import Country, address


@dataclass(frozen=True, slots=True)
class Service:
    """A unit: its code in the warehouse, its full name and the word for its specialist."""

    code: str
    name: str
    specialist: str
    doctors: int


SERVICES: tuple[Service, ...] = (
    Service("CARD", "Cardiologie", "cardiologue", 6),
    Service("PNEU", "Pneumologie", "pneumologue", 4),
    Service("NEUR", "Neurologie", "neurologue", 5),
    Service("GAST", "Hépato-gastro-entérologie", "gastro-entérologue", 4),
    Service("CHIV", "Chirurgie viscérale et digestive", "chirurgien", 4),
    Service("ORTH", "Chirurgie orthopédique et traumatologique", "orthopédiste", 5),
    Service("NEPH", "Néphrologie – dialyse", "néphrologue", 3),
    Service("ENDO", "Endocrinologie – diabétologie", "endocrinologue", 3),
    Service("ONCO", "Oncologie médicale", "oncologue", 4),
    Service("HEMA", "Hématologie clinique", "hématologue", 3),
    Service("GERI", "Court séjour gériatrique", "gériatre", 4),
    Service("PEDI", "Pédiatrie générale", "pédiatre", 4),
    Service("OBST", "Gynécologie-obstétrique", "gynécologue", 4),
    Service("UROL", "Urologie", "urologue", 3),
    Service("RHUM", "Rhumatologie", "rhumatologue", 3),
    Service("PSYC", "Psychiatrie de liaison", "psychiatre", 3),
    Service("INFE", "Maladies infectieuses et tropicales", "infectiologue", 3),
    Service("DERM", "Dermatologie", "dermatologue", 2),
    Service("ORLC", "ORL et chirurgie cervico-faciale", "ORL", 3),
    Service("OPHT", "Ophtalmologie", "ophtalmologiste", 3),
    Service("MINT", "Médecine interne", "interniste", 3),
    Service("URGE", "Urgences – SMUR", "urgentiste", 7),
    Service("REAN", "Réanimation polyvalente", "réanimateur", 4),
    Service("ANES", "Anesthésie", "anesthésiste", 4),
    Service("IMAG", "Imagerie médicale", "radiologue", 5),
    Service("ANAP", "Anatomie et cytologie pathologiques", "pathologiste", 3),
    Service("BIOL", "Laboratoire de biologie médicale", "biologiste", 3),
    Service("SOCI", "Service social hospitalier", "assistante sociale", 0),
)
BY_CODE = {service.code: service for service in SERVICES}
DOCTOR_ROLES = ("PU-PH", "PH", "PH", "PH", "assistant", "chef de clinique", "PH", "docteur junior")
OTHER_ROLES: tuple[tuple[str, int, str], ...] = (
    ("interne", 2, "MF"),
    ("IDE", 5, "MFFFF"),
    ("aide-soignant", 2, "MFFF"),
    ("cadre de santé", 1, "MFF"),
    ("secrétaire", 2, "MFFFFF"),
    ("kinésithérapeute", 1, "MF"),
    ("psychologue", 1, "MFFF"),
    ("diététicien", 1, "MFFF"),
    ("externe", 1, "MF"),
)


def login(first_name: str, last_name: str) -> str:
    """The ASCII "first.last" of an e-mail address."""
    table = str.maketrans("àâäãáåéèêëîïíìôöóòõûüúùçñÿœæşğıąćęłńśźż'’ ", "aaaaaaeeeeiiiiooooouuuucnyoasgiacelnszz---")
    both = f"{first_name}.{last_name}".lower().translate(table).replace("-", "")
    return "".join(character for character in both if character.isascii() and (character.isalnum() or character == "."))


class Registry:
    """Draws professionals one by one, each with a number of its own."""

    def __init__(self, rng: random.Random, country: Country, domain: str) -> None:
        self._rng = rng
        self._country = country
        self._domain = domain
        self._count = 0

    def hire(self, role: str, service: str, sexes: str = "MF", *, place: Place | None = None) -> Professional:
        """A professional of `role`; of the town when `place` is given, else of the hospital."""
        rng = self._rng
        self._count += 1
        family = names.origin(rng)
        sex = rng.choice(sexes)
        born = rng.randrange(1958, 1999 if role in ("interne", "externe", "docteur junior") else 1992)
        first, last = names.first_name(rng, sex, born, family), names.surname(rng, family)
        where = place or self._country.town
        domain = self._domain if place is None else rng.choice(("medecin.example", "sante-liberale.example"))
        return Professional(
            staff_id=f"S{self._count:05d}",
            rpps=identifiers.rpps(rng),
            last_name=last,
            first_name=first,
            sex=sex,
            role=role,
            service=service,
            phone=identifiers.landline(rng, where.department),
            email=f"{login(first, last)}@{domain}",
            extension=identifiers.digits(rng, rng.choice((4, 5))),
            place=where,
            street=address(rng, where) if place else "",
        )


def hospital_staff(registry: Registry) -> tuple[Professional, ...]:
    """Everybody who works in a service, doctors first within each."""
    staff: list[Professional] = []
    for service in SERVICES:
        for index in range(service.doctors):
            staff.append(registry.hire(DOCTOR_ROLES[index % len(DOCTOR_ROLES)], service.code))
        if service.code == "SOCI":
            staff.extend(registry.hire("assistant social", service.code, "MFFFF") for _ in range(4))
        for role, number, sexes in OTHER_ROLES:
            staff.extend(registry.hire(role, service.code, sexes) for _ in range(number))
    return tuple(staff)
