"""The room in which an interval is decided: the publisher's connection, what is staged, the policy of this process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from deid.config.policy import Policy
from deid.config.policy import load as load_policy
from deid.config.settings import settings
from deid.domain.errors import InputRefused
from deid.warehouse.connection import connect
from deid.warehouse.queries import Cursor, one, query

INTERVAL_KEY = re.compile(r"\d{4}-\d{2}-\d{2}(?:\.\.\d{4}-\d{2}-\d{2})?")
NOBODY = "politique"  # who decides when the policy asks nobody


def check_key(interval_key: str) -> None:
    """Refuse what is no key of an interval.

    Raises:
        InputRefused: with what a key looks like.
    """
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise InputRefused(
            "that is no key of an interval.", "Give a night (2026-10-03) or a period (2026-09-01..2026-09-28)."
        )


def policy() -> Policy:
    """The policy of this process."""
    return load_policy(settings().policy)


@contextmanager
def publisher() -> Iterator[Cursor]:
    """One transaction of the role that publishes and remembers decisions."""
    with connect(settings().dsn("publisher"), application="nocturne release") as link, link.cursor() as cursor:
        yield cursor


def alone(cursor: Cursor, interval_key: str) -> None:
    """Until this transaction ends, no other answers for the interval."""
    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"decision {interval_key}",))


def staged_runs(cursor: Cursor, interval_key: str) -> list[int]:
    """Ids of the runs of an interval that wait to be published, the oldest first."""
    cursor.execute(query("deid", "run", "interval"), {"interval_key": interval_key})
    return [row[0] for row in cursor.fetchall()]


def judged(cursor: Cursor, run_ids: list[int]) -> tuple[bool, int, int]:
    """Whether every run was judged, and how many critical and warning rules failed at run level."""
    cursor.execute(query("deid", "check_result", "judged"), {"run_ids": run_ids})
    done, critical, warnings = one(cursor)
    return bool(done), int(critical), int(warnings)


def requesters(cursor: Cursor, run_ids: list[int], asked_by: str | None) -> set[str]:
    """Who asked by hand for these runs, or for their release."""
    cursor.execute(query("deid", "run", "requesters"), {"run_ids": run_ids})
    return {row[0] for row in cursor.fetchall()} | ({asked_by} if asked_by else set())


def approvers(cursor: Cursor, interval_key: str, digest: str) -> list[str]:
    """The different people whose approval of this content stands, the first first."""
    cursor.execute(
        query("deid", "decision", "given"),
        {"interval_key": interval_key, "staged_digest": digest, "nobody": NOBODY},
    )
    return [row[0] for row in cursor.fetchall()]
