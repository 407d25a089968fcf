"""The country around the hospital: its town, the communes its patients live in, and their streets."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from deid.reference.packaged import packaged_rows
from demo.hospital import identifiers, names
from demo.hospital.model import Establishment, Place

MAINLAND_LIMIT = "96"  # departments beyond are overseas
TOWN_POPULATION = (80_000, 320_000)
CATCHMENT_KM = 75.0
EARTH_KM_PER_DEGREE = 111.2
FOUNDED = 1960  # birth of those whose name a firm bears
MANY = 5  # communes of one name, from which it is a homonym


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

    def near_among(self, rng: random.Random, fits: Callable[[Place], bool]) -> Place:
        """Draw a commune of the catchment area that `fits`; any one where none does."""
        able = [(place, weight) for place, weight in zip(self._near, self._weights, strict=True) if fits(place)]
        return rng.choices(*zip(*able, strict=True))[0] if able else self.near(rng)

    def far(self, rng: random.Random) -> Place:
        """Any French commune of some size."""
        return rng.choice(self._far)


@cache
def homonyms() -> frozenset[str]:
    """Names that five communes or more bear."""
    borne = Counter(commune.place.name for commune in _communes())
    return frozenset(name for name, number in borne.items() if number >= MANY)


@cache
def by_insee() -> Mapping[str, Place]:
    """INSEE code → commune of today."""
    return {commune.place.insee: commune.place for commune in _communes()}


@cache
def former_names() -> Mapping[str, Sequence[str]]:
    """INSEE code of a commune of today → names of its former communes, which no longer exist."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in packaged_rows("former_communes"):
        if row["insee"] in by_insee() and row["name"] != by_insee()[row["insee"]].name:
            found[row["insee"]].append(row["name"])
    return found


@cache
def overseas(department: str) -> tuple[Place, ...]:
    """The communes of an overseas department."""
    return tuple(one for one in by_insee().values() if one.department == department)


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
# Per kind: name templates; {n} and {m} are surnames, {q} somebody's whole name, {t} a commune, {s} the name of a saint
# or a tree, {p} that of someone honoured. An article in small letters goes before the name and is no part of it.
_NAMES: dict[str, tuple[str, ...]] = {
    "ehpad": ("l'EHPAD {s}", "l'EHPAD Résidence {s}", "la Résidence {s}", "l'EHPAD de {t}", "la Maison de retraite {s}",
        "l'EHPAD {p}"),
    "laboratoire": ("le laboratoire {n}", "le Laboratoire Bio-{s}", "le LABM {n}-{m}", "la SELAS Biogroupe {s}",
        "le laboratoire de {t}", "le laboratoire {p}", "Cerballiance {t}", "le laboratoire Inovie {t}"),
    "pharmacie": ("la pharmacie {n}", "la Pharmacie {s}", "la pharmacie de {t}", "la Grande Pharmacie {n}",
        "la pharmacie du Marché"),
    "clinique": ("la clinique {s}", "la Polyclinique {s}", "la Clinique du Parc {n}", "la clinique {n}",
        "l'hôpital privé {s}", "la clinique {p}"),
    "hopital": ("le CH de {t}", "le Centre hospitalier {s}", "l'hôpital de {t}", "le Centre hospitalier {n}",
        "l'hôpital {s}", "le CH {p}", "l'hôpital {p}"),
    "ssr": ("le SMR {s}", "le centre de réadaptation {s}", "le Centre {s}", "le SSR de {t}", "le centre {p}"),
    "ssiad": ("le SSIAD de {t}", "l'ADMR de {t}", "le SSIAD {s}", "l'HAD {s}"),
    "entreprise": (
        "Transports {n}", "{n} & Fils", "la Menuiserie {n}", "le garage {n}", "la Scierie {n} Frères",
        "la SARL {n}-{m}", "{n} Industrie", "Bâti-{n}", "le supermarché {s}", "l'Imprimerie {n}", "la Fonderie de {t}",
        "la Conserverie {n}", "les Ets {n}", "la mairie de {t}", "la Maçonnerie {n}", "la boulangerie {n}",
        "le Cabinet {n} et associés", "La Laiterie {n}", "{q} Coiffure", "l'Étude {q}", "Maison {q}",
    ),
    "ecole": ("l'école {s}", "le collège {s}", "le lycée {s}", "l'école Jules-Ferry", "le collège Jean-Moulin",
        "la crèche {s}", "l'IME {s}", "l'école {p}", "le collège {p}", "le lycée {p}"),
    "association": ("l'UDAF", "l'association {s}", "les Familles Rurales de {t}", "la Croix-Rouge de {t}",
        "l'Amicale laïque de {t}", "le Secours catholique de {t}", "les Restos du Cœur", "l'association {q}",
        "la Fondation {p}"),
    "ambulance": ("Ambulances {n}", "Ambulances {s}", "Taxi {n}", "Ambulances de {t}"),
    "mutuelle": ("la Mutuelle {s}", "la MGEN", "Harmonie Mutuelle", "la MSA", "AG2R La Mondiale", "la Mutuelle {n}",
        "Groupama"),
    "cabinet": ("la Maison de santé {s}", "le Cabinet médical {s}", "le centre de santé {s}", "la MSP de {t}",
        "la Maison de santé {p}"),
    "banque": ("le Crédit Agricole de {t}", "la Caisse d'Épargne", "La Banque Postale", "le Crédit Mutuel de {t}",
        "la Banque Populaire", "la Société Générale", "BNP Paribas", "le Crédit Coopératif"),
    "assureur": ("la MAIF", "la MACIF", "la Matmut", "Allianz", "AXA", "la GMF", "Assurances {n}",
        "le cabinet {n} Assurances"),
    "administration": ("la CPAM de {t}", "la CAF de {t}", "le CCAS de {t}", "le tribunal judiciaire de {t}",
        "la sous-préfecture de {t}", "France Travail {t}", "la trésorerie de {t}", "la mairie de {t}"),
    "transport": ("la SNCF", "la RATP", "Keolis", "Air France", "Transdev", "les Autocars {n}",
        "les Voyages {n}", "Geodis"),
    "armee": ("le 2e régiment étranger d'infanterie", "la base aérienne 125", "le 8e régiment de parachutistes",
        "la caserne {p}", "l'École de gendarmerie de {t}", "le 17e régiment du génie", "la base navale de Toulon"),
}  # fmt: skip
_HONOURED = (
    "Jacques-Prévert", "Albert-Camus", "Georges-Brassens", "Marcel-Pagnol", "Lucie-Aubrac", "Gisèle-Halimi",
    "René-Cassin", "Victor-Schœlcher", "Aimé-Césaire", "Rosa-Parks", "Robert-Debré", "Joséphine-Baker", "Jean-Monnet",
    "Geneviève de Gaulle", "Pierre-Mendès-France", "Maurice-Genevoix", "Françoise-Dolto", "Jean-Baptiste-Clément",
)  # fmt: skip
_POETIC = (
    "Les Tilleuls", "Saint-Roch", "Les Charmettes", "Bellevue", "Saint-Vincent", "Les Magnolias", "La Roseraie",
    "Sainte-Anne", "Les Jardins d'Aurore", "Notre-Dame-de-Bon-Secours", "Les Acacias", "Le Clos Fleuri", "Saint-Martin",
    "La Châtaigneraie", "Les Deux Rives", "Val de Rance", "Le Grand Chêne", "Les Hirondelles", "Saint-Éloi",
    "Beau Soleil",
    "Marie-Curie", "Jean-Jaurès", "Simone-Veil", "Les Primevères", "Pasteur", "Louise-Michel", "Les Capucines",
    "Saint-Joseph", "Les Peupliers", "La Providence", "Ambroise-Paré", "Les Remparts", "Maurice-Ravel",
)  # fmt: skip
_OF_TOWNS = ("hopital", "banque", "administration", "armee")
OF_TOWN = 4_000  # inhabitants from which a commune has these
COUNTS = {
    "ehpad": 14, "laboratoire": 10, "pharmacie": 24, "clinique": 8, "hopital": 8, "ssr": 7, "ssiad": 8,
    "entreprise": 60, "ecole": 18, "association": 8, "ambulance": 8, "mutuelle": 9, "cabinet": 10,
    "banque": 8, "assureur": 8, "administration": 12, "transport": 8, "armee": 6,
}  # fmt: skip


def establishments(rng: random.Random, country: Country) -> dict[str, tuple[Establishment, ...]]:
    """Draw every organisation around the hospital, by kind."""
    return {kind: tuple(_one(rng, country, kind) for _ in range(count)) for kind, count in COUNTS.items()}


def _may_name(kind: str, place: Place) -> bool:
    """Return whether an organisation may bear a commune's name: not "CH de Le Mans", and no bank of a village."""
    bare = not place.name.startswith(("Le ", "La ", "Les ", "L'"))
    return bare and (kind not in _OF_TOWNS or place.population > OF_TOWN)


def _one(rng: random.Random, country: Country, kind: str) -> Establishment:
    place = country.near(rng) if rng.random() < 0.7 else country.town
    template = rng.choice(_NAMES[kind])
    if "{t}" in template and not _may_name(kind, place):
        place = country.near_among(rng, lambda one: _may_name(kind, one))
    whole = f"{names.first_name(rng, rng.choice('MF'), FOUNDED)} {names.surname(rng)}"
    words = {"n": names.surname(rng), "m": names.surname(rng), "q": whole}
    name = template.format(s=rng.choice(_POETIC), t=place.name, p=rng.choice(_HONOURED), **words)
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
