"""Refresh one source of reference data: fetch, refuse or parse, load beside, swap."""

from __future__ import annotations

import logging

from deid.domain.errors import ReferenceRefused
from deid.refresh.added_features import columns
from deid.refresh.configuration import Origin, configured, origin
from deid.refresh.fetch import fetched
from deid.refresh.load import CHECKSUM_DIGITS, in_use, load, outcome, tail, version
from deid.refresh.sources import Source
from deid.warehouse.connection import connect

logger = logging.getLogger(__name__)

DEADLINE_S = 2 * 3600.0


def refresh(
    source: str, *, dsn: str, location: str | None = None, deadline_s: float = DEADLINE_S
) -> dict[str, int | str]:
    """Bring `source` up to date from `location`: an http(s) or file URL, a path, a folder, "national" or "packaged".

    Without a location it is that of the configuration (`deid.refresh.configuration`), else the file that ships. Where
    there is neither, nothing happens and the state is "not_configured": a hospital may do without that source.

    `dsn` is the refresher's. Returns {"source", "state", "rows", and "version" and "release_id" of the release in use}:
    nothing of the content. The state is "loaded", "unchanged" (the same bytes twice change nothing), "held" (somebody
    went back from this very file to a former release) or "not_configured".

    Raises:
        ReferenceRefused: there is no such source or file, or it is not what it should be. The release in use
            stays, and nothing of the new one is kept.
        WarehouseError: the database refused a statement, or does not answer.
    """
    wanted = configured(source)
    where = origin(wanted, location)
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


def _refresh(source: Source, where: Origin, dsn: str, deadline_s: float) -> dict[str, int | str]:
    with connect(dsn, application=f"nocturne refresh {source.name}") as link, link.cursor() as cursor:
        present = in_use(cursor, source.name).get(source.name)
        added = columns(cursor, source.name)
    # Only the files in use, read as they would be today, are worth asking "has it changed?".
    same = (
        present is not None
        and present.location == where.written
        and present.version[len(f"{source.name}-") + CHECKSUM_DIGITS :] == tail(source, added)
    )
    seen = present.seen if present is not None and same else {}
    with fetched(source, where, deadline_s, seen) as bundle:
        if present is not None and (bundle is None or version(source, bundle, added) == present.version):
            return outcome(source, present, "unchanged")
        if bundle is not None:
            return load(source, bundle, where.written, dsn)
    raise ReferenceRefused(f"{where.written} says “not modified” of a file never loaded.", "Check the proxy's cache.")
