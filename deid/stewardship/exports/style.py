"""Fonts, colours and styles of the printed document."""

from __future__ import annotations

import importlib.util
from functools import cache
from html import escape
from pathlib import Path

from reportlab.lib.colors import HexColor
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import registerFont, registerFontFamily
from reportlab.pdfbase.ttfonts import TTFont

FONT, BOLD = "NocturneSans", "NocturneSans-Bold"
INK, MUTED, LINE = HexColor("#17212b"), HexColor("#56626f"), HexColor("#c9d0d8")
ACCENT, GROUND = HexColor("#1d5c9e"), HexColor("#f4f6f8")
GOOD, WARN, BAD, INFO = HexColor("#17714f"), HexColor("#b26a00"), HexColor("#a3261f"), HexColor("#1d5c9e")

BODY = ParagraphStyle("body", fontName=FONT, fontSize=9, leading=12.5, textColor=INK, spaceAfter=4)
SMALL = ParagraphStyle("small", parent=BODY, fontSize=8, leading=10.5, textColor=MUTED)
H1 = ParagraphStyle("h1", parent=BODY, fontName=BOLD, fontSize=18, leading=22, spaceAfter=4)
H2 = ParagraphStyle("h2", parent=BODY, fontName=BOLD, fontSize=12, leading=15, spaceBefore=10, keepWithNext=1)
HEAD = ParagraphStyle("head", parent=BODY, fontName=BOLD, fontSize=9.5, leading=12, spaceBefore=6, keepWithNext=1)


@cache
def fonts() -> None:
    """Register DejaVu Sans (free to embed), which Matplotlib brings along: PDF's own fonts have no ε nor −."""
    found = importlib.util.find_spec("matplotlib")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("Matplotlib, whose fonts the document uses, is not installed")
    folder = Path(found.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
    registerFont(TTFont(FONT, str(folder / "DejaVuSans.ttf")))
    registerFont(TTFont(BOLD, str(folder / "DejaVuSans-Bold.ttf")))
    registerFontFamily(FONT, normal=FONT, bold=BOLD, italic=FONT, boldItalic=BOLD)


def text(value: object) -> str:
    """`value` as a paragraph shows it, markup and all."""
    return escape(str(value), quote=False)
