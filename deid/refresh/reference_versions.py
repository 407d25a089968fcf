"""Reference versions: the loaded states of each reference source, their history, age and roll-back.

The database calls a reference version a release (`ref.release`, `release_id`); the code keeps that word for published
data. One version of each source is in use; former ones keep their rows until they are pruned.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.config.policy import References
from deid.database.connection import connect
from deid.database.queries import by_column, execute
from deid.domain.errors import ReferenceRefused, ReferencesOld
from deid.refresh.configuration import configured_source
from deid.refresh.download import Seen
from deid.refresh.sources import SOURCES, ReferenceSource

logger = logging.getLogger(__name__)

_LOAD_TIMEOUT_S = 4 * 3600
_UNKNOWN_SOURCE_DAYS = 400


@dataclass(frozen=True)
class ReferenceVersion:
    """A reference version in use; `seen` holds the server's validators of each file, by address."""

    release_id: int
    version: str
    rows: int
    location: str
    seen: Mapping[str, Seen] = field(default_factory=dict)


def versions_in_use(cursor: Cursor, source: str | None = None) -> dict[str, ReferenceVersion]:
    """Return the reference versions in use by source; of one source if it is named."""
    return {
        name: ReferenceVersion(
            release_id,
            version,
            rows,
            location,
            {str(one["location"]): Seen(one["etag"], one["last_modified"]) for one in files},
        )
        for name, release_id, version, _, rows, location, files in execute(
            cursor, "ref", "release", "in_use", {"source": source}
        )
    }


def lock_source(cursor: Cursor, source: str) -> None:
    """Lock a source until the transaction ends, with the time that a load may take."""
    execute(cursor, "ref", "release", "lock", {"source": source, "timeout_ms": str(_LOAD_TIMEOUT_S * 1000)})


def version_names(dsn: str) -> dict[str, str]:
    """Return the name of the version in use by source: the `reference_versions` of a run."""
    with connect(dsn) as link, link.cursor() as cursor:
        return {source: found.version for source, found in versions_in_use(cursor).items()}


def describe_outcome(source: ReferenceSource, found: ReferenceVersion, state: str) -> dict[str, int | str]:
    """Return the result of a refresh or roll-back: source, state, version, number and rows."""
    facts: dict[str, int | str] = {"source": source.name, "state": state, "version": found.version}
    return facts | {"release_id": found.release_id, "rows": found.rows}


def list_versions(dsn: str, source: str | None = None) -> list[dict[str, Any]]:
    """Return every reference version ever loaded, the latest of a source first.

    Fields: version, state, rows, time of the load, user and location.

    Raises:
        ReferenceRefused: there is no such source.
    """
    if source is not None:
        configured_source(source)
    with connect(dsn) as link, link.cursor() as cursor:
        return by_column(execute(cursor, "ref", "release", "history", {"source": source}))


def roll_back(source: str, *, dsn: str, to: int | None = None) -> dict[str, int | str]:
    """Put the former version of `source` back in use (or the version with number `to`), in one transaction.

    The version left is withdrawn: it keeps its rows until the next load, `to` can restore it, and a refresh that finds
    the same file again does not load it ("held"). `dsn` is of the role refresher. Returns the result of
    `describe_outcome` with the state "rolled_back"; later runs cite the restored version.

    Raises:
        ReferenceRefused: there is no such source, or no former version that still has its rows.
    """
    wanted = configured_source(source)
    with connect(dsn, application=f"nocturne rollback {source}") as link, link.cursor() as cursor:
        lock_source(cursor, source)
        row = execute(cursor, "ref", "release", "former", {"source": source, "release_id": to}).fetchone()
        if row is None:
            raise _no_way_back(cursor, source, to)
        execute(cursor, "ref", "release", "withdraw", {"source": source})
        execute(cursor, "ref", "release", "restore", {"release_id": row[0]})
        result = describe_outcome(wanted, versions_in_use(cursor, source)[source], "rolled_back")
    logger.warning("%s was rolled back to version %s (%s)", source, result["release_id"], result["version"])
    return result


def _no_way_back(cursor: Cursor, source: str, to: int | None) -> ReferenceRefused:
    """Refusal of a roll-back, by the state of the version `to`."""
    found = execute(cursor, "ref", "release", "state", {"source": source, "release_id": to})
    state = next((state for (state,) in found), None)
    listed = f"`python -m deid references list {source}` shows which there are."
    if state == "pruned":
        return ReferenceRefused(
            f"version {to} of {source} was pruned: its rows are gone.",
            "Load its file again with `references refresh --location`; `keep` says how many versions keep their rows "
            f"(docs/reference-data.md). {listed}",
        )
    if state == "in_use":
        return ReferenceRefused(f"{source} has no former version {to}: that one is in use.", listed)
    return ReferenceRefused(f"{source} has no former version{'' if to is None else f' {to}'} with its rows.", listed)


@dataclass(frozen=True)
class SourceState:
    """Age and drift of the version in use of a source.

    `age_days` counts whole days since the load, or since `published_on`: the date of the extract of a packaged file, if
    newer editions are expected (None otherwise). `most_days` is the limit of the policy. `drift` is the relative change
    of rows against the previous version; None for the first.
    """

    source: str
    version: str
    rows: int
    loaded_at: datetime
    age_days: int
    drift: float | None
    published_on: date | None
    most_days: int

    @property
    def old(self) -> bool:
        """True if the version is older than the policy allows."""
        return self.age_days > self.most_days


def source_states(cursor: Cursor, allowed: References) -> Sequence[SourceState]:
    """Return the state of every source with a version in use, by source."""
    found = execute(cursor, "ref", "source_state", "read")
    return [SourceState(*(*row, _most_days(row[0], allowed))) for row in found]


def _most_days(source: str, allowed: References) -> int:
    """Limit of the policy, else of the configuration of the source, else of a source unknown to this program."""
    if source in allowed.max_age_days:
        return allowed.max_age_days[source]
    return configured_source(source).max_age_days if source in SOURCES else _UNKNOWN_SOURCE_DAYS


def check_ages(dsn: str, allowed: References) -> dict[str, int]:
    """Return the age in days of each source.

    Raises:
        ReferencesOld: sources are older than the policy allows; names each. Their versions stay in use.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        known = source_states(cursor, allowed)
    late = [one for one in known if one.old]
    if late:
        packaged = [one.source for one in late if one.published_on is not None]
        fetched = [one.source for one in late if one.published_on is None]
        remedies = []
        if packaged:
            remedies.append(
                f"What ships with the product is no newer: say where {', '.join(packaged)} is read in "
                "NOCTURNE_REFERENCES or NOCTURNE_<SOURCE>_LOCATION, and run refresh_references; or allow more days."
            )
        if fetched:
            remedies.append(
                f"Look at the refresh of {', '.join(fetched)}: it is refused, or its location has no new editions."
            )
        raise ReferencesOld(f"older than the policy allows: {', '.join(map(_describe_age, late))}.", " ".join(remedies))
    return {one.source: one.age_days for one in known}


def _describe_age(one: SourceState) -> str:
    of = f"ships with the product, of {one.published_on:%Y-%m-%d}, " if one.published_on else ""
    return f"{one.source} ({of}{one.age_days} days, allowed {one.most_days})"
