"""
# Reposer les questions perdues

Chaque heure, cherche les intervalles prêts que personne n'a tranchés et sur lesquels aucune question n'est posée :
l'exécution qui la posait s'est arrêtée (panne, délai de sept jours, suppression), ou n'a jamais commencé. Chacun est
annoncé de nouveau à `release_dataset`, qui repose la question, ou publie si la politique ne demande personne.

Un intervalle n'est annoncé de nouveau qu'une heure après avoir été prêt, et au plus une fois toutes les six heures.
Ce qu'une personne a rejeté ou renvoyé, et une publication qui a échoué, ne sont pas concernés : la page de la décision
les reprend.
"""

from __future__ import annotations

from typing import Any

import pendulum
from airflow.sdk import Asset, CronTriggerTimetable, dag
from airflow.sdk.exceptions import AirflowSkipException
from nocturne_airflow.steps import DEFAULT_ARGS, PUBLISHING_QUEUE, Tag, step

STAGED = Asset("staged_documents", uri="nocturne://deid/staged", group="nocturne")


@dag(
    dag_display_name="Reposer les questions perdues",
    schedule=CronTriggerTimetable("@hourly", timezone="Europe/Paris"),
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Paris"),
    catchup=False,
    max_active_runs=1,
    default_args={**DEFAULT_ARGS, "queue": PUBLISHING_QUEUE},
    doc_md=__doc__,
    tags=[Tag.RELEASE, Tag.IMPACT_LOW],
)
def ask_again() -> None:
    @step(hours=1, outlets=[STAGED], task_display_name="Annoncer de nouveau")
    def announce(outlet_events: Any) -> dict[str, Any]:
        """Annoncer de nouveau ce qui attend sans question."""
        from deid.release import lost

        keys = lost.find_unasked()
        if not keys:
            raise AirflowSkipException("Aucune question n'est perdue.")
        for key in keys:
            outlet_events[STAGED].add_partitions(key)
        return {"intervals": len(keys)}

    announce()


ask_again()
