"""`models`: the registry of the hospital's own models: register, evaluate, promote, refuse, roll back."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid.cli.console import REFUSED, chosen_policy, command_group, say

if TYPE_CHECKING:
    from deid.evaluation.comparison import Comparison
    from deid.evaluation.corpus import GoldDocument
    from deid.learning.memorisation import Check
    from deid.warehouse.models import Model

app = command_group("Tient le registre des modèles de l'hôpital.")

Digest = Annotated[str, typer.Argument(metavar="EMPREINTE", help="Celle de `models list`, ou son début.")]
Directory = Annotated[
    Path, typer.Argument(metavar="DOSSIER", help="Dossier d'un modèle.", exists=True, file_okay=False)
]
Motive = Annotated[str, typer.Option("--reason", metavar="MOTIF", help="10 à 200 caractères ; pas de nom.")]
Corpora = Annotated[
    list[Path],
    typer.Argument(metavar="CORPUS...", help="Dossiers ou .jsonl annotés, qu'aucun des deux modèles n'a appris."),
]
TrainingCorpora = Annotated[
    list[Path] | None, typer.Option("--corpus", metavar="CORPUS", help="Corpus d'apprentissage ; peut être répété.")
]
Bound = Annotated[
    float | None,
    typer.Option("--bound", min=0, metavar="BITS", help="Exposition moyenne permise, sinon 3.", show_default=False),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policy", metavar="FICHIER", help="Politique ; sinon NOCTURNE_POLICY, sinon celle fournie."),
]


@app.command("list")
def models_list(
    kind: Annotated[str | None, typer.Option("--kind", metavar="GENRE", help="Par exemple bilstm_crf.")] = None,
) -> None:
    """Écrit une ligne JSON par modèle, du plus récent au plus ancien, sans ses chiffres."""
    from deid.warehouse.models import list_models

    for model in list_models(kind=kind):
        say(_line_of(model))


@app.command()
def show(digest: Digest) -> None:
    """Montre un modèle : état, décision, chiffres de sa dernière comparaison, dossier."""
    from deid.models.directories import place
    from deid.warehouse.models import find_model

    model = find_model(digest)
    say({**_line_of(model), "metrics": model.metrics, "directory": place(model.kind, model.hash)})


@app.command()
def register(
    directory: Directory,
    licence: Annotated[
        str, typer.Option("--licence", help="Licence écrite dans une fiche neuve ; other : reste à l'hôpital.")
    ] = "other",
) -> None:
    """Copie un modèle au registre (NOCTURNE_MODELS), comme candidat, et écrit son empreinte.

    Refusé : un modèle endommagé, ou entraîné pour d'autres étiquettes que celles de cette version. Inscrit au journal.
    """
    from deid.learning import registry

    say({"hash": registry.register(directory, getpass.getuser(), licence)})


@app.command()
def evaluate(
    digest: Digest,
    corpora: Corpora,
    policy: PolicyFile = None,
    settle: Annotated[
        bool, typer.Option("--settle", help="Appliquer la règle de la politique : mettre en service, ou refuser.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Tous les chiffres, en JSON.")] = False,
) -> None:
    """Compare un modèle à celui qui est en service, sur les mêmes documents annotés.

    Tout le détecteur de la politique, avec l'un puis l'autre modèle. Intervalles à 95 % par rééchantillonnage des
    documents ; la différence est appariée. La dernière ligne dit ce que la règle (« promotion » de la politique)
    en conclut ; elle ne l'applique qu'avec --settle. Les chiffres vont au registre et à la fiche du modèle.
    """
    from deid.evaluation.comparison import judge
    from deid.evaluation.corpus import load_corpus
    from deid.learning import registry

    chosen = chosen_policy(policy)
    documents = [one for folder in corpora for one in load_corpus(folder)]
    comparison = registry.compare(digest, documents, chosen)
    judgement = registry.settle(comparison, chosen) if settle else judge(comparison, chosen.promotion)
    if as_json:
        say({**comparison.numbers(), "outcome": judgement.outcome, "reason": judgement.reason})
        return
    typer.echo(_table(comparison))
    typer.echo(f"\n{_OUTCOMES[judgement.outcome, settle]} — {judgement.reason}")


_OUTCOMES = {
    ("promote", True): "Mis en service",
    ("promote", False): "La règle le mettrait en service (--settle)",
    ("wait", True): "Attend la décision d'une personne (models promote)",
    ("wait", False): "La règle attendrait la décision d'une personne",
    ("refuse", True): "Refusé",
    ("refuse", False): "La règle le refuserait (--settle)",
}


def _table(comparison: Comparison) -> str:
    from deid.evaluation.score_tables import markdown

    rows = [
        [name, str(figure), str(comparison.serving[name]), str(comparison.difference[name])]
        for name, figure in comparison.candidate.items()
        if figure.value is not None
    ]
    against = comparison.against[:12] or "le modèle livré"
    title = f"{comparison.documents} documents ; en service : {against}.\n\n"
    return title + markdown(["mesure", "ce modèle", "en service", "différence"], rows)


@app.command()
def promote(digest: Digest, reason: Motive) -> None:
    """Met un modèle en service, à partir de la prochaine nuit ; décision d'un data steward, inscrite au journal.

    Se connecte comme steward (NOCTURNE_STEWARD_DSN) : qui n'a pas ce droit ne décide pas. Refusé s'il n'a pas été
    comparé au modèle en service. Une nuit en cours garde le modèle avec lequel elle a commencé.
    """
    from deid.learning import registry

    model = registry.promote(digest, getpass.getuser(), reason)
    say({"kind": model.kind, "serving": model.hash})
    if not registry.is_asked(model.kind):
        typer.echo(
            f"deid : la politique en vigueur ne demande pas le registre pour {model.kind} (model: registry) :"
            " rien ne change.",
            err=True,
        )


@app.command()
def refuse(digest: Digest, reason: Motive) -> None:
    """Refuse un candidat ; une nouvelle comparaison peut le rétablir. Se connecte comme steward ; au journal."""
    from deid.warehouse.models import refuse_model

    model = refuse_model(digest, getpass.getuser(), reason)
    say({"kind": model.kind, "refused": model.hash})


@app.command()
def rollback(
    kind: Annotated[str, typer.Argument(metavar="GENRE", help="Par exemple bilstm_crf.")],
    reason: Annotated[str, typer.Option("--reason", metavar="MOTIF", help="Pourquoi ; pas de nom.")] = "",
) -> None:
    """Remet en service le modèle précédent, à la fin celui qui est livré. Se connecte comme steward ; au journal."""
    from deid.learning import registry

    say({"kind": kind, "serving": registry.roll_back(kind, getpass.getuser(), reason) or None})


@app.command()
def check(directory: Directory, corpora: TrainingCorpora = None, bound: Bound = None) -> None:
    """Mesure ce qu'un modèle a mémorisé de son corpus, et l'écrit dans sa fiche (README.md).

    L'exposition (Carlini et al. 2019) de phrases inventées, mises au corpus par « train --canaries » ; la recherche,
    dans les fichiers, de noms et de numéros que seul le corpus donné contient. Le code de retour est 1 si le modèle
    ne doit pas quitter l'hôpital.
    """
    from deid.learning import registry

    found = registry.check(directory, _load(corpora), *_bound(bound))
    say({**_figures(found), "obstacles": found.obstacles})
    if found.obstacles:
        raise typer.Exit(REFUSED)


@app.command()
def export(
    directory: Directory,
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="Fichier .tar.gz à écrire.")],
    corpora: TrainingCorpora = None,
    bound: Bound = None,
) -> None:
    """Refait le contrôle de « check » et, s'il le permet, écrit le modèle dans une archive ; inscrit au journal.

    Le modèle doit être au registre. Se connecte comme steward.
    """
    from deid.learning import registry

    found = registry.export(directory, archive, _load(corpora), getpass.getuser(), *_bound(bound))
    say({**_figures(found), "archive": archive})


def _load(corpora: list[Path] | None) -> list[GoldDocument] | None:
    from deid.evaluation.corpus import load_corpus

    return [one for folder in corpora for one in load_corpus(folder)] if corpora else None


def _bound(bits: float | None) -> tuple[float, ...]:
    return () if bits is None else (bits,)


def _figures(found: Check) -> dict[str, Any]:
    exposures = {
        way: [
            {"times": one.times, "canaries": one.canaries, "mean": round(one.mean, 2), "highest": round(one.highest, 2)}
            for one in group
        ]
        for way, group in found.exposures.items()
    }
    return {"exposure_bits": exposures, "bound": found.bound, "searched": found.searched, "found": found.found}


def _line_of(model: Model) -> dict[str, Any]:
    kept = {name: value for name, value in asdict(model).items() if name != "metrics" and value not in (None, "")}
    if model.compared_with is not None:
        kept["compared_with"] = model.compared_with or "shipped"
    return kept
