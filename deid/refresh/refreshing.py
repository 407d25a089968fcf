"""Refresh one source of reference data: fetch, validate, load beside the version in use, swap."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import cursor as Cursor

from deid.database.connection import connect
from deid.database.queries import copy_line, execute, one
from deid.domain.errors import ReferenceRefused
from deid.refresh.added_features import AddedFeature, add_features, added_features, features_suffix
from deid.refresh.checks import check_drift, check_lines, check_rows
from deid.refresh.configuration import PACKAGED, Origin, configured_source, find_origin
from deid.refresh.download import Progress
from deid.refresh.fetch import Bundle, Download, fetch_files
from deid.refresh.reference_versions import describe_outcome, lock_source, versions_in_use
from deid.refresh.sources import ReferenceSource
from deid.refresh.sources.source import LineCounts, Row
from deid.refresh.unpack import is_workbook, text_lines, worksheet_lines

logger = logging.getLogger(__name__)

DEADLINE_S = 2 * 3600.0
CHECKSUM_DIGITS = 12


def refresh(
    source: str, *, dsn: str, location: str | None = None, deadline_s: float = DEADLINE_S
) -> dict[str, int | str]:
    """Bring `source` up to date from `location`: an http(s) or file URL, a path, a folder, "national" or "packaged".

    Without a location it is that of the configuration (`deid.refresh.configuration`), else the packaged file. If there
    is neither, nothing happens and the state is "not_configured": the source is optional for a hospital.

    `dsn` is of the role refresher. Returns {"source", "state", "rows", "version", "release_id"} of the version in use.
    The state is "loaded", "unchanged" (same bytes, parser and features), "held" (a roll-back withdrew this very file)
    or "not_configured".

    Raises:
        ReferenceRefused: there is no such source or file, or the file fails validation. The version in use stays, and
            no row of the new one is kept.
    """
    wanted = configured_source(source)
    where = find_origin(wanted, location)
    if where is None:
        logger.warning("refresh of %s: no file ships, and NOCTURNE_%s_LOCATION is not set", source, source.upper())
        return {"source": source, "state": "not_configured", "rows": 0}
    try:
        result = _refresh(wanted, where, dsn, deadline_s)
    except ReferenceRefused as refusal:
        logger.warning("refresh of %s from %s refused: %s", source, where.written, refusal)
        raise
    logger.info("refresh of %s from %s: %s, %s rows", source, where.written, result["state"], result["rows"])
    return result


def _refresh(source: ReferenceSource, where: Origin, dsn: str, deadline_s: float) -> dict[str, int | str]:
    with connect(dsn, application=f"nocturne refresh {source.name}") as link, link.cursor() as cursor:
        present = versions_in_use(cursor, source.name).get(source.name)
        added = added_features(cursor, source.name)
    # A conditional request is useful only if the same bytes would give the same version.
    same = (
        present is not None
        and present.location == where.written
        and present.version[len(f"{source.name}-") + CHECKSUM_DIGITS :] == _version_suffix(source, added)
    )
    seen = present.seen if present is not None and same else {}
    with fetch_files(source, where, deadline_s, seen) as bundle:
        if present is not None and (bundle is None or _version_name(source, bundle, added) == present.version):
            return describe_outcome(source, present, "unchanged")
        if bundle is not None:
            return load_version(source, bundle, where.written, dsn)
    raise ReferenceRefused(f"{where.written} says “not modified” of a file never loaded.", "Check the proxy's cache.")


def _version_name(source: ReferenceSource, bundle: Bundle, added: Sequence[AddedFeature]) -> str:
    """Name of a version: a function of the bytes, the parser and the added features."""
    return f"{source.name}-{bundle.checksum[:CHECKSUM_DIGITS]}{_version_suffix(source, added)}"


def _version_suffix(source: ReferenceSource, added: Sequence[AddedFeature]) -> str:
    return f"{features_suffix(added)}.{source.parser}"


def load_version(source: ReferenceSource, bundle: Bundle, location: str, dsn: str) -> dict[str, int | str]:
    """Load files as one reference version and put it in use, in one transaction; returns as `refresh`.

    If the process is killed or the files are refused, the version in use stays and no row of the new one is kept.
    `location` is recorded as given.

    Raises:
        ReferenceRefused: the files fail validation.
    """
    with connect(dsn, application=f"nocturne refresh {source.name}") as link, link.cursor() as cursor:
        lock_source(cursor, source.name)
        present = versions_in_use(cursor, source.name).get(source.name)
        added = added_features(cursor, source.name)
        name = _version_name(source, bundle, added)
        if present is not None and present.version == name:
            return describe_outcome(source, present, "unchanged")
        withdrawn = execute(cursor, "ref", "release", "withdrawn", {"source": source.name, "version": name}).fetchone()
        if present is not None and withdrawn is not None:
            return describe_outcome(source, present, "held")
        release_id = _open_version(cursor, source, bundle, location, name, added)
        tally = _stage_rows(cursor, source, bundle)
        check_lines(cursor, source, tally)
        check_rows(cursor, source)
        add_features(cursor, added)
        _check_sample(cursor, source, tally)
        rows = execute(cursor, "ref", source.table, "load", {"release_id": release_id}).rowcount
        skipped = tally.skipped + tally.malformed
        check_drift(source, rows, location, present)
        execute(cursor, "ref", "release", "retire", {"source": source.name})
        done = {"release_id": release_id, "rows": rows, "skipped": skipped}
        execute(cursor, "ref", "release", "take_place", done)
        _prune_versions(cursor, source)
        loaded = versions_in_use(cursor, source.name)[source.name]
        return describe_outcome(source, loaded, "loaded") | {"skipped": skipped}


def _open_version(
    cursor: Cursor, source: ReferenceSource, bundle: Bundle, location: str, name: str, added: Sequence[AddedFeature]
) -> int:
    files = [
        {"location": one.location, "sha256": one.checksum, "bytes": one.size}
        | {"etag": one.etag, "last_modified": one.last_modified}
        for one in bundle.files
        if location != PACKAGED  # paths of this machine are not recorded
    ]
    facts: dict[str, object] = {"source": source.name, "version": name, "checksum": bundle.checksum}
    facts |= {"location": location, "licence": source.licence, "files": json.dumps(files)}
    facts |= {"features": json.dumps({feature.name: feature.version for feature in added})}
    published_on = source.published_on if location == PACKAGED else None
    facts |= {"bytes": bundle.size, "published_on": published_on}
    return int(one(execute(cursor, "ref", "release", "open", facts))[0])


def _stage_rows(cursor: Cursor, source: ReferenceSource, bundle: Bundle) -> LineCounts:
    tally = LineCounts()
    execute(cursor, "ref", source.table, "stage")
    columns = sql.SQL(", ").join(map(sql.Identifier, source.columns))
    statement = sql.SQL("COPY stage ({}) FROM STDIN").format(columns)
    progress = Progress(f"load {source.name}", "rows")
    stream = _CopyStream(chain.from_iterable(_parse_rows(source, one, tally) for one in bundle.files), progress)
    try:
        cursor.copy_expert(statement.as_string(cursor), stream)
    except psycopg2.Error:
        # psycopg2 replaces an error of `read` by one of its own.
        if stream.refusal is not None:
            raise stream.refusal from None
        raise
    finally:
        progress.end()
    return tally


def _parse_rows(source: ReferenceSource, file: Download, tally: LineCounts) -> Iterator[Row]:
    if file.path.is_dir():
        if source.assemble is None:
            raise ReferenceRefused(f"{file.location} is a folder.", "Give a file.")
        lines = source.assemble(file.path)
    elif source.worksheet is not None and is_workbook(file.path):
        lines = worksheet_lines(file.path, source.worksheet, source.max_unpacked)
    else:
        lines = text_lines(
            file.path, max_unpacked=source.max_unpacked, encodings=source.encodings, member=source.member
        )
    return source.parse(tally.lines.counting(lines), tally)


def _check_sample(cursor: Cursor, source: ReferenceSource, tally: LineCounts) -> None:
    from deid.refresh.expectations import check_sample  # Great Expectations takes seconds to import

    check_sample(cursor, source, tally.read)


def _prune_versions(cursor: Cursor, source: ReferenceSource) -> None:
    found = execute(cursor, "ref", "release", "superseded", {"source": source.name, "keep": source.keep})
    if numbers := [number for (number,) in found]:
        execute(cursor, "ref", source.table, "prune", {"release_ids": numbers})


class _CopyStream:
    """Rows in the text format of COPY, read in pieces so that memory does not grow with the file."""

    def __init__(self, rows: Iterable[Row], progress: Progress) -> None:
        self._lines: Iterator[bytes] = (copy_line(row).encode() for row in rows)
        self._rest = b""
        self._progress = progress
        self.refusal: ReferenceRefused | None = None

    def read(self, size: int = 8192) -> bytes:
        """Return at most `size` more bytes; empty at the end."""
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
        """As `read`: the type of psycopg2 requires both methods, and COPY finds the line ends."""
        return self.read(size)
