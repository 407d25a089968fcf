"""Intervals by month and state, their runs, and the ids of their quarantined documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from deid.database.connection import open_cursor
from deid.database.queries import Cursor, execute, one
from deid.domain.outcomes import StoredFile
from deid.reports.intervals import IntervalSummary, read

PAGE = 31
MOST_IDS = 50  # of one reason; the quarantine page lists them all
STATES = (
    *("waiting", "approved_once", "approved", "publishing", "failed", "unfinished", "refused", "rejected", "sent_back"),
    *("published", "visible", "recalled", "empty"),
)


@dataclass(frozen=True, slots=True)
class IntervalPage:
    """A page of intervals, newest first; `older` is the `before` of the next page, None at the end."""

    intervals: Sequence[IntervalSummary]
    older: str | None
    months: Sequence[str]


@dataclass(frozen=True, slots=True)
class IntervalRun:
    """One run of an interval. `triggered_by` is the orchestrator's run id, `requested_by` an account or ""."""

    run_id: int
    triggered_by: str
    requested_by: str
    reason: str
    state: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Disagreeing:
    """A document that disagrees and waits, by the ledger's id.

    `disagreements` is the number of values that disagree, by `deid.domain.outcomes.AgreementKind`.
    """

    document_id: str
    disagreements: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LetThrough:
    """A document that passed because a person waived checks: side (`deid.reports.figures.SIDES`), ledger id, checks.

    `run_id` is the run that held it back, where the choice stands.
    """

    side: str
    document_id: str
    checks: Sequence[str]
    run_id: int
    chosen_by: str
    justification: str


@dataclass(frozen=True, slots=True)
class PublishedText:
    """A text that researchers read, the month since when, whether as a file too, the patient's other documents' ids."""

    text: str
    visible_from: str
    has_file: bool
    others: Sequence[str]


def list_intervals(
    *, month: str | None = None, state: str | None = None, before: str | None = None, now: datetime | None = None
) -> IntervalPage:
    """Return a page of intervals that begin in `month` ("2026-10") and have `state`; None accepts any.

    One that begins after `now`, from before such were refused, is left out, as on the overview.
    """
    now = now or datetime.now(UTC)
    with open_cursor("steward", "nocturne pages", readonly=True) as cursor:
        asked = {"month": month, "state": state, "before": before, "now": now, "limit": PAGE + 1}
        keys = [key for (key,) in execute(cursor, "deid", "interval_state", "page", asked).fetchall()]
        shown = keys[:PAGE]
        intervals = read(cursor, limit=PAGE, keys=shown) if shown else []
        months = [found for (found,) in execute(cursor, "deid", "interval_state", "months", {"now": now}).fetchall()]
    return IntervalPage(intervals, shown[-1] if len(keys) > PAGE else None, months)


def list_runs(cursor: Cursor, interval_key: str) -> list[IntervalRun]:
    """Return the runs of an interval, latest first."""
    execute(cursor, "deid", "run", "of_interval", {"interval_key": interval_key})
    return [IntervalRun(*row) for row in cursor.fetchall()]


def quarantined_ids(cursor: Cursor, interval_key: str) -> dict[str, list[tuple[int, str]]]:
    """Return run and id of quarantined documents by reason, at most `MOST_IDS` of each."""
    execute(cursor, "deid", "quarantine", "of_interval", {"interval_key": interval_key, "most": MOST_IDS})
    found: dict[str, list[tuple[int, str]]] = {}
    for reason, run_id, document_id in cursor.fetchall():
        found.setdefault(reason, []).append((run_id, document_id))
    return found


def disagreeing_documents(cursor: Cursor, interval_key: str) -> list[Disagreeing]:
    """Return the waiting documents of an interval that disagree on their patient or in articles, at most `MOST_IDS`."""
    execute(cursor, "deid", "agreement", "shown", {"interval_key": interval_key, "most": MOST_IDS})
    return [Disagreeing(*row) for row in cursor.fetchall()]


def count_disagreeing(cursor: Cursor, interval_key: str) -> int:
    """Return how many published documents of an interval disagree on their patient or in articles."""
    return int(one(execute(cursor, "deid", "agreement", "published", {"interval_key": interval_key}))[0])


def let_through(cursor: Cursor, interval_key: str) -> list[LetThrough]:
    """Return the documents of an interval that passed because a person waived a check, at most `MOST_IDS`."""
    execute(cursor, "deid", "quarantine_choice", "let_through", {"interval_key": interval_key, "most": MOST_IDS})
    return [LetThrough(*row) for row in cursor.fetchall()]


def published_text(cursor: Cursor, actor: str, document_id: str) -> PublishedText | None:
    """Return a document that researchers read, by the id that they read it by, and record the reading; None if there
    is none of that id.
    """
    row = execute(cursor, "research", "document", "read", {"document_id": document_id, "steward": actor}).fetchone()
    return None if row is None else PublishedText(*row)


def unique_texts(cursor: Cursor, actor: str, after: str) -> list[str]:
    """Return a page of the documents that researchers read, whose words single a person out, and record the reading.

    At most `MOST_IDS`, in the order of the ids that researchers read them by, after one of them.
    """
    asked = {"after": after, "most": MOST_IDS, "steward": actor}
    return [document_id for (document_id,) in execute(cursor, "deid", "unique_text", "page", asked).fetchall()]


def published_file(cursor: Cursor, actor: str, document_id: str) -> StoredFile | None:
    """Return the rewritten file of a document that researchers read, and record the reading; None if there is none."""
    row = execute(cursor, "research", "document", "file", {"document_id": document_id, "steward": actor}).fetchone()
    return None if row is None else StoredFile(row[0], row[1], bytes(row[2]))


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """Counts of documents that planning saw for a run: listed, another project's, to be processed, kept by other runs.

    `held` names these, which are unfinished: run_id, triggered_by, active_at and documents of each.
    """

    run_id: int
    interval_key: str
    seen: int
    elsewhere: int
    planned: int
    held: Sequence[Mapping[str, Any]]
    dry_run: bool


def planned_run(triggered_by: str) -> PlannedRun | None:
    """Return what an orchestrator run planned; None if it has planned nothing yet."""
    with open_cursor("steward", "nocturne pages") as cursor:
        found = execute(cursor, "deid", "run", "planned", {"triggered_by": triggered_by}).fetchone()
    return None if found is None else PlannedRun(*found)
