"""Figures of a report to self-contained pages, and the files that stewards read."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from deid.config.settings import settings
from deid.domain.writing import replacing
from deid.reports.figures import Figures, gather, gather_checks, pages_of_checks
from deid.reports.numbers import Writer
from deid.reports.view import TONES, view
from deid.reports.wording import WORDING

log = logging.getLogger(__name__)

TEMPLATES = Path(__file__).parent / "templates"


def render(figures: Figures, lang: str = "fr", data_docs: Mapping[str, str] = MappingProxyType({})) -> str:
    """The page of one interval in `lang` ("fr" or "en"); `data_docs` is a page of Great Expectations by suite."""
    return template("report.html.j2").render(**view(figures, lang), style=_style(), data_docs=data_docs)


def render_index(reports: Sequence[Figures]) -> str:
    """The list of reports in French, newest interval first."""
    ordered = sorted(reports, key=lambda figures: figures["interval"]["key"], reverse=True)
    return template("index.html.j2").render(
        reports=ordered, t=WORDING["fr"], w=Writer("fr"), lang="fr", tones=TONES, style=_style()
    )


@cache
def template(name: str) -> Template:
    """Return a template of `templates`; one of HTML escapes its values. A name that it is not given is an error."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template(name)


@cache
def _style() -> str:
    return (TEMPLATES / "report.css").read_text(encoding="utf-8")


# ---- Files of a report
def write_report(interval_key: str, folder: Path) -> dict[str, str]:
    """Gather and write the report of `interval_key`; return the paths `html`, `html_en`, `json` and `index`.

    The report links to the pages of Great Expectations, where `write_checks` wrote them.

    Raises:
        InputRefused: no run ever worked on this interval.
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
    data_docs = {suite: page for suite, page in pages_of_checks(figures).items() if (folder / page).exists()}
    replace_file(paths["html"], render(figures, "fr", data_docs))
    replace_file(paths["html_en"], render(figures, "en", data_docs))
    replace_file(paths["index"], render_index([_read(path) for path in folder.glob("*.json")]))
    return {name: str(path.resolve()) for name, path in paths.items()}


def write_checks(interval_key: str, folder: Path) -> None:
    """Write the suites, results and pages of Great Expectations of an interval, unless the setting `data_docs` is off.

    Meant for the process that judged its runs, which has loaded Great Expectations. A failure is logged: nothing else
    depends on these files.
    """
    if not settings().data_docs:
        return
    from deid.reports.data_docs import write_data_docs  # seconds to import

    try:
        write_data_docs(*gather_checks(interval_key), folder)
    except Exception as error:
        log.warning("no pages of Great Expectations for %s: %s", interval_key, type(error).__name__)


def _read(path: Path) -> Figures:
    figures: Figures = json.loads(path.read_text(encoding="utf-8"))
    return figures


def replace_file(path: Path, text: str) -> Path:
    """Replace a file by a text at once, and return its path."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    return path
