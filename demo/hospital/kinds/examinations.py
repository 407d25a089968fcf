"""Imaging and laboratory reports."""

from __future__ import annotations

from demo.hospital.blocks import Block, Role, text_block
from demo.hospital.kinds import identity, paper, parts
from demo.hospital.prose.grammar import Piece, upper
from demo.hospital.prose.library import Section, read
from demo.hospital.prose.scene import DocumentScene

_PLAIN_FILM = (
    "Radiographie thoracique de face || Incidence debout. || Pas de foyer "
    "parenchymateux. Silhouette cardiaque normale. "
    "Coupoles libres, culs-de-sac pleuraux clairs. || Examen sans anomalie décelable."
)


def imaging(scene: DocumentScene) -> list[Block]:
    """An imaging report: indication, technique, findings, conclusion."""
    rng = scene.rng
    lines = scene.section("imagerie").lines or (("-", _PLAIN_FILM),)
    name, technique, findings, conclusion = (part.strip() for part in rng.choice(lines)[1].split("||"))
    blocks = paper.letterhead(scene)
    if rng.random() < 0.35:
        blocks += [paper.dateline(scene)]
    blocks += identity.identity(scene)
    blocks.append(text_block(Role.TITLE, upper(scene.write(name)) if rng.random() < 0.5 else scene.write(name)))
    meta = [
        "[Examen du|Réalisé le] {D:doc}[ à {h:8-19}|], n° {id:image}.",
        "Prescripteur : {dr:SERVICE}.",
        "[Manipulateur|Manip.] : {staff:IDE@IMAG}.",
        "Appareil n° {id:serie}, mis en service {my:1-6}.",
        "Demande {id:dossier}.",
    ]
    kept = meta[:1] + [line for line in meta[1:] if rng.random() < 0.4]
    blocks += [text_block(Role.LINE, scene.write(line.replace("SERVICE", scene.stay.service_code))) for line in kept]
    indication = (
        "{motif}[ chez {pt}|]. [Antécédents : "
        "{use:atcd_general}.|Comparaison : examen du {d:doc-700..-60}[, {ville}|].|]"
    )
    named = (("Indication", indication), ("Technique", technique), ("Résultats", findings), ("Conclusion", conclusion))
    capitals = rng.random() < 0.5
    for label, content in named:
        if label == "Technique" and rng.random() < 0.2:
            continue
        if rng.random() < 0.75:
            blocks.append(text_block(Role.HEADING, [Piece(label.upper() if capitals else label)]))
            blocks += parts.paragraph(scene, [content])
        else:
            blocks.append(text_block(Role.PARAGRAPH, scene.write(f"{label} : {content}")))
    if rng.random() < 0.3:
        blocks += parts.paragraph(
            scene,
            [
                "[Résultat communiqué par téléphone au|Images relues avec le] {dr:SERVICE} {today}.".replace(
                    "SERVICE", scene.stay.service_code
                )
            ],
        )
    if rng.random() < 0.2:
        blocks.append(text_block(Role.FOOTER, scene.write("Images : {site} – code {id:dossier}")))
    return [*blocks, *paper.signature(scene), *paper.footer(scene)]


def laboratory(scene: DocumentScene) -> list[Block]:
    """A laboratory report: panels as tables, comments, validation."""
    rng = scene.rng
    blocks = [*paper.letterhead(scene), *identity.identity(scene)]
    meta = (
        "[Dossier|Demande|Échantillon] n° {id:labo} – prélevé le {D:doc} à "
        "{h:6-20} par {staff:IDE} – [édité|validé] le {D:doc}"
    )
    blocks.append(text_block(Role.LINE, scene.write(meta)))
    if rng.random() < 0.5:
        blocks.append(
            text_block(Role.LINE, scene.write("Prescripteur : {dr} [– copie : {gp}|– copie : {org:laboratoire}|]"))
        )
    previous = rng.random() < 0.4
    blocks.append(text_block(Role.HEADING, [Piece(rng.choice(("BIOCHIMIE", "Examens demandés", "BIOLOGIE MÉDICALE")))]))
    blocks.append(parts.lab_table(scene, scene.section("bio"), previous=previous))
    panels = read("panels")
    for panel in sorted(rng.sample(sorted(panels), rng.randint(1, 3))):
        blocks.append(text_block(Role.HEADING, [Piece(panel.upper())]))
        blocks.append(parts.lab_table(scene, _some(scene, panels[panel].section("lignes")), previous=previous))
    comments = (
        "[Résultat critique téléphoné|Kaliémie communiquée] à {h:8-19} au {dr} ({staff:IDE}).",
        "Contrôle conseillé {in:2-7 jours}.",
        "DFG estimé selon CKD-EPI 2009 ; formule de Cockcroft non rendue.",
        "Antériorité du {d:doc-300..-20} ({org:laboratoire}).",
        "Échantillon conservé {n:3-7} jours, tube {id:labo}.",
        "Résultats accessibles sur {site}.",
    )
    for comment in rng.sample(comments, rng.randint(0, 3)):
        blocks.append(text_block(Role.LINE, scene.write(comment)))
    blocks.append(
        text_block(
            Role.LINE, scene.write("[Validé|Validation] [biologique |]par {moi}[, biologiste médical|], RPPS {rpps}")
        )
    )
    return [*blocks, *paper.footer(scene)]


def _some(scene: DocumentScene, lines: Section) -> Section:
    count = scene.rng.randint(3, max(3, len(lines.lines)))
    chosen = sorted(scene.rng.sample(range(len(lines.lines)), min(count, len(lines.lines))))
    return Section(tuple(lines.lines[index] for index in chosen))
