"""`policy weights`, `budget example`, `references map`: what the laboratory measures or draws for those who decide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import chosen_policy, served_policy
from deid.cli.documents import PolicyFile
from deid.cli.language import tell


def policy_weights(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Folder of annotated .txt, or JSON Lines.", show_default=False)
    ],
    policy: PolicyFile = None,
) -> None:
    """Propose the weight of each annotator by label, from annotated documents; writes no policy.

    YAML to paste into the policy, once read: precision and its interval of 95 %, number of mentions, recall. The weight
    makes of an annotator's mean strength the lower bound of its precision, without losing its mentions.
    """
    from deid.detection import Detector
    from deid.detection.lookup.staff import NO_STAFF
    from nocturne_lab.evaluation.annotator_weights import measure_annotators, proposal
    from nocturne_lab.evaluation.corpus import load_corpus, load_staff

    chosen, documents = served_policy(policy), load_corpus(corpus)
    staff = load_staff(corpus) if corpus.is_dir() else NO_STAFF
    cells = measure_annotators(documents, Detector(chosen, staff), chosen)
    tell(f"# {len(documents)} documents, policy {chosen.name} ({chosen.digest}), merge: {chosen.detection.merge}")
    typer.echo("\n".join(proposal(cells, chosen)))


def example(
    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FILE", help="Policy; else NOCTURNE_POLICY, else the one that ships."),
    ] = None,
) -> None:
    """Compute the tables of docs/fr/budget-epsilon.md: Mr Durand, his dates, his age, his town."""
    from deid.reference.tables import packaged_tables
    from nocturne_lab.evaluation.worked_example import example_tables

    typer.echo("\n\n".join(example_tables(chosen_policy(policy), packaged_tables().communes).values()))


def references_map(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write, .svg or .png.")] = Path(
        "territories.svg"
    ),
    packaged: Annotated[
        bool, typer.Option("--packaged", help="The communes that ship with the product, without a database.")
    ] = False,
) -> None:
    """Draw the territories: the communes among which a place is drawn.

    Those of the version of the communes in use; the file loads nothing from elsewhere.
    """
    from deid.nightly import runtime
    from deid.reference.tables import packaged_tables
    from nocturne_lab.evaluation.territory_map import draw_map as draw_territories

    if output.suffix.lower() not in (".svg", ".png"):
        raise typer.BadParameter("the file ends in .svg or .png")
    table = packaged_tables().communes if packaged else runtime.tables().communes
    draw_territories(table, output)
    tell(f"{output}: {len(table.partition)} territories, {table.partition_digest[:16]}")
