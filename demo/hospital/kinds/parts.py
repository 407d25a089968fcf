"""Parts that many kinds share: titles, sections, lists, tables of results."""

from __future__ import annotations

from collections.abc import Sequence

from demo.hospital.blocks import Block, Role, lines_block, table, text_block
from demo.hospital.prose.grammar import Piece, capitalised, upper
from demo.hospital.prose.library import Section
from demo.hospital.prose.scene import DocumentScene

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


def section(
    scene: DocumentScene, key: str, lines: Section, pool: tuple[int, int] = (2, 4), *, listed: bool = False
) -> list[Block]:
    """Heading and body of a section; nothing when there is nothing to say."""
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
