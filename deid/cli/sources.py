"""`source`: the contract by which a warehouse is read: checked, shown by what it reads, drafted from tables."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from deid.cli.console import DAY, REFUSED, command_group, read_settings, say
from deid.cli.language import colon, french, tell, translated
from deid.domain import PARIS

_THINGS = {"document": "documents", "patient": "patients", "stay": "stays", "staff": "professionals", "merge": "merges"}

app = command_group("Check, show or draft the contract of the source.")

FirstDay = Annotated[
    datetime | None, typer.Option("--from", formats=DAY, metavar="DAY", help="First day of arrival; else 30 days ago.")
]
LastDay = Annotated[datetime | None, typer.Option("--to", formats=DAY, metavar="DAY", help="Last day, included.")]
ContractName = Annotated[str | None, typer.Option(help="Name of the contract; else NOCTURNE_SOURCE.")]


@app.command("check")
def check(
    first: FirstDay = None,
    last: LastDay = None,
    sample: Annotated[int, typer.Option(min=1, max=5000, help="Documents read.")] = 200,
    source: ContractName = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One line of JSON per finding, then one for the whole.")
    ] = False,
) -> None:
    """Check the contract of the source on the warehouse, and write nothing.

    Runs each query on a sample, and names columns that are absent or of another type, double rows, documents lost by a
    join, empty identities, local times, encodings, a late replica, a password that expires. Each finding has its
    remedy. Shows no value of a document. Ends with 1 if there is an error.
    """
    from deid.source.contract import Source
    from deid.source.contract_check import check_source

    report = check_source(Source(source or read_settings().source), *_interval(first, last), sample)
    for found in report.findings:
        if as_json:
            words = {
                "level": french("error" if found.error else "warning"),
                "message": translated(found.message),
                "remedy": translated(found.remedy),
            }
            say({**asdict(found), **words})
            continue
        level, place = translated("error" if found.error else "warning"), f" ({found.place})" if found.place else ""
        typer.echo(f"{level:<10} {found.step}{colon()}{translated(found.message)}{place}")
        typer.echo(f"{'':<10} → {translated(found.remedy)}")
    if as_json:
        say({"source": report.source, "digest": report.digest, "rows": report.rows, "seconds": report.seconds})
    else:
        counted = ", ".join(f"{step} {rows} ({report.seconds[step]:.2f} s)" for step, rows in report.rows.items())
        tell(f"contract {report.source} {report.digest[:16]}; rows read: {counted or translated('none')}")
    if report.errors:
        raise typer.Exit(REFUSED)


@app.command("preview")
def preview(
    first: FirstDay = None,
    last: LastDay = None,
    sample: Annotated[int, typer.Option(min=1, max=5000, help="Documents counted.")] = 20,
    source: ContractName = None,
    values: Annotated[
        bool, typer.Option("--values", help="Show values and the beginning of texts, which name patients.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One line of JSON per field, then one per document.")] = False,
) -> None:
    """Show documents as the contract reads them, with counts by field, and write nothing.

    Says of how many documents each field is given and can be read, then the first ten documents. Without “--values”
    each digit is shown as 9 and each letter as a. Ends with 1 if a field that is given can be read of no document.
    """
    from deid.source.contract import Source
    from deid.source.contract_preview import preview_source

    shown = preview_source(Source(source or read_settings().source), *_interval(first, last), sample, values=values)
    for one in shown.fields:
        if as_json:
            say(asdict(one))
        elif one.parsed:
            tell(f"{one.column:<16} {one.readable} of {one.given} readable, of {one.documents} documents")
        else:
            tell(f"{one.column:<16} given for {one.given} of {one.documents} documents")
    for number, document in enumerate(shown.documents, start=1):
        if as_json:
            say({"document": number, **document})
            continue
        typer.echo(f"{number}")
        for column, value in document.items():
            typer.echo(f"    {column:<16} {value}")
    if any(one.given and not one.readable for one in shown.fields):
        raise typer.Exit(REFUSED)


@app.command("init")
def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="New folder of the contract, inside that of NOCTURNE_SOURCES.")
    ],
    schema: Annotated[list[str] | None, typer.Option(help="Schema to look at; can be repeated; else all.")] = None,
) -> None:
    """Write a first contract, from the names of the tables and columns that the reader role sees.

    Reads no row. The contract is a draft: read it, correct it, then “source check”.
    """
    from deid.source.contract_draft import draft_source

    draft = draft_source(folder, schema or [])
    for thing, table in draft.tables.items():
        typer.echo(f"{translated(_THINGS[thing]):<14} {table}")
    if draft.missing:
        typer.echo(f"{translated('no column'):<14} {', '.join(draft.missing)}")
    tell(f"Written to {draft.folder}. Read each query again, then, with NOCTURNE_SOURCES={draft.folder.parent}:")
    typer.echo(f"  python -m deid source check --source {draft.folder.name}")


def _interval(first: datetime | None, last: datetime | None) -> tuple[datetime, datetime]:
    """Return the interval of the days asked for, by default the last thirty, from midnight to midnight in Paris."""
    end = (last.replace(tzinfo=PARIS) if last else datetime.now(PARIS)) + timedelta(days=1)
    start = first.replace(tzinfo=PARIS) if first else end - timedelta(days=31)
    if start >= end:
        raise typer.BadParameter("the first day is after the last.", param_hint="--from")
    return start, end
