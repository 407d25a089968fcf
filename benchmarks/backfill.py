"""A backfill of many documents in one run, and planning and publishing over a ledger that has grown; prints Markdown.

    python -m benchmarks.backfill > benchmarks/backfill.md                  100,000 documents, then ten million rows
    python -m benchmarks.backfill --documents 5000 --ledger 100000

The synthetic hospital's texts are copied under further patients, stays and ids, until there are enough. All nights but
two are one run, batch after batch in one process, as `nocturne night FIRST LAST` does; each of the last two is a run of
its own: between them, the ledger and the mapping of ids are filled with published documents of another time.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import psycopg2
from tqdm import tqdm

from deid.config.settings import Settings, settings
from deid.database.embedded import EmbeddedServer
from deid.nightly import steps
from deid.release import actions
from deid.schema.provision import provision, read_env
from demo.hospital import generate, load
from demo.hospital.calendar import PARIS

Given = TypeVar("Given")
TIMED = ("plan", "stage", "summarise", "publish")
NIGHTS = 30
COPIES = 5
PATIENTS_PER_DOCUMENT = 1 / 8
CHUNK = 500_000  # rows of the ledger written at a time
GROUPS = 10
# Faulty documents of the hospital repeat with the others.
POLICY = """
extends: {base}
name: backfill
quality: {{max_quarantined_share: 1, warn_quarantined_share: 1, max_failed_share: 1, max_unparsed_share: 1,
          max_without_mentions_share: 1, max_foreign_share: 1, warn_foreign_share: 1}}
release: {{approval: never, visible: nightly}}
"""
COPY = """
INSERT INTO cdw.patient
SELECT r.*
FROM cdw.patient AS p, LATERAL jsonb_populate_record(
    p, jsonb_build_object('patient_id', p.patient_id || %(mark)s, 'ipp', p.ipp || %(copy)s, 'nir', NULL)
) AS r
WHERE p.patient_id NOT LIKE '%%~%%';
INSERT INTO cdw.stay
SELECT r.*
FROM cdw.stay AS s, LATERAL jsonb_populate_record(
    s, jsonb_build_object(
        'stay_id', s.stay_id || %(mark)s, 'patient_id', s.patient_id || %(mark)s, 'nda', s.nda || %(copy)s
    )
) AS r
WHERE s.stay_id NOT LIKE '%%~%%';
INSERT INTO cdw.document
SELECT r.*
FROM cdw.document AS d, LATERAL jsonb_populate_record(d, jsonb_build_object(
    'document_id', d.document_id || %(mark)s, 'patient_id', d.patient_id || %(mark)s, 'stay_id', d.stay_id || %(mark)s
)) AS r
WHERE d.document_id NOT LIKE '%%~%%';
"""
SIZES = """
SELECT n.nspname, sum(pg_total_relation_size(c.oid))::bigint
FROM pg_class AS c INNER JOIN pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname IN ('deid', 'identity', 'research') AND c.relkind IN ('r', 'm', 'p')
GROUP BY n.nspname
ORDER BY n.nspname
"""
OLD_RUN = """
INSERT INTO deid.run (
    triggered_by, source, interval_start, interval_end, interval_key, dry_run, policy_hash, pipeline_version,
    detector_version, key_version, state, seen, planned, started_at, active_at, finished_at
)
SELECT
    'another time', source, interval_start - interval '3000 days', interval_end - interval '3000 days', 'another time',
    false, policy_hash, pipeline_version, detector_version, key_version, 'published', 0, 0, now(), now(), now()
FROM deid.run ORDER BY run_id LIMIT 1
RETURNING run_id
"""
OLD_ROWS = """
INSERT INTO cdw.document
SELECT r.*
FROM generate_series(%(first)s, %(last)s) AS g, cdw.document AS d, LATERAL jsonb_populate_record(
    d, jsonb_build_object(
        'document_id', 'old ' || g, 'content', '', 'ingested_at', d.ingested_at - interval '3000 days'
    )
) AS r
WHERE
    d.document_id = (
        SELECT min(o.document_id) FROM cdw.document AS o WHERE o.patient_id IS NOT NULL AND o.withdrawn_at IS NULL
    );
WITH met AS (
    INSERT INTO identity.mapping (kind, source_id)
    SELECT 'document', 'old ' || g FROM generate_series(%(first)s, %(last)s) AS g
    RETURNING ledger_id
)
INSERT INTO deid.document (
    document_id, content_hash, pipeline_version, run_id, batch_id, state, ingested_at, patient_id, document_type,
    service, characters, title_clean, updated_at
)
SELECT
    m.ledger_id, encode(sha256(m.ledger_id::text::bytea), 'hex'), r.pipeline_version, r.run_id, 1, 'published',
    r.interval_start, p.ledger_id, 'CRH', 'SERV', 1400, true, now()
FROM met AS m, deid.run AS r, identity.mapping AS p
WHERE
    r.run_id = %(run)s AND p.kind = 'patient' AND p.source_id = (
        SELECT d.patient_id FROM cdw.document AS d WHERE d.document_id = 'old 1'
    )
"""


@dataclass(frozen=True, slots=True)
class Batch:
    """Cost of one batch: seconds waited, seconds of this process's processor, MiB that the process holds after it."""

    documents: int
    seconds: float
    processor: float
    resident: float


def main() -> int:
    """Fill a warehouse, run, grow the ledger, run again, print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000, help="of the backfill, at least")
    parser.add_argument("--ledger", type=int, default=10_000_000, help="rows that the ledger has before the last night")
    parser.add_argument("--policy", default="rules", help="a policy that ships (default rules)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nocturne-backfill-") as folder, deployment(Path(folder), given.policy):
        first = fill(given.documents)
        empty = dict(fetch(SIZES))
        batches = backfill(first, first + timedelta(days=NIGHTS - 3))
        grown = [(schema, size - empty[schema]) for schema, size in fetch(SIZES)]
        ((small,),) = fetch("SELECT count(*) FROM deid.document")
        before = one_night(first + timedelta(days=NIGHTS - 2))
        grow(given.ledger - small)
        after = one_night(first + timedelta(days=NIGHTS - 1))
        print(page(given, batches, grown, small, (before, after)))
    return 0


@contextmanager
def deployment(home: Path, policy: str) -> Iterator[None]:
    """A server of its own, with settings that point at it."""
    server = EmbeddedServer(home)
    server.start()
    try:
        (home / "policy.yaml").write_text(POLICY.format(base=policy), encoding="utf-8")
        for name in [name for name in os.environ if name.startswith("NOCTURNE_")]:
            del os.environ[name]
        os.environ |= read_env(provision(home)) | {"NOCTURNE_POLICY": str(home / "policy.yaml")}
        Settings.model_config["env_file"] = None
        settings.cache_clear()
        yield
    finally:
        server.stop()


def fill(documents: int) -> date:
    """Write the warehouse: at least `documents` documents before its last two nights; return its first night."""
    texts = -(-documents * NIGHTS // (NIGHTS - 2)) // COPIES + COPIES
    hospital = generate(patients=round(texts * PATIENTS_PER_DOCUMENT), documents=texts, nights=NIGHTS, progress=True)
    load(settings().dsn("owner"), hospital)
    link = psycopg2.connect(settings().dsn("owner"))
    with link, link.cursor() as cursor:
        for copy in tqdm(range(1, COPIES), desc="copies", file=sys.stderr):
            cursor.execute(COPY, {"mark": f"~{copy}", "copy": str(copy)})
    link.close()
    return hospital.first_night


def fetch(query: str) -> list[tuple[Any, ...]]:
    """Return what a query of the owner's gives."""
    link = psycopg2.connect(settings().dsn("owner"))
    with link, link.cursor() as cursor:
        cursor.execute(query)
        found = cursor.fetchall()
    link.close()
    return found


def backfill(first: date, last: date) -> list[Batch]:
    """Run the nights from `first` to `last` as one, and publish them."""
    planned, took = clocked(lambda: plan(first, last))
    say(f"planned {sum(one['documents'] for one in planned)} documents in {took:.0f} s")
    done = []
    for batch in tqdm(planned, desc="batches", file=sys.stderr):
        began, worked = time.monotonic(), time.process_time()
        for step in (steps.detect, steps.substitute, steps.validate):
            step(batch["run_id"], batch["batch_id"])
        took = time.monotonic() - began
        done.append(Batch(batch["documents"], took, time.process_time() - worked, resident_mib()))
    release(planned, first, last)
    return done


def one_night(night: date) -> dict[str, float]:
    """Run a night; return its documents and the seconds that each step that reads the ledger took."""
    planned, took = clocked(lambda: plan(night, night))
    for batch in tqdm(planned, desc=f"night {night}", file=sys.stderr):
        for step in (steps.detect, steps.substitute, steps.validate):
            step(batch["run_id"], batch["batch_id"])
    return {"documents": sum(one["documents"] for one in planned), "plan": took, **release(planned, night, night)}


def plan(first: date, last: date) -> list[dict[str, int]]:
    """Plan the nights as one run."""
    start, end = (datetime.combine(day, datetime.min.time(), PARIS) for day in (first, last + timedelta(days=1)))
    return steps.plan(interval_start=start, interval_end=end, triggered_by=f"{first} {last}")


def release(planned: Sequence[dict[str, int]], first: date, last: date) -> dict[str, float]:
    """Stage and publish a run; return the seconds of each."""
    staged, staging = clocked(lambda: steps.stage(steps.run_of(f"{first} {last}")))
    key = staged["interval_key"]
    _, summary = clocked(lambda: actions.summarise(key))
    _, publishing = clocked(lambda: actions.publish(key))
    say(f"{len(planned)} batches staged in {staging:.0f} s, published in {publishing:.0f} s")
    return {"stage": staging, "summarise": summary, "publish": publishing}


def grow(rows: int) -> None:
    """Add so many published documents of another time to the ledger and to the mapping of ids."""
    link = psycopg2.connect(settings().dsn("owner"))
    with link, link.cursor() as cursor:
        cursor.execute(OLD_RUN)
        ((run,),) = cursor.fetchall()
    for first in tqdm(range(1, rows + 1, CHUNK), desc="ledger", file=sys.stderr):
        with link, link.cursor() as cursor:
            cursor.execute(OLD_ROWS, {"first": first, "last": min(first + CHUNK - 1, rows), "run": run})
    link.autocommit = True
    with link.cursor() as cursor:
        cursor.execute("ANALYZE")
    link.close()


def clocked(call: Callable[[], Given]) -> tuple[Given, float]:
    """Return what a call returns, and its seconds."""
    began = time.monotonic()
    return call(), time.monotonic() - began


def resident_mib() -> float:
    """Return the MiB that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def say(words: str) -> None:
    """Write progress, beside the page."""
    print(words, file=sys.stderr, flush=True)


def page(
    given: argparse.Namespace,
    batches: Sequence[Batch],
    grown: Sequence[tuple[str, int]],
    small: int,
    nights: tuple[dict[str, float], dict[str, float]],
) -> str:
    """Return the page."""
    size = -(-len(batches) // GROUPS)
    lines = [
        "# A backfill, and a ledger that has grown\n",
        f"Written by `python -m benchmarks.backfill --documents {given.documents} --ledger {given.ledger} --policy"
        f" {given.policy}` on {os.cpu_count()} cores ({platform.machine()}), beside other work. The texts of the"
        f" synthetic hospital, {COPIES} times\nunder other patients, are one run of {len(batches)} batches of 500, in"
        " one process, without Airflow.\n",
        "| batches | documents | seconds per thousand | processor, seconds per thousand | MiB held behind them |",
        "| :-- | --: | --: | --: | --: |",
    ]
    rates = []
    for at in range(0, len(batches), size):
        part = batches[at : at + size]
        documents = sum(one.documents for one in part)
        waited = 1000 * sum(one.seconds for one in part) / documents
        rates.append(1000 * sum(one.processor for one in part) / documents)
        span = f"{at + 1} to {at + len(part)}"
        lines.append(f"| {span} | {documents:,} | {waited:.1f} | {rates[-1]:.1f} | {part[-1].resident:.0f} |")
    middle, total = sorted(rates)[len(rates) // 2], sum(one.documents for one in batches)
    lines += [
        f"\nThe slowest tenth takes {max(rates) / middle - 1:+.0%} of the middle one's processor time, the fastest"
        f" {min(rates) / middle - 1:+.0%}. From the second\ntenth to the last the process grows by"
        f" {batches[-1].resident - batches[min(2 * size, len(batches)) - 1].resident:+.0f} MiB. All batches together:"
        f" {sum(one.seconds for one in batches) / 60:.0f} minutes.\n",
        "## Size of the database\n",
        "| schema | MB that the backfill adds | bytes per document |",
        "| :-- | --: | --: |",
        *(f"| `{schema}` | {size / 1e6:,.1f} | {size / total:,.0f} |" for schema, size in grown),
        "\n## Steps that read the ledger, for one night\n",
        f"| rows of the ledger | documents of the night | {' | '.join(f'{step}, s' for step in TIMED)} |",
        "| --: " * (2 + len(TIMED)) + "|",
    ]
    for rows, night in zip((small, given.ledger), nights, strict=True):
        times = " | ".join(f"{night[step]:.1f}" for step in TIMED)
        lines.append(f"| {rows:,} | {night['documents']:,.0f} | {times} |")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
