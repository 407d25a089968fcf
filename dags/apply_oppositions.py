"""
# Appliquer les oppositions

Chaque nuit avant le traitement, et à la main, quand on ne veut pas attendre. Chaque publication le fait aussi.

Retrouve le patient de chaque opposition sous chaque version du secret, enlève ses lignes de la recherche, retire ses
documents du registre et efface leurs textes en attente ou en relecture. Rejouer ne change rien. Le résultat est fait
de nombres : `oppositions` en vigueur, `unmatched` (patient introuvable), `removed` (lignes enlevées), `withdrawn`
(documents retirés).
"""

from __future__ import annotations

from typing import Any

import pendulum
from airflow.sdk import CronTriggerTimetable, dag
from nocturne_airflow.steps import DEFAULT_ARGS, PUBLISHING_QUEUE, Tag, step


@dag(
    dag_display_name="Appliquer les oppositions",
    schedule=CronTriggerTimetable("0 3 * * *", timezone="Europe/Paris"),
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Paris"),
    catchup=False,
    max_active_runs=1,
    default_args={**DEFAULT_ARGS, "queue": PUBLISHING_QUEUE},
    doc_md=__doc__,
    tags=[Tag.RELEASE, Tag.IMPACT_CRITICAL],
)
def apply_oppositions() -> None:
    @step(hours=12, task_display_name="Retirer les patients opposés")
    def apply() -> dict[str, Any]:
        """Retirer partout les patients qui se sont opposés."""
        from deid.ledger import opt_outs

        return dict(opt_outs.apply_opt_outs())

    apply()


apply_oppositions()
