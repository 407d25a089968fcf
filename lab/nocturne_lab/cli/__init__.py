"""Commands of the laboratory, which the command line takes by the entry point of `nocturne.commands`."""

from __future__ import annotations

import typer


def add_commands(app: typer.Typer) -> None:
    """Add the laboratory's commands and groups to the product's command line."""
    from deid.cli import deployment, policies
    from deid.cli import models as registry
    from nocturne_lab.cli import annotation, benchmark, coding, measures, models, scoring, training

    for command in (scoring.evaluate, scoring.score, training.train):
        app.command()(command)
    app.add_typer(annotation.app, name="annotations")
    app.add_typer(coding.app, name="coding")
    app.add_typer(benchmark.app, name="benchmark")
    for of_models in (models.register, models.evaluate, models.check, models.membership, models.export):
        registry.app.command()(of_models)
    policies.policy_app.command("weights")(measures.policy_weights)
    policies.budget_app.command()(measures.example)
    deployment.references_app.command("map")(measures.references_map)


# The command line loads this package: whoever imports a module of it first begins with the command line, too.
import deid.cli  # noqa: E402, F401
