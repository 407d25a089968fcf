"""A release as an A4 PDF document: the figures of its report, as text that can be selected and searched."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

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
_OF_CONSTRAINTS = {"stated": "stated", "kept": "kept", "violated": "violated"}
_OF_AGREEMENT = {"stated": "stated", "violated": "disagreeing"}
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
    made.build(_build_content(figures, seen))
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


def _build_content(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    return [
        *_opening(figures, seen),
        _paragraph(said["checks"], H2),
        _paragraph(said["checks_run"], HEAD),
        _checks(seen["run_checks"], seen, whole=True),
        Spacer(0, 3 * mm),
        _paragraph(said["checks_document"], HEAD),
        *([_checks(seen["failing"], seen, whole=False)] if seen["failing"] else []),
        _paragraph(f"{len(seen['passing'])} {said['all_passed']}.", SMALL),
        *_mentions(seen),
        *_quarantine(seen),
        *_epsilon(seen),
        *_changes(figures, seen),
        Spacer(0, 6 * mm),
        _paragraph(f"{said['footer']} {said['generated']} {write.instant(figures['generated_at'])}.", SMALL),
    ]


def _opening(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write, headline = seen["t"], seen["w"], figures["headline"]
    decision = seen["decision"]
    by = f" {said['by']} {decision['by']}" if decision["by"] else ""
    names = ["seen", "published", "readable", "waiting", "quarantined", "corrected", "withdrawn"]
    names += ["elsewhere"] if headline["elsewhere"] else []
    tiles = Table(
        [
            [_paragraph(write.plain(headline[name]), H2) for name in names],
            [_paragraph(said[name], SMALL) for name in names],
        ],
        [WIDTH / len(names)] * len(names),
    )
    _styled(tiles, LEFTPADDING=0, VALIGN="TOP")
    parts = ", ".join(f"{write.plain(part['count'])} {part['words']}" for part in seen["flow"])
    balance = said["balance"].format(seen=write.plain(figures["balance"]["seen"])) + (f" : {parts}." if parts else ".")
    notes = seen["notes"] or [("good", said["all_clear"])]
    return [
        _paragraph(said["title"], SMALL),
        _paragraph(write.interval(figures["interval"]["key"]), H1),
        _paragraph(f"{said['state_' + figures['state']]}. {decision['words']}{by}.", BODY),
        tiles,
        _paragraph(balance, BODY),
        _paragraph(said["attention"], H2),
        *(_note(kind, sentence) for kind, sentence in notes),
        *_review(figures, seen),
        _paragraph(said["sides"], H2),
        _paragraph(said["sides_caption"], SMALL),
        _table(
            [said["proposed"], said["held_now"]],
            [[row["proposed"], row["held"]] for row in seen["sides"]],
            first=(said["sides_figure"], [row["name"] for row in seen["sides"]]),
            widths=(0.5, 0.25, 0.25),
        ),
        _paragraph(seen["sides_note"], SMALL),
        _paragraph(said["usual"], H2),
        _table(
            [said["now"], said["habit"], said["change"], said["result"]],
            [[row["now"], row["range"] or "–", row["change"] or "–", _usual_words(row, said)] for row in seen["usual"]],
            first=("", [row["name"] for row in seen["usual"]]),
            widths=(0.34, 0.14, 0.24, 0.12, 0.16),
        ),
    ]


def _review(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    """Review of the release by people; nothing where the figures have none."""
    found, said, write = figures.get("review"), seen["t"], seen["w"]
    if not found:
        return []
    state = said["review_closed" if found["closed"] else "review_open"]
    counts = said["review_counts"].format(
        **{name: write.plain(found[name]) for name in ("review_id", "finished", "wanted", "read", "leaking")}
    )
    bound = said["review_bound"].format(words=found["words"][seen["lang"]]) if found["words"] else said["review_unread"]
    provisional = f" {said['review_provisional']}" if found["provisional"] else ""
    return [_paragraph(said["review"], H2), _paragraph(f"{counts} {state} {bound}{provisional}", BODY)]


def _usual_words(row: Mapping[str, Any], said: Mapping[str, str]) -> str:
    return said["not_judged" if not row["range"] else "holds" if row["holds"] else "holds_not"]


def _note(kind: str, sentence: str) -> Flowable:
    note = Table([[_paragraph(sentence, BODY)]], [WIDTH])
    bar = ("LINEBEFORE", (0, 0), (0, -1), 2.5, TONES[kind])
    return _styled(note, bar, BACKGROUND=GROUND, TOPPADDING=2, BOTTOMPADDING=4)


def _checks(rows: Sequence[dict[str, Any]], seen: dict[str, Any], *, whole: bool) -> Flowable:
    said, write = seen["t"], seen["w"]
    states = {"ok": "passed", "absent": "not_verifiable"}
    return _table(
        [said["severity"], said["observed" if whole else "concerned"], said["habit"], said["result"]],
        [
            [
                ", ".join(said[f"severity_{one}"] for one in row.get("severities", [row["severity"]])),
                row["shown"] or "–" if whole else f"{write.plain(row['unexpected'])} / {write.plain(row['elements'])}",
                row["habit"] or "–",
                said[states.get(row["state"], row["state"])],
            ]
            for row in rows
        ],
        first=(said["requirement"], [row["meaning"] for row in rows]),
        widths=(0.46, 0.14, 0.14, 0.1, 0.16),
    )


def _mentions(seen: dict[str, Any]) -> list[Flowable]:
    said, write, heat = seen["t"], seen["w"], seen["heat"]
    if not heat["rows"]:
        return []
    columns = [column or "–" for column in heat["columns"]]
    rows = [[*(write.plain(cell["count"]) for cell in row["cells"]), write.plain(row["total"])] for row in heat["rows"]]
    share = 0.74 / (len(columns) + 1)
    return [
        _paragraph(said["mentions_section"], H2),
        _table(
            [*columns, said["total"]],
            rows,
            first=(said["label"], [row["name"] for row in heat["rows"]]),
            widths=(0.26, *[share] * (len(columns) + 1)),
            size=8.0 if len(columns) <= 10 else 6.5,
        ),
        Spacer(0, 2 * mm),
        *_counted(seen, "constraints", "constraint", _OF_CONSTRAINTS, "violated_share"),
        *_counted(seen, "agreement", "agreement_subject", _OF_AGREEMENT, "disagreeing_share"),
    ]


def _counted(seen: dict[str, Any], part: str, first: str, columns: Mapping[str, str], share: str) -> list[Flowable]:
    """The table of `part`: a row by kind, with its counts (column to the name of its heading) and its share."""
    said, write = seen["t"], seen["w"]
    if not seen[part]:
        return [_paragraph(said[f"{part}_none"], BODY)]
    rows = [[*(write.plain(row[name]) for name in columns), row["share"]] for row in seen[part]]
    width = 0.52 / (len(columns) + 1)
    return [
        _paragraph(said[part], H2),
        _table(
            [*(said[name] for name in columns.values()), said[share]],
            rows,
            first=(said[first], [row["name"] for row in seen[part]]),
            widths=(0.48, *[width] * (len(columns) + 1)),
        ),
    ]


def _quarantine(seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    if not seen["quarantine"]:
        return [_paragraph(said["quarantine"], H2), _paragraph(said["quarantine_empty"], BODY)]
    rows = [[write.plain(row["documents"]), row["words"].remedy] for row in seen["quarantine"]]
    names = [f"{row['words'].title}. {row['words'].meaning}" for row in seen["quarantine"]]
    return [
        _paragraph(said["quarantine"], H2),
        _table([said["documents"], said["remedy"]], rows, first=(said["reason"], names), widths=(0.46, 0.12, 0.42)),
    ]


def _epsilon(seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    if not seen["epsilon_chart"]:
        none = "epsilon_recalled" if seen["f"]["state"] == "recalled" else "epsilon_empty"
        return [_paragraph(said["epsilon"], H2), _paragraph(said[none], BODY)]
    numbers = ("mean", "p50", "p95", "most")
    mechanisms = seen["mechanisms"]
    return [
        _paragraph(said["epsilon"], H2),
        _paragraph(said["epsilon_lead"], SMALL),
        _paragraph(said["epsilon_documents"], HEAD),
        _draw_histogram(seen["epsilon_chart"], WIDTH),
        _table(
            [said[name] for name in ("mechanism", "documents", "mean", "median", "p95", "most")],
            [
                [row["words"], write.plain(row["documents"]), *(write.plain(row[name], 2) for name in numbers)]
                for row in mechanisms
            ],
            first=(said["category"], [said.get(f"category_{row['category']}", row["category"]) for row in mechanisms]),
            widths=(0.2, 0.24, 0.14, 0.1, 0.1, 0.1, 0.12),
        ),
    ]


def _changes(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    if not figures["previous"]:
        return [_paragraph(said["comparison"], H2), _paragraph(said["comparison_none"], BODY)]
    heads = [said["before"], said["now"]]
    content: list[Flowable] = [
        _paragraph(said["comparison"], H2),
        _paragraph(write.interval(figures["previous"]["key"]), BODY),
        _table(
            [*heads, said["change"]],
            [[row["before"], row["now"], row["change"] or "–"] for row in seen["comparison"]],
            first=("", [row["name"] for row in seen["comparison"]]),
            widths=(0.4, 0.2, 0.2, 0.2),
        ),
        _paragraph(said["policy_changes"], HEAD),
    ]
    if changes := seen["policy"]:
        rows = [[one if one is not None else said["absent"] for one in (row["before"], row["now"])] for row in changes]
        content.append(
            _table(
                heads,
                rows,
                first=(said["key"], [row["name"] or row["key"] for row in changes]),
                widths=(0.44, 0.28, 0.28),
            )
        )
    else:
        content.append(_paragraph(said["policy_unknown" if changes is None else "policy_same"], BODY))
    content += [
        _paragraph(said["versions"], HEAD),
        _table(
            heads,
            [[str(row["before"] or "–"), str(row["value"])] for row in seen["versions"]],
            first=("", [row["name"] for row in seen["versions"]]),
            widths=(0.34, 0.33, 0.33),
        ),
    ]
    return content


def _table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    first: tuple[str, Sequence[str]],
    widths: Sequence[float],
    size: float = 8.0,
) -> Flowable:
    """Return a table with its heading on each page; `first` is its first column, `widths` are shares of the page."""
    small = SMALL.clone("cell", fontSize=size, leading=size * 1.28, textColor=BODY.textColor)
    head = SMALL.clone("head", fontSize=size, leading=size * 1.28)
    heading, names = first
    body = [[_paragraph(cell, small) for cell in (name, *row)] for name, row in zip(names, rows, strict=True)]
    made = Table(
        [[_paragraph(cell, head) for cell in (heading, *heads)], *body],
        [WIDTH * share for share in widths],
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


def _paragraph(value: object, style: ParagraphStyle) -> Paragraph:
    """Return a paragraph of plain text, without markup."""
    return Paragraph(escape(str(value), quote=False), style)
