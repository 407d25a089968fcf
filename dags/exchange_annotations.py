"""
# Échanger des annotations

À la main. Donne des documents d'une période à des annotateurs, reprend ce qu'ils ont annoté ou ce qui a été corrigé en
relecture, ou arbitre leurs désaccords, par le dossier d'échange (NOCTURNE_EXCHANGE_FOLDER, que son propriétaire seul
peut lire).

| Action | Étape | Ce qu'elle fait |
|---|---|---|
| `export` | Donner des documents (`give`) | tire des documents, les marque d'avance, les écrit dans `TOUR/given` |
| `import` | Reprendre les annotations (`take`) | lit `TOUR/returned`, contrôle, écrit les sains dans `TOUR/corpora` |
| `reviews` | Reprendre les relectures (`reviews`) | écrit ce que les relectures ont corrigé dans `TOUR/corpora` |
| `adjudicate` | Arbitrer (`adjudicate`) | écrit les désaccords, puis, une fois décidés, le corpus arbitré |

`export` tire au hasard, par strates, ou les plus incertains, et écrit un fichier par annotateur. `import` attend des
fichiers du même nom ; il écrit aussi les défauts (`faults.jsonl`) et l'accord (`agreement.md`). `labels` traduit les
étiquettes de l'outil (`{"NOM": "PATIENT", "AUTRE": null}` ; `null` : ne pas marquer).

`reviews` écrit dans `TOUR/corpora/review.jsonl` les documents des relectures closes et ceux lus en quarantaine,
corrigés, tant que l'entrepôt a encore cette version. Dans un tour, ils s'ajoutent à ceux des annotateurs, et
`adjudicate` les compare.

`adjudicate` écrit les passages que les annotateurs ont marqués autrement dans `TOUR/disagreements.jsonl`. L'arbitre en
fait `TOUR/decisions.jsonl`, où `decision` porte le numéro d'une option (à partir de 0) ou une liste de mentions ; la
même action écrit alors `TOUR/corpora/adjudicated.jsonl`, que `train_detector` préfère aux lectures des annotateurs. Un
document dont un désaccord n'est pas décidé n'y est pas, et ses désaccords restent dans `disagreements.jsonl`.

Les patients qui se sont opposés et les documents retirés n'y sont jamais. Les documents portent l'identifiant du
registre. Chaque échange exige un motif et s'inscrit au journal. **Le dossier contient des textes d'origine** : il ne
quitte pas l'hôpital, et se vide quand le corpus est fait.

Le résultat est fait de nombres : documents donnés, lus, écartés, défauts par genre, κ de Fleiss (`fleiss`), désaccords.
Le journal d'Airflow nomme par leur identifiant, sans texte, les documents écartés ou à arbitrer.

**Relancer est sans risque** : le tour écrit par une exécution n'est pas écrit deux fois, une reprise récrit les mêmes
fichiers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from airflow.sdk import Param, dag
from nocturne_airflow.launch import asked_for, requested_by, round_arguments, stated_reason
from nocturne_airflow.steps import DEFAULT_ARGS, Tag, in_lab, step

FORMATS = ["prodigy", "prodigy-lines", "doccano", "brat", "conll", "webanno"]


@dag(
    dag_display_name="Échanger des annotations",
    schedule=None,
    max_active_runs=1,
    default_args=DEFAULT_ARGS,
    params={
        "action": Param(
            "export",
            type="string",
            enum=["export", "import", "reviews", "adjudicate"],
            title="Donner des documents, les reprendre, reprendre les relectures, ou arbitrer",
        ),
        "round": Param("tour1", type="string", pattern="^[a-z0-9_-]{1,40}$", title="Nom du tour (dossier)"),
        "reason": Param(type="string", pattern=r"\S", maxLength=200, title="Motif (exigé)"),
        "format": Param("prodigy", type="string", enum=FORMATS, title="Format de l'outil d'annotation"),
        "interval_start": Param(None, type=["null", "string"], format="date-time", title="Début de la période"),
        "interval_end": Param(None, type=["null", "string"], format="date-time", title="Fin de la période, exclue"),
        "document_types": Param([], type="array", items={"type": "string"}, title="Types de documents (vide : tous)"),
        "services": Param([], type="array", items={"type": "string"}, title="Services (vide : tous)"),
        "method": Param(
            "random",
            type="string",
            enum=["random", "stratified", "uncertain"],
            title="Choix : au hasard, par type et service, les plus incertains",
        ),
        "size": Param(50, type="integer", minimum=1, maximum=2000, title="Nombre de documents"),
        "annotators": Param(
            ["annotateur"],
            type="array",
            items={"type": "string", "pattern": "^[A-Za-z0-9_]{1,40}$"},
            title="Annotateurs",
        ),
        "shared": Param(0, type="integer", minimum=0, title="Documents que tous annotent, pour l'accord"),
        "seed": Param(2026, type="integer", title="Graine du tirage"),
        "pre_annotate": Param(True, type="boolean", title="Marquer d'avance ce que la détection trouve"),
        "accept_unmarked": Param(False, type="boolean", title="Accepter un annotateur qui n'a rien marqué (import)"),
        "labels": Param(
            {},
            type="object",
            additionalProperties={"type": ["string", "null"]},
            title="Étiquettes de l'outil, et les nôtres (import)",
        ),
    },
    doc_md=__doc__,
    tags=[Tag.LEARNING, Tag.IMPACT_LOW],
)
def exchange_annotations() -> None:
    @step(hours=12, **in_lab(device=True), task_display_name="Donner des documents")
    def give(
        params: dict[str, Any],
        dag_run: Any,
        data_interval_start: datetime | None = None,
        data_interval_end: datetime | None = None,
    ) -> dict[str, int]:
        """Tirer des documents, les marquer d'avance, les écrire pour leurs annotateurs."""
        from nocturne_lab.learning.exchange.rounds import RoundOrder, give_documents

        asked_for(params, "export")
        return give_documents(RoundOrder(**round_arguments(params, dag_run, data_interval_start, data_interval_end)))

    @step(hours=2, **in_lab(), task_display_name="Reprendre les annotations")
    def take(params: dict[str, Any], dag_run: Any) -> dict[str, Any]:
        """Lire, contrôler et comparer ce que les annotateurs ont rendu."""
        from nocturne_lab.learning.exchange.rounds import take_annotations

        asked_for(params, "import")
        return take_annotations(
            params["round"],
            params["format"],
            requested_by=requested_by(dag_run),
            reason=stated_reason(params),
            accept_unmarked=params["accept_unmarked"],
            labels=params["labels"],
        )

    @step(hours=2, **in_lab(), task_display_name="Reprendre les relectures")
    def reviews(params: dict[str, Any], dag_run: Any) -> dict[str, int]:
        """Écrire ce que des personnes ont corrigé en relecture et en quarantaine."""
        from nocturne_lab.learning.exchange.rounds import take_reviews

        asked_for(params, "reviews")
        return take_reviews(params["round"], requested_by=requested_by(dag_run), reason=stated_reason(params))

    @step(hours=1, **in_lab(), task_display_name="Arbitrer")
    def adjudicate(params: dict[str, Any], dag_run: Any) -> dict[str, int]:
        """Écrire les désaccords des annotateurs ; décidés, le corpus arbitré."""
        from nocturne_lab.learning.exchange.rounds import adjudicate_round

        asked_for(params, "adjudicate")
        return adjudicate_round(params["round"], requested_by=requested_by(dag_run), reason=stated_reason(params))

    give()
    take()
    reviews()
    adjudicate()


exchange_annotations()
