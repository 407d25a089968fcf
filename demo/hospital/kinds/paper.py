"""What stands around the text: letterhead, date, addressee, signature, small print."""

from __future__ import annotations

from collections.abc import Sequence

from deid.domain.labels import Label
from demo.hospital.blocks import GAP, Block, Role, lines_block, text_block
from demo.hospital.model import Professional
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene, is_doctor, place_pieces
from demo.hospital.prose.slots_patient import surname_case
from demo.hospital.prose.slots_staff import FEMININE
from demo.hospital.staff import BY_CODE


def letterhead(scene: DocumentScene) -> list[Block]:
    """The head of the paper: hospital, service, team, phones; several layouts."""
    rng, world, service = scene.rng, scene.world, BY_CODE[scene.author.service or scene.stay.service_code]
    # The general name of the hospital, or one of its sites.
    site = rng.choice(world.sites)
    name = [Piece(rng.choice((world.name, world.name.upper())), Label.ORG)]
    address = [
        Piece(world.street, Label.STREET),
        Piece(rng.choice((", ", " – ", " "))),
        *place_pieces(world.country.town),
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
        lines.append([Piece("FINESS "), Piece(world.finess, Label.RPPS)])
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
    """To whom the letter goes: the physician with an address."""
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
    """Who signs, with what stands under a signature."""
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
    """ "de cardiologie", "d'urologie"."""
    return f"{preposition[:-1]}'{word}" if word[0] in "aeiouhé" else f"{preposition} {word}"
