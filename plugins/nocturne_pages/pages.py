"""Rendering of pages: templates, wording, numbers in the format of the language."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

from airflow.configuration import conf
from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from deid.config.settings import settings
from deid.domain.outcomes import StoredFile
from deid.reports.numbers import Writer
from deid.reports.render import TEMPLATES as REPORT_TEMPLATES
from deid.reports.wording import document_type_words
from nocturne_pages.access import Permission, Visitor
from nocturne_pages.language import words
from nocturne_pages.security import token

TEMPLATES = Path(__file__).parent / "templates"
GUIDE = "stewards"  # page of the documentation site for all areas but these
GUIDES = {
    "reviews": "fr/relecture",
    "quarantine": "fr/quarantaine-et-oppositions",
    "opt_outs": "fr/quarantaine-et-oppositions",
}


def page(
    request: Request, visitor: Visitor, template: str, area: str, status: int = 200, **values: Any
) -> HTMLResponse:
    """Render `templates/<template>` with `values`, in the visitor's language, with the words of `area`.

    A template has `t` (words), `w` (a `Writer` of numbers and days), `type_words` (of a document type's code), `v` (the
    visitor), `Permission`, `csrf` (for forms), `root` (prefix of addresses), `airflow` (address of Airflow), `framed`
    (True inside Airflow's interface), `posted` (True if the page answers a form), `here` (path of the page), `guide`
    (address of its guide, if known) and `lang`.
    """
    return HTMLResponse(_rendered(request, visitor, template, area, values), status)


def fragment(request: Request, visitor: Visitor, template: str, area: str, **values: Any) -> Markup:
    """Render a part of a page, as `page` does, for inclusion in another page."""
    return Markup(_rendered(request, visitor, template, area, values))  # noqa: S704 - templates escape what they show


def download(file: StoredFile, name: str) -> Response:
    """Return a file that the browser saves and never shows; `name` holds letters, digits and hyphens."""
    headers = {"Content-Disposition": f'attachment; filename="{name}{file.suffix}"'}
    return Response(file.content, media_type=file.media_type, headers=headers)


def _rendered(request: Request, visitor: Visitor, template: str, area: str, values: dict[str, Any]) -> str:
    known = {
        "t": words(area, visitor.lang),
        "w": Writer(visitor.lang),
        "type_words": partial(_type_words, visitor.lang),
        "v": visitor,
        "Permission": Permission,
        "csrf": token(visitor.id),
        "root": str(request.scope.get("root_path", "")),
        "airflow": conf.get("api", "base_url", fallback="/").rstrip("/"),
        "lang": visitor.lang,
        "here": request.url.path,
        "guide": _guide(area),
        "posted": request.method == "POST",
        "framed": request.headers.get("Sec-Fetch-Dest") == "iframe",  # shown inside Airflow's interface
    }
    return _environment().get_template(template).render(**known, **values)


def _guide(area: str) -> str:
    site = settings().guides
    return f"{site.rstrip('/')}/{GUIDES.get(area, GUIDE)}.html" if site else ""


def _type_words(lang: str, code: str | None) -> str:
    """Return the words for a document type, then its code; a dash for none."""
    said = document_type_words(code, lang)
    return f"{said} ({code})" if said else code or "—"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader([TEMPLATES, REPORT_TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
