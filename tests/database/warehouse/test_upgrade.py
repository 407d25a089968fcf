"""A database of the first version with data in it, brought to this one: rows kept, meaning kept, and nights go on."""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from psycopg2.extras import Json, execute_values

from deid.config.keys import parse_keyring
from deid.config.settings import settings
from deid.database.queries import SQL
from deid.ledger.steps import list_patient_totals
from deid.privacy.stream import pseudonym
from deid.release import actions
from deid.schema.migrations import migrate
from deid.schema.provision import OWNER
from tests.conftest import SECRET, Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.nights import night, process
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

FIRST = ("0001_walls", "0002_ref", "0003_ledger", "0004_research")
OLD = "0.1.0-p00000000-d00000000"
HASH = "b" * 64
KEY = parse_keyring(SECRET, where="the tests").current.secret
OLD_KEYS = ("2026-02-25", "2026-02-26", "2026-02-27")

# Run → its state; document → its run, state and release. Documents of the warehouse today: d0 to d8.
RUNS = {1: "published", 2: "staged", 3: "planned"}
DOCUMENTS = {
    "d0": (1, "published", 1),
    "d1": (1, "published", 1),
    "d2": (1, "withdrawn", 1),
    "d3": (1, "quarantined", None),
    "d4": (2, "staged", None),
    "d5": (2, "staged", None),
    "d6": (2, "quarantined", None),
    "d7": (3, "planned", None),
    "d8": (3, "substituted", None),
}


@dataclass(frozen=True)
class Upgraded:
    """The database after the upgrade, and the rows of each table before it."""

    database: Database
    before: dict[str, tuple[list[str], list[tuple[Any, ...]]]]


@pytest.fixture
def upgraded(postgres_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Upgraded]:
    """A database of version 0.1 with three nights in it, migrated to this version."""
    with _database_of(postgres_server, tmp_path, FIRST) as database:
        fill(database)
        before = {table: rows(database, table) for table in tables(database)}
        applied = migrate(database.owner)
        assert applied[0].startswith("0005")
        _point_at(database, monkeypatch, tmp_path)
        policy = tmp_path / "policy.yaml"
        policy.write_text(policy.read_text(encoding="utf-8") + "\nrelease: {visible: nightly}\n", encoding="utf-8")
        settings.cache_clear()
        yield Upgraded(database, before)


@contextmanager
def _database_of(superuser: str, folder: Path, migrations: Sequence[str]) -> Iterator[Database]:
    """A database to which only these migrations were applied."""
    name = f"nocturne_test_{uuid.uuid4().hex[:12]}"
    database = Database(superuser, name)
    _alone(superuser, f"CREATE DATABASE {name} OWNER {OWNER}")
    try:
        copies = folder / "migrations"
        copies.mkdir()
        for migration in migrations:
            shutil.copy(SQL / "migrations" / f"{migration}.sql", copies)
        assert migrate(database.owner, copies) == list(migrations)
        yield database
    finally:
        _alone(superuser, f"DROP DATABASE {name} WITH (FORCE)")


def _point_at(database: Database, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    for variable, value in database.environment.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("NOCTURNE_HOME", str(folder))
    decide(monkeypatch, folder)


def _alone(superuser: str, statement: str) -> None:
    link = psycopg2.connect(superuser)
    link.autocommit = True
    with link.cursor() as cursor:
        cursor.execute(statement)
    link.close()


def tables(database: Database) -> list[str]:
    """The tables of the product that hold rows."""
    found = database.rows(
        "SELECT schemaname || '.' || tablename FROM pg_tables"
        " WHERE schemaname IN ('deid', 'ref', 'research') ORDER BY 1"
    )
    return [table for (table,) in found if database.rows(f"SELECT EXISTS (SELECT FROM {table})") == [(True,)]]


def rows(database: Database, table: str, columns: list[str] | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns of a table, and its rows as text."""
    schema, name = table.split(".")
    listed = columns or [
        column
        for (column,) in database.rows(
            "SELECT column_name FROM information_schema.columns WHERE (table_schema, table_name) = (%s, %s) ORDER BY 1",
            (schema, name),
        )
    ]
    cells = ", ".join(f"{column}::text" for column in listed)
    return listed, sorted(database.rows(f"SELECT {cells} FROM {table}"), key=repr)


def fill(database: Database) -> None:
    """Three nights as version 0.1 left them: one published, one waiting for its decision, one that died."""
    with psycopg2.connect(database.owner) as link, link.cursor() as cursor:

        def insert(table: str, records: list[dict[str, Any]]) -> None:
            columns = list(records[0])
            values = [[record[column] for column in columns] for record in records]
            execute_values(cursor, f"INSERT INTO {table} ({', '.join(columns)}) VALUES %s", values)

        stamps = {"pipeline_version": OLD, "policy_hash": "p" * 16}
        insert(
            "deid.run",
            [
                {
                    "triggered_by": f"scheduled__{run_id}",
                    "source": "ehop",
                    "interval_start": NIGHT - (6 - run_id) * DAY,
                    "interval_end": NIGHT - (5 - run_id) * DAY,
                    "interval_key": OLD_KEYS[run_id - 1],
                    "dry_run": False,
                    "detector_version": "old",
                    "key_version": 1,
                    "reference_versions": Json({"communes": "2022"}),
                    "state": state,
                    "seen": 4,
                    "planned": 4,
                    "staged_digest": None if state == "planned" else "a" * 64,
                    "started_at": NIGHT - (5 - run_id) * DAY,
                    "active_at": NIGHT - (5 - run_id) * DAY,
                    "finished_at": None if state == "planned" else NIGHT - (5 - run_id) * DAY,
                    **stamps,
                }
                for run_id, state in RUNS.items()
            ],
        )
        insert(
            "research.release",
            [
                {
                    "interval_key": OLD_KEYS[0],
                    "run_ids": [1],
                    "staged_digest": "a" * 64,
                    "counts": Json({"published": 2, "replaced": 0, "withdrawn": 0}),
                    "published_at": NIGHT - 4 * DAY,
                    **stamps,
                }
            ],
        )
        insert(
            "deid.document",
            [
                {
                    "document_id": name,
                    "content_hash": HASH,
                    "pipeline_version": OLD,
                    "run_id": run_id,
                    "batch_id": 1,
                    "state": state,
                    "ingested_at": NIGHT - (6 - run_id) * DAY,
                    "patient_id": None if state == "planned" else "P000001",
                    "document_type": "CRH",
                    "loinc_code": "34105-7",
                    "service": "CARD",
                    "characters": 500,
                    "title_clean": True,
                    "release_id": release,
                }
                for name, (run_id, state, release) in DOCUMENTS.items()
            ],
        )
        kept = {name: one for name, one in DOCUMENTS.items() if one[1] not in ("planned", "quarantined")}
        mentions = [
            {
                "run_id": run_id,
                "document_id": name,
                "ordinal": ordinal,
                "start_offset": 10 * ordinal,
                "end_offset": 10 * ordinal + 5,
                "label": label,
                "score": 0.9,
                "votes": Json([["patterns", label, 1.0]]),
            }
            for name, (run_id, _, _) in kept.items()
            for ordinal, label in enumerate(("PATIENT", "DATE", "CITY"))
        ]
        insert("deid.mention", mentions)
        insert(
            "deid.budget",
            [
                {
                    "run_id": run_id,
                    "document_id": name,
                    "patient_id": "P000001",
                    "category": "dates",
                    "mechanism": "planar",
                    "epsilon": 0.5,
                    "elements": 1,
                }
                for name, (run_id, _, _) in kept.items()
            ],
        )
        verdicts = [
            {"run_id": run_id, "document_id": name, "check_name": "residual_identity", "severity": "critical"}
            | {"success": state != "quarantined", "observed": 0 if state != "quarantined" else 1}
            for name, (run_id, state, _) in DOCUMENTS.items()
            if state not in ("planned", "substituted")
        ]
        insert("deid.verdict", verdicts)
        insert(
            "deid.quarantine",
            [
                {"run_id": run_id, "document_id": name, "content_hash": HASH, "step": "validate"}
                | {"reason": "residual_identity"}
                for name, (run_id, state, _) in DOCUMENTS.items()
                if state == "quarantined"
            ],
        )
        insert(
            "deid.candidate",
            [
                {
                    "run_id": run_id,
                    "document_id": name,
                    "patient_id": "P000001",
                    "title": "Compte rendu",
                    "text": f"Madame Inventée, document {name}.",
                    "spans": Json([[7, 15, "PATIENT"]]),
                    "surrogates": Json([[7, 15, "PATIENT", None, 0.9, "names", True]]),
                    "reference_date": NIGHT.date(),
                }
                for name, (run_id, state, _) in DOCUMENTS.items()
                if state in ("staged", "substituted")
            ],
        )
        insert("deid.withdrawal", [{"run_id": 1, "document_id": "d2"}])
        insert(
            "deid.check_result",
            [{"run_id": 1, "batch_id": None, "suite": "run", "rule": "quarantined_share", "severity": "critical"}
             | {"success": True, "element_count": 4, "unexpected_count": 1, "observed": 0.25}],
        )  # fmt: skip
        insert(
            "deid.decision",
            [
                {"interval_key": OLD_KEYS[0], "run_id": 1, "chosen": "approve", "decided_by": "c.morel"}
                | {"reason": "lu", "staged_digest": "a" * 64}
            ],
        )
        insert(
            "deid.timing",
            [
                {"run_id": 1, "batch_id": 1, "step": "detect", "seconds": 1.5, "documents": 4, "characters": 2000}
                | {"peak_rss_mb": 300}
            ],
        )
        insert(
            "research.document",
            [
                {
                    "document_id": pseudonym(KEY, "document", name),
                    "patient_id": pseudonym(KEY, "patient", "P000001"),
                    "document_type": "CRH",
                    "title": "Compte rendu",
                    "text": f"Madame Ancienne, document {name}.",
                    "reference_date": NIGHT.date(),
                    "release_id": 1,
                    "run_id": 1,
                    "detector_version": "old",
                    "reference_versions": Json({"communes": "2022"}),
                    **stamps,
                }
                for name in ("d0", "d1")
            ],
        )
        insert(
            "ref.release",
            [
                {"source": "streets", "version": "2022", "checksum": "c" * 64, "bytes": 10, "rows": 1, "skipped": 0}
                | {"location": "streets.csv.gz", "licence": "Licence Ouverte", "state": "former"}
            ],
        )
        insert("ref.street", [{"release_id": 1, "insee": "21231", "name": "rue des Lilas", "addresses": 3}])
    link.close()


def texts(database: Database) -> dict[str, str]:
    """Rows that researchers read, by pseudonym."""
    return dict(database.rows("SELECT document_id, text FROM research.document", role="researcher"))


def test_every_row_is_kept_with_its_values(upgraded: Upgraded) -> None:
    assert len(upgraded.before) >= 14
    # 0014 and later seal what waits anew, so that an approval under way is asked again; 0019 names versions by patient,
    # and 0030 gives random ids.
    names = dict(upgraded.database.rows("SELECT ledger_id, source_id FROM identity.mapping"))
    assert {f"d{number}" for number in range(9)} | {"P000001"} == set(names.values())
    changed = {"staged_digest", "content_hash"}
    moved = {"research.release": "deid.release", "research.document": "deid.published_document"}
    for table, (columns, expected) in upgraded.before.items():
        kept = [column for column in columns if column not in changed]
        places = [columns.index(column) for column in kept]
        _, renamed = rows(upgraded.database, moved.get(table, table), kept)
        found = sorted((tuple(names.get(cell, cell) for cell in row) for row in renamed), key=repr)
        assert found == sorted((tuple(row[place] for place in places) for row in expected), key=repr), table


def test_what_the_rows_mean_is_kept(upgraded: Upgraded) -> None:
    database = upgraded.database
    assert len(texts(database)) == 2
    intervals = dict(database.rows("SELECT interval_key, state FROM deid.interval_state"))
    assert intervals == dict(zip(OLD_KEYS, ("published", "waiting", "unfinished"), strict=True))
    standing = database.rows(
        "SELECT source_id, standing, interval_key FROM deid.quarantine JOIN identity.mapping ON ledger_id = document_id"
        " ORDER BY 1"
    )
    assert standing == [("d3", "waiting", OLD_KEYS[0]), ("d6", "waiting", OLD_KEYS[1])]
    counted = dict(database.rows("SELECT state, sum(documents) FROM deid.document_tally GROUP BY 1"))
    assert counted == dict(database.rows("SELECT state, count(*) FROM deid.document GROUP BY 1"))
    mentions = database.rows("SELECT run_id, label, mentions FROM deid.mention_count ORDER BY 1, 2")
    assert mentions[:3] == [(1, "CITY", 3), (1, "DATE", 3), (1, "PATIENT", 3)]
    assert list_patient_totals() == [(3, 1.5)]  # d2 was published before it was withdrawn
    assert json.dumps(database.rows("SELECT held FROM deid.run WHERE run_id = 3")[0][0]) == "[]"


def test_the_interval_that_waited_is_decided_and_published(upgraded: Upgraded) -> None:
    summary = actions.summarise(OLD_KEYS[1])
    assert (summary["staged"], summary["quarantined"]) == (2, 1)
    answer = {"chosen_options": ["Approve"], "responded_by_user": {"id": "3", "name": "c.morel"}}
    published = actions.publish(OLD_KEYS[1], answer | {"params_input": {"motif": "lu après la mise à jour"}})
    assert published["published"] == 2
    assert sum("Inventée" in text for text in texts(upgraded.database).values()) == 2


def test_nights_go_on_and_replace_what_the_old_version_published(upgraded: Upgraded) -> None:
    database = upgraded.database
    open_hospital(database, opaque=True)
    for number, name in enumerate(DOCUMENTS):
        if name != "d2":
            run_id = DOCUMENTS[name][0]
            put(database, name, f"{LETTER}\nExemplaire {'abcdefghi'[number]}.", at=NIGHT - (6 - run_id) * DAY)
    for number in range(3):
        staged = process(f"again {number}", NIGHT - (5 - number) * DAY)
        assert staged["quarantined"] == 0
        actions.summarise(OLD_KEYS[number])
        actions.publish(OLD_KEYS[number])
    assert len(texts(database)) == 8
    assert not any("Ancienne" in text or "Inventée" in text for text in texts(database).values())
    assert {state for (state,) in database.rows("SELECT state FROM deid.interval_state")} == {"published"}
    assert database.rows("SELECT count(*) FROM deid.candidate") == [(0,)]
    assert database.rows("SELECT DISTINCT state FROM deid.document WHERE pipeline_version = %s ORDER BY 1", (OLD,)) == [
        ("superseded",), ("withdrawn",)
    ]  # fmt: skip
    put(database, "d0", f"{LETTER}\nCorrigé.", at=NIGHT + DAY)
    assert night("next", NIGHT + DAY)["replaced"] == 1


def test_what_a_person_had_discarded_before_its_patient_was_known_stays_out(
    postgres_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = sorted(path.stem for path in (SQL / "migrations").glob("*.sql") if path.stem < "0017")
    with _database_of(postgres_server, tmp_path, earlier) as database:
        database.rows(
            "INSERT INTO deid.run (triggered_by, source, interval_start, interval_end, interval_key, dry_run,"
            " pipeline_version, policy_hash, detector_version, key_version, key_fingerprint, reference_versions, state)"
            " VALUES ('old', 'ehop', %s, %s, '2026-03-02', false, %s, 'p', 'old', 1, 'f', '{}', 'staged')",
            (NIGHT, NIGHT + DAY, OLD),
        )
        version = hashlib.sha256(LETTER.encode()).hexdigest()
        database.rows(
            "INSERT INTO deid.document (document_id, content_hash, pipeline_version, run_id, batch_id, state,"
            " ingested_at) VALUES ('d0', %s, %s, 1, 1, 'quarantined', %s)",
            (version, OLD, NIGHT),
        )
        database.rows(
            "INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)"
            " VALUES (1, 'd0', %s, 'detect', 'too_large')",
            (version,),
        )
        discard = (
            "INSERT INTO deid.quarantine_choice (run_id, document_id, content_hash, reason, choice, chosen_by)"
            " VALUES (1, 'd0', %s, 'too_large', 'discard', 'morel')"
        )
        database.rows(discard, (version,))
        migrate(database.owner)
        _point_at(database, monkeypatch, tmp_path)
        settings.cache_clear()
        open_hospital(database)
        put(database, "d0", LETTER)
        assert process("again")["planned"] == 0
        put(database, "d0", f"{LETTER}\nCorrigé.")
        assert process("corrected")["planned"] == 1
