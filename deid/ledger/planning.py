"""Planning of a run: list the interval at the source, keep the documents new to the ledger, split them in batches."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any

from psycopg2.extensions import connection as Connection
from psycopg2.extensions import cursor as Cursor

from deid.config.policy import PatientPart
from deid.config.settings import settings
from deid.database.connection import connect, open_identity
from deid.database.queries import WHOLE_RUN, copy_rows, execute, one, record_step_cost
from deid.domain import PARIS
from deid.domain.errors import ContractBroken, InputRefused, PolicyError, RunAlive, WarehouseError
from deid.ledger.identity import Translator, salted
from deid.ledger.keys import check_keyring
from deid.ledger.opt_outs import resolve_opt_outs
from deid.source.contract import Source, open_source
from deid.source.extraction import identify_documents, list_documents, present_documents, read_merges, version_hash
from deid.source.links import SourceLink
from deid.source.patient_parts import ProjectPart, open_part
from deid.source.rows import Listed

LOOKUP = 10_000  # ids per query of the source
LARGEST_BATCH = 5_000  # documents that a worker holds in memory at once, where the request does not ask for more
LISTED = ("document_id", "content_hash", "patient_id", "ingested_at", "document_type", "service")

CLOCKS_DIFFER = timedelta(minutes=5)  # at most, between the machines that schedule and those that plan

log = logging.getLogger(__name__)

# A source in the middle of a reload looks like a source whose documents were deleted. Past this share (and this
# number) of documents gone without a withdrawal mark, planning stops rather than empty the research schema.
VANISHED_SHARE = 0.05
VANISHED_FLOOR = 20


@dataclass(frozen=True, slots=True)
class Interval:
    """Span of ingestion times [start, end) of a run.

    Raises:
        InputRefused: a bound is absent or has no time zone, or the interval is empty.
    """

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if not (isinstance(self.start, datetime) and isinstance(self.end, datetime)):
            raise InputRefused("a run needs the start and the end of an interval.", "Give both.")
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise InputRefused("an interval needs times with their time zone.", "Write 2026-10-03T03:30:00+02:00.")
        # Two times of one zone would compare by the clock on the wall, which shows an hour twice in autumn.
        if self.end.astimezone(UTC) <= self.start.astimezone(UTC):
            raise InputRefused("the interval is empty: it ends before it starts.", "Exchange its bounds.")

    @property
    def key(self) -> str:
        """Name of the interval: its start date in Paris, or `start..end` when it is longer than one day."""
        first, last = self.start.astimezone(PARIS).date(), self.end.astimezone(PARIS).date()
        return str(first) if (last - first).days <= 1 else f"{first}..{last}"


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions recorded with the rows of a run."""

    policy_hash: str
    pipeline_version: str
    detector_version: str
    key_version: int
    key_fingerprint: str
    reference_versions: Mapping[str, str]
    policy: Mapping[str, Any] = field(default_factory=dict)  # content whose hash is policy_hash
    models: Mapping[str, str] = field(default_factory=dict)  # kind → hash, of the registry
    code_digest: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """Parameters of a run: interval, filters (empty: all documents), reason, the request behind it, the patients.

    A batch holds `batch_size` documents, or more where there would be more than `most_batches` of them.
    `refuse_held`: a run that would take nothing, because another holds the documents, is refused.
    """

    interval: Interval
    document_types: Sequence[str] = ()
    services: Sequence[str] = ()
    dry_run: bool = False
    reason: str = ""
    triggered_by: str = ""
    requested_by: str = ""
    batch_size: int = 500
    most_batches: int | None = None
    dag_version: str = ""
    refuse_held: bool = False
    patients: PatientPart = field(default_factory=PatientPart)
    versions: Versions = field(kw_only=True)

    def __post_init__(self) -> None:
        if not self.triggered_by:
            raise InputRefused("a run needs the id of what triggered it.", "Give triggered_by.")
        if self.batch_size < 1:
            raise InputRefused("a batch holds at least one document.", "Give a batch_size of 1 or more.")
        if self.interval.end > datetime.now(UTC) + CLOCKS_DIFFER:
            raise InputRefused(
                f"the interval {self.interval.key} ends in the future: what arrives until then would be missed.",
                "Wait for its end, or give one that has ended.",
            )

    def size_batches(self, planned: int) -> int:
        """Return the documents of a batch, where a run has `planned` of them.

        Raises:
            InputRefused: as many batches as are allowed would hold more documents than a worker should.
        """
        if self.most_batches is None or planned <= self.batch_size * self.most_batches:
            return self.batch_size
        size, largest = ceil(planned / self.most_batches), max(self.batch_size, LARGEST_BATCH)
        if size > largest:
            raise InputRefused(
                f"{self.interval.key}: {planned} documents are more than "
                f"{self.most_batches} batches of {largest} hold.",
                "Ask for shorter intervals, or raise AIRFLOW__CORE__MAX_MAP_LENGTH in each component of Airflow.",
            )
        log.warning(
            "%s: batches of %d documents, not %d: there may be %d batches.",
            *(self.interval.key, size, self.batch_size, self.most_batches),
        )
        return size


@dataclass(frozen=True, slots=True)
class Batch:
    """Part of a run; `documents` counts the documents planned in it."""

    run_id: int
    batch_id: int
    documents: int

    def as_dict(self) -> dict[str, int]:
        """Return the batch as a task receives it."""
        return asdict(self)


def plan_run(request: Request) -> list[Batch]:
    """Register a run and its new documents in one transaction; the same trigger finds the same run again.

    Documents that another unfinished run holds stay with it: which runs, and how many documents, is logged and kept in
    deid.run.held (`deid.ledger.steps.read_planned`). Documents of patients of another project's part are counted
    and no more.

    Raises:
        InputRefused: the run has more documents than its batches may hold.
        RunAlive: it would take nothing, other runs hold the documents, and `refuse_held`; nothing was registered.
        ContractBroken: a query breaks the source contract, or too many documents vanished at once.
        PolicyError: too many documents of the ledger are those of another project's patients.
        WarehouseUnreachable: the warehouse is a replica that has not reached the end of the interval.
        SettingsError: the secret is not the one that the ledger knows, or a version of it is missing; the secret that
            divides patients is.
    """
    started = time.monotonic()
    source = Source(settings().source)
    with connect(settings().dsn("worker"), application="nocturne plan") as state:
        with state.cursor() as cursor:
            if known := _find_run(cursor, request.triggered_by):
                return _read_batches(cursor, *known)
        with open_source("nocturne plan", snapshot=True) as warehouse:
            warehouse.check_replay(request.interval.end)
            source.verify(warehouse)  # every query, so that all faults are told at once and before anything is written
            with state.cursor() as cursor:
                told = read_merges(warehouse, source)
                part = open_part(request.patients, told or ())
                seen, elsewhere = _copy_interval(cursor, warehouse, source, request, part)
                moved = _copy_vanished(state, cursor, warehouse, source, part)
                added, gone = _copy_again(cursor, warehouse, source, request.interval, moved, part)
                merges = None if told is None else _named_merges(told)
        with state.cursor() as cursor:
            found = _Found(seen + added, elsewhere, gone, list(moved), merges)
            return _register(cursor, request, source, found, started)


@dataclass(frozen=True, slots=True)
class _Found:
    """Findings of planning at the source: documents listed, wanted ones gone, documents that changed patient, merges.

    `elsewhere` counts the documents of the interval that are another project's. `merges` holds (patient, merged into);
    None if the source does not tell.
    """

    seen: int
    elsewhere: int
    gone: list[str]
    moved: list[str]
    merges: list[tuple[str, str]] | None


def _find_run(cursor: Cursor, triggered_by: str) -> tuple[int, bool] | None:
    found: tuple[int, bool] | None = execute(cursor, "deid", "run", "find", {"triggered_by": triggered_by}).fetchone()
    return found


def _read_batches(cursor: Cursor, run_id: int, dry_run: bool) -> list[Batch]:
    if dry_run:
        return []
    execute(cursor, "deid", "document", "batches", {"run_id": run_id})
    return [Batch(run_id, batch_id, documents) for batch_id, documents in cursor.fetchall()]


def _copy_interval(
    cursor: Cursor, warehouse: SourceLink, source: Source, request: Request, part: ProjectPart
) -> tuple[int, int]:
    """List the interval into temporary tables; return the numbers of its documents and of another project's.

    The latter get no id of the ledger.
    """
    copy_rows(cursor, "deid", "document", LISTED, ())
    copy_rows(cursor, "deid", "withdrawal", ("document_id",), ())
    seen = elsewhere = 0
    for listed in list_documents(warehouse, source, request.interval.start, request.interval.end):
        ours = [row for row in listed if part.has(row.document_id, row.patient_id)]
        elsewhere += sum(not row.withdrawn for row in listed) - sum(not row.withdrawn for row in ours)
        page = Translator().rename(ours)
        kept = [row for row in page if not row.withdrawn]
        rows = ([getattr(row, column) for column in LISTED] for row in kept)
        copy_rows(cursor, "deid", "document", LISTED, rows)
        gone = ([row.document_id] for row in page if row.withdrawn)
        copy_rows(cursor, "deid", "withdrawal", ("document_id",), gone)
        seen += len(kept)
    (repeated,) = one(execute(cursor, "deid", "document", "repeated"))
    if repeated:
        raise source.broken(
            "plan",
            f"{repeated} documents are listed more than once",
            "Mend its joins: one row for each document, as it is now.",
        )
    return seen, elsewhere


def _copy_vanished(
    state: Connection, cursor: Cursor, warehouse: SourceLink, source: Source, part: ProjectPart
) -> dict[str, datetime]:
    """Add the documents of the ledger that the source has deleted or withdrawn, whatever the interval.

    So are those whose patient is another project's now, by a merge or a correction. Returns the ingestion time of each
    document that belongs to another patient than the ledger knows.
    """
    source.verify(warehouse, "present")
    held = 0
    vanished: list[str] = []
    elsewhere: list[str] = []
    moved: dict[str, datetime] = {}
    for owners in _live_documents(state):
        names = Translator().to_source("document", list(owners))
        _refuse_lost(cursor, owners.keys() - names.keys())
        owners = {document_id: owner for document_id, owner in owners.items() if document_id in names}
        still_there, others = _present(warehouse, source, names, part)
        held += len(owners)
        elsewhere += others
        vanished += [document_id for document_id in owners if document_id not in still_there]
        moved |= {
            document_id: ingested_at
            for document_id, (patient_id, ingested_at) in owners.items()
            if patient_id is not None and still_there.get(document_id, patient_id) != patient_id
        }
    if len(moved) > max(VANISHED_FLOOR, VANISHED_SHARE * held):
        raise ContractBroken(
            f"source {source.name}: {len(moved)} of the {held} documents held by Nocturne changed patient at once.",
            f"Check patient_id in {source.file('present')}; if they did change, mark them as corrected "
            "(ingestion time in the interval), a part at a time.",
        )
    if len(elsewhere) > max(VANISHED_FLOOR, VANISHED_SHARE * held):
        raise PolicyError(
            f"{len(elsewhere)} of the {held} documents held by Nocturne are of patients of another project's part.",
            "Give this project the part (`patients` of the policy) and the NOCTURNE_PARTITION_SECRET_FILE of its first "
            "night; another part begins with a database of its own.",
        )
    cursor.execute("SELECT document_id FROM incoming_withdrawal")
    unannounced = set(vanished) - set(elsewhere) - {row[0] for row in cursor.fetchall()}
    if len(unannounced) > max(VANISHED_FLOOR, VANISHED_SHARE * held):
        raise ContractBroken(
            f"source {source.name}: {len(unannounced)} of the {held} documents held by Nocturne are gone at once.",
            "If the warehouse is being reloaded, run again afterwards; if they were deleted, mark them as withdrawn "
            "with an ingestion time in the interval, so that the plan sees it is meant.",
        )
    copy_rows(cursor, "deid", "withdrawal", ("document_id",), ([document_id] for document_id in vanished))
    return moved


def _copy_again(
    cursor: Cursor,
    warehouse: SourceLink,
    source: Source,
    interval: Interval,
    moved: Mapping[str, datetime],
    part: ProjectPart,
) -> tuple[int, list[str]]:
    """Add documents whatever their interval: moved to another patient, sent back, left by a dead run of this interval.

    Returns the number of documents added, and the ids that the source no longer has.
    """
    dead = {"interval_key": interval.key, "abandoned_after_s": settings().abandoned_after_s}
    execute(cursor, "deid", "quarantine_choice", "asked", {"source": source.name, **dead})
    asked = dict(cursor.fetchall()) | dict(moved)
    cursor.execute("SELECT document_id FROM incoming_document WHERE document_id = ANY(%s)", (list(asked),))
    listed_too = {row[0] for row in cursor.fetchall()}
    wanted = sorted(set(asked) - listed_too)
    added, gone = 0, []
    for document_ids in (wanted[start : start + LOOKUP] for start in range(0, len(wanted), LOOKUP)):
        still_there, _ = _present(warehouse, source, Translator().to_source("document", document_ids), part)
        names = {there: name for name, there in Translator().to_source("document", list(still_there)).items()}
        listed = [
            Listed(**row, ingested_at=asked[names[row["document_id"]]], withdrawn=False)
            for row in identify_documents(warehouse, source, list(names))
        ]
        found = Translator().rename(listed)
        rows = ([getattr(row, column) for column in LISTED] for row in found)
        copy_rows(cursor, "deid", "document", LISTED, rows)
        added += len(found)
        gone += sorted(set(document_ids) - {row.document_id for row in found})
    return added, gone


def _present(
    warehouse: SourceLink, source: Source, names: Mapping[str, str], part: ProjectPart
) -> tuple[dict[str, str | None], list[str]]:
    """Return the patient of each document of the ledger that the source still has, and those that are another's part.

    `names` gives the source's id of each. The latter are not among the former; the ids are the ledger's.
    """
    found = present_documents(warehouse, source, list(names.values()))
    ours = {there: patient for there, patient in found.items() if part.has(there, patient)}
    patients = Translator().to_ledger("patient", ours.values())
    return (
        {name: patients.get(ours[there] or "") for name, there in names.items() if there in ours},
        [name for name, there in names.items() if there in found and there not in ours],
    )


def _refuse_lost(cursor: Cursor, document_ids: Collection[str]) -> None:
    """Refuse documents without an id of the source that no destroyed secret has cut off: they were never withdrawn."""
    asked = {"document_ids": list(document_ids)}
    if document_ids and (lost := one(execute(cursor, "deid", "document", "lost", asked))[0]):
        raise WarehouseError(
            f"{lost} documents of the ledger are not in the schema identity.",
            "Restore a schema identity as late as the ledger, or later (docs/operators.md, “Backup and restore”).",
        )


def _discarded_before(cursor: Cursor) -> list[str]:
    """Return the incoming documents whose content was discarded before versions were named by their patient."""
    with open_identity("worker") as ids:
        if not (digests := dict(execute(ids, "identity", "mapping", "discarded").fetchall())):
            return []
        salt = str(one(execute(ids, "identity", "mapping", "salt"))[0])
    found = execute(cursor, "deid", "document", "discarded_before", {"salted": list(digests)}).fetchall()
    patients = Translator().to_source("patient", {patient_id for _, _, patient_id, _ in found if patient_id})
    return [
        document_id
        for document_id, content_hash, patient_id, discarded in found
        if content_hash == salted(salt, version_hash(digests[discarded], patients.get(patient_id)))
    ]


def _live_documents(state: Connection) -> Iterator[dict[str, tuple[str | None, datetime]]]:
    """Yield patient and ingestion time of the ledger's live documents, by document id, part by part."""
    with state.cursor("live_documents") as cursor:
        execute(cursor, "deid", "document", "live")
        while rows := cursor.fetchmany(LOOKUP):
            yield {document_id: (patient_id, ingested_at) for document_id, patient_id, ingested_at in rows}


def _register(cursor: Cursor, request: Request, source: Source, found: _Found, started: float) -> list[Batch]:
    cursor.execute("SELECT deid.lock_planning()")  # one run at a time decides which documents are new
    if known := _find_run(cursor, request.triggered_by):  # the same plan ran beside this one and won
        return _read_batches(cursor, *known)
    interval, versions = request.interval, asdict(request.versions)
    parameters: dict[str, Any] = {
        **versions,
        "reference_versions": json.dumps(versions["reference_versions"]),
        "policy": json.dumps(versions["policy"], sort_keys=True, ensure_ascii=False),
        "models": json.dumps(versions["models"]),
        "source": source.name,
        "source_digest": source.digest,
        "interval_start": interval.start,
        "interval_end": interval.end,
        "interval_key": interval.key,
        "document_types": list(request.document_types),
        "services": list(request.services),
        "dry_run": request.dry_run,
        "reason": request.reason,
        "triggered_by": request.triggered_by,
        "requested_by": request.requested_by,
        "dag_version": request.dag_version,
        "abandoned_after_s": settings().abandoned_after_s,
        "seen": found.seen,
        "elsewhere": found.elsewhere,
        "gone": found.gone,
        "moved": found.moved,
        "merges_known": found.merges is not None,
    }
    check_keyring(cursor, settings().keyring)
    if not request.dry_run:
        execute(cursor, "deid", "key", "insert", parameters)
        if versions["policy"]:
            execute(cursor, "deid", "policy", "insert", parameters)
    (parameters["run_id"],) = one(execute(cursor, "deid", "run", "insert", parameters))
    held, losing = _find_holders(cursor, parameters)
    parameters["held"] = json.dumps(held)
    if found.merges is not None and not request.dry_run:
        _store_merges(cursor, found.merges)
    resolve_opt_outs(cursor, "worker")
    parameters["discarded"] = _discarded_before(cursor)
    execute(cursor, "deid", "document", "filter_new", parameters)
    cursor.execute("SELECT count(*) FROM new_document")
    (parameters["planned"],) = one(cursor)
    parameters["batch_size"] = request.size_batches(parameters["planned"])
    if request.refuse_held and held and not parameters["planned"] and not request.dry_run:
        raise RunAlive(
            f"{sum(one['documents'] for one in held)} documents of {interval.key} are held by another run "
            f"({', '.join(one['triggered_by'] for one in held)}), which has not failed; nothing else is new.",
            "Wait for its end, then clear this task; where nothing works on it any more, mark it as failed in Airflow.",
        )
    if not request.dry_run:
        for table, step in (
            *(("document", "plan"), ("candidate", "drop_orphans"), ("withdrawal", "insert")),
            *(("withdrawal", "moved"), ("quarantine_choice", "use"), ("document", "replace_refused")),
        ):
            execute(cursor, "deid", table, step, parameters)
        for step in ("gone", "overtake"):
            losing += [run_id for (run_id,) in execute(cursor, "deid", "document", step, parameters).fetchall()]
        execute(cursor, "deid", "run", "close_emptied", {"run_ids": losing})
    execute(cursor, "deid", "run", "counted", parameters)
    log.info(
        "%s of %s: %d documents seen, %d planned, %d held back by other runs.",
        *("dry run" if request.dry_run else f"run {parameters['run_id']}", interval.key, found.seen),
        *(parameters["planned"], sum(one["documents"] for one in held)),
    )
    if request.patients.of > 1:
        log.info("%s: %d documents are outside this project's part of the patients.", interval.key, found.elsewhere)
    record_step_cost(cursor, parameters["run_id"], WHOLE_RUN, "plan", started, parameters["planned"])
    return _read_batches(cursor, parameters["run_id"], request.dry_run)


def _named_merges(told: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return merges of the source, (patient, merged into), by the ids of the ledger."""
    names = Translator().to_ledger("patient", (patient for merge in told for patient in merge))
    return [(names[patient], names[other]) for patient, other in told if patient in names and other in names]


def _store_merges(cursor: Cursor, merges: Sequence[tuple[str, str]]) -> None:
    """Replace the merges of patients by the source's current ones."""
    cursor.execute("DELETE FROM deid.patient_merge")
    rows = {"patients": [one for one, _ in merges], "survivors": [other for _, other in merges]}
    execute(cursor, "deid", "patient_merge", "insert", rows)


def _find_holders(cursor: Cursor, parameters: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the runs that keep documents of the interval, which are logged, and the ids of those that lose theirs."""
    execute(cursor, "deid", "document", "holders", parameters)
    held, losing = [], []
    for run_id, triggered_by, active_at, documents, alive in cursor.fetchall():
        if not alive:
            losing.append(run_id)
            continue
        log.warning(
            "run %s: %s documents of %s are held by run %s (%s), which is not finished; last sign of life %s. "
            "If that run is dead: python -m deid runs take-over %s, then plan again.",
            *(parameters["run_id"], documents, parameters["interval_key"], run_id, triggered_by, active_at, run_id),
        )
        held.append(
            {
                "run_id": run_id,
                "triggered_by": triggered_by,
                "active_at": active_at.isoformat(timespec="seconds"),
                "documents": documents,
            }
        )
    return held, losing
