"""`provision`, `migrate`, `refresh` and `references`: a machine, its database and its versions of open data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import REFUSED, command_group, read_settings, say
from deid.domain.errors import ReferenceRefused

references_app = command_group("Montre, rafraîchit ou rétablit les données de référence.")


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
    from deid.warehouse.provision import provision as provision_machine

    typer.echo(provision_machine(home or read_settings().home, port))


def migrate() -> None:
    """Met la base de données à la forme de cette version.

    Peut être relancé à tout moment. Avertit si un superutilisateur doit encore fermer ce que PostgreSQL ouvre à tous
    les rôles (docs/operators.md, « Between roles »).
    """
    from deid.warehouse.migrations import migrate as apply_migrations
    from deid.warehouse.provision import list_open_channels

    owner = read_settings().dsn("owner")
    typer.echo("\n".join(apply_migrations(owner)) or "rien à faire")
    if found := list_open_channels(owner):
        typer.echo(
            f"deid : {len(found)} accès restent ouverts à tous les rôles ({', '.join(found[:3])}…). Exécuter "
            "sql/provision/close_channels.sql dans cette base, en superutilisateur.",
            err=True,
        )


@references_app.command("list")
def references_list(
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="Une source ; toutes sinon.", show_default=False)
    ] = None,
) -> None:
    """Liste les versions chargées, la plus récente d'abord.

    Une ligne JSON par version : état, lignes, date, auteur, origine. Celles dont l'état est former ont encore leurs
    lignes : on peut y revenir.
    """
    from deid.refresh.reference_versions import list_versions

    for version in list_versions(read_settings().dsn("refresher"), source):
        say(version)


@references_app.command()
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
    from deid.refresh.refreshing import refresh as refresh_source
    from deid.refresh.sources import SOURCES

    dsn = read_settings().dsn("refresher")
    wanted = sources or [name for name, source in SOURCES.items() if source.default is not None]
    if location is not None and len(wanted) != 1:
        raise typer.BadParameter("--location ne vaut que pour une source à la fois")
    refused = False
    for name in wanted:
        try:
            say(refresh_source(name, dsn=dsn, location=location))
        except ReferenceRefused as error:
            refused = True
            typer.echo(f"deid : {error}", err=True)
    if refused:
        raise typer.Exit(REFUSED)


@references_app.command()
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
    from deid.refresh.reference_versions import roll_back

    say(roll_back(source, dsn=read_settings().dsn("refresher"), to=to))


@references_app.command("map")
def references_map(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FICHIER", help="Fichier à écrire, .svg ou .png.")
    ] = Path("territories.svg"),
    packaged: Annotated[
        bool, typer.Option("--packaged", help="Les communes livrées avec le produit, sans base de données.")
    ] = False,
) -> None:
    """Dessine les territoires : les communes parmi lesquelles un lieu est tiré.

    Ceux de la version des communes en service ; le fichier ne charge rien d'ailleurs.
    """
    from deid.evaluation.territory_map import draw_map as draw_territories
    from deid.nightly import runtime
    from deid.reference.tables import packaged_tables

    if output.suffix.lower() not in (".svg", ".png"):
        raise typer.BadParameter("le fichier se termine par .svg ou .png")
    table = packaged_tables().communes if packaged else runtime.current_communes()
    draw_territories(table, output)
    typer.echo(f"{output} : {len(table.partition)} territoires, {table.partition_digest[:16]}")
