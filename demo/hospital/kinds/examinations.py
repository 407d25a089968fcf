"""Imaging and laboratory reports."""

from __future__ import annotations

from demo.hospital.kinds import parts
from demo.hospital.prose.grammar import Piece, upper
from demo.hospital.prose.library import Section, read
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.rendering import Block, Role, table, text_block

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
    blocks = parts.letterhead(scene)
    if rng.random() < 0.35:
        blocks += [parts.dateline(scene)]
    blocks += parts.identity(scene)
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
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]


def laboratory(scene: DocumentScene) -> list[Block]:
    """A laboratory report: panels as tables, comments, validation."""
    rng = scene.rng
    blocks = [*parts.letterhead(scene), *parts.identity(scene)]
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
    return [*blocks, *parts.footer(scene)]


def _some(scene: DocumentScene, lines: Section) -> Section:
    count = scene.rng.randint(3, max(3, len(lines.lines)))
    chosen = sorted(scene.rng.sample(range(len(lines.lines)), min(count, len(lines.lines))))
    return Section(tuple(lines.lines[index] for index in chosen))


# Around an operation: anaesthesia, the operation, pathology, the tumour board.
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
        *parts.letterhead(scene),
        parts.title(scene, ("Compte rendu opératoire", "Compte-rendu opératoire du {D:op}", "CRO")),
    ]
    blocks += parts.identity(scene)
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
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]


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
        *parts.letterhead(scene),
        parts.title(scene, ("Compte rendu d'anatomie pathologique", "Examen anatomo-pathologique n° {id:pot}")),
    ]
    blocks += parts.identity(scene)
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
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]


def anaesthesia(scene: DocumentScene) -> list[Block]:
    """The consultation before an anaesthetic."""
    rng = scene.rng
    blocks = [
        *parts.letterhead(scene),
        parts.title(scene, ("Consultation d'anesthésie", "Compte rendu de consultation pré-anesthésique")),
    ]
    blocks += parts.identity(scene)
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
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]


def board(scene: DocumentScene) -> list[Block]:
    """The record of a multidisciplinary meeting."""
    rng = scene.rng
    blocks = [
        *parts.letterhead(scene),
        parts.title(scene, ("Fiche RCP", "Réunion de concertation pluridisciplinaire du {D:doc}")),
    ]
    blocks += parts.identity(scene)
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
    return [*blocks, *parts.signature(scene), *parts.footer(scene)]
