"""A backup taken in the middle of a release and restored into another database: work goes on, to the same end."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest

from benchmarks.end_state import State, differences, read_end_state
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.embedded import binaries
from deid.domain.errors import WarehouseError
from deid.ledger import audit
from deid.nightly import steps
from deid.release import actions
from tests import ROOT
from tests.conftest import TEMPLATE, Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import process, published
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, PAGE, open_hospital, put, withdraw

KEYS = ("2026-03-02", "2026-03-03")
YES = {"chosen_options": ["Approve"], "responded_by_user": {"id": "3", "name": "c.morel"}, "params_input": {}}

# The second batch of the release fails.
STOP = """
CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM deid.published_document) >= 2 THEN RAISE EXCEPTION 'stopped'; END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER stop BEFORE INSERT ON deid.published_document FOR EACH STATEMENT EXECUTE FUNCTION stop();
"""

PRIVILEGES = """
SELECT 'table', c.oid::regclass::text, '', g.grantee::regrole::text, g.privilege_type, c.relowner::regrole::text
FROM pg_class AS c
CROSS JOIN LATERAL aclexplode(
    coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))
) AS g
WHERE c.relnamespace::regnamespace::text = ANY(%(schemas)s) AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
UNION ALL
SELECT 'column', a.attrelid::regclass::text, a.attname::text, g.grantee::regrole::text, g.privilege_type, ''
FROM pg_attribute AS a CROSS JOIN LATERAL aclexplode(a.attacl) AS g
WHERE a.attrelid::regclass::text ~ '^(deid|ref|research|cdw)\\.'
UNION ALL
SELECT 'function', p.oid::regprocedure::text, '', coalesce(nullif(g.grantee, 0)::regrole::text, 'public'),
    g.privilege_type, p.proowner::regrole::text
FROM pg_proc AS p CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS g
WHERE p.pronamespace::regnamespace::text = ANY(%(schemas)s)
UNION ALL
SELECT 'schema', n.nspname::text, '', coalesce(nullif(g.grantee, 0)::regrole::text, 'public'), g.privilege_type,
    n.nspowner::regrole::text
FROM pg_namespace AS n CROSS JOIN LATERAL aclexplode(n.nspacl) AS g WHERE n.nspname = ANY(%(schemas)s || '{public}')
UNION ALL
SELECT 'policy', p.polrelid::regclass::text, p.polname::text,
    (SELECT string_agg(r::regrole::text, ' ' ORDER BY r::regrole::text) FROM unnest(p.polroles) AS r),
    p.polcmd::text || coalesce(pg_get_expr(p.polqual, p.polrelid), ''), c.relrowsecurity::text
FROM pg_policy AS p INNER JOIN pg_class AS c ON p.polrelid = c.oid
"""
ON_DATABASE = """
SELECT coalesce(nullif(g.grantee, 0)::regrole::text, 'public'), g.privilege_type, d.datdba::regrole::text
FROM pg_database AS d CROSS JOIN LATERAL aclexplode(d.datacl) AS g WHERE d.datname = %s AND g.grantee <> d.datdba
"""
SCHEMAS = {"schemas": ["deid", "identity", "ref", "research", "cdw"]}


@pytest.fixture
def interrupted(deployed: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Database:
    """A release that was staged, approved and half published, and a second night after its first step."""
    decide(monkeypatch, tmp_path)
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        policy.read_text(encoding="utf-8") + "\nrelease: {approval: always, visible: nightly}\n", encoding="utf-8"
    )
    settings.cache_clear()
    open_hospital(deployed)
    for name in "abcd":
        put(deployed, name, f"{LETTER}\nExemplaire {name}.")
    put(deployed, "page", PAGE, patient="P000002", format="text/html")
    put(deployed, "hollow", b"  ")
    process("first", batch_size=2)
    actions.summarise(KEYS[0])
    deployed.rows(STOP)
    with pytest.raises(WarehouseError):
        actions.publish(KEYS[0], YES)
    deployed.rows("DROP TRIGGER stop ON deid.published_document; DROP FUNCTION stop()")
    assert deployed.rows("SELECT count(*) FROM deid.published_document") == [(2,)]
    put(deployed, "a", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    withdraw(deployed, "b", NIGHT + DAY)
    steps.plan(interval_start=NIGHT + DAY, interval_end=NIGHT + 2 * DAY, triggered_by="second", batch_size=2)
    steps.detect(steps.run_of("second"), 1)
    return deployed


@pytest.fixture
def restored(interrupted: Database, tmp_path: Path) -> Iterator[Database]:
    """The interrupted database, by pg_dump and pg_restore, in a database of another name."""
    dump = tmp_path / "nocturne.dump"
    program("pg_dump", "--format=custom", f"--file={dump}", address(interrupted, interrupted.name))
    with restoring(interrupted, dump) as copy:
        yield copy


@contextmanager
def restoring(database: Database, dump: Path) -> Iterator[Database]:
    name = f"{database.name}_restored"
    for statement in statements("CREATE DATABASE", name):
        execute(database.superuser, statement)
    program("pg_restore", "--exit-on-error", f"--dbname={address(database, name)}", str(dump))
    for statement in statements("GRANT CONNECT", name):
        execute(address(database, name), statement)
    yield Database(database.superuser, name)
    execute(database.superuser, f"DROP DATABASE {name} WITH (FORCE)")


def address(database: Database, name: str) -> str:
    return urlsplit(database.superuser)._replace(path=f"/{name}").geturl()


def program(name: str, *arguments: str) -> None:
    done = subprocess.run([str(binaries() / name), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def statements(wanted: str, name: str) -> list[str]:
    """The SQL that docs/operators.md gives for a restored database, for a database of this name."""
    chapter = (
        (ROOT / "docs/operators.md").read_text(encoding="utf-8").split("## Backup and restore")[1].split("\n## ")[0]
    )
    (block,) = [text for text in re.findall(r"```sql\n(.*?)```", chapter, re.DOTALL) if wanted in text]
    return [one.strip() for one in block.replace("nocturne_restored", name).split(";") if one.strip()]


def execute(dsn: str, statement: str) -> None:
    link = psycopg2.connect(dsn)
    link.autocommit = True
    with link.cursor() as cursor:
        cursor.execute(statement)
    link.close()


def use(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in database.environment.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()


def go_on(database: Database) -> State:
    """Finish the release and the second night, publish it, and return the end state."""
    actions.publish(KEYS[0])
    run_id = steps.run_of("second")
    for step in (steps.detect, steps.substitute, steps.validate):
        step(run_id, 1)
    steps.stage(run_id)
    actions.summarise(KEYS[1])
    actions.publish(KEYS[1], YES)
    owner = urlsplit(database.superuser)._replace(path=f"/{database.name}").geturl()
    return read_end_state(owner, database.dsn("researcher"))


def head() -> audit.Head:
    with open_cursor("steward") as cursor:
        assert audit.find_first_break(cursor) is None
        return audit.read_head(cursor)


def test_a_release_and_a_night_go_on_from_a_backup(
    interrupted: Database, restored: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = head()
    assert before.seq > 0
    use(restored, monkeypatch)
    assert head() == before
    assert published(restored) == []  # half a release is shown to nobody
    found = go_on(restored)
    after = head()
    use(interrupted, monkeypatch)
    assert head() == before  # nothing went to the database that was backed up
    expected = go_on(interrupted)
    assert differences(expected, found) == {}
    assert len(found["research"]) == 4
    assert after.seq == head().seq > before.seq


def test_the_roles_may_do_in_the_restored_database_what_they_might_before(
    interrupted: Database, restored: Database
) -> None:
    expected = set(interrupted.rows(PRIVILEGES, SCHEMAS))
    assert {kind for kind, *_ in expected} >= {"table", "column", "function", "schema"}
    found = set(restored.rows(PRIVILEGES, SCHEMAS))
    assert (expected - found, found - expected) == (set(), set())
    # The database of a test has privileges of its own; the migrations made those of the template.
    wanted = restored.rows(ON_DATABASE, (TEMPLATE,))
    assert len(wanted) >= 9
    assert set(restored.rows(ON_DATABASE, (restored.name,))) == set(wanted)


def test_two_files_of_one_snapshot_keep_the_hospitals_ids_apart(interrupted: Database, tmp_path: Path) -> None:
    chapter = (ROOT / "docs/operators.md").read_text(encoding="utf-8").split("## Backup and restore")[1]
    commands = re.findall(r"^pg_dump (--snapshot.*) DSN$", chapter, re.MULTILINE)
    ids = "SELECT kind, source_id, ledger_id FROM identity.mapping ORDER BY 1, 2"
    before = interrupted.rows(ids)
    source = address(interrupted, interrupted.name)
    with closing(psycopg2.connect(source)) as link, link.cursor() as cursor:
        link.set_session(isolation_level="REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        ((name,),) = cursor.fetchall()
        interrupted.rows("INSERT INTO identity.mapping (kind, source_id) VALUES ('document', 'met since')")
        for command in commands:
            given = command.replace("NAME", name).replace("'", "").replace("--file=", f"--file={tmp_path}/")
            program("pg_dump", *given.split(), source)
    first, second = (tmp_path / name for name in ("nocturne.dump", "identity.dump"))
    with restoring(interrupted, first) as copy:
        assert copy.rows("SELECT count(*) FROM deid.document") == interrupted.rows("SELECT count(*) FROM deid.document")
        for table in ("mapping", "salt", "opt_out", "discarded"):
            assert copy.rows(f"SELECT count(*) FROM identity.{table}") == [(0,)], table
        program("pg_restore", "--exit-on-error", f"--dbname={address(copy, copy.name)}", str(second))
        assert copy.rows(ids) == before
        assert set(interrupted.rows(PRIVILEGES, SCHEMAS)) == set(copy.rows(PRIVILEGES, SCHEMAS))
