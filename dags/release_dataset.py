"""
# Publier un intervalle

Démarre dès qu'un intervalle est prêt (`deidentify_documents`), une fois par intervalle ; ou à la main, avec la clé
de l'intervalle comme *partition key* (`2026-10-03`, ou `2026-09-01..2026-09-28` pour les nuits du 1er au 27).

`résumer → [approuver, si la politique le demande] → publier → rapport`, ou `→ renvoyer en traitement`

| Étape | Ce qu'elle fait |
|---|---|
| Résumer (`summarise`) | compte ce qui est prêt, en quarantaine, retiré, et les alertes |
| Demander ou non une décision (`route`) | suit la politique (`release.approval`) |
| Attendre la décision (`approve`) | attend les réponses, sept jours ; le silence ne publie jamais |
| Publier (`publish`) | publie par lots, remplace les corrigés, enlève les retirés ; lisible selon `release.visible` |
| Écrire le rapport (`report`) | écrit le rapport (HTML et JSON), que l'intervalle ait été publié ou non |
| Conclure (`end`) | échoue, et avec elle l'exécution, si la publication ou le rapport a échoué |
| Renvoyer en traitement (`send_back`) | si une personne l'a voulu, dit ce qu'il faut refaire |
| Relancer l'intervalle (`rework`) | lance alors `deidentify_documents` sur l'intervalle |

On répond sur les pages Nocturne (*Browse > Nocturne*, la publication, « Décider ») ou dans *Browse > Required
Actions* ; les mêmes règles valent des deux côtés. Si la question reste posée après une réponse, c'est que la réponse
ne suffisait pas : la politique veut deux personnes, la personne a elle-même demandé le traitement, ou le motif manque.
La page de la publication dit laquelle.

« Rejeter » est noté avec son motif, et rien n'entre dans la recherche : `publish` est sautée, l'intervalle reste prêt.
Un rejet qui arrive après l'accord et avant la fin de la publication l'arrête. Une seule réponse à la fois est prise.
« Renvoyer en traitement » efface les textes préparés et refait l'intervalle. Un contrôle critique en échec
fait échouer `publish` sans rien demander à personne. Rejouer `publish` ne publie pas deux fois.

Si l'exécution a échoué : corrigez la cause que dit la tâche en échec, puis *Clear* sur cette tâche et celles qui la
suivent, ou le bouton de la page de la décision. La publication reprend sans redemander l'accord qu'elle a déjà ; une
question restée sans décision est posée de nouveau (`ask_again` le fait aussi, dans l'heure). Pour qu'on puisse encore
renvoyer ce qui a été approuvé, lancez plutôt une nouvelle exécution, avec la clé de l'intervalle : elle repose la
question.
"""

from __future__ import annotations

from typing import Any

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import Asset, PartitionedAssetTimetable, dag, task
from nocturne_airflow import alerts, launch, metrics
from nocturne_airflow.approval import ReleaseApproval
from nocturne_airflow.launch import interval_key
from nocturne_airflow.steps import DEFAULT_ARGS, PUBLISHING_QUEUE, Tag, redacted_errors, step, time_limit

STAGED = Asset("staged_documents", uri="nocturne://deid/staged", group="nocturne")
RELEASED = Asset("released_documents", uri="nocturne://research/document", group="nocturne")


@dag(
    dag_display_name="Publier un intervalle",
    schedule=PartitionedAssetTimetable(assets=STAGED),
    catchup=False,
    max_active_runs=31,  # an unanswered approval holds its own interval, never the next nights
    default_args={**DEFAULT_ARGS, "queue": PUBLISHING_QUEUE},
    deadline=alerts.decision(),
    doc_md=__doc__,
    tags=[Tag.RELEASE, Tag.IMPACT_CRITICAL],
)
def release_dataset() -> None:
    @step(hours=6, task_display_name="Résumer")
    def summarise(partition_key: str | None = None) -> dict[str, Any]:
        """Compter ce qui attend, et les alertes."""
        from deid.release import actions

        return actions.summarise(interval_key(partition_key))

    @task.branch(
        show_return_value_in_logs=False,
        execution_timeout=time_limit(1),
        task_display_name="Demander ou non une décision",
    )
    @redacted_errors
    def route(summary: dict[str, Any]) -> str:
        """Demander l'avis d'une personne, ou non."""
        from deid.release import actions

        return "approve" if actions.needs_approval(summary) else "publish"

    approve = ReleaseApproval(
        task_id="approve", task_display_name="Attendre la décision", summary_of="summarise", retries=0
    )

    @step(
        hours=24,
        outlets=[RELEASED],
        trigger_rule="none_failed_min_one_success",
        on_failure_callback=alerts.publication_failed,
        task_display_name="Publier",
    )
    def publish(decision: dict[str, Any] | None, dag_run: Any, partition_key: str | None = None) -> dict[str, Any]:
        """Publier, remplacer, retirer."""
        from deid.release import actions

        launch.approved(decision, interval_key(partition_key))
        return actions.publish(interval_key(partition_key), asked_by=dag_run.triggering_user_name)

    @step(hours=1, task_display_name="Renvoyer en traitement")
    def send_back(decision: dict[str, Any] | None, partition_key: str | None = None) -> dict[str, Any]:
        """Dire ce qu'il faut refaire, si l'intervalle a été renvoyé."""
        return launch.rework(decision, interval_key(partition_key))

    rework = TriggerDagRunOperator(
        task_id="rework",
        task_display_name="Relancer l'intervalle",
        trigger_dag_id="deidentify_documents",
        trigger_run_id="{{ ti.xcom_pull(task_ids='send_back')['run'] }}",
        conf="{{ ti.xcom_pull(task_ids='send_back')['conf'] | tojson }}",  # type: ignore[arg-type]  # JSON is read
        skip_when_already_exists=True,
        execution_timeout=time_limit(1),
        openlineage_inject_parent_info=False,
    )

    @step(hours=6, trigger_rule="all_done", task_display_name="Écrire le rapport")
    def report(partition_key: str | None = None) -> dict[str, Any]:
        """Écrire le rapport, que l'intervalle ait été publié ou refusé."""
        from deid.release import actions

        key = interval_key(partition_key)
        metrics.send(key)
        return actions.report(key)

    @step(hours=1, trigger_rule="none_failed", task_display_name="Conclure")
    def end() -> None:
        """Ne pas aboutir si la publication ou le rapport a échoué : l'état d'une exécution est celui de sa fin."""

    route(summarise()) >> [approve, published := publish(approve.output)]
    send_back(approve.output) >> rework
    [published, published >> report()] >> end()


release_dataset()
