"""`train`: the learned annotators, from annotated documents."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """Models that the command trains."""

    CRF = "crf"
    BILSTM_CRF = "bilstm_crf"
    BOTH = "both"


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(train)


def train(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS...",
            help="Dossiers de .txt annotés [[LABEL|texte]], ou fichiers .jsonl de « annotations export ».",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Dossier où écrire les modèles.", show_default=False)],
    kind: Annotated[Kind, typer.Option("--kind", help="Annotateur à entraîner.")] = Kind.BOTH,
    embeddings: Annotated[
        Path | None,
        typer.Option("--embeddings", help="Vecteurs de départ (par défaut ceux du modèle livré).", show_default=False),
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="Recette réduite : une minute, modèles médiocres.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Graine ; la même donne les mêmes modèles.")] = 2026,
) -> None:
    """Entraîne le CRF et le BiLSTM-CRF sur des documents annotés.

    La politique les prend par l'option « model » de leur annotateur. Le transformer a sa propre commande :
    python -m deid.learning.transformer --help
    """
    from dataclasses import replace

    from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
    from deid.evaluation.corpus import load_corpus
    from deid.learning.taggers.training import FULL, KINDS, SMALL
    from deid.learning.taggers.training import train_tagger as train_one

    documents = [one for folder in folders for one in load_corpus(folder)]
    recipe = replace(SMALL if small else FULL, seed=seed)
    for name in KINDS if kind is Kind.BOTH else (kind.value,):
        rows = None if small else load_embeddings(embeddings or PACKAGED_EMBEDDINGS)
        folder = train_one(name, documents, recipe, out, rows)
        typer.echo(f"{name} : {len(documents)} documents, modèle dans {folder}")
