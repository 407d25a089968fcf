"""Prescriptions, certificates and the letters of the social service."""

from __future__ import annotations

from demo.hospital.kinds import parts
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.rendering import GAP, Block, Role, lines_block, text_block

PATIENT_SIGNS = 0.3


def prescription(scene: DocumentScene) -> list[Block]:
    """A prescription: short head, drugs, advice."""
    rng = scene.rng
    blocks = [
        *parts.letterhead(scene),
        parts.title(scene, ("Ordonnance", "Ordonnance de sortie", "Prescription médicale n° {id:ordonnance}")),
    ]
    blocks += [parts.dateline(scene)]
    line = (
        "{nomcomplet}, [{age}|{mf:né|née} le {D:birth}][, {n:4-98} kg|]"
        if scene.age < 15
        else "{nomcomplet}, [{age}|{mf:né|née} le {D:birth}][ – {adresse}|][ – NIR {nir}|]"
    )
    blocks += [text_block(Role.LINE, scene.write(line)), GAP]
    drugs = parts.drugs(scene, (0, 4))
    numbered = rng.random() < 0.4
    written = [scene.write(f"{index}. {drug}" if numbered else drug) for index, drug in enumerate(drugs, 1)]
    blocks.append(lines_block(Role.LINE if numbered else Role.ITEM, written))
    blocks += [text_block(Role.LINE, scene.write("{use:ordo_conseil}")) for _ in range(rng.randint(1, 3))]
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]


def certificate(scene: DocumentScene) -> list[Block]:
    """A medical certificate."""
    blocks = [
        *parts.letterhead(scene),
        parts.title(scene, ("Certificat médical", "Attestation", "Certificat de présence")),
    ]
    blocks += parts.paragraph(scene, ["{use:certif}"])
    if scene.rng.random() < 0.4:
        blocks += parts.paragraph(
            scene,
            [
                "[Employeur : {org:entreprise}.|Assuré{e} : {nir}.|Mutuelle : "
                "{org:mutuelle}, n° {id:adherent}.|Accident déclaré sous le n° {id:dossier}.]"
            ],
        )
    blocks += parts.paragraph(
        scene,
        [
            "[Certificat remis en main propre|Fait pour servir et valoir ce que de "
            "droit|Établi à la demande du patient et remis en main propre], le {D:doc}."
        ],
    )
    if not scene.child and scene.rng.random() < PATIENT_SIGNS:
        blocks.append(text_block(Role.LINE, scene.write("Signature {mf:du patient|de la patiente} : {sigles}")))
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]


def social(scene: DocumentScene) -> list[Block]:
    """A report of the social worker, or a letter to an institution."""
    rng = scene.rng
    blocks = parts.letterhead(scene)
    letter = rng.random() < 0.4
    if letter:
        blocks += [
            parts.dateline(scene),
            lines_block(
                Role.ADDRESSEE,
                [
                    scene.write("[À l'attention de la direction|Service des admissions|Mme la directrice]"),
                    scene.write("{org:ehpad}"),
                    scene.write("{rue}"),
                    scene.write("{ville}"),
                ],
            ),
            GAP,
        ]
    else:
        blocks.append(
            parts.title(
                scene, ("Rapport social", "Évaluation sociale", "Note de situation – confidentiel", "Enquête sociale")
            )
        )
    blocks += parts.identity(scene)
    if letter:
        blocks.append(text_block(Role.PARAGRAPH, [Piece("Madame, Monsieur,")]))
    blocks += parts.paragraph(scene, ["{use:social_motif}", *scene.common("social_recit").draw(rng, pool=(4, 8))])
    blocks += parts.paragraph(scene, parts.circumstances(scene))
    if rng.random() < 0.5:
        blocks += parts.paragraph(scene, [scene.common("relation").pick(rng)])
    blocks += parts.section(scene, "suite", scene.common("social_plan"), (2, 4), listed=True)
    closing = [
        "Je vous remercie de l'attention portée à cette demande.",
        "Je reste joignable au {tel}, poste {poste}.",
        "Je reste à votre disposition ({mailservice}).",
    ]
    blocks += parts.paragraph(scene, [rng.choice(closing)])
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]
