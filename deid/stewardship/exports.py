"""Exports of a release's figures: PDF document, HTML report, CSV tables in a zip, JSON. Numbers only."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from deid.database.connection import open_cursor
from deid.database.queries import Cursor
from deid.formats.formulas import guarded
from deid.reports.figures import Figures, gather
from deid.reports.render import render
from deid.reports.view import BALANCE, view
from deid.reviews.estimate import bound_in_words, estimate_leaks
from deid.reviews.lifecycle import find_reported_review
from deid.reviews.progress import list_sampled

# Form → media type, file extension.
FORMS: Mapping[str, tuple[str, str]] = {
    "pdf": ("application/pdf", "pdf"),
    "html": ("text/html; charset=utf-8", "html"),
    "csv": ("application/zip", "csv.zip"),
    "json": ("application/json", "json"),
}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # fixed, so that equal figures give equal bytes
# Tables that are rows of records, and their columns.
_TABLES = {
    "constraints": "kind stated violated documents documents_violated",
    "agreement": "kind stated violated documents documents_violated",
    "policy_changes": "key before now",
    "quarantine": "reason step documents",
    "waived": "side check_name documents",
    "steps": "step batches seconds documents characters peak_rss_mb",
    "references": "source version loaded_at age_days most_days old rows drift used",
    "review": "review_id finished wanted closed population read leaking at_most confidence provisional detection",
    "evaluation": "measure value low high n policy_hash at",
    "versions": "part before now changed",
    "sides": "side document_type documents characters median_characters mentions epsilon",
    "epsilon": "category mechanism documents elements mean p50 p95 most",
    "epsilon_histogram": "from to documents",
}
_CHECK = tuple("suite rule meaning severity success elements unexpected observed run_id documents".split())
_HABIT = ("median", "low", "high", "intervals")


def gather_release(interval_key: str) -> Figures:
    """Return the figures of an interval, and those of its review: None without one.

    Raises:
        InputRefused: no run ever worked on this interval.
    """
    with open_cursor("steward", "nocturne export", readonly=True) as cursor:
        return {**gather(interval_key), "review": _review(cursor, interval_key)}


def _review(cursor: Cursor, interval_key: str) -> Figures | None:
    """The review of what waits in an interval, else its latest; `words` of its bound are None before a reading."""
    _, review = find_reported_review(cursor, interval_key)
    if review is None:
        return None
    found = estimate_leaks(review, list_sampled(cursor, review.review_id))
    return {
        **{name: getattr(review, name) for name in ("review_id", "finished", "wanted", "closed", "confidence")},
        "population": found.population if found else review.population,
        "read": found.read if found else 0,
        "leaking": found.leaking if found else 0,
        "at_most": found.at_most if found else None,
        "provisional": found is not None and found.provisional,
        "detection": found.detection if found else None,  # of all readings together
        "words": {lang: bound_in_words(found, lang) for lang in ("fr", "en")} if found else None,
    }


def export_figures(figures: Figures, form: str, lang: str) -> bytes:
    """Return the figures of an interval in one of `FORMS`, in `lang` ("fr" or "en").

    Raises:
        KeyError: unknown form.
    """
    makers: Mapping[str, Callable[[], bytes]] = {
        "pdf": lambda: _pdf(figures, lang),
        "html": lambda: render(figures, lang).encode(),
        "csv": lambda: zip_tables(figures, lang),
        "json": lambda: (json.dumps(figures, ensure_ascii=False, indent=1) + "\n").encode(),
    }
    return makers[form]()


def _pdf(figures: Figures, lang: str) -> bytes:
    from deid.reports.pdf import render_pdf  # ReportLab, for this export only

    return render_pdf(figures, lang)


def zip_tables(figures: Figures, lang: str) -> bytes:
    """Return a zip of CSV tables. In `fr`, columns are separated by ";" and decimals by a comma, as in spreadsheets."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in export_tables(figures, lang).items():
            entry = zipfile.ZipInfo(f"{figures['interval']['key']}/{name}.csv", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _to_csv(rows, lang))
    return held.getvalue()


def export_tables(figures: Figures, lang: str) -> dict[str, list[list[Any]]]:
    """Return each table by name: a row of headings, then rows of values."""
    seen = view(figures, lang)
    checks = [*seen["run_checks"], *seen["failing"], *seen["passing"]]
    cells = figures["mentions"]["counts"]
    records = {
        **{name: figures.get(name) or () for name in _TABLES},
        "review": [figures["review"]] if figures.get("review") else [],
        "evaluation": [row for row in figures["evaluation"] if row["interval_key"] == figures["interval"]["key"]],
        "versions": [row | {"part": row["name"], "now": row["value"]} for row in seen["versions"]],
        "sides": [row for side in figures["sides"].values() for row in side["types"]],
        "epsilon": figures["epsilon"]["mechanisms"],
        "epsilon_histogram": figures["epsilon"]["histogram"],
    }
    return {
        "headline": [["figure", "value"], *([name, value] for name, value in figures["headline"].items())],
        "balance": [["part", "documents"], *([name, figures["balance"][name]] for name in ("seen", *BALANCE))],
        "checks": [
            [*_CHECK[:2], seen["t"]["requirement"], *_CHECK[3:], "usual"],
            *([*(check[name] for name in _CHECK), (check["usual"] or {}).get("median")] for check in checks),
        ],
        "usual": [
            ["measure", "value", *_HABIT, "usual"],
            *(
                [row["measure"], row["value"], *((row["habit"] or {}).get(name) for name in _HABIT), row["holds"]]
                for row in figures["usual"]
            ),
        ],
        "mentions": [
            ["label", "document_type", "mentions"],
            *(
                [label, kind, counts[label]]
                for kind, counts in sorted(cells.items())
                for label in figures["mentions"]["labels"]
                if label in counts
            ),
        ],
        **{name: _select_columns(records[name], columns.split()) for name, columns in _TABLES.items()},
        "files": [
            ["format", "documents", "removed", "number"],
            *(
                [row["format"], row["documents"], kind, number]
                for row in figures["files"]
                for kind, number in sorted(row["removed"].items()) or [("", 0)]
            ),
        ],
    }


def _select_columns(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[list[Any]]:
    return [list(names), *([row[name] for name in names] for row in rows)]


def _to_csv(rows: Sequence[Sequence[Any]], lang: str) -> str:
    held = io.StringIO()
    writer = csv.writer(held, delimiter=";" if lang == "fr" else ",", lineterminator="\r\n")
    writer.writerows([_to_cell(value, lang) for value in row] for row in rows)
    return "\ufeff" + held.getvalue()  # spreadsheets read a file without a byte-order mark as Windows-1252


def _to_cell(value: Any, lang: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        text = f"{value:.10g}"
        return text.replace(".", ",") if lang == "fr" else text
    text = str(value)
    return guarded(text) if isinstance(value, str) else text
