"""Refresh one source of reference data: fetch, refuse or parse, load beside, swap."""

from __future__ import annotations

import logging

from deid.errors import ReferenceRefused
from deid.reference.fetch import Seen, fetched, public
from deid.reference.load import in_use, load, outcome, version
from deid.reference.sources import SOURCES, Source
from deid.warehouse.connection import connect

logger = logging.getLogger(__name__)

DEADLINE_S = 2 * 3600.0


def refresh(
    source: str, *, dsn: str, location: str | None = None, deadline_s: float = DEADLINE_S
) -> dict[str, int | str]:
    """Bring `source` up to date from `location`, an http(s) or file URL or a path; None is the file that ships.

    `dsn` is the refresher's. Returns {"source", "state": "loaded" or "unchanged", "version", "release_id",
    "rows", …}: counts and versions, nothing of the content. The same bytes twice change nothing.

    Raises:
        ReferenceRefused: there is no such source or file, or it is not what it should be. The release in use
            stays, and nothing of the new one is kept.
        WarehouseError: the database refused a statement, or does not answer.
    """
    wanted = _source(source)
    origin, written = _location(wanted, location)
    with connect(dsn, application=f"nocturne refresh {source}") as link, link.cursor() as cursor:
        present = in_use(cursor, source).get(source)
    # Only the file in use, read by the parser of today, is worth asking "has it changed?".
    same = present is not None and present.location == written and present.version.endswith(f".{wanted.parser}")
    seen = Seen(present.etag, present.last_modified) if present is not None and same else None
    try:
        with fetched(origin, max_bytes=wanted.max_bytes, deadline_s=deadline_s, seen=seen) as download:
            if present is not None and (download is None or version(wanted, download) == present.version):
                result = outcome(wanted, present, "unchanged")
            elif download is not None:
                result = load(wanted, download, written, dsn)
    except ReferenceRefused as refusal:
        logger.warning("refresh of %s from %s refused: %s", source, written, refusal)
        raise
    logger.info("refresh of %s from %s: %s, %s rows", source, written, result["state"], result["rows"])
    return result


def _source(name: str) -> Source:
    try:
        return SOURCES[name]
    except KeyError:
        raise ReferenceRefused(f"there is no source “{name}”.", f"Sources: {', '.join(SOURCES)}.") from None


def _location(source: Source, location: str | None) -> tuple[str, str]:
    """Where to read, and how that is written down: "packaged" for what ships, so that no machine's path is kept."""
    if location is not None:
        return location, public(location)
    if source.default is None:
        raise ReferenceRefused(
            f"no file of “{source.name}” ships with the product.",
            "Give the location of a download: see docs/reference-data.md.",
        )
    return str(source.default), "packaged"
