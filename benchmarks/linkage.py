"""Links that database roles find between rows and the hospital's ids, without the secret, as a Markdown page.

    python -m benchmarks.linkage > benchmarks/linkage.md

Three nights of a synthetic hospital are processed, two of them published, and stewards do their work: a review, an
original, choices, opt-outs by either name. The linkers of `benchmarks.linkers` then attack this database, the same
database as the version before random ids would have left it, and that one after its upgrade. The linkers of
`benchmarks.group_linker` look in this database for the pseudonyms of patients whose documents are known.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2
from psycopg2 import sql
from psycopg2.extras import Json, execute_values
from scipy.stats import binom

from benchmarks.faults import Deployment
from benchmarks.group_linker import Linked, Sent, link_groups, link_texts, read_roles
from benchmarks.linkers import BEYOND_CHANCE, DRAWS, Known, Outcome, attack
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import SQL
from deid.domain import PARIS
from deid.ledger import opt_outs as removal
from deid.ledger import originals, pseudonyms
from deid.nightly import steps
from deid.privacy.stream import pseudonym
from deid.publication.publish import make_visible, publish_interval
from deid.reviews import lifecycle, reading
from deid.reviews.lifecycle import SamplePlan
from deid.schema.migrations import migrate
from deid.schema.provision import ROLES
from deid.stewardship import opt_outs
from deid.stewardship.opt_outs import PSEUDONYM
from deid.stewardship.quarantine import Choice, Filter, list_quarantined, record_choice
from demo.hospital import Hospital, generate, load

NIGHTS = 3
BATCH = 7
# Of deid.schema.provision.ROLES: those that read originals, or hold everything, are no linkers.
LINKERS = ("researcher", "steward", "publisher", "refresher")
EXEMPT = ("owner", "reader", "worker")
# Who looks for pseudonyms; a steward or a publisher may be a researcher too.
READERS: Mapping[str, tuple[str, ...]] = {
    "researcher": ("researcher",),
    "steward": ("steward",),
    "steward who is a researcher": ("researcher", "steward"),
    "publisher": ("publisher",),
    "dump without `identity`": ("owner",),
}
BY_CHANCE = 0.001  # probability of as many right links by drawing patients
DUMPED = ("deid", "ref", "research")  # schemas of a dump without `identity`, nor the hospital's own
FIRST_WITH_RANDOM_IDS = "0030_identity"
NUMBERED = """
SELECT column_name FROM information_schema.columns WHERE (table_schema, table_name) = (%s, %s) AND is_identity = 'YES'
"""
JSONB = 3802  # oid of the type
Dsn = Callable[[str], str]  # role → connection string


def play(hospital: Hospital) -> None:
    """Process three nights, publish two, and do what stewards do, through the connection strings of the settings."""
    for number in range(NIGHTS):
        night = hospital.first_night + timedelta(days=number)
        with contextlib.redirect_stderr(io.StringIO()):
            load(settings().dsn("owner"), hospital, until=night)
        start = datetime.combine(night, datetime.min.time(), PARIS)
        planned = steps.plan(
            interval_start=start, interval_end=start + timedelta(days=1), triggered_by=str(night), batch_size=BATCH
        )
        for step in (steps.detect, steps.substitute, steps.validate):
            for batch in planned:
                step(batch["run_id"], batch["batch_id"])
        key = steps.stage(steps.run_of(str(night)))["interval_key"]
        if number < NIGHTS - 1:
            publish_interval(key)
            make_visible("nightly")
    _work_as_stewards(key, hospital)


def _work_as_stewards(interval_key: str, hospital: Hospital) -> None:
    patients = sorted({one.patient_id for one in hospital.documents if one.patient_id is not None})
    with open_cursor("steward") as cursor:
        review = lifecycle.open_review(cursor, interval_key, SamplePlan(0.2, 0.9, 1), "intendante")
        for ordinal in (1, 2):
            found = reading.begin_reading(cursor, review, ordinal, "intendante")
        for entry in list_quarantined(cursor, Filter())[:1]:
            record_choice(cursor, "intendante", Choice.RETRY, [(entry.run_id, entry.document_id)])
    originals.read_original("référente", found.run_id, found.document_id, found.content_hash)
    with open_cursor("steward") as cursor:
        opt_outs.search_patient(cursor, "intendante", opt_outs.PatientKey(patient_id=patients[0]))
        opt_outs.record_opt_out(cursor, "intendante", opt_outs.PatientKey(patient_id=patients[1]), "demande écrite")
    removal.apply_opt_outs()


def read_known(owner_dsn: str, names: Mapping[str, str]) -> Known:
    """Return what an attacker knows of the hospital of a database; `names`: see `Known`."""
    with psycopg2.connect(owner_dsn, options="-c timezone=UTC") as link, link.cursor() as cursor:
        cursor.execute(
            "SELECT document_id, (ingested_at AT TIME ZONE 'Europe/Paris')::date::text, ingested_at::text"
            " FROM cdw.document ORDER BY ingested_at, document_id"
        )
        documents = cursor.fetchall()
        cursor.execute("SELECT patient_id, 'patients', '' FROM cdw.patient ORDER BY 1")
        patients = cursor.fetchall()
        cursor.execute("SELECT stay_id FROM cdw.stay")
        stays = [stay for (stay,) in cursor.fetchall()]
    link.close()
    return Known([*documents, *patients], stays, names)


def read_names(owner_dsn: str) -> dict[str, str]:
    """Return the hospital's id that each id of the ledger and each pseudonym of a database stands for."""
    with psycopg2.connect(owner_dsn) as link, link.cursor() as cursor:
        cursor.execute("SELECT kind, ledger_id, source_id FROM identity.mapping")
        found = cursor.fetchall()
    link.close()
    drawn = {pseudonym(settings().key, kind, source_id): source_id for kind, _, source_id in found}
    return drawn | {ledger_id: source_id for _, ledger_id, source_id in found}


# The database as the version before random ids would have left it.


def go_back(owner_dsn: str, former_dsn: str, superuser_dsn: str) -> dict[str, str]:
    """Fill a database of the former version with what another holds, under the hospital's ids, in order of arrival.

    `former_dsn` is the owner's of an empty database, `superuser_dsn` a superuser's. Returns the names of its ids.
    """
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((SQL / "migrations").glob("*.sql")):
            if path.stem < FIRST_WITH_RANDOM_IDS:
                shutil.copy(path, folder)
        migrate(former_dsn, Path(folder))
    names = read_names(owner_dsn)
    known = read_known(owner_dsn, names)
    arrival = {name: place for place, (name, _, _) in enumerate(known.ordered)}
    with (
        psycopg2.connect(owner_dsn) as now,
        psycopg2.connect(superuser_dsn) as then,
        now.cursor() as source,
        then.cursor() as target,
    ):
        target.execute("SET session_replication_role = replica")
        ordinals = _former_ordinals(source, names)
        for schema, table in _tables(target):
            _copy_back(source, target, (schema, table), names, arrival, ordinals)
        _copy_audit(source, target, names)
        target.execute("ANALYZE")
    now.close()
    then.close()
    ids = set(names.values())
    return {name: source for name, source in names.items() if PSEUDONYM.fullmatch(name)} | {name: name for name in ids}


def _tables(cursor: Any) -> list[tuple[str, str]]:
    cursor.execute(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('deid', 'research')"
        " AND tablename NOT IN ('audit', 'audit_signature', 'lock') ORDER BY 1, 2"
    )
    return list(cursor.fetchall())


def _former_ordinals(source: Any, names: Mapping[str, str]) -> dict[tuple[int, int], int]:
    """Return the ordinal that each document of a review had when the draw was over the hospital's ids."""
    source.execute(
        "SELECT review_id, ordinal, document_id, seed FROM deid.review_document JOIN deid.review USING (review_id)"
    )
    drawn: dict[int, list[tuple[bytes, int]]] = {}
    for review, ordinal, document_id, seed in source.fetchall():
        digest = hashlib.sha256((seed + names[document_id]).encode()).digest()
        drawn.setdefault(review, []).append((digest, ordinal))
    return {
        (review, ordinal): place
        for review, items in drawn.items()
        for place, (_, ordinal) in enumerate(sorted(items), start=1)
    }


def _copy_back(
    source: Any,
    target: Any,
    table: tuple[str, str],
    names: Mapping[str, str],
    arrival: Mapping[str, int],
    ordinals: Mapping[tuple[int, int], int],
) -> None:
    """Copy the columns that a table had in the former version and still has."""
    for cursor in (source, target):
        cursor.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(sql.Identifier(*table)))
    held = {column.name for column in source.description}
    columns = [column.name for column in target.description if column.name in held]
    documents = {column.name for column in target.description if column.type_code == JSONB}
    listed = sql.SQL(", ").join(map(sql.Identifier, columns))
    source.execute(sql.SQL("SELECT {} FROM {}").format(listed, sql.Identifier(*table)))
    rows = [dict(zip(columns, row, strict=True)) for row in source.fetchall()]
    for row in rows:
        if table[0] == "deid" and table[1] != "published_document":
            row |= {name: names.get(value, value) for name, value in row.items() if isinstance(value, str)}
        if "ordinal" in row and "review_id" in row:
            row["ordinal"] = ordinals[row["review_id"], row["ordinal"]]
    if "document_id" in columns:
        rows.sort(key=lambda row: (row.get("run_id") or 0, arrival.get(row["document_id"], 0)))
    if "batch_id" in columns and "document_id" in columns:
        for place, row in enumerate(rows):
            row["batch_id"] = 1 + place // BATCH
    if rows:
        statement = sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES %s").format(
            sql.Identifier(*table), listed
        )
        values = [[Json(value) if name in documents else value for name, value in row.items()] for row in rows]
        execute_values(target, statement.as_string(target), values)
        target.execute(NUMBERED, table)
        for (column,) in target.fetchall():
            target.execute(
                "SELECT setval(pg_get_serial_sequence(%s, %s), %s)",
                (".".join(table), column, max(row[column] for row in rows)),
            )


def _copy_audit(source: Any, target: Any, names: Mapping[str, str]) -> None:
    """Write the audit trail again, with the ids that the former version named."""
    known = re.compile("|".join(map(re.escape, names)))
    source.execute("SELECT actor, action, object, details FROM deid.audit ORDER BY seq")
    for actor, action, about, details in source.fetchall():
        named = known.sub(lambda found: names[found.group()], about)
        target.execute("SELECT deid.audit_append(%s, %s, %s, %s)", (actor, action, named, Json(details)))


# What each role links.


def measure(
    now: Dsn,
    former: Dsn,
    superuser_of_former: str,
    in_former: Callable[[], AbstractContextManager[None]],
    draws: int = 0,
) -> dict[str, dict[str, Outcome]]:
    """Attack a database that was played on, the same as the former version left it, and that one after its upgrade.

    `in_former` makes the settings point at the former database. Returns outcomes by database and role.
    """
    known = read_known(now("owner"), read_names(now("owner")))
    outcomes = {"new": _attack(now, known, draws)}
    names = go_back(now("owner"), former("owner"), superuser_of_former)
    outcomes = {"before random ids": _attack(former, replace(known, names=names), draws), **outcomes}
    migrate(former("owner"))
    with in_former():
        pseudonyms.adopt()
    return {**outcomes, "upgraded": _attack(former, replace(known, names=read_names(former("owner"))), draws)}


def _attack(dsn: Dsn, known: Known, draws: int) -> dict[str, Outcome]:
    return {role: attack(dsn(role), known, draws) for role in LINKERS}


# Which pseudonyms each role links, by the documents of each patient.


@dataclass(frozen=True)
class GroupsLinked:
    """Pseudonyms of a database, and what each of `READERS` links; a link counts if `names` confirms it.

    What a comparison links counts only if as many right links are less likely by chance than `BY_CHANCE`.
    `documents` tells how many the list has of each patient.
    """

    names: Mapping[str, str]
    found: Mapping[str, Sequence[Linked]]
    pseudonyms: int
    documents: Mapping[str, int]

    def right(self, one: Linked, names: Mapping[str, str] | None = None) -> set[str]:
        """Return the right links of a comparison, by other names too; none where chance explains them."""
        right = one.right(self.names if names is None else names)
        return right if binom.sf(len(right) - 1, len(one.patients), 1 / len(self.documents)) < BY_CHANCE else set()

    def strongest(self, reader: str, *, structure: bool) -> tuple[int, str]:
        """Return most links of one comparison, of schema `research` alone or of others, and its name; 0 for none."""
        mine = [one for one in self.found[reader] if one.structure == structure]
        return max(((len(self.right(one)), one.by) for one in mine), default=(0, ""))

    def beyond(self, reader: str) -> tuple[int, str]:
        """Return most links of one comparison that `research` alone gives by none, and its name; 0 for none."""
        return self._beyond(reader, self.names)

    def beyond_by_chance(self, reader: str, draws: int = DRAWS) -> int:
        """Return the second most links of that kind in some draws.

        Each gives the pseudonyms that no structure links other patients at random, of as many documents.
        """
        free = defaultdict[int, list[str]](list)
        shown = {self.names[one] for one in self._shown}
        for patient, number in self.documents.items():
            if patient not in shown:
                free[number].append(patient)
        most, drawn = [0, 0], Random(draws)  # noqa: S311 - draws of a measure
        for _ in range(draws):
            others = {one: one for one in self.documents} | {
                patient: other
                for group in free.values()
                for patient, other in zip(group, drawn.sample(group, len(group)), strict=True)
            }
            names = {one: others.get(patient, patient) for one, patient in self.names.items()}
            most.append(self._beyond(reader, names)[0])
        return sorted(most)[-2]

    @cached_property
    def _shown(self) -> set[str]:
        """Pseudonyms that `research` alone gives."""
        return set[str]().union(*(self.right(one) for one in self.found["researcher"] if one.structure))

    def _beyond(self, reader: str, names: Mapping[str, str]) -> tuple[int, str]:
        mine = [one for one in self.found[reader] if not one.structure]
        return max(((len(self.right(one, names) - self._shown), one.by) for one in mine), default=(0, ""))


def link_readers(dsn: Dsn, names: Mapping[str, str]) -> GroupsLinked:
    """Return what each of `READERS` links in a database, by the linkers of groups; `names`: see `Known`."""
    with psycopg2.connect(dsn("owner"), options="-c timezone=UTC") as link, link.cursor() as cursor:
        cursor.execute(
            "SELECT d.patient_id, d.type_code, (d.ingested_at AT TIME ZONE 'Europe/Paris')::date::text, m.ledger_id"
            " FROM cdw.document AS d LEFT JOIN identity.mapping AS m"
            " ON m.kind = 'document' AND d.document_id = m.source_id WHERE d.patient_id IS NOT NULL"
        )
        rows = cursor.fetchall()
        cursor.execute("SELECT count(DISTINCT patient_id) FROM research.document")
        ((pseudonyms,),) = cursor.fetchall()
    link.close()
    sent: dict[str, list[tuple[str, str]]] = {}
    for patient, kind, night, _ in rows:
        sent.setdefault(patient, []).append((kind, night))
    owned = {ledger_id: patient for patient, _, _, ledger_id in rows if ledger_id is not None}
    found = {reader: _linked_by([dsn(role) for role in roles], sent, owned) for reader, roles in READERS.items()}
    return GroupsLinked(names, found, pseudonyms, {patient: len(documents) for patient, documents in sent.items()})


def _linked_by(dsns: Sequence[str], sent: Sent, owned: Mapping[str, str]) -> list[Linked]:
    tables = {table: read for table, read in read_roles(dsns).items() if table[0] in DUMPED}
    return [*link_groups(tables, sent), *link_texts(tables, sent, owned)]


def groups_written(linked: GroupsLinked) -> str:
    """Return the part of the page on pseudonyms."""
    lines = [
        "",
        "## Pseudonyms of patients whose documents are known",
        "",
        "The attacker has the list of the hospital: the type and the night of every document of every patient",
        f"(`benchmarks/group_linker.py`). Linked: of {linked.pseudonyms} pseudonyms, the right ones of the strongest",
        "comparison. Structure: by what `research.document` itself shows to any researcher, the number and the types",
        "of a pseudonym's documents; no grant changes it. Ledger: by anything else that the role reads, releases,",
        "nights and measures of texts among it. Beyond: those of one such comparison that no structure gives. What a",
        f"comparison links counts if as many right links have a probability under {BY_CHANCE:g} by chance. By chance:",
        f"the second most of {DRAWS} draws, in which the pseudonyms that no structure links belong to other patients",
        "of as many documents. Whoever reads the published texts and the lengths that the ledger keeps can compare",
        "them: a steward cannot, the publisher and whoever holds a dump can. As many beyond as by chance show nothing",
        "of these lengths here; documents of one type and of lengths far apart are nearly all linked by them",
        "(`tests/database/warehouse/test_group_linker.py`).",
        "",
        "| reader | structure | ledger | beyond | by chance | strongest comparison beyond |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for reader in linked.found:
        (structure, _), (ledger, _) = (linked.strongest(reader, structure=one) for one in (True, False))
        beyond, by = linked.beyond(reader)
        lines.append(
            f"| {reader} | {structure} | {ledger} | **{beyond}** | {linked.beyond_by_chance(reader)} |"
            f" {by if beyond else '–'} |"
        )
    return "\n".join(lines) + "\n"


def written(outcomes: Mapping[str, Mapping[str, Outcome]], known: Known) -> str:
    """Return the part of the page on ids."""
    patients = sum(group == "patients" for _, group, _ in known.ordered)
    lines = [
        "# Links to the hospital's ids, without the secret",
        "",
        f"By `python -m benchmarks.linkage`: {NIGHTS} nights of a synthetic hospital, two of them published. The",
        f"attacker knows the ids of {len(known.ordered) - patients} documents, with their arrival, of {patients}",
        f"patients and of {len(known.stays)} stays. Linked: ids for which a cell, a digest, an order of rows or a",
        "function told the row (`benchmarks/linkers.py`). An order tells if it is more than",
        f"{BEYOND_CHANCE:g} standard deviations from random, among documents of one night or among patients; the",
        f"strongest stands in the table. By chance: the second strongest of {DRAWS} draws; each",
        "gives the rows the ids of their night, or of the patients, at random.",
        "",
        "| database | role | cells read | digests guessed | orders compared | strongest | by chance | questions |"
        " ids linked |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {database} | {role} | {one.cells:,} | {one.guesses:,} | {one.orders:,} | {one.strongest:.1f} |"
        f" {one.by_chance:.1f} | {one.calls} | **{len(one.linked)}** |"
        for database, roles in outcomes.items()
        for role, one in roles.items()
    ]
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def _settings_of(dsn: Dsn) -> Iterator[None]:
    variables = {f"NOCTURNE_{role.upper()}_DSN": dsn(role) for role in ROLES}
    before = {name: os.environ[name] for name in variables}
    try:
        os.environ.update(variables)
        settings.cache_clear()
        yield
    finally:
        os.environ.update(before)
        settings.cache_clear()


def main() -> int:
    """Print the page; exit status 1 if a role links an id, or a steward a pseudonym, in a database of this version."""
    made = generate(11, patients=30, documents=60, nights=NIGHTS)
    hospital = replace(made, documents=tuple(one for one in made.documents if one.fault != "huge"))
    home = Path(tempfile.mkdtemp(prefix="nocturne-linkage-"))
    deployment = Deployment(home, hospital)
    try:
        deployment.renew()
        play(hospital)
        deployment.add("former")

        def former(role: str) -> str:
            return urlunsplit(urlsplit(settings().dsn(role))._replace(path="/former"))

        outcomes = measure(settings().dsn, former, deployment.server.uri("former"), lambda: _settings_of(former), DRAWS)
        known = read_known(settings().dsn("owner"), {})
        linked = link_readers(settings().dsn, read_names(settings().dsn("owner")))
    finally:
        deployment.server.stop(immediate=True)
        shutil.rmtree(home)
    print(written(outcomes, known) + groups_written(linked), end="")
    told = {what for name in ("new", "upgraded") for one in outcomes[name].values() for what in one.told}
    told |= {by for reader in READERS if "steward" in reader for beyond, by in [linked.beyond(reader)] if beyond}
    print(*sorted(told), sep="\n", file=sys.stderr)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
