"""A release's figures to take away: a document to print, the report's page, its tables as CSV, its numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from deid.reports.figures import Figures
from deid.reports.render import render
from deid.stewardship.exports.tables import zipped

# Form → media type, ending of the file's name.
FORMS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "pdf": ("application/pdf", "pdf"),
        "html": ("text/html; charset=utf-8", "html"),
        "csv": ("application/zip", "csv.zip"),
        "json": ("application/json", "json"),
    }
)


def exported(figures: Figures, form: str, lang: str) -> bytes:
    """The figures of an interval as one of `FORMS`, in `lang` ("fr" or "en"): numbers only, like the report.

    Raises:
        KeyError: there is no such form.
    """
    makers: Mapping[str, Callable[[], bytes]] = {
        "pdf": lambda: _pdf(figures, lang),
        "html": lambda: render(figures, lang).encode(),
        "csv": lambda: zipped(figures, lang),
        "json": lambda: (json.dumps(figures, ensure_ascii=False, indent=1) + "\n").encode(),
    }
    return makers[form]()


def _pdf(figures: Figures, lang: str) -> bytes:
    from deid.stewardship.exports.document import document  # fonts and layout, for this export only

    return document(figures, lang)
