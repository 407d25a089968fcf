"""`quarantine` and `opt-outs` from a shell: JSON Lines out, exit status, and no text of anybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deid.cli import main
from tests.conftest import Database, Deploy
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

UNREADABLE = LETTER.encode("cp1252")
NOTED = f"{LETTER}Au dos de la feuille : « позвонить Анне ».\n"


def fill(database: Database) -> None:
    open_hospital(database)
    put(database, "D1")
    for name in ("D2", "D3"):
        put(database, name, UNREADABLE)
    night("first")


@pytest.fixture
def hospital(deploy: Deploy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    decide(monkeypatch, tmp_path)
    return deploy(fill)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> list[dict[str, Any]]:
    """The lines that a command writes."""
    capsys.readouterr()
    assert main(arguments) == status
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_an_operator_lists_retries_and_discards(hospital: Database, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = said(capsys, "quarantine", "list", "--reason", "undecodable")
    assert {one["document_id"] for one in waiting} == {"D2", "D3"}
    entries = {one["document_id"]: one["entry"] for one in waiting}
    assert said(capsys, "quarantine", "retry", entries["D2"]) == [{"entry": entries["D2"], "done": "retry"}]
    assert said(capsys, "quarantine", "discard", entries["D3"], "--reason", "scan perdu")[0]["done"] == "discard"
    (second,) = said(capsys, "quarantine", "retry", entries["D3"], status=1)
    assert (second["done"], second["standing"]) == (None, "discard")
    assert said(capsys, "quarantine", "list") == []
    hospital.rows("UPDATE cdw.document SET charset = 'cp1252'")
    night("second", NIGHT + 3 * DAY)
    assert states(hospital) == {"D1": "published", "D2": "published", "D3": "quarantined"}
    (settled,) = said(capsys, "quarantine", "list", "--state", "settled")
    assert settled["entry"] == entries["D2"]


def test_the_list_is_filtered_as_the_page_is(hospital: Database, capsys: pytest.CaptureFixture[str]) -> None:
    put(hospital, "D4", NOTED, at=NIGHT + DAY)
    night("held", NIGHT + DAY)
    every = {
        "": {"D2", "D3", "D4"},
        "--check residual_script": {"D4"},
        "--check residual_date": set(),
        "--step validate": {"D4"},
        "--service CARD": {"D2", "D3", "D4"},
        "--service PNEU": set(),
        "--since 2026-01-01 --before 2999-01-01": {"D2", "D3", "D4"},
        "--before 2026-01-01": set(),
    }
    found = {
        asked: {one["document_id"] for one in said(capsys, "quarantine", "list", *asked.split())} for asked in every
    }
    assert found == every


@pytest.mark.parametrize(
    "arguments",
    [
        *(("list", option, "x") for option in ("--state", "--reason", "--step", "--check", "--since")),
        ("retry", "D2"),
    ],
)
@pytest.mark.usefixtures("hospital")
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "quarantine", *arguments, status=2) == []


def test_an_opt_out_is_recorded_applied_listed_and_lifted(
    hospital: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    (added,) = said(capsys, "opt-outs", "add", "--patient", "P000001", "--reason", "courrier du 3 mars")
    assert added["removed"] == 0
    (applied,) = said(capsys, "opt-outs", "apply")
    assert (applied["oppositions"], applied["removed"]) == (1, 1)
    assert states(hospital)["D1"] == "withdrawn"
    (listed,) = said(capsys, "opt-outs", "list")
    assert (listed["opt_out_id"], listed["removed"], listed["matched"]) == (added["opt_out_id"], 1, True)
    assert "P000001" not in json.dumps(listed)
    number = str(added["opt_out_id"])
    assert said(capsys, "opt-outs", "revoke", number, "--reason", "consentement signé") == [
        {"opt_out_id": added["opt_out_id"], "revoked": True}
    ]
    assert said(capsys, "opt-outs", "revoke", number, "--reason", "consentement signé", status=2) == []


@pytest.mark.parametrize("names", [(), ("--pseudonym", "a" * 20, "--patient", "P1")])
@pytest.mark.usefixtures("deployed")
def test_a_patient_has_one_name(names: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "opt-outs", "add", *names, "--reason", "courrier du 3 mars", status=2) == []
