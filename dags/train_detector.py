"""
# Entraîner un détecteur

À la main. Entraîne un modèle de l'hôpital sur des corpus annotés du dossier d'échange, le compare à celui qui est en
service, et le met en service si la règle de la politique (`promotion`) le veut, sinon attend un intendant.

Il peut apprendre aussi de documents d'une période, étiquetés sans annotateur par ce que l'hôpital sait déjà (identité
du patient, personnel, communes, formes) ; l'évaluation, elle, demande des documents annotés par des personnes.

De ces documents, un modèle peut aussi apprendre sans étiquettes : ce sur quoi il s'accorde avec un autre (`second`), ou
les probabilités d'un plus grand (`teacher`) ; il n'est gardé que s'il laisse sûrement plus de documents sans reste.
Avec `continued`, un BiLSTM-CRF est adapté aux corpus au lieu d'être entraîné à neuf. Une option sans effet sur
l'entraînement demandé est refusée. Un modèle se nomme par son empreinte au registre (ou son début), par son
dossier sous le dossier d'échange, ou par son genre, si ce genre est livré.

`réunir → entraîner → inscrire → comparer → attendre la décision`

| Étape | Ce qu'elle fait | Si elle échoue |
|---|---|---|
| Réunir les documents (`collect`) | sans les patients de l'évaluation | corriger le corpus, relancer |
| Entraîner (`train`) | entraîne, sur une place du groupe `gpu` | relancer : il reprend (`crf` recommence) |
| Inscrire au registre (`register`) | met le modèle au registre, comme candidat ; mesure ce qu'il a retenu | relancer |
| Comparer (`evaluate`) | compare au modèle en service ; si `automatic`, applique la règle | relancer |
| Attendre la décision (`decision`) | quatorze jours au plus, page *Modèles* | le candidat reste au registre |
| Effacer les textes réunis (`clear`) | efface les corpus, qui sont des textes d'origine | relancer (`doctor` les dit) |

Avec `canaries`, des phrases inventées s'ajoutent à ce qui s'apprend ; `register` mesure par elles ce que le modèle a
retenu, tant que les textes sont là ; `models export` lui permet ou non de sortir. `collect` est inscrit au journal,
avec le motif.

Le silence ne met jamais un modèle en service. Jusqu'à la décision, et si quoi que ce soit échoue, le modèle en service
reste. Le journal de `train` et la page *Modèles* montrent l'avancement ; XCom n'a que des nombres et l'empreinte du
modèle.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag
from nocturne_airflow.launch import training_arguments
from nocturne_airflow.steps import DEFAULT_ARGS, Tag, in_lab, sensor, step


@dag(
    dag_display_name="Entraîner un détecteur",
    schedule=None,
    max_active_runs=8,
    default_args=DEFAULT_ARGS,
    params={
        "training": Param("essai1", type="string", pattern="^[a-z0-9_-]{1,40}$", title="Nom de l'entraînement"),
        "reason": Param(type="string", pattern=r"\S", maxLength=200, title="Motif (exigé)"),
        "kind": Param(
            "bilstm_crf",
            type="string",
            pattern="^[a-z_]{1,20}$",
            title="Genre : crf, bilstm_crf, flair, encoder_bilstm_crf, transformer",
        ),
        "recipe": Param(
            "full",
            type="string",
            maxLength=100,
            title="full, small, ou (transformer) un plan livré, par son nom, ou du dossier d'échange",
        ),
        "bound": Param(
            0,
            type="number",
            minimum=0,
            maximum=1,
            title="Borne de la perte des étiquettes fausses (réseaux) ; 0,3 est mesuré, 0 : sans borne",
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
            title="Apprendre aussi de documents arrivés depuis (sinon aucun)",
        ),
        "interval_end": Param(None, type=["null", "string"], format="date-time", title="… et avant cette date"),
        "size": Param(2000, type="integer", minimum=1, maximum=20000, title="Documents de la période, au plus"),
        "open_corpora": Param(
            [],
            type="array",
            items={"type": "string"},
            title="Corpus ouverts (WikiNER, dossier de QUAERO), sous le dossier d'échange, lus d'abord par les réseaux",
        ),
        "texts": Param(
            [],
            type="array",
            items={"type": "string"},
            title="Textes sans annotation, sous le dossier d'échange, pour les caractères de flair",
        ),
        "start": Param(
            "",
            type="string",
            maxLength=100,
            title="Encodeur de encoder_bilstm_crf (sinon celui livré) ou du transformer (sinon celui du plan)",
        ),
        "continued": Param(
            "", type="string", maxLength=100, title="BiLSTM-CRF à adapter aux corpus, au lieu d'en entraîner un nouveau"
        ),
        "remember": Param(
            [],
            type="array",
            items={"type": "string"},
            title="Avec « continued » : corpus déjà appris, dont une part est relue",
        ),
        "second": Param(
            "",
            type="string",
            maxLength=100,
            title="Modèle d'un autre genre : apprendre ce sur quoi les deux s'accordent dans la période",
        ),
        "teacher": Param(
            "",
            type="string",
            maxLength=100,
            title="Modèle plus grand, dont le BiLSTM-CRF apprend les probabilités sur la période",
        ),
        "seed": Param(2026, type="integer", title="Graine"),
        "canaries": Param(
            None,
            type=["null", "integer"],
            minimum=0,
            title="Graine des phrases témoins (sans elles, le modèle ne pourra jamais sortir de l'hôpital)",
        ),
        "automatic": Param(
            True, type="boolean", title="Appliquer la règle de la politique (sinon, un intendant décide)"
        ),
    },
    doc_md=__doc__,
    tags=[Tag.LEARNING, Tag.IMPACT_LOW],
)
def train_detector() -> None:
    @step(hours=12, **in_lab(), task_display_name="Réunir les documents")
    def collect(params: dict[str, Any], dag_run: Any) -> dict[str, int]:
        """Réunir les documents à apprendre et ceux de l'évaluation."""
        from nocturne_lab.learning import trainings

        return trainings.collect(trainings.TrainingOrder(**training_arguments(params, dag_run)))

    @step(hours=24, **in_lab(device=True), retries=4, task_display_name="Entraîner")
    def train(params: dict[str, Any]) -> dict[str, int]:
        """Entraîner ; une reprise part du dernier point sauvé, s'il y en a."""
        from nocturne_lab.learning import trainings

        return trainings.train(params["training"])

    @step(hours=2, **in_lab(), task_display_name="Inscrire au registre")
    def register(params: dict[str, Any]) -> str:
        """Mettre le modèle au registre, comme candidat."""
        from nocturne_lab.learning import trainings

        return trainings.register(params["training"])

    @step(hours=12, **in_lab(device=True), task_display_name="Comparer")
    def evaluate(params: dict[str, Any], digest: str) -> dict[str, Any]:
        """Comparer au modèle en service, et appliquer la règle."""
        from nocturne_lab.learning import trainings

        return trainings.evaluate(params["training"], digest, automatic=params["automatic"])

    @sensor(
        poke_interval=60,
        timeout=timedelta(days=14).total_seconds(),
        **in_lab(),
        task_display_name="Attendre la décision",
    )
    def decision(evaluated: dict[str, Any]) -> bool:
        """Attendre qu'une personne décide, si la règle ne l'a pas fait."""
        from nocturne_lab.learning import trainings

        return trainings.is_settled(evaluated["hash"])

    @step(hours=1, **in_lab(), task_display_name="Effacer les textes réunis")
    def clear(params: dict[str, Any]) -> None:
        """Effacer les textes réunis pour l'entraînement."""
        from nocturne_lab.learning import trainings

        trainings.clear(params["training"])

    registered = register()
    evaluated = evaluate(digest=registered)
    collect() >> train() >> registered
    evaluated >> clear()
    decision(evaluated)


train_detector()
