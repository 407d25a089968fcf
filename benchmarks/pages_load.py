"""Response times of the stewards' pages over a year of a large hospital, as a Markdown table.

    make bench-pages_load > benchmarks/pages_load.md
    python benchmarks/pages_load.py [--documents 1000000] [--requests 30]

A fresh PostgreSQL is given a year of state (benchmarks/pages_load.sql): 365 releases, a million documents. Airflow's
API server runs over it with its default of one worker here, and a client that is signed in asks for each page, first
one request at a time, then four at once. Times are what the client waits for, body included; each page is asked for
twice before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import requests

from deid.database.embedded import EmbeddedServer
from deid.database.queries import one
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.schema.provision import provision, read_env

ROOT = Path(__file__).parents[1]
STATE = Path(__file__).with_suffix(".sql")
PORT = 18087
PASSWORD = "bench"  # noqa: S105 - of a server that lives for minutes
LIMIT_MS = 300


def main() -> None:
    """Fill the database, serve the pages, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=30)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nocturne-pages-") as folder:
        home = Path(folder)
        known = read_env(provision(home))
        try:
            started = time.monotonic()
            fill(known["NOCTURNE_OWNER_DSN"], asked.documents)
            say(f"filled in {time.monotonic() - started:.0f} s")
            with serving(home, known) as (url, token):
                addresses = pages(known["NOCTURNE_OWNER_DSN"], reviewed(known["NOCTURNE_STEWARD_DSN"]))
                report(url, token, addresses, asked.documents, asked.requests)
        finally:
            EmbeddedServer(home).stop()


def say(words: str) -> None:
    """Progress, beside the table."""
    print(words, file=sys.stderr, flush=True)


def fill(dsn: str, documents: int) -> None:
    """Write the state, a statement at a time, and let PostgreSQL learn its shape."""
    link = psycopg2.connect(dsn)
    try:
        with link, link.cursor() as cursor:
            cursor.execute("SET work_mem = '256MB'")
            for statement in STATE.read_text(encoding="utf-8").split(";\n"):
                if statement.strip():
                    cursor.execute(statement, {"documents": documents})
                    say(f"  {' '.join(statement.split())[:70]}…")
        link.autocommit = True
        with link.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    finally:
        link.close()


@contextmanager
def serving(home: Path, known: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Airflow's API server with the pages: its address, and the session of a senior steward."""
    folder = home / "airflow"
    folder.mkdir()
    passwords = folder / "passwords.json"
    passwords.write_text(json.dumps({"referente": PASSWORD}), encoding="utf-8")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW_", "NOCTURNE_"))},
        **{name: known[name] for name in ("NOCTURNE_STEWARD_DSN", "NOCTURNE_READER_DSN")},
        "NOCTURNE_HOME": str(home),
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": urlsplit(known["NOCTURNE_AIRFLOW_DSN"])
        ._replace(scheme="postgresql+psycopg2")
        .geturl(),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": "referente:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "AIRFLOW__API__WORKERS": "1",
        "PYTHONPATH": str(ROOT),
    }
    airflow = [sys.executable, "-m", "airflow"]
    subprocess.run([*airflow, "db", "migrate"], env=environment, cwd=folder, check=True, capture_output=True)
    with (folder / "api-server.log").open("wb") as log:
        server = subprocess.Popen(
            [*airflow, "api-server", "--host", "127.0.0.1", "--port", str(PORT)],
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield (url := f"http://127.0.0.1:{PORT}"), _token(url)
        finally:
            server.terminate()
            server.wait(30)


def _token(url: str) -> str:
    for _ in range(240):
        try:
            answer = requests.post(
                f"{url}/auth/token", json={"username": "referente", "password": PASSWORD}, timeout=10
            )
            return str(answer.json()["access_token"])
        except (requests.RequestException, ValueError, KeyError):
            time.sleep(0.5)
    raise SystemExit("the API server did not start")


def reviewed(dsn: str) -> int:
    """A review of the interval that waits, opened as its page opens one; its number."""
    link = psycopg2.connect(dsn)
    try:
        with link, link.cursor() as cursor:
            cursor.execute("SELECT max(interval_key) FROM deid.run")
            (key,) = one(cursor)
            return open_review(cursor, key, SamplePlan(0.02, 0.95, 1), "referente")
    finally:
        link.close()


def report(url: str, token: str, addresses: Sequence[tuple[str, str]], documents: int, count: int) -> None:
    """Ask for each page and print the table."""
    print(f"# Stewards' pages over {documents:,} documents and 365 releases\n")
    print(f"{count} requests a page, milliseconds that a client waits.\n")
    print("| page | median | 95 % | median, four at once | size kB |")
    print("|---|---:|---:|---:|---:|")
    medians = []
    for name, path in addresses:
        address = f"{url}/nocturne{path}"
        size = [len(ask(address, token)[1]) for _ in range(2)][-1]
        alone = sorted(ask(address, token)[0] for _ in range(count))
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _, where=address: ask(where, token)[0], range(count)))
        medians.append(statistics.median(alone))
        print(
            f"| {name} | {statistics.median(alone):.0f} | {alone[int(0.95 * (count - 1))]:.0f} "
            f"| {statistics.median(together):.0f} | {size / 1000:.0f} |",
            flush=True,
        )
    slow = sum(median > LIMIT_MS for median in medians)
    print(f"\n{len(medians) - slow} of {len(medians)} pages answer within {LIMIT_MS} ms at the median.")


def ask(address: str, token: str) -> tuple[float, bytes]:
    """Milliseconds, and the body."""
    start = time.perf_counter()
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/html"}
    answer = requests.get(address, headers=headers, timeout=120)
    took = 1000 * (time.perf_counter() - start)
    if not answer.ok:
        raise SystemExit(f"{urlsplit(address).path}: HTTP {answer.status_code}")
    return took, answer.content


def pages(dsn: str, review: int) -> Sequence[tuple[str, str]]:
    """Names and addresses, with ids that are there."""
    link = psycopg2.connect(dsn)
    try:
        with link.cursor() as cursor:
            cursor.execute("SELECT min(interval_key), max(interval_key) FROM deid.run")
            oldest, newest = one(cursor)
            cursor.execute("SELECT run_id, document_id FROM deid.quarantine ORDER BY at DESC LIMIT 1")
            run_id, document_id = one(cursor)
            cursor.execute("SELECT patient_id FROM deid.published_document LIMIT 1")
            (patient,) = one(cursor)
    finally:
        link.close()
    return (
        ("overview", "/"),
        ("releases", "/releases"),
        ("release waiting for a decision", f"/releases/{newest}"),
        ("first release of the year", f"/releases/{oldest}"),
        ("its decision, not asked for yet", f"/releases/{newest}/decision"),
        ("reviews", "/reviews"),
        ("a review", f"/reviews/{review}"),
        ("a text of it", f"/reviews/{review}/1"),
        ("quarantine", "/quarantine"),
        ("quarantine, one reason", "/quarantine?reason=residual_identity"),
        ("quarantined document", f"/quarantine/{run_id}/{document_id}"),
        ("opt-outs", "/opt-outs"),
        ("search of a patient", f"/opt-outs?pseudonym={patient}"),
        ("audit trail", "/audit"),
        ("check of 5,000 lines of the audit trail", "/audit?check=true"),
    )


if __name__ == "__main__":
    main()
