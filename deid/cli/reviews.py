"""`annotations export`: what readers of reviews have said, as documents to train on. Runs inside the hospital."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.guarding import REFUSED, Guarded


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    group = typer.Typer(
        cls=Guarded,
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Ce que les relecteurs ont signalé, pour l'entraînement.",
    )
    group.callback()(_group)
    group.command()(export)
    app.add_typer(group, name="annotations")


def _group() -> None:
    """A group of one command stays a group."""


def export(
    out: Annotated[
        Path,
        typer.Argument(metavar="SORTIE.jsonl", help="Fichier à écrire ; lisible de vous seul.", show_default=False),
    ],
) -> None:
    """Écrit les documents relus, corrigés par leurs relecteurs, sous une forme que « deid train » sait lire.

    Ne prend que les relectures closes et les documents lus par tous ceux qui le devaient. Le fichier contient les
    textes d'origine : il ne doit pas quitter l'hôpital. Lit l'entrepôt (NOCTURNE_READER_DSN) et les annotations
    (NOCTURNE_STEWARD_DSN) ; l'export est inscrit au journal. Un document qui a changé depuis sa relecture est laissé
    de côté et nommé ; le code de sortie vaut alors 1.
    """
    from deid.cli.lines import written
    from deid.domain.errors import NocturneError
    from deid.reviews.annotations import gold_records
    from deid.warehouse import audit
    from deid.warehouse.connection import open_cursor

    refusals: list[NocturneError] = []
    actor, exported = getpass.getuser(), 0
    before = os.umask(0o077)
    try:
        with open_cursor("steward", "nocturne annotations") as cursor, written(out) as write:
            for record in gold_records(cursor, actor, refusals):
                write(record)
                exported += 1
            audit.write(cursor, actor, audit.Action.EXPORT, "annotations", documents=exported, left_out=len(refusals))
    finally:
        os.umask(before)
    for refusal in refusals:
        typer.echo(f"laissé de côté : {refusal}", err=True)
    typer.echo(f"{exported} documents annotés", err=True)
    if refusals:
        raise typer.Exit(REFUSED)
