"""`doctor`: the diagnosis of a deployment, for people and as JSON Lines."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from deid.cli.console import REFUSED, say


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Une ligne JSON par constat.")] = False,
) -> None:
    """Vérifie une installation, sans rien y changer.

    Réglages, bases, rôles, Airflow, modèles, secret, référentiels, disques, horloges, journal du serveur. Chaque
    constat est ok, attention, erreur ou sans objet, avec son remède. Ne montre ni secret ni donnée de patient. Finit
    par 1 s'il y a une erreur.
    """
    from deid.doctor import Level, diagnose

    failed = False
    for finding in diagnose():
        failed |= finding.level is Level.ERROR
        if as_json:
            say(asdict(finding))
            continue
        typer.echo(f"{finding.level:<10} {finding.check} : {finding.message}")
        if finding.remedy:
            typer.echo(f"{'':<10} → {finding.remedy}")
    if failed:
        raise typer.Exit(REFUSED)
