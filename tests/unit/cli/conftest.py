"""A command line to call in this process, with what it wrote and how it ended."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer import testing
from typer.testing import CliRunner

from deid.cli import app
from deid.cli.language import language
from demo.cli import app as demonstration

SECRET = "5e05a1c7d2983b4f6e70b9c8114d2fa3968e7bd05c42ef1936a8d4107b5fc2e9"


@cache
def _built(app: typer.Typer, _language: str) -> Any:
    """The commands of a command line, which hold their help in the language of the moment."""
    return typer.main.get_command(app)


# `CliRunner` builds them at each call, for 65 ms.
testing._get_command = lambda app: _built(app, language())


@dataclass(frozen=True)
class Said:
    """Exit status, standard output and standard error of a command."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Call = Callable[..., Said]


@pytest.fixture
def deid(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Call a command; `stdin` is what it reads from a pipe."""
    monkeypatch.chdir(tmp_path)
    return _caller(app)


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """Call a command of the demonstration."""
    monkeypatch.chdir(tmp_path)
    return _caller(demonstration)


def _caller(app: typer.Typer) -> Call:
    def call(*arguments: object, stdin: bytes | str = b"") -> Said:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    """A secret in the environment."""
    monkeypatch.setenv("NOCTURNE_SECRET", SECRET)
    return SECRET


def jsonl(records: Sequence[object]) -> str:
    """Objects as JSON Lines; what is already text is a line as it stands."""
    return "".join((one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)) + "\n" for one in records)
