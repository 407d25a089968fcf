"""`policy`: show or check a policy. `budget`: the patients' spending by the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import chosen_policy, command_group, say, served_policy
from deid.cli.documents import PolicyFile
from deid.cli.language import tell

policy_app = command_group("Show or check the policy.")
budget_app = command_group("Explain and count the ε budget.")

PolicyArgument = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", help="Else NOCTURNE_POLICY, else the one that ships.", show_default=False),
]


@policy_app.command("show")
def policy_show(path: PolicyArgument = None) -> None:
    """Show the whole policy, with every default, in YAML; the first line gives its digest."""
    import yaml

    policy = chosen_policy(path)
    typer.echo(f"# {policy.name}, {policy.digest}")
    typer.echo(yaml.safe_dump(policy.model_dump(mode="json"), allow_unicode=True, sort_keys=False).rstrip())


@policy_app.command("validate")
def policy_validate(path: PolicyArgument = None) -> None:
    """Check a policy without applying it: spelling of settings, annotators, surrogates, values allowed."""
    from deid.detection import Detector
    from deid.substitution.registry import chosen_generators

    policy = served_policy(path)
    # An annotator or a generator that does not exist shows only when it is made.
    Detector(policy)
    chosen_generators(policy)
    tell(f"{policy.name}: valid, digest {policy.digest}")


@policy_app.command("expectations")
def policy_expectations(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to write the project.", show_default=False)],
    policy: PolicyFile = None,
) -> None:
    """Write the checks of a policy as a project of Great Expectations: suites and checkpoints in JSON.

    `gx/expectations/document.json` holds the checks of each document, `run.json` those of the whole. These files are
    to be read; changing them does not change the night, which follows the policy.
    """
    from deid.reports.data_docs import write_suites

    say({"project": str(write_suites(chosen_policy(policy), folder))})


@budget_app.command()
def patients() -> None:
    """Tell what patients have spent, from the published documents; neither name nor identifier.

    One line of JSON: number of patients and documents, ε median, at the 95th percentile and greatest. It is an upper
    bound: a value that comes back from one document to another is not drawn again, but is counted.
    """
    from deid.ledger.steps import list_patient_totals

    spent = list_patient_totals()
    epsilons = sorted(epsilon for _, epsilon in spent)
    counts: dict[str, float] = {"patients": len(spent), "documents": sum(documents for documents, _ in spent)}
    if epsilons:
        last = len(epsilons) - 1
        counts |= {"median": epsilons[last // 2], "p95": epsilons[round(0.95 * last)], "most": epsilons[last]}
    say({name: round(count, 4) for name, count in counts.items()})
