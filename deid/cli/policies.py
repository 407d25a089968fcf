"""`policy`: show or check a policy. `budget`: ε on an example, and the patients' spending by the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import chosen_policy, command_group, say, served_policy
from deid.cli.documents import PolicyFile

policy_app = command_group("Montre ou vérifie la politique.")
budget_app = command_group("Explique et compte le budget ε.")

PolicyArgument = Annotated[
    Path | None,
    typer.Argument(metavar="[FICHIER]", help="Sinon NOCTURNE_POLICY, sinon celle fournie.", show_default=False),
]


@policy_app.command("show")
def policy_show(path: PolicyArgument = None) -> None:
    """Montre la politique entière, réglages par défaut compris, en YAML ; la première ligne donne son empreinte."""
    import yaml

    policy = chosen_policy(path)
    typer.echo(f"# {policy.name}, {policy.digest}")
    typer.echo(yaml.safe_dump(policy.model_dump(mode="json"), allow_unicode=True, sort_keys=False).rstrip())


@policy_app.command("validate")
def policy_validate(path: PolicyArgument = None) -> None:
    """Vérifie une politique sans l'appliquer : orthographe des réglages, annotateurs, substituts, valeurs permises."""
    from deid.detection import Detector
    from deid.substitution.registry import chosen_generators

    policy = served_policy(path)
    # An annotator or a generator that does not exist shows only when it is made.
    Detector(policy)
    chosen_generators(policy)
    typer.echo(f"{policy.name} : valable, empreinte {policy.digest}")


@policy_app.command("weights")
def policy_weights(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Dossier de .txt annotés, ou JSON Lines.", show_default=False)
    ],
    policy: PolicyFile = None,
) -> None:
    """Propose le poids de chaque annotateur par étiquette, d'après des documents annotés ; n'écrit aucune politique.

    YAML à coller dans la politique, après lecture : précision et son intervalle à 95 %, nombre de mentions, rappel. Le
    poids fait de la force moyenne d'un annotateur la borne basse de sa précision, sans lui faire perdre ses mentions.
    """
    from deid.detection import Detector
    from deid.detection.staff import NO_STAFF
    from deid.evaluation.annotator_weights import measure_annotators, proposal
    from deid.evaluation.corpus import load_corpus, load_staff

    chosen, documents = served_policy(policy), load_corpus(corpus)
    staff = load_staff(corpus) if corpus.is_dir() else NO_STAFF
    cells = measure_annotators(documents, Detector(chosen, staff), chosen)
    typer.echo(
        f"# {len(documents)} documents, politique {chosen.name} ({chosen.digest}), merge: {chosen.detection.merge}"
    )
    typer.echo("\n".join(proposal(cells, chosen)))


@budget_app.command()
def example(
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FICHIER", help="Politique ; sinon NOCTURNE_POLICY, sinon celle fournie."),
    ] = None,
) -> None:
    """Calcule les tableaux de docs/fr/budget-epsilon.md : M. Durand, ses dates, son âge, sa ville."""
    from deid.evaluation.worked_example import example_tables
    from deid.reference.tables import packaged_tables

    typer.echo("\n\n".join(example_tables(chosen_policy(policy), packaged_tables().communes).values()))


@budget_app.command()
def patients() -> None:
    """Dit ce que les patients ont dépensé, d'après les documents publiés ; ni nom ni identifiant.

    Une ligne JSON : nombre de patients et de documents, ε médian, au 95e centième et le plus grand. C'est une borne
    supérieure : une valeur qui revient d'un document à l'autre n'est pas tirée de nouveau, mais elle est comptée.
    """
    from deid.warehouse.ledger import list_patient_totals

    spent = list_patient_totals()
    epsilons = sorted(epsilon for _, epsilon in spent)
    counts: dict[str, float] = {"patients": len(spent), "documents": sum(documents for documents, _ in spent)}
    if epsilons:
        last = len(epsilons) - 1
        counts |= {"median": epsilons[last // 2], "p95": epsilons[round(0.95 * last)], "most": epsilons[last]}
    say({name: round(count, 4) for name, count in counts.items()})
