"""Writer of one document: prose, noise, rendering, bytes, and the offsets of mentions in the extracted text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from deid import formats
from demo.hospital import files, noise
from demo.hospital.files.letter import Letter
from demo.hospital.kinds import KINDS
from demo.hospital.model import GoldMention
from demo.hospital.prose import dates
from demo.hospital.prose.grammar import Piece, join
from demo.hospital.prose.scene import DocumentScene
from demo.hospital.rendering import GAP, Block, HtmlRenderer, PlainRenderer, Role, text_block
from demo.hospital.streams import Stream

HTML_SHARE = 0.6
WESTERN_SHARE = 0.08  # encoded in windows-1252, as declared
MAX_BYTES = 50_000_000


class Misaligned(AssertionError):
    """Difference between the extracted and the written text, under which gold offsets are invalid."""


@dataclass(frozen=True, slots=True)
class Written:
    """A finished document."""

    title: str
    format: str
    charset: str
    content: bytes
    gold: tuple[GoldMention, ...]


def write(
    scene: DocumentScene, kind_code: str, seed: str, correction: Sequence[str] = (), form: str | None = None
) -> Written:
    """Write the document of `scene`, as a file if `form` is one of `files.FORMS`, else as plain text or HTML.

    The same seed gives the same document; `correction` adds templates to it.
    """
    rng = Stream(seed)
    scene.rng = rng
    scene.date_form = dates.habit(rng)
    kind = KINDS[kind_code]
    title = rng.choice(kind.titles)
    blocks = kind.compose(scene)
    as_html = rng.random() < HTML_SHARE
    damage = noise.draw(rng, terse=scene.terse, scanned=not as_html and form is None)
    layout_seed = f"{seed}:dressing"
    blocks = [*_corrected(scene, correction), *blocks]
    blocks = [damage.apply(_joined(block)) for block in blocks]
    if form is not None:
        code = seed.rpartition(":")[2]
        people = scene.setting, scene.patient, scene.stay, scene.author
        letter = Letter(code, f"{seed}:file", *people, title, kind.loinc, scene.written_on, tuple(blocks))
        made, gold = files.write(form, letter)
        return Written(title, files.FORMS[form].media, made.charset, made.content, gold)
    rng = Stream(layout_seed)
    if as_html:
        markup, pieces = HtmlRenderer(rng, scene.patient, title).render(blocks)
    else:
        pieces = PlainRenderer(rng).render(blocks)
        markup = "".join(piece.text for piece in pieces)
    # A separate stream: a correction of the document is stored in the same encoding.
    content, charset = _encoded(Stream(f"{seed}:encoding"), markup)
    media = "text/html" if as_html else "text/plain"
    text = formats.read_source(content, format=media, charset=charset, document_id=seed, max_bytes=MAX_BYTES).text
    return Written(title, media, charset, content, align(text, pieces))


def _joined(block: Block) -> Block:
    return block.map(join)


def _corrected(scene: DocumentScene, correction: Sequence[str]) -> list[Block]:
    if not correction:
        return []
    return [*(text_block(Role.PARAGRAPH, scene.write(template)) for template in correction), GAP]


def _encoded(rng: random.Random, markup: str) -> tuple[bytes, str]:
    if rng.random() < WESTERN_SHARE:
        try:
            return markup.encode("cp1252"), "windows-1252"
        except UnicodeEncodeError:
            return markup.encode("utf-8"), "utf-8"
    return markup.encode("utf-8"), "utf-8"


def align(text: str, pieces: Sequence[Piece]) -> tuple[GoldMention, ...]:
    """Locate the mentions among `pieces` in `text`, which holds the same characters but for white space.

    Raises:
        Misaligned: it does not.
    """
    places = [index for index, character in enumerate(text) if not character.isspace()]
    compact = "".join(text.split())
    cursor = 0
    found = []
    for piece in pieces:
        surface = "".join(piece.text.split())
        end = cursor + len(surface)
        if compact[cursor:end] != surface:
            raise Misaligned(f"piece at character {cursor} is not where it was written")
        if piece.label is not None and surface:
            found.append(GoldMention(places[cursor], places[end - 1] + 1, piece.label))
        cursor = end
    if cursor != len(compact):
        raise Misaligned(f"{len(compact) - cursor} characters were read that nobody wrote")
    return tuple(found)
