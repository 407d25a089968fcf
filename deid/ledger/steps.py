"""Steps on batches in the ledger: a step reads the waiting documents and writes its rows in one transaction."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any

from psycopg2.extensions import cursor as Cursor

from deid.database.connection import open_cursor
from deid.database.queries import by_column, copy_rows, execute, one, record_step_cost
from deid.domain.document import Mention, Vote
from deid.domain.errors import InputRefused, Reason, ReleaseRefused
from deid.domain.labels import Label
from deid.domain.outcomes import AgreementKind, Refused
from deid.privacy.budget import ROUNDING, rational
from deid.source.rows import Content

# Columns that a step gives for each table; run_id is the run's own.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "mention": ("document_id", "ordinal", "start_offset", "end_offset", "label", "subtype", "score", "votes"),
    "candidate": (
        *("document_id", "patient_id", "stay_id", "title", "text", "markup", "spans", "surrogates"),
        *("reference_date", "reference_versions", "file", "file_type", "file_suffix", "attributes"),
    ),
    "pseudonym": ("kind", "ledger_id", "key_fingerprint", "encrypted"),
    "budget": ("document_id", "patient_id", "category", "mechanism", "epsilon", "elements"),
    "check_result": ("suite", "rule", "severity", "success", "element_count", "unexpected_count", "observed"),
    "verdict": ("document_id", "check_name", "severity", "success", "observed", "waived"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as planned; `models` is kind → hash of the models of the registry that it began with.

    `source_digest` is of the source's contract, `code_digest` of the library's files; empty for a run from before they
    were kept.
    """

    run_id: int
    source: str
    interval_key: str
    policy_hash: str
    pipeline_version: str
    detector_version: str
    key_version: int
    key_fingerprint: str
    state: str
    models: Mapping[str, str]
    source_digest: str
    code_digest: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A document that waits for a step, in the version of `content_hash`.

    `file_digest` is of its file as detection read it; None for a content of the warehouse itself.
    """

    document_id: str
    content_hash: str
    title_clean: bool | None
    file_digest: str | None


@dataclass(slots=True)
class Move:
    """State in which a step leaves a document; `reason` belongs to `quarantined`, None keeps the value of a column."""

    document_id: str
    content_hash: str
    state: str
    reason: Reason | None = None
    patient_id: str | None = None
    loinc_code: str | None = None
    characters: int | None = None
    title_clean: bool | None = None
    constraints: Mapping[str, Sequence[int]] | None = None  # kind → stated, kept, violated
    agreement: Mapping[str, Sequence[int]] | None = None  # kind → stated, violated
    said: Sequence[Sequence[str | int]] | None = None  # kind, digests of source and value, times
    indirect: Mapping[str, int] | None = None  # label → mentions that the text keeps
    file_format: str | None = None
    removed: Mapping[str, int] | None = None  # kind → number
    file_digest: str | None = None


@dataclass(slots=True)
class BatchStep:
    """A step on a batch, from `begin` to `finish`.

    `waiting` and `contents` are by document id; `rows` gathers the rows for each table of `COLUMNS`.
    """

    run: Run
    batch_id: int
    name: str
    before: str
    waiting: Mapping[str, Waiting]
    contents: dict[str, Content] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)
    moves: dict[str, Move] = field(default_factory=dict)
    rows: dict[str, list[Sequence[Any]]] = field(default_factory=dict)

    def leave(self, document_id: str, state: str, **learnt: Any) -> None:
        """Record the state of a document after the step."""
        self.moves[document_id] = Move(document_id, self.waiting[document_id].content_hash, state, **learnt)

    def refuse(self, refused: Refused) -> None:
        """Send a document to quarantine, with its most telling reason."""
        self.leave(refused.document_id, "quarantined", reason=refused.reasons[0])

    def add(self, table: str, row: Sequence[Any]) -> None:
        """Add a row for `table`, with the columns of `COLUMNS`."""
        self.rows.setdefault(table, []).append(row)


def read_run(run_id: int) -> Run:
    """Read a run, as planned.

    Raises:
        InputRefused: there is no such run, or it was a dry run.
    """
    with open_cursor("worker") as cursor:
        row = execute(cursor, "deid", "run", "read", {"run_id": run_id}).fetchone()
    if row is None:
        raise InputRefused(f"there is no run {run_id} to work for.", "Plan it first, without dry_run.")
    return Run(*row)


def find_run(triggered_by: str) -> int:
    """Return the id of the run planned for a trigger.

    Raises:
        InputRefused: nothing was planned for it, or it was a dry run.
    """
    with open_cursor("worker") as cursor:
        row = execute(cursor, "deid", "run", "find", {"triggered_by": triggered_by}).fetchone()
    if row is None or row[1]:
        raise InputRefused(f"no run was planned for {triggered_by}.", "Plan it first, without dry_run.")
    return int(row[0])


def read_planned(triggered_by: str) -> dict[str, Any]:
    """Return run_id, interval_key, seen, elsewhere, planned, held and dry_run of a trigger; empty if none was planned.

    `held` lists the unfinished runs that kept documents of the interval: run_id, triggered_by, active_at, documents.
    """
    with open_cursor("worker") as cursor:
        found = by_column(execute(cursor, "deid", "run", "planned", {"triggered_by": triggered_by}))
    return found[0] if found else {}


def begin(run: Run, batch_id: int, step: str, before: str) -> BatchStep:
    """Open a step on the documents of a batch that wait in state `before`, and mark the run as active."""
    parameters = {"run_id": run.run_id, "batch_id": batch_id, "state": before}
    with open_cursor("worker", f"nocturne {step}") as cursor:
        execute(cursor, "deid", "run", "touch", parameters)
        waiting = {row[0]: Waiting(*row) for row in execute(cursor, "deid", "document", "batch", parameters).fetchall()}
    return BatchStep(run, batch_id, step, before, waiting)


def finish(step: BatchStep) -> dict[str, Any]:
    """Write all rows of a step in one transaction, for the documents that are still its own.

    Returns the batch's documents by state, after the step.
    """
    parameters: dict[str, Any] = {
        "run_id": step.run.run_id,
        "batch_id": step.batch_id,
        "step": step.name,
        "before": step.before,
    }
    with open_cursor("worker", f"nocturne {step.name}") as cursor:
        if step.moves:
            _copy_moves(cursor, step.moves.values())
            execute(cursor, "deid", "document", "own", parameters)
            cursor.execute("SELECT count(*) FROM owned")
            (owned,) = one(cursor)
            for table, rows in step.rows.items():
                copy_rows(cursor, "deid", table, COLUMNS[table], rows)
                execute(cursor, "deid", table, "insert", parameters)
            execute(cursor, "deid", "quarantine", "insert", parameters)
            execute(cursor, "deid", "candidate", "drop_refused", parameters)
            execute(cursor, "deid", "document", "move", parameters)
            if owned:
                characters = sum(move.characters or 0 for move in step.moves.values())
                batch = (step.run.run_id, step.batch_id, step.name)
                record_step_cost(cursor, *batch, step.started, len(step.moves), characters)
        execute(cursor, "deid", "run", "touch", parameters)
        return tally(cursor, step.run.run_id, step.batch_id)


def tally(cursor: Cursor, run_id: int, batch_id: int) -> dict[str, Any]:
    """Count the documents of a batch by state: `{"run_id": 7, "batch_id": 1, "documents": 500, "staged": 496, …}`."""
    execute(cursor, "deid", "document", "tally", {"run_id": run_id, "batch_id": batch_id})
    states = {state: documents for state, documents, _ in cursor.fetchall()}
    return {"run_id": run_id, "batch_id": batch_id, "documents": sum(states.values()), **states}


def read_mentions(
    run_id: int, document_ids: Sequence[str], *, role: str = "worker", shown: bool = False
) -> dict[str, tuple[Mention, ...]]:
    """Return the stored mentions by document, read as `role`; a document without mentions is absent.

    To a steward, and with `shown`, mentions that an open review hides from its readers are absent.
    """
    statement = "shown" if shown or role == "steward" else "batch"
    found: dict[str, list[Mention]] = {}
    with open_cursor(role) as cursor:
        execute(cursor, "deid", "mention", statement, {"run_id": run_id, "document_ids": list(document_ids)})
        for document_id, start, end, label, score, subtype, votes in cursor.fetchall():
            cast = tuple(Vote(name, Label(vote), weight) for name, vote, weight in votes)
            found.setdefault(document_id, []).append(Mention(start, end, Label(label), score, subtype, cast))
    return {document_id: tuple(items) for document_id, items in found.items()}


def stage_run(
    run: Run,
    max_epsilon_per_patient: float | None = None,
    *,
    compared: Collection[AgreementKind] = tuple(AgreementKind),
    hold_disagreeing: bool = False,
) -> dict[str, Any]:
    """Stage the validated documents of a run and return its summary; a second call changes nothing.

    What documents say of their patients is compared here, where all of the night are known: with each other and with
    what is published, in the kinds `compared`. Those that disagree are counted, and go to quarantine with
    `hold_disagreeing`; so do those that would take a patient's account past `max_epsilon_per_patient` (nats of ε).

    Raises:
        ReleaseRefused: some documents have not gone through every step.
    """
    parameters = {"run_id": run.run_id}
    with open_cursor("worker", "nocturne stage") as cursor:
        for table, step in (("document", "stage"), ("document", "supersede_staged")):
            execute(cursor, "deid", table, step, parameters)
        if _is_open(cursor, run.run_id):
            execute(cursor, "deid", "agreement", "compare", {**parameters, "compared": list(compared)})
            if hold_disagreeing:
                execute(cursor, "deid", "agreement", "disagreeing", parameters)
                _refuse(cursor, run.run_id, [name for (name,) in cursor.fetchall()], Reason.PATIENT_DISAGREES)
            if max_epsilon_per_patient is not None:
                hold_to_limit(cursor, run.run_id, max_epsilon_per_patient)
        for table, step in (
            ("staged_content", "salt"),
            ("staged_content", "insert"),
            ("run", "stage"),
            ("run", "retire"),
            ("staged_content", "forget"),
        ):
            execute(cursor, "deid", table, step, parameters)
        if run.state == "planned":
            for table, step in (("mention_tally", "write"), ("spend_tally", "write"), ("run", "sum_up")):
                execute(cursor, "deid", table, step, parameters)
        (summary,) = by_column(execute(cursor, "deid", "run", "summary", parameters))
        unfinished = summary.pop("unfinished")
        if unfinished:
            raise ReleaseRefused(
                f"run {run.run_id}: {unfinished} documents have not been validated.",
                "Run detect, substitute and validate on every batch, then stage again.",
            )
    return summary


def _copy_moves(cursor: Cursor, moves: Iterable[Move]) -> None:
    learnt = ("patient_id", "loinc_code", "characters", "title_clean", "constraints", "agreement", "said")
    columns = ("document_id", "content_hash", "state", *learnt, "indirect", "file_format", "removed", "file_digest")
    copy_rows(cursor, "deid", "document", columns, ([getattr(move, name) for name in columns] for move in moves))
    refused = ([move.document_id, move.reason] for move in moves if move.reason is not None)
    copy_rows(cursor, "deid", "quarantine", ("document_id", "reason"), refused)


# Privacy account of a patient: total ε of the published documents, in nats.


def hold_to_limit(cursor: Cursor, run_id: int, limit: float) -> int:
    """Quarantine the run's staged documents that would exceed their patient's `limit` (nats); return their number.

    Documents are admitted in the order of their own dates, then of their ids, each if it still fits: neither the
    order of batches nor that of arrival matters.
    """
    refused = past_limit(execute(cursor, "deid", "budget", "accounts", {"run_id": run_id}).fetchall(), rational(limit))
    _refuse(cursor, run_id, refused, Reason.BUDGET_EXCEEDED)
    return len(refused)


def _is_open(cursor: Cursor, run_id: int) -> bool:
    """Return whether a run's documents are still to be judged together: one that is staged already has been.

    One run closes at a time, so that two do not spend the same rest of an account, nor each miss the other's documents.
    """
    cursor.execute("SELECT deid.lock_staging()")
    cursor.execute("SELECT state FROM deid.run WHERE run_id = %s", (run_id,))
    return cursor.fetchone() == ("planned",)


def _refuse(cursor: Cursor, run_id: int, document_ids: Sequence[str], reason: Reason) -> None:
    parameters = {"run_id": run_id, "document_ids": list(document_ids), "reason": reason}
    execute(cursor, "deid", "document", "refuse", parameters)


def past_limit(accounts: Iterable[tuple[str, str, Any, Any]], limit: Fraction) -> list[str]:
    """Return the ids of documents over the limit, from (patient, document, spent before, added) in admission order."""
    refused = []
    for _, documents in groupby(accounts, key=lambda account: account[0]):
        total: Fraction | None = None
        for _, document_id, spent, added in documents:
            total = Fraction(spent) if total is None else total
            # What adds nothing has been published before: keeping it out would hide nothing.
            if added and total + Fraction(added) > limit + ROUNDING:
                refused.append(document_id)
            else:
                total += Fraction(added)
    return refused


def list_patient_totals() -> list[tuple[int, float]]:
    """Return documents and ε (nats) of each patient with published documents, greatest ε first, without identifiers."""
    with open_cursor("steward", "nocturne budget") as cursor:
        execute(cursor, "deid", "budget", "patients")
        return [(int(documents), float(epsilon)) for documents, epsilon in cursor.fetchall()]
