"""From values to an answer: templates, words, numbers as the language writes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from airflow.configuration import conf
from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from deid.quality.report.numbers import Writer
from nocturne_pages.access import Power, Visitor
from nocturne_pages.language import words
from nocturne_pages.security import token

TEMPLATES = Path(__file__).parent / "templates"


def page(
    request: Request, visitor: Visitor, template: str, area: str, status: int = 200, **values: Any
) -> HTMLResponse:
    """The page that `templates/<template>` makes of `values`, in the visitor's language, with the words of `area`.

    A template finds `t` (words), `w` (a `Writer` of numbers and days), `v` (the visitor), `Power`, `csrf` (for forms),
    `root` (prefix of addresses), `airflow` (address of Airflow) and `lang`.
    """
    known = {
        "t": words(area, visitor.lang),
        "w": Writer(visitor.lang),
        "v": visitor,
        "Power": Power,
        "csrf": token(visitor.id),
        "root": str(request.scope.get("root_path", "")),
        "airflow": conf.get("api", "base_url", fallback="/").rstrip("/"),
        "lang": visitor.lang,
        "here": request.url.path,
    }
    return HTMLResponse(_environment().get_template(template).render(**known, **values), status)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
