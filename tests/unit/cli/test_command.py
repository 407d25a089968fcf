"""The command as a process: help, exit status, pipes, what an unforeseen error shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deid.cli import app, main
from tests import ROOT
from tests.unit.cli.conftest import SECRET, Call, jsonl
from tests.unit.cli.test_documents import LETTER

COMMANDS = (
    "detect deidentify file evaluate score train provision migrate doctor refresh references night publish report "
    "runs make-visible dpo-annex policy budget key models annotations coding audit ids opt-outs quarantine link rights "
    "source service catalogue benchmark".split()
)


def run(*arguments: str, cwd: Path, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NOCTURNE_")}
    environment |= {"PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", "deid", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=environment, timeout=280, check=False)


def test_help_answers_without_what_takes_seconds_to_load(tmp_path: Path) -> None:
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "désidentifie" in done.stdout.decode()
    imported = (
        "import sys; import deid.cli; print([n for n in ('torch', 'pandas', 'pydantic', 'numpy') if n in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", imported], capture_output=True, cwd=ROOT, check=True)
    assert loaded.stdout == b"[]\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(deid: Call, command: str) -> None:
    said = deid(command, "--help")
    assert said.status == 0
    assert len(said.out.splitlines()) > 6


def test_every_command_is_listed_in_whole(deid: Call) -> None:
    listed = deid("--help").out.split("Commandes :")[1]
    assert {line.split()[0] for line in listed.splitlines() if line.strip()} == {*COMMANDS}
    assert "..." not in listed


@pytest.mark.slow
def test_from_pipe_to_pipe(tmp_path: Path) -> None:
    rules = str(ROOT / "deid/config/policies/rules.yaml")  # one of the two loads the models
    detected = run("detect", "--policy", rules, cwd=tmp_path, stdin=jsonl([LETTER]).encode())
    assert detected.returncode == 0, detected.stderr
    assert json.loads(detected.stdout)["id"] == "d1"
    done = run("deidentify", cwd=tmp_path, stdin=jsonl([LETTER, "x"]).encode(), NOCTURNE_SECRET=SECRET)
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"]["passed"]
    assert done.stderr.decode().splitlines()[0] == "entrée standard, ligne 2 : n'est pas du JSON"


@pytest.mark.usefixtures("refresher")
@pytest.mark.parametrize(
    "arguments",
    [
        ["inconnu"],
        ["detect", "--inconnu"],
        ["evaluate", "seul"],
        ["night", "pas-une-date"],
        ["night", "2026-03-02", "2026-03-01"],
        ["refresh", "communes", "health", "--location", "x"],
        ["score", "x"],
    ],
)
def test_wrong_usage_ends_with_two(deid: Call, arguments: list[str]) -> None:
    assert deid(*arguments).status == 2


@pytest.fixture
def refresher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_REFRESHER_DSN", "postgresql://nobody@127.0.0.1:1/none")


@pytest.mark.usefixtures("secret")
@pytest.mark.parametrize("arguments", [["migrate"], ["refresh"], ["night", "2026-03-02"], ["report", "2026-03-02"]])
def test_a_setting_that_lacks_is_named(deid: Call, arguments: list[str]) -> None:
    said = deid(*arguments)
    assert said.status == 2
    assert "NOCTURNE_" in said.err
    assert said.out == ""


def test_a_database_that_does_not_answer_is_one_clear_line(deid: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_OWNER_DSN", "postgresql://owner:hunter2@127.0.0.1:1/none")
    said = deid("migrate")
    assert said.status == 1
    assert len(said.err.splitlines()) == 1
    assert "hunter2" not in said.err


def test_an_unforeseen_error_shows_where_and_never_what(capsys: pytest.CaptureFixture[str]) -> None:
    @app.command(name="broken", hidden=True)
    def broken() -> None:
        raise KeyError("VASSEROT")

    try:
        assert main(["broken"]) == 1
    finally:
        app.registered_commands.pop()
    err = capsys.readouterr().err
    assert "KeyError" in err
    assert "in broken" in err
    assert "VASSEROT" not in err.replace('raise KeyError("VASSEROT")', "")  # the code itself is no patient's


def test_a_policy_is_shown_and_checked(deid: Call, tmp_path: Path) -> None:
    shown = deid("policy", "show")
    assert shown.status == 0
    assert "epsilon_per_document:" in shown.out
    own = tmp_path / "own.yaml"
    own.write_text(shown.out, encoding="utf-8")
    checked = deid("policy", "validate", own)
    assert checked.status == 0
    assert shown.out.splitlines()[0].split(", ")[1] in checked.out
    own.write_text(shown.out.replace("name: patterns", "name: divination"), encoding="utf-8")
    assert deid("policy", "validate", own).status == 2
    own.write_text("epsilon: [", encoding="utf-8")
    assert deid("policy", "show", own).status == 2
