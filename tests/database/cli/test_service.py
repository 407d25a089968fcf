"""The journal of the service: a line of the audit trail for each document, before its answer, or no answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deid.cli.key_server import AccessLog
from deid.cli.service import make_journal, make_process, read_clients
from deid.cli.service_server import DocumentServer
from deid.config.policy import load
from deid.database.connection import open_cursor
from deid.ledger import audit
from tests import ROOT
from tests.conftest import Database
from tests.unit.cli.conftest import Call
from tests.unit.cli.test_service import BUNDLE, NAMES, TEXT, Service

RULES = ROOT / "deid/config/policies/rules.yaml"


@pytest.fixture
def service(deployed: Database, deid: Call, tmp_path: Path) -> Iterator[Service]:
    """The server in this process, under the policy of rules, whose journal is this database's."""
    assert deployed.name
    clients, log = tmp_path / "clients.json", tmp_path / "access.jsonl"
    tokens = {
        name: json.loads(deid("service", "add-client", name, "--clients", clients).out)["token"]
        for name in ("dpi", "portail")
    }
    known, journal = read_clients(clients), make_journal(load(RULES).digest)
    server = DocumentServer(("127.0.0.1", 0), known, AccessLog(log), most_bytes=4000, journal=journal)
    worker = threading.Thread(target=server.work, args=(make_process(known, RULES, None),))
    worker.start()
    with server:
        yield Service(server.server_address[1], tokens, log)
        server.stop()
        worker.join()


def test_each_document_leaves_a_line_that_tells_no_text_id_or_name(service: Service, deployed: Database) -> None:
    assert service.ask("/deidentify", TEXT)[0] == 200
    assert service.ask("/deidentify", {"id": "cr-3", "text": " "}, "portail")[0] == 422
    assert service.ask("/fhir/$de-identify", BUNDLE)[0] == 200
    assert service.ask("/deidentify", TEXT, None)[0] == 401
    assert service.ask("/deidentify", b"{")[0] == 400
    with open_cursor("steward") as cursor:
        bundle, empty, letter = audit.list_lines(cursor)
        assert audit.find_first_break(cursor) is None
    assert [(one.actor, one.action, one.object) for one in (letter, empty, bundle)] == [
        (client, "serve_document", "service") for client in ("dpi", "portail", "dpi")
    ]
    assert {one.details["policy"] for one in (letter, empty, bundle)} == {load(RULES).digest}
    assert empty.details == {
        "policy": load(RULES).digest, "documents": 1, "outcome": "held back", "reasons": ["empty"]
    }  # fmt: skip
    assert (letter.details["outcome"], letter.details["replaced"]["PATIENT"] > 0) == ("given", True)
    assert (bundle.details["outcome"], bundle.details["patients"]) == ("given", 1)
    ((told,),) = deployed.rows("SELECT string_agg(a::text, ' ') FROM deid.audit AS a")
    assert not [name for name in (*NAMES, "cr-1", "cr-3", "p1") if name in told]


def test_no_answer_leaves_without_its_line(service: Service, deployed: Database) -> None:
    append = "FUNCTION deid.audit_append(text, text, text, jsonb)"
    deployed.rows(f"REVOKE EXECUTE ON {append} FROM nocturne_worker")
    for path, body in (("/deidentify", TEXT), ("/fhir/$de-identify", BUNDLE)):
        status, _, said = service.ask(path, body)
        assert (status, "the journal cannot be written" in json.dumps(said)) == (503, True)
    assert [json.loads(line)["status"] for line in service.log.read_text(encoding="utf-8").splitlines()] == [503, 503]
    deployed.rows(f"GRANT EXECUTE ON {append} TO nocturne_worker")
    assert service.ask("/deidentify", TEXT)[0] == 200
