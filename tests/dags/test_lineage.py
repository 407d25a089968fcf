"""OpenLineage events as a server receives them: by HTTP, from the steps of nights that succeed and nights that fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from airflow.listeners.listener import get_listener_manager as of_scheduler
from airflow.sdk.listener import get_listener_manager as of_tasks
from jsonschema import Draft202012Validator, FormatChecker
from nocturne_airflow import lineage
from referencing import Registry, Resource

from tests import ROOT
from tests.conftest import Database
from tests.dags import searching
from tests.dags.test_canary import RAISE_WITH_THE_ROW
from tests.database.warehouse.light import decide
from tests.database.warehouse.small_hospital import DAY, NIGHT, PAGE, open_hospital, put

pytestmark = pytest.mark.slow
DEIDENTIFY = "deidentify_documents"
# Of https://github.com/OpenLineage/OpenLineage (spec/), under the Apache License 2.0.
SCHEMAS = [json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "tests/dags/openlineage").glob("*.json")]
REGISTRY: Registry[Any] = Registry().with_resources([(one["$id"], Resource.from_contents(one)) for one in SCHEMAS])


class Server(ThreadingHTTPServer):
    """Receives events of OpenLineage."""

    listener: Any  # the provider's own, which sends events of runs from another process

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        super().__init__(("127.0.0.1", 0), Receiver)

    def ended(self, kind: str) -> dict[str, dict[str, Any]]:
        """The last event of a kind by job, once all have arrived."""
        self.listener.executor.shutdown(wait=True)  # its own end of a process waits for half a minute at most
        return {event["job"]["name"]: event for event in self.events if event["eventType"] == kind}


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        self.server.events.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def transport(port: int) -> dict[str, Any]:
    """The transport of docs/operators.md."""
    inner = {"type": "http", "url": f"http://127.0.0.1:{port}", "compression": None}
    return {"type": "transform", "transformer_class": lineage.FILTER, "transport": inner}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that the provider's own listener sends to."""
    made = Server()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__TRANSPORT", json.dumps(transport(made.server_port)))
    monkeypatch.setenv("AIRFLOW__OPENLINEAGE__EXECUTION_TIMEOUT", "60")
    lineage.require_filter()
    from airflow.providers.openlineage.plugins.listener import OpenLineageListener

    made.listener = listener = OpenLineageListener()
    managers = {id(manager): manager for manager in (of_scheduler(), of_tasks())}.values()
    for manager in managers:
        manager.add_listener(listener)
    yield made
    for manager in managers:
        manager.pm.unregister(listener)
    made.shutdown()


@pytest.fixture
def hospital(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """The planted patient's letter and a page of another, under a policy that publishes without asking."""
    decide(monkeypatch, tmp_path)
    policy = tmp_path / "policy.yaml"
    policy.write_text(policy.read_text(encoding="utf-8") + "\nrelease: {approval: never}\n", encoding="utf-8")
    open_hospital(deployed)
    deployed.rows(searching.PATIENT, role="owner")
    put(deployed, "canary", searching.LETTER, patient="P000009", stay_id="S000009")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    put(deployed, "hollow", b"   ")
    return deployed


# Parameters that a person may fill with anything, the last of them read by the provider itself.
PARAMETERS = {
    "reason": f"opposition de {searching.SURNAME}",
    "openlineage": {
        "parentRunId": "3bb703d1-09c1-4a42-8da5-35a0b3216072",
        "parentJobNamespace": "default",
        "parentJobName": searching.BIRTH_NAME,
    },
}


def check(event: dict[str, Any]) -> None:
    """Fail unless an event and each of its facets are what the specification asks for."""
    datasets = [*event.get("inputs", ()), *event.get("outputs", ())]
    facets = [event["run"].get("facets"), event["job"].get("facets")]
    facets += [one.get(kind) for one in datasets for kind in ("facets", "inputFacets", "outputFacets")]
    parts = [
        (event["schemaURL"], event),
        *((one["_schemaURL"], one) for group in facets for one in (group or {}).values()),
    ]
    for url, part in parts:
        Draft202012Validator({"$ref": url}, registry=REGISTRY, format_checker=FormatChecker()).validate(part)


def counts(event: dict[str, Any], side: str, facet: str) -> dict[str, int | None]:
    """Rows by dataset of one side of an event."""
    return {one["name"]: one[f"{side}Facets"].get(facet, {}).get("rowCount") for one in event[f"{side}s"]}


def test_a_night_and_its_release_tell_datasets_and_counts(server: Server, hospital: Database, play: Any) -> None:
    assert play(DEIDENTIFY, at=NIGHT + DAY, **PARAMETERS).state == "success"
    assert play("release_dataset", key="2026-03-02").state == "success"
    done, db = server.ended("COMPLETE"), hospital.name
    steps = {f"{DEIDENTIFY}.{step}" for step in ("plan", "batch.detect", "batch.substitute", "batch.validate", "stage")}
    assert steps | {"release_dataset.publish", "release_dataset.report", DEIDENTIFY, "release_dataset"} <= set(done)

    plan = done[f"{DEIDENTIFY}.plan"]
    assert set(counts(plan, "input", "inputStatistics")) == {
        f"{db}.cdw.{name}" for name in ("document", "stay", "patient_merge")
    }
    assert counts(plan, "output", "outputStatistics") == {f"{db}.deid.run": None, f"{db}.deid.document": 3}
    assert plan["inputs"][0]["namespace"].startswith("postgres://")
    ((mentions,),) = hospital.rows("SELECT count(*) FROM deid.mention")
    detect = done[f"{DEIDENTIFY}.batch.detect"]
    assert counts(detect, "output", "outputStatistics") == {f"{db}.deid.mention": mentions}
    assert f"{db}.cdw.staff" in counts(detect, "input", "inputStatistics")
    substitute = done[f"{DEIDENTIFY}.batch.substitute"]
    assert counts(substitute, "output", "outputStatistics") == {f"{db}.deid.candidate": 2}
    publish = done["release_dataset.publish"]
    assert counts(publish, "output", "outputStatistics")[f"{db}.deid.published_document"] == 2

    validate = done[f"{DEIDENTIFY}.batch.validate"]
    (judged,) = [one for one in validate["inputs"] if one["name"] == f"{db}.deid.candidate"]
    assert judged["inputFacets"]["dataQualityMetrics"]["rowCount"] == 2
    assertions = {one["assertion"]: one for one in judged["inputFacets"]["dataQualityAssertions"]["assertions"]}
    assert assertions["identity_name"]["success"]
    assert assertions["identity_name"]["severity"] == "error"

    ((policy, contract),) = hospital.rows("SELECT policy_hash, source_digest FROM deid.run")
    tags = {tag["key"]: tag["value"] for tag in plan["run"]["facets"]["tags"]["tags"]}
    assert (tags["policy_hash"], tags["source_digest"]) == (policy, contract)
    assert tags["dag_version"]
    assert plan["run"]["facets"]["parent"]["job"]["name"] == DEIDENTIFY

    for event in server.events:
        check(event)
        assert set(event["run"]["facets"]) <= {"parent", "nominalTime", "processing_engine", "tags"}
    assert searching.found((event["job"]["name"], json.dumps(event)) for event in server.events) == set()


def test_a_night_that_fails_tells_no_message(server: Server, hospital: Database, play: Any) -> None:
    hospital.rows(RAISE_WITH_THE_ROW)
    assert play(DEIDENTIFY, at=NIGHT + DAY, **PARAMETERS).state == "failed"
    failed = server.ended("FAIL")[f"{DEIDENTIFY}.batch.substitute"]
    assert counts(failed, "output", "outputStatistics") == {f"{hospital.name}.deid.candidate": None}
    assert "errorMessage" not in failed["run"]["facets"]
    assert searching.found((event["job"]["name"], json.dumps(event)) for event in server.events) == set()


LISTENERS = """
from airflow.listeners.listener import get_listener_manager
print([type(one).__name__ for one in get_listener_manager().pm.get_plugins()])
"""


@pytest.mark.parametrize(("settings", "sends"), [(transport(5000), True), (transport(5000)["transport"], False)])
def test_without_the_filter_nothing_is_sent(settings: dict[str, Any], sends: bool) -> None:
    environment = {**os.environ, "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(settings)}
    environment.pop("PYTEST_VERSION", None)
    told = subprocess.run(
        [sys.executable, "-c", LISTENERS], env=environment, capture_output=True, text=True, check=True
    )
    assert ("OpenLineageListener" in told.stdout) == sends
    assert ("OpenLineage is off" in told.stdout + told.stderr) != sends
