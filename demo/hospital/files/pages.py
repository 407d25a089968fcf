"""Letters as printed: PDF with a layer of text, and scans, which are pictures of such a PDF."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import matplotlib as mpl
import pypdfium2 as pdfium
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from demo.hospital.files.letter import Letter, Made
from demo.hospital.prose.grammar import plain

WIDTH = 88  # characters of a line
_MARGIN, _SIZE, _LEADING = 48.0, 9.0, 12.0
_SCALE = 2.0  # pixels of a scan per point


def pdf(letter: Letter) -> Made:
    """A PDF with a layer of text: properties, a bookmark and a header on each page name the patient."""
    lines = letter.lines(WIDTH)
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1, pageCompression=1)
    face = _typeface("DejaVuSans" if letter.stream("typeface").random() < 0.5 else "DejaVuSansMono")
    canvas.setAuthor(f"Dr {letter.author.first_name} {letter.author.last_name}")
    canvas.setTitle(f"{letter.title} {letter.patient.last_name}")
    canvas.setSubject(f"IPP {letter.patient.ipp}")
    canvas.setCreator(letter.setting.name)
    canvas.setKeywords([letter.stay.nda, letter.patient.nir])
    high = A4[1] - 2 * _MARGIN
    count = int(high / _LEADING) - 1
    for number, start in enumerate(range(0, len(lines), count), start=1):
        _head(canvas, letter, face, number)
        for at, line in enumerate(lines[start : start + count]):
            words = plain(line).expandtabs(16).rstrip()
            room = A4[0] - 2 * _MARGIN
            width = pdfmetrics.stringWidth(words, face, _SIZE)
            canvas.setFont(face, min(_SIZE, _SIZE * room / max(width, 1.0)))
            canvas.drawString(_MARGIN, A4[1] - _MARGIN - (at + 1) * _LEADING, words)
        canvas.showPage()
    canvas.save()
    return Made(file.getvalue(), lines)


def _head(canvas: Canvas, letter: Letter, face: str, number: int) -> None:
    canvas.bookmarkPage(f"page{number}")
    canvas.addOutlineEntry(f"{letter.patient_name}, page {number}", f"page{number}")
    canvas.setFont(face, 7)
    name = f"{letter.patient.last_name} {letter.patient.first_names[0]} – IPP {letter.patient.ipp} – page {number}"
    canvas.drawString(_MARGIN, A4[1] - 30, name)


def scan(letter: Letter) -> Made:
    """A PDF whose pages are pictures, as a scanner without recognition of characters writes."""
    printed = pdfium.PdfDocument(pdf(letter).content)
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1, pageCompression=1)
    for page in printed:
        picture = page.render(scale=_SCALE, grayscale=True).to_pil().point(lambda level: 255 if level > 140 else 0)
        canvas.drawImage(ImageReader(picture.convert("L")), 0, 0, *A4)
        canvas.showPage()
    canvas.save()
    return Made(file.getvalue(), [])


@cache
def _typeface(name: str) -> str:
    pdfmetrics.registerFont(TTFont(name, str(Path(mpl.get_data_path()) / "fonts" / "ttf" / f"{name}.ttf")))
    return name
