"""The tables of a release as CSV, one file each, in a zip."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from deid.reports.figures import Figures
from deid.reports.view import view

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same figures give the same bytes


def zipped(figures: Figures, lang: str) -> bytes:
    """A zip of the tables. French spreadsheets part columns by ";" and write decimals with a comma: so does `fr`."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in tables(figures, lang).items():
            entry = zipfile.ZipInfo(f"{figures['interval']['key']}/{name}.csv", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _csv(rows, lang))
    return held.getvalue()


def tables(figures: Figures, lang: str) -> dict[str, list[list[Any]]]:
    """Each table by name: a row of headings, then rows of values."""
    seen = view(figures, lang)
    said = seen["t"]
    checks = [*seen["run_checks"], *seen["failing"], *seen["passing"]]
    cells = figures["mentions"]["counts"]
    return {
        "headline": [["figure", "value"], *([name, value] for name, value in figures["headline"].items())],
        "checks": [
            [
                "suite",
                "rule",
                said["requirement"],
                "severity",
                "success",
                "elements",
                "unexpected",
                "observed",
                "usual",
            ],
            *(
                [
                    *(check[name] for name in ("suite", "rule", "meaning", "severity", "success")),
                    *(check[name] for name in ("elements", "unexpected", "observed")),
                    (check["usual"] or {}).get("median"),
                ]
                for check in checks
            ),
        ],
        "usual": [
            ["measure", "value", "median", "low", "high", "intervals", "usual"],
            *(
                [
                    row["measure"],
                    row["value"],
                    *((row["habit"] or {}).get(name) for name in ("median", "low", "high", "intervals")),
                    row["holds"],
                ]
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
        "policy_changes": [
            ["key", "before", "now"],
            *([row["key"], row["before"], row["now"]] for row in figures["policy_changes"] or ()),
        ],
        "versions": [
            ["part", "before", "now", "changed"],
            *([row["name"], row["before"], row["value"], row["changed"]] for row in seen["versions"]),
        ],
        "quarantine": _named(figures["quarantine"], ("reason", "step", "documents")),
        "types": _named(
            figures["types"],
            ("document_type", "documents", "quarantined", "characters", "median_characters", "mentions"),
        ),
        "epsilon": _named(
            figures["epsilon"]["mechanisms"],
            ("category", "mechanism", "documents", "elements", "mean", "p50", "p95", "most"),
        ),
        "epsilon_histogram": _named(figures["epsilon"]["histogram"], ("from", "to", "documents")),
        "steps": _named(figures["steps"], ("step", "batches", "seconds", "documents", "characters", "peak_rss_mb")),
        "references": _named(
            figures["references"],
            ("source", "version", "loaded_at", "age_days", "most_days", "old", "rows", "drift", "used"),
        ),
    }


def _named(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[list[Any]]:
    return [list(names), *([row[name] for name in names] for row in rows)]


def _csv(rows: Sequence[Sequence[Any]], lang: str) -> str:
    held = io.StringIO()
    writer = csv.writer(held, delimiter=";" if lang == "fr" else ",", lineterminator="\r\n")
    writer.writerows([_cell(value, lang) for value in row] for row in rows)
    return "\ufeff" + held.getvalue()  # spreadsheets take a file without a mark for Windows-1252


def _cell(value: Any, lang: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        text = f"{value:.10g}"
        return text.replace(".", ",") if lang == "fr" else text
    text = str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text
