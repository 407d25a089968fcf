"""Predicted mentions of a run on the synthetic hospital, beside the true mentions of its generator."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence

from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import execute
from deid.domain.document import Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from deid.domain.outcomes import Refused
from deid.ledger.identity import Translator
from deid.ledger.steps import read_mentions, read_run
from deid.source.contract import Source, open_source
from deid.source.extraction import fetch, open_contents, read_contents
from nocturne_lab.evaluation.scoring import Judged

PAGE = 500

Key = tuple[str, str]  # document id, content hash


def judged(run_id: int) -> Iterator[Judged]:
    """Return the documents of a run with true and predicted mentions, except documents changed in the source since.

    Raises:
        InputRefused: the run is unknown, or none of its documents has a true mention on record.
        WarehouseUnreachable, WarehouseError, SettingsError: see `deid.database.connection`.
    """
    source = Source(read_run(run_id).source)
    rules = source.rules()
    searched = _searched(run_id)
    known = 0
    for page in (searched[start : start + PAGE] for start in range(0, len(searched), PAGE)):
        document_ids = [document_id for document_id, _ in page]
        names = Translator().to_source("document", document_ids)
        gold, found = _gold(list(names.values())), read_mentions(run_id, document_ids)
        with open_source("nocturne score") as warehouse:
            contents = read_contents(warehouse, source, list(names.values()))
        present = {content.document_id: content for content in Translator().rename(list(contents.values()))}
        same = [present[name] for name, version in page if name in present and present[name].content_hash == version]
        whole = [content for content in map(fetch, same) if not isinstance(content, Refused)]
        for content, opened in zip(whole, open_contents(whole, rules, limits=settings().limits()), strict=True):
            name = names[content.document_id]
            true = gold.get((name, hashlib.sha256(content.content).hexdigest()))
            if true is None or isinstance(opened, Refused):
                continue
            known += 1
            predicted = found.get(content.document_id, ())
            yield Judged(name, opened.document.text, true, predicted, content.document_type)
    if not known:
        raise InputRefused(
            f"run {run_id}: no document of it has true mentions written down.",
            "Only runs over the synthetic hospital can be scored.",
        )


def _searched(run_id: int) -> list[Key]:
    with open_cursor("worker", "nocturne score") as cursor:
        execute(cursor, "deid", "document", "searched", {"run_id": run_id})
        return [(document_id, content_hash) for document_id, content_hash, _ in cursor.fetchall()]


def _gold(document_ids: Sequence[str]) -> dict[Key, list[Mention]]:
    """Return true mentions by document and version; only the database owner may read them, hence no nightly step."""
    found: dict[Key, list[Mention]] = defaultdict(list)
    with open_cursor("owner", "nocturne score") as cursor:
        execute(cursor, "gold", "mention", "of_documents", {"document_ids": list(document_ids)})
        for document_id, content_hash, start, end, label in cursor:
            found[document_id, content_hash].append(Mention(start, end, Label(label)))
    return found
