"""First draft of a source contract, from the names and types of the tables that the reader may see. No row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deid.domain import read_lists
from deid.domain.errors import InputRefused
from deid.source.contract import CONTRACT, open_source
from deid.source.links import Table

ZONE = "Europe/Paris"
_TIMES = ("date", "timestamp without time zone")
_OFFSET = r".*:\d\d(\.\d+)? ?([Zz]|[+-]\d\d(:?\d\d)?)$"  # at the end of a time
_NUMBERS = ("smallint", "integer", "bigint", "numeric")

# Thing → column of the contract → names that warehouses give it, the most telling first.
_NAMES: Mapping[str, Mapping[str, str]] = read_lists(__file__)
# What a table must have to be the one of a thing.
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "document": ("document_id", "content"),
    "patient": ("patient_id", "last_name"),
    "stay": ("stay_id", "stay_start"),
    "staff": ("last_name", "rpps"),
    "merge": ("patient_id", "merged_into"),
}


def _fields(table: Table, thing: str) -> dict[str, list[str]]:
    """Return column of the contract → columns of the table, for those found."""
    found = {wanted: table.find(names) for wanted, names in _NAMES[thing].items()}
    return {wanted: columns for wanted, columns in found.items() if columns}


@dataclass(frozen=True, slots=True)
class Draft:
    """The folder written, the table taken for each thing, and the columns of the contract that no table has."""

    folder: Path
    tables: Mapping[str, str]
    missing: Sequence[str]


def draft_source(folder: Path, schemas: Sequence[str] = ()) -> Draft:
    """Write the queries of a contract into a new folder from the tables of the warehouse; empty `schemas`: of all.

    Raises:
        InputRefused: the folder holds something, or no table looks like one of documents.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputRefused(f"{folder} is not empty.", "Name a new folder; `source check` checks an existing one.")
    with open_source("nocturne source init") as link:
        words = _WORDS.get(link.dialect)
        if words is None:
            raise InputRefused(
                f"no contract can be drafted for {link.dialect}.", "Copy sql/sources/ehop, and write the queries."
            )
        tables = link.tables(schemas)
    chosen = {thing: _choose(thing, tables) for thing in _NAMES}
    if chosen["document"] is None:
        raise InputRefused(
            "no table that the reader may see has an id and a content of documents.",
            "GRANT SELECT on it to the reader, or copy sql/sources/ehop and write the queries.",
        )
    writer = _Writer(chosen["document"], chosen, words)
    written = {step: getattr(writer, step)() for step in ("plan", "present", "contents", "staff")}
    if merge := chosen["merge"]:
        written["merges"] = writer.merges(merge)
    folder.mkdir(parents=True, exist_ok=True)
    for step, text in written.items():
        (folder / f"{step}.sql").write_text(text, encoding="utf-8")
    return Draft(folder, {thing: table.name for thing, table in chosen.items() if table}, writer.missing)


def _choose(thing: str, tables: Sequence[Table]) -> Table | None:
    """Return the table with most of the columns of a thing, among those with the ones that it needs."""
    able = [table for table in tables if all(need in _fields(table, thing) for need in _NEEDED[thing])]
    return max(able, key=lambda table: (len(_fields(table, thing)), table.name), default=None)


class _Writer:
    """Queries on chosen tables: `d` is the table of documents, `p` the one of patients, `s` the one of stays."""

    def __init__(self, documents: Table, chosen: Mapping[str, Table | None], words: _Postgresql) -> None:
        self._chosen, self._words = chosen, words
        self._from = [f"FROM {documents.name} AS d"]
        self._places = {"document": ("d", documents), "patient": ("d", documents), "stay": ("d", documents)}
        for thing, alias, key in (("patient", "p", "patient_id"), ("stay", "s", "stay_id")):
            table, ours = chosen[thing], _fields(documents, "document").get(key)
            if table is None or table is documents or ours is None:
                continue  # what is known of it stands in the table of documents, if anywhere
            theirs = ours[0] if ours[0] in table.columns else _fields(table, thing)[key][0]
            self._from.append(f"LEFT JOIN {table.name} AS {alias} ON d.{ours[0]} = {alias}.{theirs}")
            self._places[thing] = (alias, table)
        self.missing = [
            f"{step}.{column}"
            for step, columns in (("contents", CONTRACT["contents"]), ("plan", {"ingested_at": "", "withdrawn": ""}))
            for column in columns
            if column not in ("content_hash", "document_id") and not self._find(column)[1]
        ]

    def plan(self) -> str:
        """Return the query of what arrived in an interval."""
        arrival, name = self._expression("ingested_at", "timestamptz"), self._expression("document_id", "text")
        name = self._words.ordered(name)
        after, after_name = self._words.places()
        return (
            "-- Grain: one document of the warehouse, as it is now.\n"
            "-- Purpose: what reached the warehouse in [interval_start, interval_end), a page at a time. An index on\n"
            "-- the expression of ingested_at makes it fast. A correction and a withdrawal must move that time.\n"
            + self._select("plan")
            + f"\nWHERE\n    {arrival} >= %(interval_start)s\n    AND {arrival} < %(interval_end)s\n"
            f"    AND (\n        {after} IS NULL\n        OR ({arrival}, {name})\n"
            f"        > ({after}, {after_name})\n    )\n"
            f"ORDER BY {arrival}, {name}\nLIMIT %(page)s\n"
        )

    def present(self) -> str:
        """Return the query of what is still there."""
        return (
            "-- Grain: one document among document_ids.\n-- Purpose: which are still there and not withdrawn.\n"
            + self._select("present")
            + f"\nWHERE {self._asked()} AND NOT ({self._withdrawn()})\n"
        )

    def contents(self) -> str:
        """Return the query of contents and identities."""
        return (
            "-- Grain: one document among document_ids, with what the warehouse knows of its patient and stay.\n"
            "-- Purpose: everything that detection needs. NULL stands where no column was recognised.\n"
            + self._select("contents")
            + f"\nWHERE {self._asked()}\n"
        )

    def staff(self) -> str:
        """Return the query of professionals; of nobody where no table holds them."""
        table = self._chosen["staff"]
        self._places["staff"] = ("m", table or Table("", {}))
        columns = ",\n".join(
            f"    {self._expression(column, kind, ('staff',))} AS {column}"
            for column, kind in CONTRACT["staff"].items()
        )
        end = f"FROM {table.name} AS m" if table else "WHERE FALSE"
        purpose = "-- Grain: one professional of the hospital.\n-- Purpose: the names that documents are signed with."
        return _statement(purpose, columns, end)

    def merges(self, table: Table) -> str:
        """Return the query of merged patients."""
        found = _fields(table, "merge")
        columns = ",\n".join(
            f"    {self._words.text(f'm.{found[column][0]}', table.columns[found[column][0]])} AS {column}"
            for column in ("patient_id", "merged_into")
        )
        return _statement("-- Grain: one patient who was merged into another.", columns, f"FROM {table.name} AS m")

    def _select(self, step: str) -> str:
        columns = ",\n".join(
            f"    {self._expression(column, kind)} AS {column}" for column, kind in CONTRACT[step].items()
        )
        return f"SELECT\n{columns}\n" + "\n".join(self._from)

    def _asked(self) -> str:
        return self._words.asked(self._expression("document_id", "text"))

    def _find(
        self, column: str, things: Sequence[str] = ("document", "patient", "stay")
    ) -> tuple[str, list[str], Table]:
        """Return alias, columns and table that hold a column of the contract; no columns where none does."""
        for thing in things:
            alias, table = self._places[thing]
            if column in _NAMES[thing] and (found := table.find(_NAMES[thing][column])):
                return alias, found, table
        return "", [], Table("", {})

    def _expression(self, column: str, kind: str, things: Sequence[str] = ("document", "patient", "stay")) -> str:
        """Return the SQL of a column of the contract, converted to its type."""
        if column == "withdrawn":
            return self._withdrawn()
        alias, found, table = self._find("content" if column == "content_hash" else column, things)
        if not found:
            return self._words.null(kind)
        source, held = f"{alias}.{found[0]}", table.columns[found[0]]
        if column == "content_hash":
            return self._words.digest(source, held)
        if kind == "text[]":
            texts = [self._words.text(f"{alias}.{name}", table.columns[name]) for name in found]
            return self._words.many(texts) if held != "ARRAY" else f"{source}::text[]"
        if held == "bytea" and kind.startswith("bytea"):
            return source
        return self._words.converted(source, held, kind)

    def _withdrawn(self) -> str:
        alias, found, table = self._find("withdrawn")
        if not found:
            return "FALSE"
        source, held = f"{alias}.{found[0]}", table.columns[found[0]]
        if held == "boolean":
            return f"coalesce({source}, FALSE)"
        return f"coalesce({source} <> 0, FALSE)" if held in _NUMBERS else f"{source} IS NOT NULL"


def _statement(comment: str, columns: str, end: str) -> str:
    return "\n".join((comment, "SELECT", columns, end, ""))


class _Postgresql:
    """Parts of a drafted query that differ between databases, in the SQL of PostgreSQL."""

    def text(self, source: str, held: str) -> str:
        """Return an expression of type `held` as text."""
        return source if held == "text" else f"{source}::text"

    def null(self, kind: str) -> str:
        """Return an unknown of a type of the contract."""
        return f"NULL::{'bytea' if kind.startswith('bytea') else kind.split(' ')[0]}"

    def digest(self, source: str, held: str) -> str:
        """Return the SHA-256 of a content."""
        raw = source if held == "bytea" else f"convert_to({source}::text, 'UTF8')"
        return f"encode(sha256(coalesce({raw}, ''::bytea)), 'hex')"

    def many(self, texts: Sequence[str]) -> str:
        """Return a list of texts without the unknown ones."""
        parts = ", ".join(f"nullif({text}, '')" for text in texts)
        return f"array_remove(ARRAY[{parts}], NULL)"

    def asked(self, name: str) -> str:
        """Return the condition that an id is one of those asked for."""
        return f"{name} = ANY(%(document_ids)s)"

    def ordered(self, name: str) -> str:
        """Return an id as pages are ordered by it: two ids that differ are never equal."""
        return name

    def places(self) -> tuple[str, str]:
        """Return the parameters of the last row of the page before."""
        return "%(after_ingested_at)s::timestamptz", "%(after_document_id)s::text"

    def converted(self, source: str, held: str, kind: str) -> str:
        """Return an expression of type `held` as one of a type of the contract; local times are those of `ZONE`."""
        zoned = held == "timestamp with time zone"
        if kind == "timestamptz":
            return source if zoned else self.moment(source, held)
        if "date" in kind and held == "date":
            return source
        if "date" in kind and held.startswith("timestamp"):
            return self.day(source, zoned)
        return self.read_day(source) if kind == "date" else self.text(source, held)

    def moment(self, source: str, held: str) -> str:
        """Return a local time as an instant; a text may tell its offset."""
        local = source if held == "timestamp without time zone" else f"{source}::timestamp"
        moment = f"({local} AT TIME ZONE '{ZONE}')"
        told = f"CASE WHEN {source} ~ '{_OFFSET}' THEN {self.instant(source)} ELSE {moment} END"
        return moment if held in _TIMES else told

    def instant(self, source: str) -> str:
        """Return a text with an offset as an instant."""
        return f"{source}::timestamptz"

    def day(self, source: str, zoned: bool) -> str:
        """Return the local day of a time."""
        return f"({source} AT TIME ZONE '{ZONE}')::date" if zoned else f"{source}::date"

    def read_day(self, source: str) -> str:
        """Return the day that a text begins with, in the form AAAA-MM-JJ."""
        return f"CASE WHEN {source}::text ~ '^\\d{{4}}-\\d\\d-\\d\\d' THEN left({source}::text, 10)::date END"


class _Duckdb(_Postgresql):
    def null(self, kind: str) -> str:
        return f"NULL::{'blob' if kind.startswith('bytea') else kind.split(' ')[0]}"

    def digest(self, source: str, held: str) -> str:
        return f"sha256(coalesce({source}, ''::blob))" if held == "bytea" else f"sha256(coalesce({source}::text, ''))"

    def many(self, texts: Sequence[str]) -> str:
        return f"[{', '.join(texts)}]"

    def asked(self, name: str) -> str:
        return f"{name} IN %(document_ids)s"

    def instant(self, source: str) -> str:
        return rf"regexp_replace(upper({source}), ' (Z|[+-][0-9:]+)$', '\1')::timestamptz"

    def read_day(self, source: str) -> str:
        return f"try_cast(left({source}::text, 10) AS date)"


class _Mysql(_Duckdb):
    def text(self, source: str, held: str) -> str:
        return source if held == "text" else f"CAST({source} AS CHAR)"

    def null(self, kind: str) -> str:  # noqa: ARG002 - the type of a null matters to no driver of MySQL
        return "NULL"

    def digest(self, source: str, held: str) -> str:  # noqa: ARG002 - a text has bytes
        return f"sha2(coalesce({source}, ''), 256)"

    def many(self, texts: Sequence[str]) -> str:
        return f"json_array({', '.join(texts)})"

    def ordered(self, name: str) -> str:
        return f"convert({name} USING utf8mb4) COLLATE utf8mb4_bin"

    def places(self) -> tuple[str, str]:
        return "%(after_ingested_at)s", "%(after_document_id)s"

    def moment(self, source: str, held: str) -> str:
        local, end = f"convert_tz({source}, '{ZONE}', 'UTC')", "([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)$"
        signed = f"replace(replace(upper(regexp_substr({source}, '{end}')), 'Z', '+00'), ':', '')"  # +02, +0200
        offset = f"concat(left({signed}, 3), ':', rpad(substring({signed}, 4), 2, '0'))"
        instant = f"convert_tz(regexp_replace({source}, ' ?{end}', ''), {offset}, '+00:00')"
        told = f"{source} REGEXP ':[0-9]{{2}}([.][0-9]+)? ?{end}'"
        return local if held in _TIMES else f"CASE WHEN {told} THEN {instant} ELSE {local} END"

    def day(self, source: str, zoned: bool) -> str:
        return f"date(convert_tz({source}, 'UTC', '{ZONE}'))" if zoned else f"date({source})"

    def read_day(self, source: str) -> str:
        return f"str_to_date(left({source}, 10), '%%Y-%%m-%%d')"


_WORDS: Mapping[str, _Postgresql] = {
    "postgresql": _Postgresql(),
    "duckdb": _Duckdb(),
    "mysql": _Mysql(),
    "mariadb": _Mysql(),
}
