"""Patients and their contacts: family, doctor, pharmacy, work."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta

from demo.hospital import identifiers, names
from demo.hospital.model import Establishment, Patient, Place, Professional, Relative
from demo.hospital.names import Origin
from demo.hospital.places import Country, address
from demo.hospital.prose.dates import years_between
from demo.hospital.staff import login

REFERENCE_DAY = date(2026, 10, 1)


class Households:
    """Generator of patients with a coherent family, for pathologies of given ages and sexes."""

    def __init__(
        self,
        rng: random.Random,
        country: Country,
        around: dict[str, tuple[Establishment, ...]],
        physicians: tuple[Professional, ...],
    ) -> None:
        self._rng = rng
        self._country = country
        self._around = around
        self._physicians = physicians

    def patient(self, number: int, ages: tuple[float, float], sexes: str, pathologies: tuple[str, ...]) -> Patient:
        """Draw patient `number`, aged within `ages` (years) on the first night."""
        rng = self._rng
        family = names.origin(rng)
        sex = rng.choice(sexes)
        born = REFERENCE_DAY - timedelta(days=int(rng.uniform(*ages) * 365.25))
        birth_name = names.surname(rng, family)
        age = years_between(born, REFERENCE_DAY)
        married = age > 28 and rng.random() < 0.75
        last_name = names.surname(rng, family if rng.random() < 0.6 else None) if married and sex == "F" else birth_name
        if married and sex == "F" and rng.random() < 0.15:
            last_name = f"{birth_name}-{last_name}"
        place = self._country.home(rng)
        birth_place, birth_country, birth_code = self._birth(family, age)
        firsts = self._first_names(sex, born.year, family)
        male, female = rng.choice(OCCUPATIONS)
        return Patient(
            patient_id=f"P{number:06d}",
            ipp=f"{80_000_000 + number * 7919 % 9_999_991:08d}",
            last_name=last_name,
            birth_name=birth_name,
            first_names=firsts,
            sex=sex,
            birth_date=born,
            nir=identifiers.nir(rng, sex, born, birth_code),
            address=address(rng, place),
            place=place,
            phone=identifiers.landline(rng, place.department),
            mobile=identifiers.mobile(rng),
            email=email_address(rng, firsts[0], last_name, born.year),
            birth_place=birth_place,
            birth_country=birth_country,
            occupation=male if sex == "M" else female,
            employer=rng.choice(self._around["entreprise"]),
            relatives=relatives(
                rng, self._country, Person(family, sex, age, last_name, birth_name, born.year, married, place, firsts)
            ),
            physician=rng.choice(self._physicians),
            nurse=names.first_name(rng, rng.choice("FFFM"), rng.randrange(1965, 1999)),
            pharmacy=rng.choice(self._around["pharmacie"]),
            laboratory=rng.choice(self._around["laboratoire"]),
            pathologies=pathologies,
        )

    def _birth(self, family: Origin | None, age: int) -> tuple[str, str, str]:
        """(town, country or "", INSEE code) of birth; the elders of a family may be born elsewhere."""
        rng = self._rng
        if family is not None and age > 30 and rng.random() < 0.6:
            town, country = rng.choice(family.births)
            if country:
                return town, country, f"99{family.country_code}"
        place = self._country.near(rng) if rng.random() < 0.6 else self._country.far(rng)
        return place.name, "", place.insee

    def _first_names(self, sex: str, year: int, family: Origin | None) -> tuple[str, ...]:
        count = self._rng.choice((1, 2, 2, 3))
        drawn = [names.first_name(self._rng, sex, year, family) for _ in range(count)]
        return tuple(dict.fromkeys(drawn))


def email_address(rng: random.Random, first: str, last: str, year: int) -> str:
    """An address made of a name and a year of birth."""
    name = login(first, last)
    initial = name[0] + name.partition(".")[2]
    local = rng.choice(
        (name, name.replace(".", ""), f"{initial}{year % 100:02d}", f"{name}{year % 100:02d}", name.replace(".", "_"))
    )
    return f"{local}@{rng.choice(('courriel.example', 'messagerie.example', 'orange-mail.example', 'boite.example'))}"


# The family and neighbours of a patient.
OCCUPATIONS: tuple[tuple[str, str], ...] = tuple(
    (male.strip(), female.strip())
    for male, female in (
        pair.split("/")
        for pair in (
            "maçon/agent d'entretien,chauffeur-livreur/caissière,agriculteur/agricultrice,instituteur/institutrice,"
            "mécanicien/secrétaire,comptable/comptable,cuisinier/cuisinière,électricien/aide à domicile,"
            "facteur/factrice,"
            "menuisier/couturière,soudeur/ouvrière en conserverie,commercial/vendeuse,boulanger/boulangère,"
            "magasinier/assistante maternelle,cheminot/infirmière,éleveur/éleveuse,plombier/coiffeuse,marin/serveuse,"
            "ingénieur/ingénieure,professeur de lycée/professeure de collège,gardien d'immeuble/gardienne d'immeuble,"
            "viticulteur/viticultrice,peintre en bâtiment/fleuriste,agent de sécurité/aide-soignante,"
            "informaticien/bibliothécaire,routier/employée de mairie,couvreur/auxiliaire de vie,gendarme/pharmacienne"
        ).split(",")
    )
)
ADULT = 20


@dataclass(frozen=True, slots=True)
class Person:
    """Facts about a patient that determine the family."""

    origin: Origin | None
    sex: str
    age: int
    last_name: str
    birth_name: str
    birth_year: int
    married: bool
    place: Place
    first_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Kin:
    role: str
    sex: str
    surname: str
    birth_year: int


def relatives(rng: random.Random, country: Country, person: Person) -> tuple[Relative, ...]:
    """Draw parents and siblings of a child, spouse and children of an adult, and a neighbour, all with distinct
    first names.
    """
    kin = _child_family(rng, person) if person.age < ADULT else _adult_family(rng, person)
    sex = rng.choice("MF")
    role = "voisin" if sex == "M" else "voisine"
    kin.append(_Kin(role, sex, names.surname(rng), person.birth_year + rng.randrange(-20, 20)))
    taken = set(person.first_names)
    found = []
    for member in kin:
        found.append(_relative(rng, country, person, member, taken))
        taken.add(found[-1].first_name)
    return tuple(found)


def _child_family(rng: random.Random, person: Person) -> list[_Kin]:
    born, name = person.birth_year, person.last_name
    mother = rng.choice((name, names.surname(rng, person.origin)))
    kin = [
        _Kin("mère", "F", mother, born - rng.randrange(20, 40)),
        _Kin("père", "M", name, born - rng.randrange(21, 45)),
    ]
    if rng.random() < 0.7:
        role, sex = rng.choice((("frère", "M"), ("sœur", "F")))
        kin.append(_Kin(role, sex, name, born + rng.choice((-5, -3, -2, 2, 3))))
    if rng.random() < 0.5:
        kin.append(_Kin("grand-mère", "F", names.surname(rng, person.origin), born - rng.randrange(48, 66)))
    return kin


def _adult_family(rng: random.Random, person: Person) -> list[_Kin]:
    born, name = person.birth_year, person.last_name
    kin: list[_Kin] = []
    if person.married:
        sex = "F" if person.sex == "M" else "M"
        spouse = {"F": "épouse", "M": "mari"} if rng.random() < 0.75 else {"F": "compagne", "M": "compagnon"}
        kin.append(_Kin(spouse[sex], sex, name, born + rng.randrange(-6, 7)))
    for _ in range(rng.randrange(0, 4) if person.age > 30 else 0):
        sex = rng.choice("MF")
        surname = name if rng.random() < 0.65 else names.surname(rng, person.origin)
        kin.append(_Kin("fils" if sex == "M" else "fille", sex, surname, born + rng.randrange(22, 38)))
    sex = rng.choice("MF")
    kin.append(_Kin("frère" if sex == "M" else "sœur", sex, person.birth_name, born + rng.randrange(-9, 10)))
    if person.age < 62:
        kin.append(_Kin("mère", "F", person.birth_name, born - rng.randrange(20, 38)))
    elif rng.random() < 0.5:
        role, sex = rng.choice((("nièce", "F"), ("neveu", "M")))
        kin.append(_Kin(role, sex, names.surname(rng, person.origin), born + 32))
    return kin


def _relative(rng: random.Random, country: Country, person: Person, kin: _Kin, taken: set[str]) -> Relative:
    year = min(max(kin.birth_year, 1928), 2025)
    family = None if kin.role.startswith("voisin") else person.origin
    first = names.first_name(rng, kin.sex, year, family)
    while first in taken:
        first = names.first_name(rng, kin.sex, year, None)
    near = country.near(rng) if rng.random() < 0.6 else country.far(rng)
    male, female = rng.choice(OCCUPATIONS)
    return Relative(
        kin.role,
        first,
        kin.surname,
        kin.sex,
        year,
        person.place if rng.random() < 0.45 else near,
        identifiers.mobile(rng),
        male if kin.sex == "M" else female,
    )
