"""`budget`: what ε means on an example, and what the ledger says that patients have spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.guarding import Guarded

app = typer.Typer(cls=Guarded, no_args_is_help=True, rich_markup_mode=None, help="Explique et compte le budget ε.")


def register(parent: typer.Typer) -> None:
    """Add these commands to the command line."""
    parent.add_typer(app, name="budget")


@app.command()
def example(
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FICHIER", help="Politique ; sinon NOCTURNE_POLICY, sinon celle fournie."),
    ] = None,
) -> None:
    """Calcule les tableaux de docs/fr/budget-epsilon.md : M. Durand, ses dates, son âge, sa ville."""
    from deid.config.policy import load
    from deid.config.settings import settings
    from deid.evaluation.worked_example import example_tables
    from deid.reference.tables import packaged_tables

    typer.echo("\n\n".join(example_tables(load(policy or settings().policy), packaged_tables().communes).values()))


@app.command()
def patients() -> None:
    """Dit ce que les patients ont dépensé, d'après les documents publiés ; ni nom ni identifiant.

    Une ligne JSON : nombre de patients et de documents, ε médian, au 95e centième et le plus grand. C'est une borne
    supérieure : une valeur qui revient d'un document à l'autre n'est pas tirée de nouveau, mais elle est comptée.
    """
    from deid.warehouse.accounts import list_patient_totals

    spent = list_patient_totals()
    epsilons = sorted(epsilon for _, epsilon in spent)
    counts: dict[str, float] = {"patients": len(spent), "documents": sum(documents for documents, _ in spent)}
    if epsilons:
        last = len(epsilons) - 1
        counts |= {"median": epsilons[last // 2], "p95": epsilons[round(0.95 * last)], "most": epsilons[last]}
    typer.echo(json.dumps({name: round(count, 4) for name, count in counts.items()}))
