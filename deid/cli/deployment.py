"""`provision`, `migrate`, `refresh`, `references`, `doctor`: a machine, its database, its open data, its diagnosis."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import REFUSED, command_group, read_settings, say
from deid.cli.language import colon, complain, french, tell, translated, translated_error
from deid.domain.errors import ReferenceRefused

references_app = command_group("Show, refresh or restore the reference data.")


def provision(
    home: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write everything; else NOCTURNE_HOME, else var.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=1024, max=65535, help="Port of PostgreSQL; else a free port.")] = None,
) -> None:
    """Set up PostgreSQL for one machine.

    Server, roles, schemas, secret. For one machine alone; a hospital gives its own databases by the variables
    NOCTURNE_..._DSN. Can be run again: passwords and secret are kept.
    """
    from deid.schema.provision import provision as provision_machine

    typer.echo(provision_machine(home or read_settings().home, port))


def migrate(
    identity_back: Annotated[bool, typer.Option("--identity-back", help="Bring the schema identity back.")] = False,
) -> None:
    """Bring the database to the form of this version.

    With NOCTURNE_IDENTITY_DATABASE, that database too, which then receives what the schema identity holds here.
    Can be run again at any time. Warns if a superuser still has to close what PostgreSQL opens to every role
    (docs/operators.md, “Between roles”).
    """
    from deid.database.connection import identity_dsn
    from deid.schema.identity import move_identity
    from deid.schema.migrations import migrate as apply_migrations
    from deid.schema.provision import list_open_channels

    if identity_back:
        read_settings().require("identity_database")
    owner = read_settings().dsn("owner")
    applied = [name for dsn in dict.fromkeys((owner, identity_dsn("owner"))) for name in apply_migrations(dsn)]
    tell("\n".join(applied) or "nothing to do")
    if read_settings().identity_database is not None and (moved := move_identity(owner, back=identity_back)):
        tell(f"identity: {moved} ids moved to the other database")
    if found := list_open_channels(owner):
        complain(
            f"{len(found)} accesses stay open to every role ({', '.join(found[:3])}…). Run "
            "sql/provision/close_channels.sql in this database, as a superuser."
        )


@references_app.command("list")
def references_list(
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="One source; else all.", show_default=False)
    ] = None,
) -> None:
    """List the versions loaded, the latest first.

    One line of JSON per version: state, rows, date, author, origin. Those whose state is former still have their rows:
    they can be restored.
    """
    from deid.refresh.reference_versions import list_versions

    for version in list_versions(read_settings().dsn("refresher"), source):
        say(version)


@references_app.command()
def refresh(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="Sources; else all.", show_default=False)
    ] = None,
    location: Annotated[
        str | None, typer.Option(metavar="URL", help="Where to read, for one source only; else the file that ships.")
    ] = None,
) -> None:
    """Refresh the reference data.

    Communes, streets, establishments, professionals. A file that is unreachable, malformed or too small is refused, and
    the version in use stays.
    """
    from deid.refresh.refreshing import refresh as refresh_source
    from deid.refresh.sources import SOURCES

    dsn = read_settings().dsn("refresher")
    wanted = sources or [name for name, source in SOURCES.items() if source.default is not None]
    if location is not None and len(wanted) != 1:
        raise typer.BadParameter("--location is for one source at a time")
    refused = False
    for name in wanted:
        try:
            say(refresh_source(name, dsn=dsn, location=location))
        except ReferenceRefused as error:
            refused = True
            complain(translated_error(error))
    if refused:
        raise typer.Exit(REFUSED)


@references_app.command()
def rollback(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="The source, such as streets.")],
    to: Annotated[
        int | None, typer.Option("--to", metavar="NUMBER", help="This version rather than the former one.")
    ] = None,
) -> None:
    """Put the former version of a source in use again.

    In one transaction. The version that is left is withdrawn: the same file will not be loaded again by itself; --to
    NUMBER restores it. Later nights cite the version that was restored.
    """
    from deid.refresh.reference_versions import roll_back

    say(roll_back(source, dsn=read_settings().dsn("refresher"), to=to))


def doctor(as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per finding.")] = False) -> None:
    """Check a deployment, and change nothing.

    Settings, databases, roles, Airflow, models, secret, reference data, disks, clocks, server's log. Each finding is
    ok, a warning, an error or not applicable, with its remedy. Shows neither a secret nor a patient's data. Ends with 1
    if there is an error.
    """
    from deid.doctor import Level, diagnose

    failed = False
    for finding in diagnose():
        message, remedy = translated(finding.message), translated(finding.remedy)
        failed |= finding.level is Level.ERROR
        if as_json:
            words = {"check": french(finding.check), "level": french(finding.level)}  # codes, in any language
            say({**asdict(finding), **words, "message": message, "remedy": remedy})
            continue
        typer.echo(f"{translated(finding.level):<10} {translated(finding.check)}{colon()}{message}")
        if remedy:
            typer.echo(f"{'':<10} → {remedy}")
    if failed:
        raise typer.Exit(REFUSED)
