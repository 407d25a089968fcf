"""Slots of the patient: names, pronouns, agreement, age."""

from __future__ import annotations

from collections.abc import Iterable

from deid.domain.labels import Label
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece, expand
from demo.hospital.prose.scene import DocumentScene, bare_slot, one, slot


@bare_slot("e")
def _agreement(scene: DocumentScene) -> Iterable[Piece]:
    return one("e" if scene.patient.sex == "F" else "")


@slot("mf")
def _by_sex(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    male, _, female = argument.partition("|")
    return expand(female if scene.patient.sex == "F" else male, scene)


@bare_slot("il")
def _pronoun(scene: DocumentScene) -> Iterable[Piece]:
    return one("elle" if scene.patient.sex == "F" else "il")


@bare_slot("Il")
def _capital_pronoun(scene: DocumentScene) -> Iterable[Piece]:
    return one("Elle" if scene.patient.sex == "F" else "Il")


def surname_case(scene: DocumentScene, name: str) -> str:
    """A surname in the case that the document's author uses."""
    upper = scene.memory.setdefault("surnames", scene.rng.choice(("upper", "title", "upper", "title", "title")))
    return name.upper() if upper == "upper" else name


def patient_surname(scene: DocumentScene) -> str:
    """The name in use, now and then with the birth name (both, hyphenated) as people write."""
    return surname_case(scene, scene.patient.last_name)


def initials(scene: DocumentScene) -> str:
    """ "D." for Dupont."""
    return f"{scene.patient.last_name[0].upper()}."


def _civil(scene: DocumentScene) -> str:
    if scene.patient.sex == "F":
        return scene.memory.setdefault("madame", scene.rng.choice(("Mme", "Mme", "Madame", "Mme")))
    return scene.memory.setdefault("monsieur", scene.rng.choice(("M.", "Monsieur", "Mr", "M.")))


def _mention(scene: DocumentScene, capital: bool) -> list[Piece]:
    rng, patient = scene.rng, scene.patient
    first = patient.first_names[0]
    if scene.child:
        article = {"F": ("la petite ", "la jeune ", "", ""), "M": ("le petit ", "le jeune ", "", "")}[patient.sex]
        if scene.age < 2 and rng.random() < 0.4:
            return one(
                ("Cet enfant" if capital else "l'enfant")
                if patient.sex == "M"
                else ("Cette enfant" if capital else "l'enfant")
            )
        lead = rng.choice(article)
        lead = lead[:1].upper() + lead[1:] if capital else lead
        return [Piece(lead), Piece(first, Label.PATIENT)]
    draw = rng.random()
    if draw < 0.42:
        noun = {"F": "a patiente", "M": "e patient"}[patient.sex]
        if rng.random() < 0.10:
            noun = {"F": "'intéressée", "M": "'intéressé"}[patient.sex]
        return one(("L" if capital else "l") + noun)
    civil = _civil(scene)
    if draw < 0.84:
        return [Piece(civil + " "), Piece(patient_surname(scene), Label.PATIENT)]
    if draw < 0.92:
        return [Piece(civil + " "), Piece(initials(scene), Label.PATIENT)]
    return [Piece(civil + " "), Piece(f"{first} {patient_surname(scene)}", Label.PATIENT)]


@bare_slot("pt")
def _patient(scene: DocumentScene) -> Iterable[Piece]:
    return _mention(scene, capital=False)


@bare_slot("Pt")
def _capital_patient(scene: DocumentScene) -> Iterable[Piece]:
    return _mention(scene, capital=True)


@bare_slot("Mpt")
def _titled_patient(scene: DocumentScene) -> Iterable[Piece]:
    """Always named, with civility: for openings and headers."""
    patient, rng = scene.patient, scene.rng
    surname = patient_surname(scene)
    first = patient.first_names[0]
    if scene.child:
        lead = {"F": ("la jeune ", "l'enfant ", "la petite "), "M": ("le jeune ", "l'enfant ", "le petit ")}[
            patient.sex
        ]
        return [Piece(rng.choice(lead)), Piece(rng.choice((first, f"{first} {surname}")), Label.PATIENT)]
    civil = {"F": ("Madame", "Mme"), "M": ("Monsieur", "M.")}[patient.sex]
    full = rng.choice((f"{first} {surname}", f"{surname} {first}", surname, f"{first} {surname}"))
    return [Piece(rng.choice(civil) + " "), Piece(full, Label.PATIENT)]


@bare_slot("prenom")
def _first_name(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.first_names[0], Label.PATIENT)


@bare_slot("job")
def _job(scene: DocumentScene) -> Iterable[Piece]:
    job = scene.patient.occupation
    if scene.age < 20:
        return one({"F": "scolarisée", "M": "scolarisé"}[scene.patient.sex])
    if scene.age >= 63:
        return one(f"{'ancienne' if scene.patient.sex == 'F' else 'ancien'} {job}")
    return one(job)


@bare_slot("agepatient")
def _age_in_words(scene: DocumentScene) -> Iterable[Piece]:
    return one(dates.age(scene.rng, scene.patient.birth_date, scene.written_on), Label.AGE)


@bare_slot("nomcomplet")
def _full_name(scene: DocumentScene) -> Iterable[Piece]:
    """The whole name as headers give it: "Mme Claire MARTIN née LEROY", "DUPONT Jean"."""
    rng, patient = scene.rng, scene.patient
    surname = surname_case(scene, patient.last_name)
    first = " ".join(patient.first_names[: rng.choice((1, 1, 1, 2))])
    civil = rng.choice(("", {"F": "Mme ", "M": "M. "}[patient.sex], {"F": "Madame ", "M": "Monsieur "}[patient.sex]))
    if scene.child:
        civil = rng.choice(("", "Enfant "))
    name = rng.choice((f"{first} {surname}", f"{surname} {first}", f"{patient.last_name.upper()} {first}"))
    pieces = [Piece(civil), Piece(name, Label.PATIENT)]
    if patient.birth_name != patient.last_name and rng.random() < 0.5:
        link = rng.choice((" née ", " née ", " (née ")) if patient.sex == "F" else " né "
        pieces += [Piece(link), Piece(surname_case(scene, patient.birth_name), Label.PATIENT)]
        pieces.append(Piece(")" if "(" in link else ""))
    return pieces
