"""The audit trail: a page of lines, verification of the hash chain, export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from deid.config.settings import settings
from deid.database.connection import connect, open_cursor
from deid.ledger import audit
from deid.ledger.audit import Action
from deid.quality.reasons import REASON_WORDS
from nocturne_pages.access import Permission, Visitor, needs
from nocturne_pages.errors import Before
from nocturne_pages.language import words
from nocturne_pages.pages import page
from nocturne_pages.texts import label_names

router = APIRouter()
Reader = Annotated[Visitor, Depends(needs(Permission.AUDIT))]
Filter = Annotated[str, Query(max_length=200)]


@router.get("/audit")
def show(
    request: Request,
    visitor: Reader,
    actor: Filter = "",
    action: Filter = "",
    about: Filter = "",
    before: Before = None,
    check: bool = False,
) -> Response:
    """The newest lines, optionally of one person, action or object; `check` verifies the whole chain."""
    asked = {"actor": actor.strip(), "action": action.strip(), "about": about.strip()}
    with open_cursor("steward", "nocturne pages") as cursor:
        written = asked | {"about": _as_written(asked["about"], visitor.lang)}
        filters = {name: value or None for name, value in written.items()}
        lines = audit.list_lines(cursor, **filters, before=before, reviewer=visitor.name, limit=audit.PAGE + 1)
        head = audit.read_head(cursor)
        broken = audit.find_first_break(cursor) if check else None
        if check or any(asked.values()):
            audit.write(cursor, visitor.id, Action.READ_AUDIT, "audit", **asked, checked=check, broken_at=broken)
    shown, older = lines[: audit.PAGE], lines[audit.PAGE :]
    return page(
        request,
        visitor,
        "audit/lines.html.j2",
        "audit",
        lines=shown,
        older=shown[-1].seq if older else None,
        head=head,
        checked=check,
        broken=broken,
        asked=asked,
        actions=[one.value for one in Action],
        known=label_names(visitor.lang) | {one: said.title for one, said in REASON_WORDS[visitor.lang].items()},
    )


def _as_written(about: str, lang: str) -> str:
    """Return what a line is about as the trail writes it, from the words that the page shows."""
    for key, shown in words("audit", lang).items():
        if key.startswith("about_") and about.startswith(f"{shown} "):
            return key.removeprefix("about_") + about.removeprefix(shown)
    return about


@router.get("/audit/export")
def export(visitor: Reader) -> Response:
    """Export the whole trail as JSON Lines: each `line` with its `digest`, oldest first."""
    with open_cursor("steward", "nocturne pages") as cursor:
        audit.write(cursor, visitor.id, Action.EXPORT, "audit", format="jsonl")
    headers = {"Content-Disposition": 'attachment; filename="nocturne-audit.jsonl"'}
    return StreamingResponse(_lines(), media_type="application/x-ndjson", headers=headers)


def _lines() -> Iterator[str]:
    with connect(settings().dsn("steward"), application="nocturne audit export") as link:
        for entry in audit.export_lines(link):
            yield json.dumps(entry, ensure_ascii=False) + "\n"
