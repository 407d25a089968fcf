"""`references map`: the territories of place draws, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(group: typer.Typer) -> None:
    """Add the command to the group `references`."""
    group.command("map")(draw)


def draw(
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
    from deid.evaluation.territory_map import draw_map as render
    from deid.nightly import runtime
    from deid.reference.tables import packaged_tables as shipped

    if output.suffix.lower() not in (".svg", ".png"):
        raise typer.BadParameter("le fichier se termine par .svg ou .png")
    table = shipped().communes if packaged else runtime.communes()
    render(table, output)
    typer.echo(f"{output} : {len(table.partition)} territoires, {table.partition_digest[:16]}")
