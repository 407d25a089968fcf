"""Time and memory of a night, step by step, and Airflow's share of it; prints Markdown.

    make demo && make bench-night            the largest run of the demo
    python benchmarks/night.py --run demo_…  another run of Airflow

Work is what `deid` measured around its own statements (`deid.timing`); task is what Airflow measured around the
process that ran it; the difference is starting a process, reading the DAG, importing and loading tables.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg2

from deid.config.settings import settings
from deid.schema.provision import read_env

LARGEST = "SELECT triggered_by FROM deid.run WHERE NOT dry_run ORDER BY planned DESC, run_id LIMIT 1"
WORK = """
SELECT t.step, count(*), sum(t.documents), sum(t.characters), sum(t.seconds), max(t.peak_rss_mb)
FROM deid.timing AS t INNER JOIN deid.run AS r ON t.run_id = r.run_id
WHERE r.triggered_by = %s AND t.batch_id > 0 GROUP BY t.step
"""
TASKS = """
SELECT
    reverse(split_part(reverse(task_id), '.', 1)),
    count(*),
    sum(duration),
    sum(extract(epoch FROM start_date - queued_dttm)),
    min(start_date),
    max(end_date)
FROM task_instance
WHERE dag_id = 'deidentify_documents' AND run_id = %s AND start_date IS NOT NULL AND state = 'success'
GROUP BY 1 ORDER BY 5
"""
HEADER = "| step | tasks | documents | work, s | documents/s | characters/s | peak, MB | task, s | waited, s |"


def rows(dsn: str, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    link = psycopg2.connect(dsn)
    try:
        with link, link.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall()
    finally:
        link.close()


def table(work: dict[str, tuple[Any, ...]], tasks: Sequence[tuple[Any, ...]]) -> list[str]:
    """One line per step, in the order in which the steps first began."""
    lines = [HEADER, "|---" + "|---:" * 8 + "|"]
    for step, count, duration, waited, *_ in tasks:
        cells = [step, str(count)]
        if step in work:
            _, documents, characters, seconds, peak = work[step]
            pace = [f"{documents / seconds:,.0f}", f"{float(characters) / seconds:,.0f}"]
            cells += [f"{documents:,}", f"{seconds:,.1f}", *pace, f"{peak:,.0f}"]
        else:
            cells += [""] * 5
        lines.append("| " + " | ".join([*cells, f"{duration:,.1f}", f"{float(waited):,.1f}"]) + " |")
    return lines


def summary(work: dict[str, tuple[Any, ...]], tasks: Sequence[tuple[Any, ...]]) -> list[str]:
    """Return the wall-clock time, and the share of the tasks' time outside the work of `deid`."""
    steps = [task for task in tasks if task[0] in work]
    spent = sum(task[2] for task in steps)
    worked = sum(float(row[3]) for row in work.values())
    wall = (max(task[5] for task in tasks) - min(task[4] for task in tasks)).total_seconds()
    number = sum(task[1] for task in steps)
    return [
        f"Wall clock, first task to last: {wall:,.0f} s.",
        f"Airflow and process start: {spent - worked:,.0f} s of {spent:,.0f} s of tasks "
        f"({(spent - worked) / spent:.0%}), {(spent - worked) / number:.1f} s per task.",
    ]


def main() -> None:
    """Read the embedded databases of the demo and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, default=settings().home, help="folder of the demo (default: %(default)s)")
    parser.add_argument("--run", help="Airflow's run id (default: the largest run)")
    asked = parser.parse_args()
    deployment = read_env(asked.home / "nocturne.env")
    steward, airflow = deployment["NOCTURNE_STEWARD_DSN"], deployment["NOCTURNE_AIRFLOW_DSN"]
    run_id = asked.run or rows(steward, LARGEST)[0][0]
    work = {step: tuple(rest) for step, *rest in rows(steward, WORK, run_id)}
    tasks = rows(airflow, TASKS, run_id)
    if not work or not tasks:
        raise SystemExit(f"Run {run_id} left no measures: run `make demo` first.")
    print(f"## {run_id}\n\n{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores.\n")
    print(*table(work, tasks), "", *summary(work, tasks), sep="\n")


if __name__ == "__main__":
    main()
