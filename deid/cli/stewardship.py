"""`ids`, `quarantine`, `audit` and `opt-outs`: the stewards' work from a terminal, as JSON Lines."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from deid.cli.console import REFUSED, command_group, say
from deid.domain.errors import InputRefused, Reason

if TYPE_CHECKING:
    from deid.stewardship.quarantine import QuarantinedDocument
    from deid.warehouse.identity import Kind

quarantine_app = command_group("Montre la quarantaine, et décide de documents.")
audit_app = command_group("Vérifie le journal.")
ids_app = command_group("Traduit les identifiants du registre et ceux de l'hôpital.")
opt_outs_app = command_group("Enregistre, applique ou lève des oppositions.")

Documents = Annotated[
    list[str], typer.Argument(metavar="TRAITEMENT:DOCUMENT…", help="Comme `quarantine list` les écrit, sous « entry ».")
]
Motive = Annotated[str, typer.Option("--reason", metavar="MOTIF", help="10 caractères au moins ; pas de nom.")]


@audit_app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SIGNATURES.jsonl]...", help="Fichiers de signatures ; sinon celui de NOCTURNE_HOME."),
    ] = None,
) -> None:
    """Vérifie le journal : la chaîne de ses lignes, et les signatures de chaque nuit.

    Écrit une ligne JSON de comptes ; dit sur l'erreur standard ce qui ne va pas, et sort alors avec 1. Lit le journal
    (NOCTURNE_WORKER_DSN) et demande le secret. Les lignes écrites depuis la dernière signature ne sont pas couvertes.
    """
    from deid.cli.console import read_settings
    from deid.warehouse import signatures
    from deid.warehouse.connection import open_cursor

    keyring = read_settings().keyring
    kept = [
        signature
        for path in files or [read_settings().home / signatures.FILE]
        for signature in signatures.read_signatures(path)
    ]
    with open_cursor("worker", "nocturne audit", readonly=True) as cursor:
        found = signatures.verify_trail(cursor, kept, keyring)
    say(asdict(found))
    for fault in found.faults:
        typer.echo(f"deid : {_FAULTS[fault.kind].format(seq=fault.seq)}", err=True)
    if found.faults:
        raise typer.Exit(REFUSED)


_FAULTS = {
    "broken": "la ligne {seq} ne suit pas celle d'avant : le journal a été modifié.",
    "cut": "une signature porte sur la ligne {seq}, que le journal n'a plus : sa fin a été coupée.",
    "rewritten": "la ligne {seq} n'est plus celle qui a été signée : le journal a été réécrit.",
    "restored": "la base n'a pas la signature de la ligne {seq} : elle vient d'une copie plus ancienne.",
    "forged": "la signature de la ligne {seq} n'est pas celle de la clé qu'elle nomme.",
    "unknown_key": "la signature de la ligne {seq} n'est pas vérifiée : sa version du secret manque ici.",
    "unsigned": "aucune signature ne prouve le journal.",
}


KindOption = Annotated[str, typer.Option("--kind", metavar="GENRE", help="document, patient ou stay.")]


@ids_app.command()
def find(
    source_id: Annotated[str, typer.Argument(metavar="IDENTIFIANT", help="Celui de l'hôpital.")],
    kind: KindOption = "document",
) -> None:
    """Trouve dans le registre un document, un patient ou un séjour de l'hôpital ; inscrit au journal.

    Se connecte comme lecteur (NOCTURNE_IDENTITY_DSN, sinon NOCTURNE_READER_DSN). Le journal garde l'identifiant du
    registre, jamais celui de l'hôpital.
    """
    from deid.warehouse.identity import find_ledger_id

    say({"kind": kind, "ledger_id": find_ledger_id(getpass.getuser(), _parse_kind(kind), source_id)})


@ids_app.command()
def reveal(
    ledger_id: Annotated[str, typer.Argument(metavar="IDENTIFIANT", help="Celui du registre.")],
    kind: KindOption = "document",
) -> None:
    """Dit quel document, patient ou séjour de l'hôpital un identifiant du registre désigne ; inscrit au journal.

    Se connecte comme `ids find`.
    """
    from deid.warehouse.identity import find_source_id

    say({"kind": kind, "source_id": find_source_id(getpass.getuser(), _parse_kind(kind), ledger_id)})


@ids_app.command()
def adopt() -> None:
    """Calcule les pseudonymes de ce qu'une version antérieure avait au registre ; la nuit le fait aussi.

    À lancer après une mise à jour, avec le secret et NOCTURNE_WORKER_DSN, avant la première publication.
    """
    from deid.warehouse import identity

    say({"adopted": identity.adopt()})


def _parse_kind(text: str) -> Kind:
    if text not in ("document", "patient", "stay"):
        raise InputRefused("there is no such kind of id.", "Say document, patient or stay.")
    return cast("Kind", text)


@quarantine_app.command("list")
def quarantine_list(
    standing: Annotated[
        str, typer.Option("--state", metavar="ÉTAT", help="waiting, retry, release, discard ou settled.")
    ] = "waiting",
    reason: Annotated[str | None, typer.Option("--reason", metavar="RAISON", help="Par exemple undecodable.")] = None,
    document_type: Annotated[str | None, typer.Option("--type", help="Type de document.")] = None,
    interval: Annotated[str | None, typer.Option("--interval", help="Par exemple 2026-10-03.")] = None,
) -> None:
    """Écrit une ligne JSON par document retenu, du plus récent au plus ancien ; jamais de texte."""
    from deid.stewardship import quarantine
    from deid.warehouse.connection import open_cursor

    try:
        state, why = quarantine.Standing(standing), Reason(reason) if reason else None
    except ValueError:
        raise InputRefused("that is no state or no reason.", "See `quarantine list --help`.") from None
    wanted = quarantine.Filter(state, why, None, document_type, interval)
    after = None
    while True:
        with open_cursor("steward", "nocturne quarantine") as cursor:
            page = quarantine.list_quarantined(cursor, wanted, after)
        for one in page:
            say(_line_of(one))
        if len(page) < quarantine.PAGE:
            return
        after = (page[-1].at, page[-1].run_id, page[-1].document_id)


@quarantine_app.command()
def retry(entries: Documents) -> None:
    """Demande que la prochaine nuit reprenne des documents, après une réparation."""
    _record_choice("retry", entries, "")


@quarantine_app.command()
def discard(
    entries: Documents,
    reason: Annotated[str, typer.Option("--reason", metavar="MOTIF", help="Pourquoi ; 5 caractères au moins.")],
) -> None:
    """Écarte des documents tant que leur contenu ne change pas."""
    _record_choice("discard", entries, reason)


def _record_choice(choice: str, entries: list[str], text: str) -> None:
    """Record a choice and write a line per document: `done`, or an earlier choice of someone else (exit 1)."""
    from deid.stewardship.quarantine import Choice, record_choice
    from deid.warehouse.connection import open_cursor

    asked = [_parse_entry(entry) for entry in entries]
    with open_cursor("steward", "nocturne quarantine") as cursor:
        chosen = record_choice(cursor, getpass.getuser(), Choice(choice), asked, text)
    for one in chosen.done:
        say({"entry": f"{one.run_id}:{one.document_id}", "done": choice})
    for one in chosen.taken:
        say({**_line_of(one), "done": None})
    if chosen.taken:
        raise typer.Exit(REFUSED)


def _parse_entry(text: str) -> tuple[int, str]:
    run_id, _, document_id = text.partition(":")
    if not (run_id.isascii() and run_id.isdigit() and document_id):
        raise InputRefused("a document is named RUN:DOCUMENT.", "Copy `entry` from `quarantine list`.")
    return int(run_id), document_id


def _line_of(one: QuarantinedDocument) -> dict[str, Any]:
    known = {name: value for name, value in asdict(one).items() if value is not None and name != "choice_id"}
    return {"entry": f"{one.run_id}:{one.document_id}", **known}


@opt_outs_app.command("list")
def opt_outs_list() -> None:
    """Écrit une ligne JSON par opposition, de la plus récente à la plus ancienne."""
    from deid.stewardship import opt_outs
    from deid.warehouse.connection import open_cursor

    before = None
    while True:
        with open_cursor("steward", "nocturne opt-outs") as cursor:
            page = opt_outs.list_opt_outs(cursor, before)
        for one in page:
            say(asdict(one))
        if len(page) < opt_outs.PAGE:
            return
        before = page[-1].opt_out_id


@opt_outs_app.command("add")
def opt_outs_add(
    reason: Motive,
    pseudonym: Annotated[str | None, typer.Option("--pseudonym", help="Pseudonyme de recherche.")] = None,
    patient: Annotated[str | None, typer.Option("--patient", help="Identifiant de l'hôpital.")] = None,
) -> None:
    """Enregistre l'opposition d'un patient, par l'un de ses deux noms.

    Par pseudonyme, ses lignes publiées partent aussitôt. Le reste se fait à `opt-outs apply`, à la prochaine nuit ou
    à la prochaine publication.
    """
    from deid.stewardship import opt_outs
    from deid.warehouse.connection import open_cursor

    if (pseudonym is None) == (patient is None):
        raise InputRefused("a patient has one name here.", "Give --pseudonym or --patient, not both.")
    who = opt_outs.PatientKey(pseudonym, patient)
    with open_cursor("steward", "nocturne opt-outs") as cursor:
        opt_out_id, removed = opt_outs.record_opt_out(cursor, getpass.getuser(), who, reason)
    say({"opt_out_id": opt_out_id, "removed": removed})


@opt_outs_app.command("revoke")
def opt_outs_revoke(
    opt_out_id: Annotated[int, typer.Argument(min=1, metavar="NUMÉRO", help="Celui de la preuve.")], reason: Motive
) -> None:
    """Lève une opposition, après un nouveau consentement du patient.

    Ne remet rien en place : les documents reviennent quand leurs nuits sont retraitées. Inscrit au journal.
    """
    from deid.stewardship import opt_outs
    from deid.warehouse.connection import open_cursor

    with open_cursor("worker", "nocturne opt-outs") as cursor:
        if not opt_outs.revoke_opt_out(cursor, getpass.getuser(), opt_out_id, reason):
            raise InputRefused(f"no opt-out {opt_out_id} is in force.", "See `python -m deid opt-outs list`.")
    say({"opt_out_id": opt_out_id, "revoked": True})


@opt_outs_app.command("apply")
def opt_outs_apply() -> None:
    """Applique maintenant toutes les oppositions, sous chaque version du secret ; des comptes seulement."""
    from deid.warehouse import opt_outs

    say(opt_outs.apply_opt_outs(getpass.getuser()))
