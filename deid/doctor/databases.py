"""Checks of the databases, each through the connection string of a role: server, privileges, log, clock, content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

from deid.config.policy import load
from deid.config.settings import settings
from deid.database.connection import identity_dsn, is_postgresql, open_cursor, open_identity, place
from deid.database.embedded import QUIET_LOG
from deid.doctor.finding import Finding, attention, error, given_roles, not_applicable, ok, why
from deid.domain import PARIS
from deid.domain.errors import NocturneError, SettingsError, WarehouseError
from deid.ledger.keys import check_keyring
from deid.refresh.reference_versions import SourceState, source_states
from deid.schema.identity import may_use_identity
from deid.schema.inspection import Session, inspect
from deid.schema.migrations import compare_migrations
from deid.schema.provision import ROLES, list_open_channels
from deid.source import contract_check
from deid.source.contract import Source, open_source

OLDEST_SERVER = 150000
SOURCE_DAYS, SOURCE_SAMPLE = 30, 50
_READ, _ALL = frozenset({"SELECT"}), frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})

# The most that each role may do on a table of a schema; what stands nowhere is too much. The owner may do everything.
MAY: Mapping[str, Mapping[str, frozenset[str]]] = {
    "reader": {"cdw": _READ, "identity": _READ},
    "worker": {"deid": _ALL, "identity": _ALL - {"DELETE"}, "ref": _READ},
    "refresher": {"ref": _ALL},
    "publisher": {"deid": _ALL, "ref": _READ, "research": _ALL - {"UPDATE"}},
    "steward": {"deid": _ALL - {"DELETE"}, "ref": _READ, "research": _READ},
    "researcher": {"research": _READ},
}
# The least that each role needs to work.
NEEDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "worker": (
        *(("deid", "SELECT"), ("deid", "INSERT"), ("deid", "UPDATE"), ("ref", "SELECT")),
        *(("identity", "SELECT"), ("identity", "INSERT")),
    ),
    "refresher": (("ref", "SELECT"), ("ref", "INSERT")),
    "publisher": (("deid", "SELECT"), ("research", "INSERT"), ("research", "DELETE")),
    "steward": (("deid", "SELECT"), ("deid", "INSERT")),
    "researcher": (("research", "SELECT"),),
}
# Tables of texts in schema deid that a role may read.
TEXTS: Mapping[str, tuple[str, ...]] = {"worker": ("candidate.",), "publisher": ("candidate.", "published_document.")}
# Settings of the session that keep rows out of the server's log, and the values that do.
_LOG: Mapping[str, frozenset[str]] = {
    **{name: frozenset({value}) for name, value in QUIET_LOG.items()},
    "log_min_messages": frozenset({"log", "fatal", "panic"}),
    "log_min_duration_sample": frozenset({"-1"}),
    "log_transaction_sample_rate": frozenset({"0"}),
    **dict.fromkeys(("debug_print_parse", "debug_print_rewritten", "debug_print_plan"), frozenset({"off"})),
    "auto_explain.log_min_duration": frozenset({"-1"}),
    "pgaudit.log": frozenset({"none"}),
}
# Seconds between the server's clock and this machine's: intervals of documents are cut by both.
_CLOCKS = (5, 60)
_DOING = {"SELECT": "read from", "INSERT": "insert into", "UPDATE": "change rows of", "DELETE": "delete from"}
_DOING |= {"TRUNCATE": "empty tables of"}


def check_databases() -> Iterator[Finding]:
    """Check each role's connection: server, encryption, privileges, log and clock."""
    given = given_roles(ROLES)
    with ThreadPoolExecutor(max_workers=len(ROLES)) as pool:
        for findings in pool.map(_check_role, given):
            yield from findings
    for role in ROLES:
        if role not in given:
            yield not_applicable(f"database {role}", f"NOCTURNE_{role.upper()}_DSN is not given here")


def _check_role(role: str) -> list[Finding]:
    if role == "reader" and not is_postgresql(settings().dsn(role)):
        return [_check_other_reader()]
    try:
        session = inspect(settings().dsn(role), list(_LOG))
    except WarehouseError as refusal:
        remedy = f"Start the server, or correct address, role and password of NOCTURNE_{role.upper()}_DSN."
        return [error(f"database {role}", f"unreachable: {why(refusal)}", remedy)]
    return [
        _check_server(role, session),
        _check_encryption(role, session),
        *_check_privileges(role, session),
        _check_log(role, session),
        _check_clock(role, session),
    ]


def _check_other_reader() -> Finding:
    """Check that a warehouse outside PostgreSQL answers; its contract has a check of its own."""
    try:
        with open_source("nocturne doctor") as link:
            return ok("database reader", f"{link.place}, {link.dialect}; check rights and encryption on that server")
    except NocturneError as refusal:
        return error("database reader", f"unreachable: {why(refusal)}", refusal.remedy or "See NOCTURNE_READER_DSN.")


def _check_server(role: str, session: Session) -> Finding:
    major = session.version // 10000
    if session.version < OLDEST_SERVER:
        message = f"{session.place}: PostgreSQL {major} is too old"
        return error(f"database {role}", message, f"Bring the server to PostgreSQL {OLDEST_SERVER // 10000} or later.")
    return ok(f"database {role}", f"{session.place}, PostgreSQL {major}, role {session.role}")


def _check_encryption(role: str, session: Session) -> Finding:
    check = f"encryption {role}"
    remedy = "Add ?sslmode=verify-full&sslrootcert=… to this DSN (or use an isolated network only)."
    if session.local:
        return ok(check, "server of this machine" + (", TLS" if session.encrypted else ", without TLS"))
    if not session.encrypted:
        return attention(check, f"{session.place}: without TLS, texts cross the network in clear", remedy)
    if not session.verified:
        return attention(check, f"{session.place}: TLS, but the server is not verified", remedy)
    return ok(check, "TLS, server verified")


def _check_privileges(role: str, session: Session) -> Iterator[Finding]:
    check = f"privileges {role}"
    if role == "owner":
        yield _check_owner(session)
        yield from _check_others(session)
        return
    excess = list(_excess(role, session))
    if excess:
        remedy = f"Withdraw these privileges (REVOKE, ALTER ROLE), or give the DSN the role {ROLES[role]}."
        yield error(check, f"{session.role} may do too much: {'; '.join(excess)}", remedy)
    lacking = [
        f"{_DOING[privilege]} schema {schema}"
        for schema, privilege in NEEDS.get(role, ())
        if privilege not in session.privileges.get(schema, {})
    ]
    if lacking:
        remedy = "Run python -m deid migrate with NOCTURNE_OWNER_DSN, and check the role of this DSN."
        yield error(check, f"{session.role} cannot: {'; '.join(lacking)}", remedy)
    if not excess and not lacking:
        yield ok(check, "those of the role, and no others")


def _excess(role: str, session: Session) -> Iterator[str]:
    if session.attributes:
        yield ", ".join(session.attributes)
    if "SUPERUSER" in session.attributes:
        return  # everything else follows
    if others := sorted(set(session.memberships) - {ROLES[role], session.role}):
        yield f"become {', '.join(others)}"
    if session.creates:
        yield f"create in {', '.join(session.creates)}"
    for schema, privileges in session.privileges.items():
        for privilege, (tables, example) in privileges.items():
            if privilege not in MAY[role].get(schema, frozenset()):
                yield f"{_DOING[privilege]} schema {schema} ({tables} tables, among them {example})"
    if texts := [name for name in session.texts if not name.startswith(TEXTS.get(role, ()))]:
        yield f"read texts outside research ({', '.join(texts)})"
    if role == "reader" and session.writable:
        yield f"write to the warehouse ({session.writable} tables)"


def _check_owner(session: Session) -> Finding:
    extra = [name for name in session.attributes if name != "CREATEROLE"]
    if extra:
        remedy = f"Give NOCTURNE_OWNER_DSN a role without these privileges that owns the database ({ROLES['owner']})."
        return attention("privileges owner", f"{session.role} is {', '.join(extra)}: more than it needs", remedy)
    return ok("privileges owner", "owner, used by migrate alone")


def _check_others(session: Session) -> Iterator[Finding]:
    if session.others:
        listed = ", ".join(f"{account} ({schema})" for account, schema in session.others)
        remedy = "Withdraw these privileges, and go through the product's roles: GRANT researcher TO account."
        yield attention("other accounts", f"privileges given outside the product's roles: {listed}", remedy)
    else:
        yield ok("other accounts", "no privilege outside the product's roles")


def _check_log(role: str, session: Session) -> Finding:
    loud = sorted(
        f"{name}={session.settings[name]}"
        for name, quiet in _LOG.items()
        if name in session.settings and session.settings[name] not in quiet
    )
    if loud:
        remedy = f"As administrator: ALTER ROLE {session.role} SET … (docs/operators.md, “In short”, 3)."
        message = f"patients' data may reach the server's log: {', '.join(loud)}"
        return error(f"log {role}", message, remedy)
    return ok(f"log {role}", "no value reaches the server's log")


def _check_clock(role: str, session: Session) -> Finding:
    apart = abs(session.seconds_ahead)
    check = f"clock {role}"
    if apart > _CLOCKS[0]:
        say = error if apart > _CLOCKS[1] else attention
        message = f"{apart:.0f} s between the clocks of the server and of this machine"
        return say(check, message, "Set both clocks (chrony or systemd-timesyncd).")
    if abs(session.zone_seconds_ahead) > _CLOCKS[1]:
        message = f"{PARIS.key} has not the same time for the server and for this machine"
        return error(check, message, "Update the time zones of both (package tzdata).")
    return ok(check, "the server's clock and this machine's agree, time zone included")


def check_migrations() -> Iterator[Finding]:
    """Check that the database has the form of this version."""
    if settings().owner_dsn is None:
        yield not_applicable("migrations", "NOCTURNE_OWNER_DSN is not given here")
        return
    for dsn in dict.fromkeys((settings().dsn("owner"), identity_dsn("owner"))):
        yield from _check_migrations(dsn)


def _check_migrations(dsn: str) -> Iterator[Finding]:
    try:
        lacking, unknown = compare_migrations(dsn)
    except WarehouseError:
        yield not_applicable("migrations", "the owner's database does not answer, or cannot be read by the owner")
        return
    if lacking:
        yield error("migrations", f"missing: {', '.join(lacking)}", "Run python -m deid migrate.")
    if unknown:
        remedy = "Install the version of Nocturne that made them, or a later one."
        yield error("migrations", f"unknown to this version: {', '.join(unknown)}", remedy)
    if not lacking and not unknown:
        yield ok("migrations", "the database has the form of this version")


def check_identity() -> Iterator[Finding]:
    """Check that each role reaches the schema `identity` where it lies, and that no other database holds it too."""
    roles = given_roles(("worker", "identity", "publisher", "steward"))
    elsewhere = settings().identity_database is not None
    for role in roles:
        try:
            with open_identity(role, "nocturne doctor") as cursor:
                reached = may_use_identity(cursor)
            with open_cursor(role, "nocturne doctor", readonly=True) as cursor:
                left = elsewhere and may_use_identity(cursor)
        except WarehouseError as refusal:
            remedy = "Correct NOCTURNE_IDENTITY_DATABASE; each role has the same password there."
            if elsewhere:
                yield error("identity", f"not reached as {role}: {why(refusal)}", remedy)
            else:
                yield not_applicable("identity", "the database does not answer")
            continue
        if left:
            remedy = "Run python -m deid migrate, or take NOCTURNE_IDENTITY_DATABASE away if they went back."
            yield error("identity", "the ledger's database still holds the hospital's ids", remedy)
        elif not reached:
            remedy = "Give this process NOCTURNE_IDENTITY_DATABASE, or run python -m deid migrate."
            yield error("identity", f"closed to {role} in the database that this process is told of", remedy)
        else:
            yield ok("identity", f"reached as {role}, {place(identity_dsn(role))}")
    if not roles:
        yield not_applicable("identity", "no database is named")


def check_channels() -> Iterator[Finding]:
    """Check that no role can hand bytes to another, or stand in its way, beside the tables."""
    if not (roles := given_roles(("owner", "worker", "publisher", "steward", "researcher"))):
        yield not_applicable("channels", "no database is named")
        return
    try:
        open_ones = list_open_channels(settings().dsn(roles[0]))
    except WarehouseError:
        yield not_applicable("channels", "the database does not answer")
        return
    if open_ones:
        remedy = "As administrator: psql -d nocturne -f sql/provision/close_channels.sql (docs/operators.md)."
        message = (
            f"a role can reach another or stand in its way beside the tables: {len(open_ones)}, among "
            f"them {open_ones[0]}"
        )
        yield attention("channels", message, remedy)
    else:
        yield ok("channels", "closed between roles")


def check_source() -> Iterator[Finding]:
    """Check the source contract on documents of the last `SOURCE_DAYS` days (`deid.source.contract_check`)."""
    check = "source contract"
    if settings().reader_dsn is None:
        yield not_applicable(check, "NOCTURNE_READER_DSN is not given here")
        return
    now = datetime.now(UTC)
    try:
        source = Source(settings().source)
        report = contract_check.check_source(source, now - timedelta(days=SOURCE_DAYS), now, SOURCE_SAMPLE)
    except NocturneError:
        yield not_applicable(
            check, "the warehouse does not answer, NOCTURNE_SOURCE is unknown, or formats.yaml cannot be read"
        )
        return
    for found in report.findings:
        level = error if found.error else attention
        yield level(check, f"{found.step}: {found.message}", found.remedy)
    if not report.findings:
        yield ok(check, f"{report.source}: {report.rows.get('contents', 0)} documents read without contradiction")


def check_ledger_secret() -> Iterator[Finding]:
    """Check the versions of the secret against those that the ledger knows."""
    check, chosen = "ledger's secret", settings()
    if chosen.worker_dsn is None or (chosen.secret is None and chosen.secret_file is None):
        yield not_applicable(check, "a secret and NOCTURNE_WORKER_DSN are needed")
        return
    try:
        ring = chosen.keyring
    except SettingsError:
        yield not_applicable(check, "the secret cannot be read")
        return
    try:
        with open_cursor("worker", "nocturne doctor", readonly=True) as cursor:
            check_keyring(cursor, ring)
    except SettingsError as refusal:
        remedy = "Put back the secret of this database, or make a new version of it (docs/keys.md, “Fingerprints”)."
        yield error(check, f"does not agree with the ledger: {why(refusal)}", remedy)
    except WarehouseError:
        yield not_applicable(check, "the ledger does not answer, or lacks its tables")
    else:
        yield ok(check, "fingerprints agree with the ledger")


def check_references() -> Iterator[Finding]:
    """Check the age of the reference versions in use."""
    if not (roles := given_roles(("worker", "refresher", "publisher", "steward"))):
        yield not_applicable("references", "no database is named")
        return
    try:
        with open_cursor(roles[0], "nocturne doctor", readonly=True) as cursor:
            states = source_states(cursor, load(settings().policy).references)
    except NocturneError:
        yield not_applicable(
            "references", "the database does not answer or lacks its tables, or the policy cannot be read"
        )
        return
    if not states:
        remedy = "Tell where to read yours (docs/reference-data.md), then python -m deid refresh."
        yield attention("references", "no version loaded: the tables that ship serve (2022 to 2024)", remedy)
    old = [one for one in states if one.old]
    if old:
        remedy = "Run refresh_references on new editions, or allow more days (max_age_days)."
        yield attention("references", f"too old: {', '.join(map(_age, old))}", remedy)
    elif states:
        yield ok("references", f"{len(states)} sources, the oldest of {max(one.age_days for one in states)} days")


def _age(one: SourceState) -> str:
    return f"{one.source} ({one.age_days} days, {one.most_days} allowed)"
