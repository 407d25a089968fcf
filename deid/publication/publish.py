"""Publication of staged documents: removals first, one transaction per batch; then, once per period, visibility.

A release writes `deid.published_document`. Researchers read `research.document`, which is rewritten as a whole.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg2.extensions import connection as Connection
from psycopg2.extensions import cursor as Cursor
from psycopg2.extras import Json

from deid.config.keys import Key, Keyring
from deid.config.policy import Visible, next_rewriting, read_kept
from deid.config.settings import settings
from deid.database.connection import connect, open_cursor
from deid.database.queries import WHOLE_RUN, copy_rows, execute, one, record_step_cost
from deid.domain import PARIS
from deid.domain.errors import NocturneError, ReleaseRefused, WarehouseError
from deid.ledger import opt_outs
from deid.ledger.keys import check_keyring, count_published_by_key
from deid.ledger.pseudonyms import decrypt_pseudonyms, encrypt, read_pseudonyms
from deid.privacy.perturbations import describe_policy

log = logging.getLogger(__name__)

PUBLISHED = (
    *("document_id", "patient_id", "stay_id", "document_type", "loinc_code", "title", "text", "markup"),
    *("reference_date", "release_id", "run_id", "policy_hash", "pipeline_version", "detector_version"),
    *("reference_versions", "disagreements", "file", "file_type", "file_suffix", "spans"),
    *("shown_spans", "attributes", "told_unique", "key_fingerprint"),
)


def publish_interval(interval_key: str, decision: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Publish the staged documents of an interval; a second call finds nothing to do and returns the same release.

    `decision` is the approval, with the `staged_digest` that the approver saw. A killed call leaves complete batches,
    invisible to researchers; the next call finishes the release. Researchers read it once `make_visible` rewrites.

    Returns interval_key, release_id, run_ids, staged_digest, published, replaced and withdrawn (documents).

    Raises:
        ReleaseRefused: nothing was ever staged, or the staged documents were altered or are not the approved ones.
        SettingsError: the secret is missing, or a version of it that a run or published documents need.
        WarehouseUnreachable, WarehouseError: batches already written stay written.
    """
    keyring = settings().keyring
    opt_outs.apply_opt_outs()
    with _publication_lock() as link:
        with _transaction(link) as cursor:
            check_keyring(cursor, keyring, count_published_by_key(cursor))
            release_id = _open_release(cursor, interval_key, decision or {}, keyring)
        if release_id is not None:
            _write_release(link, release_id, keyring)
        with _transaction(link) as cursor:
            return _latest_release(cursor, interval_key)


@contextmanager
def recorded_attempt(interval_key: str, digest: str) -> Iterator[None]:
    """Record an attempt to publish a content: it goes on while the block lasts, then has succeeded or failed.

    A transaction stays open meanwhile, so that the attempt of a process that dies has failed too.

    Raises:
        WarehouseUnreachable, WarehouseError: the attempt could not be recorded, and did not begin.
    """
    with connect(settings().dsn("publisher"), application="nocturne publish life") as link, link.cursor() as life:
        life.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        life.execute("SELECT pg_current_xact_id()::text")
        attempt = {"interval_key": interval_key, "staged_digest": digest, "life": one(life)[0]}
        with open_cursor("publisher", "nocturne publish") as cursor:
            (publication_id,) = one(execute(cursor, "deid", "publication", "begin", attempt))
        error = None
        try:
            yield
        except BaseException as raised:
            error = type(raised).__name__
            raise
        finally:
            with suppress(NocturneError), open_cursor("publisher", "nocturne publish") as cursor:
                ended = {"publication_id": publication_id, "error": error}
                execute(cursor, "deid", "publication", "end", ended)


def make_visible(period: Visible, *, now: datetime | None = None, at_once: bool = False) -> dict[str, int] | None:
    """Rewrite what researchers read from every complete release, if a new period has begun; None if none has.

    `period` is "nightly" (every call), "weekly" (Monday, Paris) or "monthly"; the first call of a database rewrites,
    and so does one that must not wait (`at_once`). Removals never wait for it. A killed call changes nothing.

    Returns documents (all that researchers read) and added (documents or corrections that became visible).

    Raises:
        WarehouseUnreachable, WarehouseError: researchers read what they read before.
    """
    moment = (now or datetime.now(UTC)).astimezone(PARIS)
    with _publication_lock() as link, _transaction(link) as cursor:
        opt_outs.block_opt_outs(cursor)  # one recorded meanwhile would not see the rows that are written
        cursor.execute("SET LOCAL statement_timeout = 0")  # the table is rewritten as a whole, however large it is
        (last,) = one(execute(cursor, "deid", "rewriting", "last"))
        if not at_once and next_rewriting(period, last, moment) > moment.date():
            return None
        execute(cursor, "research", "document", "keep_former")
        counts = {"added": execute(cursor, "research", "document", "label", {"month": f"{moment:%Y-%m}"}).rowcount}
        execute(cursor, "research", "document", "empty")
        counts = {"documents": execute(cursor, "research", "document", "fill").rowcount, **counts}
        execute(cursor, "deid", "unique_text", "fill")
        _describe_policies(cursor)
        until = next_rewriting(period, moment, moment + timedelta(days=1))
        told = {"rewritten_on": moment.date(), "period": period, "unchanged_until": until}
        execute(cursor, "research", "visibility", "empty")
        execute(cursor, "research", "visibility", "insert", told)
        execute(cursor, "deid", "rewriting", "insert", counts)
        return counts


def _describe_policies(cursor: Cursor) -> None:
    """Write what each policy of readable documents did; one that this version cannot read has no rows."""
    policies = execute(cursor, "research", "perturbation", "policies").fetchall()
    execute(cursor, "research", "perturbation", "empty")
    for policy_hash, content in policies:
        if (policy := read_kept(content)) is None:
            log.warning("policy %s cannot be read: research.perturbation has no rows of it", policy_hash)
            continue
        told = [one._asdict() for one in describe_policy(policy)]
        execute(cursor, "research", "perturbation", "insert", {"policy_hash": policy_hash, "rows": Json(told)})


def find_interrupted(cursor: Cursor, interval_key: str) -> int | None:
    """Return the release of an interval that was opened and is not complete: interrupted, or under way."""
    execute(cursor, "deid", "release", "unfinished", {"interval_key": interval_key})
    return int(found[0]) if (found := cursor.fetchone()) else None


def try_lock_publication(cursor: Cursor) -> bool:
    """Keep publications waiting until the transaction ends; False, at once, if one is under way."""
    cursor.execute("SELECT deid.try_lock_publication()")
    return bool(one(cursor)[0])


def end_interrupted(cursor: Cursor, release_id: int) -> None:
    """End a release whose other documents were sent back: researchers will read what it wrote.

    Raises:
        SettingsError: the secret is missing.
    """
    _drop_former_keys(cursor, release_id)
    execute(cursor, "deid", "release", "finish", {"release_id": release_id})


def staged_digest(interval_key: str) -> str | None:
    """Return the digest of the changes that publishing the interval would make now; None if nothing is staged."""
    with open_cursor("publisher") as cursor:
        return digest_of(cursor, interval_key)


def digest_of(cursor: Cursor, interval_key: str) -> str | None:
    """Return `staged_digest` read through a cursor that may read deid.run."""
    runs = _staged_runs(cursor, interval_key)
    return _digest(runs) if runs else None


@contextmanager
def _publication_lock() -> Iterator[Connection]:
    """Open the publisher's connection while another holds the publication lock.

    One publication at a time keeps the versions of a document in order. The lock is of the other connection's
    transaction, which no commit of the publication ends, and which ends with the process.
    """
    dsn = settings().dsn("publisher")
    with connect(dsn, application="nocturne publish lock") as guard, guard.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT deid.lock_publication()")
        with connect(dsn, application="nocturne publish") as link:
            yield link
            cursor.execute("SELECT 1")  # a lock that was lost is an error


@contextmanager
def _transaction(link: Connection) -> Iterator[Cursor]:
    """Commit statements together; on an error, the owner of the connection rolls back."""
    with link.cursor() as cursor:
        yield cursor
    link.commit()


def _write_release(link: Connection, release_id: int, keyring: Keyring) -> None:
    started = time.monotonic()
    with _transaction(link) as cursor:
        _remove_withdrawn(cursor, release_id)
    with _transaction(link) as cursor:
        batches = execute(cursor, "deid", "release", "batches", {"release_id": release_id}).fetchall()
    for run_id, batch_id in batches:
        with _transaction(link) as cursor:
            _check_not_vetoed(cursor, release_id)
            _publish_batch(cursor, {"release_id": release_id, "run_id": run_id, "batch_id": batch_id}, keyring)
    with _transaction(link) as cursor:
        cursor.execute("SELECT deid.lock_decisions()")  # a veto comes before this end, or after it and too late
        _check_not_vetoed(cursor, release_id)
        _drop_former_keys(cursor, release_id)
        _finish_release(cursor, release_id, started)


def _check_not_vetoed(cursor: Cursor, release_id: int) -> None:
    """Stop a release whose content a person rejected since it was approved: no part becomes readable."""
    if one(execute(cursor, "deid", "release", "vetoed", {"release_id": release_id}))[0]:
        raise ReleaseRefused(
            f"release {release_id}: a person rejected it after it was approved.",
            "Read the reason on the release's page; have it approved again, or send it back for reprocessing.",
        )


def _staged_runs(cursor: Cursor, interval_key: str) -> list[tuple[Any, ...]]:
    return execute(cursor, "deid", "run", "interval", {"interval_key": interval_key}).fetchall()


def _digest(runs: Sequence[tuple[Any, ...]]) -> str:
    digests = [run[-1] for run in runs]
    return digests[0] if len(digests) == 1 else hashlib.sha256(" ".join(digests).encode()).hexdigest()


def _open_release(cursor: Cursor, interval_key: str, decision: Mapping[str, Any], keyring: Keyring) -> int | None:
    """Return the release to write: an interrupted one, or a new one of all staged documents; None if none is due."""
    if interrupted := execute(cursor, "deid", "release", "unfinished", {"interval_key": interval_key}).fetchone():
        execute(cursor, "deid", "document", "drop_stale", {"run_ids": interrupted[1]})
        return int(interrupted[0])
    runs = _staged_runs(cursor, interval_key)
    if not runs:
        return None
    digest = _digest(runs)
    if decision.get("staged_digest") not in (None, digest):
        raise ReleaseRefused(
            f"what is staged for {interval_key} is no longer what was approved.", "Have the interval approved again."
        )
    for run in runs:
        keyring.of(run[3])
    run_ids, (_, policy_hash, pipeline_version, *_) = [run[0] for run in runs], runs[-1]
    parameters = {
        "interval_key": interval_key,
        "run_ids": run_ids,
        "policy_hash": policy_hash,
        "pipeline_version": pipeline_version,
        "staged_digest": digest,
    }
    execute(cursor, "deid", "document", "drop_stale", parameters)
    _check_unaltered(cursor, interval_key, run_ids)
    (release_id,) = one(execute(cursor, "deid", "release", "insert", parameters))
    execute(cursor, "deid", "document", "assign_release", parameters | {"release_id": release_id})
    return int(release_id)


def _check_unaltered(cursor: Cursor, interval_key: str, run_ids: Sequence[int]) -> None:
    """Refuse contents whose digest differs from the digest taken when they were staged."""
    if altered := execute(cursor, "deid", "staged_content", "altered", {"run_ids": list(run_ids)}).fetchall():
        raise _altered_error(interval_key, [f"{kind} {name}" for kind, name in altered])


def _altered_error(what: str, names: Sequence[str]) -> ReleaseRefused:
    return ReleaseRefused(
        f"{what}: altered since it was staged, and so not what was approved: {', '.join(names)}.",
        "Find out what wrote to deid.candidate, then send the interval back for reprocessing.",
    )


def _remove_withdrawn(cursor: Cursor, release_id: int) -> None:
    """Remove every withdrawn document, under each version of the key.

    Withdrawals of all runs are applied: an opt-out does not wait for an interval of its own.
    """
    document_ids = [row[0] for row in execute(cursor, "deid", "withdrawal", "pending").fetchall()]
    if not document_ids:
        return
    removed = {"release_id": release_id, "removed": _remove(cursor, document_ids)}
    execute(cursor, "deid", "document", "withdraw", {"document_ids": document_ids})
    execute(cursor, "deid", "release", "count_withdrawn", removed)


def _remove(cursor: Cursor, document_ids: Sequence[str]) -> int:
    """Remove published documents under every key; return the number of rows removed."""
    pseudonyms = [named for _, named in read_pseudonyms(cursor, "document", document_ids)]
    return execute(cursor, "deid", "published_document", "remove", {"pseudonyms": pseudonyms}).rowcount


def _drop_former_keys(cursor: Cursor, release_id: int) -> None:
    """Drop the rows that other keys published of a release's documents; the next rewriting shows the new ones."""
    execute(cursor, "deid", "pseudonym", "former", {"release_id": release_id})
    pseudonyms = [named for _, named in decrypt_pseudonyms(cursor.fetchall())]
    execute(cursor, "deid", "published_document", "replace", {"pseudonyms": pseudonyms})


def _publish_batch(cursor: Cursor, batch: Mapping[str, int], keyring: Keyring) -> None:
    opt_outs.block_opt_outs(cursor)
    documents = _without_opt_outs(cursor, batch, execute(cursor, "deid", "release", "batch", batch).fetchall())
    if not documents:
        return
    if altered := [f"document {document[0]}" for document in documents if not document[-1]]:
        raise _altered_error(f"release {batch['release_id']}", altered)
    if not all(document[-2] for document in documents):
        raise WarehouseError(
            f"release {batch['release_id']}: a document has no pseudonym.", "Send the interval back for reprocessing."
        )
    (key,) = [key for key in keyring.keys if key.fingerprint == documents[0][-3]]  # a batch is of one run and one key
    rows = ((*_published_ids(key, document[:3], document[3:6]), *document[6:-2]) for document in documents)
    copy_rows(cursor, "deid", "published_document", PUBLISHED, rows)
    execute(cursor, "deid", "published_document", "upsert")
    execute(cursor, "deid", "budget", "publish", batch)
    execute(cursor, "deid", "document", "publish", batch)


def _published_ids(key: Key, ids: Sequence[str], encrypted: Sequence[str | None]) -> Iterator[str | None]:
    """Yield the pseudonyms of a document, its patient and its stay; None for no stay."""
    for ledger_id, name in zip(ids, encrypted, strict=True):
        yield encrypt(key, ledger_id, name) if name else None


def _without_opt_outs(
    cursor: Cursor, batch: Mapping[str, int], documents: list[tuple[Any, ...]]
) -> list[tuple[Any, ...]]:
    """Return the documents of patients without an opt-out; withdraw the others and remove their rows under any key."""
    opposed = opt_outs.select_opted_out(cursor, {patient_id for _, patient_id, *_ in documents}, role="publisher")
    held = [document_id for document_id, patient_id, *_ in documents if patient_id in opposed]
    if held:
        _remove(cursor, held)
        execute(cursor, "deid", "document", "withhold", {**batch, "document_ids": held})
    return [document for document in documents if document[1] not in opposed]


def _finish_release(cursor: Cursor, release_id: int, started: float) -> None:
    finished = execute(cursor, "deid", "release", "finish", {"release_id": release_id}).fetchone()
    if finished is None:
        raise WarehouseError(
            f"release {release_id} still has staged documents without a candidate text.", "Run the interval again."
        )
    execute(cursor, "deid", "run", "publish", {"release_id": release_id})
    execute(cursor, "deid", "staged_content", "forget")
    run_id, documents = finished
    record_step_cost(cursor, run_id, WHOLE_RUN, "publish", started, documents)


def _latest_release(cursor: Cursor, interval_key: str) -> dict[str, Any]:
    row = execute(cursor, "deid", "release", "latest", {"interval_key": interval_key}).fetchone()
    if row is None:
        raise ReleaseRefused(f"nothing is staged for {interval_key}.", "Run deidentify_documents on it first.")
    release_id, run_ids, digest, counts = row
    return {
        "interval_key": interval_key,
        "release_id": release_id,
        "run_ids": run_ids,
        "staged_digest": digest,
        **counts,
    }
