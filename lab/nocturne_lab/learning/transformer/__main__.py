"""`python -m nocturne_lab.learning.transformer --config PLAN.yaml --corpus FOLDER --out DIRECTORY`."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from accelerate import PartialState

from deid.detection.annotators.transformer import Transformer
from deid.detection.text.reading import Reading
from deid.domain.errors import NocturneError
from nocturne_lab.evaluation import corpus
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning import held_out
from nocturne_lab.learning.transformer import plan as plans
from nocturne_lab.learning.transformer.training import train_transformer
from nocturne_lab.learning.transformer.watched import Watched


def main(
    config: Annotated[
        Path, typer.Option(help="plan, or the name of one that ships: compact, teacher, student, train-small")
    ],
    out: Annotated[Path, typer.Option(help="directory to write")],
    corpus_folder: Annotated[Path, typer.Option("--corpus", help="folder of annotated documents")] = Path(
        "corpus/train"
    ),
    texts: Annotated[list[str] | None, typer.Option(help="pattern of text files; instead of the plan's")] = None,
    minutes: Annotated[float | None, typer.Option(help="of masked words; instead of the plan's")] = None,
    seed: Annotated[int | None, typer.Option(help="instead of the plan's")] = None,
    tune: Annotated[int | None, typer.Option(help="search settings in so many trials instead of training")] = None,
    study: Annotated[
        str | None, typer.Option(help="with --tune: name of the study in NOCTURNE_TUNING_DSN; derived if left out")
    ] = None,
    without: Annotated[list[str] | None, typer.Option(help="author whose documents are not learned from")] = None,
    held_out_folder: Annotated[
        Path | None, typer.Option("--held-out", help="folder that keeps what is said of these authors' documents")
    ] = None,
    start: Annotated[str | None, typer.Option(help="directory of the encoder; instead of the plan's")] = None,
    curve: Annotated[
        Path | None, typer.Option(help="file (JSON Lines) that gets what each epoch makes of these authors' documents")
    ] = None,
) -> None:
    """Train a tagger and print the measures as JSON.

    With `held_out_folder`, save the distributions on documents of the authors left out, for `make ablation`; with
    `curve`, measure each epoch on them, which decides nothing.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stderr)
    try:
        plan = changed(plans.find_plan(config), texts, minutes, seed)
        if start is not None:
            plan = plan.started_from(Path(start))
        everything = corpus.load_corpus(corpus_folder)
        documents = [one for one in everything if one.author not in (without or ())]
        left_out = [one for one in everything if one.author in (without or ())]
        if tune is not None:
            from nocturne_lab.learning.transformer.tuning import tune as search

            best = search(plan, documents, out, tune, study=study)
            typer.echo(json.dumps(best.model_dump(mode="json"), indent=2))
        else:
            watched = Watched(left_out, curve) if curve is not None and left_out else None
            card = train_transformer(plan, documents, out, watched)
            if not PartialState().is_main_process:
                return
            typer.echo(json.dumps(dict(card.measures), indent=2))
            if held_out_folder is not None:
                save_held_out(out, left_out, held_out_folder)
    except NocturneError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


def save_held_out(model: Path, documents: Sequence[GoldDocument], folder: Path) -> None:
    """Save a model's distributions on documents outside its training set (`nocturne_lab.learning.held_out`)."""
    annotator = Transformer(str(model), precision="fp32")
    found = annotator.distributions([Reading(one.document) for one in documents])
    held_out.save_distributions(
        folder, annotator.name, {one.document.id: rows for one, rows in zip(documents, found, strict=True)}
    )


def changed(plan: plans.Plan, texts: list[str] | None, minutes: float | None, seed: int | None) -> plans.Plan:
    """Return the plan with the options of the command line."""
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
