"""`night`, `publish`, `report`, `catalogue`, `dpo-annex` and `runs`: an interval without Airflow, as the DAGs do."""

from __future__ import annotations

import getpass
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from deid.cli.console import DAY, REFUSED, chosen_policy, command_group, say, system_account
from deid.cli.language import complain, language
from deid.domain import NIGHT_TURNS, PARIS

runs_app = command_group("Show unfinished runs, or take one over.")

IntervalKey = Annotated[
    str, typer.Argument(metavar="INTERVAL", help="A night (2026-10-03) or a period (2026-09-01..2026-09-28).")
]
Approve = Annotated[
    str | None, typer.Option("--approve", metavar="REASON", help="Approve yourself, if the policy asks for a person.")
]
Page = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it; else to standard output.")
]


def night(
    first: Annotated[
        datetime, typer.Argument(formats=DAY, metavar="DAY", help="Day on which the documents arrived, YYYY-MM-DD.")
    ],
    last: Annotated[datetime | None, typer.Argument(formats=DAY, metavar="[LAST]", help="Last day, included.")] = None,
    document_type: Annotated[list[str] | None, typer.Option("--type", help="Document type; can be repeated.")] = None,
    service: Annotated[list[str] | None, typer.Option("--service", help="Service code; can be repeated.")] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="Why this run, kept with it.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only; nothing is processed.")] = False,
    batch_size: Annotated[int, typer.Option(min=1, help="Documents per batch.")] = 500,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", help="Name of the run, written by the step plan; given again, it takes up an interrupted run."
        ),
    ] = None,
    approve: Approve = None,
    stage_only: Annotated[bool, typer.Option("--stage-only", help="Stop before the publication.")] = False,
) -> None:
    """Process one night or several, without Airflow, and publish.

    Takes the documents that arrived from 3:30 on the first day to 3:30 on the day after the last one, as the schedule
    does: a night that has not ended is refused.

    Each step writes a line of JSON with counts. Documents held back go to quarantine with their reason, the others go
    on. Running the command again publishes nothing twice.

    Documents held by another run that is not finished stay with it: the command says so, and ends with 1 if it had
    nothing else to process (see “runs take-over”).
    """
    from deid.ledger.steps import read_planned
    from deid.nightly import steps

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
    _say_step("plan", {**planned, "batches": len(batches), "name": trigger})
    _tell_held(planned["held"])
    nothing_but_held = bool(planned["held"]) and not planned["planned"]
    with _resumable(trigger):
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


@contextmanager
def _resumable(name: str) -> Iterator[None]:
    """Say how a run goes on that an error or a person interrupts: until then it holds its documents."""
    try:
        yield
    except typer.Exit:
        raise
    except BaseException:
        complain(f"The run holds its documents until it goes on: the same command with --name '{name}' resumes it.")
        raise


@runs_app.command("list")
def runs_list() -> None:
    """Write one line of JSON per run that is not finished, with the documents that it holds."""
    from deid.ledger.runs import list_unfinished

    for run in list_unfinished():
        say(asdict(run))


@runs_app.command("take-over")
def runs_take_over(
    run_id: Annotated[int, typer.Argument(metavar="RUN", help="Its number, “run_id” of `runs list`.")],
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="At least 5 characters; no name.")],
    confirm: Annotated[bool, typer.Option("--confirm", help="Even if it has just shown a sign of life.")] = False,
) -> None:
    """Declare a run dead: the next night that is started takes its documents.

    Refused while the run showed a sign of life less than ten minutes ago, unless --confirm; a long batch shows one only
    at its beginning and its end. Written to the audit trail. If the run was still at work, what it writes afterwards
    holds only for the documents that nobody has taken over.
    """
    from deid.ledger.runs import take_over as declare_dead

    say(asdict(declare_dead(run_id, getpass.getuser(), reason, confirmed=confirm)))


def publish(interval_key: IntervalKey, approve: Approve = None) -> None:
    """Publish an interval that is ready, if the checks allow it.

    Then writes its report. Publishing twice changes nothing.
    """
    _release(interval_key, approve)


def make_visible() -> None:
    """Show researchers all that is published.

    Does not wait for the period of the policy (release.visible). Rewrites the researchers' table at once and in an
    order that tells nothing. Who reads it before and after learns what arrived between the two.
    """
    from deid.publication import publish as publication

    period = chosen_policy(None).release.visible
    _say_step("make_visible", publication.make_visible(period, at_once=True) or {})


def report(interval_key: IntervalKey) -> None:
    """Write the report of an interval, and tell where it is."""
    from deid.release import actions

    _say_step("report", actions.report(interval_key))


def dpo_annex(interval_key: IntervalKey, output: Page = None) -> None:
    """Write, for the data protection officer, the annex of a publication.

    In Markdown, in French: singling out, linkability and inference with the figures of this publication, checks,
    quarantine, opt-outs, versions, decisions. Neither text nor identifier. See docs/fr/dossier-dpo.md.
    """
    from deid.release import actions

    _write_page(actions.annex(interval_key), output)


def catalogue(
    interval_key: IntervalKey,
    about: Annotated[
        Path | None, typer.Option("--about", metavar="FILE", help="Facts of the hospital; else NOCTURNE_CATALOGUE.")
    ] = None,
    output: Page = None,
) -> None:
    """Describe a publication for a health data catalogue.

    HealthDCAT-AP in JSON-LD, with the quality figures of article 78 of the EHDS regulation, measured. Standard error
    tells what mandatory properties the hospital's file lacks. Neither text nor identifier.
    """
    from deid.reports.catalogue import describe_release

    described = describe_release(interval_key, about)
    _write_page(json.dumps(described.record, ensure_ascii=False, indent=1) + "\n", output)
    if described.missing:
        complain(f"the profile also asks for: {', '.join(described.missing)} (file of NOCTURNE_CATALOGUE)")


def _write_page(page: str, output: Path | None) -> None:
    if output is None:
        typer.echo(page, nl=False)
    else:
        output.write_text(page, encoding="utf-8")


def _release(interval_key: str, motive: str | None) -> None:
    from deid.release import actions
    from deid.release.decisions import check_right
    from deid.reports.numbers import Writer

    summary = actions.summarise(interval_key)
    _say_step("summarise", summary)
    decision: dict[str, Any] | None = None
    if actions.needs_approval(summary):
        if motive is None:
            nights = Writer(language()).interval(interval_key)
            complain(
                f"{nights}: a person's approval is asked for. Read the warnings (report "
                f'{interval_key}), then: publish {interval_key} --approve "reason".'
            )
            raise typer.Exit(REFUSED)
        account = system_account()
        check_right(interval_key, account)
        decision = {"chosen": "approve", "decided_by": account, "reason": motive}
    _say_step("publish", actions.publish(interval_key, decision))
    _say_step("report", actions.report(interval_key))


def _bounds(first: datetime, last: datetime | None) -> tuple[datetime, datetime]:
    """Return the interval of some nights in Paris, as the schedule takes them, in any time zone of the machine."""
    last = last or first
    if last < first:
        raise typer.BadParameter("the last day is before the first")
    after = last.date() + timedelta(days=1)
    return datetime.combine(first.date(), NIGHT_TURNS, PARIS), datetime.combine(after, NIGHT_TURNS, PARIS)


def _tell_held(held: Sequence[Mapping[str, Any]]) -> None:
    """Say on standard error which unfinished runs keep documents of the interval, and how to take them over."""
    for run in held:
        seen = datetime.fromisoformat(run["active_at"])
        minutes = int((datetime.now(UTC) - seen).total_seconds() // 60)
        complain(
            f"{run['documents']} documents of this interval are held by run {run['run_id']} "
            f"({run['triggered_by']}), which is not finished; last sign of life {minutes} min ago "
            f"({seen.astimezone(PARIS):%Y-%m-%d %H:%M}). If it is dead: python -m deid runs take-over "
            f"{run['run_id']} --reason REASON, then start the night again, under another name if it had "
            "one."
        )


def _say_step(step: str, counts: Mapping[str, Any]) -> None:
    say({"step": step, **counts})
