"""`service`: documents of other programs over HTTP, one at a time, with a token and a secret for each client."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid.cli.console import command_group, read_settings, say, served_policy
from deid.cli.documents import FromDatabase, PolicyFile, StaffFile, make_substitutor, read_staff_file
from deid.cli.language import colon
from deid.domain.document import Document
from deid.domain.errors import InputRefused, SettingsError
from deid.domain.outcomes import Incoming
from deid.domain.writing import replacing

if TYPE_CHECKING:
    from deid.cli.service_server import Journal, Process, ServiceClient
    from deid.substitution import Substitutor

app = command_group("De-identify documents over HTTP.")

ClientsFile = Annotated[
    Path, typer.Option("--clients", metavar="FILE", help="Clients with their secrets; mode 600.", show_default=False)
]
_SAMPLE = "Vu le 12 mars par le docteur Martin."
_LOCAL = ("127.0.0.1", "::1", "localhost")


@app.command("add-client")
def add_client(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the client in the access log.")],
    clients: ClientsFile,
) -> None:
    """Add a client to a file of clients, and write its token on standard output, once.

    The client has a secret of its own: its surrogates and pseudonyms are neither those of the nights nor those of
    another client.
    """
    known = _read_file(clients) if clients.exists() else {}
    if name in known or not name.strip() or not name.isprintable():
        raise InputRefused(f"the client {name} is there already, or is no name.", "Give another name.")
    token = secrets.token_urlsafe(32)
    made = {"token_sha256": hashlib.sha256(token.encode()).hexdigest(), "secret": secrets.token_hex(32)}
    _write_file(clients, {**known, name: made})
    say({"client": name, "token": token})


@app.command("remove-client")
def remove_client(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the client.")], clients: ClientsFile
) -> None:
    """Take a client out of a file of clients, with its token and secret; restart a running service."""
    known = _read_file(clients)
    if name not in known:
        raise InputRefused(f"there is no client {name}.", f"Name one of {', '.join(sorted(known)) or '–'}.")
    _write_file(clients, {other: told for other, told in known.items() if other != name})


@app.command("serve")
def serve_documents(
    clients: ClientsFile,
    log: Annotated[Path, typer.Option(metavar="FILE", help="Access log (JSON Lines).", show_default=False)],
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 chooses one.")] = 8444,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="Certificate with its key; needed beyond this machine.", show_default=False),
    ] = None,
    policy: PolicyFile = None,
    staff: StaffFile = None,
    database: FromDatabase = False,
    local_journal: Annotated[
        bool, typer.Option("--local-journal", help="Keep the access log as the only journal: no database is told.")
    ] = False,
) -> None:
    """Serve POST /deidentify (a line of “deidentify”) and POST /fhir/$de-identify (a resource, a Bundle), by token.

    Each document goes through the policy, the checks and the limits of “deidentify” and “file”; one that is held back
    is answered by 422 with its reasons. Counts, reasons, the policy's hash and the client go to the audit trail (as the
    worker) and to the access log before the answer. Does not use the secret of the nights, and keeps nothing.
    """
    from deid.cli.key_server import AccessLog, make_context
    from deid.cli.service_server import DocumentServer

    known = read_clients(clients)
    if certificate is None and host not in _LOCAL:
        raise InputRefused(
            f"{host} would be served without TLS.", "Give --certificate, or listen on 127.0.0.1 behind a proxy."
        )
    policy_hash = served_policy(policy).digest
    journal = None if local_journal else make_journal(policy_hash)
    process = make_process(known, policy, staff, database=database)
    for name in known:  # loads models and tables, so that the first request does not wait for them
        process(name, Incoming(Document("", _SAMPLE)))
    access = AccessLog(log)
    try:
        access.write_log(started=sorted(known), policy=policy_hash)
        server = DocumentServer(
            *((host, port), known, access),
            most_bytes=read_settings().max_document_bytes,
            journal=journal,
            context=None if certificate is None else make_context(certificate),
        )
    except OSError as error:
        raise SettingsError(
            f"{log} or {host}:{port}: {error.strerror}.", "Give a log and an address that can be used."
        ) from None
    scheme = "http" if certificate is None else "https"
    typer.echo(f"{scheme}://{host}:{server.server_address[1]}{colon()}{len(known)} client(s)")
    with server:
        server.work(process)


def make_journal(policy_hash: str) -> Journal:
    """Return what writes a line of the audit trail on a document of a client, as the worker.

    Raises:
        InputRefused: no database is named.
    """
    from deid.database.connection import open_cursor
    from deid.ledger import audit

    if read_settings().worker_dsn is None:
        raise InputRefused(
            "the service has no database whose audit trail it could write.",
            "Set NOCTURNE_WORKER_DSN, or give --local-journal: the access log is then the only journal.",
        )

    def write(client: str, told: Mapping[str, Any]) -> None:
        with open_cursor("worker", "nocturne service") as cursor:
            audit.write(cursor, client, audit.Action.SERVE_DOCUMENT, "service", policy=policy_hash, **told)

    return write


def make_process(
    clients: Mapping[str, ServiceClient], policy: Path | None, staff: Path | None, *, database: bool = False
) -> Process:
    """Return what de-identifies a document of a client: a text, or a file where it has bytes.

    Raises:
        InputRefused: the policy needs the ledger.
    """
    from deid import pipeline
    from deid.detection import Detector
    from deid.formats.fields import FileRules

    chosen = served_policy(policy, ledger=False)
    detector = Detector(chosen, read_staff_file(staff))
    limits, size = read_settings().limits(), read_settings().max_document_bytes
    rules = FileRules().model_copy(update={"times": chosen.substitution.times.strategy})
    made: dict[str, Substitutor] = {}

    def process(client: str, incoming: Any) -> Any:
        if client not in made:
            made[client] = make_substitutor(chosen, clients[client].secret, database=database)
        file = incoming.content is not None
        (outcome,) = pipeline.deidentify(
            [incoming],
            detector,
            made[client],
            max_bytes=size,
            quality=chosen.quality,
            hiding=chosen.substitution.hiding,
            limits=limits,  # files are read and written in a process of their own in any case
            rules=rules if file else None,
        )
        return outcome

    return process


def read_clients(path: Path) -> dict[str, ServiceClient]:
    """Read the clients of a file.

    Raises:
        InputRefused: it cannot be read, others than its owner may read it, or it holds what is no client.
    """
    from deid.cli.service_server import ServiceClient

    try:
        return {
            name: ServiceClient(name, told["token_sha256"], bytes.fromhex(told["secret"]))
            for name, told in _read_file(path).items()
        }
    except (KeyError, TypeError, ValueError):
        raise InputRefused(f"{path} holds what is no client.", "Make it by `service add-client`.") from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_mode & 0o077:
            raise InputRefused(f"{path} holds secrets that others may read.", f"chmod 600 {path}")
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputRefused(f"{path} cannot be read.", "Make it by `service add-client`.") from None
    return found if isinstance(found, dict) else {}


def _write_file(path: Path, clients: Mapping[str, Any]) -> None:
    try:
        with replacing(path) as partial:
            partial.touch(0o600)
            partial.write_text(json.dumps(clients, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputRefused(f"{path}: {error.strerror}.", "Give a file in a folder that can be written.") from None
