"""The report's histogram, drawn in a printed document."""

from __future__ import annotations

from reportlab.graphics.shapes import Drawing, Line, Rect, String

from deid.reports.charts import Histogram
from deid.stewardship.exports.style import ACCENT, BOLD, FONT, INK, LINE, MUTED


def histogram(chart: Histogram, width: float) -> Drawing:
    """The chart `width` points wide; SVG counts down the page, PDF up it."""
    scale = width / chart.width
    made = Drawing(width, chart.height * scale)
    made.scale(scale, scale)

    def up(y: float) -> float:
        return chart.height - y

    for tick in chart.beside:
        made.add(Line(chart.left, up(tick.y - 4), chart.right, up(tick.y - 4), strokeColor=LINE))
        made.add(_words(tick.x, up(tick.y), tick.label, "end"))
    for bar in chart.bars:
        box = Rect(bar.x, up(bar.y + bar.height), bar.width, bar.height, fillColor=ACCENT, strokeColor=None)
        made.add(box)
    for tick in chart.below:
        made.add(_words(tick.x, up(tick.y), tick.label, "middle"))
    for place, mark in enumerate(chart.marks):
        top = up(10 + 13 * place)
        made.add(Line(mark.x, top, mark.x, up(chart.floor), strokeColor=INK, strokeDashArray=[3, 3]))
        near = mark.x < chart.width - 140
        words = _words(mark.x + (5 if near else -5), top - 4, mark.label, "start" if near else "end")
        words.fontName, words.fillColor = BOLD, INK
        made.add(words)
    return made


def _words(x: float, y: float, words: str, anchor: str) -> String:
    return String(x, y, words, fontName=FONT, fontSize=12, fillColor=MUTED, textAnchor=anchor)
