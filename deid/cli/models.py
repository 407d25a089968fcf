"""`models`: the registry of the hospital's own models: what serves, a person's decision, the way back.

`nocturne-lab` adds what makes and measures a model (`nocturne_lab.cli.models`).
"""

from __future__ import annotations

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid.cli.console import chosen_policy, command_group, say
from deid.cli.language import complain

if TYPE_CHECKING:
    from deid.ledger.models import Model

app = command_group("Keep the registry of the hospital's models.")

Digest = Annotated[str, typer.Argument(metavar="DIGEST", help="Its digest in `models list`, or the beginning of it.")]
Directory = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of a model.", exists=True, file_okay=False)]
Motive = Annotated[str, typer.Option("--reason", metavar="REASON", help="10 to 200 characters; no name.")]


@app.command("list")
def models_list(
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="For example bilstm_crf.")] = None,
) -> None:
    """Write one line of JSON per model, the latest first, without its figures."""
    from deid.ledger.models import list_models

    for model in list_models(kind=kind):
        say(_line_of(model))


@app.command()
def show(digest: Digest) -> None:
    """Show a model: state, decision, figures of its last comparison, folder."""
    from deid.ledger.models import find_model
    from deid.models.directories import place

    model = find_model(digest)
    say({**_line_of(model), "metrics": model.metrics, "directory": place(model.kind, model.hash)})


@app.command()
def promote(digest: Digest, reason: Motive) -> None:
    """Put a model in service, from the next night on; a data steward's decision, written to the audit trail.

    Connects as the steward (NOCTURNE_STEWARD_DSN): who lacks that right does not decide. Refused if it was not compared
    with the model in service. A night under way keeps the model with which it began.
    """
    from deid.ledger.models import promote_model
    from deid.models.directories import asked_kinds

    model = promote_model(digest, getpass.getuser(), reason)
    say({"kind": model.kind, "serving": model.hash})
    if model.kind not in asked_kinds(chosen_policy(None)):
        complain(f"the policy in force does not ask the registry for {model.kind} (model: registry): nothing changes.")


@app.command()
def refuse(digest: Digest, reason: Motive) -> None:
    """Refuse a candidate; a new comparison can restore it. Connects as the steward; written to the audit trail."""
    from deid.ledger.models import refuse_model

    model = refuse_model(digest, getpass.getuser(), reason)
    say({"kind": model.kind, "refused": model.hash})


@app.command()
def rollback(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="For example bilstm_crf.")],
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="Why; no name.")] = "",
) -> None:
    """Put the former model in service again, in the end the one that ships. Connects as the steward; in the audit
    trail.
    """
    from deid.ledger.models import roll_back_model

    say({"kind": kind, "serving": roll_back_model(kind, getpass.getuser(), reason) or None})


@app.command()
def tokenizer(directory: Directory) -> None:
    """Convert the vocab.json and merges.txt of a FlauBERT to the tokenizer.json that it is published without."""
    from deid.detection.annotators.transformer.flaubert import convert

    say({"tokenizer": convert(directory)})


def _line_of(model: Model) -> dict[str, Any]:
    kept = {name: value for name, value in asdict(model).items() if name != "metrics" and value not in (None, "")}
    if model.compared_with is not None:
        kept["compared_with"] = model.compared_with or "shipped"
    return kept
