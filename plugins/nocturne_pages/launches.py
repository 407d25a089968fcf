"""Launches of a night outside of its schedule, refused at once without a reason, which `plan` would refuse later.

Airflow validates a launch form the same way for the schedule, which gives no reason, as for a person: a form that
demands one would stop the schedule (docs/decisions/2026-11-29-reasons-of-launches.md).
"""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import Request

from nocturne_pages.answers import once, refusal

LAUNCH = re.compile(r"/api/v2/(?:dags/deidentify_documents/dagRuns|backfills)/?")


class LaunchReasons:
    """ASGI middleware: refuses with 422 a run or a backfill of the night that states no reason."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Read the form of a launch; pass everything else on."""
        launch = scope["type"] == "http" and scope["method"] == "POST" and LAUNCH.fullmatch(_path(scope))
        if not launch:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        body = await request.body()
        if _lacks_reason(body):
            await refusal(request, 422, "launch_no_reason")(scope, receive, send)
            return
        await self.app(scope, once(body), send)


def _path(scope: Any) -> str:
    """Return the path below the address that Airflow is served under."""
    return str(scope["path"]).removeprefix(str(scope.get("root_path") or ""))


def _lacks_reason(body: bytes) -> bool:
    """Return whether a form of the night has no reason; what Airflow cannot read, it refuses itself."""
    try:
        form = json.loads(body)
        if form.get("dag_id", "deidentify_documents") != "deidentify_documents":
            return False
        given = form.get("conf") or form.get("dag_run_conf") or {}
        return not str(given.get("reason") or "").strip()
    except (ValueError, AttributeError):
        return False
