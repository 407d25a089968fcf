"""Age and drift of every source in use, held against what the policy allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from psycopg2.extensions import cursor as Cursor

from deid.config.policy import References
from deid.domain.errors import ReferencesOld
from deid.refresh.configuration import configured
from deid.refresh.sources import SOURCES
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

_UNKNOWN_DAYS = 400


@dataclass(frozen=True)
class SourceState:
    """A source's release in use.

    `age_days` counts whole days since it was loaded; since `published_on`, the extract's own date, where it ships with
    the product and newer editions come (None otherwise). `most_days` is what the policy allows. `drift` is the change
    of rows against the release before it, as a share of that one; None for the first.
    """

    source: str
    version: str
    rows: int
    loaded_at: datetime
    age_days: int
    rows_before: int | None
    drift: float | None
    most_days: int
    published_on: date | None = None

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
            published_on,
        )
        for source, version, rows, loaded_at, age, before, drift, published_on in cursor.fetchall()
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
    late = [one for one in known if one.old]
    if late:
        shipped = [one.source for one in late if one.published_on is not None]
        fetched = [one.source for one in late if one.published_on is None]
        remedies = []
        if shipped:
            remedies.append(
                f"What ships with the product is no newer: say where {', '.join(shipped)} is read in "
                "NOCTURNE_REFERENCES or NOCTURNE_<SOURCE>_LOCATION, and run refresh_references; or allow more days."
            )
        if fetched:
            remedies.append(
                f"Look at the refresh of {', '.join(fetched)}: it is refused, or its location has no new editions."
            )
        raise ReferencesOld(f"older than the policy allows: {', '.join(map(_described, late))}.", " ".join(remedies))
    return {one.source: one.age_days for one in known}


def _described(one: SourceState) -> str:
    of = f"ships with the product, of {one.published_on:%Y-%m-%d}, " if one.published_on else ""
    return f"{one.source} ({of}{one.age_days} days, allowed {one.most_days})"
