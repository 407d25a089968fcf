"""Panels of other areas at the top of a release's page: the decision, and the review of a sample."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from markupsafe import Markup

from nocturne_pages.access import Visitor

Panel = Callable[[Request, Visitor, str], Markup | None]

# Each area registers its panel when its module of `routes` is imported. A panel is called with the request, the visitor
# and the key of a processed interval; it returns a <section> with an <h2> (see `pages.fragment`), or None. The panel
# checks the visitor's permissions itself.
PANELS: list[Panel] = []


def panels(request: Request, visitor: Visitor, interval_key: str) -> list[Markup]:
    """Return the panels of an interval, in order of registration."""
    made = (panel(request, visitor, interval_key) for panel in PANELS)
    return [section for section in made if section is not None]
