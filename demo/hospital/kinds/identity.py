"""Who the patient is, as the head of a document says it: a line, some lines, a form."""

from __future__ import annotations

from deid.domain.labels import Label
from demo.hospital.blocks import GAP, Block, Role, lines_block, table
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.prose.slots_numbers import nir_form, phone_form
from demo.hospital.prose.slots_patient import surname_case


def identity(scene: DocumentScene) -> list[Block]:
    """Who the patient is: a line, a few lines, or a form."""
    rng = scene.rng
    shapes = (_identity_line, _identity_line, _identity_lines, _identity_form, _identity_form)
    return [*rng.choice(shapes)(scene), GAP]


def _identity_line(scene: DocumentScene) -> list[Block]:
    template = scene.rng.choice(
        (
            "[Objet|Concerne|Réf.|Patient{e}] : {nomcomplet}, {mf:né|née} le "
            "{D:birth}[| – IPP {ipp}| ({age})| – dossier {nda}]",
            "{nomcomplet} ({D:birth}) – IPP {ipp} – [séjour|NDA|venue] {nda}",
            "[Objet|Re] : {nomcomplet}, {adresse}",
            "N/Réf. : {initiales}[ – séjour {nda}|]\n[Concerne|Objet] : {nomcomplet}, "
            "{mf:né|née} le {D:birth} à~{naissance}",
            "{nomcomplet}, {mf:né|née} le {dl:birth}, demeurant {adresse}. [NIR|N° SS|Sécu] {nir}",
        )
    )
    lines = template.split("\n")
    return [lines_block(Role.LINE, [scene.write(line) for line in lines])]


def _identity_lines(scene: DocumentScene) -> list[Block]:
    patient, rng = scene.patient, scene.rng
    lines = [
        scene.write("[Patient : |Concerne : |]{nomcomplet}"),
        scene.write("{mf:Né|Née} le {D:birth}[| à~{naissance}]  [Sexe : {mf:M|F}|]"),
    ]
    optional = (
        "{adresse}",
        "[Tél. |Portable : ]{portable}[| / {fixe_tel}]",
        "IPP : {ipp}",
        "[N° de séjour|NDA|IEP] : {nda}",
        "[NIR|N° SS] : {nir}",
        "{mail}",
    )
    lines += [scene.write(line) for line in optional if rng.random() < 0.55]
    if patient.birth_name != patient.last_name and rng.random() < 0.6:
        lines.insert(1, [Piece("Nom de naissance : "), Piece(surname_case(scene, patient.birth_name), Label.PATIENT)])
    return [lines_block(Role.LINE, lines)]


def _identity_form(scene: DocumentScene) -> list[Block]:
    patient, rng = scene.patient, scene.rng
    fields: list[tuple[str, list[Piece]]] = [
        (rng.choice(("Nom", "NOM", "Nom d'usage")), [Piece(patient.last_name.upper(), Label.PATIENT)]),
        ("Prénom", [Piece(patient.first_names[0], Label.PATIENT)]),
        ("Né(e) le", [Piece(dates.full(patient.birth_date, scene.date_form), Label.DATE)]),
        ("Sexe", [Piece(patient.sex)]),
        ("IPP", [Piece(patient.ipp, Label.IPP)]),
        (rng.choice(("N° séjour", "NDA", "N° dossier", "Venue")), [Piece(scene.stay.nda, Label.NDA)]),
    ]
    extra: list[tuple[str, list[Piece]]] = [
        ("Nom de naissance", [Piece(patient.birth_name.upper(), Label.PATIENT)]),
        ("Adresse", scene.write("{adresse}")),
        ("Téléphone", [Piece(phone_form(scene, patient.mobile), Label.PHONE)]),
        ("Courriel", [Piece(patient.email, Label.EMAIL)]),
        ("N° sécurité sociale", [Piece(nir_form(scene), Label.NIR)]),
        ("Âge", scene.write("{age}")),
        ("Médecin traitant", scene.write("{gp}")),
        ("Date d'entrée", scene.write("{D:adm}")),
        ("Personne à prévenir", scene.write("{proche_tel}")),
        ("Lieu de naissance", scene.write("{naissance}")),
    ]
    fields += [field for field in extra if rng.random() < 0.45]
    if rng.random() < 0.4:
        fields = fields[:2] + sorted(fields[2:], key=lambda _: rng.random())
    cells = [[[Piece(f"{name} :")], value] for name, value in fields]
    if rng.random() < 0.5:
        paired = [
            [*cells[index], *(cells[index + 1] if index + 1 < len(cells) else [])] for index in range(0, len(cells), 2)
        ]
        return [table(paired)]
    return [table(cells)]
