"""
# Publier un intervalle

Démarre dès qu'un intervalle est prêt (`deidentify_documents`), une fois par intervalle ; ou à la main, avec la clé
de l'intervalle comme *partition key* (`2026-10-03`, ou `2026-09-01..2026-09-28` pour plusieurs nuits).

`résumer → [approuver, si la politique le demande] → publier → rapport`

| Étape | Ce qu'elle fait |
|---|---|
| `summarise` | compte ce qui est prêt, en quarantaine, retiré, et les alertes |
| `route` | demande ou non l'avis d'une personne, selon la politique (`release.approval`) |
| `approve` | attend la réponse dans *Browse > Required Actions*, sept jours ; le silence ne publie jamais |
| `publish` | publie en une transaction, remplace les documents corrigés, enlève les documents retirés |
| `report` | écrit le rapport (HTML et JSON), que l'intervalle ait été publié ou non |

Une réponse « Reject » est notée avec son motif, et rien n'entre dans la recherche : l'étape `publish` est sautée. Un
contrôle critique en échec fait échouer `publish` sans rien demander à personne. Dans les deux cas l'intervalle reste
prêt ; la cause réparée, relancez le traitement de l'intervalle. Rejouer `publish` ne publie pas deux fois.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import Asset, Param, PartitionedAssetTimetable, dag, task
from nocturne_airflow.launch import answered, interval_key, refusal_skips
from nocturne_airflow.steps import DEFAULT_ARGS, Tag, step, walled

STAGED = Asset("staged_documents", uri="nocturne://deid/staged", group="nocturne")
RELEASED = Asset("released_documents", uri="nocturne://research/document", group="nocturne")
APPROVAL_BODY = """\
Lisez le résumé ci-dessous avant de répondre ; il ne contient que des nombres.

{% for name, value in (ti.xcom_pull(task_ids='summarise') or {}).items() %}- {{ name }} : {{ value }}
{% endfor %}"""


@dag(
    dag_display_name="Publier un intervalle",
    schedule=PartitionedAssetTimetable(assets=STAGED),
    catchup=False,
    max_active_runs=31,  # an unanswered approval holds its own interval, never the next nights
    default_args=DEFAULT_ARGS,
    doc_md=__doc__,
    tags=[Tag.RELEASE, Tag.IMPACT_CRITICAL],
)
def release_dataset() -> None:
    @step()
    def summarise(partition_key: str | None = None) -> dict[str, Any]:
        """Compter ce qui attend, et les alertes."""
        from deid.release import actions

        return actions.summarise(interval_key(partition_key))

    @task.branch(show_return_value_in_logs=False)
    @walled
    def route(summary: dict[str, Any]) -> str:
        """Demander l'avis d'une personne, ou non."""
        from deid.release import actions

        return "approve" if actions.needs_approval(summary) else "publish"

    approve = HITLOperator(
        task_id="approve",
        subject="Publier l'intervalle {{ partition_key }} ?",
        body=APPROVAL_BODY,
        options=["Approve", "Reject"],
        params={"motif": Param("", type="string", maxLength=200, title="Motif")},
        response_timeout=timedelta(days=7),
        retries=0,
    )

    @step(outlets=[RELEASED], trigger_rule="none_failed_min_one_success")
    def publish(decision: dict[str, Any] | None, dag_run: Any, partition_key: str | None = None) -> dict[str, Any]:
        """Publier, remplacer, retirer."""
        from deid.release import actions

        with refusal_skips(decision):
            return actions.publish(interval_key(partition_key), answered(decision, dag_run))

    @step()
    def report(partition_key: str | None = None) -> dict[str, Any]:
        """Écrire le rapport, que l'intervalle ait été publié ou refusé."""
        from deid.release import actions

        return actions.report(interval_key(partition_key))

    route(summarise()) >> [approve, published := publish(approve.output)]
    published >> report().as_teardown(on_failure_fail_dagrun=True)


release_dataset()
