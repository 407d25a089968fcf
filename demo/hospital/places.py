"""The country around the hospital: its town, the communes its patients live in, and their streets."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import cache

from deid.reference.packaged import packaged_rows
from demo.hospital import identifiers, names
from demo.hospital.model import Establishment, Place

MAINLAND_LIMIT = "96"  # departments beyond are overseas
TOWN_POPULATION = (80_000, 320_000)
CATCHMENT_KM = 75.0
EARTH_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True)
class _Commune:
    place: Place
    lon: float
    lat: float


@cache
def _communes() -> tuple[_Commune, ...]:
    found = []
    for row in packaged_rows("communes"):
        # Paris, Lyon and Marseille are single communes in the table, beside their arrondissements.
        if row["zips"] and not row["name"].endswith("Arrondissement"):
            place = Place(
                row["insee"], row["name"], row["zips"].split("|")[0], row["department"], int(row["population"])
            )
            found.append(_Commune(place, float(row["lon"]), float(row["lat"])))
    return tuple(found)


@cache
def street_names() -> tuple[str, ...]:
    """Names of streets, in lower case for the kind of street ("rue de Vaugirard")."""
    names = (row["name"] for row in packaged_rows("streets"))
    return tuple(name[0].lower() + name[1:] for name in names if name[:1].isalpha() and len(name) < 40)


@cache
def territories(kind: str) -> tuple[tuple[str, str], ...]:
    """(code, name) of every "department", "region" or "country"."""
    return tuple((row["code"], row["name"]) for row in packaged_rows("territories") if row["kind"] == kind)


class Country:
    """The hospital's town and its catchment area, with a draw that favours large and near communes."""

    def __init__(self, rng: random.Random) -> None:
        communes = _communes()
        low, high = TOWN_POPULATION
        towns = [
            commune
            for commune in communes
            if low < commune.place.population < high
            and commune.place.department < MAINLAND_LIMIT
            and commune.place.department not in ("75", "92", "93", "94")
        ]
        centre = rng.choice(towns)
        self.town = centre.place
        self._near: list[Place] = []
        self._weights: list[float] = []
        for commune in communes:
            distance = _kilometres(centre, commune)
            if distance <= CATCHMENT_KM and commune is not centre:
                self._near.append(commune.place)
                self._weights.append(math.sqrt(commune.place.population + 1) / (8 + distance))
        self._far = [commune.place for commune in communes if commune.place.population > 3_000]

    def home(self, rng: random.Random) -> Place:
        """Draw a patient's home: mostly in the catchment area, often in the town, sometimes anywhere in France."""
        draw = rng.random()
        if draw < 0.17:
            return self.town
        if draw < 0.93:
            return self.near(rng)
        return rng.choice(self._far)

    def near(self, rng: random.Random) -> Place:
        """A commune of the catchment area."""
        return rng.choices(self._near, self._weights)[0]

    def far(self, rng: random.Random) -> Place:
        """Any French commune of some size."""
        return rng.choice(self._far)


def _kilometres(one: _Commune, other: _Commune) -> float:
    width = (one.lon - other.lon) * math.cos(math.radians((one.lat + other.lat) / 2))
    return EARTH_KM_PER_DEGREE * math.hypot(width, one.lat - other.lat)


# Hamlets with addresses without a house number.
_HAMLETS = (
    "Le Bourg", "La Croix-Blanche", "Le Moulin-Neuf", "Les Quatre-Vents", "La Grande-Borde", "Le Petit-Bois",
    "Les Bruyères", "La Gare", "Le Haut-Chemin", "La Verrerie", "Les Landes-Basses", "Le Clos-Renard", "Bel-Air",
    "La Tuilerie", "Les Essarts", "Le Pré-Long", "La Fontaine-aux-Merles", "Kerhuel", "Le Mas-Rouge", "Les Ormeaux",
    "La Chapelle-Vieille", "Le Pont-Cassé", "Les Granges-Hautes", "La Borie", "Le Poteau", "L'Étang-Neuf",
)  # fmt: skip
_RESIDENCES = (
    "Les Tilleuls", "Bellevue", "Le Parc", "Les Glycines", "Le Belvédère", "Saint-Exupéry", "Les Mésanges", "Le Verger",
    "Jean-Moulin", "Les Cèdres", "Beausoleil", "La Roseraie", "Les Peupliers", "Pablo-Picasso", "Le Grand-Large",
)  # fmt: skip


def address(rng: random.Random, place: Place) -> str:
    """An address on one line, without postal code nor commune: street, flat, residence or hamlet."""
    street = rng.choice(street_names())
    number = str(max(1, int(rng.expovariate(1 / 30))))
    suffix = rng.choice(("", "", "", "", " bis", " ter", "B"))
    if place.population < 2_500 and rng.random() < 0.45:
        hamlet = rng.choice(_HAMLETS)
        return rng.choice((hamlet, f"lieu-dit {hamlet}", f"{number} {hamlet}", f"{hamlet}, {number} {street}"))
    draw = rng.random()
    if draw < 0.70:
        return f"{number}{suffix}{rng.choice((' ', ' ', ' ', ', '))}{street}"
    residence = rng.choice(_RESIDENCES)
    return rng.choice(
        (
            f"résidence {residence}, bât. {rng.choice('ABCDEF')}, {number} {street}",
            f"{number} {street}, appt {rng.randrange(1, 90)}",
            f"{number}{suffix} {street}, {rng.randrange(2, 9)}e étage",
            f"Résidence {residence}, {number} {street}",
            f"{number} {street} - bât. {rng.choice('ABCD')} esc. {rng.randrange(1, 5)}",
        )
    )


# Named organisations around the hospital: care homes, laboratories, pharmacies, firms, schools.
# Per kind: name templates; {n} is a surname, {t} a commune, {s} the name of a saint or a tree.
_NAMES: dict[str, tuple[str, ...]] = {
    "ehpad": ("EHPAD {s}", "EHPAD Résidence {s}", "Résidence {s}", "EHPAD de {t}", "Maison de retraite {s}"),
    "laboratoire": ("laboratoire {n}", "Laboratoire Bio-{s}", "LABM {n}-{m}", "SELAS Biogroupe {s}",
        "laboratoire de {t}"),
    "pharmacie": ("pharmacie {n}", "Pharmacie {s}", "pharmacie de {t}", "Grande Pharmacie {n}", "pharmacie du Marché"),
    "clinique": ("clinique {s}", "Polyclinique {s}", "Clinique du Parc {n}", "clinique {n}", "hôpital privé {s}"),
    "hopital": ("CH de {t}", "Centre hospitalier {s}", "hôpital de {t}", "Centre hospitalier {n}", "hôpital {s}"),
    "ssr": ("SMR {s}", "centre de réadaptation {s}", "Centre {s}", "SSR de {t}"),
    "ssiad": ("SSIAD de {t}", "ADMR de {t}", "SSIAD {s}", "HAD {s}"),
    "entreprise": (
        "Transports {n}", "{n} & Fils", "Menuiserie {n}", "garage {n}", "Scierie {n} Frères", "SARL {n}-{m}",
        "{n} Industrie", "Bâti-{n}", "supermarché {s}", "Imprimerie {n}", "Fonderie de {t}", "Conserverie {n}",
        "Ets {n}", "mairie de {t}", "Maçonnerie {n}", "boulangerie {n}", "Cabinet {n} et associés", "La Laiterie {n}",
    ),
    "ecole": ("école {s}", "collège {s}", "lycée {s}", "école Jules-Ferry", "collège Jean-Moulin",
        "crèche {s}", "IME {s}"),
    "association": ("UDAF", "association {s}", "Familles Rurales de {t}", "La Croix-Rouge de {t}",
        "Amicale laïque de {t}"),
    "ambulance": ("Ambulances {n}", "Ambulances {s}", "Taxi {n}", "Ambulances de {t}"),
    "mutuelle": ("Mutuelle {s}", "MGEN", "Harmonie Mutuelle", "MSA", "AG2R La Mondiale", "Mutuelle {n}", "Groupama"),
    "cabinet": ("Maison de santé {s}", "Cabinet médical {s}", "centre de santé {s}", "MSP de {t}"),
}  # fmt: skip
_POETIC = (
    "Les Tilleuls", "Saint-Roch", "Les Charmettes", "Bellevue", "Saint-Vincent", "Les Magnolias", "La Roseraie",
    "Sainte-Anne", "Les Jardins d'Aurore", "Notre-Dame-de-Bon-Secours", "Les Acacias", "Le Clos Fleuri", "Saint-Martin",
    "La Châtaigneraie", "Les Deux Rives", "Val de Rance", "Le Grand Chêne", "Les Hirondelles", "Saint-Éloi",
    "Beau Soleil",
    "Marie-Curie", "Jean-Jaurès", "Simone-Veil", "Les Primevères", "Pasteur", "Louise-Michel", "Les Capucines",
    "Saint-Joseph", "Les Peupliers", "La Providence", "Ambroise-Paré", "Les Remparts", "Maurice-Ravel",
)  # fmt: skip
COUNTS = {
    "ehpad": 14, "laboratoire": 10, "pharmacie": 24, "clinique": 8, "hopital": 8, "ssr": 7, "ssiad": 8,
    "entreprise": 60, "ecole": 18, "association": 8, "ambulance": 8, "mutuelle": 9, "cabinet": 10,
}  # fmt: skip


def establishments(rng: random.Random, country: Country) -> dict[str, tuple[Establishment, ...]]:
    """Draw every organisation around the hospital, by kind."""
    return {kind: tuple(_one(rng, country, kind) for _ in range(count)) for kind, count in COUNTS.items()}


def _one(rng: random.Random, country: Country, kind: str) -> Establishment:
    place = country.near(rng) if rng.random() < 0.7 else country.town
    template = rng.choice(_NAMES[kind])
    # "CH de Le Mans" is not French: for a commune with an article, another template is drawn.
    while "{t}" in template and place.name.startswith(("Le ", "La ", "Les ", "L'")):
        template = rng.choice(_NAMES[kind])
    name = template.format(n=names.surname(rng), m=names.surname(rng), s=rng.choice(_POETIC), t=place.name)
    if place.name[0] in "AEIOUYÉÈÎ":
        name = name.replace(f"de {place.name}", f"d'{place.name}")
    return Establishment(
        kind,
        name,
        place,
        address(rng, place),
        identifiers.landline(rng, place.department),
        f"{place.department[:2]}{identifiers.digits(rng, 7)}",
    )
