"""What other areas show at the top of a release's page: the decision to take, the reading of a sample."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import Request
from markupsafe import Markup

from nocturne_pages.access import Visitor

Panel = Callable[[Request, Visitor, str], Markup | None]

# An area adds its own when its module of `routes` is imported. A panel is called with the request, the visitor and the
# key of an interval that a run has worked on; what it gives (`pages.fragment` makes one) is a <section> with an <h2>,
# or None for nothing. It decides by itself what the visitor's permissions let be shown.
PANELS: list[Panel] = []


def panels(request: Request, visitor: Visitor, interval_key: str) -> list[Markup]:
    """What there is to show above the figures of an interval, in the order of registration."""
    made = (panel(request, visitor, interval_key) for panel in PANELS)
    return [section for section in made if section is not None]
