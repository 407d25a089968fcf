"""Refresh one source of reference data: fetch, refuse or parse, load beside, swap."""

from __future__ import annotations

import logging

from deid.errors import ReferenceRefused
from deid.reference.fetch import Seen, fetched, public
from deid.reference.load import in_use, load, outcome, version
from deid.reference.sources import SOURCES, Source
from deid.settings import settings
from deid.warehouse.connection import connect

logger = logging.getLogger(__name__)

DEADLINE_S = 2 * 3600.0


def refresh(
    source: str, *, dsn: str, location: str | None = None, deadline_s: float = DEADLINE_S
) -> dict[str, int | str]:
    """Bring `source` up to date from `location`, an http(s) or file URL or a path.

    Without a location it is that of the settings (`NOCTURNE_<SOURCE>_LOCATION`), else the file that ships. Where
    there is neither, nothing happens and the state is "not_configured": a hospital may do without that source.

    `dsn` is the refresher's. Returns {"source", "state": "loaded", "unchanged" or "not_configured", "rows", and
    "version" and "release_id" of the release in use}: nothing of the content. The same bytes twice change nothing.

    Raises:
        ReferenceRefused: there is no such source or file, or it is not what it should be. The release in use
            stays, and nothing of the new one is kept.
        WarehouseError: the database refused a statement, or does not answer.
    """
    wanted = _source(source)
    location = location or settings().location(source)
    if location is None and wanted.default is None:
        logger.warning("refresh of %s: no file ships, and NOCTURNE_%s_LOCATION is not set", source, source.upper())
        return {"source": source, "state": "not_configured", "rows": 0}
    # "packaged", so that no machine's path is written down.
    origin, written = (location, public(location)) if location else (str(wanted.default), "packaged")
    try:
        result = _refresh(wanted, origin, written, dsn, deadline_s)
    except ReferenceRefused as refusal:
        logger.warning("refresh of %s from %s refused: %s", source, written, refusal)
        raise
    logger.info("refresh of %s from %s: %s, %s rows", source, written, result["state"], result["rows"])
    return result


def _refresh(source: Source, origin: str, written: str, dsn: str, deadline_s: float) -> dict[str, int | str]:
    with connect(dsn, application=f"nocturne refresh {source.name}") as link, link.cursor() as cursor:
        present = in_use(cursor, source.name).get(source.name)
    # Only the file in use, read by the parser of today, is worth asking "has it changed?".
    same = present is not None and present.location == written and present.version.endswith(f".{source.parser}")
    seen = Seen(present.etag, present.last_modified) if present is not None and same else None
    with fetched(origin, max_bytes=source.max_bytes, deadline_s=deadline_s, seen=seen) as download:
        if present is not None and (download is None or version(source, download) == present.version):
            return outcome(source, present, "unchanged")
        if download is not None:
            return load(source, download, written, dsn)
    raise ReferenceRefused(f"{written} says “not modified” of a file never loaded.", "Check the proxy's cache.")


def _source(name: str) -> Source:
    try:
        return SOURCES[name]
    except KeyError:
        raise ReferenceRefused(f"there is no source “{name}”.", f"Sources: {', '.join(SOURCES)}.") from None
