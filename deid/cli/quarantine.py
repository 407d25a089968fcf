"""`quarantine`: what is held back, and an operator's choices on it, as JSON Lines."""

from __future__ import annotations

import getpass
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid.cli.guarding import REFUSED, Guarded
from deid.domain.errors import InputRefused

if TYPE_CHECKING:
    from deid.stewardship.quarantine import QuarantinedDocument

app = typer.Typer(
    cls=Guarded, no_args_is_help=True, rich_markup_mode=None, help="Montre la quarantaine, et décide de documents."
)

Documents = Annotated[
    list[str], typer.Argument(metavar="TRAITEMENT:DOCUMENT…", help="Comme `quarantine list` les écrit, sous « entry ».")
]


def register(parent: typer.Typer) -> None:
    """Add these commands to the command line."""
    parent.add_typer(app, name="quarantine")


@app.command("list")
def list_(
    standing: Annotated[
        str, typer.Option("--state", metavar="ÉTAT", help="waiting, retry, release, discard ou settled.")
    ] = "waiting",
    reason: Annotated[str | None, typer.Option("--reason", metavar="RAISON", help="Par exemple undecodable.")] = None,
    document_type: Annotated[str | None, typer.Option("--type", help="Type de document.")] = None,
    interval: Annotated[str | None, typer.Option("--interval", help="Par exemple 2026-10-03.")] = None,
) -> None:
    """Écrit une ligne JSON par document retenu, du plus récent au plus ancien ; jamais de texte."""
    from deid.domain.errors import Reason
    from deid.stewardship import quarantine
    from deid.stewardship.quarantine import Filter, Standing
    from deid.warehouse.connection import open_cursor

    try:
        wanted = Filter(Standing(standing), Reason(reason) if reason else None, None, document_type, interval)
    except ValueError:
        raise InputRefused("that is no state or no reason.", "See `quarantine list --help`.") from None
    after = None
    while True:
        with open_cursor("steward", "nocturne quarantine") as cursor:
            page = quarantine.list_quarantined(cursor, wanted, after)
        for one in page:
            _say(_line(one))
        if len(page) < quarantine.PAGE:
            return
        after = (page[-1].at, page[-1].run_id, page[-1].document_id)


@app.command()
def retry(entries: Documents) -> None:
    """Demande que la prochaine nuit reprenne des documents, après une réparation."""
    _choose("retry", entries, "")


@app.command()
def discard(
    entries: Documents,
    reason: Annotated[str, typer.Option("--reason", metavar="MOTIF", help="Pourquoi ; 5 caractères au moins.")],
) -> None:
    """Écarte des documents tant que leur contenu ne change pas."""
    _choose("discard", entries, reason)


def _choose(choice: str, entries: list[str], text: str) -> None:
    """Write a line per document: `done`, or what somebody decided before; exit 1 if any was taken."""
    from deid.stewardship.quarantine import Choice, record_choice
    from deid.warehouse.connection import open_cursor

    with open_cursor("steward", "nocturne quarantine") as cursor:
        chosen = record_choice(cursor, getpass.getuser(), Choice(choice), [_entry(entry) for entry in entries], text)
    for one in chosen.done:
        _say({"entry": f"{one.run_id}:{one.document_id}", "done": choice})
    for one in chosen.taken:
        _say({**_line(one), "done": None})
    if chosen.taken:
        raise typer.Exit(REFUSED)


def _entry(text: str) -> tuple[int, str]:
    run_id, _, document_id = text.partition(":")
    if not (run_id.isascii() and run_id.isdigit() and document_id):
        raise InputRefused("a document is named RUN:DOCUMENT.", "Copy `entry` from `quarantine list`.")
    return int(run_id), document_id


def _line(one: QuarantinedDocument) -> dict[str, Any]:
    known = {name: value for name, value in asdict(one).items() if value is not None and name != "choice_id"}
    return {"entry": f"{one.run_id}:{one.document_id}", **known}


def _say(record: dict[str, Any]) -> None:
    typer.echo(json.dumps(record, ensure_ascii=False, default=str))
