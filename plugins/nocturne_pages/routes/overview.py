"""The first page: findings, state of each night, trends of the last ninety days."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from deid.refresh.sources import SOURCES
from deid.reports.intervals import MEASURES
from deid.reports.numbers import Writer
from deid.reports.view import TONES, measured
from deid.reports.wording import WORDING
from deid.stewardship import overview
from deid.stewardship.overview import Overview, OverviewFinding, layout_trend
from nocturne_pages.access import Visitor, needs
from nocturne_pages.language import words
from nocturne_pages.pages import page
from nocturne_pages.permissions import Permission

router = APIRouter()
LATEST = 14  # intervals in the table


@router.get("/")
def show(request: Request, visitor: Annotated[Visitor, Depends(needs(Permission.READ))]) -> Response:
    """Findings first, then the latest intervals and the trends."""
    found, write = overview.read_overview(), Writer(visitor.lang)
    values: dict[str, Any] = {
        "o": found,
        "latest": found.judged[:LATEST],
        "tones": TONES,
        "rt": WORDING[visitor.lang],
        "findings": [{"level": one.level, "key": one.key, **_said(one, visitor.lang)} for one in found.findings],
        "trends": [drawn for name in MEASURES if (drawn := layout_trend(found.judged, name)) is not None],
        "measured": lambda name, value: measured(name, value, write),
        "sums": _sums(found),
        "titles": _titles(visitor.lang),
    }
    return page(request, visitor, "overview/overview.html.j2", "overview", **values)


def _titles(lang: str) -> dict[str, str]:
    return {name: source.title for name, source in SOURCES.items()} if lang == "fr" else {}


def _sums(found: Overview) -> dict[str, float]:
    """Return totals over the days shown."""
    intervals = [one.interval for one in found.judged]
    return {
        "published": sum(one.published for one in intervals),
        "quarantined": sum(one.quarantined for one in intervals),
        "treated": sum(one.treated for one in intervals),
        "waiting": sum(one.state == "waiting" for one in intervals),
    }


def _said(one: OverviewFinding, lang: str) -> dict[str, str]:
    """Return a finding as two sentences: the finding, and what to do."""
    said, write = words("overview", lang), Writer(lang)
    facts = dict(one.facts)
    if one.what == "unusual":
        usual, name = facts["habit"], facts["measure"]
        facts |= {
            "name": WORDING[lang][name],
            "now": measured(name, facts["value"], write),
            "low": measured(name, usual.low, write),
            "high": measured(name, usual.high, write),
            "median": measured(name, usual.median, write),
            "intervals": usual.intervals,
        }
    for name in ("first", "last", "before"):
        if name in facts:
            facts[name] = write.interval(facts[name])
    if "source" in facts:
        facts["source"] = _titles(lang).get(facts["source"], facts["source"])
    if "hours" in facts:
        facts["since"] = _since(facts["hours"], said, write)
    if isinstance(facts.get("documents"), int):
        facts["documents"] = write.plain(facts["documents"])
    what = one.what
    if what == "waiting" and facts["warnings"]:
        what = "waiting_warned"
    return {"said": said[what].format(**facts), "next": said[f"{one.what}_next"].format(**facts)}


def _since(hours: float, said: Mapping[str, str], write: Writer) -> str:
    """Return a delay in words."""
    if hours < 1:
        return said["minutes"]
    return said["hours"].format(n=write.plain(hours)) if hours < 48 else said["days"].format(n=write.plain(hours / 24))
