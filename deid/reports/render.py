"""Figures of a report to self-contained pages, and the files that stewards read."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from deid.reports.figures import Figures, gather
from deid.reports.numbers import Writer
from deid.reports.view import TONES, view
from deid.reports.wording import WORDING

TEMPLATES = Path(__file__).parent / "templates"


def render(figures: Figures, lang: str = "fr") -> str:
    """The page of one interval in `lang` ("fr" or "en")."""
    return _template("report.html.j2").render(**view(figures, lang), style=_style())


def render_index(reports: Sequence[Figures], lang: str = "fr") -> str:
    """The list of reports, newest interval first."""
    ordered = sorted(reports, key=lambda figures: figures["interval"]["key"], reverse=True)
    return _template("index.html.j2").render(
        reports=ordered, t=WORDING[lang], w=Writer(lang), lang=lang, tones=TONES, style=_style()
    )


def _template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _style() -> str:
    return (TEMPLATES / "report.css").read_text(encoding="utf-8")


# ---- Files of a report
def write_report(interval_key: str, folder: Path) -> dict[str, str]:
    """Gather and write the report of `interval_key`; return the paths `html`, `html_en`, `json` and `index`.

    Raises:
        InputRefused: no run ever worked on this interval.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    figures = gather(interval_key)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        "html": folder / f"{interval_key}.html",
        "html_en": folder / f"{interval_key}.en.html",
        "json": folder / f"{interval_key}.json",
        "index": folder / "index.html",
    }
    replace_file(paths["json"], json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
    replace_file(paths["html"], render(figures, "fr"))
    replace_file(paths["html_en"], render(figures, "en"))
    replace_file(paths["index"], render_index([_read(path) for path in folder.glob("*.json")]))
    return {name: str(path.resolve()) for name, path in paths.items()}


def _read(path: Path) -> Figures:
    figures: Figures = json.loads(path.read_text(encoding="utf-8"))
    return figures


def replace_file(path: Path, text: str) -> Path:
    """Write beside, then rename: a reader never finds half a page. Return the path."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    return beside.replace(path)
