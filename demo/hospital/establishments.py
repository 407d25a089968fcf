"""Named organisations around the hospital: care homes, laboratories, pharmacies, firms, schools."""

from __future__ import annotations

import random

from demo.hospital import identifiers, names
from demo.hospital.model import Establishment
from demo.hospital.places import Country, address

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
    """Every organisation around, by kind."""
    return {kind: tuple(_one(rng, country, kind) for _ in range(count)) for kind, count in COUNTS.items()}


def _one(rng: random.Random, country: Country, kind: str) -> Establishment:
    place = country.near(rng) if rng.random() < 0.7 else country.town
    template = rng.choice(_NAMES[kind])
    # "CH de Le Mans" is not French: a commune with an article gets a name of its own.
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
