"""Load one file as a new release: beside the one in use, checked, then swapped, all in one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

from deid.domain.errors import ReferenceRefused
from deid.refresh import added_features, workbook
from deid.refresh.added_features import Column
from deid.refresh.configuration import PACKAGED
from deid.refresh.download import Seen
from deid.refresh.expectations import check_sample
from deid.refresh.fetch import Bundle, Download
from deid.refresh.progress import Progress
from deid.refresh.sources import Source
from deid.refresh.sources.source import Row, Tally
from deid.refresh.unpack import lines
from deid.warehouse.connection import connect
from deid.warehouse.queries import query

LOAD_TIMEOUT_S = 4 * 3600
CHECKSUM_DIGITS = 12
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class Release:
    """A release in use."""

    release_id: int
    version: str
    rows: int
    location: str
    seen: Mapping[str, Seen] = field(default_factory=dict)  # by address: what its server said of each file


def in_use(cursor: Cursor, source: str | None = None) -> dict[str, Release]:
    """Releases in use by source; of one source if it is named."""
    cursor.execute(query("ref", "release", "in_use"), {"source": source})
    return {
        name: Release(release_id, version, rows, location, _seen(files))
        for name, release_id, version, _, rows, location, files in cursor
    }


def _seen(files: Iterable[Mapping[str, str | None]]) -> dict[str, Seen]:
    return {str(one["location"]): Seen(one["etag"], one["last_modified"]) for one in files}


def version(source: Source, bundle: Bundle, added: Sequence[Column]) -> str:
    """The version of a release: the same bytes, read by the same parser, with the same features added."""
    return f"{source.name}-{bundle.checksum[:CHECKSUM_DIGITS]}{tail(source, added)}"


def tail(source: Source, added: Sequence[Column]) -> str:
    """What follows the checksum in the version of a release."""
    return f"{added_features.digits(added)}.{source.parser}"


def load(source: Source, bundle: Bundle, location: str, dsn: str) -> dict[str, int | str]:
    """Put the files in use, as one release; returns counts and the version. `location` is written down as it is given.

    A process killed here, or a refusal, leaves the release in use as it was and no row of the new one.

    Raises:
        ReferenceRefused: the file is not what it should be.
        WarehouseError: the database refused a statement.
    """
    with connect(dsn, application=f"nocturne refresh {source.name}") as link, link.cursor() as cursor:
        lock = {"source": source.name, "timeout_ms": str(LOAD_TIMEOUT_S * 1000)}
        cursor.execute(query("ref", "release", "lock"), lock)
        present = in_use(cursor, source.name).get(source.name)
        added = added_features.columns(cursor, source.name)
        named = version(source, bundle, added)
        if present is not None and present.version == named:
            return outcome(source, present, "unchanged")
        cursor.execute(query("ref", "release", "withdrawn"), {"source": source.name, "version": named})
        if present is not None and cursor.fetchone() is not None:
            return outcome(source, present, "held")
        release_id = _open(cursor, source, bundle, location, named)
        tally = _stage(cursor, source, bundle)
        _check(cursor, source)
        added_features.add(cursor, added)
        check_sample(cursor, source, tally.read)
        cursor.execute(query("ref", source.table, "load"), {"release_id": release_id})
        rows, skipped = cursor.rowcount, tally.skipped + tally.malformed
        _compare(source, rows, location, present)
        cursor.execute(query("ref", "release", "retire"), {"source": source.name})
        done = {"release_id": release_id, "rows": rows, "skipped": skipped}
        cursor.execute(query("ref", "release", "take_place"), done)
        _prune(cursor, source)
        return outcome(source, in_use(cursor, source.name)[source.name], "loaded") | {"skipped": skipped}


def outcome(source: Source, release: Release, state: str) -> dict[str, int | str]:
    """What a refresh says of itself: counts, numbers and versions only."""
    facts: dict[str, int | str] = {"source": source.name, "state": state, "version": release.version}
    return facts | {"release_id": release.release_id, "rows": release.rows}


def _open(cursor: Cursor, source: Source, bundle: Bundle, location: str, named: str) -> int:
    files = [
        {"location": one.location, "sha256": one.checksum, "bytes": one.size}
        | {"etag": one.etag, "last_modified": one.last_modified}
        for one in bundle.files
        if location != PACKAGED  # no machine's path is written down
    ]
    facts = {"source": source.name, "version": named, "checksum": bundle.checksum}
    facts |= {"location": location, "licence": source.licence, "files": json.dumps(files)}
    published_on = source.published_on if location == PACKAGED else None
    cursor.execute(query("ref", "release", "open"), {**facts, "bytes": bundle.size, "published_on": published_on})
    [(release_id,)] = cursor.fetchall()
    return int(release_id)


def _stage(cursor: Cursor, source: Source, bundle: Bundle) -> Tally:
    tally = Tally()
    cursor.execute(query("ref", source.table, "stage"))
    columns = sql.SQL(", ").join(map(sql.Identifier, source.columns))
    statement = sql.SQL("COPY stage ({}) FROM STDIN").format(columns)
    progress = Progress(f"load {source.name}", "rows")
    stream = Stream(chain.from_iterable(_rows(source, one, tally) for one in bundle.files), progress)
    try:
        cursor.copy_expert(statement.as_string(cursor), stream)
    except psycopg2.Error:
        # psycopg2 turns what `read` raises into an error of its own.
        if stream.refusal is not None:
            raise stream.refusal from None
        raise
    finally:
        progress.end()
    if tally.malformed > source.tolerance * tally.read:
        raise ReferenceRefused(
            f"{source.name}: {tally.malformed} of {tally.read} lines are not as they should be, "
            f"the first is line {tally.first_malformed}.",
            "Download the file again, or see docs/reference-data.md for what is expected; the release in use stays.",
        )
    return tally


def _rows(source: Source, file: Download, tally: Tally) -> Iterator[Row]:
    if file.path.is_dir():
        if source.assemble is None:
            raise ReferenceRefused(f"{file.location} is a folder.", "Give a file.")
        return source.parse(source.assemble(file.path), tally)
    if source.worksheet is not None and workbook.is_workbook(file.path):
        return source.parse(workbook.lines(file.path, source.worksheet, source.max_unpacked), tally)
    return source.parse(lines(file.path, max_unpacked=source.max_unpacked, encodings=source.encodings), tally)


def _check(cursor: Cursor, source: Source) -> None:
    cursor.execute(query("ref", source.table, "checks"), {})
    failed = [f"{what} ({observed})" for what, observed in cursor.fetchall() if observed > 0]
    if failed:
        raise ReferenceRefused(
            f"{source.name}: {'; '.join(failed)}.", "It is not the expected file; the release in use stays."
        )


def _compare(source: Source, rows: int, location: str, present: Release | None) -> None:
    remedy = "Check that the file is whole; the release in use stays."
    if rows < source.floor:
        raise ReferenceRefused(f"{source.name}: {rows} rows, fewer than {source.floor}.", remedy)
    # Another location may hold another extent (a department, the country): only like is compared with like.
    if present is None or not (source.whole or present.location == location):
        return
    if abs(rows - present.rows) > source.drift * present.rows:
        raise ReferenceRefused(
            f"{source.name}: {rows} rows where the release in use has {present.rows}, "
            f"more than {float(source.drift):.0%} apart.",
            remedy,
        )


def _prune(cursor: Cursor, source: Source) -> None:
    cursor.execute(query("ref", "release", "superseded"), {"source": source.name, "keep": source.keep})
    numbers = [number for (number,) in cursor.fetchall()]
    if numbers:
        cursor.execute(query("ref", source.table, "prune"), {"release_ids": numbers})


class Stream:
    """Rows as the text that COPY reads, a piece at a time: a country of addresses takes no memory."""

    def __init__(self, rows: Iterable[Row], progress: Progress) -> None:
        self._lines: Iterator[bytes] = map(_line, rows)
        self._rest = b""
        self._progress = progress
        self.refusal: ReferenceRefused | None = None

    def read(self, size: int = 8192) -> bytes:
        """At most `size` bytes more; empty at the end."""
        pieces, length = [self._rest], len(self._rest)
        try:
            while length < size and (line := next(self._lines, b"")):
                pieces.append(line)
                length += len(line)
        except ReferenceRefused as refusal:
            self.refusal = refusal
            raise
        self._progress.add(len(pieces) - 1)
        text = b"".join(pieces)
        self._rest = text[size:]
        return text[:size]

    def readline(self, size: int = 8192) -> bytes:
        """The same: COPY looks for line ends itself (psycopg2's type asks for both methods)."""
        return self.read(size)


def _line(row: Row) -> bytes:
    cells = ("\\N" if value is None else str(value).translate(_ESCAPES) for value in row)
    return ("\t".join(cells) + "\n").encode()
