"""`evaluate` and `score`: predicted mentions against those that people, or the synthetic hospital, marked."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid.cli.guarding import REFUSED
from deid.cli.lines import Refusals, records

if TYPE_CHECKING:
    from deid.evaluation.scoring import Evaluation, Judged


class Scheme(StrEnum):
    """Names of `deid.domain.labels.SCHEMES`."""

    NOCTURNE = "nocturne"
    COARSE = "coarse"
    T22 = "t22"
    T23 = "t23"
    E24 = "e24"
    APHP = "aphp"
    HIPAA = "hipaa"


class Grouping(StrEnum):
    """Documents grouped by type or author, for figures of each group."""

    TYPE = "type"
    AUTHOR = "author"


SchemeChoice = Annotated[Scheme, typer.Option("--scheme", help="Jeu de classes des tableaux.")]
AsJson = Annotated[bool, typer.Option("--json", help="Tous les chiffres, pour tous les jeux de classes, en JSON.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Tableaux Markdown ; c'est le choix par défaut.")]
By = Annotated[
    Grouping | None,
    typer.Option("--by", help="Détailler aussi par type de document ou par auteur.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(evaluate)
    app.command()(score)


def evaluate(
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="REFERENCE", help="Dossier de .txt annotés [[LABEL|texte]], ou JSON Lines.", show_default=False
        ),
    ],
    predicted: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTION", help="JSON Lines de « detect », ou - : entrée standard.", show_default=False
        ),
    ],
    scheme: SchemeChoice = Scheme.NOCTURNE,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    by: By = None,
) -> None:
    """Compare des mentions à celles d'une référence annotée.

    Précision, rappel et F1 par classe : exacts (mêmes bornes), par chevauchement (au moins un caractère commun), par
    mot. Part des caractères identifiants couverts ; part des documents où il n'en reste aucun. Un document de la
    référence sans prédiction compte comme si rien n'y avait été trouvé, et le code de retour est 1.
    """
    _one_output(as_json, as_markdown)
    refusals = Refusals()
    documents = _paired(_gold(gold, refusals), predicted, refusals)
    _show(documents, scheme, by, as_json=as_json)
    if refusals.count:
        raise typer.Exit(REFUSED)


def score(
    run_id: Annotated[int, typer.Argument(metavar="PASSAGE", help="Numéro du passage (run_id).", show_default=False)],
    scheme: SchemeChoice = Scheme.NOCTURNE,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    by: By = None,
) -> None:
    """Note un passage sur l'hôpital fictif.

    Ses vraies mentions sont connues. Mêmes mesures que « evaluate ». Les documents corrigés ou retirés depuis
    ne comptent pas.
    """
    from deid.evaluation.run_scores import judged

    _one_output(as_json, as_markdown)
    _show(list(judged(run_id)), scheme, by, as_json=as_json)


def _one_output(as_json: bool, as_markdown: bool) -> None:
    if as_json and as_markdown:
        raise typer.BadParameter("choisir --json ou --markdown, pas les deux")


def _gold(path: Path, refusals: Refusals) -> dict[str, Judged]:
    """The reference's documents by id, nothing predicted yet."""
    from deid.cli.records import gold
    from deid.evaluation.corpus import load_corpus
    from deid.evaluation.scoring import Judged

    if not path.is_dir():
        marked = records(path, gold, refusals)
        return {one.id: Judged(one.id, one.text or "", one.mentions, (), one.type) for one in marked}
    return {
        one.document.id: Judged(
            one.document.id,
            one.document.text,
            one.mentions,
            (),
            (one.document.type or "").casefold() or None,
            one.author,
        )
        for one in load_corpus(path)
    }


def _paired(gold: dict[str, Judged], predicted: Path, refusals: Refusals) -> list[Judged]:
    """The reference with what was predicted for it."""
    from dataclasses import replace

    from deid.cli.records import marked

    waiting = dict(gold)
    for prediction in records(predicted, marked, refusals):
        document = waiting.pop(prediction.id, None)
        if document is None:
            refusals.tell(f"document {prediction.id} : absent de la référence")
        elif prediction.mentions and prediction.mentions[-1].end > len(document.text):
            refusals.tell(f"document {prediction.id} : une mention dépasse la fin du texte de référence")
        else:
            gold[prediction.id] = replace(document, predicted=prediction.mentions)
    for document_id in waiting:
        refusals.tell(f"document {document_id} : aucune prédiction")
    return list(gold.values())


def _show(documents: list[Judged], scheme: Scheme, by: Grouping | None, *, as_json: bool) -> None:
    from deid.evaluation.scoring import evaluate as evaluated
    from deid.evaluation.scoring import evaluate_by

    whole = evaluated(documents)
    groups = evaluate_by(documents, lambda one: getattr(one, by)) if by else {}
    typer.echo(_json(whole, by, groups) if as_json else _markdown(whole, scheme, by, groups))


def _json(whole: Evaluation, by: Grouping | None, groups: dict[str, Evaluation]) -> str:
    figures = whole.as_json()
    if by:
        figures[f"by_{by}"] = {name: evaluation.as_json() for name, evaluation in groups.items()}
    return json.dumps(figures, ensure_ascii=False, indent=2)


def _markdown(whole: Evaluation, scheme: Scheme, by: Grouping | None, groups: dict[str, Evaluation]) -> str:
    from deid.evaluation.score_tables import class_table, summary_table

    parts = [summary_table({"tous": whole}, "ensemble", scheme), class_table(whole, scheme)]
    if by:
        heading = "type de document" if by is Grouping.TYPE else "auteur"
        parts.append(summary_table(groups, heading, scheme))
    return "\n\n".join(parts)
