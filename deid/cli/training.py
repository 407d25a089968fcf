"""`train`: train the learned annotators on annotated documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deid.cli import lines

if TYPE_CHECKING:
    from deid.evaluation.corpus import GoldDocument
    from deid.learning.taggers.training import Recipe
    from deid.learning.transformer.plan import Plan

Kind = Literal["crf", "bilstm_crf", "flair", "transformer", "both", "all"]


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
    kind: Annotated[Kind, typer.Option("--kind", help="Annotateur à entraîner ; both : crf et bilstm_crf.")] = "both",
    embeddings: Annotated[
        Path | None,
        typer.Option("--embeddings", help="Vecteurs de départ (par défaut ceux du modèle livré).", show_default=False),
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="Recette réduite : une minute, modèles médiocres.")] = False,
    open_corpora: Annotated[
        list[Path] | None,
        typer.Option(
            "--open",
            metavar="FICHIER",
            help="Corpus ouvert (WikiNER… en JSON Lines, dossier de QUAERO) pour une première étape des réseaux.",
            show_default=False,
        ),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option(
            "--texts",
            metavar="FICHIER",
            help="Textes sans annotation (.txt, .jsonl, .xz), en plus, pour les caractères de flair.",
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", min=0.0, help="Pas d'apprentissage du réseau, si la perte diverge.", show_default=False),
    ] = None,
    canaries: Annotated[
        int | None,
        typer.Option(
            "--canaries",
            metavar="GRAINE",
            help="Ajouter au corpus des phrases inventées, pour « models check ».",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Graine ; la même donne les mêmes modèles.")] = 2026,
    continued: Annotated[
        Path | None,
        typer.Option(
            "--continue",
            metavar="MODÈLE",
            help="BiLSTM-CRF à adapter à ces documents relus, au lieu d’en entraîner un nouveau.",
            show_default=False,
        ),
    ] = None,
    remember: Annotated[
        list[Path] | None,
        typer.Option(
            "--remember",
            metavar="CORPUS",
            help="Avec --continue : documents déjà appris, dont une part est relue pour ne pas les oublier.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            help="Transformer : plan YAML, ou le nom d'un plan livré (fine-tune, compact…).",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start", help="Transformer : dossier de l'encodeur, au lieu de celui du plan.", show_default=False
        ),
    ] = None,
    unlabelled: Annotated[
        Path | None,
        typer.Option(
            "--unlabelled",
            metavar="FICHIER",
            help="Documents non annotés (JSON Lines de « detect »), avec --second ou --teacher.",
            show_default=False,
        ),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option(
            "--second",
            metavar="MODÈLE",
            help="Modèle d’un autre type : on apprend aussi ce sur quoi les deux s’accordent.",
            show_default=False,
        ),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(
            "--teacher",
            metavar="MODÈLE",
            help="Modèle plus grand, dont le BiLSTM-CRF apprend les probabilités.",
            show_default=False,
        ),
    ] = None,
    tune: Annotated[
        int | None,
        typer.Option(
            "--tune",
            min=1,
            help="Transformer : chercher les réglages en tant d'essais.",
            show_default=False,
        ),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option("--study", help="Nom de l'étude dans NOCTURNE_TUNING_DSN, avec --tune.", show_default=False),
    ] = None,
) -> None:
    """Entraîne les annotateurs appris sur des documents annotés.

    Avec --continue, adapte un BiLSTM-CRF à des documents relus, d'un auteur ou d'un service.

    Interrompu, l'entraînement d'un réseau reprend à son dernier point de contrôle par la même commande ; le modèle
    précédent reste en place jusqu'à la fin.

    Avec --kind transformer, affine un encodeur selon un plan (docs/training.md). La politique prend les modèles par
    l'option « model » de leur annotateur.
    """
    from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
    from deid.evaluation.corpus import load_corpus
    from deid.learning.memorisation import plant_canaries, record_canaries
    from deid.learning.taggers import training
    from deid.learning.taggers.pretraining import open_corpus

    documents = [one for folder in folders for one in load_corpus(folder)]
    if canaries is not None:
        documents = plant_canaries(documents, canaries)
    if continued is not None:
        from deid.learning.taggers.continuation import KIND, REVIEWED, continue_network

        known = [one for folder in remember or () for one in load_corpus(folder)]
        folder = continue_network(continued, known, documents, out, replace(REVIEWED, seed=seed))
        if canaries is not None:
            record_canaries(folder, canaries)
        typer.echo(f"{KIND} : {len(documents)} documents de plus, modèle dans {folder}")
        return
    if kind == "transformer" and unlabelled is None:
        settings = _plan(plan or Path("train-small" if small else "fine-tune"), start, seed)
        if tune is None:
            _train_transformer(documents, out / kind, settings)
        else:
            from deid.learning.transformer import tuning

            tuning.tune(settings, documents, out / "tuning", tune, study=study)
            typer.echo(f"Meilleur plan : {out / 'tuning' / tuning.BEST}")
        return
    recipe = replace(training.SMALL if small else training.FULL, seed=seed)
    if rate is not None:
        bilstm, flair = (replace(one, rate=rate) for one in (recipe.bilstm, recipe.flair))
        recipe = replace(recipe, bilstm=bilstm, flair=flair)
    absent = training.labels_without_example(documents)
    if absent:
        typer.echo(f"Sans exemple, donc jamais reconnus : {', '.join(absent)}", err=True)
    if unlabelled is not None or second is not None or teacher is not None:
        _train_unlabelled(kind, documents, recipe, out, unlabelled, second, teacher)
        return
    kinds = {"both": training.SHIPPED, "all": training.KINDS}.get(kind, (kind,))
    for corpus in map(open_corpus, open_corpora or ()):
        typer.echo(f"{corpus.file} : {corpus.licence}", err=True)
    for name in kinds:
        rows = None if small else load_embeddings(embeddings or PACKAGED_EMBEDDINGS)
        unread = name == "crf" and len(kinds) > 1  # it learns from complete annotations only
        given = () if unread else open_corpora or ()
        folder = training.train_tagger(name, documents, recipe, out, rows, open_corpora=given, texts=texts or ())
        if canaries is not None:
            record_canaries(folder, canaries)
        typer.echo(f"{name} : {len(documents)} documents, modèle dans {folder}")


def _plan(name: Path, start: Path | None, seed: int) -> Plan:
    from deid.learning.transformer import plan as plans

    values = plans.find_plan(name).model_dump() | {"seed": seed}
    if start is not None:
        values |= {"start": str(start), "encoder": None, "pretraining": None}
    return plans.Plan.model_validate(values)


def _train_transformer(documents: Sequence[GoldDocument], out: Path, plan: Plan) -> None:
    from accelerate import PartialState

    from deid.learning.transformer.training import train_transformer

    card = train_transformer(plan, documents, out)
    if not PartialState().is_main_process:
        return
    scores = ", ".join(f"{name} {value:.3f}" for name, value in card.measures.items())
    typer.echo(f"transformer : {len(documents)} documents, modèle dans {out} ({scores})")


def _train_unlabelled(
    kind: Kind,
    documents: list[GoldDocument],
    recipe: Recipe,
    out: Path,
    unlabelled: Path | None,
    second: Path | None,
    teacher: Path | None,
) -> None:
    from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
    from deid.learning.self_training import RECORD, distil, self_train
    from deid.learning.taggers.training import FULL

    if kind not in ("crf", "bilstm_crf", "both") or unlabelled is None or (second is None) == (teacher is None):
        raise typer.BadParameter("--unlabelled va avec --second ou avec --teacher, pour un crf ou un bilstm_crf.")
    refusals = lines.Refusals()
    texts = [one.document for one in lines.read_lines(unlabelled, lines.read_incoming, refusals)]
    rows = load_embeddings(PACKAGED_EMBEDDINGS) if recipe.bilstm.shape == FULL.bilstm.shape else None
    if second is not None:
        name = "bilstm_crf" if kind == "both" else kind
        decision = self_train(name, documents, texts, second, recipe, out, rows)
    else:
        name = "bilstm_crf"
        decision = distil(documents, texts, teacher or out, recipe, out, rows)
    said = "retenu" if decision.kept else "écarté ; le modèle sans documents non annotés reste"
    typer.echo(
        f"{name} : documents sans reste {decision.before:.1%} puis {decision.after:.1%} "
        f"({100 * decision.low:+.1f} à {100 * decision.high:+.1f} points) : {said} ({out / RECORD})"
    )
    if refusals.count:
        raise typer.Exit(1)
