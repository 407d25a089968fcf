"""Slots of numbers, sides and phrases."""

from __future__ import annotations

from collections.abc import Iterable

from demo.hospital.prose.grammar import Piece, expand
from demo.hospital.prose.scene import DocumentScene, bare_slot, one, slot


@slot("n")
def _integer(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{n:10-200/5}": an integer, here a multiple of five."""
    bounds, _, step = argument.partition("/")
    low, _, high = bounds.partition("-")
    return one(str(scene.rng.randrange(int(low), int(high) + 1, int(step or 1))))


@slot("f")
def _decimal(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{f:1,2-3,4}": a decimal with the precision of its bounds."""
    low, _, high = argument.partition("-")
    places = len(low.partition(",")[2])
    scale = 10**places
    first, last = (round(float(bound.replace(",", ".")) * scale) for bound in (low, high))
    return one(f"{scene.rng.randint(first, last) / scale:.{places}f}".replace(".", ","))


def remembered(scene: DocumentScene, key: str, *choices: str) -> str:
    """A choice made once per stay: the same side on every document."""
    return choices[sum(map(ord, scene.stay.stay_id + key)) % len(choices)]


@bare_slot("cote")
def _side(scene: DocumentScene) -> Iterable[Piece]:
    return one(remembered(scene, "side", "droit", "gauche"))


@bare_slot("cotee")
def _side_feminine(scene: DocumentScene) -> Iterable[Piece]:
    return one({"droit": "droite", "gauche": "gauche"}[remembered(scene, "side", "droit", "gauche")])


@slot("fixe")
def _fixed_choice(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{fixe:key|a|b}": one of several, the same in all documents of the stay."""
    key, *choices = argument.split("|")
    return expand(remembered(scene, key, *choices), scene)


@slot("use")
def _phrase(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """A phrase of a common section."""
    return expand(scene.common(argument).pick(scene.rng), scene)


@bare_slot("motif")
def _reason(scene: DocumentScene) -> Iterable[Piece]:
    """Why the patient came: the same words for the whole stay."""
    reasons = scene.section("motif").lines
    return expand(remembered(scene, "motif", *(text for _, text in reasons)), scene)


@bare_slot("acte")
def _procedure(scene: DocumentScene) -> Iterable[Piece]:
    """What is operated: the title of the pathology's operation, else "une endoscopie"."""
    lines = scene.section("operation").lines
    if not lines:
        return one(scene.rng.choice(("une endoscopie sous anesthésie", "un geste de radiologie interventionnelle")))
    pieces = expand(lines[0][1], scene)
    return [Piece(pieces[0].text[0].lower() + pieces[0].text[1:], pieces[0].label), *pieces[1:]]


def build(scene: DocumentScene) -> tuple[float, int]:
    """Weight (kg) and height (cm) of the patient, the same in every document of a year of age."""
    patient, age = scene.patient, scene.age
    drift = sum(map(ord, patient.patient_id + patient.birth_name))
    if age < GROWN:
        height = 52 + 23 * min(1, age + 0.4 if age < 1 else 1) + 6.2 * max(0, age - 1) + drift % 7 - 3
        return 3.4 + 5.6 * min(1, 0.5 if age < 1 else 1) + 2.6 * max(0, age - 1) + drift % 5 * 0.4, round(height)
    tall = (168 if patient.sex == "M" else 156) + drift % 19 - (3 if age > ELDERLY else 0)
    return (19 + drift % 17) * (tall / 100) ** 2 + drift % 10 / 10, tall


GROWN = 16
ELDERLY = 75


@bare_slot("poids")
def _weight(scene: DocumentScene) -> Iterable[Piece]:
    return one(f"{build(scene)[0]:.1f}".replace(".", ","))


@bare_slot("taille")
def _height(scene: DocumentScene) -> Iterable[Piece]:
    return one(str(build(scene)[1]))
