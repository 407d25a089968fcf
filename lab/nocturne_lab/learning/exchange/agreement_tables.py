"""Agreement of annotators as JSON and as Markdown tables in French, in the order of El Azzouzi et al. 2024."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.learning.exchange.agreement import Agreement, Kappa


def as_record(found: Agreement) -> dict[str, Any]:
    """Return every figure as a JSON object."""

    def named(pairs: Mapping[tuple[str, str], Kappa]) -> list[dict[str, Any]]:
        return [{"annotators": list(pair), **asdict(kappa)} for pair, kappa in pairs.items()]

    return {
        "documents": found.documents,
        "tokens": found.tokens,
        "annotators": list(found.annotators),
        "fleiss": asdict(found.overall),
        "pairs": named(found.pairs),
        "labels": {
            label: {"fleiss": asdict(kappa), "pairs": named(found.pairs_by_label[label])}
            for label, kappa in found.labels.items()
        },
        "types": {kind: asdict(kappa) for kind, kappa in found.types.items()},
    }


def as_tables(found: Agreement) -> str:
    """Return tables in Markdown: all annotators, each pair, each label by pair, each type of document."""
    pairs = [" – ".join(pair) for pair in found.pairs]
    by_label = [
        [label, _cell(kappa), *(_cell(one, short=True) for one in found.pairs_by_label[label].values())]
        for label, kappa in found.labels.items()
    ]
    return "\n\n".join(
        [
            f"{found.documents} documents, {found.tokens} mots, {len(found.annotators)} annotateurs",
            f"κ de Fleiss : {_cell(found.overall)}",
            markdown(["paire", "κ"], [[" – ".join(pair), _cell(kappa)] for pair, kappa in found.pairs.items()]),
            markdown(["étiquette", "κ", *pairs], by_label),
            markdown(["type de document", "κ"], [[kind or "–", _cell(kappa)] for kind, kappa in found.types.items()]),
        ]
    )


def _cell(kappa: Kappa, *, short: bool = False) -> str:
    if kappa.value is None:
        return "–"
    return f"{kappa.value:.2f}" if short else f"{kappa.value:.3f} [{kappa.low:.3f} ; {kappa.high:.3f}]"
