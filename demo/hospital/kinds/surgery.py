"""Around an operation: anaesthesia, the operation, pathology, the tumour board."""

from __future__ import annotations

from demo.hospital.blocks import Block, Role, table, text_block
from demo.hospital.kinds import identity, paper, parts
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.library import Section
from demo.hospital.prose.scene import DocumentScene

_GENERIC_PROCEDURE = Section(
    (
        ("-", "Pose de chambre implantable jugulaire {cotee}"),
        ("-", "Anesthésie locale, ponction échoguidée de la veine jugulaire interne {cotee} selon Seldinger."),
        (
            "-",
            "Boîtier sous-claviculaire {cote} (lot {id:lot}, n° {id:serie}), cathéter "
            "à la jonction atrio-cave contrôlé en scopie.",
        ),
        ("?", "Reflux correct, rinçage hépariné, fermeture par surjet intradermique."),
        ("-", "Radiographie de contrôle satisfaisante, pas de pneumothorax."),
    )
)


def operation(scene: DocumentScene) -> list[Block]:
    """An operation report."""
    rng = scene.rng
    lines = scene.section("operation").lines or _GENERIC_PROCEDURE.lines
    blocks = [
        *paper.letterhead(scene),
        parts.title(scene, ("Compte rendu opératoire", "Compte-rendu opératoire du {D:op}", "CRO")),
    ]
    blocks += identity.identity(scene)
    blocks.append(_team_table(scene))
    blocks.append(text_block(Role.HEADING, scene.write(lines[0][1])))
    if rng.random() < 0.7:
        blocks += parts.paragraph(
            scene,
            [
                "[Indication : |]{Mpt}, {age}, [{job}, |]présente {motif}.",
                *scene.section("hdm").draw(rng)[-1:],
            ],
        )
    blocks += parts.paragraph(scene, Section(lines[1:]).draw(rng))
    after = [
        "Retour en [salle de réveil|SSPI] à {h:9-18}, [proches prévenus ({nomproche})|appel à {proche}].",
        "Suites : [lever le soir|antalgiques|perfusion ôtée] {RELDATE=demain matin}, "
        "consultation {in:3-6 semaines} avec {moi}.",
    ]
    blocks += parts.paragraph(scene, after[: rng.randint(0, 2)])
    return [*blocks, *paper.signature(scene), *paper.footer(scene)]


def _team_table(scene: DocumentScene) -> Block:
    rows = [
        ("Opérateur", "{moi}"),
        ("Aide", "{staff:interne}"),
        ("Anesthésiste", "{dr:ANES}"),
        ("IBODE", "{staff:IDE}"),
        ("IADE", "{staff:IDE@ANES}"),
        ("Date", "{D:op}"),
        ("Salle", "{n:1-9}"),
        ("Secrétaire", "{staff:secrétaire}"),
    ]
    kept = rows[:1] + [row for row in rows[1:] if scene.rng.random() < 0.6]
    return table([[[Piece(f"{name} :")], scene.write(value)] for name, value in kept])


def pathology(scene: DocumentScene) -> list[Block]:
    """A pathology report."""
    rng = scene.rng
    lines = [text for _, text in scene.section("histologie").lines]
    if not lines:
        lines = [
            "Biopsies [gastriques|cutanées|bronchiques]",
            "{n:2-6} fragments de {n:1-5} mm, inclus en totalité.",
            "Muqueuse d'architecture conservée, infiltrat inflammatoire "
            "[modéré|minime], coloration de Giemsa [négative|positive]. Pas d'atypie.",
            "Remaniements inflammatoires non spécifiques, absence de malignité.",
        ]
    blocks = [
        *paper.letterhead(scene),
        parts.title(scene, ("Compte rendu d'anatomie pathologique", "Examen anatomo-pathologique n° {id:pot}")),
    ]
    blocks += identity.identity(scene)
    head = [
        "Prélèvement n° {id:pot} [effectué|reçu] le {d:op}, [enregistré|technique] le {d:op+1}.",
        "[Demandeur|Prescripteur|Préleveur] : {dr:SERVICE}.",
    ]
    head = [line.replace("SERVICE", scene.stay.service_code) for line in head]
    blocks += [text_block(Role.LINE, scene.write(line)) for line in head]
    names = ("Renseignements cliniques", "Nature du prélèvement", "Macroscopie", "Microscopie", "Conclusion")
    contents = ["{Mpt}, {age}. {motif}[, antécédent de tumeur suivie à~{ville}|].", *lines[:4]]
    for name, content in zip(names, contents, strict=False):
        blocks.append(text_block(Role.HEADING, [Piece(name.upper() if rng.random() < 0.5 else name)]))
        blocks += parts.paragraph(scene, [content if content.endswith((".", "]")) else content + "."])
    if rng.random() < 0.4:
        blocks += parts.paragraph(scene, ["[Double lecture|Relu {today}] par {dr}. Bloc conservé sous le n° {id:pot}."])
    if rng.random() < 0.3:
        blocks += parts.paragraph(scene, ["Code ADICAP : BH{n:10-99}A7A0. Technicien : {staff:IDE@ANAP}."])
    return [*blocks, *paper.signature(scene), *paper.footer(scene)]


def anaesthesia(scene: DocumentScene) -> list[Block]:
    """The consultation before an anaesthetic."""
    rng = scene.rng
    blocks = [
        *paper.letterhead(scene),
        parts.title(scene, ("Consultation d'anesthésie", "Compte rendu de consultation pré-anesthésique")),
    ]
    blocks += identity.identity(scene)
    evaluation = scene.common("cpa").draw(rng, pool=(4, 7))
    blocks += parts.paragraph(scene, evaluation) if rng.random() < 0.5 else parts.items(scene, evaluation)
    general = "atcd_enfant" if scene.child else "atcd_general"
    history = scene.section("atcd").draw(rng, pool=(1, 3)) + scene.common(general).draw(rng, pool=(1, 3))
    blocks += [parts.heading(scene, "atcd"), *parts.items(scene, history)]
    blocks.append(text_block(Role.LINE, scene.write("Allergies : {use:allergies}.")))
    if not scene.child:
        blocks += parts.section(scene, "entree", scene.common("traitement_general"), (1, 5), listed=True)
    if rng.random() < 0.6:
        blocks.append(parts.lab_table(scene, scene.section("bio")))
    blocks += parts.section(scene, "suite", scene.common("cpa_plan"), (3, 5), listed=True)
    return [*blocks, *paper.signature(scene), *paper.footer(scene)]


def board(scene: DocumentScene) -> list[Block]:
    """The record of a multidisciplinary meeting."""
    rng = scene.rng
    blocks = [
        *paper.letterhead(scene),
        parts.title(scene, ("Fiche RCP", "Réunion de concertation pluridisciplinaire du {D:doc}")),
    ]
    blocks += identity.identity(scene)
    blocks += [text_block(Role.LINE, scene.write(line)) for line in scene.common("rcp").draw(rng, pool=(3, 5))]
    own = scene.section("rcp").draw(rng)
    case = own or [
        "{mf:Homme|Femme} de {age}, {motif}, [pris{e} en charge|suivi{e}] par {dr}.",
        *scene.section("hdm").draw(rng),
    ]
    blocks += [parts.heading(scene, "hdm"), *parts.paragraph(scene, case)]
    blocks += [parts.heading(scene, "atcd"), *parts.items(scene, scene.common("atcd_general").draw(rng, pool=(1, 3)))]
    images = scene.section("imagerie").lines
    if images:
        blocks += parts.paragraph(scene, ["Relecture : " + images[0][1].split("||")[3].strip()])
    blocks.append(text_block(Role.HEADING, [Piece(rng.choice(("Avis de la RCP", "DÉCISION", "Proposition")))]))
    blocks += parts.items(
        scene, [*scene.section("suite").draw(rng)[:1], *scene.common("rcp_plan").draw(rng, pool=(2, 4))]
    )
    return [*blocks, *paper.signature(scene), *paper.footer(scene)]
