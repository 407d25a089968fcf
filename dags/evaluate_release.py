"""
# Évaluer une publication

Après chaque publication si la politique le veut (`release.evaluate`), sinon à la main, avec la clé de l'intervalle
comme *partition key* (`2026-10-03`). Sur un échantillon des documents publiés, mesure ce que trouvent des attaques et
ce que les textes valent encore, et l'écrit dans le rapport de la publication.

`tirer → attaquer, mesurer → récrire`

| Étape | Ce qu'elle fait | Si elle échoue |
|---|---|---|
| Tirer l'échantillon (`choose`) | sautée si la politique n'en veut pas | le message dit pourquoi, voir ci-dessous |
| Attaquer (`attack`) | rapproche des originaux textes, personnes, dates, heures et types publiés | relancer |
| Mesurer l'utilité (`utility`) | mesure ce que la recherche garde | relancer |
| Récrire le rapport (`report`) | récrit le rapport de la publication | relancer |

Les textes d'origine sont lus par le rôle qui lit l'entrepôt et ne sont jamais écrits ; les textes publiés sont tirés de
nouveau des mêmes mentions, avec le même secret. Seuls des nombres sont gardés (`deid.evaluation`) ; XCom n'a que des
comptes. **Relancer est sans risque.** Un intervalle publié par une autre version, une autre politique, un autre secret
ou d'autres références ne peut plus être évalué : évaluez le suivant, ou traitez celui-ci de nouveau.
"""

from __future__ import annotations

from typing import Any

from airflow.sdk import Asset, Param, PartitionedAssetTimetable, dag
from nocturne_airflow import launch
from nocturne_airflow.steps import DEFAULT_ARGS, PUBLISHING_QUEUE, Tag, in_lab, step

RELEASED = Asset("released_documents", uri="nocturne://research/document", group="nocturne")


@dag(
    dag_display_name="Évaluer une publication",
    schedule=PartitionedAssetTimetable(assets=RELEASED),
    catchup=False,
    max_active_runs=1,
    default_args=DEFAULT_ARGS,
    params={
        "size": Param(400, type="integer", minimum=1, maximum=5000, title="Documents de l'échantillon, au plus"),
    },
    doc_md=__doc__,
    tags=[Tag.RELEASE, Tag.IMPACT_LOW],
)
def evaluate_release() -> None:
    @step(hours=1, **in_lab(), task_display_name="Tirer l'échantillon")
    def choose(params: dict[str, Any], dag_run: Any, partition_key: str | None = None) -> dict[str, int]:
        """Tirer l'échantillon et dire combien de documents il a."""
        key = launch.interval_key(partition_key)
        launch.evaluation_wanted(dag_run)
        from nocturne_lab.evaluation import released

        return released.choose(key, params["size"])

    @step(hours=6, **in_lab(), task_display_name="Attaquer")
    def attack(params: dict[str, Any], dag_run: Any, partition_key: str | None = None) -> dict[str, int]:
        """Attaquer les textes publiés de l'échantillon."""
        from nocturne_lab.evaluation import released

        return released.attack(launch.interval_key(partition_key), params["size"], dag_run.run_id)

    @step(hours=6, **in_lab(), task_display_name="Mesurer l'utilité")
    def utility(params: dict[str, Any], dag_run: Any, partition_key: str | None = None) -> dict[str, int]:
        """Mesurer ce que les textes publiés valent encore."""
        from nocturne_lab.evaluation import released

        return released.utility(launch.interval_key(partition_key), params["size"], dag_run.run_id)

    @step(hours=6, queue=PUBLISHING_QUEUE, task_display_name="Récrire le rapport")
    def report(partition_key: str | None = None) -> dict[str, Any]:
        """Récrire le rapport de la publication."""
        from deid.release import actions

        return actions.report(launch.interval_key(partition_key))

    choose() >> [attack(), utility()] >> report()


evaluate_release()
