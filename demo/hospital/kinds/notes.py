"""Notes written on the spot: emergency department, nurses."""

from __future__ import annotations

from deid.domain.labels import Label
from demo.hospital.kinds import parts
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.prose.slots_people import staff_name
from demo.hospital.rendering import GAP, Block, Role, lines_block, text_block


def emergency(scene: DocumentScene) -> list[Block]:
    """A note of the emergency department: telegraphic, or as a form with headings."""
    rng = scene.rng
    telegraphic = rng.random() < 0.6
    scene.terse = telegraphic
    blocks = parts.letterhead(scene) if rng.random() < 0.6 else []
    blocks.append(_emergency_head(scene))
    blocks += parts.identity(scene) if not telegraphic or rng.random() < 0.4 else []
    arrival = "{use:urg_arrivee} [Motif : |]{motif}."
    history = scene.section("atcd").draw(rng, pool=(1, 2))
    history += scene.common("atcd_enfant" if scene.child else "atcd_general").draw(rng, pool=(0, 3))
    drugs = scene.common("traitement_general").draw(rng, pool=(1, 3))
    blocks += _labelled(scene, ("motif", "MOTIF"), [arrival], " ")
    blocks += _labelled(scene, ("atcd", "ATCD", "Antécédents"), history, ", ")
    if not scene.child:
        blocks += _labelled(scene, ("ttt", "TTT", "Traitement habituel"), drugs, ", ")
    if rng.random() < 0.4:
        blocks += _labelled(scene, ("vie", "MDV", "Entourage"), scene.common("vie").draw(rng, pool=(1, 2)), " ")
    blocks += _labelled(scene, ("hdm", "HDM", "Histoire"), scene.section("hdm").draw(rng), " ")
    blocks += _labelled(scene, ("ex", "EXAMEN", "Clinique"), scene.section("examen").draw(rng), " ")
    if rng.random() < 0.5:
        blocks.append(parts.lab_table(scene, scene.section("bio")))
    blocks += _labelled(scene, ("cat", "CAT", "Conduite à tenir"), _decisions(scene), rng.choice((" ", " / ")))
    last = rng.choice(
        ("{staff:interne} / {dr}", "[Sénior|Médecin] : {dr}", "{staff:interne}, vu avec {dr}", "{initiales}")
    )
    return [*blocks, GAP, text_block(Role.SIGNATURE, scene.write(last))]


def _decisions(scene: DocumentScene) -> list[str]:
    return [
        *scene.section("evolution").draw(scene.rng)[:1],
        scene.section("conclusion").pick(scene.rng),
        "{use:urg_suite}",
    ]


def _emergency_head(scene: DocumentScene) -> Block:
    templates = (
        "[urgences|URGENCES|SAU] [|{chu} ]– {D:doc} {h:0-23} – box {n:1-14}",
        "Passage aux urgences du {D:doc}, dossier {nda}, [IAO|accueil] : {staff:IDE}",
        "{D:doc} {h:0-23}  box {n:1-18}  {nomcomplet} {age}",
        "OBS MÉDICALE {D:doc} – [pt|pte] {nomcomplet} – {age} – IPP {ipp}",
    )
    return text_block(Role.TITLE, scene.write(scene.rng.choice(templates).replace("[pt|pte]", "{mf:pt|pte}")))


def _labelled(scene: DocumentScene, names: tuple[str, ...], templates: list[str], glue: str) -> list[Block]:
    """ "ATCD : …" on one line, or a heading and a paragraph."""
    if not templates:
        return []
    name = names[0] if scene.terse and scene.rng.random() < 0.5 else scene.rng.choice(names[1:])
    mark = scene.memory.setdefault("colon", scene.rng.choice((" : ", ": ", " - ", ". ")))
    return [
        text_block(
            Role.LINE if scene.terse else Role.PARAGRAPH,
            scene.write(
                name
                + mark
                + glue.join(template.removesuffix(".") if "," in glue else template for template in templates)
            ),
        )
    ]


def nursing(scene: DocumentScene) -> list[Block]:
    """Nurses' notes: entries with date, hour and a mark of who wrote, over the stay."""
    rng = scene.rng
    scene.terse = rng.random() < 0.7
    blocks = parts.letterhead(scene) if rng.random() < 0.4 else []
    blocks += [parts.title(scene, _NURSING_TITLES), *parts.identity(scene)]
    targeted = rng.random() < 0.35
    pool = _note_pool(scene)
    days = range((scene.written_on - scene.stay.admitted_on).days + 1)
    for day in sorted(rng.sample(days, min(len(days), rng.randint(2, 5)))):
        for hour in sorted(rng.sample(range(24), rng.randint(1, 3))):
            notes = [pool.pop() for _ in range(min(len(pool), rng.randint(1, 3)))]
            if notes:
                blocks.append(_entry(scene, day, hour, notes, targeted=targeted))
    if rng.random() < 0.5:
        blocks.append(text_block(Role.LINE, scene.write(_LEAVING)))
    return blocks


_NURSING_TITLES = (
    "Transmissions ciblées",
    "Transmissions infirmières",
    "Fiche de liaison infirmière",
    "Cahier de transmissions",
    "Transmissions – {D:doc}",
)
_LEAVING = (
    "[Sortie prévue|Départ] le {d:dis} [vers {org:ssr}|au domicile, {org_autre:ambulance}|avec {proche}]. "
    "Personne à prévenir : {proche_tel}."
)


def _note_pool(scene: DocumentScene) -> list[str]:
    """Return distinct notes in random order, among them the notes of the disease."""
    general = [text for _, text in scene.common("soins").lines]
    own = [text for _, text in scene.section("soins").lines]
    scene.rng.shuffle(general)
    pool = own + general[: 2 * len(own) + scene.rng.randint(2, 6)]
    scene.rng.shuffle(pool)
    return pool


def _entry(scene: DocumentScene, day: int, hour: int, notes: list[str], *, targeted: bool) -> Block:
    rng = scene.rng
    who = rng.choice([one for one in scene.team() if one.role in ("IDE", "aide-soignant")])
    initials = [Piece(who.first_name[0].upper() + who.last_name[0].upper(), Label.DOCTOR)]
    mark = initials if rng.random() < 0.2 else staff_name(scene, who)
    when = dates.near(rng, dates.shift(scene.stay.admitted_on, day), scene.date_form, scene.written_on)
    minute = rng.choice(("00", "10", "15", "30", "45"))
    head = [Piece(when, Label.DATE), Piece(f" {hour:02d}h{minute}{rng.choice((' – ', ' ', ' : '))}")]
    if targeted and len(notes) > 1:
        lines = [scene.write(f"{letter}- {note}") for letter, note in zip("DAR", notes, strict=False)]
        return lines_block(Role.LINE, [[*head, *mark], *lines])
    body = scene.write(rng.choice((". ", ", ", " / ")).join(notes))
    if rng.random() < 0.5:
        return text_block(Role.LINE, [*head, *body, Piece(rng.choice((" – ", ". ", "   "))), *mark])
    return text_block(Role.LINE, [*head, *mark, Piece(" : "), *body])
