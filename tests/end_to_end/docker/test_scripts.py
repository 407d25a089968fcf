"""The entry points of the images, run here without Docker."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import ROOT

DOCKER = ROOT / "docker"
SCRIPTS = sorted([*DOCKER.glob("*.sh"), *DOCKER.glob("postgres/*.sh"), ROOT / ".ci" / "run"])


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script with this environment's programs and nothing else inherited but PATH."""
    path = f"{Path(sys.executable).parent}:{DOCKER}:{os.environ['PATH']}"
    return subprocess.run(
        command, env={"PATH": path, **environment}, capture_output=True, text=True, check=False, timeout=110
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_script_is_executable_and_parses(script: Path) -> None:
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in script.read_text()
    assert run("bash", "-n", str(script)).returncode == 0


@pytest.mark.skipif(
    shutil.which("shellcheck") is None, reason="shellcheck is not installed (Debian: apt install shellcheck)"
)
def test_shellcheck() -> None:
    checked = run("shellcheck", *map(str, SCRIPTS))
    assert checked.returncode == 0, checked.stdout


def test_the_image_is_built_and_run_where_an_engine_answers(tmp_path: Path) -> None:
    """`docker` is a script that writes what it was asked: no engine can be counted on."""
    engine, asked = tmp_path / "docker", tmp_path / "asked"
    engine.write_text(f'#!/bin/sh\necho "$@" >> {asked}\n')
    engine.chmod(0o755)
    make = ("make", "--silent", "--directory", str(ROOT), "image-test")
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(make, env=environment, check=True, timeout=60)
    assert [line.split()[0] for line in asked.read_text().splitlines()] == ["info", "build", "run", "run"]
    engine.write_text("#!/bin/sh\nexit 1\n")
    shutil.copy(engine, tmp_path / "podman")
    done = subprocess.run(make, env=environment, check=True, timeout=60, capture_output=True, text=True)
    assert "no container engine" in done.stdout


def test_entrypoint_runs_airflow(tmp_path: Path) -> None:
    done = run("entrypoint.sh", "version", AIRFLOW_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().splitlines()[-1].startswith("3.3.")


def test_entrypoint_gives_airflow_the_plugins(tmp_path: Path) -> None:
    """The pages, the record of answers and the pools; the word `airflow` is what Helm's probes begin with."""
    done = run("entrypoint.sh", "airflow", "plugins", "--output", "plain", AIRFLOW_HOME=str(tmp_path))
    assert "nocturne_pages" in done.stdout, done.stderr


def test_entrypoint_reads_secrets_from_files(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("abc123")
    (tmp_path / "key").write_text("sesame")
    done = run(
        *("entrypoint.sh", "sh", "-c", "env"),
        AIRFLOW_HOME=str(tmp_path),
        NOCTURNE_POSTGRES_PASSWORD_FILE=str(tmp_path / "password"),
        NOCTURNE_REDIS_PASSWORD_FILE=str(tmp_path / "password"),
        AIRFLOW__API_AUTH__JWT_SECRET_FILE=str(tmp_path / "key"),
    )
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    assert seen["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] == "postgresql+psycopg2://airflow:abc123@postgres:5432/airflow"
    assert seen["AIRFLOW__CELERY__BROKER_URL"] == "redis://:abc123@redis:6379/0"
    assert seen["AIRFLOW__API_AUTH__JWT_SECRET"] == "sesame"
    assert seen["AIRFLOW__CORE__XCOM_BACKEND"] == "nocturne_airflow.xcom.GuardedXCom"
    (bundle,) = json.loads(seen["AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST"])
    assert bundle["kwargs"]["path"]
    assert not {name for name in seen if name.startswith(("NOCTURNE_POSTGRES_P", "NOCTURNE_REDIS_P"))}


def test_entrypoint_asks_for_tls_where_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("abc123")
    done = run(
        *("entrypoint.sh", "sh", "-c", "env"),
        AIRFLOW_HOME=str(tmp_path),
        NOCTURNE_POSTGRES_PASSWORD_FILE=str(tmp_path / "password"),
        NOCTURNE_POSTGRES_OPTIONS="sslmode=verify-full&sslrootcert=/etc/chu.pem",
        NOCTURNE_REDIS_PASSWORD_FILE=str(tmp_path / "password"),
        NOCTURNE_REDIS_SCHEME="rediss",
        NOCTURNE_REDIS_OPTIONS="ssl_cert_reqs=required&ssl_ca_certs=/etc/chu.pem",
    )
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
    postgres = "airflow:abc123@postgres:5432/airflow?sslmode=verify-full&sslrootcert=/etc/chu.pem"
    assert seen["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] == f"postgresql+psycopg2://{postgres}"
    assert seen["AIRFLOW__CELERY__RESULT_BACKEND"] == f"db+postgresql+psycopg2://{postgres}"
    redis = "rediss://:abc123@redis:6379/0?ssl_cert_reqs=required&ssl_ca_certs=/etc/chu.pem"
    assert seen["AIRFLOW__CELERY__BROKER_URL"] == redis


def test_entrypoint_says_which_secret_is_missing(tmp_path: Path) -> None:
    done = run("entrypoint.sh", "version", AIRFLOW_HOME=str(tmp_path), NOCTURNE_SECRET_FILE="/nowhere/key")
    assert done.returncode == 78
    assert "NOCTURNE_SECRET_FILE names /nowhere/key" in done.stderr


def test_secrets_are_those_that_compose_names_and_stay(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    assert run("bash", str(DOCKER / "secrets.sh"), str(folder)).returncode == 0
    written = {path.name: path.read_text() for path in folder.iterdir()}
    assert set(written) == set(yaml.safe_load((DOCKER / "compose.yaml").read_text())["secrets"])
    assert folder.stat().st_mode & 0o777 == 0o700
    assert bytes.fromhex(written["nocturne_secret"])
    assert len(bytes.fromhex(written["nocturne_secret"])) >= 32
    assert run("bash", str(DOCKER / "secrets.sh"), str(folder)).returncode == 0
    assert {path.name: path.read_text() for path in folder.iterdir()} == written
