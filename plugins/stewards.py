"""Airflow plugin of the stewards' pages. Every component of Airflow imports this module: keep its imports few."""

from __future__ import annotations

from typing import Any, ClassVar

from airflow.plugins_manager import AirflowPlugin
from nocturne_airflow import lineage, pools, queues
from nocturne_airflow.deadlines import RunDue
from nocturne_pages.answers import AnswerRights
from nocturne_pages.app import PREFIX, FirstPage, app
from nocturne_pages.launches import LaunchReasons

lineage.require_filter()


class StewardPages(AirflowPlugin):
    """Serves `nocturne_pages`, links to it from Airflow's menus, checks answers and launches, makes pools."""

    name = "nocturne_pages"
    fastapi_apps: ClassVar[list[Any]] = [{"app": app, "url_prefix": PREFIX, "name": "Nocturne"}]
    fastapi_root_middlewares: ClassVar[list[Any]] = [
        {"middleware": AnswerRights, "name": "Nocturne"},
        {"middleware": LaunchReasons, "name": "Nocturne's launches"},
        {"middleware": FirstPage, "name": "Nocturne's first page"},
    ]
    listeners: ClassVar[list[Any]] = [pools, queues]
    deadline_references: ClassVar[list[Any]] = [RunDue]
    external_views: ClassVar[list[Any]] = [
        {"name": "Nocturne", "href": f"{PREFIX}/", "destination": "nav", "category": "browse"},
        {
            "name": "Publication",
            "href": f"{PREFIX}/runs/{{RUN_ID}}?dag={{DAG_ID}}",
            "destination": "dag_run",
            "url_route": "nocturne_release",
        },
    ]
