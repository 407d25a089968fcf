"""DejaVu Sans, which ships (LICENSE_DEJAVU): the standard fonts of PDF lack Greek letters, ε and −."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

SANS, BOLD = "DejaVuSans", "DejaVuSans-Bold"


@cache
def registered(name: str) -> str:
    """Return the name of a typeface, `SANS` or `BOLD`, which reportlab knows from now on."""
    registerFont(TTFont(name, str(Path(__file__).with_name(f"{name}.ttf"))))
    return name
