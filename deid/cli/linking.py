"""`link`: a table of the hospital under the pseudonyms and moved dates of the published documents."""

from __future__ import annotations

import csv
import getpass
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from deid.cli.console import REFUSED, chosen_policy, read_settings, say
from deid.cli.documents import PolicyFile
from deid.cli.language import complain
from deid.domain.errors import InputRefused, PolicyError, SettingsError
from deid.domain.writing import replacing

if TYPE_CHECKING:
    from deid.config.policy import Policy
    from deid.publication.linking import LinkedPatient

Row = Mapping[str, Any]
_CSV, _PARQUET = ".csv", ".parquet"
_MOST_SHOWN = 20  # numbers of rows per reason
UNPUBLISHED = "patient without a published document, opted out, or without a known birth date"
UNREADABLE = "unreadable date (YYYY-MM-DD, with or without a time)"
OUTSIDE = "date out of reach of the patient's published documents"


def link(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="CSV (UTF-8, “,” or “;”) or Parquet.")],
    patient_column: Annotated[
        str, typer.Option("--patient-column", metavar="COLUMN", help="Ids of patients of the warehouse.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="CSV or Parquet, by the end of the name.")],
    date_columns: Annotated[
        list[str] | None, typer.Option("--date-columns", metavar="COLUMNS", help="Dates; separated by commas.")
    ] = None,
    stay_column: Annotated[
        str | None, typer.Option("--stay-column", metavar="COLUMN", help="Ids of stays of the warehouse.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMNS", help="Columns copied as they are; the others are left out."),
    ] = None,
    policy: PolicyFile = None,
) -> None:
    """Link a table to the published documents.

    Gives its rows the pseudonyms of the patient and the stay, and moves their dates like those of the notes.

    A row is written only if its patient has documents published under the secret and the policy in force, and if each
    of its dates is within reach of one of them. The others are told by their number alone, and the command then ends
    with 1. Times of day are not written. Rows come out in the order of pseudonyms and dates. What “--keep” copies is
    not read: name neither an identifier, a date nor free text there. Counts go to the audit trail.

    Needs the secret, NOCTURNE_WORKER_DSN and NOCTURNE_READER_DSN.
    """
    columns = LinkColumns(patient_column, stay_column, _names(date_columns), _names(keep))
    counts, refused = link_table(table, out, columns, chosen_policy(policy), getpass.getuser())
    say(counts)
    for reason, numbers in refused.items():
        shown = ", ".join(map(str, numbers[:_MOST_SHOWN])) + (", …" if len(numbers) > _MOST_SHOWN else "")
        complain(f"{len(numbers)} line(s) not linked, {reason}: {shown}")
    if refused:
        raise typer.Exit(REFUSED)


def link_in_folder(name: str, columns: LinkColumns, requested_by: str) -> dict[str, int]:
    """Link `tables/given/NAME` of the exchange folder into `tables/linked/NAME`; return its counts.

    `rows`, `linked`, `patients`, `columns_left_out`, and rows left out as `unpublished`, `unreadable` or `outside`.

    Raises:
        SettingsError: there is no exchange folder.
        InputRefused, PolicyError: see `link_table`; or the name is a path.
    """
    folder = read_settings().exchange_folder
    if folder is None:
        raise SettingsError("NOCTURNE_EXCHANGE_FOLDER is not set.", "Set it to a folder that its owner alone reads.")
    if Path(name).name != name:
        raise InputRefused("the name of the table is a path.", "Give the name of a file of tables/given.")
    out = folder / "tables" / "linked" / name
    out.parent.mkdir(mode=0o700, exist_ok=True)
    counts, refused = link_table(folder / "tables" / "given" / name, out, columns, chosen_policy(None), requested_by)
    reasons = {"unpublished": UNPUBLISHED, "unreadable": UNREADABLE, "outside": OUTSIDE}
    return {**counts, **{word: len(refused.get(reason, ())) for word, reason in reasons.items()}}


class LinkColumns(NamedTuple):
    """Columns of a table: of patients, of stays if it has any, of dates, and those that are copied."""

    patient: str
    stay: str | None
    dates: Sequence[str]
    kept: Sequence[str]


def link_table(
    table: Path, out: Path, columns_asked: LinkColumns, chosen: Policy, actor: str
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Write a table under published ids and dates; return its counts, and numbers of rows left out by reason.

    Raises:
        InputRefused: the table cannot be read or written, or lacks a column.
        PolicyError: the policy publishes no stays, or gives dates no mapping.
        SettingsError, WarehouseError: see `deid.publication.linking.read_patients`.
    """
    from deid.publication.linking import integer_ids, read_patients, record

    patient_column, stay_column = columns_asked.patient, columns_asked.stay
    columns, rows = _read_table(table)
    _check_columns(columns, out, columns_asked)
    if stay_column is not None and chosen.publication.stay == "drop":
        raise PolicyError("the policy publishes no stays (publication.stay: drop).", "Leave out --stay-column.")
    patients = read_patients(
        {str(row[patient_column]) for row in rows if row[patient_column] not in (None, "")}, chosen.substitution
    )
    written: list[dict[str, Any]] = []
    refused: dict[str, list[int]] = {}
    for number, row in enumerate(rows, start=1):
        patient = patients.get(str(row[patient_column]))
        linked = UNPUBLISHED if patient is None else _linked(row, patient, columns_asked)
        if isinstance(linked, str):
            refused.setdefault(linked, []).append(number)
        else:
            written.append(linked)
    people = integer_ids("patient", {row[patient_column] for row in written})
    stays = integer_ids("stay", {row[stay_column] for row in written} - {None}) if stay_column else {}
    for row in written:
        row["person_id"] = people[row[patient_column]]
        if stay_column:
            row["visit_occurrence_id"] = stays.get(row[stay_column])
    written.sort(key=lambda row: [str(value) for value in row.values()])
    _write_table(out, table, _written_columns(columns_asked), written)
    counts = Counter(str(row[patient_column]) for row in written)
    told = {"rows": len(rows), "linked": len(written), "patients": len(counts)}
    record(actor, **told)
    return {**told, "columns_left_out": _left(columns, written)}, refused


def _linked(row: Row, patient: LinkedPatient, asked: LinkColumns) -> dict[str, Any] | str:
    """Return a row as it is published, or why it is not."""
    from deid.publication.linking import stay_pseudonym

    made: dict[str, Any] = {asked.patient: patient.patient_id}
    for name in asked.dates:
        if row[name] in (None, ""):
            made[name] = None
            continue
        try:
            day = _day(row[name])
        except ValueError:
            return UNREADABLE
        made[name] = patient.dates.move(day)
        if made[name] is None:
            return OUTSIDE
    if asked.stay is not None:
        made[asked.stay] = None if row[asked.stay] in (None, "") else stay_pseudonym(str(row[asked.stay]))
    return made | {name: row[name] for name in asked.kept}


def _written_columns(asked: LinkColumns) -> list[str]:
    stay = [asked.stay, "visit_occurrence_id"] if asked.stay else []
    return [asked.patient, *asked.dates, "person_id", *stay, *asked.kept]


def _day(value: object) -> date:
    """Return the day of an ISO date or instant; of an instant with its zone, the hospital's day.

    Raises:
        ValueError: it is neither.
    """
    from deid.domain import PARIS

    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    instant = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
    return (instant.astimezone(PARIS) if instant.tzinfo else instant).date()


def _names(given: Iterable[str] | None) -> list[str]:
    return [name for one in given or () for name in one.split(",") if name]


def _left(columns: Sequence[str], written: Sequence[Row]) -> int:
    return len([name for name in columns if written and name not in written[0]])


def _check_columns(columns: Sequence[str], out: Path, asked: LinkColumns) -> None:
    named = [asked.patient, *([asked.stay] if asked.stay else []), *asked.dates, *asked.kept]
    if missing := [name for name in named if name not in columns]:
        raise InputRefused(f"the table has no column {', '.join(missing)}.", "Name columns as its header does.")
    made = {"person_id", "visit_occurrence_id"} if asked.stay else {"person_id"}
    if len(set(named)) < len(named) or made & set(named):
        raise InputRefused("a column is named twice, or as one that is added.", "Name each column once.")
    if out.suffix.lower() not in (_CSV, _PARQUET):
        raise InputRefused("the result has no known ending.", "Name a file that ends in .csv or .parquet.")


def _read_table(path: Path) -> tuple[Sequence[str], list[Row]]:
    """Return the columns and rows of a table; cells of a CSV are text.

    Raises:
        InputRefused: it cannot be read; no value is quoted.
    """
    try:
        if path.suffix.lower() == _PARQUET:
            return _read_parquet(path)
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter=_delimiter(path), strict=True)
            rows: list[Row] = list(reader)
    except (OSError, ValueError, csv.Error):
        raise InputRefused(
            "the table cannot be read.", "Give a CSV in UTF-8 with a header, or a Parquet file."
        ) from None
    if any(None in row or None in row.values() for row in rows):
        raise InputRefused("rows of the table differ in length.", "Give each row as many cells as the header has.")
    return reader.fieldnames or (), rows


def _read_parquet(path: Path) -> tuple[Sequence[str], list[Row]]:
    """Return the columns and rows of a Parquet file.

    Raises:
        ValueError: it is none.
    """
    import duckdb

    with duckdb.connect() as engine:
        try:
            read = engine.read_parquet(str(path))
            return read.columns, [dict(zip(read.columns, row, strict=True)) for row in read.fetchall()]
        except duckdb.Error as error:
            raise ValueError from error


def _delimiter(path: Path) -> str:
    with path.open(encoding="utf-8-sig") as file:
        header = file.readline()
    return ";" if header.count(";") > header.count(",") else ","


def _write_table(path: Path, source: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Write the result."""
    delimiter = _delimiter(source) if source.suffix.lower() == _CSV else ","
    try:
        with replacing(path) as partial:
            if path.suffix.lower() == _PARQUET:
                import duckdb
                import pandas as pd

                with duckdb.connect() as engine:
                    engine.from_df(pd.DataFrame(rows, columns=[*columns], dtype=object)).write_parquet(str(partial))
                return
            with partial.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, columns, delimiter=delimiter)
                writer.writeheader()
                writer.writerows(rows)
    except OSError:
        raise InputRefused("the result cannot be written.", "Give a file in a folder that can be written.") from None
