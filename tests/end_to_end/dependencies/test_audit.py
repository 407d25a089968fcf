"""The audit with the real pip-audit, on locks of the tests, and a vulnerability service here."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dependencies.audit import EXCEPTIONS, main, read_exceptions
from dependencies.lock import LOCKS, hashes, parse
from tests import ROOT

TOOLS = ROOT / ".venv" / "tools" / "bin"
needs_tools = pytest.mark.skipif(not (TOOLS / "pip-audit").exists(), reason="`make audit-dependencies` installs them")
LOCK = f"jinja2==3.1.2 \\\n    --hash=sha256:{'1' * 64}\n"


class Service(BaseHTTPRequestHandler):
    """OSV: jinja2 3.1.2 has one vulnerability."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = {"id": "GHSA-test", "summary": "s", "details": "d", "modified": "2026-01-01T00:00:00Z", "affected": []}
        found = {"vulns": [known]} if asked["package"]["name"] == "jinja2" else {}
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def project(tmp_path: Path) -> list[str]:
    """Arguments of an audit of one lock, without exceptions."""
    (tmp_path / "lock.txt").write_text(LOCK)
    (tmp_path / "exceptions.yaml").write_text("")
    files = {"--locks": "lock.txt", "--exceptions": "exceptions.yaml"}
    return ["--tools", str(TOOLS), *(word for option, name in files.items() for word in (option, str(tmp_path / name)))]


def record(tmp_path: Path, text: str) -> None:
    (tmp_path / "exceptions.yaml").write_text(text)


KNOWN = "vulnerabilities: [{id: GHSA-test, in: jinja2, reason: not reached, date: 2026-11-23}]\n"


@needs_tools
def test_a_vulnerability_passes_only_with_its_record(
    project: list[str], service: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*project, "--osv-url", service]) == 1
    assert "jinja2: GHSA-test, 1 found, 0 recorded" in capsys.readouterr().out
    record(tmp_path, KNOWN)
    assert main([*project, "--osv-url", service]) == 0
    (tmp_path / "lock.txt").write_text(LOCK.replace("jinja2==3.1.2", "click==8.5.1"))
    assert main([*project, "--osv-url", service]) == 1
    assert "0 found, 1 recorded" in capsys.readouterr().out


@needs_tools
def test_a_service_out_of_reach_is_said_with_its_own_status(
    project: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = ["--osv-url", "http://127.0.0.1:9"]
    assert main([*project, *nowhere]) == 3
    assert "nothing was audited" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "vulnerabilities: [{id: GHSA-test, in: jinja2, date: 2026-11-23}]",
        "vulnerabilities: [{id: GHSA-test, in: jinja2, reason: '', date: 2026-11-23}]",
        "vulnerabilities: [{id: GHSA-test, in: jinja2, reason: a test}]",
        "vulnerabilities: [{id: GHSA-test, in: jinja2, reason: a test, date: soon}]",
        "vulnerabilities: [",
    ],
)
def test_an_exception_without_reason_or_date_is_refused(project: list[str], tmp_path: Path, text: str) -> None:
    record(tmp_path, text)
    assert main(project) == 2


def test_tools_that_are_not_there_end_with_two(project: list[str], tmp_path: Path) -> None:
    assert main([*project, "--tools", str(tmp_path)]) == 2


def test_the_exceptions_of_the_product_can_be_read() -> None:
    locked = {name for lock in LOCKS.glob("*.txt") for name in parse(lock.read_text())}
    assert {finding.package for finding in read_exceptions(EXCEPTIONS)} <= locked


@needs_tools
def test_a_bill_of_materials_names_each_package_with_its_hashes() -> None:
    command = [str(TOOLS / "cyclonedx-py"), "requirements", str(LOCKS / "oracles.txt"), "--output-reproducible"]
    made = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    bill = json.loads(made.stdout)
    assert bill["bomFormat"] == "CycloneDX"
    named = {
        part["name"]: {one["content"] for reference in part["externalReferences"] for one in reference["hashes"]}
        for part in bill["components"]
    }
    locked = parse((LOCKS / "oracles.txt").read_text())
    assert {name: hashes(entry) for name, entry in locked.items()} == named
