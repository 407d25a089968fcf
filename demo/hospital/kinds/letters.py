"""Letters between doctors: hospital stay, discharge, consultation."""

from __future__ import annotations

from demo.hospital.kinds import parts
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.rendering import Block, Role, text_block


def _history(scene: DocumentScene) -> list[Block]:
    """Medical history: the disease's own and the general kind, as a list or in a row."""
    rng = scene.rng
    own = scene.section("atcd").draw(rng, pool=(1, 3))
    general = scene.common("atcd_enfant" if scene.child else "atcd_general").draw(rng, pool=(1, 4))
    lines = own + general
    rng.shuffle(lines)
    blocks = [parts.heading(scene, "atcd"), *parts.items(scene, lines)]
    if rng.random() < 0.45:
        blocks += parts.section(scene, "famille", scene.common("famille"), (1, 3), listed=True)
    if rng.random() < 0.35:
        blocks += [text_block(Role.LINE, scene.write("[Allergies|Allergie] : {use:allergies}"))]
    if not scene.child and rng.random() < 0.55:
        blocks += parts.section(scene, "vie", scene.common("vie"), (1, 4))
    if not scene.child and rng.random() < 0.35:
        blocks += parts.section(scene, "entree", scene.common("traitement_general"), (2, 5), listed=True)
    return blocks


def _examination(scene: DocumentScene) -> list[Block]:
    lines = scene.section("examen").draw(scene.rng)
    lines += scene.common("examen_enfant" if scene.child else "examen_general").draw(scene.rng, pool=(1, 3))
    return [parts.heading(scene, "examen"), *parts.paragraph(scene, lines)]


def _investigations(scene: DocumentScene) -> list[Block]:
    rng = scene.rng
    blocks: list[Block] = []
    biology = scene.section("bio")
    if biology.lines and rng.random() < 0.7:
        blocks += [parts.heading(scene, "bio"), parts.lab_table(scene, biology)]
    images = scene.section("imagerie").lines
    if images and rng.random() < 0.8:
        name, _, findings, conclusion = (part.strip() for part in rng.choice(images)[1].split("||"))
        lead = f"{name} [du {{d:adm+0..1}}|({{d:adm+0..1}}, {{dr:IMAG}})|] : "
        text = findings if rng.random() < 0.4 else conclusion
        blocks += [
            parts.heading(scene, "imagerie"),
            text_block(Role.PARAGRAPH, scene.write(lead + text[0].lower() + text[1:])),
        ]
    return blocks


def _outcome(scene: DocumentScene) -> list[Block]:
    rng = scene.rng
    blocks = parts.section(scene, "evolution", scene.section("evolution"))
    if rng.random() < 0.35:
        blocks += parts.paragraph(scene, [scene.common("relation").pick(rng)])
    blocks += parts.paragraph(scene, parts.circumstances(scene))
    if rng.random() < 0.6:
        blocks += parts.section(scene, "devenir", scene.common("devenir"), (1, 3))
    return blocks


def _treatment(scene: DocumentScene) -> list[Block]:
    drugs = parts.drugs(scene, (0, 3))
    return [parts.heading(scene, "traitement"), *parts.items(scene, drugs)]


def _plan(scene: DocumentScene) -> list[Block]:
    return parts.section(scene, "suite", scene.section("suite"), listed=scene.rng.random() < 0.4)


def _ending(scene: DocumentScene) -> list[Block]:
    closing = text_block(Role.PARAGRAPH, scene.write("{use:cloture}"))
    return [closing, *parts.signature(scene), *parts.footer(scene)]


def _head(scene: DocumentScene, titles: tuple[str, ...], *, letter: bool) -> list[Block]:
    blocks = parts.letterhead(scene)
    if letter:
        blocks += [parts.dateline(scene), *parts.addressee(scene)]
    else:
        blocks.append(parts.title(scene, titles))
    return blocks + parts.identity(scene)


def report(scene: DocumentScene) -> list[Block]:
    """The complete report of a stay, with a heading per section."""
    rng = scene.rng
    blocks = _head(
        scene,
        ("Compte rendu d'hospitalisation", "Compte rendu d'hospitalisation {range:}", "CRH – séjour {range:}"),
        letter=rng.random() < 0.3,
    )
    blocks += parts.paragraph(scene, ["{use:ouverture}"])
    blocks += _history(scene)
    blocks += parts.section(scene, "hdm", scene.section("hdm"))
    blocks += [*_examination(scene), *_investigations(scene), *_outcome(scene)]
    if rng.random() < 0.7:
        blocks += [
            parts.heading(scene, "conclusion"),
            *parts.paragraph(scene, [scene.section("conclusion").pick(rng)]),
        ]
    blocks += [*_treatment(scene), *_plan(scene)]
    return blocks + _ending(scene)


def discharge(scene: DocumentScene) -> list[Block]:
    """A shorter letter, often without headings, to the physician."""
    rng = scene.rng
    blocks = _head(scene, ("Lettre de liaison à la sortie", "Courrier de sortie"), letter=rng.random() < 0.85)
    blocks.append(text_block(Role.PARAGRAPH, scene.write("{use:salut}")))
    blocks += parts.paragraph(scene, ["{use:ouverture}", *scene.section("hdm").draw(rng)[1:]])
    history = scene.section("atcd").draw(rng, pool=(1, 3)) + scene.common("atcd_general").draw(rng, pool=(0, 2))
    if scene.child:
        history = scene.common("atcd_enfant").draw(rng, pool=(1, 2))
    lead = rng.choice(
        ("On retient dans ses antécédents : ", "Antécédents : ", "Rappelons : ", "Parmi ses antécédents, on note ")
    )
    blocks.append(_enumeration(scene, lead, history))
    blocks += parts.paragraph(scene, scene.section("examen").draw(rng)[:1] + scene.section("evolution").draw(rng))
    blocks += parts.paragraph(scene, parts.circumstances(scene))
    if rng.random() < 0.5:
        blocks += parts.paragraph(scene, scene.common("devenir").draw(rng, pool=(1, 3)))
    if rng.random() < 0.5:
        blocks += _treatment(scene)
    else:
        lead = rng.choice(("Le traitement de sortie comprend ", "Ordonnance de sortie : ", "Sortie sous "))
        blocks.append(_enumeration(scene, lead, scene.section("traitement").draw(rng, pool=(2, 5))))
    blocks += parts.paragraph(scene, scene.section("suite").draw(rng))
    return blocks + _ending(scene)


def _enumeration(scene: DocumentScene, lead: str, templates: list[str]) -> Block:
    return text_block(
        Role.PARAGRAPH,
        scene.write(
            lead + scene.rng.choice((" ; ", ", ")).join(template.removesuffix(".") for template in templates) + "."
        ),
    )


def consultation(scene: DocumentScene) -> list[Block]:
    """The letter of an outpatient visit."""
    rng = scene.rng
    blocks = _head(scene, ("Compte rendu de consultation", "Consultation de suivi"), letter=rng.random() < 0.7)
    if rng.random() < 0.8:
        blocks.append(text_block(Role.PARAGRAPH, scene.write("{use:salut}")))
    blocks += parts.paragraph(scene, ["{use:ouverture_cs}", *scene.section("hdm").draw(rng)])
    if rng.random() < 0.6:
        blocks += _history(scene)
    if rng.random() < 0.5:
        blocks += parts.paragraph(scene, [scene.common("relation").pick(rng)])
    blocks += _examination(scene)
    if rng.random() < 0.4:
        blocks += _investigations(scene)
    blocks += parts.paragraph(scene, parts.circumstances(scene))
    conclusion = [scene.section("conclusion").pick(rng)] if rng.random() < 0.6 else []
    blocks += parts.paragraph(scene, conclusion + scene.section("suite").draw(rng))
    if rng.random() < 0.5:
        blocks += _treatment(scene)
    return blocks + _ending(scene)
