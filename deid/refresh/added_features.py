"""Health features of the communes that come from the versions in use of other sources.

Some sources refresh a feature that the communes have already, as soon as a version of theirs is in use; others add
what the configuration names. The name of the commune version contains a digest of these features and of the versions
they come from. A change of either gives a new version, and a run cites the version that it used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.database.queries import execute, one
from deid.domain.errors import ReferenceRefused
from deid.refresh.configuration import configured_features
from deid.refresh.reference_versions import versions_in_use
from deid.refresh.sources import SOURCES
from deid.refresh.sources.indicators import TABLE as INDICATORS

COMMUNES = "communes"
# Least share of communes for which a feature is known.
LEAST_KNOWN = Fraction(9, 10)


@dataclass(frozen=True)
class AddedFeature:
    """A feature, the reference version that it comes from, and its measure there: pathology or indicator."""

    name: str
    source: str
    release_id: int
    version: str
    measure: str | None


def added_features(cursor: Cursor, source: str) -> Sequence[AddedFeature]:
    """Return the features of `source` that come from others, by name; only communes have any.

    Raises:
        ReferenceRefused: the source of a feature that the configuration names has no version in use.
        SettingsError: the configuration cannot be read.
    """
    if source != COMMUNES:
        return ()
    in_use, configured = versions_in_use(cursor), configured_features()
    refreshed = {
        name: (other.name, indicator)
        for other in SOURCES.values()
        for name, indicator in other.refreshes.items()
        if other.name in in_use and name not in configured
    }
    wanted = refreshed | {
        name: (feature.source, feature.pathology or feature.indicator)
        for name, feature in configured.items()
        if feature.source != COMMUNES
    }
    for name, (origin, _) in wanted.items():
        if origin not in in_use:
            raise ReferenceRefused(
                f"communes: the feature {name} comes from {origin}, which has no version in use.",
                f"Say where {origin} is read (docs/reference-data.md) and refresh it first.",
            )
    return tuple(
        AddedFeature(name, origin, in_use[origin].release_id, in_use[origin].version, measure)
        for name, (origin, measure) in sorted(wanted.items())
    )


def features_suffix(added: Sequence[AddedFeature]) -> str:
    """Return the part of a version name for these features: "-" and 8 hexadecimal digits; empty for none."""
    if not added:
        return ""
    written = "\n".join(f"{feature.name} {feature.version} {feature.measure or ''}" for feature in added)
    return f"-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def add_features(cursor: Cursor, added: Sequence[AddedFeature]) -> None:
    """Write the features into the staged communes, and flag imputed values.

    Raises:
        ReferenceRefused: a feature is known for too few communes.
    """
    for feature in added:
        source = SOURCES[feature.source]
        facts: dict[str, Any] = {"name": feature.name, "release_id": feature.release_id, "measure": feature.measure}
        known, communes = one(execute(cursor, "ref", "commune", f"add_{source.table}", facts | {"per": source.per}))
        if known < LEAST_KNOWN * communes:
            raise ReferenceRefused(
                f"communes: the feature {feature.name} is known of {known} of {communes} communes.",
                f"{_what_to_check(cursor, feature)}; the version in use stays.",
            )


def _what_to_check(cursor: Cursor, feature: AddedFeature) -> str:
    """Return the remedy for a feature of too few communes: the indicators that its source has, or its code."""
    if SOURCES[feature.source].table != INDICATORS:
        return f"Check the code of its pathology, or the edition of {feature.source}"
    found = execute(cursor, "ref", INDICATORS, "indicators", {"release_id": feature.release_id})
    names = ", ".join(name for (name,) in found)
    return f"Check its indicator ({feature.source} has {names}), or the edition of {feature.source}"
