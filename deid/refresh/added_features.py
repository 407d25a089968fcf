"""Health features that a deployment adds to the communes, out of the releases in use of other sources.

The communes are a release of their own with them: its version names the features and the releases they come from, so a
change of either is a new release beside the old one, and a night cites which it used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import features
from deid.refresh.sources import SOURCES
from deid.warehouse.queries import one, query

COMMUNES = "communes"
# A feature that few communes know tells them apart by nothing.
LEAST_KNOWN = Fraction(9, 10)


@dataclass(frozen=True)
class Column:
    """A feature to add: its name, and the release that it comes from."""

    name: str
    source: str
    release_id: int
    version: str
    pathology: str | None


def columns(cursor: Cursor, source: str) -> Sequence[Column]:
    """The features that the configuration adds to `source`, by name: none but to the communes.

    Raises:
        ReferenceRefused: the source of one has no release in use. SettingsError: the configuration cannot be read.
    """
    wanted = features() if source == COMMUNES else {}
    if not wanted:
        return ()
    cursor.execute(query("ref", "release", "in_use"), {"source": None})
    in_use = {row[0]: (int(row[1]), str(row[2])) for row in cursor}
    for name, feature in wanted.items():
        if feature.source not in in_use:
            raise ReferenceRefused(
                f"communes: the feature {name} comes from {feature.source}, which has no release in use.",
                f"Say where {feature.source} is read (docs/reference-data.md) and refresh it first.",
            )
    return tuple(
        Column(name, feature.source, *in_use[feature.source], feature.pathology)
        for name, feature in sorted(wanted.items())
    )


def digits(added: Sequence[Column]) -> str:
    """What names the features in the version of a release: empty for none, else "-" and 8 hexadecimal digits."""
    if not added:
        return ""
    written = "\n".join(f"{column.name} {column.version} {column.pathology or ''}" for column in added)
    return f"-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def add(cursor: Cursor, added: Sequence[Column]) -> None:
    """Write the features into the staged communes, and flag those that are not a commune's own.

    Raises:
        ReferenceRefused: a feature is known of too few communes.
    """
    for column in added:
        facts: dict[str, Any] = {"name": column.name, "release_id": column.release_id, "pathology": column.pathology}
        cursor.execute(query("ref", "commune", f"add_{SOURCES[column.source].table}"), facts)
        known, communes = one(cursor)
        if known < LEAST_KNOWN * communes:
            raise ReferenceRefused(
                f"communes: the feature {column.name} is known of {known} of {communes} communes.",
                f"Check the code of its pathology, or the edition of {column.source}; the release in use stays.",
            )
