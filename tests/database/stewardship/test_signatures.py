"""Signatures of the audit trail: what a cut, rewritten or restored trail shows to whoever holds the secret."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import psycopg2
import pytest

from deid.cli import main
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.ledger import audit, signatures
from deid.release import actions
from tests.conftest import Database
from tests.database.warehouse.nights import process
from tests.database.warehouse.small_hospital import open_hospital, put

# What the owner of the database can do to make a trail in which the chain holds: line 2 is another's.
RECOMPUTED = """
    ALTER TABLE deid.audit DISABLE TRIGGER append_only;
    DO $$
    DECLARE
        one record;
        link text := '';
    BEGIN
        UPDATE deid.audit SET actor = 'un autre' WHERE seq = 2;
        FOR one IN SELECT * FROM deid.audit ORDER BY seq LOOP
            UPDATE deid.audit AS a SET
                previous = link,
                digest = encode(sha256(convert_to(deid.audit_line(
                    a.seq, a.at, a.actor, a.action, a.object, a.details, a.login, link
                ), 'UTF8')), 'hex')
            WHERE a.seq = one.seq
            RETURNING a.digest INTO link;
        END LOOP;
    END
    $$;
    ALTER TABLE deid.audit ENABLE TRIGGER append_only;
"""
CUT = "ALTER TABLE deid.audit DISABLE TRIGGER append_only; DELETE FROM deid.audit WHERE seq > {};"
NO_SIGNATURES = """
    ALTER TABLE deid.audit_signature DISABLE TRIGGER append_only;
    DELETE FROM deid.audit_signature WHERE seq > {};
"""


@pytest.fixture
def signed(deployed: Database) -> Database:
    """A trail of four lines, signed after the second and after the last."""
    for upto in (2, 4):
        fill(upto - 1, upto)
        assert signatures.sign_trail("publisher") is not None
    return deployed


def fill(*numbers: int) -> None:
    with open_cursor("steward") as cursor:
        for number in numbers:
            audit.write(cursor, "intendante", audit.Action.READ_TEXT, f"document D{number}")


def verified(capsys: pytest.CaptureFixture[str], *files: Path) -> tuple[int, list[tuple[str, int]], int, str]:
    """Exit status, faults, last line proven, and what is said, of `audit verify`."""
    capsys.readouterr()
    status = main(["audit", "verify", *map(str, files)])
    said = capsys.readouterr()
    found = json.loads(said.out)
    return status, [(fault["kind"], fault["seq"]) for fault in found["faults"]], found["signed_to"], said.err


def kept() -> Path:
    return settings().home / signatures.FILE


@pytest.mark.usefixtures("signed")
def test_a_sound_trail_is_proven_to_its_last_signature(capsys: pytest.CaptureFixture[str]) -> None:
    fill(5)
    assert verified(capsys) == (0, [], 4, "")
    assert len(signatures.read_signatures(kept())) == 2


def test_a_cut_tail_is_found(signed: Database, capsys: pytest.CaptureFixture[str]) -> None:
    signed.rows(CUT.format(3))
    status, faults, proven, said = verified(capsys)
    assert (status, faults, proven) == (1, [("cut", 4)], 2)
    assert "coupée" in said


def test_a_restored_copy_is_found_by_the_file(signed: Database, capsys: pytest.CaptureFixture[str]) -> None:
    signed.rows(CUT.format(3) + NO_SIGNATURES.format(3))
    assert verified(capsys)[:3] == (1, [("cut", 4), ("restored", 4)], 2)


def test_lines_written_again_after_a_cut_are_no_substitute(
    signed: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    signed.rows(CUT.format(3) + NO_SIGNATURES.format(3) + "ALTER TABLE deid.audit ENABLE TRIGGER append_only")
    fill(9, 10)
    assert verified(capsys)[:2] == (1, [("restored", 4), ("rewritten", 4)])


def test_a_chain_computed_anew_is_found(signed: Database, capsys: pytest.CaptureFixture[str]) -> None:
    signed.rows(RECOMPUTED)
    with open_cursor("steward") as cursor:
        assert audit.find_first_break(cursor) is None
    assert verified(capsys)[:3] == (1, [("rewritten", 2), ("rewritten", 4)], 0)


def test_nobody_signatures_without_the_secret(
    signed: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    signed.rows(RECOMPUTED + NO_SIGNATURES.format(0))
    kept().unlink()
    assert verified(capsys)[:2] == (1, [("unsigned", 0)])
    own = settings().keyring.current.fingerprint
    monkeypatch.setenv("NOCTURNE_SECRET", secrets.token_hex(32))
    settings.cache_clear()
    assert signatures.sign_trail("worker") is not None
    monkeypatch.setenv("NOCTURNE_SECRET", signed.environment["NOCTURNE_SECRET"])
    settings.cache_clear()
    assert verified(capsys)[:2] == (1, [("unsigned", 0), ("unknown_key", 4)])
    signed.rows(
        "INSERT INTO deid.audit_signature (seq, digest, lines, at, key_version, key_fingerprint, hmac)"
        " VALUES (4, repeat('0', 64), 4, '2026-01-01', 1, %s, repeat('0', 64))",
        (own,),
        role="worker",
    )
    assert ("forged", 4) in verified(capsys)[1]


def test_signatures_of_a_destroyed_key_are_no_fault_once_a_later_one_holds(
    signed: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NOCTURNE_SECRET", f"2:{secrets.token_hex(32)}")
    settings.cache_clear()
    assert verified(capsys)[:3] == (1, [("unsigned", 0), ("unknown_key", 2), ("unknown_key", 4)], 0)
    fill(5)
    assert signatures.sign_trail("worker") is not None
    assert verified(capsys) == (0, [], 5, "")
    signed.rows(
        "INSERT INTO deid.audit_signature (seq, digest, lines, at, key_version, key_fingerprint, hmac)"
        " VALUES (3, repeat('0', 64), 3, '2026-01-01', 1, repeat('0', 16), repeat('0', 64))",
        role="worker",
    )
    assert verified(capsys)[:2] == (1, [("unknown_key", 3)])  # it names another content of its line


@pytest.mark.parametrize("role", ["worker", "publisher", "steward", "owner", "researcher"])
@pytest.mark.parametrize("statement", ["DELETE FROM deid.audit_signature", "UPDATE deid.audit_signature SET seq = 1"])
def test_no_role_takes_a_signature_away(signed: Database, role: str, statement: str) -> None:
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        signed.rows(statement, role=role)


def test_each_planning_and_each_publication_signatures(
    deployed: Database, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTURNE_HOME", str(tmp_path / "absent"))
    settings.cache_clear()
    open_hospital(deployed)
    put(deployed, "D000001")
    fill(1)
    key = process("nuit-1")["interval_key"]
    assert verified(capsys)[:3] == (0, [], 1)
    actions.summarise(key)
    actions.publish(key, {"chosen": "approve", "decided_by": "morel", "reason": "lu"})
    assert verified(capsys)[:3] == (0, [], 2)


@pytest.mark.usefixtures("english")
def test_what_is_no_file_of_signatures_is_refused(
    deployed: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    assert main(["audit", "verify", str(tmp_path / "other.jsonl")]) == 2
    assert "no file of signatures" in capsys.readouterr().err
    assert deployed.rows("SELECT count(*) FROM deid.audit_signature") == [(0,)]
