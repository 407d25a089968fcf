"""Checks of the Airflow that this environment configures, asked through its own command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deid.doctor.finding import Finding, attention, error, not_applicable, ok

# Those of plugins/nocturne_airflow, docker/pools.json and dags; a test compares them.
XCOM_BACKEND = "nocturne_airflow.xcom.GuardedXCom"
POOLS = ("gpu",)
PLUGINS = ("stewards.py", "nocturne_airflow", "nocturne_pages")
SCHEDULED = (
    *("apply_oppositions", "ask_again", "deidentify_documents", "evaluate_release", "refresh_references"),
    "release_dataset",
)
_WAIT_S = 120


def check_airflow() -> Iterator[Finding]:
    """Check the XCom backend, the plugins' folder, the pools, and whether the DAGs that start by themselves may."""
    if "AIRFLOW_HOME" not in os.environ:
        yield not_applicable("Airflow", "AIRFLOW_HOME is not given here")
        return
    questions = (
        ("config", "list", "--section", "core", "--show-values", "--hide-sensitive", "--exclude-providers"),
        ("pools", "list", "--output", "json"),
        ("dags", "list", "--output", "json", "--columns", "dag_id,is_paused"),
    )
    with ThreadPoolExecutor(max_workers=len(questions)) as pool:
        settings, pools, dags = pool.map(_ask, questions)
    core = None if settings is None else dict(re.findall(r"^(\w+) = (.*)$", settings, re.MULTILINE))
    yield _check_backend(core)
    yield _check_plugins(core)
    yield _check_pools(pools)
    yield _check_dags(dags)


def _ask(question: tuple[str, ...]) -> str | None:
    """Return the standard output of an `airflow` command; None if it failed."""
    try:
        command = [sys.executable, "-m", "airflow", *question]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_WAIT_S)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _rows(listed: str | None) -> list[dict[str, str]]:
    """Return the rows of a list in JSON, which other lines may precede.

    Raises:
        ValueError: there is none.
    """
    line = next((line for line in (listed or "").splitlines() if line.startswith("[")), "")
    rows: list[dict[str, str]] = json.loads(line)
    return rows


def _check_backend(core: Mapping[str, str] | None) -> Finding:
    check = "Airflow, XCom"
    if core is None:
        return error(check, "Airflow does not answer", "Run airflow config list, and correct what it refuses.")
    if core.get("xcom_backend") != XCOM_BACKEND:
        remedy = f"AIRFLOW__CORE__XCOM_BACKEND={XCOM_BACKEND} in each component."
        return error(check, "XCom is not guarded: a text could pass from one task to another", remedy)
    return ok(check, "guarded")


def _check_plugins(core: Mapping[str, str] | None) -> Finding:
    check = "Airflow, plugins"
    if core is None:
        return error(check, "Airflow does not answer", "Run airflow config list, and correct what it refuses.")
    there = Path(core.get("plugins_folder", ""))
    lacking = [name for name in PLUGINS if not (there / name).exists()]
    if lacking:
        remedy = "AIRFLOW__CORE__PLUGINS_FOLDER: the folder plugins of Nocturne, in each component."
        return error(check, f"{there} lacks {', '.join(lacking)}", remedy)
    return ok(check, str(there))


def _check_pools(listed: str | None) -> Finding:
    check = "Airflow, pools"
    try:
        found = {str(pool["pool"]) for pool in _rows(listed)}
    except (ValueError, KeyError, TypeError):
        remedy = "Run airflow db check, then airflow db migrate."
        return error(check, "Airflow's database does not answer, or lacks its tables", remedy)
    lacking = [name for name in POOLS if name not in found]
    if lacking:
        remedy = "Run airflow pools import docker/pools.json."
        return error(check, f"missing: {', '.join(lacking)}", remedy)
    return ok(check, ", ".join(sorted(found)))


def _check_dags(listed: str | None) -> Finding:
    check = "Airflow, DAGs"
    try:
        paused = {dag["dag_id"]: dag["is_paused"] == "True" for dag in _rows(listed)}
    except (ValueError, KeyError, TypeError):
        return error(check, "Airflow does not list its DAGs", "Run airflow db check, then airflow db migrate.")
    if unread := [name for name in SCHEDULED if name not in paused]:
        remedy = "Start the DAG processor, and read what airflow dags list-import-errors says."
        return attention(check, f"not read by Airflow: {', '.join(unread)}", remedy)
    if waiting := [name for name in SCHEDULED if paused[name]]:
        remedy = "Run airflow dags unpause NAME for each that you want, release_dataset before deidentify_documents."
        return attention(check, f"paused, they never run: {', '.join(waiting)}", remedy)
    return ok(check, "none is paused")
