"""`evaluate` and `score`: predicted mentions against those marked by people or by the synthetic hospital."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from deid.cli.console import REFUSED
from deid.cli.language import translated
from deid.cli.lines import BadLine, Refusals, optional_text, read_lines, required_text
from deid.domain.document import Mention
from deid.domain.labels import Label

if TYPE_CHECKING:
    from nocturne_lab.evaluation.scoring import Evaluation, Judged

Scheme = Literal[
    "nocturne", "coarse", "t22", "t23", "e24", "aphp", "parhaf", "hipaa"
]  # of `deid.domain.labels.SCHEMES`
Grouping = Literal["type", "author"]  # figures for each type of document, or each author

SchemeChoice = Annotated[Scheme, typer.Option("--scheme", help="Set of classes of the tables.")]
AsJson = Annotated[bool, typer.Option("--json", help="All figures, for every set of classes, as JSON.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Markdown tables; the default.")]
By = Annotated[
    Grouping | None, typer.Option("--by", help="Detail by document type or by author as well.", show_default=False)
]


def evaluate(
    gold: Annotated[
        Path,
        typer.Argument(
            metavar="REFERENCE", help="Folder of annotated .txt [[LABEL|text]], or JSON Lines.", show_default=False
        ),
    ],
    predicted: Annotated[
        Path,
        typer.Argument(metavar="PREDICTION", help="JSON Lines of “detect”, or -: standard input.", show_default=False),
    ],
    scheme: SchemeChoice = "nocturne",
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    by: By = None,
) -> None:
    """Compare mentions with those of an annotated reference.

    Precision, recall and F1 by class: exact (same bounds), by overlap (at least one common character), by word. Share
    of identifying characters covered; share of documents where none is left. A document of the reference without a
    prediction counts as if nothing had been found in it, and the exit status is 1.
    """
    _check_one_output(as_json, as_markdown)
    refusals = Refusals()
    documents = _pair_predictions(_read_reference(gold, refusals), predicted, refusals)
    print_figures(documents, scheme, by, as_json=as_json)
    if refusals.count:
        raise typer.Exit(REFUSED)


def score(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run (run_id).", show_default=False)],
    scheme: SchemeChoice = "nocturne",
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
    by: By = None,
) -> None:
    """Score a run on the synthetic hospital.

    Its true mentions are known. The same measures as “evaluate”. Documents corrected or withdrawn since do not count.
    """
    from nocturne_lab.evaluation.run_scores import judged

    _check_one_output(as_json, as_markdown)
    print_figures(list(judged(run_id)), scheme, by, as_json=as_json)


def _check_one_output(as_json: bool, as_markdown: bool) -> None:
    if as_json and as_markdown:
        raise typer.BadParameter("choose --json or --markdown, not both")


def _read_reference(path: Path, refusals: Refusals) -> dict[str, Judged]:
    """Read the documents of the reference by id, with no prediction yet."""
    from nocturne_lab.evaluation.corpus import load_corpus
    from nocturne_lab.evaluation.scoring import Judged

    if not path.is_dir():
        lines = read_lines(path, _read_gold, refusals)
        return {one.id: Judged(one.id, one.text or "", one.mentions, (), one.type) for one in lines}
    found = {}
    for one in load_corpus(path):
        document, kind = one.document, (one.document.type or "").casefold() or None
        found[document.id] = Judged(document.id, document.text, one.mentions, (), kind, one.author)
    return found


def _pair_predictions(gold: dict[str, Judged], predicted: Path, refusals: Refusals) -> list[Judged]:
    """Return the documents of the reference with their predictions; report those without."""
    waiting = dict(gold)
    for prediction in read_lines(predicted, _read_marked, refusals):
        document = waiting.pop(prediction.id, None)
        if document is None:
            refusals.tell(f"document {prediction.id}: absent from the reference")
        elif prediction.mentions and prediction.mentions[-1].end > len(document.text):
            refusals.tell(f"document {prediction.id}: a mention goes beyond the end of the reference text")
        else:
            gold[prediction.id] = replace(document, predicted=prediction.mentions)
    for document_id in waiting:
        refusals.tell(f"document {document_id}: no prediction")
    return list(gold.values())


@dataclass(frozen=True, slots=True)
class _Marked:
    """The mentions of a document as read from a line; `text` is None where the line has none."""

    id: str
    text: str | None
    mentions: tuple[Mention, ...]
    type: str | None = None


def _read_marked(record: Mapping[str, Any]) -> _Marked:
    """Read a line of mentions, predicted by `detect` or marked by people.

    Raises:
        BadLine: a field is missing or of the wrong kind, or mentions overlap.
    """
    found = record.get("mentions")
    if not isinstance(found, list):
        raise BadLine("“mentions” is missing or is not a list")
    mentions = tuple(sorted(_read_mention(item) for item in found))
    for before, after in pairwise(mentions):
        if before.overlaps(after):
            raise BadLine("mentions overlap")
    text = optional_text(record, "text")
    if text is not None and mentions and mentions[-1].end > len(text):
        raise BadLine("a mention goes beyond the end of the text")
    return _Marked(required_text(record, "id"), text, mentions, optional_text(record, "type"))


def _read_gold(record: Mapping[str, Any]) -> _Marked:
    """Read a line of mentions marked by people, with the text of the document.

    Raises:
        BadLine: see `_read_marked`; or the text is missing.
    """
    required_text(record, "text")
    return _read_marked(record)


def _read_mention(item: Any) -> Mention:
    if not isinstance(item, dict) or not all(type(item.get(name)) is int for name in ("start", "end")):
        raise BadLine("a mention has no integers “start” and “end”")
    if item.get("label") not in Label.__members__:
        raise BadLine(f"a mention has none of the labels {', '.join(Label)}")
    try:
        return Mention(item["start"], item["end"], Label(item["label"]))
    except ValueError:
        raise BadLine("a mention has not 0 ≤ start < end") from None


def print_figures(documents: list[Judged], scheme: Scheme, by: Grouping | None, *, as_json: bool) -> None:
    """Write every figure as JSON, or the tables of a scheme; of each group too."""
    from nocturne_lab.evaluation import scoring

    whole = scoring.evaluate(documents)
    groups = scoring.evaluate_by(documents, lambda one: getattr(one, by)) if by else {}
    typer.echo(_as_json(whole, by, groups) if as_json else _as_markdown(whole, scheme, by, groups))


def _as_json(whole: Evaluation, by: Grouping | None, groups: dict[str, Evaluation]) -> str:
    figures = whole.as_json()
    if by:
        figures[f"by_{by}"] = {name: evaluation.as_json() for name, evaluation in groups.items()}
    return json.dumps(figures, ensure_ascii=False, indent=2)


def _as_markdown(whole: Evaluation, scheme: Scheme, by: Grouping | None, groups: dict[str, Evaluation]) -> str:
    from nocturne_lab.evaluation.score_tables import class_table, summary_table

    parts = [summary_table({translated("all"): whole}, translated("together"), scheme), class_table(whole, scheme)]
    if by:
        heading = "document type" if by == "type" else "author"
        parts.append(summary_table(groups, translated(heading), scheme))
    return "\n\n".join(parts)


def translated_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose heads are in the language asked for."""
    from nocturne_lab.evaluation.score_tables import markdown

    return markdown([*map(translated, heads)], rows)
