"""
# Dé-identifier les documents de la nuit

Chaque nuit à 3 h 30 (Europe/Paris), prend les documents arrivés à l'entrepôt depuis la veille, y repère ce qui
identifie une personne, le remplace, contrôle le résultat, et prépare l'intervalle pour sa publication.

`retenir → (repérer → remplacer → contrôler) par lot → préparer`

| Étape | Ce qu'elle fait | Si elle échoue |
|---|---|---|
| Retenir les documents (`plan`) | prend nouveaux, corrigés, retirés ; fait des lots | rien n'est écrit ; relancer |
| Repérer (`detect`) | repère les mentions ; une place du groupe `gpu` par lot | relancer le lot |
| Remplacer (`substitute`) | tire les valeurs de remplacement et réécrit le document | relancer le lot |
| Contrôler (`validate`) | contrôle chaque document ; un douteux va seul en quarantaine | relancer le lot |
| Préparer l'intervalle (`stage`) | contrôle l'ensemble, annonce à `release_dataset` | voir le rapport, puis relancer |

**Un document trop lourd** n'arrête pas la nuit : celui qui dépasse le temps ou la mémoire accordés va seul en
quarantaine. Dès la seconde tentative d'une étape, son lot est traité dans un processus à part.

**Relancer est sans risque** : toute étape peut être rejouée, et un document déjà traité n'est pas traité deux fois.

**Une nuit a échoué** : *Clear* sur sa tâche en échec et celles qui la suivent la reprend où elle s'est arrêtée. Une
nouvelle exécution du même intervalle prend ses documents aussi : `plan` demande à Airflow lesquelles ont échoué.
`plan` échoue s'il ne reste rien à prendre parce qu'une exécution en cours tient les documents, et la nomme.

**Lancement manuel** (bouton *Trigger*) : un motif est exigé, sans lequel rien n'est lancé. L'intervalle est celui du
formulaire de lancement, ou `interval_start` et `interval_end` ci-dessous. `dry_run` compte ce qui serait traité, et
s'arrête là : ses nombres sont au journal de « Retenir les documents » et dans l'onglet *Publication* de l'exécution.

**Retard** : une nuit qui n'est pas prête à l'heure de la politique (`release.ready_by`) est signalée au journal, et
par courriel ou messagerie si NOCTURNE_ALERT_CONNECTION nomme une connexion SMTP ou HTTP.

**Rattrapage** : `airflow backfill create --dag-id deidentify_documents --from-date 2026-10-01T00:00+02:00
--to-date 2026-10-04T00:00+02:00 --max-active-runs 1 --dag-run-conf '{"reason": "reprise après panne"}'`

Rien de ce que montre Airflow (journaux, XCom, paramètres) ne contient de texte de patient : seulement des
identifiants techniques, des nombres et des empreintes.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pendulum
from airflow.sdk import Asset, CronDataIntervalTimetable, Param, dag, task_group
from airflow.sdk.exceptions import AirflowSkipException
from nocturne_airflow import alerts, launch, metrics
from nocturne_airflow.launch import plan_arguments
from nocturne_airflow.steps import DEFAULT_ARGS, Tag, on_device, step

STAGED = Asset("staged_documents", uri="nocturne://deid/staged", group="nocturne")
BATCH_LABEL = "lot {{ ti.map_index + 1 }}"


@dag(
    dag_display_name="Dé-identifier les documents",
    schedule=CronDataIntervalTimetable("30 3 * * *", timezone="Europe/Paris"),
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Paris"),
    catchup=False,
    max_active_runs=2,
    default_args=DEFAULT_ARGS,
    deadline=alerts.staging(),
    params={
        "reason": Param("", type="string", maxLength=200, title="Motif (exigé hors de la nuit planifiée)"),
        "interval_start": Param(
            None, type=["null", "string"], format="date-time", title="Début de l'intervalle (sinon celui du lancement)"
        ),
        "interval_end": Param(None, type=["null", "string"], format="date-time", title="Fin de l'intervalle, exclue"),
        "document_types": Param(
            [], type="array", items={"type": "string"}, title="Types de documents (vide : tous), un code par ligne"
        ),
        "services": Param([], type="array", items={"type": "string"}, title="Services (vide : tous), un par ligne"),
        "batch_size": Param(500, type="integer", minimum=1, maximum=5000, title="Documents par lot"),
        "dry_run": Param(False, type="boolean", title="Essai à blanc : compter, ne rien traiter"),
    },
    doc_md=__doc__,
    tags=[Tag.DEIDENTIFICATION, Tag.IMPACT_CRITICAL],
)
def deidentify_documents() -> None:
    @step(hours=12, task_display_name="Retenir les documents")
    def plan(
        params: dict[str, Any],
        dag_run: Any,
        ti: Any,
        data_interval_start: datetime | None = None,
        data_interval_end: datetime | None = None,
    ) -> list[dict[str, int]]:
        """Retenir les documents à traiter, par lots."""
        from deid.nightly import steps

        asked = plan_arguments(params, dag_run, data_interval_start, data_interval_end)
        if not asked["dry_run"]:
            launch.take_over_failed(dag_run, ti)
        return steps.plan(**asked, dag_version=str(ti.dag_version_id), refuse_held=True)

    @step(hours=12, **on_device(), map_index_template=BATCH_LABEL, task_display_name="Repérer")
    def detect(batch: dict[str, int], ti: Any) -> dict[str, Any]:
        """Repérer ce qui identifie."""
        from deid.nightly import steps

        return steps.detect(batch["run_id"], batch["batch_id"], isolated=ti.try_number > 1)

    @step(hours=12, map_index_template=BATCH_LABEL, task_display_name="Remplacer")
    def substitute(batch: dict[str, int], ti: Any) -> dict[str, Any]:
        """Remplacer ce qui identifie."""
        from deid.nightly import steps

        return steps.substitute(batch["run_id"], batch["batch_id"], isolated=ti.try_number > 1)

    @step(hours=12, map_index_template=BATCH_LABEL, task_display_name="Contrôler")
    def validate(batch: dict[str, int], ti: Any) -> dict[str, Any]:
        """Contrôler, sans se fier au repérage."""
        from deid.nightly import steps

        return steps.validate(batch["run_id"], batch["batch_id"], isolated=ti.try_number > 1)

    @task_group(group_id="batch", group_display_name="Lot")
    def one_batch(batch: dict[str, int]) -> None:
        detect(batch) >> substitute(batch) >> validate(batch)

    @step(hours=12, outlets=[STAGED], trigger_rule="none_failed", task_display_name="Préparer l'intervalle")
    def stage(params: dict[str, Any], dag_run: Any, outlet_events: Any) -> dict[str, Any]:
        """Contrôler l'ensemble et annoncer l'intervalle."""
        from deid.nightly import steps

        if params["dry_run"]:
            raise AirflowSkipException("Essai à blanc : rien n'est préparé.")
        staged = steps.stage(steps.run_of(dag_run.run_id))
        metrics.send(staged["interval_key"])
        if not any(staged[outcome] for outcome in ("staged", "quarantined", "withdrawn")):
            raise AirflowSkipException("Rien de nouveau dans cet intervalle.")
        outlet_events[STAGED].add_partitions(staged["interval_key"])
        return staged

    one_batch.expand(batch=plan()) >> stage()


deidentify_documents()
