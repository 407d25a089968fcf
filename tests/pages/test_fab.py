"""A hospital's auth manager: the roles that docker/roles.sh makes, and what each may do on the pages and in Airflow."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from nocturne_pages.permissions import ROLES

from tests.airflow_home import ROOT
from tests.conftest import Database
from tests.pages.routes import wrong_answers
from tests.pages.serving import PASSWORD, Server, environment, serving

MAKE = f"""
from airflow.utils.db import initdb
initdb()
from airflow.providers.fab.auth_manager.cli_commands.utils import get_application_builder
with get_application_builder() as builder:
    builder.sm.sync_roles()
    for name in {sorted(ROLES)!r}:
        role = builder.sm.add_role(name)
        builder.sm.add_user(name.lower(), name, "Test", name.lower() + "@example.org", role, password={PASSWORD!r})
    builder.sm.add_user("op", "Op", "Test", "op@example.org", builder.sm.find_role("Op"), password={PASSWORD!r})
    stranger = builder.sm.add_role("Stranger")
    builder.sm.add_user("stranger", "S", "Test", "s@example.org", stranger, password={PASSWORD!r})
"""
RUN = {"dag_run_id": "essai", "logical_date": None, "conf": {"reason": "essai"}}
# What each role may ask of Airflow itself: 404 is "let in, and there is no such run or DAG here".
AIRFLOW = {
    "read DAGs": ("GET", "dags", None),
    "start a night": ("POST", "dags/deidentify_documents/dagRuns", RUN),
    "start a release": ("POST", "dags/release_dataset/dagRuns", RUN),
    "resume a release": ("POST", "dags/release_dataset/dagRuns/x/clear", {"dry_run": False, "only_failed": True}),
    "read logs": ("GET", "dags/deidentify_documents/dagRuns/x/taskInstances/plan/logs/1", None),
    "read XCom": ("GET", "dags/deidentify_documents/dagRuns/x/taskInstances/plan/xcomEntries/return_value", None),
    "answer a release": (
        "PATCH",
        "dags/release_dataset/dagRuns/x/taskInstances/approve/-1/hitlDetails",
        {"chosen_options": ["Approuver"], "params_input": {}},
    ),
    "read connections": ("GET", "connections", None),
    "read users": ("GET", "variables", None),
}
ALLOWED = {
    "NocturneViewer": {"read DAGs"},
    "NocturneOperator": {"read DAGs", "start a night", "start a release", "resume a release", "read logs"},
    "DataSteward": {"read DAGs", "answer a release"},
    "SeniorDataSteward": {"read DAGs", "answer a release"},
}


@pytest.fixture(scope="module")
def fab(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The API server under FAB, with one person per role and one who has none."""
    folder = tmp_path_factory.mktemp("fab")
    variables = {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__CORE__AUTH_MANAGER": "airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder / 'airflow.db'}",
        "NOCTURNE_ROOT": str(ROOT),
    }
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    known = {**environment(database, folder, **variables), "PATH": path}
    for command in ([sys.executable, "-c", MAKE], ["bash", str(ROOT / "docker" / "roles.sh")]):
        done = subprocess.run(command, env=known, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
    again = subprocess.run(command, env=known, cwd=folder, capture_output=True, text=True, check=False)
    assert {line.split(": ")[1] for line in again.stdout.splitlines() if line.split(":")[0] in ROLES} == {
        "0 permissions added"
    }
    with serving(database, folder, **variables) as running:
        yield running


@pytest.mark.slow
@pytest.mark.timeout(600)  # an API server starts with FAB's tables
def test_each_role_has_its_pages_and_no_other(fab: Server) -> None:
    wrong = {role: wrong_answers(fab, fab.token(role.lower()), permissions) for role, permissions in ROLES.items()}
    assert wrong == {key: [] for key in ROLES}


def test_a_person_without_a_role_and_nobody_see_nothing(fab: Server) -> None:
    assert wrong_answers(fab, fab.token("stranger"), frozenset()) == []
    assert wrong_answers(fab, None, frozenset()) == []


def test_a_role_of_fabs_own_that_may_edit_every_run_answers_no_release(fab: Server) -> None:
    signed = {"Authorization": f"Bearer {fab.token('op')}"}
    method, path, body = AIRFLOW["answer a release"]
    answer = requests.request(method, f"{fab.url}/api/v2/{path}", json=body, headers=signed, timeout=60)
    assert answer.status_code == 403
    assert "décider d'une publication" in answer.json()["detail"]


def test_each_role_may_ask_little_of_airflow_itself(fab: Server) -> None:
    found = {}
    for role in ALLOWED:
        signed = {"Authorization": f"Bearer {fab.token(role.lower())}"}
        answers = {
            name: requests.request(
                method, f"{fab.url}/api/v2/{path}", json=body, headers=signed, timeout=60
            ).status_code
            for name, (method, path, body) in AIRFLOW.items()
        }
        assert set(answers.values()) <= {200, 403, 404}, (role, answers)
        found[role] = {name for name, status in answers.items() if status != 403}
    assert found == ALLOWED
