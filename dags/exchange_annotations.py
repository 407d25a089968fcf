"""
# Échanger des annotations

À la main. Donne des documents d'une période à des annotateurs, ou reprend ce qu'ils ont annoté, par le dossier
d'échange (NOCTURNE_EXCHANGE_FOLDER, que son propriétaire seul peut lire).

| Action | Étape | Ce qu'elle fait |
|---|---|---|
| `export` | `give` | tire des documents de la période, les marque d'avance, les écrit dans `TOUR/given` |
| `import` | `take` | lit `TOUR/returned`, contrôle, écrit les documents sains dans `TOUR/corpora` |

`export` tire au hasard, par strates, ou les plus incertains, et écrit un fichier par annotateur. `import` attend des
fichiers du même nom ; il écrit aussi les défauts (`faults.jsonl`) et l'accord (`agreement.md`).

Les patients qui se sont opposés et les documents retirés n'y sont jamais. Les documents portent l'identifiant du
registre. Chaque échange exige un motif et s'inscrit au journal. **Le dossier contient des textes d'origine** : il ne
quitte pas l'hôpital, et se vide quand le corpus est fait.

Le résultat est fait de nombres : documents donnés, lus, écartés, défauts par genre, κ de Fleiss (`fleiss`). Le journal
d'Airflow nomme les documents écartés par leur identifiant, sans texte.

**Relancer est sans risque** : le tour écrit par une exécution n'est pas écrit deux fois, une reprise récrit les mêmes
fichiers.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from airflow.sdk import Param, dag
from nocturne_airflow.launch import asked_for, requested_by, round_arguments, stated_reason
from nocturne_airflow.steps import DEFAULT_ARGS, GPU_POOL, GPU_QUEUE, Tag, step

FORMATS = ["prodigy", "prodigy-lines", "doccano", "brat", "conll", "webanno"]


@dag(
    dag_display_name="Échanger des annotations",
    schedule=None,
    max_active_runs=1,
    default_args=DEFAULT_ARGS,
    params={
        "action": Param("export", type="string", enum=["export", "import"], title="Donner ou reprendre des documents"),
        "round": Param("tour1", type="string", pattern="^[a-z0-9_-]{1,40}$", title="Nom du tour (dossier)"),
        "reason": Param("", type="string", maxLength=200, title="Motif (exigé)"),
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
    },
    doc_md=__doc__,
    tags=[Tag.LEARNING, Tag.IMPACT_LOW],
)
def exchange_annotations() -> None:
    @step(hours=12, pool=GPU_POOL, queue=GPU_QUEUE)
    def give(
        params: dict[str, Any],
        dag_run: Any,
        data_interval_start: datetime | None = None,
        data_interval_end: datetime | None = None,
    ) -> dict[str, int]:
        """Tirer des documents, les marquer d'avance, les écrire pour leurs annotateurs."""
        from deid.learning.exchange.rounds import RoundOrder, give_documents

        asked_for(params, "export")
        return give_documents(RoundOrder(**round_arguments(params, dag_run, data_interval_start, data_interval_end)))

    @step(hours=2)
    def take(params: dict[str, Any], dag_run: Any) -> dict[str, Any]:
        """Lire, contrôler et comparer ce que les annotateurs ont rendu."""
        from deid.learning.exchange.rounds import take_annotations

        asked_for(params, "import")
        return take_annotations(
            params["round"],
            params["format"],
            requested_by=requested_by(dag_run),
            reason=stated_reason(params),
            accept_unmarked=params["accept_unmarked"],
        )

    give()
    take()


exchange_annotations()
