"""`evaluate` and `score`: predicted mentions against those marked by people or by the synthetic hospital."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deid.cli.console import REFUSED
from deid.cli.lines import Refusals, read_gold, read_lines, read_marked

if TYPE_CHECKING:
    from deid.evaluation.scoring import Evaluation, Judged

Scheme = Literal[
    "nocturne", "coarse", "t22", "t23", "e24", "aphp", "parhaf", "hipaa"
]  # of `deid.domain.labels.SCHEMES`
Grouping = Literal["type", "author"]  # figures for each type of document, or each author

SchemeChoice = Annotated[Scheme, typer.Option("--scheme", help="Jeu de classes des tableaux.")]
AsJson = Annotated[bool, typer.Option("--json", help="Tous les chiffres, pour tous les jeux de classes, en JSON.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Tableaux Markdown ; c'est le choix par défaut.")]
By = Annotated[
    Grouping | None,
    typer.Option("--by", help="Détailler aussi par type de document ou par auteur.", show_default=False),
]


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
    scheme: SchemeChoice = "nocturne",
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    by: By = None,
) -> None:
    """Compare des mentions à celles d'une référence annotée.

    Précision, rappel et F1 par classe : exacts (mêmes bornes), par chevauchement (au moins un caractère commun), par
    mot. Part des caractères identifiants couverts ; part des documents où il n'en reste aucun. Un document de la
    référence sans prédiction compte comme si rien n'y avait été trouvé, et le code de retour est 1.
    """
    _check_one_output(as_json, as_markdown)
    refusals = Refusals()
    documents = _pair_predictions(_read_reference(gold, refusals), predicted, refusals)
    print_figures(documents, scheme, by, as_json=as_json)
    if refusals.count:
        raise typer.Exit(REFUSED)


def score(
    run_id: Annotated[int, typer.Argument(metavar="PASSAGE", help="Numéro du passage (run_id).", show_default=False)],
    scheme: SchemeChoice = "nocturne",
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    by: By = None,
) -> None:
    """Note un passage sur l'hôpital fictif.

    Ses vraies mentions sont connues. Mêmes mesures que « evaluate ». Les documents corrigés ou retirés depuis
    ne comptent pas.
    """
    from deid.evaluation.run_scores import judged

    _check_one_output(as_json, as_markdown)
    print_figures(list(judged(run_id)), scheme, by, as_json=as_json)


def _check_one_output(as_json: bool, as_markdown: bool) -> None:
    if as_json and as_markdown:
        raise typer.BadParameter("choisir --json ou --markdown, pas les deux")


def _read_reference(path: Path, refusals: Refusals) -> dict[str, Judged]:
    """Read the documents of the reference by id, with no prediction yet."""
    from deid.evaluation.corpus import load_corpus
    from deid.evaluation.scoring import Judged

    if not path.is_dir():
        lines = read_lines(path, read_gold, refusals)
        return {one.id: Judged(one.id, one.text or "", one.mentions, (), one.type) for one in lines}
    found = {}
    for one in load_corpus(path):
        document, kind = one.document, (one.document.type or "").casefold() or None
        found[document.id] = Judged(document.id, document.text, one.mentions, (), kind, one.author)
    return found


def _pair_predictions(gold: dict[str, Judged], predicted: Path, refusals: Refusals) -> list[Judged]:
    """Return the documents of the reference with their predictions; report those without."""
    waiting = dict(gold)
    for prediction in read_lines(predicted, read_marked, refusals):
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


def print_figures(documents: list[Judged], scheme: Scheme, by: Grouping | None, *, as_json: bool) -> None:
    """Write every figure as JSON, or the tables of a scheme; of each group too."""
    from deid.evaluation import scoring

    whole = scoring.evaluate(documents)
    groups = scoring.evaluate_by(documents, lambda one: getattr(one, by)) if by else {}
    typer.echo(_as_json(whole, by, groups) if as_json else _as_markdown(whole, scheme, by, groups))


def _as_json(whole: Evaluation, by: Grouping | None, groups: dict[str, Evaluation]) -> str:
    figures = whole.as_json()
    if by:
        figures[f"by_{by}"] = {name: evaluation.as_json() for name, evaluation in groups.items()}
    return json.dumps(figures, ensure_ascii=False, indent=2)


def _as_markdown(whole: Evaluation, scheme: Scheme, by: Grouping | None, groups: dict[str, Evaluation]) -> str:
    from deid.evaluation.score_tables import class_table, summary_table

    parts = [summary_table({"tous": whole}, "ensemble", scheme), class_table(whole, scheme)]
    if by:
        heading = "type de document" if by == "type" else "auteur"
        parts.append(summary_table(groups, heading, scheme))
    return "\n\n".join(parts)
