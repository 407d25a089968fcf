"""Parts of several kinds of document: titles, sections, lists, tables of results."""

from __future__ import annotations

from collections.abc import Sequence

from deid.domain.labels import Label
from demo.hospital.model import Professional
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece, capitalised, upper
from demo.hospital.prose.library import Section
from demo.hospital.prose.scene import DocumentScene, is_doctor, place_pieces
from demo.hospital.prose.slots_people import FEMININE, surname_case
from demo.hospital.prose.slots_values import nir_form, phone_form
from demo.hospital.rendering import GAP, Block, Role, lines_block, table, text_block
from demo.hospital.staff import BY_CODE

HEADINGS: dict[str, tuple[str, ...]] = {
    "motif": ("Motif d'hospitalisation", "Motif", "Motif de prise en charge", "Pourquoi {pt} est venu{e}"),
    "motif_cs": ("Motif de consultation", "Motif", "Demande"),
    "atcd": ("Antécédents", "Antécédents médicaux et chirurgicaux", "ATCD", "Terrain", "Ce que l'on sait"),
    "famille": ("Antécédents familiaux", "Histoire familiale", "Familiaux"),
    "vie": ("Mode de vie", "Contexte social", "Habitus, mode de vie", "Situation"),
    "hdm": ("Histoire de la maladie", "Histoire récente", "HDM", "Anamnèse"),
    "examen": ("Examen clinique", "Examen à l'entrée", "Clinique", "Examen"),
    "bio": ("Biologie", "Examens biologiques", "Bilan biologique", "Résultats"),
    "imagerie": ("Imagerie", "Examens complémentaires", "Explorations"),
    "evolution": ("Évolution", "Évolution dans le service", "Prise en charge", "Au total, pendant le séjour"),
    "traitement": ("Traitement de sortie", "Ordonnance de sortie", "Traitement", "Traitement à poursuivre"),
    "entree": ("Traitement à l'entrée", "Traitement habituel", "Traitement au domicile"),
    "suite": ("Suites à donner", "Conduite à tenir", "Suivi", "Projet", "Rendez-vous"),
    "conclusion": ("Conclusion", "Au total", "Synthèse", "Diagnostic retenu"),
    "allergies": ("Allergies", "Allergie"),
    "devenir": ("Devenir", "Sortie", "Organisation de la sortie", "Environnement"),
}


def heading(scene: DocumentScene, key: str) -> Block:
    """The title of a section, in one of its wordings."""
    return text_block(Role.HEADING, capitalised(scene.write(scene.rng.choice(HEADINGS[key]))))


def paragraph(scene: DocumentScene, templates: Sequence[str]) -> list[Block]:
    """Sentences joined into one paragraph, or two when there are many."""
    if not templates:
        return []
    written = [capitalised(scene.write(template)) for template in templates]
    cut = len(written) // 2 if len(written) > 4 and scene.rng.random() < 0.5 else len(written)
    blocks = []
    for part in (written[:cut], written[cut:]):
        joined: list[Piece] = []
        for sentence in part:
            joined += [Piece(" "), *sentence] if joined else sentence
        if joined:
            blocks.append(text_block(Role.PARAGRAPH, joined))
    return blocks


def items(scene: DocumentScene, templates: Sequence[str]) -> list[Block]:
    """One list item per template, or one run-on line."""
    written = [scene.write(template) for template in templates]
    written = [without_stop(line) for line in written] if scene.rng.random() < 0.7 else written
    if len(written) > 1 and scene.rng.random() < 0.25:
        joined: list[Piece] = []
        for line in map(without_stop, written):
            joined += (
                [Piece(scene.memory.setdefault("comma", scene.rng.choice((", ", " ; ", ". ", " - ")))), *line]
                if joined
                else line
            )
        return [text_block(Role.PARAGRAPH, [*capitalised(joined), Piece(".")])]
    return [lines_block(Role.ITEM, written)]


def without_stop(pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces without the full stop at the end."""
    if not pieces or pieces[-1].label is not None:
        return list(pieces)
    last = pieces[-1].text.removesuffix(".")
    return [*pieces[:-1], Piece(last)] if last else list(pieces[:-1])


TOLD = ("outremer", "etranger", "homonyme", "commune_deleguee", "parente")
TOLD_SHARE = 0.6
SIGNED_SHARE = 0.15


def circumstances(scene: DocumentScene) -> list[str]:
    """Pick lines on what is rare in this patient (home, relatives, nickname), now and then a signature by initials."""
    patient, rng = scene.patient, scene.rng
    known = [name for name in TOLD if name in patient.traits] + (["surnom"] if patient.nickname else [])
    told = [scene.common(name).pick(rng) for name in known if rng.random() < TOLD_SHARE]
    return [*told, scene.common("initiales").pick(rng)] if rng.random() < SIGNED_SHARE else told


def section(
    scene: DocumentScene, key: str, lines: Section, pool: tuple[int, int] = (2, 4), *, listed: bool = False
) -> list[Block]:
    """Write heading and body of a section; nothing for an empty section."""
    drawn = lines.draw(scene.rng, pool=pool)
    if not drawn:
        return []
    body = items(scene, drawn) if listed else paragraph(scene, drawn)
    return [heading(scene, key), *body]


def lab_table(scene: DocumentScene, lines: Section, *, previous: bool = False) -> Block:
    """Results as a table: analysis, value, unit, reference and perhaps an earlier value."""
    head = ["Analyse", "Résultat", "Unité", "Référence"] + (["Antériorité"] if previous else [])
    rows: list[list[list[Piece]]] = [[[Piece(word)] for word in head]]
    for _, line in lines.lines:
        name, unit, reference, span = (part.strip() for part in line.split("|"))
        row = [[Piece(name)], [Piece(_value(scene, span))], [Piece(unit)], [Piece(reference)]]
        if previous:
            row.append([Piece(_value(scene, span))])
        rows.append(row)
    return table(rows)


def _value(scene: DocumentScene, span: str) -> str:
    low, _, high = span.partition("-")
    if not high:
        return span
    if "," in low:
        return scene.write(f"{{f:{span}}}")[0].text
    first, last = int(low), int(high)
    if last < 40:
        decimals = scene.rng.choice((1, 2))
        return f"{scene.rng.randint(first * 100, last * 100 + 99) / 100:.{decimals}f}".replace(".", ",")
    return str(scene.rng.randint(first, last))


def title(scene: DocumentScene, words: Sequence[str]) -> Block:
    """The title of the document, often in capitals."""
    text = scene.rng.choice(words)
    written = scene.write(text)
    return text_block(Role.TITLE, upper(written) if scene.rng.random() < 0.5 else written)


def drugs(scene: DocumentScene, general: tuple[int, int]) -> list[str]:
    """Lines of treatment: the disease's, then `general` usual ones of another substance."""
    own = scene.section("traitement").draw(scene.rng, pool=(2, 6))
    names = {line.split()[0].lower() for line in own}
    usual = [] if scene.child else scene.common("traitement_general").draw(scene.rng, pool=general)
    return own + [line for line in usual if line.split()[0].lower() not in names]


# Parts around the text: letterhead, date, addressee, signature, small print.
def letterhead(scene: DocumentScene) -> list[Block]:
    """The head of the paper: hospital, service, team, phones; several layouts."""
    rng, setting, service = scene.rng, scene.setting, BY_CODE[scene.author.service or scene.stay.service_code]
    # The general name of the hospital, or one of its sites.
    site = rng.choice(setting.sites)
    name = [Piece(rng.choice((setting.name, setting.name.upper())), Label.ORG)]
    address = [
        Piece(setting.street, Label.STREET),
        Piece(rng.choice((", ", " – ", " "))),
        *place_pieces(setting.country.town),
    ]
    phones = scene.write("[Tél.|Tél :|T.|Secrétariat :|☎] {tel}[|  [Fax|Télécopie :|F.] {tel}]")
    mail = scene.write("[|Courriel : |Mél. ]{mailservice}")
    lines = [name]
    if rng.random() < 0.5:
        lines.append([Piece(site, Label.ORG)])
    lines.append(
        [
            Piece(
                rng.choice(
                    (
                        service.name,
                        service.name.upper(),
                        f"Service {elided('de', service.name.lower())}",
                        f"PÔLE – {service.name}",
                    )
                )
            )
        ]
    )
    if rng.random() < 0.75:
        lines.append(address)
    lines.append(phones)
    if rng.random() < 0.5:
        lines.append(mail)
    if rng.random() < 0.25:
        lines.append(scene.write("[Site : |]{site}"))
    if rng.random() < 0.2:
        lines.append([Piece("FINESS "), Piece(setting.finess, Label.RPPS)])
    team = _team(scene)
    if team and rng.random() < 0.35:
        return [Block(Role.LETTERHEAD, ((_stack(lines), _stack(team)),)), GAP]
    return [lines_block(Role.LETTERHEAD, [*lines, *team]), GAP]


def _stack(lines: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Lines in one cell; the line breaks are pieces of their own."""
    cell: list[Piece] = []
    for line in lines:
        cell += [Piece("\n"), *line] if cell else line
    return cell


def _team(scene: DocumentScene) -> list[list[Piece]]:
    """The doctors of the service in the margin, on most letters."""
    rng = scene.rng
    if rng.random() < 0.4:
        return []
    doctors = [one for one in scene.team(scene.author.service or None) if is_doctor(one)][: rng.randint(2, 6)]
    lines = []
    for index, one in enumerate(doctors):
        title = "Pr" if one.role == "PU-PH" else "Dr"
        name = f"{one.first_name if rng.random() < 0.7 else one.first_name[0] + '.'} {one.last_name.upper()}"
        line = [Piece(f"{title} "), Piece(name, Label.DOCTOR)]
        if index == 0 and rng.random() < 0.7:
            line = [Piece("Chef de service : " if one.sex == "M" else "Cheffe de service : "), *line]
        if rng.random() < 0.25:
            line += [Piece("  RPPS "), Piece(one.rpps, Label.RPPS)]
        elif rng.random() < 0.2:
            line += [Piece(rng.choice((" – poste ", " (DECT ")))]
            line += [Piece(one.extension, Label.PHONE), Piece(")" if "(" in line[-1].text else "")]
        lines.append(line)
    return lines


def dateline(scene: DocumentScene) -> Block:
    """ "Angers, le 16 mars 2023"."""
    template = scene.rng.choice(
        (
            "{chu}, le {dl:doc}",
            "{chu}, le {dl:doc}",
            "Le {dl:doc}",
            "{dl:doc}",
            "À {chu}, le {dl:doc}",
            "Fait le {D:doc} à {chu}",
        )
    )
    return text_block(Role.ADDRESSEE, scene.write(template))


def addressee(scene: DocumentScene) -> list[Block]:
    """Write the addressee: the physician with an address."""
    rng, to = scene.rng, scene.recipient or scene.patient.physician
    name = [
        Piece(rng.choice(("Docteur ", "Dr ", "Au Docteur ", "À l'attention du Dr "))),
        Piece(f"{to.first_name} {surname_case(scene, to.last_name)}", Label.DOCTOR),
    ]
    lines = [name]
    if rng.random() < 0.75:
        lines.append([Piece(to.street, Label.STREET)])
    lines.append(place_pieces(to.place))
    return [lines_block(Role.ADDRESSEE, lines), GAP]


def signature(scene: DocumentScene) -> list[Block]:
    """Write the signatory, with the lines under a signature."""
    rng, author = scene.rng, scene.author
    lines = [_signer(scene, author)]
    if is_doctor(author) and rng.random() < 0.3:
        second = scene.colleague("médecin", author.service)
        lines[0] = [*lines[0], Piece("          "), *_signer(scene, second)]
    if rng.random() < 0.4:
        role = FEMININE.get(author.role, author.role) if author.sex == "F" else author.role
        specialist = BY_CODE[author.service].specialist if is_doctor(author) else role
        lines.append([Piece(specialist.capitalize())])
    if is_doctor(author) and rng.random() < 0.35:
        lines.append([Piece("RPPS : "), *scene.write("{rpps}")])
    if rng.random() < 0.3:
        lines.append(scene.write("{initiales}[| – le {D:doc+0..2}]"))
    if rng.random() < 0.15:
        lines.append([Piece(author.email, Label.EMAIL)])
    return [GAP, lines_block(Role.SIGNATURE, lines)]


def _signer(scene: DocumentScene, person: Professional) -> list[Piece]:
    rng = scene.rng
    title = (
        "" if not is_doctor(person) else ("Pr " if person.role == "PU-PH" else rng.choice(("Dr ", "Dr ", "Docteur ")))
    )
    first = person.first_name if rng.random() < 0.75 else person.first_name[0] + "."
    name = f"{first} {rng.choice((person.last_name.upper(), person.last_name))}"
    return [Piece(title), Piece(name, Label.DOCTOR)]


def footer(scene: DocumentScene) -> list[Block]:
    """Copies and small print."""
    rng = scene.rng
    blocks = []
    if rng.random() < 0.5:
        blocks.append(text_block(Role.FOOTER, scene.write("{use:copie}")))
    if rng.random() < 0.6:
        blocks.append(text_block(Role.FOOTER, scene.write("{use:pied}")))
    if rng.random() < 0.15:
        blocks.append(text_block(Role.FOOTER, scene.write("{nomcomplet} – {ipp} – page {n:1-3}/3")))
    return blocks


def elided(preposition: str, word: str) -> str:
    """Return "de cardiologie", "d'urologie"."""
    return f"{preposition[:-1]}'{word}" if word[0] in "aeiouhé" else f"{preposition} {word}"


# Identity of the patient at the head of a document: a line, some lines, a form.
def identity(scene: DocumentScene) -> list[Block]:
    """Write the patient's identity: a line, a few lines, or a form."""
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
