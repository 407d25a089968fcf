"""Slots of identifying numbers, phones, mail and sites."""

from __future__ import annotations

from collections.abc import Iterable

from deid.domain.labels import Label
from demo.hospital import identifiers, names
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene, bare_slot, one, slot

# Shapes of numbers by what they number; # digit, @ letter.
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
    return one(phone_form(scene, identifiers.landline(scene.rng, scene.world.country.town.department)), Label.PHONE)


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
    return one(f"secretariat.{service.lower()}@{scene.world.domain}", Label.EMAIL)


@bare_slot("site")
def _website(scene: DocumentScene) -> Iterable[Piece]:
    stem = f"www.{scene.world.domain}"
    tail = scene.rng.choice(("", "/rendez-vous", f"/{scene.stay.service_code.lower()}", "/patients"))
    return one(scene.rng.choice(("", "https://")) + stem + tail, Label.URL)
