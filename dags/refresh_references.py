"""
# Rafraîchir les référentiels

Chaque mois, et à la main : communes et leurs indicateurs de santé, voies, établissements, professionnels. Chacun
est chargé à côté de la version en service, contrôlé (nombre minimal de lignes, dérive), puis mis en service.

Un fichier injoignable, mal formé ou trop petit est refusé : la version en service reste, les autres référentiels
continuent. Rien ici ne touche aux données de patients. `communes` attend les sources dont elle peut prendre des
indicateurs de santé (`density_levels`, `pathologies`, `care_access`, `mortality`, `deaths`, `air_quality`, `radon`,
`incomes`, `indicators`), et se contente de leur version en service si elles ont été refusées.

Ensuite, quoi qu'il soit arrivé : `lookup` construit une fois la table que la détection lit, `ages` échoue si un
référentiel en service est plus ancien que la politique ne le permet (`references.max_age_days`).
"""

from __future__ import annotations

from typing import Any

import pendulum
from airflow.sdk import Asset, CronTriggerTimetable, TriggerRule, dag
from nocturne_airflow.steps import DEFAULT_ARGS, READING_QUEUE, REFERENCES_QUEUE, Tag, step

SOURCES = {  # the titles of `deid.refresh.sources`, which is too heavy to import where Airflow reads DAG files
    "communes": "Communes et indicateurs de santé",
    "former_communes": "Anciens noms de communes (COG)",
    "postal_codes": "Codes postaux (La Poste)",
    "streets": "Voies de la Base Adresse Nationale",
    "localities": "Lieux-dits de la Base Adresse Nationale",
    "establishments": "Établissements de santé (FINESS)",
    "professionals": "Annuaire Santé (professionnels)",
    "first_names": "Prénoms (INSEE)",
    "surnames": "Noms de famille (INSEE)",
    "density_levels": "Grille communale de densité",
    "pathologies": "Patients par pathologie (CNAM)",
    "care_access": "Accessibilité aux médecins généralistes (APL)",
    "mortality": "Mortalité par cause (CépiDc)",
    "deaths": "Décès domiciliés par commune (INSEE)",
    "air_quality": "Qualité de l’air (Ineris)",
    "radon": "Potentiel radon des communes (ASNR)",
    "incomes": "Niveaux de vie par commune (Filosofi)",
    "indicators": "Autres indicateurs de santé",
}
# What communes may take features from: they come after these, whatever became of these.
FEATURES = (
    "density_levels",
    "pathologies",
    "care_access",
    "mortality",
    "deaths",
    "air_quality",
    "radon",
    "incomes",
    "indicators",
)


@dag(
    dag_display_name="Rafraîchir les référentiels",
    schedule=CronTriggerTimetable("0 5 2 * *", timezone="Europe/Paris"),
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Paris"),
    catchup=False,
    max_active_runs=1,
    default_args={**DEFAULT_ARGS, "queue": REFERENCES_QUEUE},
    doc_md=__doc__,
    tags=[Tag.REFERENCE, Tag.IMPACT_LOW],
)
def refresh_references() -> None:
    # On the machines that map the tables.
    @step(hours=6, trigger_rule=TriggerRule.ALL_DONE, queue=READING_QUEUE, task_display_name="Construire les tables")
    def lookup() -> dict[str, Any]:
        """Construire les tables que la détection et la substitution lisent, pour les versions en service."""
        from deid.config.settings import settings
        from deid.nightly import runtime
        from deid.refresh.tables import open_lookup

        table = open_lookup(settings().dsn("worker"), settings().lookups)
        return {"lookup": table.digest, "names": len(table), "tables": runtime.tables().digest}

    @step(hours=1, trigger_rule=TriggerRule.ALL_DONE, task_display_name="Contrôler les âges")
    def ages() -> dict[str, Any]:
        """Alerter si un référentiel en service est trop ancien ; sinon l'âge de chacun, en jours."""
        from deid.config.settings import settings
        from deid.nightly import runtime
        from deid.refresh.reference_versions import check_ages

        return dict(check_ages(settings().dsn("refresher"), runtime.policy().references))

    @step(hours=1, trigger_rule=TriggerRule.ONE_FAILED, retries=0, task_display_name="Signaler un échec")
    def alert() -> None:
        """Faire échouer l'exécution si une étape a échoué ; sinon rien."""
        from deid.domain.errors import ReferenceRefused

        raise ReferenceRefused("a source was refused or is too old.", "The step that failed says which, and why.")

    built, aged, red = lookup(), ages(), alert()
    [built, aged] >> red
    refreshed = {}
    for source, title in SOURCES.items():
        asset = Asset(f"reference_{source}", uri=f"nocturne://ref/{source}", group="nocturne")

        @step(hours=12, task_id=source, task_display_name=title, outlets=[asset], trigger_rule=TriggerRule.ALL_DONE)
        def refresh(source: str) -> dict[str, Any]:
            """Charger à côté, contrôler, mettre en service."""
            from deid.config.settings import settings
            from deid.refresh.refreshing import refresh

            return dict(refresh(source, dsn=settings().dsn("refresher")))

        refreshed[source] = refresh(source)
        refreshed[source] >> [built, aged]
        refreshed[source] >> red
    [refreshed[source] for source in FEATURES] >> refreshed["communes"]


refresh_references()
