"""PDF: the words of its pages; the written file is a new one, with the words at their places and nothing else.

Words are read by PDFium with their places, after form values and notes that are shown became part of the page. A new
page has the size of the old one; its words stand in one typeface, each stretch as wide as it was. Removed: pictures,
drawings, metadata, attachments, bookmarks, links, scripts, what pages do not show.

A page with a picture and hardly a word is a scan: it holds the file back, or is read by tesseract where the rules say
`scans: ocr`; the picture itself is never written. One whose letters have no meaning cannot be read. With `pdf: html`
the written file is a page of HTML with the same lines.
"""

from __future__ import annotations

import ctypes
import html
import io
import math
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import category

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from deid.domain.errors import Reason
from deid.formats.images import MOST_PIXELS
from deid.formats.reading import Reading, Save
from deid.formats.scans import DPI, open_pages, read_page
from deid.formats.typefaces import SANS, registered

_STREAM = re.compile(rb"stream\r?\n")
_MOST_STREAM = 256 << 20  # bytes that one may hold: more than a page in colours at 600 dots per inch
_MOST_FILTERS = 4
_CHUNK = 1 << 16
_MOST_PAGES = 2_000
_MOST_CHARACTERS = 5_000_000
_HELD = 16  # bytes that a character takes while it is read
_LOST = 0.05  # share of letters without a meaning from which a file is refused
_FEW = 50  # characters beside a picture of more than half of a page, under which it is a scan
_GAP = 2.0  # times the size of the type: a wider space parts two columns
_NARROWEST = 0.5


@dataclass(slots=True)
class _Run:
    """A stretch of a line from `left` to `right`, on its base line, in points; `angle` in degrees."""

    text: str
    left: float
    right: float
    base: float
    size: float
    angle: float = 0.0


@dataclass(slots=True)
class _Page:
    width: float
    height: float
    lines: list[list[_Run]] = field(default_factory=list)
    pictures: list[tuple[bytes, tuple[float, float, float, float]]] = field(default_factory=list)  # PNG, left, bottom…


def read_pdf(raw: bytes, reading: Reading) -> Save:
    """Read a PDF with a layer of text.

    Raises:
        DocumentRefused: encrypted, malformed, scanned, characters_lost, expands_too_much.
    """
    if any(_expands(raw, stream.end()) for stream in _STREAM.finditer(raw)):
        reading.refuse(Reason.EXPANDS, f"a stream of more than {_MOST_STREAM >> 20} MiB")
    try:
        document = pdfium.PdfDocument(raw)
    except pdfium.PdfiumError as error:
        reading.refuse(Reason.ENCRYPTED if "password" in str(error).lower() else Reason.MALFORMED, "pdf")
    try:
        pages = _pages(document, reading)
    finally:
        document.close()
    reading.removed("metadata")
    for page in pages:
        for line in page.lines:
            _add(line, reading)
    if reading.rules.pdf == "html":
        reading.becomes(".html")
        return lambda: _html(pages)
    return lambda: _written(pages)


def _expands(raw: bytes, start: int) -> bool:
    """Return whether the deflated stream at `start`, or one inside it, is too long; what it holds is not kept.

    PDFium holds a stream whole, through any number of filters: two kilobytes may take gigabytes.
    """
    inflaters, lengths = [zlib.decompressobj()], [0]
    for at in range(start, len(raw), _CHUNK):
        given = [(0, raw[at : at + _CHUNK])]
        while given:
            depth, data = given.pop()
            try:
                plain = inflaters[depth].decompress(data, _CHUNK)
            except zlib.error:
                if depth == 0:
                    return False
                del inflaters[depth:], lengths[depth:]
                continue
            tail = inflaters[depth].unconsumed_tail
            if tail and not inflaters[depth].eof and (plain or len(tail) < len(data)):
                given.append((depth, tail))
            if not lengths[depth] and plain[:1] == b"x" and depth < _MOST_FILTERS:
                inflaters.append(zlib.decompressobj())
                lengths.append(0)
            lengths[depth] += len(plain)
            if lengths[depth] > _MOST_STREAM:
                return True
            if depth + 1 < len(inflaters) and plain:
                given.append((depth + 1, plain))
        if inflaters[0].eof:
            break
    return False


def _pages(document: Any, reading: Reading) -> list[_Page]:
    if len(document) > _MOST_PAGES:
        reading.refuse(Reason.EXPANDS, f"{len(document)} pages, at most {_MOST_PAGES}")
    for _ in range(document.count_attachments()):
        reading.removed("attachment")
    document.init_forms()
    return [_page(_flat(document, number), reading) for number in range(len(document))]


def _flat(document: Any, number: int) -> Any:
    """Return a page whose form values and notes, where it shows them, are words of the page."""
    page = document[number]
    pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
    page.close()
    return document[number]


def _page(page: Any, reading: Reading) -> _Page:
    text = page.get_textpage()
    count = text.count_chars()
    reading.expand(_HELD * count)
    if count > _MOST_CHARACTERS:
        reading.refuse(Reason.EXPANDS, f"{count} characters on a page")
    width, height = page.get_size()
    read = _Page(width, height, _lines(text.raw, count, reading))
    pictures = list(page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE]))
    if not pictures:
        return read
    letters = sum(len(run.text.strip()) for line in read.lines for run in line)
    if not letters or (letters < _FEW and max(map(_area, pictures)) > width * height / 2):
        read.lines = _recognised(page, reading)
    else:
        read.pictures = [kept for picture in pictures if reading.image() and (kept := _kept(picture, reading))]
    return read


def _kept(picture: Any, reading: Reading) -> tuple[bytes, tuple[float, float, float, float]] | None:
    """Return the pixels of a picture and its place on the page; None for one that goes: large, or in another object."""
    if picture.level or reading.rules.pdf == "html" or math.prod(picture.get_px_size()) > MOST_PIXELS:
        reading.removed("image")
        return None
    file = io.BytesIO()
    picture.get_bitmap(render=True).to_pil().convert("RGBA").save(file, "PNG")
    return file.getvalue(), picture.get_bounds()


def _area(picture: Any) -> float:
    left, bottom, right, top = picture.get_bounds()
    return float((right - left) * (top - bottom))


def _recognised(page: Any, reading: Reading) -> list[list[_Run]]:
    """Return the lines of a scanned page."""
    if reading.rules.scans == "refuse":
        reading.refuse(Reason.SCANNED, "a page is a picture: have it read (OCR) at the source, or set `scans: ocr`")
    reading.removed("image")
    width, height = page.get_size()
    dpi = int(min(DPI, 72 * math.sqrt(MOST_PIXELS / (width * height))))
    picture = page.render(scale=dpi / 72, grayscale=True).to_pil()
    lines = read_page(picture, dpi, reading)
    return [[_Run(one.text, one.left, one.right, height - one.base, one.size) for one in line] for line in lines]


def read_picture(raw: bytes, reading: Reading) -> Save:
    """Read a picture of pages, where the rules say so; the written file is a page of HTML.

    Raises:
        DocumentRefused: scanned, expands_too_much, malformed, too_costly.
    """
    if reading.rules.scans == "refuse":
        reading.refuse(Reason.SCANNED, "a picture: have it read (OCR) at the source, or set `scans: ocr`")
    pages = [
        _Page(0, 0, [[_Run(*stretch) for stretch in line] for line in read_page(picture, dpi, reading)])
        for picture, dpi in open_pages(raw, reading)
    ]
    reading.removed("image")
    reading.becomes(".html")
    for page in pages:
        for line in page.lines:
            _add(line, reading)
    return lambda: _html(pages)


def _lines(text: Any, count: int, reading: Reading) -> list[list[_Run]]:
    """Return the lines of a page, in the order of its content."""
    lines: list[list[_Run]] = [[]]
    characters = [chr(pdfium_c.FPDFText_GetUnicode(text, at)) for at in range(count)]
    if sum(map(_is_lost, characters)) > _LOST * count:
        reading.refuse(
            Reason.CHARACTERS_LOST, "letters of the PDF have no meaning: have it written anew, or read (OCR)"
        )
    for at, character in enumerate(characters):
        if character in "\r\n":
            if lines[-1]:
                lines.append([])
        elif character not in "\0\ufffe\uffff\u00ad\u0002":
            _place(lines[-1], character, text, at)
    return lines


def _is_lost(character: str) -> bool:
    """Return whether a letter of a page has no character: unassigned, of private use, a control or U+FFFD."""
    return character not in "\t\n\r\u00ad\u0002\ufffe" and (
        category(character) in ("Cc", "Co", "Cn") or character == "\ufffd"
    )


def _place(line: list[_Run], character: str, text: Any, at: int) -> None:
    """Add a character to a line: to its last run, or to a new one after a wide space."""
    last = line[-1] if line else None
    if pdfium_c.FPDFText_IsGenerated(text, at) == 1:
        if last is not None:
            last.text += character
        return
    box = pdfium_c.FS_RECTF()
    pdfium_c.FPDFText_GetLooseCharBox(text, at, box)
    angle = math.degrees(pdfium_c.FPDFText_GetCharAngle(text, at))
    if last is not None and angle == last.angle and (angle or -last.size < box.left - last.right < _GAP * last.size):
        last.text += character
        last.right = max(last.right, box.right)
        return
    if last is not None:
        last.text = last.text.rstrip()
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium_c.FPDFText_GetCharOrigin(text, at, x, y)
    size = abs(pdfium_c.FPDFText_GetFontSize(text, at)) or 1.0
    line.append(_Run(character, box.left, box.right, y.value, min(size, 72.0), angle))


def _add(line: list[_Run], reading: Reading) -> None:
    """Tell a line, with tabs between its runs."""
    texts = [text for at, run in enumerate(line) for text in (("\t", run.text) if at else (run.text,))]
    if texts:
        reading.add(texts, _put(line))


def _put(line: Sequence[_Run]) -> Callable[[tuple[str | None, ...]], None]:
    def put(texts: tuple[str | None, ...]) -> None:
        for run, text in zip(line, texts[::2], strict=True):
            run.text = run.text if text is None else text

    return put


# ---- Writing


def _written(pages: Sequence[_Page]) -> bytes:
    """Return a new PDF of the pages."""
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1, pageCompression=1)
    for page in pages:
        canvas.setPageSize((page.width, page.height))
        for picture, (left, bottom, right, top) in page.pictures:
            canvas.drawImage(ImageReader(io.BytesIO(picture)), left, bottom, right - left, top - bottom, mask="auto")
        for line in page.lines:
            for at, run in enumerate(line):
                following = line[at + 1].left if at + 1 < len(line) and not run.angle else page.width
                _draw(canvas, run, max(following - run.left, run.right - run.left))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Canvas, run: _Run, room: float) -> None:
    """Draw a run as wide as it was, or as its new words need and the room before the next one allows."""
    words = run.text.replace("\t", " ").replace("\n", " ").rstrip()
    natural = pdfmetrics.stringWidth(words, registered(SANS), run.size)
    if not natural:
        return
    scale = min(1.0, max(_NARROWEST, room / natural))
    canvas.saveState()
    canvas.translate(run.left, run.base)
    canvas.rotate(run.angle)
    drawn = canvas.beginText(0, 0)
    drawn.setFont(registered(SANS), run.size)
    drawn.setHorizScale(100 * scale)
    drawn.textOut(words)
    canvas.drawText(drawn)
    canvas.restoreState()


def _html(pages: Sequence[_Page]) -> bytes:
    """Return the lines of the pages as a page of HTML."""
    lines = (" ".join(run.text for run in line) for page in pages for line in page.lines if line)
    body = "\n".join(f"<div>{html.escape(line)}</div>" for line in lines)
    return f"<!DOCTYPE html>\n<html><body>\n{body}\n</body></html>\n".encode("ascii", "xmlcharrefreplace")
