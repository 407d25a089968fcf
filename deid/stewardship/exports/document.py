"""A release as an A4 document to print or file: the report's figures, in text that can be selected and searched."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Spacer, Table, TableStyle

from deid.reports.figures import Figures
from deid.reports.view import view
from deid.stewardship.exports.drawing import histogram
from deid.stewardship.exports.style import (
    BAD,
    BODY,
    FONT,
    GOOD,
    GROUND,
    H1,
    H2,
    HEAD,
    INFO,
    LINE,
    MUTED,
    SMALL,
    WARN,
    fonts,
    text,
)

WIDTH = A4[0] - 36 * mm
TONES = {"good": GOOD, "warn": WARN, "bad": BAD, "info": INFO}


def document(figures: Figures, lang: str) -> bytes:
    """The PDF of an interval's figures, in `lang` ("fr" or "en")."""
    fonts()
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
        invariant=True,  # no clock in the file: the same figures give the same bytes
    )
    frame = Frame(made.leftMargin, made.bottomMargin, made.width, made.height, 0, 0, 0, 0)
    made.addPageTemplates(PageTemplate("page", frame, onPage=_foot(title, seen)))
    made.build(_story(figures, seen))
    return held.getvalue()


def _foot(title: str, seen: dict[str, Any]) -> Any:
    def draw(canvas: Any, made: Any) -> None:
        canvas.saveState()
        canvas.setFont(FONT, 7.5)
        canvas.setFillColor(MUTED)
        canvas.drawString(18 * mm, 10 * mm, f"{title} · {seen['t']['product']}")
        canvas.drawRightString(A4[0] - 18 * mm, 10 * mm, str(made.page))
        canvas.restoreState()

    return draw


def _story(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    return [
        *_opening(figures, seen),
        Paragraph(text(said["checks"]), H2),
        Paragraph(text(said["checks_run"]), HEAD),
        _checks(seen["run_checks"], seen, whole=True),
        Spacer(0, 3 * mm),
        Paragraph(text(said["checks_document"]), HEAD),
        *([_checks(seen["failing"], seen, whole=False)] if seen["failing"] else []),
        Paragraph(text(f"{len(seen['passing'])} {said['all_passed']}."), SMALL),
        *_mentions(seen),
        *_quarantine(seen),
        *_epsilon(figures, seen),
        *_changes(figures, seen),
        Spacer(0, 6 * mm),
        Paragraph(text(f"{said['footer']} {said['generated']} {write.instant(figures['generated_at'])}."), SMALL),
    ]


def _opening(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write, headline = seen["t"], seen["w"], figures["headline"]
    decision = seen["decision"]
    by = f" {said['by']} {decision['by']}" if decision["by"] else ""
    names = ("seen", "published", "waiting", "quarantined", "corrected", "withdrawn")
    tiles = Table(
        [
            [Paragraph(text(write.plain(headline[name])), H2) for name in names],
            [Paragraph(text(said[name]), SMALL) for name in names],
        ],
        [WIDTH / len(names)] * len(names),
    )
    tiles.setStyle(TableStyle([("LEFTPADDING", (0, 0), (-1, -1), 0), ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    notes = seen["notes"] or [("good", said["all_clear"])]
    return [
        Paragraph(text(said["title"]), SMALL),
        Paragraph(text(write.interval(figures["interval"]["key"])), H1),
        Paragraph(text(f"{said['state_' + figures['state']]}. {decision['words']}{by}."), BODY),
        tiles,
        Paragraph(text(said["attention"]), H2),
        *(_note(kind, sentence) for kind, sentence in notes),
        Paragraph(text(said["usual"]), H2),
        _table(
            [said["now"], said["habit"], said["change"], said["result"]],
            [
                [row["now"], row["range"] or "–", row["change"] or "–", said["holds" if row["holds"] else "holds_not"]]
                for row in seen["usual"]
            ],
            first=("", [row["name"] for row in seen["usual"]]),
            widths=(0.34, 0.14, 0.24, 0.12, 0.16),
        ),
    ]


def _note(kind: str, sentence: str) -> Flowable:
    note = Table([[Paragraph(text(sentence), BODY)]], [WIDTH])
    note.setStyle(
        TableStyle(
            [
                ("LINEBEFORE", (0, 0), (0, -1), 2.5, TONES[kind]),
                ("BACKGROUND", (0, 0), (-1, -1), GROUND),
                ("TOPPADDING", (0, 0), (-1, -1), 2),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
            ]
        )
    )
    return note


def _checks(rows: Sequence[dict[str, Any]], seen: dict[str, Any], *, whole: bool) -> Flowable:
    said, write = seen["t"], seen["w"]
    states = {
        "ok": "passed",
        "failed": "failed",
        "held": "held",
        "raised": "raised",
        "counted": "counted",
        "absent": "not_judged",
    }
    return _table(
        [said["severity"], said["observed" if whole else "concerned"], said["habit"], said["result"]],
        [
            [
                ", ".join(said[f"severity_{one}"] for one in row.get("severities", [row["severity"]])),
                row["shown"] or "–" if whole else f"{write.plain(row['unexpected'])} / {write.plain(row['elements'])}",
                row["habit"] or "–",
                said[states[row["state"]]],
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
        Paragraph(text(said["mentions_section"]), H2),
        _table(
            [*columns, said["total"]],
            rows,
            first=(said["label"], [row["name"] for row in heat["rows"]]),
            widths=(0.26, *[share] * (len(columns) + 1)),
            size=8.0 if len(columns) <= 10 else 6.5,
        ),
        Spacer(0, 2 * mm),
        Paragraph(text(f"{said['durations']}. {seen['durations'] or said['durations_none']}"), BODY),
    ]


def _quarantine(seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    if not seen["quarantine"]:
        return [Paragraph(text(said["quarantine"]), H2), Paragraph(text(said["quarantine_empty"]), BODY)]
    rows = [[write.plain(row["documents"]), row["words"].remedy] for row in seen["quarantine"]]
    names = [f"{row['words'].title}. {row['words'].meaning}" for row in seen["quarantine"]]
    return [
        Paragraph(text(said["quarantine"]), H2),
        _table([said["documents"], said["remedy"]], rows, first=(said["reason"], names), widths=(0.46, 0.12, 0.42)),
    ]


def _epsilon(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    if not seen["epsilon_chart"]:
        return [Paragraph(text(said["epsilon"]), H2), Paragraph(text(said["epsilon_empty"]), BODY)]
    numbers = ("mean", "p50", "p95", "most")
    mechanisms = figures["epsilon"]["mechanisms"]
    return [
        Paragraph(text(said["epsilon"]), H2),
        Paragraph(text(said["epsilon_lead"]), SMALL),
        Paragraph(text(said["epsilon_documents"]), HEAD),
        histogram(seen["epsilon_chart"], WIDTH),
        _table(
            [said[name] for name in ("mechanism", "documents", "mean", "median", "p95", "most")],
            [
                [row["mechanism"], write.plain(row["documents"]), *(write.plain(row[name], 2) for name in numbers)]
                for row in mechanisms
            ],
            first=(said["category"], [said.get(f"category_{row['category']}", row["category"]) for row in mechanisms]),
            widths=(0.2, 0.24, 0.14, 0.1, 0.1, 0.1, 0.12),
        ),
    ]


def _changes(figures: Figures, seen: dict[str, Any]) -> list[Flowable]:
    said, write = seen["t"], seen["w"]
    if not figures["previous"]:
        return [Paragraph(text(said["comparison"]), H2), Paragraph(text(said["comparison_none"]), BODY)]
    heads = [said["before"], said["now"]]
    story: list[Flowable] = [
        Paragraph(text(said["comparison"]), H2),
        Paragraph(text(write.interval(figures["previous"]["key"])), BODY),
        _table(
            [*heads, said["change"]],
            [[row["before"], row["now"], row["change"] or "–"] for row in seen["comparison"]],
            first=("", [row["name"] for row in seen["comparison"]]),
            widths=(0.4, 0.2, 0.2, 0.2),
        ),
        Paragraph(text(said["policy_changes"]), HEAD),
    ]
    if changes := figures["policy_changes"]:
        rows = [[one if one is not None else said["absent"] for one in (row["before"], row["now"])] for row in changes]
        story.append(
            _table(heads, rows, first=(said["key"], [row["key"] for row in changes]), widths=(0.44, 0.28, 0.28))
        )
    else:
        story.append(Paragraph(text(said["policy_unknown" if changes is None else "policy_same"]), BODY))
    story += [
        Paragraph(text(said["versions"]), HEAD),
        _table(
            heads,
            [[str(row["before"] or "–"), str(row["value"])] for row in seen["versions"]],
            first=("", [row["name"] for row in seen["versions"]]),
            widths=(0.34, 0.33, 0.33),
        ),
    ]
    return story


def _table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    first: tuple[str, Sequence[str]],
    widths: Sequence[float],
    size: float = 8.0,
) -> Flowable:
    """A table whose heading comes again on each page; `first` is its first column, `widths` are shares of the page."""
    small = SMALL.clone("cell", fontSize=size, leading=size * 1.28, textColor=BODY.textColor)
    head = SMALL.clone("head", fontSize=size, leading=size * 1.28)
    heading, names = first
    body = [[Paragraph(text(cell), small) for cell in (name, *row)] for name, row in zip(names, rows, strict=True)]
    made = Table(
        [[Paragraph(text(cell), head) for cell in (heading, *heads)], *body],
        [WIDTH * share for share in widths],
        repeatRows=1,
    )
    made.setStyle(
        TableStyle(
            [
                ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("RIGHTPADDING", (0, 0), (-1, -1), 4),
                ("TOPPADDING", (0, 0), (-1, -1), 2),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
            ]
        )
    )
    return made
