"""Patients and those around them: family, doctor, pharmacy, work."""

from __future__ import annotations

import random
from datetime import date, timedelta

from deid.hospital import identifiers, names
from deid.hospital.model import Establishment, Patient, Place, Professional, Relative
from deid.hospital.origins import Origin
from deid.hospital.places import Country, address
from deid.hospital.prose.dates import years_between
from deid.hospital.staff import login

OCCUPATIONS: tuple[tuple[str, str], ...] = tuple(
    (male.strip(), female.strip())
    for male, female in (
        pair.split("/")
        for pair in (
            "maçon/agent d'entretien,chauffeur-livreur/caissière,agriculteur/agricultrice,instituteur/institutrice,"
            "mécanicien/secrétaire,comptable/comptable,cuisinier/cuisinière,électricien/aide à domicile,facteur/factrice,"
            "menuisier/couturière,soudeur/ouvrière en conserverie,commercial/vendeuse,boulanger/boulangère,"
            "magasinier/assistante maternelle,cheminot/infirmière,éleveur/éleveuse,plombier/coiffeuse,marin/serveuse,"
            "ingénieur/ingénieure,professeur de lycée/professeure de collège,gardien d'immeuble/gardienne d'immeuble,"
            "viticulteur/viticultrice,peintre en bâtiment/fleuriste,agent de sécurité/aide-soignante,"
            "informaticien/bibliothécaire,routier/employée de mairie,couvreur/auxiliaire de vie,gendarme/pharmacienne"
        ).split(",")
    )
)
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
            relatives=self._relatives(family, sex, age, last_name, birth_name, born.year, married, place),
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

    def _relatives(
        self,
        family: Origin | None,
        sex: str,
        age: int,
        last_name: str,
        birth_name: str,
        born: int,
        married: bool,
        place: Place,
    ) -> tuple[Relative, ...]:
        rng = self._rng
        kin: list[tuple[str, str, str, int]] = []  # role, sex, surname, birth year
        if age < 20:
            kin.append(("mère", "F", rng.choice((last_name, names.surname(rng, family))), born - rng.randrange(20, 40)))
            kin.append(("père", "M", last_name, born - rng.randrange(21, 45)))
            if rng.random() < 0.7:
                kin.append(
                    (*rng.choice((("frère", "M"), ("sœur", "F"))), last_name, born + rng.choice((-5, -3, -2, 2, 3)))
                )
            if rng.random() < 0.5:
                kin.append(("grand-mère", "F", names.surname(rng, family), born - rng.randrange(48, 66)))
        else:
            other = "F" if sex == "M" else "M"
            if married:
                role = {"F": "épouse", "M": "mari"} if rng.random() < 0.75 else {"F": "compagne", "M": "compagnon"}
                kin.append((role[other], other, last_name, born + rng.randrange(-6, 7)))
            for _ in range(rng.randrange(0, 4) if age > 30 else 0):
                child = rng.choice("MF")
                surname = last_name if rng.random() < 0.65 else names.surname(rng, family)
                kin.append(("fils" if child == "M" else "fille", child, surname, born + rng.randrange(22, 38)))
            sibling = rng.choice("MF")
            kin.append(("frère" if sibling == "M" else "sœur", sibling, birth_name, born + rng.randrange(-9, 10)))
            if age < 62:
                kin.append(("mère", "F", birth_name, born - rng.randrange(20, 38)))
            if age > 65 and rng.random() < 0.5:
                kin.append((*rng.choice((("nièce", "F"), ("neveu", "M"))), names.surname(rng, family), born + 32))
        neighbour = rng.choice("MF")
        kin.append(
            ("voisin" if neighbour == "M" else "voisine", neighbour, names.surname(rng), born + rng.randrange(-20, 20))
        )
        return tuple(self._relative(*member, family, place) for member in kin)

    def _relative(self, role: str, sex: str, surname: str, born: int, family: Origin | None, place: Place) -> Relative:
        rng = self._rng
        year = min(max(born, 1928), 2025)
        family = None if role.startswith("voisin") else family
        male, female = rng.choice(OCCUPATIONS)
        return Relative(
            role,
            names.first_name(rng, sex, year, family),
            surname,
            sex,
            year,
            place if rng.random() < 0.45 else self._country.near(rng) if rng.random() < 0.6 else self._country.far(rng),
            identifiers.mobile(rng),
            male if sex == "M" else female,
        )


def _email(rng: random.Random, first: str, last: str, year: int) -> str:
    name = login(first, last)
    initial = name[0] + name.partition(".")[2]
    local = rng.choice(
        (name, name.replace(".", ""), f"{initial}{year % 100:02d}", f"{name}{year % 100:02d}", name.replace(".", "_"))
    )
    return f"{local}@{rng.choice(('courriel.example', 'messagerie.example', 'orange-mail.example', 'boite.example'))}"
