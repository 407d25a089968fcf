"""Deployment of the hospital, read as data: named files exist, resources are limited, privileges are separate."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from deid.config.settings import Settings
from deid.database.embedded import QUIET_LOG
from deid.doctor.airflow import XCOM_BACKEND
from tests import ROOT

DOCKER = ROOT / "docker"
OPERATORS = ROOT / "docs" / "operators.md"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
AIRFLOW = {name: body for name, body in SERVICES.items() if "build" in body}
WORKERS = {"worker-cpu", "worker-gpu", "worker-lab", "worker-publication", "worker-references"}
# What each service reaches of patients and of the product's databases.
REACHES = {
    "worker-cpu": {"nocturne_secret", "reader_dsn", "worker_dsn"},
    "worker-gpu": {"nocturne_secret", "reader_dsn", "worker_dsn"},
    "worker-lab": {"nocturne_secret", "reader_dsn", "worker_dsn"},
    "worker-publication": {"nocturne_secret", "publisher_dsn", "steward_dsn"},
    "worker-references": {"refresher_dsn"},
    "api-server": {"steward_dsn", "reader_dsn", "identity_dsn"},
    "init": {"owner_dsn"},
}

# Connection strings of the roles that may use the schema `identity`.
KNOW_IDENTITY = {f"{role}_dsn" for role in ("owner", "worker", "publisher", "steward", "identity")}


def secrets_named_by(service: dict[str, Any]) -> set[str]:
    """Secrets that the environment of a service points to."""
    return {str(v).rsplit("/", 1)[1] for v in service.get("environment", {}).values() if "/run/secrets/" in str(v)}


def test_components_of_a_hospital() -> None:
    assert set(SERVICES) == {
        *("postgres", "redis", "init", "api-server", "scheduler", "dag-processor", "triggerer"),
        *WORKERS,
    }


@pytest.mark.parametrize("name", SERVICES)
def test_service_is_bounded_and_logs_rotate(name: str) -> None:
    service = SERVICES[name]
    assert service["mem_limit"]
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert "no-new-privileges:true" in service["security_opt"]
    assert "healthcheck" in service or service["restart"] == "no"


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_service_names_is_there(name: str) -> None:
    service = SERVICES[name]
    assert set(service.get("depends_on", {})) <= set(SERVICES)
    for dependency, condition in service.get("depends_on", {}).items():
        if condition["condition"] == "service_healthy":
            assert "healthcheck" in SERVICES[dependency]
    assert set(service.get("networks", [])) <= set(COMPOSE["networks"])
    named = {volume.split(":")[0] for volume in service.get("volumes", [])}
    assert {volume for volume in named if not volume.startswith(".")} <= set(COMPOSE["volumes"])
    assert all((DOCKER / folder).exists() for folder in named if folder.startswith("."))


@pytest.mark.parametrize("name", SERVICES)
def test_every_secret_that_is_read_is_given(name: str) -> None:
    service = SERVICES[name]
    assert secrets_named_by(service) <= set(service.get("secrets", []))
    assert set(service.get("secrets", [])) <= set(COMPOSE["secrets"])


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_reaches_what_its_tasks_need_and_no_more(name: str) -> None:
    given = set(SERVICES[name].get("secrets", []))
    reached = {secret for secret in given if secret.endswith("_dsn") or secret == "nocturne_secret"}
    assert reached == REACHES.get(name, set())
    assert not {"reader_dsn", "publisher_dsn"} <= reached


def server_settings() -> dict[str, str]:
    """Settings that the command of the service postgres gives with `-c`."""
    command = SERVICES["postgres"]["command"]
    return dict(value.split("=", 1) for flag, value in pairwise(command) if flag == "-c")


def test_every_server_keeps_the_same_out_of_its_log() -> None:
    """One list of settings: the embedded server's, the image's, its roles', and the one that operators copy."""
    given = {name: value for name, value in server_settings().items() if name.startswith("log_")}
    assert given == QUIET_LOG
    for path, role in ((DOCKER / "postgres" / "10-databases.sh", ':"role"'), (OPERATORS, "nocturne_worker")):
        text = path.read_text(encoding="utf-8")
        set_by_role = re.findall(rf"ALTER ROLE {role} SET (log_\w+) = '?([\w-]+)'?;", text)
        assert dict(set_by_role) == QUIET_LOG, path.name


def test_no_secret_stands_in_the_files() -> None:
    text = "".join(path.read_text() for path in (DOCKER / "compose.yaml", DOCKER / "nocturne.env.example"))
    assert not re.search(r"(PASSWORD|SECRET|KEY|DSN)=\S*[0-9a-f]{16}", text)
    assert all(str(secret["file"]).startswith("secrets/") for secret in COMPOSE["secrets"].values())


def test_only_the_interface_is_published_and_only_here() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["api-server"]
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["api-server"]["ports"])


@pytest.mark.parametrize("name", AIRFLOW)
def test_command_is_one_that_airflow_knows(name: str) -> None:
    from airflow.cli.cli_config import core_commands
    from airflow.providers_manager import ProvidersManager

    command = AIRFLOW[name]["command"][0]
    known = {known.name for known in core_commands}
    if command == "celery" and "apache-airflow-providers-celery" not in ProvidersManager().providers:
        assert "apache-airflow-providers-celery" in (DOCKER / "requirements.txt").read_text()
    else:
        assert command in known | {"celery", "init"}


def test_queues_are_those_of_the_dags() -> None:
    from nocturne_airflow.steps import GPU_QUEUE, PUBLISHING_QUEUE, READING_QUEUE, REFERENCES_QUEUE

    assert COMPOSE["x-environment"]["AIRFLOW__OPERATORS__DEFAULT_QUEUE"] == READING_QUEUE
    default = re.search(r":-(.*?)}", SERVICES["worker-cpu"]["command"][3]).group(1)
    assert {READING_QUEUE, GPU_QUEUE} == set(default.split(","))
    for name, queue in (
        ("worker-gpu", GPU_QUEUE),
        ("worker-lab", "lab"),
        ("worker-publication", PUBLISHING_QUEUE),
        ("worker-references", REFERENCES_QUEUE),
    ):
        assert SERVICES[name]["command"][2:4] == ["--queues", queue]


def test_pools_file_holds_the_pool_of_the_dags() -> None:
    from nocturne_airflow.steps import GPU_POOL

    pools = json.loads((DOCKER / "pools.json").read_text())
    assert pools[GPU_POOL]["slots"] == 1


def test_dockerfile_copies_what_exists_and_leaves_root() -> None:
    text = (DOCKER / "Dockerfile").read_text().replace("\\\n", " ")
    defaults = dict(re.findall(r"^ARG (\w+)=(\S+)", text, re.MULTILINE))
    lines = re.sub(r"\$\{(\w+)\}", lambda name: defaults.get(name[1], name[0]), text).splitlines()
    copied = [
        word
        for line in lines
        if line.startswith("COPY") and "--from" not in line
        for word in line.split()[1:-1]
        if not word.startswith("--")
    ]
    assert copied
    assert all((ROOT / word).exists() for word in copied)
    users = [line.split()[1] for line in lines if line.startswith("USER")]
    assert users
    assert users[-1].split(":")[0] != "0"
    assert lines[-1].startswith("CMD")


@pytest.mark.parametrize("name", SERVICES)
def test_service_has_no_privilege_and_writes_only_where_it_is_said(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert "privileged" not in service
    assert service["read_only"] is True
    assert service["pids_limit"] > 0
    temporary = {mount.split(":")[0]: mount.split(":")[1].split(",") for mount in service["tmpfs"]}
    assert "/tmp" in temporary  # noqa: S108 - a path in the container
    assert all(any(option.startswith("size=") for option in options) for options in temporary.values())
    if name in AIRFLOW:
        assert "uid=50000" in temporary["/opt/airflow"]
        assert "user" not in service  # the image's own, test_dockerfile_copies_what_exists_and_leaves_root
    else:
        assert service["user"] not in ("root", "0")
    assert not [volume for volume in service.get("volumes", []) if volume.startswith("/")]


def test_nothing_is_shared_with_the_host() -> None:
    for service in SERVICES.values():
        assert not {"pid", "ipc", "network_mode", "userns_mode", "devices"} & service.keys()


def test_base_images_can_be_given_by_digest() -> None:
    dockerfile = (DOCKER / "Dockerfile").read_text()
    assert {line.split()[1] for line in dockerfile.splitlines() if line.startswith("FROM")} == {
        "${PYTHON_IMAGE}",
        "runtime-${DEVICE}",
    }
    for name, body in AIRFLOW.items():
        assert body["build"]["args"]["PYTHON_IMAGE"].startswith("${PYTHON_IMAGE:-python:"), name
    assert SERVICES["postgres"]["image"].startswith("${POSTGRES_IMAGE:-")
    assert SERVICES["redis"]["image"].startswith("${REDIS_IMAGE:-")


def test_the_image_installs_only_what_the_locks_name() -> None:
    dockerfile = (DOCKER / "Dockerfile").read_text()
    assert "PIP_REQUIRE_HASHES=1 PIP_NO_DEPS=1 PIP_ONLY_BINARY=:all:" in dockerfile
    before = dockerfile.split("RUN pip install")[0]
    assert "PIP_REQUIRE_HASHES=1" in before
    others = re.findall(r"pip install (?!--requirement )(.*)", dockerfile)
    assert others == ["--no-index --no-deps --no-build-isolation ./lab; \\"], "the checkout's own package"
    assert all((ROOT / path).is_file() for path in re.findall(r"--requirement (dependencies/[\w./]+)", dockerfile))


def test_a_third_partys_service_is_reached_by_those_who_hold_the_secret_alone() -> None:
    added = yaml.safe_load((DOCKER / "compose.key-service.yaml").read_text())
    assert set(added["services"]) == {name for name, reached in REACHES.items() if "nocturne_secret" in reached}
    for service in added["services"].values():
        assert secrets_named_by(service) == set(service["secrets"]) == set(added["secrets"])
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        settings = {name.removeprefix("NOCTURNE_").lower() for name in service["environment"]}
        assert settings <= set(Settings.model_fields)


def test_the_secret_that_divides_patients_is_given_to_those_who_work_on_the_warehouse() -> None:
    added = yaml.safe_load((DOCKER / "compose.partition.yaml").read_text())
    assert set(added["services"]) == {name for name, reached in REACHES.items() if "worker_dsn" in reached}
    for service in added["services"].values():
        assert secrets_named_by(service) == set(service["secrets"]) == set(added["secrets"])
        settings = {name.removeprefix("NOCTURNE_").lower() for name in service["environment"]}
        assert settings <= set(Settings.model_fields)
    assert all(str(secret["file"]).startswith("secrets/") for secret in added["secrets"].values())


def test_those_who_log_in_to_the_hospital_s_ids_are_told_where_they_lie() -> None:
    added = yaml.safe_load((DOCKER / "compose.identity.yaml").read_text())
    assert set(added["services"]) == {name for name, reached in REACHES.items() if reached & KNOW_IDENTITY}
    for service in added["services"].values():
        (setting,) = service["environment"]
        assert setting.removeprefix("NOCTURNE_").lower() in Settings.model_fields
        assert service["environment"][setting].startswith(f"${{{setting}:?")
        assert set(service["networks"]) == set(COMPOSE["networks"])
        assert set(service) == {"environment", "networks"}


def test_a_hospital_s_own_machines_are_reached_and_its_folders_are_there() -> None:
    hospital = yaml.safe_load((DOCKER / "compose.hospital.yaml").read_text())
    added = hospital["services"]
    assert set(added) == set(SERVICES) - {"postgres", "redis"}
    reaching = {name for name, service in added.items() if "outside" in service.get("networks", [])}
    assert reaching == {name for name in SERVICES if name.startswith("worker")} | {"triggerer", "scheduler"}
    reading = {name for name, reached in REACHES.items() if "reader_dsn" in reached}
    for name, service in added.items():
        mounted = {volume.rsplit("}:", 1)[1]: volume for volume in service["volumes"]}
        assert mounted.pop("/etc/nocturne:ro") == "${NOCTURNE_CONFIGURATION:-/etc/nocturne}:/etc/nocturne:ro"
        assert ("/srv/files:ro" in mounted) == (name in reading), name
        exchanging = mounted.pop("/opt/nocturne-exchange", None) is not None
        assert exchanging == (name in reading - {"api-server"}), name
        assert service.get("environment", {}) == (
            {"NOCTURNE_EXCHANGE_FOLDER": "/opt/nocturne-exchange"} if exchanging else {}
        )
        assert set(service) <= {"volumes", "networks", "environment"}
        assert set(mounted) <= {"/srv/files:ro"}
    named = set(re.findall(r":-(\w+)\}:", str(added)))
    assert named == set(hospital["volumes"])


@pytest.mark.skipif(find_spec("check_jsonschema") is None, reason="check-jsonschema is not installed")
@pytest.mark.parametrize("path", sorted(DOCKER.glob("compose*.yaml")), ids=lambda path: path.name)
def test_compose_files_follow_the_published_schema(path: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_the_unit_of_systemd_gives_a_component_what_it_refuses_to_work_without() -> None:
    unit = DOCKER / "systemd" / "nocturne@.service"
    text = unit.read_text()
    given = dict(line.split("=", 1) for line in re.findall(r"^Environment=(.+)$", text, re.MULTILINE))
    assert given["AIRFLOW__CORE__XCOM_BACKEND"] == XCOM_BACKEND
    assert given["PYTHONPATH"].split(":") == ["/opt/nocturne", given["AIRFLOW__CORE__PLUGINS_FOLDER"]]
    (writable,) = re.findall(r"^ReadWritePaths=(.+)$", text, re.MULTILINE)
    assert all(Path(given[name]).is_relative_to(writable) for name in ("NOCTURNE_HOME", "AIRFLOW_HOME"))
    assert re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE) == ["/opt/nocturne/.venv/bin/airflow %i"]
    if shutil.which("systemd-analyze"):
        said = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False).stderr
        assert "Unknown" not in said


def test_the_first_start_is_the_documented_command() -> None:
    """Of the scripts and files that it names, each is there; the page and compose.yaml say the same."""
    command = re.search(r"```\n(docker/secrets\.sh .*?)\n```", OPERATORS.read_text(encoding="utf-8"), re.DOTALL)[1]
    said = re.sub(r"^#", "", (DOCKER / "compose.yaml").read_text(), flags=re.MULTILINE)
    assert " ".join(command.split()) in " ".join(said.split())
    named = set(re.findall(r"docker/[\w./]+", command)) - {"docker/nocturne.env"}
    assert all((ROOT / path).is_file() for path in named), named
