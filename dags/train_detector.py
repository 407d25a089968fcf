"""
# Entraîner un détecteur

À la main. Entraîne un modèle de l'hôpital sur des corpus annotés du dossier d'échange, le compare à celui qui est en
service, et le met en service si la règle de la politique (`promotion`) le veut, sinon attend un intendant.

Il peut apprendre aussi de documents d'une période, étiquetés sans annotateur par ce que l'hôpital sait déjà (identité
du patient, personnel, communes, formes) ; l'évaluation, elle, demande des documents annotés par des personnes.

`collect → train → register → evaluate → decision`

| Étape | Ce qu'elle fait | Si elle échoue |
|---|---|---|
| `collect` | réunit les documents ; les patients de l'évaluation ne s'apprennent pas | corriger le corpus, relancer |
| `train` | entraîne, sur une place du groupe `gpu` | relancer : l'apprentissage reprend où il en était |
| `register` | met le modèle au registre, comme candidat | relancer |
| `evaluate` | compare au modèle en service ; si `automatic`, applique la règle | relancer |
| `decision` | attend qu'un intendant décide, page *Modèles* ; quatorze jours au plus | le candidat reste au registre |
| `clear` | efface les corpus réunis, qui contiennent des textes d'origine | relancer |

Le silence ne met jamais un modèle en service. Jusqu'à la décision, et si quoi que ce soit échoue, le modèle en service
reste. Le journal de `train` montre l'avancement ; XCom n'a que des nombres et l'empreinte du modèle.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag
from nocturne_airflow.launch import training_arguments
from nocturne_airflow.steps import DEFAULT_ARGS, GPU_POOL, GPU_QUEUE, Tag, sensor, step


@dag(
    dag_display_name="Entraîner un détecteur",
    schedule=None,
    max_active_runs=8,
    default_args=DEFAULT_ARGS,
    params={
        "training": Param("essai1", type="string", pattern="^[a-z0-9_-]{1,40}$", title="Nom de l'entraînement"),
        "reason": Param("", type="string", maxLength=200, title="Motif (exigé)"),
        "kind": Param("bilstm_crf", type="string", pattern="^[a-z_]{1,20}$", title="Genre : crf, bilstm_crf…"),
        "recipe": Param(
            "full",
            type="string",
            maxLength=100,
            title="full, small, ou (transformer) un plan du dossier d'échange",
        ),
        "corpora": Param(
            [], type="array", items={"type": "string"}, title="Corpus d'apprentissage, sous le dossier d'échange"
        ),
        "evaluation": Param(
            [], type="array", items={"type": "string"}, title="Corpus d'évaluation, annotés par des personnes"
        ),
        "interval_start": Param(
            None,
            type=["null", "string"],
            format="date-time",
            title="Étiqueter des documents arrivés depuis (sinon aucun)",
        ),
        "interval_end": Param(None, type=["null", "string"], format="date-time", title="… et avant cette date"),
        "size": Param(2000, type="integer", minimum=1, maximum=20000, title="Documents à étiqueter, au plus"),
        "seed": Param(2026, type="integer", title="Graine"),
        "automatic": Param(
            True, type="boolean", title="Appliquer la règle de la politique (sinon, un intendant décide)"
        ),
    },
    doc_md=__doc__,
    tags=[Tag.LEARNING, Tag.IMPACT_LOW],
)
def train_detector() -> None:
    @step(hours=12)
    def collect(params: dict[str, Any], dag_run: Any) -> dict[str, int]:
        """Réunir les documents à apprendre et ceux de l'évaluation."""
        from deid.learning import trainings

        return trainings.collect(trainings.TrainingOrder(**training_arguments(params, dag_run)))

    @step(hours=24, pool=GPU_POOL, queue=GPU_QUEUE, retries=4)
    def train(params: dict[str, Any]) -> dict[str, int]:
        """Entraîner ; une reprise part du dernier point sauvé."""
        from deid.learning import trainings

        return trainings.train(params["training"])

    @step(hours=2)
    def register(params: dict[str, Any]) -> str:
        """Mettre le modèle au registre, comme candidat."""
        from deid.learning import trainings

        return trainings.register(params["training"])

    @step(hours=12, pool=GPU_POOL, queue=GPU_QUEUE)
    def evaluate(params: dict[str, Any], digest: str) -> dict[str, Any]:
        """Comparer au modèle en service, et appliquer la règle."""
        from deid.learning import trainings

        return trainings.evaluate(params["training"], digest, automatic=params["automatic"])

    @sensor(poke_interval=60, timeout=timedelta(days=14).total_seconds())
    def decision(evaluated: dict[str, Any]) -> bool:
        """Attendre qu'une personne décide, si la règle ne l'a pas fait."""
        from deid.learning import trainings

        return trainings.is_settled(evaluated["hash"])

    @step(hours=1)
    def clear(params: dict[str, Any]) -> None:
        """Effacer les textes réunis pour l'entraînement."""
        from deid.learning import trainings

        trainings.clear(params["training"])

    registered = register()
    evaluated = evaluate(digest=registered)
    collect() >> train() >> registered
    evaluated >> clear()
    decision(evaluated)


train_detector()
