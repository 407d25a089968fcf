"""Age and drift of every source in use, held against what the policy allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg2.extensions import cursor as Cursor

from deid.errors import ReferencesOld
from deid.policy import References
from deid.reference.configuration import configured
from deid.reference.sources import SOURCES
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

_UNKNOWN_DAYS = 400


@dataclass(frozen=True)
class SourceState:
    """A source's release in use.

    `age_days` counts whole days since it was loaded, `most_days` is what the policy allows. `drift` is the change of
    rows against the release before it, as a share of that one; None for the first.
    """

    source: str
    version: str
    rows: int
    loaded_at: datetime
    age_days: int
    rows_before: int | None
    drift: float | None
    most_days: int

    @property
    def old(self) -> bool:
        """Whether the policy wants a newer one."""
        return self.age_days > self.most_days


def states(cursor: Cursor, allowed: References) -> Sequence[SourceState]:
    """The release in use of every source that has one, by source."""
    cursor.execute(query("ref", "source_state", "read"))
    return [
        SourceState(
            source,
            version,
            rows,
            loaded_at,
            age,
            before,
            None if drift is None else float(drift),
            _most_days(source, allowed),
        )
        for source, version, rows, loaded_at, age, before, drift in cursor.fetchall()
    ]


def _most_days(source: str, allowed: References) -> int:
    """What the policy says, else the source's configuration; one that this version does not know is never fetched."""
    if source in allowed.max_age_days:
        return allowed.max_age_days[source]
    return configured(source).max_age_days if source in SOURCES else _UNKNOWN_DAYS


def check(dsn: str, allowed: References) -> dict[str, int]:
    """Age in days by source.

    Raises:
        ReferencesOld: a source is older than the policy allows; names each. What is in use stays in use.
        WarehouseError: the database does not answer, or lacks the tables.
    """
    with connect(dsn) as link, link.cursor() as cursor:
        known = states(cursor, allowed)
    late = [f"{one.source} ({one.age_days} days, allowed {one.most_days})" for one in known if one.old]
    if late:
        raise ReferencesOld(
            f"older than the policy allows: {', '.join(late)}.",
            "Look at the refresh of each: it is refused, or its location no longer has new editions.",
        )
    return {one.source: one.age_days for one in known}
