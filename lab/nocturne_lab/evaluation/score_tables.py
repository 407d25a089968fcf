"""Scores as Markdown tables, in percent, for readers and for the pages under `benchmarks/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from deid.models.scores import WAYS
from nocturne_lab.evaluation.scoring import ANY, Evaluation, Tally

_HEADINGS = {"exact": "exact", "overlap": "chevauchement", "token": "mot"}


def class_table(evaluation: Evaluation, scheme: str) -> str:
    """Tabulate precision, recall and F1 per class of a scheme, then over all classes together and on average."""
    scores = evaluation.schemes[scheme]
    head = ["classe", "réf.", *(f"{_HEADINGS[way]} {figure}" for way in WAYS for figure in ("P", "R", "F1"))]
    rows = [_row(name, scores.classes[name]) for name in scores.named()]
    rows.append(_row("**micro**", {way: scores.micro(way) for way in WAYS}))
    if "RELDATE" in scores.classes:
        rows.append(_row("micro sans RELDATE", {way: scores.micro(way, ["RELDATE"]) for way in WAYS}))
    rows.append(_row("sans distinction", scores.classes[ANY]))
    macro = [cell for way in WAYS for cell in ("", "", percent(scores.macro_f1(way)))]
    rows.append(["macro", "", *macro])
    return markdown(head, rows)


def summary_table(evaluations: Mapping[str, Evaluation], heading: str, scheme: str) -> str:
    """Tabulate, one line per evaluation, redaction, documents fully redacted, and the scheme's micro F1."""
    head = [
        heading,
        "documents",
        "caractères couverts",
        "identifiants directs",
        "quasi-identifiants",
        "précision (caractères)",
        "documents sans reste direct",
        "documents sans reste",
        *(f"F1 {_HEADINGS[way]}" for way in WAYS),
    ]
    return markdown(head, [_summary(name, evaluation, scheme) for name, evaluation in evaluations.items()])


def percent(ratio: float | None) -> str:
    """Return a ratio in percent with one decimal; a dash for None."""
    return "–" if ratio is None else f"{100 * ratio:.1f}"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: first column to the left, figures to the right."""
    rule = [":--", *["--:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def _row(name: str, tallies: Mapping[str, Tally]) -> list[str]:
    figures = [percent(value) for way in WAYS for value in _figures(tallies[way])]
    return [name, str(tallies["exact"].gold), *figures]


def _figures(tally: Tally) -> tuple[float | None, float | None, float | None]:
    return tally.precision, tally.recall, tally.f1


def _summary(name: str, evaluation: Evaluation, scheme: str) -> list[str]:
    shares = [evaluation.redaction[which].recall for which in ("all", "direct", "quasi")]
    shares.append(evaluation.redaction["all"].precision)
    shares += [evaluation.share_fully_redacted(which) for which in ("direct", "all")]
    shares += [evaluation.schemes[scheme].micro(way).f1 for way in WAYS]
    return [name, str(evaluation.documents), *map(percent, shares)]
