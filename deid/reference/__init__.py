"""Reference tables: communes with health features, streets, establishments, health professionals.

`refresh` and `versions` are imported on first use: who only reads the packaged table needs neither requests
nor a database driver.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from deid.reference.communes import Commune, CommuneTable, Establishment
from deid.reference.sources import SOURCES, Source

if TYPE_CHECKING:
    from deid.reference.database import versions
    from deid.reference.refreshing import refresh

__all__ = ["SOURCES", "Commune", "CommuneTable", "Establishment", "Source", "refresh", "versions"]

_LATE = {"refresh": "deid.reference.refreshing", "versions": "deid.reference.database"}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
