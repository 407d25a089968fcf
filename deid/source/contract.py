"""Source contract: the queries of a folder of `sql/sources` or of `NOCTURNE_SOURCES`, and the columns of each.

`formats.yaml` of the same folder holds the rules of the source's files (`deid.formats.fields`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from deid.config.settings import settings
from deid.database.connection import connect, is_postgresql
from deid.database.queries import SQL
from deid.domain.errors import ContractBroken, SettingsError
from deid.formats import FileRules, load_rules
from deid.source.links import FAULTS, FaultKind, PostgresqlLink, QueryFault, SourceLink, StatementRefused


def _columns(**groups: str) -> Mapping[str, str]:
    """Return column → type from `type="column column"`; `_list` means `[]`, `_or_` means ` or `."""
    kinds = {name.replace("_list", "[]").replace("_", " "): columns.split() for name, columns in groups.items()}
    return MappingProxyType({column: kind for kind, columns in kinds.items() for column in columns})


CONTRACT: Mapping[str, Mapping[str, str]] = {
    "plan": _columns(
        text="document_id content_hash patient_id document_type service", timestamptz="ingested_at", boolean="withdrawn"
    ),
    "present": _columns(text="document_id patient_id"),
    "merges": _columns(text="patient_id merged_into"),
    "codes": _columns(text="document_id stay_id code"),
    "contents": _columns(
        text="document_id content_hash patient_id stay_id document_type loinc_code title format charset service"
        " last_name birth_name sex zip city ipp nda nir",
        text_list="first_names addresses phones emails",
        date="reference_date stay_start stay_end",
        date_or_text="birth_date",
        bytea_or_text="content",
    ),
    "staff": _columns(text="staff_id rpps last_name first_name role service phone email"),
}

# Without `merges`, no two patients are known to be one person; without `codes`, no release is measured by coding.
OPTIONAL = frozenset({"merges", "codes"})
MEASURED = frozenset({"codes"})  # read by evaluations of releases, by no night
# Columns that a query may leave out
OPTIONAL_COLUMNS: Mapping[str, Mapping[str, str]] = {"contents": _columns(text="content_path")}


# Parameters under which each query returns little or nothing: its columns are described without reading a content.
_NOTHING: Mapping[str, Any] = {
    "interval_start": datetime.fromisoformat("2000-01-01T00:00:00+00:00"),
    "interval_end": datetime.fromisoformat("2000-01-01T00:00:00+00:00"),
    "after_ingested_at": None,
    "after_document_id": None,
    "page": 0,
    "document_ids": [],
}


def bind(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a query with `file_root`, the first root of the files that a source names."""
    return {"file_root": next(iter(settings().roots), ""), **parameters}


@contextmanager
def open_source(application: str, *, snapshot: bool = False) -> Iterator[SourceLink]:
    """Open a transaction that reads the source at `NOCTURNE_READER_DSN`; a `snapshot` sees one state throughout.

    Raises:
        SettingsError: the address is absent or cannot be read, or its driver is not installed.
        WarehouseUnreachable: nothing answers, or the connection was lost; retrying later is sensible.
        WarehouseError: the server refused the login or a statement.
    """
    dsn = settings().dsn("reader")
    if not is_postgresql(dsn):
        from deid.source.sqlalchemy_links import open_link

        with open_link(dsn, application) as other:  # which sees one state where the database can
            yield other
        return
    with connect(dsn, application=application) as link:
        link.set_session(isolation_level="REPEATABLE READ" if snapshot else None, readonly=True)
        yield PostgresqlLink(link, dsn)


class Source:
    """A source, by the name of its folder; one of `NOCTURNE_SOURCES` comes before one that ships.

    Raises:
        SettingsError: there is no such folder, or it lacks a query.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        known = _source_folders()
        if name not in known:
            names = ", ".join(sorted(known))
            raise SettingsError(f"no source is called {name!r}.", f"Set NOCTURNE_SOURCE to one of {names}.")
        self._folder = known[name]
        self._given: dict[str, tuple[str, ...]] = {}
        try:
            self._queries = {
                step: (self._folder / f"{step}.sql").read_text(encoding="utf-8").rstrip().rstrip(";") + "\n"
                for step in CONTRACT
                if step not in OPTIONAL or (self._folder / f"{step}.sql").exists()
            }
        except OSError as error:
            raise SettingsError(
                f"source {name} lacks {error.filename}.", "docs/operators.md says what it must return."
            ) from None

    def query(self, step: str) -> str:
        """Return the SQL of `step`, a key of `CONTRACT`, without a semicolon at its end."""
        return self._queries[step]

    def file(self, step: str) -> str:
        """Return the file of `step` for a message: its path, from `sql/` on for a source that ships."""
        path = self._folder / f"{step}.sql"
        return str(Path("sql") / path.relative_to(SQL) if path.is_relative_to(SQL) else path)

    def place(self, step: str, word: str, line: int = 0) -> str:
        """Return file and line (`plan.sql:12`) of a query's `line`, else of the last that has a word outside comments.

        The file alone where no line has it: a column that the query does not give.
        """
        named = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        lines = self._queries[step].splitlines() if word else []
        found = [at for at, text in enumerate(lines, start=1) if named.search(text.partition("--")[0])]
        at = line or next(reversed(found), 0)
        return f"{self.file(step)}:{at}" if at else self.file(step)

    def has(self, step: str) -> bool:
        """Return whether the source has the query of a step; those of `OPTIONAL` may be absent."""
        return step in self._queries

    def rules(self) -> FileRules:
        """Read the rules of the source's files; those that ship alone where the folder has no `formats.yaml`.

        Raises:
            PolicyError: the file holds what is no rule.
        """
        path = self._folder / "formats.yaml"
        return load_rules(path) if path.exists() else FileRules()

    @property
    def steps(self) -> tuple[str, ...]:
        """Keys of `CONTRACT` whose query the source has."""
        return tuple(self._queries)

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the contract: its queries and the rules of its files, with their names."""
        files = [f"{step}.sql" for step in sorted(self._queries)]
        files += ["formats.yaml"] if (self._folder / "formats.yaml").exists() else []
        parts = [hashlib.sha256((self._folder / name).read_bytes()).hexdigest() + " " + name for name in files]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def kinds(self, step: str) -> dict[str, str]:
        """Return the columns of a step's query that are read, with their types."""
        known = {**CONTRACT[step], **OPTIONAL_COLUMNS.get(step, {})}
        return {column: known[column] for column in self._given.get(step, tuple(CONTRACT[step]))}

    def verify(self, link: SourceLink, *steps: str) -> None:
        """Check that the queries of `steps` (all: those of a night) give the contract's columns; no row is read.

        Raises:
            ContractBroken: names each column or table at fault, with its file and line.
        """
        asked = steps or [step for step in self.steps if step not in MEASURED]
        found = [(step, fault) for step in asked for fault in self.faults(link, step)]
        if not found:
            return
        raise self._broken_by(found)

    def _broken_by(self, found: Sequence[tuple[str, QueryFault]]) -> ContractBroken:
        """Return the error for faults of queries, each with its file and line; with the remedy of one alone."""
        told = "; ".join(f"{self.place(step, fault.name, fault.line)}: {fault}" for step, fault in found)
        step, fault = found[0]
        remedy = _EACH if len(found) > 1 else str(FAULTS[fault.kind]["remedy"]).replace("{file}", self.file(step))
        return ContractBroken(f"source {self.name}: {told}.", remedy)

    def faults(self, link: SourceLink, step: str) -> list[QueryFault]:
        """Return the faults of the query of a step; no row is read, and the transaction can go on."""
        try:
            with link.attempt():
                given = link.columns(self.query(step), bind(_NOTHING))
        except StatementRefused as refused:
            return [refused.fault]
        optional = {name: kind for name, kind in OPTIONAL_COLUMNS.get(step, {}).items() if name in given}
        self._given[step] = (*CONTRACT[step], *optional)
        found = []
        for column, kind in {**CONTRACT[step], **optional}.items():
            if column not in given:
                found.append(QueryFault(FaultKind.COLUMN_MISSING, column))
            elif (known := given[column]) is not None and kind not in known:
                found.append(QueryFault(FaultKind.COLUMN_TYPE, column, kind))
        return found

    @contextmanager
    def reading(self, step: str) -> Iterator[None]:
        """Name the query in what goes wrong while its rows are read.

        Raises:
            ContractBroken: it takes too long, or gives what the contract does not allow.
        """
        try:
            yield
        except StatementRefused as refused:
            raise self._broken_by([(step, refused.fault)]) from None

    def broken(self, step: str, what: str, remedy: str = "") -> ContractBroken:
        """Return the error for a contract that the query of a step breaks."""
        return ContractBroken(f"source {self.name}: {what} in {self.file(step)}.", remedy or _MEND)


_MEND = "Mend that query; docs/operators.md lists the columns it must return."
_EACH = "`python -m deid source check` tells each with its remedy."


def _source_folders() -> dict[str, Path]:
    """Return the folder of each source by its name: those that ship, and the deployment's own."""
    own = settings().sources
    if own is not None and not own.is_dir():
        remedy = "Give the folder that holds a folder for each source (docs/operators.md, “Source contract”)."
        raise SettingsError(f"NOCTURNE_SOURCES: {own} is no folder.", remedy)
    folders = (SQL / "sources", *([own] if own is not None else []))
    return {path.name: path for folder in folders for path in folder.iterdir() if path.is_dir()}
