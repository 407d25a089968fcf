"""`policy`: show the policy in force, or check one before it is put in force."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deid.cli.guarding import Guarded

app = typer.Typer(cls=Guarded, no_args_is_help=True, rich_markup_mode=None, help="Montre ou vérifie la politique.")

PolicyArgument = Annotated[
    Path | None,
    typer.Argument(metavar="[FICHIER]", help="Sinon NOCTURNE_POLICY, sinon celle fournie.", show_default=False),
]


def register(parent: typer.Typer) -> None:
    """Add these commands to the command line."""
    parent.add_typer(app, name="policy")


@app.command()
def show(path: PolicyArgument = None) -> None:
    """Montre la politique entière, réglages par défaut compris, en YAML ; la première ligne donne son empreinte."""
    import yaml

    from deid.config.policy import load
    from deid.config.settings import settings

    policy = load(path or settings().policy)
    typer.echo(f"# {policy.name}, {policy.digest}")
    typer.echo(yaml.safe_dump(policy.model_dump(mode="json"), allow_unicode=True, sort_keys=False).rstrip())


@app.command()
def validate(path: PolicyArgument = None) -> None:
    """Vérifie une politique sans l'appliquer : orthographe des réglages, annotateurs, substituts, valeurs permises."""
    from deid.config.policy import load
    from deid.config.settings import settings
    from deid.detection import Detector
    from deid.substitution.registry import chosen_generators

    policy = load(path or settings().policy)
    # An annotator or a generator that does not exist shows only when it is made.
    Detector(policy)
    chosen_generators(policy.substitution)
    typer.echo(f"{policy.name} : valable, empreinte {policy.digest}")
