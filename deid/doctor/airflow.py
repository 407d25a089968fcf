"""Checks of the Airflow that this environment configures, asked through its own command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deid.doctor.finding import Finding, error, not_applicable, ok

# Those of plugins/nocturne_airflow and docker/pools.json; a test compares them.
XCOM_BACKEND = "nocturne_airflow.xcom.GuardedXCom"
POOLS = ("gpu",)
PLUGINS = ("stewards.py", "nocturne_airflow", "nocturne_pages")
_WAIT_S = 120


def check_airflow() -> Iterator[Finding]:
    """Check the XCom backend, the plugins' folder and the pools."""
    if "AIRFLOW_HOME" not in os.environ:
        yield not_applicable("Airflow", "AIRFLOW_HOME n'est pas donnée ici")
        return
    questions = (
        ("config", "get-value", "core", "xcom_backend"),
        ("config", "get-value", "core", "plugins_folder"),
        ("pools", "list", "--output", "json"),
    )
    with ThreadPoolExecutor(max_workers=len(questions)) as pool:
        backend, folder, pools = pool.map(_ask, questions)
    yield _check_backend(backend)
    yield _check_plugins(folder)
    yield _check_pools(pools)


def _ask(question: tuple[str, ...]) -> str | None:
    """Return the standard output of an `airflow` command; None if it failed."""
    try:
        command = [sys.executable, "-m", "airflow", *question]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_WAIT_S)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _check_backend(backend: str | None) -> Finding:
    check = "Airflow, XCom"
    if backend is None:
        return error(check, "Airflow ne répond pas", "Lancer airflow config list, et corriger ce qu'il refuse.")
    if backend.splitlines()[-1:] != [XCOM_BACKEND]:
        remedy = f"AIRFLOW__CORE__XCOM_BACKEND={XCOM_BACKEND} dans chaque composant."
        return error(check, "XCom n'est pas gardé : un texte pourrait passer d'une tâche à l'autre", remedy)
    return ok(check, "gardé")


def _check_plugins(folder: str | None) -> Finding:
    check = "Airflow, plugins"
    if not folder:
        return error(check, "Airflow ne répond pas", "Lancer airflow config list, et corriger ce qu'il refuse.")
    there = Path(folder.splitlines()[-1])
    lacking = [name for name in PLUGINS if not (there / name).exists()]
    if lacking:
        remedy = "AIRFLOW__CORE__PLUGINS_FOLDER : le dossier plugins de Nocturne, dans chaque composant."
        return error(check, f"{there} n'a pas {', '.join(lacking)}", remedy)
    return ok(check, str(there))


def _check_pools(listed: str | None) -> Finding:
    check = "Airflow, pools"
    try:
        lines = (listed or "").splitlines()
        found = {str(pool["pool"]) for pool in json.loads(next(line for line in lines if line.startswith("[")))}
    except (StopIteration, ValueError, KeyError, TypeError):
        remedy = "Lancer airflow db check, puis airflow db migrate."
        return error(check, "la base d'Airflow ne répond pas, ou n'a pas ses tables", remedy)
    lacking = [name for name in POOLS if name not in found]
    if lacking:
        remedy = "Lancer airflow pools import docker/pools.json."
        return error(check, f"manquent : {', '.join(lacking)}", remedy)
    return ok(check, ", ".join(sorted(found)))
