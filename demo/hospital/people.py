"""Patients and those around them: family, doctor, pharmacy, work."""

from __future__ import annotations

import random
from datetime import date, timedelta

from demo.hospital import identifiers, names
from demo.hospital.kin import OCCUPATIONS, Person, relatives
from demo.hospital.model import Establishment, Patient, Professional
from demo.hospital.origins import Origin
from demo.hospital.places import Country, address
from demo.hospital.prose.dates import years_between
from demo.hospital.staff import login

REFERENCE_DAY = date(2026, 10, 1)


class Households:
    """Draws patients with a coherent family for pathologies of given ages and sexes."""

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
        """Patient `number`, whose age (years) on the first night lies in `ages`."""
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
            email=_email(rng, firsts[0], last_name, born.year),
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


def _email(rng: random.Random, first: str, last: str, year: int) -> str:
    name = login(first, last)
    initial = name[0] + name.partition(".")[2]
    local = rng.choice(
        (name, name.replace(".", ""), f"{initial}{year % 100:02d}", f"{name}{year % 100:02d}", name.replace(".", "_"))
    )
    return f"{local}@{rng.choice(('courriel.example', 'messagerie.example', 'orange-mail.example', 'boite.example'))}"
