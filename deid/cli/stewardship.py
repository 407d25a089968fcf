"""`ids`, `quarantine`, `audit`, `rights` and `opt-outs`: the stewards' work from a terminal, as JSON Lines."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from deid.cli.console import DAY, REFUSED, command_group, say, system_account
from deid.cli.language import complain
from deid.domain.errors import InputRefused, Reason

if TYPE_CHECKING:
    from deid.ledger.pseudonyms import Kind
    from deid.stewardship.quarantine import QuarantinedDocument

quarantine_app = command_group("Show the quarantine, and decide on documents.")
audit_app = command_group("Check the audit trail.")
ids_app = command_group("Translate ids of the ledger and of the hospital.")
rights_app = command_group("Grant or withdraw the right to approve without Airflow.")
opt_outs_app = command_group("Record, apply or revoke opt-outs.")

Documents = Annotated[
    list[str], typer.Argument(metavar="PROCESSING:DOCUMENT…", help="As `quarantine list` writes them, under “entry”.")
]
Motive = Annotated[str, typer.Option("--reason", metavar="REASON", help="At least 10 characters; no name.")]


@audit_app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SIGNATURES.jsonl]...", help="Files of signatures; else that of NOCTURNE_HOME."),
    ] = None,
) -> None:
    """Check the audit trail: the chain of its lines, and the signatures of each night.

    Writes a line of JSON with counts; tells on standard error what is wrong, and then ends with 1. Reads the trail
    (NOCTURNE_WORKER_DSN) and needs the secret. Lines written since the last signature are not covered.
    """
    from deid.cli.console import read_settings
    from deid.database.connection import open_cursor
    from deid.ledger import signatures

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
        complain(_FAULTS[fault.kind].format(seq=fault.seq))
    if found.faults:
        raise typer.Exit(REFUSED)


_FAULTS = {
    "broken": "line {seq} does not follow the one before: the audit trail was changed.",
    "cut": "a signature is of line {seq}, which the audit trail no longer has: its end was cut off.",
    "rewritten": "line {seq} is no longer the one that was signed: the audit trail was rewritten.",
    "restored": "the database lacks the signature of line {seq}: it comes from an older copy.",
    "forged": "the signature of line {seq} is not that of the key which it names.",
    "unknown_key": "the signature of line {seq} is not verified: its version of the secret is missing here.",
    "unsigned": "no signature proves the audit trail.",
}


KindOption = Annotated[str, typer.Option("--kind", metavar="KIND", help="document, patient or stay.")]


@ids_app.command()
def find(
    source_id: Annotated[str, typer.Argument(metavar="ID", help="That of the hospital.")], kind: KindOption = "document"
) -> None:
    """Find a document, patient or stay of the hospital in the ledger; written to the audit trail.

    Connects as the reader (NOCTURNE_IDENTITY_DSN, else NOCTURNE_READER_DSN). The audit trail keeps the id of the
    ledger, never that of the hospital.
    """
    from deid.ledger.identity import find_ledger_id

    say({"kind": kind, "ledger_id": find_ledger_id(getpass.getuser(), _parse_kind(kind), source_id)})


@ids_app.command()
def reveal(
    ledger_id: Annotated[str, typer.Argument(metavar="ID", help="That of the ledger.")], kind: KindOption = "document"
) -> None:
    """Tell which document, patient or stay of the hospital an id of the ledger names; written to the audit trail.

    Connects as `ids find`.
    """
    from deid.ledger.identity import find_source_id

    say({"kind": kind, "source_id": find_source_id(getpass.getuser(), _parse_kind(kind), ledger_id)})


@ids_app.command()
def adopt() -> None:
    """Compute the pseudonyms of what an earlier version had in the ledger; the night does so too.

    To be run after an upgrade, with the secret and NOCTURNE_WORKER_DSN, before the first publication.
    """
    from deid.ledger import pseudonyms

    say({"adopted": pseudonyms.adopt()})


def _parse_kind(text: str) -> Kind:
    if text not in ("document", "patient", "stay"):
        raise InputRefused("there is no such kind of id.", "Say document, patient or stay.")
    return cast("Kind", text)


@quarantine_app.command("list")
def quarantine_list(
    standing: Annotated[
        str, typer.Option("--state", metavar="STATE", help="waiting, retry, release, discard or settled.")
    ] = "waiting",
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="REASON_CODE", help="For example undecodable.")
    ] = None,
    document_type: Annotated[str | None, typer.Option("--type", help="Document type.")] = None,
    interval: Annotated[str | None, typer.Option("--interval", help="For example 2026-10-03.")] = None,
    step: Annotated[
        str | None, typer.Option("--step", metavar="STEP", help="detect, substitute, validate or stage.")
    ] = None,
    check: Annotated[
        str | None, typer.Option("--check", metavar="CHECK", help="Failed check, for example residual_date.")
    ] = None,
    service: Annotated[
        str | None, typer.Option("--service", help="Code of the service, as the warehouse writes it.")
    ] = None,
    since: Annotated[datetime | None, typer.Option("--since", formats=DAY, help="Held on this day or after.")] = None,
    before: Annotated[datetime | None, typer.Option("--before", formats=DAY, help="Held before this day.")] = None,
) -> None:
    """Write one line of JSON per document held back, the latest first; never a text.

    The filters are those of the page Quarantine; days are those of Paris.
    """
    from deid.database.connection import open_cursor
    from deid.domain import PARIS
    from deid.quality.checks import BY_NAME
    from deid.stewardship import quarantine

    try:
        state, why = quarantine.Standing(standing), Reason(reason) if reason else None
    except ValueError:
        raise InputRefused("that is no state or no reason.", "See `quarantine list --help`.") from None
    if step not in (None, *quarantine.STEPS):
        raise InputRefused("there is no such step.", f"Say one of: {', '.join(quarantine.STEPS)}.")
    if check not in (None, *BY_NAME):
        raise InputRefused("there is no such check.", "Take a name from the checks of docs/stewards.md.")
    first, end = (one and one.replace(tzinfo=PARIS) for one in (since, before))
    wanted = quarantine.Filter(state, why, step, document_type, interval, first, end, check, service)
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
    """Ask that the next night take documents again, after a repair."""
    _record_choice("retry", entries, "")


@quarantine_app.command()
def discard(
    entries: Documents,
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="Why; at least 5 characters.")],
) -> None:
    """Leave documents out as long as their content does not change."""
    _record_choice("discard", entries, reason)


def _record_choice(choice: str, entries: list[str], text: str) -> None:
    """Record a choice and write a line per document: `done`, or an earlier choice of someone else (exit 1)."""
    from deid.database.connection import open_cursor
    from deid.stewardship.quarantine import Choice, record_choice

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
    """Write one line of JSON per opt-out, the latest first."""
    from deid.database.connection import open_cursor
    from deid.stewardship import opt_outs

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
    pseudonym: Annotated[str | None, typer.Option("--pseudonym", help="Pseudonym in research.")] = None,
    patient: Annotated[str | None, typer.Option("--patient", help="Id of the hospital.")] = None,
) -> None:
    """Record a patient's opt-out, by one of the patient's two names.

    By pseudonym, the published rows leave at once. The rest is done at `opt-outs apply`, at the next night or at the
    next publication.
    """
    from deid.database.connection import open_cursor
    from deid.stewardship import opt_outs

    if (pseudonym is None) == (patient is None):
        raise InputRefused("a patient has one name here.", "Give --pseudonym or --patient, not both.")
    who = opt_outs.PatientKey(pseudonym, patient)
    with open_cursor("steward", "nocturne opt-outs") as cursor:
        opt_out_id, removed = opt_outs.record_opt_out(cursor, getpass.getuser(), who, reason)
    say({"opt_out_id": opt_out_id, "removed": removed})


@opt_outs_app.command("revoke")
def opt_outs_revoke(
    opt_out_id: Annotated[int, typer.Argument(min=1, metavar="NUMBER", help="That of the proof.")], reason: Motive
) -> None:
    """Revoke an opt-out, after a new consent of the patient.

    Puts nothing back: the documents return when their nights are processed again. Written to the audit trail.
    """
    from deid.database.connection import open_cursor
    from deid.stewardship import opt_outs

    with open_cursor("worker", "nocturne opt-outs") as cursor:
        if not opt_outs.revoke_opt_out(cursor, getpass.getuser(), opt_out_id, reason):
            raise InputRefused(f"no opt-out {opt_out_id} is in force.", "See `python -m deid opt-outs list`.")
    say({"opt_out_id": opt_out_id, "revoked": True})


@opt_outs_app.command("apply")
def opt_outs_apply() -> None:
    """Apply all opt-outs now, under each version of the secret; counts only."""
    from deid.ledger import opt_outs

    say(opt_outs.apply_opt_outs(getpass.getuser()))


Account = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help="Account of the system that will run publish --approve.")
]
Why = Annotated[str, typer.Option("--reason", metavar="REASON", help="Why, kept in the audit trail; 200 characters.")]


@rights_app.command()
def grant(account: Account, reason: Why) -> None:
    """Grant a person the right to decide by publish --approve.

    For the administrator of the database (NOCTURNE_OWNER_DSN). Holds until `rights revoke`, or until Airflow, if there
    is one, says that this account can no longer decide. Written to the audit trail.
    """
    _change_right(account, reason, may_decide=True)


@rights_app.command()
def revoke(account: Account, reason: Why) -> None:
    """Withdraw from a person the right to decide by publish --approve; written to the audit trail."""
    _change_right(account, reason, may_decide=False)


@rights_app.command("list")
def rights_list() -> None:
    """Write one line of JSON per account: the last right granted or withdrawn, by whom, why and when."""
    from deid.release.decisions import list_rights

    for right in list_rights():
        say(asdict(right))


def _change_right(account: str, reason: str, *, may_decide: bool) -> None:
    from deid.release.decisions import change_right

    change_right(system_account(), account, reason, may_decide=may_decide)
    say({"account": account.strip(), "may_decide": may_decide})
