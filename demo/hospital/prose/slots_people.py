"""Slots of the patient: names, pronouns, agreement, age."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deid.domain.labels import Label
from demo.hospital import names
from demo.hospital.model import Professional, Relative
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece, expand
from demo.hospital.prose.scene import DocumentScene, bare_slot, is_doctor, one, slot
from demo.hospital.staff import login


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


def written_whole(scene: DocumentScene, first: str, surname: str, orders: Sequence[str]) -> str:
    """First name and surname in one of `orders` ("{first} {surname}"), the surname first where the family says so."""
    if "surname_first" in scene.patient.traits:
        return f"{surname} {first}"
    return scene.rng.choice(orders).format(first=first, surname=surname)


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
    name = written_whole(scene, first, patient_surname(scene), ("{first} {surname}",))
    return [Piece(civil + " "), Piece(name, Label.PATIENT)]


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
        name = rng.choice((first, written_whole(scene, first, surname, ("{first} {surname}",))))
        return [Piece(rng.choice(lead)), Piece(name, Label.PATIENT)]
    civil = {"F": ("Madame", "Mme"), "M": ("Monsieur", "M.")}[patient.sex]
    full = written_whole(
        scene, first, surname, ("{first} {surname}", "{surname} {first}", "{surname}", "{first} {surname}")
    )
    return [Piece(rng.choice(civil) + " "), Piece(full, Label.PATIENT)]


@bare_slot("prenom")
def _first_name(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.first_names[0], Label.PATIENT)


@bare_slot("surnom")
def _nickname(scene: DocumentScene) -> Iterable[Piece]:
    """The nickname, else the first name."""
    return one(scene.patient.nickname or scene.patient.first_names[0], Label.PATIENT)


@bare_slot("sigles")
def _grouped_initials(scene: DocumentScene) -> Iterable[Piece]:
    """The patient's initials as people sign: "M. D.", "M.D.", "MD", "J.-P. D."."""
    patient = scene.patient
    first = [part[0].upper() for part in patient.first_names[0].replace(" ", "-").split("-") if part]
    last = patient.last_name[0].upper()
    dotted = f"{'.-'.join(first)}."
    return one(scene.rng.choice((f"{dotted} {last}.", f"{dotted}{last}.", f"{''.join(first)}{last}")), Label.PATIENT)


@bare_slot("compte")
def _account(scene: DocumentScene) -> Iterable[Piece]:
    """A login made of the patient's name."""
    patient = scene.patient
    name = login(patient.first_names[0], patient.last_name)
    short = name[0] + name.partition(".")[2]
    return one(scene.rng.choice((name, short, f"{short}{patient.birth_date:%y}")), Label.PATIENT)


@bare_slot("login")
def _author_login(scene: DocumentScene) -> Iterable[Piece]:
    """A login made of the author's name, as software prints it."""
    name = login(scene.author.first_name, scene.author.last_name)
    return one(scene.rng.choice((name, name[0] + name.partition(".")[2])), Label.DOCTOR)


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
    capitals = f"{patient.last_name.upper()} {first}"
    name = rng.choice((written_whole(scene, first, surname, ("{first} {surname}", "{surname} {first}")), capitals))
    pieces = [Piece(civil), Piece(name, Label.PATIENT)]
    if patient.birth_name != patient.last_name and rng.random() < 0.5:
        link = rng.choice((" née ", " née ", " (née ")) if patient.sex == "F" else " né "
        pieces += [Piece(link), Piece(surname_case(scene, patient.birth_name), Label.PATIENT)]
        pieces.append(Piece(")" if "(" in link else ""))
    return pieces


# Slots of the family and of others outside care.
def _relative(scene: DocumentScene, wanted: str) -> Relative:
    groups = {
        "conjoint": ("épouse", "mari", "compagne", "compagnon"),
        "enfant": ("fils", "fille"),
        "parent": ("mère", "père"),
        "fratrie": ("frère", "sœur"),
        "voisin": ("voisin", "voisine"),
    }
    roles = groups.get(wanted, (wanted,)) if wanted else ()
    kin = scene.patient.relatives
    able = [one for one in kin if one.role in roles]
    near = [one for one in kin if one.role not in groups["voisin"]]
    return scene.rng.choice(able or near or list(kin))


def _possessive(relative: Relative) -> str:
    vowel = relative.role[0] in "aeéiouh"
    return "son" if relative.sex == "M" or vowel else "sa"


def relative_name(scene: DocumentScene, relative: Relative) -> list[Piece]:
    """Name a relative: by first name, both names, or civility and surname."""
    rng = scene.rng
    surname = surname_case(scene, relative.last_name)
    draw = rng.random()
    if draw < 0.5 or relative.birth_year > scene.written_on.year - 15:
        return one(relative.first_name, Label.PERSON)
    if draw < 0.7:
        if relative.role.startswith("voisin"):
            return one(f"{relative.first_name} {surname}", Label.PERSON)
        return one(written_whole(scene, relative.first_name, surname, ("{first} {surname}",)), Label.PERSON)
    if draw < 0.9:
        civil = {"F": "Mme", "M": "M."}[relative.sex]
        return [Piece(f"{civil} "), Piece(surname, Label.PERSON)]
    return one(f"{surname} {relative.first_name}", Label.PERSON)


@slot("proche")
def _someone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "sa fille Claire", "son épouse, Mme Dupont": with the possessive."""
    relative = _relative(scene, argument)
    head = f"{_possessive(relative)} {relative.role}"
    name = relative_name(scene, relative)
    if scene.rng.random() < 0.3:
        return [Piece(f"{head} ("), *name, Piece(")")]
    return [Piece(f"{head} "), *name]


@bare_slot("suivi")
def _known_patient(scene: DocumentScene) -> Iterable[Piece]:
    """ "son frère Karim Benali": the relative who is a patient too."""
    relative = scene.patient.relatives[0]
    name = written_whole(scene, relative.first_name, surname_case(scene, relative.last_name), ("{first} {surname}",))
    return [Piece(f"{_possessive(relative)} {relative.role} "), Piece(name, Label.PERSON)]


@slot("proche_nu")
def _bare_relative(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "fille Claire": telegraphic."""
    relative = _relative(scene, argument)
    return [Piece(relative.role + " "), *relative_name(scene, relative)]


@slot("nomproche")
def _relative_alone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return relative_name(scene, _relative(scene, argument))


@slot("proche_tel")
def _relative_and_phone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    relative = _relative(scene, argument)
    name = f"{surname_case(scene, relative.last_name)} {relative.first_name}"
    return [Piece(name, Label.PERSON), Piece(f" ({relative.role}), "), Piece(relative.phone, Label.PHONE)]


@slot("proche_age")
def _relative_with_age(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "son fils Paul, 34 ans, mécanicien à Lens"."""
    relative = _relative(scene, argument)
    age = max(1, scene.written_on.year - relative.birth_year - 1)
    pieces = [Piece(f"{_possessive(relative)} {relative.role} "), Piece(relative.first_name, Label.PERSON)]
    pieces += [Piece(", "), Piece(f"{age} ans", Label.AGE)]
    if age > 22 and scene.rng.random() < 0.7:
        job = relative.occupation if age < 63 else "retraité" + ("e" if relative.sex == "F" else "")
        pieces += [Piece(f", {job} à~"), Piece(relative.city.name, Label.CITY)]
    return pieces


@slot("tiers")
def _third_party(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """Someone outside family and care (lawyer, employer, interpreter): surname with civility."""
    sex = scene.rng.choice("MF")
    surname = surname_case(scene, names.surname(scene.rng, names.origin(scene.rng)))
    civil = "Me" if argument == "avocat" else {"F": "Mme", "M": "M."}[sex]
    return [Piece(f"{civil} "), Piece(surname, Label.PERSON)]


@slot("telproche")
def _phone_of_relative(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return one(_relative(scene, argument).phone, Label.PHONE)


# Slots of health professionals.
FEMININE = {
    "IDE": "IDE", "aide-soignant": "aide-soignante", "assistant social": "assistante sociale",
    "psychologue": "psychologue", "diététicien": "diététicienne", "kinésithérapeute": "kinésithérapeute",
    "cadre de santé": "cadre de santé", "secrétaire": "secrétaire", "interne": "interne", "externe": "externe",
    "assistant": "assistante", "chef de clinique": "cheffe de clinique", "médecin": "médecin", "PH": "PH",
    "PU-PH": "PU-PH", "docteur junior": "docteure junior",
}  # fmt: skip


def doctor_name(scene: DocumentScene, person: Professional) -> list[Piece]:
    """ "Dr MARTIN", "Pr Claire Martin", "Dr C. Martin"."""
    rng = scene.rng
    title = "Pr" if person.role == "PU-PH" else rng.choice(("Dr", "Dr", "Dr", "Docteur"))
    surname = surname_case(scene, person.last_name)
    draw = rng.random()
    if draw < 0.55:
        name = surname
    elif draw < 0.8:
        name = f"{person.first_name} {surname}"
    elif draw < 0.93:
        name = f"{person.first_name[0]}. {surname}"
    else:
        name = f"{surname} {person.first_name}"
    return [Piece(f"{title} "), Piece(name, Label.DOCTOR)]


def staff_name(scene: DocumentScene, person: Professional) -> list[Piece]:
    """Name a member of staff: by first name, with an initial, or with civility."""
    if is_doctor(person):
        return doctor_name(scene, person)
    draw = scene.rng.random()
    if draw < 0.35:
        return one(person.first_name, Label.DOCTOR)
    if draw < 0.6:
        return one(f"{person.first_name} {person.last_name[0]}.", Label.DOCTOR)
    if draw < 0.8:
        return one(f"{person.first_name} {surname_case(scene, person.last_name)}", Label.DOCTOR)
    civil = "Mme" if person.sex == "F" else "M."
    return [Piece(f"{civil} "), Piece(surname_case(scene, person.last_name), Label.DOCTOR)]


@slot("dr")
def _doctor(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """A doctor of the service of code `argument`, else a colleague of the author."""
    return doctor_name(scene, scene.colleague("médecin", argument or None))


@slot("ledr")
def _the_doctor(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    pieces = doctor_name(scene, scene.colleague("médecin", argument or None))
    return [Piece("le "), *pieces]


@bare_slot("gp")
def _physician(scene: DocumentScene) -> Iterable[Piece]:
    return doctor_name(scene, scene.patient.physician)


@bare_slot("ville_dr")
def _town_doctor(scene: DocumentScene) -> Iterable[Piece]:
    """A doctor of the town that nobody else names."""
    person = scene.rng.choice(scene.setting.physicians)
    return doctor_name(scene, person)


@slot("staff")
def _colleague(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """A colleague of a role: {staff:IDE}, {staff:assistant social@SOCI}."""
    role, _, service = argument.partition("@")
    return staff_name(scene, scene.colleague(role, service or None))


@bare_slot("nurse")
def _private_nurse(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.nurse, Label.DOCTOR)


@bare_slot("initiales")
def _author_initials(scene: DocumentScene) -> Iterable[Piece]:
    """Marks at the foot: author/typist."""
    author, typist = scene.author, scene.colleague("secrétaire")
    first = "".join(part[0] for part in (author.first_name, author.last_name)).upper()
    second = "".join(part[0] for part in (typist.first_name, typist.last_name)).lower()
    return [Piece(first, Label.DOCTOR), Piece("/"), Piece(second, Label.DOCTOR)]


@bare_slot("ae")
def _author_agreement(scene: DocumentScene) -> Iterable[Piece]:
    return one("e" if scene.author.sex == "F" else "")


@bare_slot("moi")
def _author(scene: DocumentScene) -> Iterable[Piece]:
    author = scene.author
    name = f"{author.first_name} {surname_case(scene, author.last_name)}"
    return [Piece("docteur " if is_doctor(author) else ""), Piece(name, Label.DOCTOR)]
