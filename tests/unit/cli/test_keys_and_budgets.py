"""`key` and `budget`: what they print, what they refuse, and the page that quotes them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deid.config.settings import settings
from tests import ROOT
from tests.unit.cli.conftest import SECRET, Call, jsonl

DOCS = ROOT / "docs"


def test_a_new_secret_is_printed_only_where_no_file_takes_it(deid: Call, tmp_path: Path) -> None:
    printed = deid("key", "new")
    assert re.fullmatch(r"1:[0-9a-f]{64}\n", printed.out)
    written = deid("key", "new", tmp_path / "secret")
    assert re.fullmatch(r"version 1, empreinte [0-9a-f]{16} : créée, en service\n", written.out)
    made = (tmp_path / "secret").read_text()
    assert made.strip()[2:] not in written.out
    again = deid("key", "new", tmp_path / "secret")
    assert (again.status, (tmp_path / "secret").read_text()) == (2, made)


def test_a_lone_secret_becomes_version_1_when_it_is_rotated(
    deid: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text(SECRET)
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(tmp_path / "secret"))
    assert deid("key", "rotate").status == 0
    settings.cache_clear()
    shown = deid("key", "fingerprint").out.splitlines()
    assert [line.partition(" : ")[2] for line in shown] == ["gardée pour ce qu'elle a publié", "en service"]
    assert (tmp_path / "secret").read_text().startswith(f"1:{SECRET}\n2:")


@pytest.mark.usefixtures("secret")
@pytest.mark.parametrize("command", [["rotate"], ["destroy", "1", "--fingerprint", "0"]])
def test_a_secret_of_the_environment_is_changed_where_it_is_kept(command: list[str], deid: Call) -> None:
    said = deid("key", *command)
    assert said.status == 2
    assert "n'est pas dans un fichier de NOCTURNE_SECRET_FILE" in said.err
    assert SECRET not in said.err


@pytest.mark.usefixtures("secret")
def test_a_limit_that_no_ledger_would_hold_is_refused(deid: Call, tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").write_text("extends: default\nname: ours\nsubstitution: {max_epsilon_per_patient: 9}\n")
    said = deid("deidentify", "-", "--policy", "ours.yaml", stdin=jsonl([{"id": "1", "text": "Vu ce jour."}]))
    assert (said.status, said.out) == (2, "")
    assert "max_epsilon_per_patient demande le registre" in said.err


def test_a_provider_that_cannot_be_had_is_noticed_before_a_policy_is_put_in_force(deid: Call, tmp_path: Path) -> None:
    policy = "extends: default\nname: ours\nsubstitution: {labels: {EMAIL: {provider: 'nowhere:Provider'}}}\n"
    (tmp_path / "ours.yaml").write_text(policy)
    said = deid("policy", "validate", "ours.yaml")
    assert said.status == 2
    assert "substitution.labels.EMAIL : nowhere:Provider ne peut pas être importé" in said.err


def test_the_page_on_epsilon_quotes_the_command(deid: Call) -> None:
    """Compare the page with `python -m deid budget example`; on failure, copy its tables into the page."""
    page = (DOCS / "fr" / "budget-epsilon.md").read_text(encoding="utf-8")
    tables = deid("budget", "example").out.strip().split("\n\n")
    assert len(tables) == 5
    assert [table for table in tables if table not in page] == []


def test_the_example_follows_the_policy(deid: Call, tmp_path: Path) -> None:
    more = "extends: default\nname: ours\nsubstitution: {epsilon_per_document: 16, dates: {episode_epsilon: 1.0}}\n"
    (tmp_path / "ours.yaml").write_text(more)
    ours = deid("budget", "example", "--policy", "ours.yaml").out
    assert "| `nominal` (livré) | 0,01 | 1 | 0,04 | 1 | 2,05 |" in ours
    assert "| 1 jour | 2,73 fois | 73,2 % |" in ours
