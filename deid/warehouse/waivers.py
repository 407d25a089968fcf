"""The waivers that people have given for the documents of a batch."""

from __future__ import annotations

from deid.quality.reasons import Waiver, admissible
from deid.warehouse.connection import open_cursor
from deid.warehouse.ledger import BatchStep
from deid.warehouse.queries import query


def read_waivers(step: BatchStep) -> dict[str, Waiver]:
    """Return the waivers given for exactly these contents under the run's pipeline, by document."""
    if not step.waiting:
        return {}
    contents = {item.document_id: item.content_hash for item in step.waiting.values()}
    with open_cursor("worker") as cursor:
        asked = {"run_id": step.run.run_id, "document_ids": list(contents)}
        cursor.execute(query("deid", "quarantine_choice", "waivers"), asked)
        most: dict[str, dict[str, float]] = {}
        for document_id, content_hash, stored in cursor.fetchall():
            if content_hash == contents[document_id]:
                known = most.setdefault(document_id, {})
                for name, number in admissible(stored).items():
                    known[name] = max(number, known.get(name, number))
    return {name: Waiver(name, contents[name], known) for name, known in most.items() if known}
