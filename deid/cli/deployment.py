"""Commands `provision`, `migrate` and `refresh`: set up a machine or a database, renew reference data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.guarding import REFUSED
from deid.domain.errors import ReferenceRefused


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(provision)
    app.command()(migrate)
    app.command()(refresh)


def provision(
    home: Annotated[
        Path | None, typer.Option(metavar="DOSSIER", help="Où tout écrire ; sinon NOCTURNE_HOME, sinon var.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1024, max=65535, help="Port de PostgreSQL ; sinon un port libre.")
    ] = None,
) -> None:
    """Installe PostgreSQL pour une seule machine.

    Serveur, rôles, schémas, secret. À réserver à une seule machine ; un hôpital donne ses propres bases par les
    variables NOCTURNE_..._DSN. Peut être relancé : mots de passe et secret sont gardés.
    """
    from deid.config.settings import settings
    from deid.warehouse.provision import provision as set_up

    typer.echo(set_up(home or settings().home, port))


def migrate() -> None:
    """Met la base de données à la forme de cette version.

    Peut être relancé à tout moment.
    """
    from deid.config.settings import settings
    from deid.warehouse.migrations import migrate as bring

    applied = bring(settings().dsn("owner"))
    typer.echo("\n".join(applied) if applied else "rien à faire")


def refresh(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]...", help="Sources ; toutes sinon.", show_default=False)
    ] = None,
    location: Annotated[
        str | None, typer.Option(metavar="URL", help="Où lire, pour une seule source ; sinon le fichier fourni.")
    ] = None,
) -> None:
    """Rafraîchit les données de référence.

    Communes, voies, établissements, professionnels. Un fichier injoignable, mal formé ou trop petit est refusé,
    et la version en service reste.
    """
    from deid.config.settings import settings
    from deid.refresh.refreshing import refresh as bring
    from deid.refresh.sources import SOURCES

    dsn = settings().dsn("refresher")
    wanted = sources or [name for name, source in SOURCES.items() if source.default is not None]
    if location is not None and len(wanted) != 1:
        raise typer.BadParameter("--location ne vaut que pour une source à la fois")
    refused = 0
    for name in wanted:
        try:
            typer.echo(json.dumps(bring(name, dsn=dsn, location=location), ensure_ascii=False))
        except ReferenceRefused as error:
            refused += 1
            typer.echo(f"deid : {error}", err=True)
    if refused:
        raise typer.Exit(REFUSED)
