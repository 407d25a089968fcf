"""The first page: findings, state of each night, trends of the last ninety days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from deid.quality import reasons
from deid.quality.checks import REQUIREMENTS
from deid.refresh.sources import SOURCES
from deid.reports.intervals import MEASURES, Habit
from deid.reports.numbers import Writer
from deid.reports.view import TONES, measured
from deid.reports.wording import WORDING
from deid.stewardship import overview
from deid.stewardship.overview import MISSING, UNDECIDED, Overview, OverviewFinding, layout_trend
from nocturne_pages.access import Visitor, needs
from nocturne_pages.language import words
from nocturne_pages.night_runs import DAG, NightRun, find_night, read_failed_runs, read_last
from nocturne_pages.pages import page
from nocturne_pages.permissions import Permission

router = APIRouter()
LATEST = 14  # intervals in the table
SHARE = "quarantined_share"  # the rule whose cause is read in the quarantine


class Remedy(NamedTuple):
    """Address of the page that settles a finding, under the pages or `in_airflow`, and the name of its words."""

    path: str
    name: str
    in_airflow: bool = False


@router.get("/")
def show(request: Request, visitor: Annotated[Visitor, Depends(needs(Permission.READ))]) -> Response:
    """Findings first, then the latest intervals and the trends."""
    run, write = read_last(), Writer(visitor.lang)
    last = run if run is not None and run.failed else None
    found = overview.read_overview(failed=read_failed_runs, last=last)
    values: dict[str, Any] = {
        "o": found,
        "latest": found.judged[:LATEST],
        "tones": TONES,
        "failed": {one.key for one in found.findings if one.what == "night_failed"},
        "rt": WORDING[visitor.lang],
        "findings": [
            {"level": one.level, "key": one.key, "remedy": _remedy(one, last), **_said(one, visitor.lang, last)}
            for one in (*found.findings, *_relaunched(run))
        ],
        "trends": [drawn for name in MEASURES if (drawn := layout_trend(found.judged, name)) is not None],
        "measured": lambda name, value: measured(name, value, write),
        "sums": _sums(found),
        "titles": _titles(visitor.lang),
    }
    return page(request, visitor, "overview/overview.html.j2", "overview", **values)


def _relaunched(last: NightRun | None) -> list[OverviewFinding]:
    """Report the last scheduled run where it was started again after a failure, and has left no row yet."""
    key = last.interval_key if last is not None and not last.failed and last.task_id else None
    return [OverviewFinding("info", "plan_again", key)] if key and not find_night(key)[0] else []


def _titles(lang: str) -> dict[str, str]:
    return {name: source.title for name, source in SOURCES.items()} if lang == "fr" else {}


def _sums(found: Overview) -> dict[str, float]:
    """Return totals over the days shown."""
    intervals = [one.interval for one in found.judged]
    return {
        "published": sum(one.published for one in intervals),
        "quarantined": sum(one.quarantined for one in intervals),
        "treated": sum(one.treated for one in intervals),
        "waiting": sum(one.state in UNDECIDED for one in intervals),
    }


def _remedy(one: OverviewFinding, last: NightRun | None) -> Remedy:
    """Return where a finding is settled; `last` is the last scheduled run, if it failed."""
    match one.what:
        case "night_missing" | "nights_missing" if last is not None:
            return Remedy(f"/dags/{DAG}/runs/{quote(last.run_id, safe='')}", "run", in_airflow=True)
        case "critical" | "refused" if SHARE in one.facts["broken"]:
            return Remedy(f"/quarantine?interval={one.key}", "quarantine")
        case "critical" | "refused" | "failed" | "rejected" | "decision_late" | "second_missing":
            return Remedy(f"/releases/{one.key}/decision", "decision")
        case "unsettled":
            return Remedy(f"/reviews/{one.facts['review']}", "review")
        case "opt_outs_pending" | "opt_outs_late":
            return Remedy("/opt-outs", "opt_outs")
        case "quarantined":
            return Remedy("/quarantine", "quarantine")
        case "unusual" if one.facts["measure"] == "quarantined_share":
            return Remedy(f"/quarantine?interval={one.key}", "quarantine")
        case "night_missing" | "nights_missing" | "night_skipped" | "nights_skipped":
            return Remedy(f"/dags/{DAG}/backfills", "backfill", in_airflow=True)
        case "night_failed" | "plan_failed":
            return Remedy(f"/dags/{DAG}/runs/{quote(one.facts['failed'].run_id, safe='')}", "run", in_airflow=True)
        case "sent_back" | "night_late" | "running":
            return Remedy(f"/dags/{DAG}/runs", "runs", in_airflow=True)
        case "reference_old":
            return Remedy("/dags/refresh_references", "references", in_airflow=True)
        case _:
            return Remedy(f"/releases/{one.key}", "release")


def _said(one: OverviewFinding, lang: str, last: NightRun | None) -> dict[str, str]:
    """Return a finding as two sentences, the finding and what to do; `last` is the last scheduled run, if it failed."""
    said, write = words("overview", lang), Writer(lang)
    facts = dict(one.facts)
    if one.what == "unusual":
        facts |= _measured(facts["measure"], facts["value"], facts["habit"], lang)
    for name in ("first", "last", "before"):
        if name in facts:
            facts[name] = write.interval(facts[name])
    if "source" in facts:
        facts["source"] = _titles(lang).get(facts["source"], facts["source"])
    following = f"{one.what}_next"
    if one.what in MISSING and last is not None:
        facts["failed"], following = last, "missing_failed_next"
    if "failed" in facts:
        facts["task"] = facts["failed"].task or said["task_unknown"]
    if "hours" in facts:
        facts["since"] = _since(facts["hours"], said, write)
    for name in ("documents", "most"):
        if isinstance(facts.get(name), int):
            facts[name] = write.plain(facts[name])
    if "reason" in facts:
        facts["reason"] = reasons.REASON_WORDS[lang][facts["reason"]].title
    what = one.what
    if what == "quarantined" and (facts["least"] or one.facts["documents"] == 1):
        what = "quarantined_least" if facts["least"] else "quarantined_one"
    if what == "waiting" and one.facts["documents"] <= 1:
        what = "waiting_one" if one.facts["documents"] else "waiting_none"
    if facts.get("measure") == SHARE or (what in ("critical", "refused") and SHARE in facts["broken"]):
        following = "share_next"
    if 1 in (facts.get("unsettled"), facts.get("opt_outs")):
        what += "_one"
    causes = [said["broken"].format(meaning=REQUIREMENTS[lang].get(rule, rule)) for rule in facts.get("broken", ())]
    also: Sequence[tuple[str, float, Habit]] = facts.get("unusual", [])
    causes += [said["unusual"].format(**_measured(name, value, usual, lang)) for name, value, usual in also]
    return {"said": " ".join([said[what].format(**facts), *causes]), "next": said[following].format(**facts)}


def _measured(name: str, value: float, usual: Habit, lang: str) -> dict[str, Any]:
    """Return an unusual measure as its sentence names it."""
    write = Writer(lang)
    low, high, median = (measured(name, number, write) for number in (usual.low, usual.high, usual.median))
    return {
        "name": WORDING[lang][name],
        "now": measured(name, value, write),
        "low": low,
        "high": high,
        "median": median,
        "intervals": usual.intervals,
    }


def _since(hours: float, said: Mapping[str, str], write: Writer) -> str:
    """Return a delay in words."""
    if hours < 1:
        return said["minutes"]
    return said["hours"].format(n=write.plain(hours)) if hours < 48 else said["days"].format(n=write.plain(hours / 24))
