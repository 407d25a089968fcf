"""`night`, `publish`, `report`, `dpo-annex` and `runs`: an interval without Airflow, by the steps of the DAGs."""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from deid.cli.console import REFUSED, command_group, say

PARIS = ZoneInfo("Europe/Paris")
DAY = ["%Y-%m-%d"]

runs_app = command_group("Montre les passages inachevés, ou en reprend un.")

IntervalKey = Annotated[
    str, typer.Argument(metavar="INTERVALLE", help="Une nuit (2026-10-03) ou une période (2026-09-01..2026-09-28).")
]
Approve = Annotated[
    str | None,
    typer.Option("--approve", metavar="MOTIF", help="Approuver soi-même, si la politique demande une personne."),
]


def night(
    first: Annotated[
        datetime, typer.Argument(formats=DAY, metavar="JOUR", help="Jour d'arrivée des documents, AAAA-MM-JJ.")
    ],
    last: Annotated[
        datetime | None, typer.Argument(formats=DAY, metavar="[DERNIER]", help="Dernier jour, compris.")
    ] = None,
    document_type: Annotated[list[str] | None, typer.Option("--type", help="Type de document ; répétable.")] = None,
    service: Annotated[list[str] | None, typer.Option("--service", help="Code de service ; répétable.")] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="MOTIF", help="Pourquoi ce passage, gardé avec lui.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Compter seulement ; rien n'est traité.")] = False,
    batch_size: Annotated[int, typer.Option(min=1, help="Documents par lot.")] = 500,
    name: Annotated[
        str | None, typer.Option("--name", help="Nom du passage ; le redonner reprend un passage interrompu.")
    ] = None,
    approve: Approve = None,
    stage_only: Annotated[bool, typer.Option("--stage-only", help="S'arrêter avant la publication.")] = False,
) -> None:
    """Traite une nuit ou plusieurs, sans Airflow, et publie.

    Prend les documents arrivés du premier au dernier jour, compris.

    Chaque étape écrit une ligne JSON de comptes. Les documents retenus vont en quarantaine avec leur raison, les
    autres continuent. Relancer la commande ne republie rien.

    Des documents tenus par un autre passage qui n'est pas terminé lui restent : la commande le dit, et se termine par 1
    si elle n'avait rien d'autre à traiter (voir « runs take-over »).
    """
    from deid.nightly import steps
    from deid.warehouse.ledger import read_planned

    start, end = _bounds(first, last)
    trigger = name or f"cli {datetime.now(PARIS).isoformat()}"
    batches = steps.plan(
        interval_start=start,
        interval_end=end,
        document_types=document_type or [],
        services=service or [],
        dry_run=dry_run,
        reason=reason,
        triggered_by=trigger,
        batch_size=batch_size,
    )
    planned = read_planned(trigger)
    _say_step("plan", {**planned, "batches": len(batches), "dry_run": dry_run})
    _tell_held(planned["held"])
    nothing_but_held = bool(planned["held"]) and not planned["planned"]
    for batch in batches:
        run_id, batch_id = batch["run_id"], batch["batch_id"]
        for step in (steps.detect, steps.substitute, steps.validate):
            _say_step(step.__name__, step(run_id, batch_id))
    if dry_run:
        raise typer.Exit(REFUSED if nothing_but_held else 0)
    staged = steps.stage(steps.run_of(trigger))
    _say_step("stage", staged)
    if not stage_only and (staged["staged"] or staged["quarantined"] or staged["withdrawn"]):
        _release(staged["interval_key"], approve)
    if nothing_but_held:
        raise typer.Exit(REFUSED)


@runs_app.command("list")
def runs_list() -> None:
    """Écrit une ligne JSON par passage qui n'est pas terminé, avec les documents qu'il tient."""
    from deid.warehouse.runs import list_unfinished

    for run in list_unfinished():
        say(asdict(run))


@runs_app.command("take-over")
def runs_take_over(
    run_id: Annotated[int, typer.Argument(metavar="PASSAGE", help="Son numéro, « run_id » de `runs list`.")],
    reason: Annotated[str, typer.Option("--reason", metavar="MOTIF", help="5 caractères au moins ; pas de nom.")],
    confirm: Annotated[bool, typer.Option("--confirm", help="Même s'il vient de donner signe de vie.")] = False,
) -> None:
    """Déclare mort un passage : la prochaine nuit lancée reprend ses documents.

    Refusé tant que le passage a donné signe de vie depuis moins de dix minutes, sauf --confirm ; un lot long n'en donne
    qu'à son début et à sa fin. Inscrit au journal. Si le passage travaillait encore, ce qu'il écrit ensuite ne vaut que
    pour les documents que personne n'a repris.
    """
    from deid.warehouse.runs import take_over as declare_dead

    say(asdict(declare_dead(run_id, getpass.getuser(), reason, confirmed=confirm)))


def publish(interval_key: IntervalKey, approve: Approve = None) -> None:
    """Publie un intervalle prêt, si les contrôles le permettent.

    Écrit ensuite son rapport. Publier deux fois ne change rien.
    """
    _release(interval_key, approve)


def make_visible() -> None:
    """Montre aux chercheurs tout ce qui est publié.

    N'attend pas la période de la politique (release.visible).
    Réécrit la table des chercheurs d'un coup et dans un ordre qui n'apprend rien. Qui la lit avant et après apprend
    ce qui est arrivé entre les deux.
    """
    from deid.warehouse import publish as publication

    _say_step("make_visible", publication.make_visible("nightly") or {})


def report(interval_key: IntervalKey) -> None:
    """Écrit le rapport d'un intervalle, et dit où il est."""
    from deid.release import actions

    _say_step("report", actions.report(interval_key))


def dpo_annex(
    interval_key: IntervalKey,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FICHIER", help="Où l'écrire ; sinon sur la sortie standard."),
    ] = None,
) -> None:
    """Écrit, pour le DPO, l'annexe d'une publication.

    En Markdown : individualisation, corrélation et inférence avec les chiffres de cette publication, contrôles,
    quarantaine, oppositions, versions, décisions. Ni texte ni identifiant. Voir docs/fr/dossier-dpo.md.
    """
    from deid.release import actions

    page = actions.annex(interval_key)
    if output is None:
        typer.echo(page, nl=False)
    else:
        output.write_text(page, encoding="utf-8")


def _release(interval_key: str, motive: str | None) -> None:
    from deid.release import actions

    summary = actions.summarise(interval_key)
    _say_step("summarise", summary)
    decision: dict[str, Any] | None = None
    if actions.needs_approval(summary):
        if motive is None:
            typer.echo(
                f"deid : {interval_key} demande l'accord d'une personne. Lire les alertes (report {interval_key}), "
                f'puis : publish {interval_key} --approve "motif".',
                err=True,
            )
            raise typer.Exit(REFUSED)
        decision = {"chosen": "approve", "decided_by": getpass.getuser(), "reason": motive}
    _say_step("publish", actions.publish(interval_key, decision))
    _say_step("report", actions.report(interval_key))


def _bounds(first: datetime, last: datetime | None) -> tuple[datetime, datetime]:
    """Return the interval from midnight to midnight in Paris, in any time zone of the machine."""
    last = last or first
    if last < first:
        raise typer.BadParameter("le dernier jour précède le premier")
    return first.replace(tzinfo=PARIS), (last + timedelta(days=1)).replace(tzinfo=PARIS)


def _tell_held(held: Sequence[Mapping[str, Any]]) -> None:
    """Say on standard error which unfinished runs keep documents of the interval, and how to take them over."""
    for run in held:
        seen = datetime.fromisoformat(run["active_at"])
        minutes = int((datetime.now(UTC) - seen).total_seconds() // 60)
        typer.echo(
            f"deid : {run['documents']} documents de cet intervalle sont tenus par le passage {run['run_id']} "
            f"({run['triggered_by']}), qui n'est pas terminé ; dernier signe de vie il y a {minutes} min "
            f"({seen.astimezone(PARIS):%Y-%m-%d %H:%M}). S'il est mort : python -m deid runs take-over "
            f"{run['run_id']} --reason MOTIF, puis relancer la nuit, sous un autre nom s'il y en avait un.",
            err=True,
        )


def _say_step(step: str, counts: Mapping[str, Any]) -> None:
    say({"step": step, **counts})
