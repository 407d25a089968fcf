"""`references list | refresh | rollback | map`: versions of open data, and their roll-back."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from deid.cli import territories
from deid.cli.deployment import refresh
from deid.cli.guarding import Guarded


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    group = typer.Typer(
        cls=Guarded,
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Montre, rafraîchit ou rétablit les données de référence.",
    )
    group.command("list")(show)
    group.command()(refresh)
    group.command()(rollback)
    territories.register(group)
    app.add_typer(group, name="references")


def show(
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="Une source ; toutes sinon.", show_default=False)
    ] = None,
) -> None:
    """Liste les versions chargées, la plus récente d'abord.

    Une ligne JSON par version : état, lignes, date, auteur, origine. Celles dont l'état est former ont encore leurs
    lignes : on peut y revenir.
    """
    from deid.config.settings import settings
    from deid.refresh.reference_versions import list_versions

    for version in list_versions(settings().dsn("refresher"), source):
        typer.echo(json.dumps(version, ensure_ascii=False, default=str))


def rollback(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="La source, par exemple streets.")],
    to: Annotated[
        int | None, typer.Option("--to", metavar="NUMÉRO", help="Cette version plutôt que la précédente.")
    ] = None,
) -> None:
    """Remet en service la version précédente d'une source.

    En une transaction. La version quittée est retirée : le même fichier ne sera plus chargé de lui-même ; --to
    NUMÉRO la rétablit. Les nuits suivantes citent la version remise en service.
    """
    from deid.config.settings import settings
    from deid.refresh.reference_versions import roll_back

    typer.echo(json.dumps(roll_back(source, dsn=settings().dsn("refresher"), to=to), ensure_ascii=False))
