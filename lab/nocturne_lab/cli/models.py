"""`models`, its part of the laboratory: register a model, compare, measure what it memorised, export it."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid.cli.console import REFUSED, chosen_policy, say
from deid.cli.language import translated
from deid.cli.models import Digest, Directory
from nocturne_lab.cli.training import distinct

if TYPE_CHECKING:
    from nocturne_lab.evaluation.comparison import Comparison
    from nocturne_lab.evaluation.corpus import GoldDocument
    from nocturne_lab.learning.memorisation import Check

Corpora = Annotated[
    list[Path], typer.Argument(metavar="CORPUS...", help="Annotated folders or .jsonl that neither model learned.")
]
TrainingCorpora = Annotated[
    list[Path] | None, typer.Option("--corpus", metavar="CORPUS", help="Training corpus; can be repeated.")
]
Bound = Annotated[
    float | None,
    typer.Option("--bound", min=0, metavar="BITS", help="Mean exposure allowed, else 3.", show_default=False),
]
PolicyFile = Annotated[
    Path | None, typer.Option("--policy", metavar="FILE", help="Policy; else NOCTURNE_POLICY, else the one that ships.")
]


def register(
    directory: Directory,
    licence: Annotated[
        str, typer.Option("--licence", help="Licence written to a new card; other: stays in the hospital.")
    ] = "other",
    corpora: TrainingCorpora = None,
) -> None:
    """Copy a model to the registry (NOCTURNE_MODELS), as a candidate, and write its digest.

    With --corpus, keeps beside it the ids of the documents learned, and no text: `evaluate_release` measures the
    membership attack by them. Refused: a model that is damaged, or trained for other labels than those of this version.
    Written to the audit trail.
    """
    from nocturne_lab.learning import registry

    documents = _load(corpora)
    learned = None if documents is None else {one.document.id for one in documents}
    say({"hash": registry.register(directory, getpass.getuser(), licence, learned)})


def evaluate(
    digest: Digest,
    corpora: Corpora,
    policy: PolicyFile = None,
    settle: Annotated[
        bool, typer.Option("--settle", help="Apply the policy's rule: put in service, or refuse.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All figures, as JSON.")] = False,
) -> None:
    """Compare a model with the one in service, on the same annotated documents.

    The policy's whole detector, with one model and then the other. Intervals of 95 % by resampling of documents; the
    difference is paired. The first model of a kind that does not ship is compared with the detector without that
    annotator. The last line tells what the rule (“promotion” of the policy) concludes; it applies it only with
    --settle. The figures go to the registry and the model's card.
    """
    from nocturne_lab.evaluation.comparison import judge
    from nocturne_lab.learning import registry

    chosen = chosen_policy(policy)
    comparison = registry.compare(digest, distinct(corpora), chosen)
    judgement = registry.settle(comparison, chosen) if settle else judge(comparison, chosen.promotion)
    if as_json:
        against = comparison.against or ("none" if comparison.first else "shipped")
        say({**comparison.numbers(), "against": against, "outcome": judgement.outcome, "reason": judgement.reason})
        return
    typer.echo(_table(comparison))
    typer.echo(f"\n{translated(_OUTCOMES[judgement.outcome, settle])} — {translated(judgement.reason)}")


_OUTCOMES = {
    ("promote", True): "Put in service",
    ("promote", False): "The rule would put it in service (--settle)",
    ("wait", True): "Waits for a person's decision (models promote)",
    ("wait", False): "The rule would wait for a person's decision",
    ("refuse", True): "Refused",
    ("refuse", False): "The rule would refuse it (--settle)",
}


def _table(comparison: Comparison) -> str:
    from deid.models.scores import SCORES
    from nocturne_lab.evaluation.score_tables import markdown

    shipped = (
        "the detector without this annotator, of which no model ships" if comparison.first else "the model that ships"
    )
    against = comparison.against[:12] or shipped
    title = translated(f"{comparison.documents} documents; in service: {against}.")
    head = ["measure", "this model", "in service", "difference"]
    short = markdown([*map(translated, head)], comparison.rows())
    return f"{title}\n\n{short}\n\n{markdown([translated('this model'), *SCORES], comparison.breakdown())}"


def check(directory: Directory, corpora: TrainingCorpora = None, bound: Bound = None) -> None:
    """Measure what a model memorised of its corpus, and write it to its card (README.md).

    The exposure (Carlini et al. 2019) of invented sentences, put in the corpus by “train --canaries”; the search, in
    the files, for names and numbers that only the given corpus holds. The exit status is 1 if the model must not leave
    the hospital.
    """
    from nocturne_lab.learning import registry

    found = registry.check(directory, _load(corpora), _bound(bound))
    say({**_figures(found), "obstacles": found.obstacles})
    if found.obstacles:
        raise typer.Exit(REFUSED)


def membership(
    directory: Directory,
    members: Annotated[
        list[Path], typer.Option("--members", metavar="CORPUS", help="Documents learned; can be repeated.")
    ],
    others: Annotated[
        list[Path], typer.Option("--others", metavar="CORPUS", help="Similar documents, not learned; can be repeated.")
    ],
) -> None:
    """Attack a model: which documents did it learn, by its loss on each (Yeom et al. 2018)?

    The model is a learned annotator, or an encoder that predicts words. Writes the AUC (0.5: nothing), the advantage at
    the best threshold and what it is by chance, and the share of learned documents found at 1 % of false positives,
    with their intervals of 95 %.
    """
    from nocturne_lab.evaluation.attacks.membership import attack_model

    found = attack_model(directory, _load(members) or [], _load(others) or [])
    say(asdict(found))


def export(
    directory: Directory,
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help=".tar.gz file to write.")],
    corpora: TrainingCorpora = None,
    bound: Bound = None,
    licence: Annotated[
        str | None, typer.Option("--licence", help="To write to the card; else that of the card.", show_default=False)
    ] = None,
) -> None:
    """Repeat the check of “check” and, if it allows it, write the model to an archive; written to the audit trail.

    The model must be in the registry, and the corpus be all that it learned; without --corpus, the check counts that
    the registry kept of such a corpus. Refused as well: a licence that contradicts that of an open corpus which it
    learned (WikiNER wants CC BY-SA). Connects as the steward.
    """
    from nocturne_lab.learning import registry

    found = registry.export(directory, archive, _load(corpora), getpass.getuser(), _bound(bound), licence)
    say({**_figures(found), "archive": archive})


def _load(corpora: list[Path] | None) -> list[GoldDocument] | None:
    return distinct(corpora) if corpora else None


def _bound(bits: float | None) -> float:
    from nocturne_lab.learning.memorisation import BOUND

    return BOUND if bits is None else bits


def _figures(found: Check) -> dict[str, Any]:
    exposures = {
        way: [
            {"times": one.times, "canaries": one.canaries, "mean": round(one.mean, 2), "highest": round(one.highest, 2)}
            for one in group
        ]
        for way, group in found.exposures.items()
    }
    return {"exposure_bits": exposures, "bound": found.bound, "searched": found.searched, "found": found.found}
