"""One module per area, each with a `router`; a module that lies here is served."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from fastapi import APIRouter


def routers() -> Iterator[APIRouter]:
    """The routers of the areas, by name."""
    for module in sorted(found.name for found in iter_modules(__path__)):
        yield import_module(f"{__name__}.{module}").router
