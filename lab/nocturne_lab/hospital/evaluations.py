"""Evaluations of releases in the ledger: the sample, read as the worker from the source, and its stored measures.

The worker reads no published text: candidates are gone once they are published. What was published is drawn again,
which gives the same under the same pipeline, secret and references (`nocturne_lab.evaluation.released`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.outcomes import Detected
from deid.ledger.identity import Translator
from deid.ledger.steps import Run, read_mentions, read_run
from deid.source.contract import Source, open_source
from deid.source.extraction import read_rows
from deid.source.links import SourceLink
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


def read_codes(document_ids: Sequence[str]) -> dict[str, CodedAs] | None:
    """Return the stay and the ICD-10 codes of documents that have any; None if the source has no query of codes.

    Raises:
        ContractBroken: the query lacks a column of the contract.
        WarehouseUnreachable, WarehouseError: the source or the ledger could not be read.
    """
    there = Translator().to_source("document", document_ids)
    with open_source(APPLICATION) as warehouse:
        rows = _read_codes(warehouse, Source(settings().source), list(there.values()))
    if rows is None:
        return None
    own: dict[str, list[tuple[str, str]]] = {}
    for document, stay, code in rows:
        if stay and code:
            own.setdefault(document, []).append((stay, code))
    return {
        name: CodedAs(own[source][0][0], tuple(code for _, code in own[source]))
        for name, source in there.items()
        if source in own
    }


def _read_codes(link: SourceLink, source: Source, document_ids: Sequence[str]) -> list[tuple[str, str, str]] | None:
    """Read the ICD-10 codes of the stays of documents, as (document, stay, code); None if the source has no such query.

    Raises:
        ContractBroken: the query lacks a column or gives another type.
    """
    if not source.has("codes"):
        return None
    source.verify(link, "codes")
    rows = read_rows(link, source, "codes", {"document_ids": list(document_ids)})
    return [(row["document_id"], row["stay_id"], row["code"]) for row in rows]


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
