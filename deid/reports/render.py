"""Figures to self-contained HTML: styles and drawings inside the page, nothing fetched from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from deid.reports.figures import Figures
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
