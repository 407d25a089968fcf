"""Last days that dates may be published on, kept from the first substitution of an episode (`deid.date_bound`).

A later document of it, a backfill in any order and a rewriting find the same days, and so does a second worker.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from deid.config.policy import Visible, period_around
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain import PARIS
from deid.domain.document import DateBounds, Document
from deid.privacy.stream import keyed_digest
from deid.substitution.temporal.ends import birth_bound, bound_names


def keep_date_bounds(documents: Sequence[Document], period: Visible, now: datetime | None = None) -> list[Document]:
    """Return documents with the last days of their dates, which are kept where they are met for the first time.

    Raises:
        SettingsError: the secret is missing.
    """
    begun, _ = period_around(period, (now or datetime.now(UTC)).astimezone(PARIS).date())
    until = begun - timedelta(days=1)
    first = [(digest, day) for one in documents for digest, day in _first_bounds(one, until)]
    digests, latest = [digest for digest, _ in first], [day for _, day in first]
    with open_cursor("worker", "nocturne substitute") as cursor:
        execute(cursor, "deid", "date_bound", "add", {"digests": digests, "latest": latest})
    return read_date_bounds(documents)


def read_date_bounds(documents: Iterable[Document]) -> list[Document]:
    """Return documents with the last days of their dates; what was substituted before there were any has none.

    Raises:
        SettingsError: the secret is missing.
    """
    named = [(one, *_digests(one)) for one in documents]
    with open_cursor("worker", "nocturne substitute") as cursor:
        execute(cursor, "deid", "date_bound", "read", {"digests": [one for _, *found in named for one in found]})
        days: dict[str, date] = dict(cursor.fetchall())
    return [
        replace(one, bounds=DateBounds(days[episode], days[birth])) if {episode, birth} <= days.keys() else one
        for one, episode, birth in named
    ]


def _first_bounds(document: Document, until: date) -> list[tuple[str, date]]:
    episode, birth = _digests(document)
    return [(episode, until), (birth, birth_bound(document, until))]


def _digests(document: Document) -> tuple[str, str]:
    secret = settings().keyring.current.secret
    episode, birth = (keyed_digest(secret, "date bound", *name) for name in bound_names(document))
    return episode, birth
