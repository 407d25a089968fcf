"""Checks of the databases, each through the connection string of a role: server, privileges, log, clock, content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

from deid.config.policy import load
from deid.config.settings import settings
from deid.doctor.finding import Finding, attention, error, not_applicable, ok, why
from deid.domain.errors import ContractBroken, NocturneError, SettingsError, WarehouseError
from deid.refresh.reference_versions import SourceState, source_states
from deid.warehouse.connection import connect, open_cursor
from deid.warehouse.embedded import QUIET_LOG
from deid.warehouse.inspection import Session, inspect
from deid.warehouse.keys import check_keyring
from deid.warehouse.migrations import compare_migrations
from deid.warehouse.planning import PARIS
from deid.warehouse.provision import ROLES, list_open_channels
from deid.warehouse.sources import Source

OLDEST_SERVER = 150000
_READ, _ALL = frozenset({"SELECT"}), frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})

# The most that each role may do on a table of a schema; what stands nowhere is too much. The owner may do everything.
MAY: Mapping[str, Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "reader": {"cdw": _READ, "identity": _READ},
        "worker": {"deid": _ALL, "identity": _ALL - {"DELETE"}, "ref": _READ},
        "refresher": {"ref": _ALL},
        "publisher": {"deid": _ALL, "ref": _READ, "research": _ALL - {"UPDATE"}},
        "steward": {"deid": _ALL - {"DELETE"}, "ref": _READ, "research": _READ},
        "researcher": {"research": _READ},
    }
)
# The least that each role needs to work.
NEEDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "worker": (
            *(("deid", "SELECT"), ("deid", "INSERT"), ("deid", "UPDATE"), ("ref", "SELECT")),
            *(("identity", "SELECT"), ("identity", "INSERT")),
        ),
        "refresher": (("ref", "SELECT"), ("ref", "INSERT")),
        "publisher": (("deid", "SELECT"), ("research", "INSERT"), ("research", "DELETE")),
        "steward": (("deid", "SELECT"), ("deid", "INSERT"), ("research", "SELECT")),
        "researcher": (("research", "SELECT"),),
    }
)
# Tables of texts in schema deid that a role may read.
TEXTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"worker": ("candidate.",), "publisher": ("candidate.", "published_document.")}
)
# Settings of the session that keep rows out of the server's log, and the values that do.
_LOG: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **{name: frozenset({value}) for name, value in QUIET_LOG.items()},
        "log_min_messages": frozenset({"log", "fatal", "panic"}),
        "log_min_duration_sample": frozenset({"-1"}),
        "log_transaction_sample_rate": frozenset({"0"}),
        "debug_print_parse": frozenset({"off"}),
        "debug_print_rewritten": frozenset({"off"}),
        "debug_print_plan": frozenset({"off"}),
        "auto_explain.log_min_duration": frozenset({"-1"}),
        "pgaudit.log": frozenset({"none"}),
    }
)
# Seconds between the server's clock and this machine's: intervals of documents are cut by both.
_CLOCKS = (5, 60)
_DOING = {
    "SELECT": "lire",
    "INSERT": "ajouter dans",
    "UPDATE": "changer",
    "DELETE": "effacer dans",
    "TRUNCATE": "vider",
}


def check_databases() -> Iterator[Finding]:
    """Check each role's connection: server, encryption, privileges, log and clock."""
    chosen = settings()
    given = [role for role in ROLES if getattr(chosen, f"{role}_dsn") is not None]
    with ThreadPoolExecutor(max_workers=len(ROLES)) as pool:
        for findings in pool.map(_check_role, given):
            yield from findings
    for role in ROLES:
        if role not in given:
            yield not_applicable(f"base {role}", f"NOCTURNE_{role.upper()}_DSN n'est pas donnée ici")


def _check_role(role: str) -> list[Finding]:
    try:
        session = inspect(settings().dsn(role), list(_LOG))
    except WarehouseError as refusal:
        remedy = f"Démarrer le serveur, ou corriger adresse, rôle et mot de passe de NOCTURNE_{role.upper()}_DSN."
        return [error(f"base {role}", f"injoignable : {why(refusal)}", remedy)]
    return [
        _check_server(role, session),
        _check_encryption(role, session),
        *_check_privileges(role, session),
        _check_log(role, session),
        _check_clock(role, session),
    ]


def _check_server(role: str, session: Session) -> Finding:
    major = session.version // 10000
    if session.version < OLDEST_SERVER:
        message = f"{session.place} : PostgreSQL {major} est trop ancien"
        return error(f"base {role}", message, f"Mettre le serveur à PostgreSQL {OLDEST_SERVER // 10000} ou après.")
    return ok(f"base {role}", f"{session.place}, PostgreSQL {major}, rôle {session.role}")


def _check_encryption(role: str, session: Session) -> Finding:
    check = f"chiffrement {role}"
    remedy = "Ajouter ?sslmode=verify-full&sslrootcert=… à cette DSN (ou n'employer qu'un réseau isolé)."
    if session.local:
        return ok(check, "serveur de cette machine" + (", TLS" if session.encrypted else ", sans TLS"))
    if not session.encrypted:
        return attention(check, f"{session.place} : sans TLS, les textes passent en clair sur le réseau", remedy)
    if not session.verified:
        return attention(check, f"{session.place} : TLS, mais le serveur n'est pas vérifié", remedy)
    return ok(check, "TLS, serveur vérifié")


def _check_privileges(role: str, session: Session) -> Iterator[Finding]:
    check = f"droits {role}"
    if role == "owner":
        yield _check_owner(session)
        yield from _check_others(session)
        return
    excess = list(_excess(role, session))
    if excess:
        remedy = f"Retirer ces droits (REVOKE, ALTER ROLE), ou donner à la DSN le rôle {ROLES[role]}."
        yield error(check, f"{session.role} peut trop : {' ; '.join(excess)}", remedy)
    lacking = [
        f"{_DOING[privilege]} {schema}"
        for schema, privilege in NEEDS.get(role, ())
        if privilege not in session.privileges.get(schema, {})
    ]
    if lacking:
        remedy = "Lancer python -m deid migrate avec NOCTURNE_OWNER_DSN, et vérifier le rôle de cette DSN."
        yield error(check, f"{session.role} ne peut pas : {', '.join(lacking)}", remedy)
    if not excess and not lacking:
        yield ok(check, "ceux du rôle, et pas d'autres")


def _excess(role: str, session: Session) -> Iterator[str]:
    if session.attributes:
        yield ", ".join(session.attributes)
    if "SUPERUSER" in session.attributes:
        return  # everything else follows
    if others := sorted(set(session.memberships) - {ROLES[role], session.role}):
        yield f"devenir {', '.join(others)}"
    if session.creates:
        yield f"créer dans {', '.join(session.creates)}"
    for schema, privileges in session.privileges.items():
        for privilege, (tables, example) in privileges.items():
            if privilege not in MAY[role].get(schema, frozenset()):
                yield f"{_DOING[privilege]} {schema} ({tables} tables, dont {example})"
    if texts := [name for name in session.texts if not name.startswith(TEXTS.get(role, ()))]:
        yield f"lire des textes hors de research ({', '.join(texts)})"
    if role == "reader" and session.writable:
        yield f"écrire dans l'entrepôt ({session.writable} tables)"


def _check_owner(session: Session) -> Finding:
    extra = [name for name in session.attributes if name != "CREATEROLE"]
    if extra:
        remedy = f"Donner à NOCTURNE_OWNER_DSN un rôle sans ces droits, propriétaire de la base ({ROLES['owner']})."
        return attention("droits owner", f"{session.role} est {', '.join(extra)} : plus qu'il ne faut", remedy)
    return ok("droits owner", "propriétaire, employé par migrate seul")


def _check_others(session: Session) -> Iterator[Finding]:
    if session.others:
        listed = ", ".join(f"{account} ({schema})" for account, schema in session.others)
        remedy = "Retirer ces droits, et passer par les rôles du produit : GRANT researcher TO compte."
        yield attention("autres comptes", f"droits donnés hors des rôles du produit : {listed}", remedy)
    else:
        yield ok("autres comptes", "aucun droit hors des rôles du produit")


def _check_log(role: str, session: Session) -> Finding:
    loud = sorted(
        f"{name}={session.settings[name]}"
        for name, quiet in _LOG.items()
        if name in session.settings and session.settings[name] not in quiet
    )
    if loud:
        remedy = f"En administrateur : ALTER ROLE {session.role} SET … (docs/operators.md, « In short », 3)."
        message = f"des données de patients peuvent atteindre le journal du serveur : {', '.join(loud)}"
        return error(f"journal {role}", message, remedy)
    return ok(f"journal {role}", "aucune valeur n'atteint le journal du serveur")


def _check_clock(role: str, session: Session) -> Finding:
    apart = abs(session.seconds_ahead)
    check = f"horloge {role}"
    if apart > _CLOCKS[0]:
        say = error if apart > _CLOCKS[1] else attention
        message = f"{apart:.0f} s d'écart entre le serveur et cette machine"
        return say(check, message, "Régler les deux horloges (chrony ou systemd-timesyncd).")
    if abs(session.zone_seconds_ahead) > _CLOCKS[1]:
        message = f"{PARIS.key} n'a pas la même heure pour le serveur et pour cette machine"
        return error(check, message, "Mettre à jour les fuseaux horaires des deux (paquet tzdata).")
    return ok(check, "celle du serveur et celle de cette machine s'accordent, fuseau compris")


def check_migrations() -> Iterator[Finding]:
    """Check that the database has the form of this version."""
    if settings().owner_dsn is None:
        yield not_applicable("migrations", "NOCTURNE_OWNER_DSN n'est pas donnée ici")
        return
    try:
        lacking, unknown = compare_migrations(settings().dsn("owner"))
    except WarehouseError:
        yield not_applicable("migrations", "base du propriétaire injoignable, ou illisible par lui")
        return
    if lacking:
        yield error("migrations", f"manquent : {', '.join(lacking)}", "Lancer python -m deid migrate.")
    if unknown:
        remedy = "Installer la version de Nocturne qui les a faites, ou une plus récente."
        yield error("migrations", f"inconnues de cette version : {', '.join(unknown)}", remedy)
    if not lacking and not unknown:
        yield ok("migrations", "la base a la forme de cette version")


def check_channels() -> Iterator[Finding]:
    """Check that no role can hand bytes to another, or stand in its way, beside the tables."""
    role = next((one for one in ("owner", "worker", "publisher", "steward", "researcher") if _given(one)), None)
    if role is None:
        yield not_applicable("canaux", "aucune base n'est nommée")
        return
    try:
        open_ones = list_open_channels(settings().dsn(role))
    except WarehouseError:
        yield not_applicable("canaux", "base injoignable")
        return
    if open_ones:
        remedy = "En administrateur : psql -d nocturne -f sql/provision/close_channels.sql (docs/operators.md)."
        message = (
            f"un rôle peut en joindre ou en gêner un autre hors des tables : {len(open_ones)}, dont {open_ones[0]}"
        )
        yield attention("canaux", message, remedy)
    else:
        yield ok("canaux", "fermés entre les rôles")


def check_source() -> Iterator[Finding]:
    """Check that the warehouse gives the columns of the source contract; no row is read."""
    if settings().reader_dsn is None:
        yield not_applicable("contrat de la source", "NOCTURNE_READER_DSN n'est pas donnée ici")
        return
    name = settings().source
    try:
        source = Source(name)
        with connect(settings().dsn("reader"), application="nocturne doctor") as link:
            source.verify(link)
    except ContractBroken as refusal:
        yield error("contrat de la source", f"rompu : {why(refusal)}", f"Corriger la requête dans sql/sources/{name}.")
    except (SettingsError, WarehouseError):
        yield not_applicable("contrat de la source", "entrepôt injoignable, ou NOCTURNE_SOURCE inconnue")
    else:
        yield ok("contrat de la source", f"{name} : colonnes et types attendus")


def check_ledger_secret() -> Iterator[Finding]:
    """Check the versions of the secret against those that the ledger knows."""
    check, chosen = "secret du registre", settings()
    if chosen.worker_dsn is None or (chosen.secret is None and chosen.secret_file is None):
        yield not_applicable(check, "il faut un secret et NOCTURNE_WORKER_DSN")
        return
    try:
        ring = chosen.keyring
    except SettingsError:
        yield not_applicable(check, "le secret ne se lit pas")
        return
    try:
        with open_cursor("worker", "nocturne doctor", readonly=True) as cursor:
            check_keyring(cursor, ring)
    except SettingsError as refusal:
        remedy = "Remettre le secret de cette base, ou en faire une nouvelle version (docs/keys.md, « Fingerprints »)."
        yield error(check, f"ne s'accorde pas avec le registre : {why(refusal)}", remedy)
    except WarehouseError:
        yield not_applicable(check, "registre injoignable, ou sans ses tables")
    else:
        yield ok(check, "empreintes conformes au registre")


def check_references() -> Iterator[Finding]:
    """Check the age of the reference versions in use."""
    role = next((one for one in ("worker", "refresher", "publisher", "steward") if _given(one)), None)
    if role is None:
        yield not_applicable("référentiels", "aucune base n'est nommée")
        return
    try:
        with open_cursor(role, "nocturne doctor", readonly=True) as cursor:
            states = source_states(cursor, load(settings().policy).references)
    except NocturneError:
        yield not_applicable("référentiels", "base injoignable ou sans ses tables, ou politique illisible")
        return
    if not states:
        remedy = "Dire où lire les siennes (docs/reference-data.md), puis python -m deid refresh."
        yield attention("référentiels", "aucune version chargée : les tables livrées servent (2022 à 2024)", remedy)
    old = [one for one in states if one.old]
    if old:
        remedy = "Lancer refresh_references sur de nouvelles éditions, ou permettre plus de jours (max_age_days)."
        yield attention("référentiels", f"trop anciens : {', '.join(map(_age, old))}", remedy)
    elif states:
        yield ok(
            "référentiels", f"{len(states)} sources, la plus ancienne de {max(one.age_days for one in states)} jours"
        )


def _given(role: str) -> bool:
    return getattr(settings(), f"{role}_dsn") is not None


def _age(one: SourceState) -> str:
    return f"{one.source} ({one.age_days} jours, permis {one.most_days})"
