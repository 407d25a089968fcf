"""Source contract: the queries of a folder of `sql/sources` or of `NOCTURNE_SOURCES`, and the columns of each.

`formats.yaml` of the same folder holds the rules of the source's files (`deid.formats.fields`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import psycopg2
from psycopg2.extensions import connection as Connection

from deid.config.settings import settings
from deid.domain.errors import ContractBroken, SettingsError
from deid.formats import FileRules, load_rules
from deid.warehouse.migrations import SQL

# Type names of the contract → type oids of PostgreSQL that satisfy it (pg_type.dat).
_TYPES: Mapping[str, frozenset[int]] = MappingProxyType(
    {
        "text": frozenset({25, 1043, 1042}),
        "text[]": frozenset({1009, 1015}),
        "bytea or text": frozenset({17, 25, 1043, 1042}),
        "boolean": frozenset({16}),
        "date": frozenset({1082}),
        "date or text": frozenset({1082, 25, 1043, 1042}),
        "timestamptz": frozenset({1184}),
    }
)


def _columns(**groups: str) -> Mapping[str, str]:
    """Return column → type from `type="column column"`; `_list` stands for `[]`, `_or_` for ` or `."""
    kinds = {name.replace("_list", "[]").replace("_", " "): columns.split() for name, columns in groups.items()}
    return MappingProxyType({column: kind for kind, columns in kinds.items() for column in columns})


CONTRACT: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "plan": _columns(
            text="document_id content_hash patient_id document_type service",
            timestamptz="ingested_at",
            boolean="withdrawn",
        ),
        "present": _columns(text="document_id patient_id"),
        "merges": _columns(text="patient_id merged_into"),
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
)

OPTIONAL = frozenset({"merges"})  # without it, no two patients are known to be one person
# Columns that a query may leave out
OPTIONAL_COLUMNS: Mapping[str, Mapping[str, str]] = MappingProxyType({"contents": _columns(text="content_path")})

# Parameters under which each query returns little or nothing: its columns are described without reading a content.
_NOTHING: Mapping[str, Any] = MappingProxyType(
    {
        "interval_start": "2000-01-01T00:00:00Z",
        "interval_end": "2000-01-01T00:00:00Z",
        "after_ingested_at": None,
        "after_document_id": None,
        "page": 0,
        "document_ids": [],
    }
)


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
                step: (self._folder / f"{step}.sql").read_text(encoding="utf-8")
                for step in CONTRACT
                if step not in OPTIONAL or (self._folder / f"{step}.sql").exists()
            }
        except OSError as error:
            raise SettingsError(
                f"source {name} lacks {error.filename}.", "docs/operators.md says what it must return."
            ) from None

    def query(self, step: str) -> str:
        """Return the SQL of `step`, a key of `CONTRACT`."""
        return self._queries[step]

    def file(self, step: str) -> str:
        """Return the file of `step` for a message: its path, from `sql/` on for a source that ships."""
        path = self._folder / f"{step}.sql"
        return str(Path("sql") / path.relative_to(SQL) if path.is_relative_to(SQL) else path)

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

    def columns(self, step: str) -> tuple[str, ...]:
        """Return the columns of a step's query that are read: optional ones too, where `verify` found them."""
        return self._given.get(step, tuple(CONTRACT[step]))

    def verify(self, link: Connection, *steps: str) -> None:
        """Check that the queries of `steps` give the columns of the contract with their types; no row is read.

        Raises:
            ContractBroken: names the first column or table at fault and the file to mend.
        """
        for step in steps or self._queries:
            with link.cursor() as cursor:
                try:
                    cursor.execute(self.query(step), _NOTHING)
                except psycopg2.ProgrammingError as error:
                    raise self._broken(step, _fault(cursor, error)) from None
                given = {column.name: column.type_code for column in cursor.description or ()}
            optional = {name: kind for name, kind in OPTIONAL_COLUMNS.get(step, {}).items() if name in given}
            for column, kind in {**CONTRACT[step], **optional}.items():
                if column not in given:
                    raise self._broken(step, f"column {column} is missing")
                if given[column] not in _TYPES[kind]:
                    raise self._broken(step, f"column {column} is not of type {kind}")
            self._given[step] = (*CONTRACT[step], *optional)

    def _broken(self, step: str, what: str) -> ContractBroken:
        return ContractBroken(
            f"source {self.name}: {what} in {self.file(step)}.",
            "Mend that query; docs/operators.md lists the columns it must return.",
        )


def _source_folders() -> dict[str, Path]:
    """Return the folder of each source by its name: those that ship, and the deployment's own."""
    own = settings().sources
    if own is not None and not own.is_dir():
        remedy = "Give the folder that holds a folder for each source (docs/operators.md, “Source contract”)."
        raise SettingsError(f"NOCTURNE_SOURCES: {own} is no folder.", remedy)
    folders = (SQL / "sources", *([own] if own is not None else []))
    return {path.name: path for folder in folders for path in folder.iterdir() if path.is_dir()}


def _fault(cursor: Any, error: psycopg2.Error) -> str:
    """Name the fault of a refused statement from its SQLSTATE and position: no value, in any language of the server."""
    position = error.diag.statement_position
    if position is None:
        name = "something"
    else:
        rest = cursor.query.decode("utf-8", "replace")[int(position) - 1 :]
        name = rest.split()[0].strip("(),;")
    kind = {
        "42703": f"column {name} does not exist",
        "42P01": f"table {name} does not exist",
        "42501": "the reader lacks SELECT on a table read",
    }
    return kind.get(error.pgcode or "", f"the statement is refused near {name} (SQLSTATE {error.pgcode})")
