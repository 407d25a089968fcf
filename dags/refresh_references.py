"""
# Rafraîchir les référentiels

Chaque mois, et à la main : communes et leurs indicateurs de santé, voies, établissements, professionnels. Chacun
est chargé à côté de la version en service, contrôlé (nombre minimal de lignes, dérive), puis mis en service.

Un fichier injoignable, mal formé ou trop petit est refusé : la version en service reste, les autres référentiels
continuent. Rien ici ne touche aux données de patients.
"""

from __future__ import annotations

from typing import Any

import pendulum
from airflow.sdk import Asset, CronTriggerTimetable, dag
from nocturne_airflow.steps import DEFAULT_ARGS, Tag, step

SOURCES = (
    *("communes", "former_communes", "postal_codes", "streets", "localities"),
    *("establishments", "professionals", "first_names", "surnames"),
)


@dag(
    dag_display_name="Rafraîchir les référentiels",
    schedule=CronTriggerTimetable("0 5 2 * *", timezone="Europe/Paris"),
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Paris"),
    catchup=False,
    max_active_runs=1,
    default_args=DEFAULT_ARGS,
    doc_md=__doc__,
    tags=[Tag.REFERENCE, Tag.IMPACT_LOW],
)
def refresh_references() -> None:
    for source in SOURCES:
        asset = Asset(f"reference_{source}", uri=f"nocturne://ref/{source}", group="nocturne")

        @step(task_id=source, outlets=[asset])
        def refresh(source: str) -> dict[str, Any]:
            """Charger à côté, contrôler, mettre en service."""
            from deid import reference
            from deid.settings import settings

            return reference.refresh(source, dsn=settings().dsn("refresher"))

        refresh(source)


refresh_references()
