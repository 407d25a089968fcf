"""Health features that the configuration adds to the communes, from the versions in use of other sources.

The name of the commune version contains a digest of the added features and of the versions they come from. A change of
either gives a new version, and a run cites the version that it used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import configured_features
from deid.refresh.reference_versions import versions_in_use
from deid.refresh.sources import SOURCES
from deid.warehouse.queries import one, query

COMMUNES = "communes"
# Least share of communes for which a feature is known.
LEAST_KNOWN = Fraction(9, 10)


@dataclass(frozen=True)
class AddedFeature:
    """A feature to add, and the reference version that it comes from."""

    name: str
    source: str
    release_id: int
    version: str
    pathology: str | None


def added_features(cursor: Cursor, source: str) -> Sequence[AddedFeature]:
    """Return the features that the configuration adds to `source`, by name; only communes have any.

    Raises:
        ReferenceRefused: the source of a feature has no version in use.
        SettingsError: the configuration cannot be read.
    """
    wanted = configured_features() if source == COMMUNES else {}
    if not wanted:
        return ()
    in_use = versions_in_use(cursor)
    for name, feature in wanted.items():
        if feature.source not in in_use:
            raise ReferenceRefused(
                f"communes: the feature {name} comes from {feature.source}, which has no version in use.",
                f"Say where {feature.source} is read (docs/reference-data.md) and refresh it first.",
            )
    return tuple(
        AddedFeature(
            name,
            feature.source,
            in_use[feature.source].release_id,
            in_use[feature.source].version,
            feature.pathology,
        )
        for name, feature in sorted(wanted.items())
    )


def features_suffix(added: Sequence[AddedFeature]) -> str:
    """Return the part of a version name for these features: "-" and 8 hexadecimal digits; empty for none."""
    if not added:
        return ""
    written = "\n".join(f"{feature.name} {feature.version} {feature.pathology or ''}" for feature in added)
    return f"-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def add_features(cursor: Cursor, added: Sequence[AddedFeature]) -> None:
    """Write the features into the staged communes, and flag imputed values.

    Raises:
        ReferenceRefused: a feature is known for too few communes.
    """
    for feature in added:
        facts: dict[str, Any] = {"name": feature.name, "release_id": feature.release_id, "pathology": feature.pathology}
        cursor.execute(query("ref", "commune", f"add_{SOURCES[feature.source].table}"), facts)
        known, communes = one(cursor)
        if known < LEAST_KNOWN * communes:
            raise ReferenceRefused(
                f"communes: the feature {feature.name} is known of {known} of {communes} communes.",
                f"Check the code of its pathology, or the edition of {feature.source}; the version in use stays.",
            )
