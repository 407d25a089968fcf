"""Tables of the reference versions in use."""

from __future__ import annotations

from deid.database.connection import connect
from deid.reference.communes import CommuneTable
from deid.refresh.reference_versions import versions_in_use
from deid.refresh.tables import read_communes


def communes_in_use(dsn: str) -> CommuneTable:
    """Return the commune table, read row by row."""
    with connect(dsn) as link, link.cursor() as cursor:
        return read_communes(cursor, versions_in_use(cursor))
