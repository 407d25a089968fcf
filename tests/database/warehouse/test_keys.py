"""The drill of docs/keys.md on a real PostgreSQL: rotate, redo, withdraw, destroy; and what no key may do."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from deid.cli import main
from deid.config import keys
from deid.config.settings import settings
from deid.domain.errors import SettingsError
from deid.publication import publish
from deid.publication.publish import make_visible, publish_interval
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process, states
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put, withdraw


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Return the path of the secret."""
    return tmp_path / "secret"


@pytest.fixture
def hospital(deployed: Database, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A hospital of one letter, whose secret was just made."""
    monkeypatch.delenv("NOCTURNE_SECRET")
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(secret))
    decide(monkeypatch, tmp_path)
    assert main(["key", "new", str(secret)]) == 0
    open_hospital(deployed)
    put(deployed, "letter")
    return deployed


def _key(*arguments: str) -> int:
    status = main(["key", *arguments])
    settings.cache_clear()
    return status


def _held() -> list[tuple[int, str]]:
    return [(key.version, key.fingerprint) for key in settings().keyring.keys]


def _rows(hospital: Database) -> dict[str, tuple[str, str, str]]:
    """Fingerprint → document id, patient id and text of what researchers read; one document per fingerprint."""
    rows = hospital.rows(
        "SELECT key_fingerprint, document_id, patient_id, text FROM research.document", role="researcher"
    )
    assert len({row[0] for row in rows}) == len(rows)
    return {fingerprint: tuple(rest) for fingerprint, *rest in rows}


def test_the_drill(hospital: Database, secret: Path, capsys: pytest.CaptureFixture[str]) -> None:
    night("first")
    (_, first), *_ = _held()
    before = _rows(hospital)
    assert list(before) == [first]

    # Rotate: documents to come are drawn anew, the old ones stay until they are done again.
    assert _key("rotate") == 0
    (_, second) = _held()[1]
    assert _rows(hospital) == before
    release = publish_interval(process("again")["interval_key"])
    assert release["published"] == 1
    assert _rows(hospital) == before  # until the next rewriting
    assert _key("destroy", "1", "--fingerprint", first) == 2
    make_visible("nightly")
    after = _rows(hospital)
    assert list(after) == [second]
    assert not set(after[second]) & set(before[first])

    # Destroy: gone from the file, known to the ledger as gone.
    old = secret.read_text().splitlines()[0]
    assert _key("destroy", "1", "--fingerprint", first) == 0
    assert old not in secret.read_text()
    assert _held() == [(2, second)]
    assert hospital.rows("SELECT key_version, destroyed_at IS NOT NULL FROM deid.key ORDER BY 1") == [
        (1, True),
        (2, False),
    ]

    # Nobody can draw the first texts again: the same secret under any version is refused, another gives others.
    made = old.partition(":")[2]
    for version in (1, 3):
        secret.write_text(f"{version}:{made}\n2:{secret.read_text().splitlines()[-1].partition(':')[2]}\n")
        settings.cache_clear()
        with pytest.raises(SettingsError, match=r"was destroyed, and is back|is version 1 over again"):
            process(f"with version {version}")
    assert _rows(hospital) == after
    assert made not in capsys.readouterr().out


def test_an_opt_out_reaches_what_an_older_key_published(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, tmp_path, "{rotation: keep}")
    put(hospital, "other", LETTER + "\nSuites simples.", at=NIGHT + timedelta(hours=1))
    night("first")
    assert _key("rotate") == 0
    put(hospital, "late", LETTER + "\nRevue ce jour.", at=NIGHT + DAY)
    withdraw(hospital, "other", NIGHT + DAY)
    release = night("second", NIGHT + DAY)
    assert (release["published"], release["withdrawn"]) == (1, 1)
    assert states(hospital) == {"letter": "published", "other": "withdrawn", "late": "published"}
    joined = "deid.published_document d JOIN deid.key k ON k.fingerprint = d.key_fingerprint"
    by_key = f"SELECT k.key_version FROM {joined} ORDER BY 1"
    assert hospital.rows(by_key) == [(1,), (2,)]


def test_a_withdrawal_between_the_redo_and_the_rewriting_removes_both_rows(hospital: Database) -> None:
    night("first")
    assert _key("rotate") == 0
    publish_interval(process("again")["interval_key"])
    withdraw(hospital, "letter", NIGHT + DAY)
    publish_interval(process("second", NIGHT + DAY)["interval_key"])
    assert _rows(hospital) == {}
    assert make_visible("nightly") == {"documents": 0, "added": 0}


def test_a_redo_killed_between_batches_hides_no_row(hospital: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    put(hospital, "other", LETTER + "\nSuites simples.", at=NIGHT + timedelta(hours=1))
    night("first", batch_size=1)
    before = hospital.rows("SELECT document_id, text FROM research.document", role="researcher")
    assert _key("rotate") == 0
    interval = process("again", batch_size=1)["interval_key"]
    write, written = publish._publish_batch, []

    def die_at_the_second(*given: object) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(given)
        write(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(publish, "_publish_batch", die_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            publish_interval(interval)
    make_visible("nightly")
    assert hospital.rows("SELECT document_id, text FROM research.document", role="researcher") == before
    publish_interval(interval)
    make_visible("nightly")
    after = hospital.rows("SELECT document_id, text FROM research.document", role="researcher")
    assert len(after) == 2
    assert not {name for name, _ in after} & {name for name, _ in before}


@pytest.mark.usefixtures("hospital")
@pytest.mark.parametrize(("rotation", "planned"), [("redo", 1), ("keep", 0)])
def test_the_policy_says_whether_a_new_key_redoes_documents(
    rotation: str, planned: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, tmp_path, f"{{rotation: {rotation}}}")
    night("first")
    _key("rotate")
    assert process("again")["planned"] == planned


def test_a_correction_under_a_new_key_replaces_the_old_row(
    hospital: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide(monkeypatch, tmp_path, "{rotation: keep}")
    night("first")
    _key("rotate")
    put(hospital, "letter", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    assert list(_rows(hospital)) == [_held()[1][1]]


def test_what_waits_is_published_under_the_key_that_drew_it(hospital: Database) -> None:
    interval = process("first")["interval_key"]
    _key("rotate")
    publish_interval(interval)
    make_visible("nightly")
    assert list(_rows(hospital)) == [_held()[0][1]]


@pytest.mark.usefixtures("english")
def test_a_key_that_published_is_not_destroyed_by_mistake(
    hospital: Database, secret: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    night("first")
    _key("rotate")
    (_, first), (_, second) = _held()
    kept = secret.read_text()
    assert _key("destroy", "1", "--fingerprint", second) == 2
    assert _key("destroy", "3", "--fingerprint", first) == 2
    assert _key("destroy", "1", "--fingerprint", first) == 2
    assert "1 published documents are of version 1" in capsys.readouterr().err
    assert secret.read_text() == kept

    # Frozen, it stays as it is, and new versions of the document stand beside it.
    before = _rows(hospital)
    assert _key("destroy", "1", "--fingerprint", first, "--freeze") == 0
    put(hospital, "letter", LETTER + "\nCorrigé.", at=NIGHT + DAY)
    night("second", NIGHT + DAY)
    after = _rows(hospital)
    assert after[first] == before[first]
    assert set(after) == {first, second}


def test_a_key_that_is_missing_stops_the_night_before_anything_is_drawn(hospital: Database, secret: Path) -> None:
    night("first")
    _key("rotate")
    secret.write_text(secret.read_text().splitlines()[1])
    settings.cache_clear()
    for call in (lambda: process("second"), lambda: publish_interval("2026-03-02")):
        with pytest.raises(SettingsError, match="published under version 1 of the secret, which is not held"):
            call()
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(1,)]


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (1, "is not the one that the ledger knows as version 1"),
        (2, "published under version 1 of the secret, which is not held"),
    ],
)
def test_another_secret_is_noticed(version: int, told: str, hospital: Database, secret: Path) -> None:
    night("first")
    keys.write_keyring(secret, [keys.make_key(version)])
    settings.cache_clear()
    with pytest.raises(SettingsError, match=told):
        process("second")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(1,)]


@pytest.mark.usefixtures("hospital")
def test_an_older_version_is_not_put_in_force_again(secret: Path) -> None:
    lone = secret.read_text()
    _key("rotate")
    process("first")
    secret.write_text(lone)
    settings.cache_clear()
    with pytest.raises(SettingsError, match="version 1 of the secret is in force, but version 2 was used"):
        process("second")


def test_no_secret_is_in_the_database(hospital: Database, secret: Path) -> None:
    night("first")
    made = secret.read_text().strip().partition(":")[2]
    for schema, table in hospital.rows(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('deid', 'research')"
    ):
        found = hospital.rows(f"SELECT count(*) FROM {schema}.{table} AS t WHERE t::text ILIKE '%%{made[:12]}%%'")
        assert found == [(0,)], table
