"""`train`: train the learned annotators on annotated documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deid.cli import lines
from deid.cli.language import colon, tell

if TYPE_CHECKING:
    from nocturne_lab.evaluation.corpus import GoldDocument
    from nocturne_lab.learning.taggers.training import Recipe
    from nocturne_lab.learning.transformer.plan import Plan

Kind = Literal["crf", "bilstm_crf", "flair", "encoder_bilstm_crf", "transformer", "both", "all"]


def train(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS...",
            help="Folders of annotated .txt [[LABEL|text]], or .jsonl files of “annotations export”.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder to write the models to.", show_default=False)],
    kind: Annotated[Kind, typer.Option("--kind", help="Annotator to train; both: crf and bilstm_crf.")] = "both",
    embeddings: Annotated[
        Path | None,
        typer.Option(
            "--embeddings", help="Initial vectors (by default those of the model that ships).", show_default=False
        ),
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="Reduced recipe: one minute, poor models.")] = False,
    open_corpora: Annotated[
        list[Path] | None,
        typer.Option(
            "--open",
            metavar="FILE",
            help="Open corpus (WikiNER… as JSON Lines, folder of QUAERO) for a first stage of the networks.",
            show_default=False,
        ),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option(
            "--texts",
            metavar="FILE",
            help="Texts without annotation (.txt, .jsonl, .xz), in addition, for the characters of flair.",
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option("--rate", min=0.0, help="Learning rate of the network, if the loss diverges.", show_default=False),
    ] = None,
    bound: Annotated[
        float | None,
        typer.Option(
            "--bound",
            min=0.0,
            max=1.0,
            help="Networks: bounds the loss of wrong labels (0.3 is measured); 0: no bound.",
            show_default=False,
        ),
    ] = None,
    least_confidence: Annotated[
        float | None,
        typer.Option(
            "--least-confidence",
            min=0.0,
            max=1.0,
            help="Confidence under which a mention leaves its sentence out (0.5 without the option).",
            show_default=False,
        ),
    ] = None,
    canaries: Annotated[
        int | None,
        typer.Option(
            "--canaries",
            metavar="SEED",
            help="Add invented sentences to the corpus, for “models check”.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed; the same gives the same models.")] = 2026,
    continued: Annotated[
        Path | None,
        typer.Option(
            "--continue",
            metavar="MODEL",
            help="BiLSTM-CRF to adapt to these reviewed documents, instead of training a new one.",
            show_default=False,
        ),
    ] = None,
    remember: Annotated[
        list[Path] | None,
        typer.Option(
            "--remember",
            metavar="CORPUS",
            help="With --continue: documents already learned, part of which is read again so as not to forget them.",
            show_default=False,
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            help="Transformer: YAML plan, or the name of a plan that ships (fine-tune, compact…).",
            show_default=False,
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--start",
            help=(
                "Folder of the encoder: transformer, instead of the plan's; encoder_bilstm_crf, of the "
                "model that ships."
            ),
            show_default=False,
        ),
    ] = None,
    unlabelled: Annotated[
        Path | None,
        typer.Option(
            "--unlabelled",
            metavar="FILE",
            help="Documents without annotation (JSON Lines of “detect”), with --second or --teacher.",
            show_default=False,
        ),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option(
            "--second",
            metavar="MODEL",
            help="Model of another type: what both agree on is learned as well.",
            show_default=False,
        ),
    ] = None,
    teacher: Annotated[
        Path | None,
        typer.Option(
            "--teacher",
            metavar="MODEL",
            help="Larger model, whose probabilities the BiLSTM-CRF learns.",
            show_default=False,
        ),
    ] = None,
    taught: Annotated[
        float | None,
        typer.Option(
            "--taught",
            min=0.0,
            max=1.0,
            help="With --teacher: weight of the teacher against the labels (0.5 without the option).",
            show_default=False,
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(
            "--temperature",
            min=0.1,
            help="With --teacher: softens the probabilities (2 without the option).",
            show_default=False,
        ),
    ] = None,
    tune: Annotated[
        int | None,
        typer.Option("--tune", min=1, help="Transformer: search the settings in that many trials.", show_default=False),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option("--study", help="Name of the study in NOCTURNE_TUNING_DSN, with --tune.", show_default=False),
    ] = None,
) -> None:
    """Train the learned annotators on annotated documents.

    With --continue, adapts a BiLSTM-CRF to reviewed documents, of an author or a service.

    Interrupted, the training of a network resumes at its last checkpoint by the same command, that of a CRF starts
    again; the former model stays in place until the end.

    With --kind transformer, fine-tunes an encoder by a plan (docs/training.md). The policy takes the models by the
    option “model” of their annotator.
    """
    from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
    from nocturne_lab.learning.memorisation import record_canaries, with_canaries
    from nocturne_lab.learning.taggers import training
    from nocturne_lab.learning.taggers.pretraining import open_corpus

    kinds = {"both": training.SHIPPED, "all": training.KINDS}.get(kind, (kind,))
    further = any(one is not None for one in (unlabelled, second, teacher))
    if continued is not None:
        read = {"--remember"}
    elif further:
        network = teacher is not None or kind != "crf"
        read = {"--least-confidence"} | ({"--rate", "--bound"} if network else set())
        read |= {"--taught", "--temperature"} if teacher is not None else set()
    elif kind == "transformer":
        read = {"--plan", "--start", "--tune", "--study", "--least-confidence"}
    else:
        networks = {"--open", "--embeddings", "--rate", "--bound"} if set(kinds) - {"crf"} else set()
        read = {"--least-confidence"} | networks | ({"--texts"} if "flair" in kinds else set())
        read |= {"--start"} if "encoder_bilstm_crf" in kinds else set()
    _refuse_unread(
        read,
        {
            "--open": open_corpora,
            "--texts": texts,
            "--embeddings": embeddings,
            "--rate": rate,
            "--bound": bound,
            "--least-confidence": least_confidence,
            "--remember": remember,
            "--plan": plan,
            "--start": start,
            "--taught": taught,
            "--temperature": temperature,
            "--tune": tune,
            "--study": study,
        },
    )
    documents = distinct(folders)
    if continued is not None:
        from nocturne_lab.learning.taggers.continuation import KIND, REVIEWED, continue_network

        corrected = {one.document.text for one in documents}
        known = [one for one in distinct(remember or ()) if one.document.text not in corrected]
        documents = with_canaries(documents, canaries)
        folder = continue_network(continued, known, documents, out, replace(REVIEWED, seed=seed))
        if canaries is not None:
            record_canaries(folder, canaries)
        tell(f"{KIND}: {len(documents)} documents more, model in {folder}")
        return
    if kind == "transformer" and not further:
        settings = _plan(plan or Path("train-small" if small else "fine-tune"), start, seed, least_confidence)
        documents = with_canaries(documents, canaries, settings.fine_tuning.held_out, settings.seed)
        if tune is None:
            _train_transformer(documents, out / kind, settings, canaries)
        else:
            from nocturne_lab.learning.transformer import tuning

            tuning.tune(settings, documents, out / "tuning", tune, study=study)
            tell(f"Best plan: {out / 'tuning' / tuning.BEST}")
        return
    recipe = replace(training.SMALL if small else training.FULL, seed=seed)
    asked = {"rate": rate, "bound": bound, "taught": taught, "temperature": temperature}
    recipe = recipe.with_networks(**{name: value for name, value in asked.items() if value is not None})
    if least_confidence is not None:
        recipe = replace(recipe, least_confidence=least_confidence)
    absent = training.labels_without_example(documents, recipe.least_confidence)
    if absent:
        tell(f"Without an example, hence never recognised: {', '.join(absent)}", err=True)
    if further:
        _train_unlabelled(kind, documents, recipe, out, unlabelled, second, teacher, canaries)
        return
    documents = with_canaries(documents, canaries)
    for corpus in map(open_corpus, open_corpora or ()):
        typer.echo(f"{corpus.file}{colon()}{corpus.licence}", err=True)
    for name in kinds:
        rows = None if small else load_embeddings(embeddings or PACKAGED_EMBEDDINGS)
        unread = name == "crf" and len(kinds) > 1  # it learns from complete annotations only
        given = () if unread else open_corpora or ()
        folder = training.train_tagger(
            *(name, documents, recipe, out, rows),
            open_corpora=given,
            texts=texts or (),
            encoder=start or training.PACKAGED_ENCODER,
        )
        if canaries is not None:
            record_canaries(folder, canaries)
        tell(f"{name}: {len(documents)} documents, model in {folder}")


def distinct(corpora: Sequence[Path]) -> list[GoldDocument]:
    """Return the documents of corpora, each once; tell how many readings were left out.

    Raises:
        InputRefused: a corpus cannot be read, or two readings of a document differ.
    """
    from nocturne_lab.evaluation.corpus import load_corpus
    from nocturne_lab.learning.exchange.adjudication import distinct_documents

    documents, repeated = distinct_documents(one for corpus in corpora for one in load_corpus(corpus))
    if repeated:
        tell(f"{repeated} double readings left out", err=True)
    return documents


def _refuse_unread(read: Set[str], given: Mapping[str, object]) -> None:
    """Refuse options that this training would not read."""
    unread = [name for name, value in given.items() if value not in (None, []) and name not in read]
    if unread:
        raise typer.BadParameter(
            f"without effect on this training: {', '.join(unread)} (see docs/training.md)", param_hint=unread[0]
        )


def _plan(name: Path, start: Path | None, seed: int, least_confidence: float | None) -> Plan:
    from nocturne_lab.learning.transformer import plan as plans

    plan = plans.find_plan(name)
    values = (plan if start is None else plan.started_from(start)).model_dump() | {"seed": seed}
    if least_confidence is not None:
        values["fine_tuning"]["least_confidence"] = least_confidence
    return plans.Plan.model_validate(values)


def _train_transformer(documents: Sequence[GoldDocument], out: Path, plan: Plan, canaries: int | None) -> None:
    from accelerate import PartialState

    from nocturne_lab.learning.memorisation import record_canaries
    from nocturne_lab.learning.transformer.training import train_transformer

    card = train_transformer(plan, documents, out)
    if not PartialState().is_main_process:
        return
    if canaries is not None:
        record_canaries(out, canaries)
    scores = ", ".join(f"{name} {value:.3f}" for name, value in card.measures.items())
    tell(f"transformer: {len(documents)} documents, model in {out} ({scores})")


def _train_unlabelled(
    kind: Kind,
    documents: list[GoldDocument],
    recipe: Recipe,
    out: Path,
    unlabelled: Path | None,
    second: Path | None,
    teacher: Path | None,
    canaries: int | None,
) -> None:
    from deid.detection.taggers.bilstm import PACKAGED_EMBEDDINGS, load_embeddings
    from nocturne_lab.learning.memorisation import record_canaries, with_canaries
    from nocturne_lab.learning.self_training import HELD_OUT, RECORD, distil, self_train
    from nocturne_lab.learning.taggers.training import FULL

    if kind not in ("crf", "bilstm_crf", "both") or unlabelled is None or (second is None) == (teacher is None):
        raise typer.BadParameter("--unlabelled goes with --second or with --teacher, for a crf or a bilstm_crf.")
    documents = with_canaries(documents, canaries, HELD_OUT, recipe.seed)
    refusals = lines.Refusals()
    texts = [one.document for one in lines.read_lines(unlabelled, lines.read_incoming, refusals)]
    rows = load_embeddings(PACKAGED_EMBEDDINGS) if recipe.bilstm.shape == FULL.bilstm.shape else None
    if second is not None:
        name = "bilstm_crf" if kind == "both" else kind
        decision = self_train(name, documents, texts, second, recipe, out, rows)
    else:
        name = "bilstm_crf"
        decision = distil(documents, texts, teacher or out, recipe, out, rows)
    if canaries is not None:
        record_canaries(out / name, canaries)
    said = "kept" if decision.kept else "set aside; the model without unannotated documents stays"
    tell(
        f"{name}: documents without a remainder {decision.before:.1%} then {decision.after:.1%} "
        f"({100 * decision.low:+.1f} to {100 * decision.high:+.1f} points): {said} ({out / RECORD})"
    )
    if refusals.count:
        raise typer.Exit(1)
