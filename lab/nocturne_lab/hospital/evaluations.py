"""Evaluations of releases in the ledger: the sample, read as the worker from the source, and its stored measures.

The worker reads no published text: candidates are gone once they are published. What was published is drawn again,
which gives the same under the same pipeline, secret and references (`nocturne_lab.evaluation.released`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.outcomes import Detected
from deid.ledger.identity import Translator
from deid.ledger.steps import Run, read_mentions, read_run
from deid.source.contract import Source, open_source
from deid.source.extraction import read_rows
from nocturne_lab.hospital.periods import open_period

APPLICATION = "nocturne evaluation"


class Measured(NamedTuple):
    """A measure of a release: a share or a ratio, its bounds with 95 % confidence, and of how many it is one."""

    measure: str
    value: float
    low: float | None
    high: float | None
    n: int


class Drawn(NamedTuple):
    """A document of the sample: its version, its run and its release."""

    document_id: str
    content_hash: str
    run_id: int
    release_id: int


class CodedAs(NamedTuple):
    """The stay of a document, by the source's id, and its ICD-10 codes, the main one first."""

    stay: str
    codes: tuple[str, ...]


class Filed(NamedTuple):
    """Stay, type and LOINC code of a document in the warehouse; what it does not tell is empty."""

    stay: str
    kind: str
    loinc: str


def published_runs(interval_key: str) -> list[tuple[Run, Mapping[str, str]]]:
    """Return the runs with published documents of an interval, each with its versions of references.

    Raises:
        WarehouseUnreachable, WarehouseError: the ledger could not be read.
    """
    with open_cursor("worker", APPLICATION) as cursor:
        found = execute(cursor, "deid", "evaluation", "runs", {"interval_key": interval_key}).fetchall()
    return [(read_run(run_id), versions) for run_id, versions in found]


def draw_sample(interval_key: str, run_ids: Sequence[int], size: int) -> list[Drawn]:
    """Return at most `size` published documents of runs, the same at each call, in no order of theirs.

    Patients are whole, but perhaps the last.

    Raises:
        WarehouseUnreachable, WarehouseError: the ledger could not be read.
    """
    with open_cursor("worker", APPLICATION) as cursor:
        asked = {"interval_key": interval_key, "run_ids": list(run_ids), "size": size}
        return [Drawn(*row) for row in execute(cursor, "deid", "evaluation", "sample", asked).fetchall()]


def draw_learned(document_ids: Collection[str], size: int) -> list[Drawn]:
    """Return at most `size` of the documents named that are published, the same at each call.

    Raises:
        WarehouseUnreachable, WarehouseError: the ledger could not be read.
    """
    with open_cursor("worker", APPLICATION) as cursor:
        asked = {"document_ids": sorted(document_ids), "size": size}
        return [Drawn(*row) for row in execute(cursor, "deid", "evaluation", "learned", asked).fetchall()]


def open_sample(sample: Sequence[Drawn]) -> list[Detected]:
    """Return the sample's originals with the mentions that were replaced.

    One that the source no longer has in that version, or of a patient who opted out since, is absent.

    Raises:
        ContractBroken: the source's query lacks a column of the contract.
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    found: list[Detected] = []
    by_run = sorted(sample, key=lambda one: one.run_id)
    for run_id, ones in groupby(by_run, key=lambda one: one.run_id):
        versions = {one.document_id: one.content_hash for one in ones}
        mentions = read_mentions(run_id, list(versions))
        opened = open_period(list(versions), settings().limits(), versions)
        found += [Detected(one.document, None, mentions.get(one.document.id, ())) for one in opened]
    return found


def read_filing(document_ids: Sequence[str]) -> dict[str, Filed]:
    """Return the stay and type of documents; one without a stay has its own id for one.

    Raises:
        ContractBroken, WarehouseUnreachable, WarehouseError: see `open_sample`.
    """
    there = Translator().to_source("document", document_ids)
    found = {}
    for row in _read_source("contents", there, cut=1) or ():
        own = row["document_id"]
        found[own] = Filed(row["stay_id"] or own, row["document_type"] or "", row["loinc_code"] or "")
    return {name: found[source] for name, source in there.items() if source in found}


def read_codes(document_ids: Sequence[str]) -> dict[str, CodedAs] | None:
    """Return the stay and the ICD-10 codes of documents that have any; None if the source has no query of codes.

    Raises:
        ContractBroken, WarehouseUnreachable, WarehouseError: see `open_sample`.
    """
    there = Translator().to_source("document", document_ids)
    rows = _read_source("codes", there)
    if rows is None:
        return None
    own: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        if row["stay_id"] and row["code"]:
            own.setdefault(row["document_id"], []).append((row["stay_id"], row["code"]))
    return {
        name: CodedAs(own[source][0][0], tuple(code for _, code in own[source]))
        for name, source in there.items()
        if source in own
    }


def _read_source(step: str, there: Mapping[str, str], cut: int | None = None) -> list[dict[str, Any]] | None:
    """Return the rows of a query on documents, contents `cut` to a length; None if the source has no such query."""
    source = Source(settings().source)
    if not source.has(step):
        return None
    with open_source(APPLICATION) as warehouse:
        source.verify(warehouse, step)
        return list(read_rows(warehouse, source, step, {"document_ids": list(there.values())}, cut=cut))


def record_measures(release_id: int, run: str, policy_hash: str, measures: Iterable[Measured]) -> int:
    """Keep the measures of an evaluation, and return their number; one that is kept already stays as it is.

    Raises:
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    rows = [{"release_id": release_id, "run": run, "policy_hash": policy_hash, **one._asdict()} for one in measures]
    with open_cursor("worker", APPLICATION) as cursor:
        for row in rows:
            execute(cursor, "deid", "evaluation", "insert", row)
    return len(rows)
