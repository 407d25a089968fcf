"""`opt-outs`: list, add, apply and revoke patients' opt-outs, as JSON Lines."""

from __future__ import annotations

import getpass
import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from deid.cli.guarding import Guarded
from deid.domain.errors import InputRefused

app = typer.Typer(
    cls=Guarded, no_args_is_help=True, rich_markup_mode=None, help="Enregistre, applique ou lève des oppositions."
)

Reason = Annotated[str, typer.Option("--reason", metavar="MOTIF", help="10 caractères au moins ; pas de nom.")]


def register(parent: typer.Typer) -> None:
    """Add these commands to the command line."""
    parent.add_typer(app, name="opt-outs")


@app.command("list")
def list_() -> None:
    """Écrit une ligne JSON par opposition, de la plus récente à la plus ancienne."""
    from deid.stewardship import opt_outs
    from deid.warehouse.connection import open_cursor

    before = None
    while True:
        with open_cursor("steward", "nocturne opt-outs") as cursor:
            page = opt_outs.list_opt_outs(cursor, before)
        for one in page:
            _say(asdict(one))
        if len(page) < opt_outs.PAGE:
            return
        before = page[-1].opt_out_id


@app.command()
def add(
    reason: Reason,
    pseudonym: Annotated[str | None, typer.Option("--pseudonym", help="Pseudonyme de recherche.")] = None,
    patient: Annotated[str | None, typer.Option("--patient", help="Identifiant de l'hôpital.")] = None,
) -> None:
    """Enregistre l'opposition d'un patient, par l'un de ses deux noms.

    Par pseudonyme, ses lignes publiées partent aussitôt. Le reste se fait à `opt-outs apply`, à la prochaine nuit ou
    à la prochaine publication.
    """
    from deid.stewardship import opt_outs
    from deid.stewardship.opt_outs import Patient
    from deid.warehouse.connection import open_cursor

    if (pseudonym is None) == (patient is None):
        raise InputRefused("a patient has one name here.", "Give --pseudonym or --patient, not both.")
    who = Patient(pseudonym, patient)
    with open_cursor("steward", "nocturne opt-outs") as cursor:
        opt_out_id, removed = opt_outs.record_opt_out(cursor, getpass.getuser(), who, reason)
    _say({"opt_out_id": opt_out_id, "removed": removed})


@app.command()
def revoke(
    opt_out_id: Annotated[int, typer.Argument(min=1, metavar="NUMÉRO", help="Celui de la preuve.")], reason: Reason
) -> None:
    """Lève une opposition, après un nouveau consentement du patient.

    Ne remet rien en place : les documents reviennent quand leurs nuits sont retraitées. Inscrit au journal.
    """
    from deid.stewardship import opt_outs
    from deid.warehouse.connection import open_cursor

    with open_cursor("worker", "nocturne opt-outs") as cursor:
        if not opt_outs.revoke_opt_out(cursor, getpass.getuser(), opt_out_id, reason):
            raise InputRefused(f"no opt-out {opt_out_id} is in force.", "See `python -m deid opt-outs list`.")
    _say({"opt_out_id": opt_out_id, "revoked": True})


@app.command()
def apply() -> None:
    """Applique maintenant toutes les oppositions, sous chaque version du secret ; des comptes seulement."""
    from deid.warehouse import opt_outs

    _say(opt_outs.apply_opt_outs(getpass.getuser()))


def _say(record: dict[str, Any]) -> None:
    typer.echo(json.dumps(record, ensure_ascii=False, default=str))
