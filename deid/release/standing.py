"""Where the decision on an interval stands, for people: what waits, who said what, what is wanted, what is late."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from deid.config.settings import settings
from deid.release import lateness, policies, room
from deid.release.answers import Why, objection
from deid.release.permissions import REJECT, REWORK, Decision
from deid.warehouse.connection import connect
from deid.warehouse.publish import digest_of
from deid.warehouse.queries import Cursor, one, query


class State(StrEnum):
    """What can be said of the decision on an interval. The words are the pages'."""

    RUNNING = "running"  # a run is at work on it, and nothing waits yet
    WAITING = "waiting"  # people are asked about what is staged
    CHANGED = "changed"  # people are asked about what was staged before
    CRITICAL = "critical"  # a critical check failed: nobody is asked
    REJECTED = "rejected"  # people said no, and nobody is asked again yet
    AUTOMATIC = "automatic"  # the policy asks nobody
    UNASKED = "unasked"  # people will be asked once it is summed up
    SENT_BACK = "sent_back"  # it was emptied, and is to be processed again
    PUBLISHED = "published"  # nothing is left to decide
    EMPTY = "empty"  # nothing was staged


@dataclass(frozen=True, slots=True)
class Said:
    """One answer that was given; `about_this` if on the content that is staged now, `published` if on one published."""

    chosen: str
    decided_by: str
    reason: str
    decided_at: datetime
    about_this: bool
    published: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the decision on an interval stands.

    `digest` is that of what is staged, `counts` what publishing it would do (`summarise`'s words), `airflow_run` and
    `asked_at` the open question's; `approvers` those whose approval of this content stands, `wanted` how many the
    policy wants. `requesters` asked for the runs by hand; `own_approval` if one of them alone may let it out.
    """

    interval_key: str
    state: State
    digest: str | None
    counts: Mapping[str, int]
    airflow_run: str | None
    asked_about: str | None
    asked_for: str
    asked_at: datetime | None
    due_at: datetime | None
    staged_at: datetime | None
    staging_due_at: datetime | None
    approvers: tuple[str, ...]
    requesters: frozenset[str]
    wanted: int
    own_approval: bool
    said: tuple[Said, ...]

    @property
    def late(self) -> bool:
        """Whether an answer is overdue."""
        return self.due_at is not None and datetime.now(UTC) > self.due_at

    @property
    def staged_late(self) -> bool:
        """Whether a night that brought something was staged, or is still not, after the policy's time."""
        if self.staging_due_at is None or self.state is State.EMPTY:
            return False
        return (self.staged_at or datetime.now(UTC)) > self.staging_due_at


def read(interval_key: str) -> Standing | None:
    """Where the decision on an interval stands; None if no run ever worked on it, or that is no key.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
    """
    if room.INTERVAL_KEY.fullmatch(interval_key) is None:
        return None
    with steward() as link, link.cursor() as cursor:
        return _read(cursor, interval_key)


def obstacle(standing: Standing, decision: Decision) -> Why | None:
    """Why this person cannot give this answer now; None if nothing speaks against it.

    Raises:
        WarehouseUnreachable, WarehouseError: it could not be read.
    """
    with steward() as link, link.cursor() as cursor:
        return objection(
            cursor,
            standing.interval_key,
            decision,
            room.staged_runs(cursor, standing.interval_key),
            room.policy().release,
            digest=standing.digest or "",
            asked_by=standing.asked_for or None,
        )


def steward() -> Any:
    """A connection of the role that the pages have."""
    return connect(settings().dsn("steward"), application="nocturne pages")


def _read(cursor: Cursor, interval_key: str) -> Standing | None:
    about = {"interval_key": interval_key}
    cursor.execute(query("deid", "run", "standing"), about)
    runs, at_work, staged_at, interval_end, scheduled, published_at = one(cursor)
    if not runs:
        return None
    release = room.policy().release
    run_ids, digest = room.staged_runs(cursor, interval_key), digest_of(cursor, interval_key)
    cursor.execute(query("deid", "report", "staged"), {"run_ids": run_ids})
    names = [column.name for column in cursor.description or ()]
    counts = {name: int(value) for name, value in zip(names, one(cursor), strict=True)}
    judged, critical, warnings = room.judged(cursor, run_ids)
    cursor.execute(query("deid", "question", "open"), about | {"staged_digest": digest or ""})
    airflow_run, asked_about, asked_for, asked_at = cursor.fetchone() or (None, None, "", None)
    cursor.execute(query("deid", "decision", "history"), about)
    said = tuple(
        Said(chosen, by, reason, at, about_this=about == digest, published=published)
        for chosen, by, reason, at, about, published in cursor.fetchall()
    )
    last = said[0].chosen if said else ""
    if airflow_run is None and not any(counts[name] for name in ("staged", "quarantined", "withdrawn")):
        digest = None  # that of nothing: the night brought no document, and nobody is asked about it
    if digest is None:
        state = _without_content(at_work, last, published_at)
    elif airflow_run is not None:
        state = State.WAITING if asked_about == digest else State.CHANGED
    elif critical:
        state = State.CRITICAL
    elif last == REJECT and said[0].about_this:
        state = State.REJECTED
    elif judged and not policies.approval_needed(release.approval, critical=critical, warnings=warnings):
        state = State.AUTOMATIC
    else:
        state = State.UNASKED
    return Standing(
        interval_key=interval_key,
        state=state,
        digest=digest,
        counts={**counts, "critical": critical, "warnings": warnings},
        airflow_run=airflow_run,
        asked_about=asked_about,
        asked_for=asked_for,
        asked_at=asked_at,
        due_at=lateness.decision_due(asked_at, release) if asked_at else None,
        staged_at=staged_at,
        staging_due_at=lateness.staging_due(interval_end, release.ready_by) if scheduled else None,
        approvers=tuple(room.approvers(cursor, interval_key, digest)) if digest else (),
        requesters=frozenset(room.requesters(cursor, run_ids, asked_for or None)),
        wanted=release.approvals,
        own_approval=release.own_approval,
        said=said,
    )


def _without_content(at_work: int, last: str, published_at: datetime | None) -> State:
    if at_work:
        return State.RUNNING
    if last == REWORK:
        return State.SENT_BACK
    return State.PUBLISHED if published_at is not None else State.EMPTY
