"""The service over HTTP, as another program asks it: texts, FHIR bundles, tokens, refusals, access log."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from deid.cli.key_server import AccessLog
from deid.cli.service import make_process, read_clients
from deid.cli.service_server import DocumentServer
from deid.domain.outcomes import Incoming
from tests import ROOT
from tests.unit.cli.conftest import SECRET, Call, jsonl

TEXT = {
    "id": "cr-1",
    "text": "Madame Maëlys VASSEROT, née le 14/05/1961, est suivie à Dijon par le Dr Yann TREGUIER pour une angine.",
    "patient": {"key": "p1", "last_name": "VASSEROT", "first_names": ["Maëlys"], "birth_date": "1961-05-14"},
    "reference_date": "2026-03-02",
}
BUNDLE = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [
        {
            "resource": {
                "resourceType": "Patient",
                "id": "p1",
                "name": [{"family": "VASSEROT", "given": ["Maëlys"]}],
                "gender": "female",
                "birthDate": "1961-05-14",
            }
        },
        {
            "resource": {
                "resourceType": "Observation",
                "status": "final",
                "code": {"text": "Examen"},
                "note": [{"text": "Madame VASSEROT est vue par le Dr Yann TREGUIER."}],
                "valueQuantity": {"value": 4.2, "unit": "mmol/L"},
            }
        },
    ],
}
NAMES = ("VASSEROT", "Vasserot", "Maëlys", "TREGUIER", "14/05/1961", "1961-05-14")


@dataclass(frozen=True)
class Service:
    """A running service, with the tokens of its clients."""

    port: int
    tokens: dict[str, str]
    log: Path

    def ask(self, path: str, body: Any, client: str | None = "dpi", **headers: str) -> tuple[int, str, Any]:
        """Status, media type and JSON of an answer."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=290)
        raw = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        if client is not None:
            headers["Authorization"] = f"Bearer {self.tokens.get(client, client)}"
        link.request("POST", path, raw, headers)
        answer = link.getresponse()
        said = answer.status, answer.headers["Content-Type"], json.loads(answer.read())
        link.close()
        return said


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The command, in a process of its own, for two clients and 4,000 bytes."""
    home = tmp_path_factory.mktemp("service")
    clients, log = home / "clients.json", home / "access.jsonl"
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "NOCTURNE_MAX_DOCUMENT_BYTES": "4000"}
    command = [sys.executable, "-m", "deid", "service"]

    def call(*arguments: str) -> str:
        options = {"cwd": home, "env": environment, "capture_output": True, "text": True, "check": True}
        return subprocess.run([*command, *arguments, "--clients", str(clients)], **options).stdout

    tokens = {name: json.loads(call("add-client", name))["token"] for name in ("dpi", "portail")}
    assert clients.stat().st_mode & 0o777 == 0o600
    assert not any(token in clients.read_text() for token in tokens.values())
    running = subprocess.Popen(
        [*command, "serve", "--clients", str(clients), "--log", str(log), "--port", "0", "--local-journal"],
        cwd=home,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        address = running.stdout.readline().split()[0]
        yield Service(int(address.rpartition(":")[2]), tokens, log)
    finally:
        running.terminate()
        running.wait()


@pytest.mark.slow
@pytest.mark.timeout(600)  # starts a service, which loads the models
def test_each_client_has_surrogates_of_its_own_and_none_has_those_of_the_nights(
    service: Service, deid: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, kind, said = service.ask("/deidentify", TEXT)
    assert (status, kind) == (200, "application/json")
    assert said["verdict"]["passed"]
    assert "pour une angine" in said["text"]
    assert not any(name in said["text"] for name in NAMES)
    assert service.ask("/deidentify", {**TEXT, "id": "cr-2"})[2]["text"] == said["text"], "one patient, one surrogate"
    other = service.ask("/deidentify", TEXT, "portail")[2]["text"]
    monkeypatch.setenv("NOCTURNE_SECRET", SECRET)
    night = json.loads(deid("deidentify", stdin=jsonl([TEXT])).out)["text"]
    assert len({said["text"], other, night}) == 3


@pytest.mark.slow
@pytest.mark.timeout(600)  # starts a service, which loads the models
def test_a_bundle_of_fhir_comes_back_as_one(service: Service) -> None:
    status, kind, said = service.ask("/fhir/$de-identify", BUNDLE)
    assert (status, kind) == (200, "application/fhir+json")
    assert (said["resourceType"], said["type"]) == ("Bundle", "collection")
    patient, observation = (entry["resource"] for entry in said["entry"])
    assert (patient["resourceType"], patient["gender"]) == ("Patient", "female")
    assert observation["valueQuantity"] == {"value": 4.2, "unit": "mmol/L"}
    assert patient["name"][0]["family"].casefold() in observation["note"][0]["text"].casefold()
    assert not any(name in json.dumps(said, ensure_ascii=False) for name in NAMES)
    assert service.ask("/fhir/Bundle/%24de-identify", BUNDLE)[2] == said


@pytest.mark.slow
@pytest.mark.timeout(600)  # starts a service, which loads the models
def test_refusals_and_the_access_log_tell_no_text(service: Service) -> None:
    assert service.ask("/deidentify", TEXT, None)[0] == 401
    assert service.ask("/deidentify", TEXT, "guessed")[0] == 401
    assert service.ask("/other", TEXT)[0] == 404
    assert service.ask("/deidentify", {**TEXT, "text": "Vasserot " * 600})[0] == 413
    assert service.ask("/deidentify", b"{")[::2] == (400, {"error": "is not JSON"})
    status, kind, said = service.ask("/fhir/$de-identify", TEXT)
    assert (status, kind, said["resourceType"]) == (400, "application/fhir+json", "OperationOutcome")
    refused = {"id": "cr-3", "verdict": {"passed": False, "reasons": ["empty"]}}
    assert service.ask("/deidentify", {"id": "cr-3", "text": " "})[::2] == (422, refused)
    lines = [json.loads(line) for line in service.log.read_text(encoding="utf-8").splitlines()]
    assert {(line["client"], line["status"]) for line in lines[-7:]} == {
        (None, 401),
        *(("dpi", status) for status in (404, 413, 400, 422)),
    }
    assert (lines[-1]["documents"], lines[-1]["outcome"], lines[-1]["reasons"]) == (1, "held back", ["empty"])
    assert lines[0]["policy"]
    told = service.log.read_text(encoding="utf-8")
    assert not any(name in told for name in (*NAMES, "cr-1", "cr-3", *service.tokens.values()))


def test_what_is_not_this_machine_needs_tls_and_a_file_of_secrets_is_its_owners(deid: Call, tmp_path: Path) -> None:
    clients = tmp_path / "clients.json"
    token = json.loads(deid("service", "add-client", "dpi", "--clients", clients).out)["token"]
    asked = ("service", "serve", "--clients", clients, "--log", tmp_path / "log")
    assert deid("service", "add-client", "dpi", "--clients", clients).status == 2
    assert "TLS" in deid(*asked, "--host", "192.0.2.1").err
    said = deid(*asked)
    assert (said.status, "--local-journal" in said.err) == (2, True), "no database whose audit trail it could write"
    clients.chmod(0o644)
    said = deid(*asked)
    assert (said.status, "chmod 600" in said.err) == (2, True)
    clients.chmod(0o600)
    assert deid("service", "remove-client", "dpi", "--clients", clients).status == 0
    assert token not in clients.read_text()
    assert json.loads(clients.read_text()) == {}
    assert deid("service", "remove-client", "dpi", "--clients", clients).status == 2


@pytest.fixture
def served(deid: Call, tmp_path: Path) -> Iterator[tuple[Service, DocumentServer]]:
    """The server in this process, under the policy of rules, with a document that stops what processes it."""
    clients, log = tmp_path / "clients.json", tmp_path / "access.jsonl"
    tokens = {"dpi": json.loads(deid("service", "add-client", "dpi", "--clients", clients).out)["token"]}
    known = read_clients(clients)
    process = make_process(known, ROOT / "deid/config/policies/rules.yaml", None)

    def stopped_by_one(client: str, incoming: Incoming) -> Any:
        if incoming.document.id == "stops":
            raise OSError(TEXT["text"])
        return process(client, incoming)

    server = DocumentServer(("127.0.0.1", 0), known, AccessLog(log), most_bytes=4000)
    worker = threading.Thread(target=server.work, args=(stopped_by_one,))
    worker.start()
    with server:
        yield Service(server.server_address[1], tokens, log), server
        server.stop()
        worker.join()


def test_one_document_that_stops_its_processing_does_not_stop_the_service(
    served: tuple[Service, DocumentServer], caplog: pytest.LogCaptureFixture
) -> None:
    service, _ = served
    assert service.ask("/deidentify", {**TEXT, "id": "stops"})[::2] == (500, {"error": "unforeseen: OSError"})
    assert not any(name in caplog.text for name in NAMES)
    status, _, said = service.ask("/deidentify", TEXT)
    assert (status, said["id"]) == (200, "cr-1")
    assert "VASSEROT" not in said["text"].upper()
    status, kind, said = service.ask("/fhir/$de-identify", BUNDLE)
    assert (status, kind, said["resourceType"]) == (200, "application/fhir+json", "Bundle")
    assert service.ask("/fhir/$de-identify", {"resourceType": "Nonsense"})[0] == 422
    assert service.ask("/deidentify", {"id": "cr-3", "text": " "})[0] == 422
    assert service.ask("/deidentify", TEXT, None)[0] == 401
    assert service.ask("/other", TEXT)[0] == 404
    assert service.ask("/deidentify", {**TEXT, "text": "Vasserot " * 600})[0] == 413
    assert service.ask("/fhir/$de-identify", b"{")[2]["resourceType"] == "OperationOutcome"


def test_health_and_what_has_no_length_are_answered(served: tuple[Service, DocumentServer]) -> None:
    service, _ = served
    for method, path, body, expected in (
        ("GET", "/health", None, 200),
        ("GET", "/", None, 404),
        ("POST", "/deidentify", iter([b"{}"]), 411),
    ):
        link = HTTPConnection("127.0.0.1", service.port, timeout=60)
        link.request(method, path, body, {"Authorization": f"Bearer {service.tokens['dpi']}"})
        assert link.getresponse().status == expected
        link.close()
