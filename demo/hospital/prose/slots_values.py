"""Slots of identifying numbers, phones, mail and sites."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import inf

from deid.domain.labels import Label
from demo.hospital import identifiers, names
from demo.hospital.model import Establishment
from demo.hospital.places import address, by_insee, territories
from demo.hospital.prose.grammar import Piece, expand
from demo.hospital.prose.scene import DocumentScene, bare_slot, one, place_pieces, slot

_ARTICLE = re.compile(r"(?:la |le |les |l')")
# Shapes of numbers by what they number; # Shapes of numbers by kind; # digit, @ letter.
SHAPES: dict[str, tuple[str, ...]] = {
    "labo": ("########", "@######-####", "##.####.###", "@########", "####-####"),
    "image": ("ACC ##########", "CT#######", "RX######-###", "IRM-##-#####", "@###########"),
    "pot": ("##H#####", "##-@-#####", "##P-##-#####", "H##-#####"),
    "lot": ("@####-@", "#######", "LOT@####", "@@######", "######@"),
    "serie": ("SN ########", "@@@######@", "########-###", "@####-#######"),
    "dossier": ("####/#####", "@@-##-####", "##########", "@###-######"),
    "ordonnance": ("##########", "ORD-########", "### #### ##"),
    "adherent": ("########", "##### ####@", "@@-#####"),
    "pv": ("####/####", "#####/2026", "PV-##-####"),
    "plaque": ("plaque",),
    "iban": ("iban",),
    "ip": ("10.##.1##.##",),
}


def phone_form(scene: DocumentScene, number: str) -> str:
    """A number in pairs, as this document's author punctuates it."""
    mark = scene.memory.setdefault("phones", scene.rng.choice((" ", " ", " ", ".", ".", "-", "")))
    return number.replace(" ", mark)


@bare_slot("tel")
def _phone(scene: DocumentScene) -> Iterable[Piece]:
    return one(phone_form(scene, identifiers.landline(scene.rng, scene.setting.country.town.department)), Label.PHONE)


@bare_slot("portable")
def _mobile(scene: DocumentScene) -> Iterable[Piece]:
    return one(phone_form(scene, scene.patient.mobile), Label.PHONE)


@bare_slot("fixe_tel")
def _home_phone(scene: DocumentScene) -> Iterable[Piece]:
    return one(phone_form(scene, scene.patient.phone), Label.PHONE)


@bare_slot("poste")
def _extension(scene: DocumentScene) -> Iterable[Piece]:
    return one(identifiers.digits(scene.rng, scene.rng.choice((4, 4, 5))), Label.PHONE)


@bare_slot("mail")
def _mail(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.email, Label.EMAIL)


@bare_slot("nir")
def _nir(scene: DocumentScene) -> Iterable[Piece]:
    return one(nir_form(scene), Label.NIR)


def nir_form(scene: DocumentScene) -> str:
    """The patient's NIR in one of its layouts."""
    raw = scene.patient.nir
    parts = (raw[0], raw[1:3], raw[3:5], raw[5:7], raw[7:10], raw[10:13], raw[13:])
    return scene.rng.choice(
        (raw, " ".join(parts), " ".join(parts), " ".join(parts[:-1]) + f" / {parts[-1]}", f"{raw[:13]} {raw[13:]}",
         " ".join(parts[:-1]) + f" clé {parts[-1]}", ".".join(parts[:-1]) + f" {parts[-1]}")
    )  # fmt: skip


@bare_slot("ipp")
def _ipp(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.ipp, Label.IPP)


@bare_slot("nda")
def _nda(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.stay.nda, Label.NDA)


@bare_slot("rpps")
def _rpps(scene: DocumentScene) -> Iterable[Piece]:
    number = scene.author.rpps
    return one(f"{number[:3]} {number[3:7]} {number[7:]}" if scene.rng.random() < 0.12 else number, Label.RPPS)


@slot("id")
def _identifier(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{id:lot}": a number of that kind."""
    shape = scene.rng.choice(SHAPES[argument])
    if shape == "plaque":
        return one(identifiers.plate(scene.rng), Label.ID)
    if shape == "iban":
        return one(identifiers.iban(scene.rng), Label.ID)
    return one(identifiers.code(scene.rng, shape), Label.ID)


@bare_slot("collegue_nom")
def _invented_surname(scene: DocumentScene) -> Iterable[Piece]:
    return one(names.surname(scene.rng), Label.DOCTOR)


@bare_slot("mailservice")
def _service_mail(scene: DocumentScene) -> Iterable[Piece]:
    service = scene.author.service or scene.stay.service_code
    return one(f"secretariat.{service.lower()}@{scene.setting.domain}", Label.EMAIL)


@bare_slot("site")
def _website(scene: DocumentScene) -> Iterable[Piece]:
    stem = f"www.{scene.setting.domain}"
    tail = scene.rng.choice(("", "/rendez-vous", f"/{scene.stay.service_code.lower()}", "/patients"))
    return one(scene.rng.choice(("", "https://")) + stem + tail, Label.URL)


# Slots of places and organisations.
@bare_slot("ville")
def _town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.setting.country.near(scene.rng).name, Label.CITY)


@bare_slot("loin")
def _far_town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.setting.country.far(scene.rng).name, Label.CITY)


@bare_slot("chu")
def _hospital_town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.setting.country.town.name, Label.CITY)


@bare_slot("domicile")
def _home_town(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.place.name, Label.CITY)


@bare_slot("adresse")
def _address(scene: DocumentScene) -> Iterable[Piece]:
    place = scene.patient.place
    gap = scene.rng.choice((", ", " ", " - "))
    return [Piece(scene.patient.address, Label.STREET), Piece(gap), *place_pieces(place)]


@bare_slot("rue")
def _street(scene: DocumentScene) -> Iterable[Piece]:
    return one(address(scene.rng, scene.patient.place), Label.STREET)


# Where a home overseas or abroad is: preposition and name.
_OVERSEAS = {
    "971": ("en ", "Guadeloupe"), "972": ("en ", "Martinique"), "973": ("en ", "Guyane"), "974": ("à ", "La Réunion"),
    "976": ("à ", "Mayotte"),
}  # fmt: skip
_OVERSEAS_HOSPITALS = {
    "971": ("le CHU de la Guadeloupe", "la clinique Les Eaux-Claires", "le centre hospitalier Maurice-Selbonne"),
    "972": ("le CHU de Martinique", "l'hôpital Pierre-Zobda-Quitman", "le centre hospitalier Louis-Domergue"),
    "973": ("le centre hospitalier Andrée-Rosemon", "le CHU de Guyane"),
    "974": ("le CHU de La Réunion", "l'hôpital Félix-Guyon", "le centre hospitalier Gabriel-Martin"),
    "976": ("le centre hospitalier de Mayotte", "le dispensaire de Jacaranda"),
}
_IN_COUNTRY = {"Luxembourg": "au ", "Portugal": "au ", "Maroc": "au "}  # "en " in the others


@bare_slot("outremer")
def _overseas_home(scene: DocumentScene) -> Iterable[Piece]:
    """ "à La Réunion": the overseas department of the patient's home."""
    preposition, name = _OVERSEAS[scene.patient.place.department]
    return [Piece(preposition), Piece(name, Label.LOC)]


@bare_slot("hopital_outremer")
def _overseas_hospital(scene: DocumentScene) -> Iterable[Piece]:
    return organisation_pieces(scene.rng.choice(_OVERSEAS_HOSPITALS[scene.patient.place.department]))


@bare_slot("pays_domicile")
def _home_country(scene: DocumentScene) -> Iterable[Piece]:
    """ "en Belgique": the country of a home abroad."""
    country = scene.patient.place.country
    return [Piece(_IN_COUNTRY.get(country, "en ")), Piece(country, Label.LOC)]


@bare_slot("departement")
def _home_department(scene: DocumentScene) -> Iterable[Piece]:
    return one(dict(territories("department"))[scene.patient.place.department], Label.LOC)


@bare_slot("code_postal")
def _home_code(scene: DocumentScene) -> Iterable[Piece]:
    return one(scene.patient.place.zip, Label.ZIP)


@bare_slot("commune_nouvelle")
def _commune_of_today(scene: DocumentScene) -> Iterable[Piece]:
    """The commune that the one of the patient's home is part of."""
    return one(by_insee()[scene.patient.place.insee].name, Label.CITY)


@bare_slot("pays")
def _country(scene: DocumentScene) -> Iterable[Piece]:
    names_ = ("Maroc", "Portugal", "Sénégal", "Vietnam", "Canada", "Mexique", "Japon", "Brésil", "Viêt Nam", "Pérou")
    return one(scene.rng.choice(names_), Label.LOC)


@bare_slot("region")
def _region(scene: DocumentScene) -> Iterable[Piece]:
    pool = territories("department") if scene.rng.random() < 0.7 else territories("region")
    return one(scene.rng.choice(pool)[1], Label.LOC)


@bare_slot("naissance")
def _birth_place(scene: DocumentScene) -> Iterable[Piece]:
    pieces = [Piece(scene.patient.birth_place, Label.CITY)]
    if scene.patient.birth_country:
        pieces += [Piece(" ("), Piece(scene.patient.birth_country, Label.LOC), Piece(")")]
    return pieces


def _organisation(scene: DocumentScene, kind: str) -> Establishment:
    fixed = {
        "pharmacie": scene.patient.pharmacy,
        "laboratoire": scene.patient.laboratory,
        "entreprise": scene.patient.employer,
    }
    if kind in fixed:
        return fixed[kind]
    # The same care home or school for one patient in every document.
    pool = scene.setting.around[kind]
    return pool[(int(scene.patient.ipp) + len(kind)) % len(pool)]


@slot("org")
def _named(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{org:ehpad}": the organisation of that kind in this patient's life."""
    return organisation_pieces(_organisation(scene, argument).name)[-1:]


@slot("lorg")
def _named_with_article(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{lorg:banque}": the same with its article, if it has one: "la SNCF"."""
    return organisation_pieces(_organisation(scene, argument).name)


@slot("lorg_autre")
def _other_with_article(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return organisation_pieces(scene.rng.choice(scene.setting.around[argument]).name)


def organisation_pieces(name: str) -> list[Piece]:
    """The name of an organisation, behind its article if it has one."""
    found = _ARTICLE.match(name)
    return [Piece(found[0]), Piece(name[found.end() :], Label.ORG)] if found else one(name, Label.ORG)


@slot("org_autre")
def _other(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    return organisation_pieces(scene.rng.choice(scene.setting.around[argument]).name)[-1:]


@slot("org_tel")
def _named_with_phone(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    found = _organisation(scene, argument)
    return [
        *organisation_pieces(found.name)[-1:],
        Piece(" ("),
        Piece(phone_form(scene, found.phone), Label.PHONE),
        Piece(")"),
    ]


# Slots of numbers, sides and phrases.
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


def choice_of_stay(scene: DocumentScene, key: str, *choices: str) -> str:
    """Return a choice drawn once per stay, such as the side of an operation."""
    return choices[sum(map(ord, scene.stay.stay_id + key)) % len(choices)]


@bare_slot("cote")
def _side(scene: DocumentScene) -> Iterable[Piece]:
    return one(choice_of_stay(scene, "side", "droit", "gauche"))


@bare_slot("cotee")
def _side_feminine(scene: DocumentScene) -> Iterable[Piece]:
    return one({"droit": "droite", "gauche": "gauche"}[choice_of_stay(scene, "side", "droit", "gauche")])


@slot("fixe")
def _fixed_choice(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{fixe:key|a|b}": one of several, the same in all documents of the stay."""
    key, *choices = argument.split("|")
    return expand(choice_of_stay(scene, key, *choices), scene)


@slot("use")
def _phrase(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """A phrase of a common section."""
    return expand(scene.common(argument).pick(scene.rng), scene)


@bare_slot("motif")
def _reason(scene: DocumentScene) -> Iterable[Piece]:
    """Write the reason for the stay, in the same words for the whole stay."""
    reasons = scene.section("motif").lines
    return expand(choice_of_stay(scene, "motif", *(text for _, text in reasons)), scene)


@slot("cim")
def _code(scene: DocumentScene, argument: str) -> Iterable[Piece]:
    """ "{cim:G459<2 Z867}": write nothing, note the ICD-10 code of what was said.

    The first of several whose bound, in years, exceeds the time since the day last told of; "+" joins codes.
    """
    years = (scene.written_on - scene.past).days / 365.25 if scene.past else inf
    for choice in argument.split():
        codes, _, bound = choice.partition("<")
        if not bound or years < float(bound):
            scene.codes.update(dict.fromkeys(codes.split("+")))
            break
    return ()


@bare_slot("acte")
def _procedure(scene: DocumentScene) -> Iterable[Piece]:
    """Name the operation: the title of the pathology's operation, else "une endoscopie"."""
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
