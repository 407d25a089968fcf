"""A release as an A4 PDF document: the figures of its report, as text that can be selected and searched."""

from __future__ import annotations

import io
import re
from html import escape
from typing import Any

from lxml import etree
from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFontFamily
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table, TableStyle

from deid.formats.typefaces import BOLD, SANS, registered
from deid.reports.charts import Histogram
from deid.reports.figures import Figures
from deid.reports.render import template
from deid.reports.view import view

INK, MUTED, LINE = HexColor("#17212b"), HexColor("#56626f"), HexColor("#c9d0d8")
ACCENT, GROUND = HexColor("#1d5c9e"), HexColor("#f4f6f8")
GOOD, WARN, BAD, INFO = HexColor("#17714f"), HexColor("#b26a00"), HexColor("#a3261f"), HexColor("#1d5c9e")

BODY = ParagraphStyle("body", fontName=SANS, fontSize=9, leading=12.5, textColor=INK, spaceAfter=4)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=8, leading=10.5, textColor=MUTED)
H1 = ParagraphStyle("h1", parent=BODY, fontName=BOLD, fontSize=18, leading=22, spaceAfter=4)
H2 = ParagraphStyle("h2", parent=BODY, fontName=BOLD, fontSize=12, leading=15, spaceBefore=10, keepWithNext=1)
HEAD = ParagraphStyle("head", parent=BODY, fontName=BOLD, fontSize=9.5, leading=12, spaceBefore=6, keepWithNext=1)
WIDTH = A4[0] - 36 * mm
STYLES = {style.name: style for style in (BODY, SMALL, H1, H2, HEAD)}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TONES = {"good": GOOD, "warn": WARN, "bad": BAD, "info": INFO}


def render_pdf(figures: Figures, lang: str) -> bytes:
    """Return the PDF of an interval's figures, in `lang` ("fr" or "en"). Equal figures give equal bytes."""
    registerFontFamily(SANS, normal=registered(SANS), bold=registered(BOLD), italic=SANS, boldItalic=BOLD)
    seen = view(figures, lang)
    held = io.BytesIO()
    title = f"{seen['t']['title']} – {seen['w'].interval(figures['interval']['key'])}"
    made = BaseDocTemplate(
        held,
        pagesize=A4,
        leftMargin=18 * mm,
        rightMargin=18 * mm,
        topMargin=16 * mm,
        bottomMargin=18 * mm,
        title=title,
        author="Nocturne",
        lang=lang,
        invariant=True,  # no timestamp in the file
    )
    frame = Frame(made.leftMargin, made.bottomMargin, made.width, made.height, 0, 0, 0, 0)
    made.addPageTemplates(PageTemplate("page", frame, onPage=_draw_footer(title, seen)))
    content = _NOT_XML.sub("", template("pdf.html.j2").render(seen))
    made.build([_flowable(part, seen["epsilon_chart"]) for part in etree.fromstring(content)])
    return held.getvalue()


def _draw_footer(title: str, seen: dict[str, Any]) -> Any:
    def draw(canvas: Any, made: Any) -> None:
        canvas.saveState()
        canvas.setFont(SANS, 7.5)
        canvas.setFillColor(MUTED)
        canvas.drawString(18 * mm, 10 * mm, f"{title} · {seen['t']['product']}")
        canvas.drawRightString(A4[0] - 18 * mm, 10 * mm, str(made.page))
        canvas.restoreState()

    return draw


def _flowable(part: Any, chart: Histogram) -> Flowable:
    """Return what an element of the template prints."""
    if part.tag == "p":
        return _paragraph(part, STYLES[part.get("s", "body")])
    if part.tag == "gap":
        return Spacer(0, float(part.get("mm")) * mm)
    if part.tag == "chart":
        return _draw_histogram(chart, WIDTH)
    if part.tag == "note":
        note = Table([[_paragraph(part, BODY)]], [WIDTH])
        bar = ("LINEBEFORE", (0, 0), (0, -1), 2.5, TONES[part.get("kind")])
        return _styled(note, bar, BACKGROUND=GROUND, TOPPADDING=2, BOTTOMPADDING=4)
    if part.tag == "tiles":
        rows = [[_paragraph(cell, style) for cell in row] for row, style in zip(part, (H2, SMALL), strict=True)]
        return _styled(Table(rows, [WIDTH / len(rows[0])] * len(rows[0])), LEFTPADDING=0, VALIGN="TOP")
    return _table(part)


def _table(part: Any) -> Flowable:
    """Return a table with its first row as the heading of each page; `widths` are shares of the page."""
    size = float(part.get("size", 8.0))
    small = SMALL.clone("cell", fontSize=size, leading=size * 1.28, textColor=BODY.textColor)
    head = SMALL.clone("head", fontSize=size, leading=size * 1.28)
    made = Table(
        [[_paragraph(cell, small if at else head) for cell in row] for at, row in enumerate(part)],
        [WIDTH * float(share) for share in part.get("widths").split()],
        repeatRows=1,
    )
    rule = ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE)
    return _styled(made, rule, VALIGN="TOP", LEFTPADDING=0, RIGHTPADDING=4, TOPPADDING=2, BOTTOMPADDING=2.5)


def _styled(table: Table, *commands: tuple[Any, ...], **properties: Any) -> Table:
    """Style all cells of a table: ReportLab commands, then properties such as VALIGN."""
    table.setStyle(TableStyle([*commands, *((name, (0, 0), (-1, -1), value) for name, value in properties.items())]))
    return table


def _draw_histogram(chart: Histogram, width: float) -> Drawing:
    """Draw a report histogram `width` points wide. The y axis points down in SVG, up in PDF."""
    scale = width / chart.width
    made = Drawing(width, chart.height * scale)
    made.scale(scale, scale)

    def up(y: float) -> float:
        return chart.height - y

    for tick in chart.beside:
        made.add(Line(chart.left, up(tick.y - 4), chart.right, up(tick.y - 4), strokeColor=LINE))
        made.add(_label(tick.x, up(tick.y), tick.label, "end"))
    for bar in chart.bars:
        box = Rect(bar.x, up(bar.y + bar.height), bar.width, bar.height, fillColor=ACCENT, strokeColor=None)
        made.add(box)
    for tick in chart.below:
        made.add(_label(tick.x, up(tick.y), tick.label, "middle"))
    for place, mark in enumerate(chart.marks):
        top = up(10 + 13 * place)
        made.add(Line(mark.x, top, mark.x, up(chart.floor), strokeColor=INK, strokeDashArray=[3, 3]))
        near = mark.x < chart.width - 140
        words = _label(mark.x + (5 if near else -5), top - 4, mark.label, "start" if near else "end")
        words.fontName, words.fillColor = BOLD, INK
        made.add(words)
    return made


def _label(x: float, y: float, words: str, anchor: str) -> String:
    return String(x, y, words, fontName=SANS, fontSize=12, fillColor=MUTED, textAnchor=anchor)


def _paragraph(part: Any, style: ParagraphStyle) -> Paragraph:
    """Return a paragraph of the text of an element, without markup."""
    return Paragraph(escape(part.text or "", quote=False), style)
