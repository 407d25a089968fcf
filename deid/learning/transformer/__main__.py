"""`python -m deid.learning.transformer --config PLAN.yaml --corpus FOLDER --out DIRECTORY`."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer

from deid.errors import NocturneError
from deid.learning import corpus
from deid.learning.transformer import plan as plans
from deid.learning.transformer.training import train

CONFIGS = Path(__file__).parent / "configs"


def main(
    config: Annotated[Path, typer.Option(help="plan, or the name of one that ships: h200, train-small")],
    out: Annotated[Path, typer.Option(help="directory to write")],
    corpus_folder: Annotated[Path, typer.Option("--corpus", help="folder of annotated documents")] = Path(
        "corpus/train"
    ),
    texts: Annotated[list[str] | None, typer.Option(help="pattern of text files; instead of the plan's")] = None,
    minutes: Annotated[float | None, typer.Option(help="of masked words; instead of the plan's")] = None,
    seed: Annotated[int | None, typer.Option(help="instead of the plan's")] = None,
    tune: Annotated[int | None, typer.Option(help="search settings in so many trials instead of training")] = None,
) -> None:
    """Train a tagger and print what was measured, as JSON."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr)
    try:
        shipped = CONFIGS / f"{config.name}.yaml"
        plan = plans.load(shipped if not config.suffix and shipped.is_file() else config)
        plan = changed(plan, texts, minutes, seed)
        documents = corpus.load(corpus_folder)
        if tune is not None:
            from deid.learning.transformer.tuning import tune as search

            best = search(plan, documents, out, tune)
            typer.echo(json.dumps(best.model_dump(mode="json"), indent=2))
        else:
            typer.echo(json.dumps(dict(train(plan, documents, out).measures), indent=2))
    except NocturneError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


def changed(plan: plans.Plan, texts: list[str] | None, minutes: float | None, seed: int | None) -> plans.Plan:
    """The plan with what the command line says instead."""
    values = plan.model_dump()
    if plan.pretraining is not None:
        if texts:
            values["pretraining"]["texts"] = tuple(texts)
        if minutes is not None:
            values["pretraining"]["minutes"] = minutes
    if seed is not None:
        values["seed"] = seed
    return plans.Plan.model_validate(values)


if __name__ == "__main__":
    typer.run(main)
