"""The list of releases, and the page of one: panels of other areas, then its figures; exports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from airflow.api_fastapi.common.db.common import SessionDep
from airflow.models.dagrun import DagRun
from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from sqlalchemy import select

from deid.database.connection import open_cursor
from deid.domain.errors import InputRefused
from deid.ledger import audit
from deid.release.interval import INTERVAL_KEY
from deid.reports.figures import Figures, gather
from deid.reports.numbers import Writer
from deid.reports.view import TONES, check_meaning, measured, view
from deid.reports.wording import WORDING
from deid.stewardship import releases
from deid.stewardship.exports import FORMS, export_figures, gather_release
from deid.stewardship.overview import AT_WORK
from nocturne_pages import airflow_rest
from nocturne_pages.access import Visitor, needs
from nocturne_pages.errors import Refusal
from nocturne_pages.night_runs import DAG, NightRun, find_night, read_failed_runs, read_night, read_runs
from nocturne_pages.pages import page
from nocturne_pages.panels import panels
from nocturne_pages.permissions import Permission

router = APIRouter()
Reader = Annotated[Visitor, Depends(needs(Permission.READ))]
RELEASE_DAG = "release_dataset"


@router.get("/releases")
def index(
    request: Request,
    visitor: Reader,
    month: Annotated[str, Query(pattern=r"^(\d{4}-\d{2})?$")] = "",
    state: Annotated[str, Query(max_length=20)] = "",
    before: Annotated[str, Query(max_length=30)] = "",
) -> Response:
    """Intervals, newest first, of one month or at one state."""
    write = Writer(visitor.lang)
    chosen = state if state in releases.STATES else ""
    found = releases.list_intervals(month=month or None, state=chosen or None, before=before or None)
    at_work = {one.triggered_by or one.key: one.key for one in found.intervals if one.state in AT_WORK}
    values: dict[str, Any] = {
        "found": found,
        "failed": {at_work[run_id] for run_id in read_failed_runs(list(at_work))},
        "asked": {"month": month, "state": chosen},
        "before": before,
        "states": releases.STATES,
        "tones": TONES,
        "rt": WORDING[visitor.lang],
        "measured": lambda name, value: measured(name, value, write),
    }
    return page(request, visitor, "releases/list.html.j2", "releases", **values)


@router.get("/releases/{interval_key}")
async def show(request: Request, interval_key: str, visitor: Reader) -> Response:
    """Figures, runs and panels of an interval, and the ids of its quarantined documents; or why there are none."""
    known, run = await run_in_threadpool(_processed, interval_key)
    cause = await airflow_rest.last_error(request, DAG, run) if run else ""
    values = {"night": run, "cause": cause, "dag": DAG}
    if run and not known:
        return page(request, visitor, "releases/unplanned.html.j2", "releases", **values, key=interval_key)
    return await run_in_threadpool(_figures, request, visitor, interval_key, values)


def _processed(interval_key: str) -> tuple[bool, NightRun | None]:
    """Return whether the ledger knows an interval, and the run that is to come to its end, if any."""
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise Refusal(404, "no_release")
    return find_night(interval_key)


def _figures(request: Request, visitor: Visitor, interval_key: str, processed: Mapping[str, Any]) -> Response:
    figures = figures_of(interval_key)
    with open_cursor("steward", "nocturne pages") as cursor:
        runs = releases.list_runs(cursor, interval_key)
        held = releases.quarantined_ids(cursor, interval_key)
        through = releases.let_through(cursor, interval_key)
        disagreeing = releases.disagreeing_documents(cursor, interval_key)
        disagreeing_published = releases.count_disagreeing(cursor, interval_key)
        audit.write(cursor, visitor.id, audit.Action.READ_RELEASE, f"release {interval_key}")
    values: dict[str, Any] = {
        **processed,
        "report": view(figures, visitor.lang),
        "panels": panels(request, visitor, interval_key),
        "runs": runs,
        "held": held,
        "disagreeing": disagreeing,
        "disagreeing_published": disagreeing_published,
        "through": through,
        "check_meaning": check_meaning,
        "most_ids": releases.MOST_IDS,
        "forms": tuple(FORMS),
    }
    return page(request, visitor, "releases/release.html.j2", "releases", **values)


@router.get("/releases/{interval_key}/export/{form}")
def export(interval_key: str, form: str, visitor: Reader) -> Response:
    """The figures of an interval as a file; the export is recorded first."""
    if form not in FORMS:
        raise Refusal(404, "not_found")
    figures = figures_of(interval_key, gather_release)
    media, ending = FORMS[form]
    made = export_figures(figures, form, visitor.lang)
    with open_cursor("steward", "nocturne pages") as cursor:
        details = {"format": form, "lang": visitor.lang, "sha256": hashlib.sha256(made).hexdigest()}
        audit.write(cursor, visitor.id, audit.Action.EXPORT, f"release {interval_key}", **details)
    headers = {"Content-Disposition": f'attachment; filename="nocturne-{interval_key}.{visitor.lang}.{ending}"'}
    return Response(made, media_type=media, headers=headers)


@router.get("/runs/{run_id}")
def of_run(
    request: Request,
    run_id: str,
    visitor: Reader,
    session: SessionDep,
    dag: Annotated[str, Query(max_length=250)] = DAG,
) -> Response:
    """Redirect from a run of Airflow to the page of its interval; a dry run shows its counts."""
    planned = releases.planned_run(run_id) if dag == DAG else None
    if planned is not None and planned.dry_run:
        return page(request, visitor, "releases/dry_run.html.j2", "releases", run=planned)
    key = planned.interval_key if planned else None
    if dag == RELEASE_DAG:
        key = session.scalar(select(DagRun.partition_key).where(DagRun.dag_id == dag, DagRun.run_id == run_id))
    if planned is None and dag == DAG and (run := read_runs([run_id]).get(run_id)) and run.interval_key:
        told = read_night(run.interval_key)  # one that has left no row: the page of its interval says so
        key = run.interval_key if told is not None and told.run_id == run_id else None
    if key is None or INTERVAL_KEY.fullmatch(key) is None:
        raise Refusal(404, "no_run")
    return RedirectResponse(f"{request.scope.get('root_path', '')}/releases/{key}", 303)


def figures_of(interval_key: str, gathered: Callable[[str], Figures] = gather) -> Figures:
    """Return the figures of an interval, as `gathered` from its key.

    Raises:
        Refusal: no run ever processed the interval.
    """
    if INTERVAL_KEY.fullmatch(interval_key) is None:
        raise Refusal(404, "no_release")
    try:
        return gathered(interval_key)
    except InputRefused:
        raise Refusal(404, "no_release") from None
