"""`provision`, `migrate`, `refresh`, `hospital` and `demo`: what is set up once, or every month."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.guarding import REFUSED
from deid.errors import ReferenceRefused


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    passing = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
    app.command(context_settings=passing)(demo)
    app.command()(provision)
    app.command()(migrate)
    app.command()(hospital)
    app.command()(refresh)


def demo(context: typer.Context) -> None:
    """Joue trente nuits d'un hôpital fictif (demo --help)."""
    from deid.demo.command import app as story

    story(args=context.args, prog_name="python -m deid demo")


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
    from deid.settings import settings
    from deid.warehouse.provision import provision as set_up

    typer.echo(set_up(home or settings().home, port))


def migrate() -> None:
    """Met la base de données à la forme de cette version.

    Peut être relancé à tout moment.
    """
    from deid.settings import settings
    from deid.warehouse.migrations import migrate as bring

    applied = bring(settings().dsn("owner"))
    typer.echo("\n".join(applied) if applied else "rien à faire")


def hospital(
    patients: Annotated[int, typer.Option(min=1, help="Nombre de patients.")] = 320,
    documents: Annotated[int, typer.Option(min=50, help="Nombre de documents.")] = 2600,
    nights: Annotated[int, typer.Option(min=1, help="Nombre de nuits.")] = 30,
    until: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="JOUR", help="Tel qu'à la fin de ce jour ; sinon du dernier."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Graine : la même donne le même hôpital.")] = 2026,
) -> None:
    """Écrit un hôpital fictif dans le schéma cdw.

    Ses vraies mentions vont dans le schéma gold. Personne n'y existe. Le schéma cdw doit être celui de
    Nocturne, jamais celui d'un hôpital.
    """
    from deid.hospital import generate, load
    from deid.settings import settings

    owner = settings().dsn("owner")
    made = generate(seed, patients=patients, documents=documents, nights=nights, progress=sys.stderr.isatty())
    changed = load(owner, made, until=until.date() if until else None)
    typer.echo(json.dumps({"first_night": str(made.first_night), "nights": made.nights, **changed}))


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
    from deid.reference import SOURCES
    from deid.reference import refresh as bring
    from deid.settings import settings

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
