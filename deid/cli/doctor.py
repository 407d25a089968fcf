"""`doctor`: the diagnosis of a deployment, for people and as JSON Lines."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from deid.cli.console import REFUSED, say
from deid.cli.language import colon, french, translated


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per finding.")] = False,
) -> None:
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
