"""The waivers that people have given for the documents of a batch."""

from __future__ import annotations

from collections.abc import Sequence

from deid.config.settings import settings
from deid.quality.waivers import Waiver, admissible
from deid.warehouse.connection import connect
from deid.warehouse.ledger import Waiting
from deid.warehouse.queries import query


def waivers_of(run_id: int, waiting: Sequence[Waiting]) -> dict[str, Waiver]:
    """What was waived for exactly these contents under the run's pipeline, by document."""
    if not waiting:
        return {}
    contents = {item.document_id: item.content_hash for item in waiting}
    with connect(settings().dsn("worker")) as link, link.cursor() as cursor:
        asked = {"run_id": run_id, "document_ids": list(contents)}
        cursor.execute(query("deid", "quarantine_choice", "waivers"), asked)
        most: dict[str, dict[str, float]] = {}
        for document_id, content_hash, stored in cursor.fetchall():
            if content_hash == contents[document_id]:
                known = most.setdefault(document_id, {})
                for name, number in admissible(stored).items():
                    known[name] = max(number, known.get(name, number))
    return {name: Waiver(name, contents[name], known) for name, known in most.items() if known}
