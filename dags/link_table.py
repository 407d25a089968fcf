"""
# Relier une table aux documents publiés

À la main, pour une table structurée (biologie, PMSI) qu'un projet lit avec les notes. Elle est déposée dans
`tables/given` du dossier d'échange (`NOCTURNE_EXCHANGE_FOLDER`), en CSV ou Parquet ; la table reliée est écrite sous le
même nom dans `tables/linked`.

| Étape | Ce qu'elle fait |
|---|---|
| Relier la table (`link`) | donne aux lignes les pseudonymes des documents, et déplace leurs dates de même |

Seules sont écrites les lignes d'un patient qui a des documents publiés et ne s'est pas opposé, et dont les dates sont à
portée de l'un d'eux. Ce que l'on copie n'est pas lu : ni identifiant, ni date, ni texte libre. Le résultat est fait de
nombres ; une ligne va au journal. La même chose en ligne de commande : `nocturne link`.
"""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag
from nocturne_airflow.launch import requested_by
from nocturne_airflow.steps import DEFAULT_ARGS, READING_QUEUE, Tag, step

_COLUMN = {"type": "string", "pattern": "^[^,]{1,63}$"}


@dag(
    dag_display_name="Relier une table aux documents publiés",
    schedule=None,
    catchup=False,
    max_active_runs=1,
    default_args={**DEFAULT_ARGS, "queue": READING_QUEUE},
    params={
        "table": Param("biologie.csv", type="string", pattern="^[^/]{1,120}$", title="Fichier de tables/given"),
        "patient_column": Param("patient", type="string", title="Colonne des patients"),
        "stay_column": Param(None, type=["null", "string"], title="Colonne des séjours"),
        "date_columns": Param([], type="array", items=_COLUMN, title="Colonnes de dates"),
        "keep": Param([], type="array", items=_COLUMN, title="Colonnes copiées telles quelles"),
    },
    doc_md=__doc__,
    tags=[Tag.RELEASE, Tag.IMPACT_LOW],
)
def link_table() -> None:
    @step(hours=12, task_display_name="Relier la table")
    def link(params: dict[str, Any], dag_run: Any) -> dict[str, int]:
        """Donner à une table les identifiants et les dates des documents publiés."""
        from deid.cli.linking import LinkColumns, link_in_folder

        columns = LinkColumns(*(params[name] for name in ("patient_column", "stay_column", "date_columns", "keep")))
        return link_in_folder(params["table"], columns, requested_by(dag_run))

    link()


link_table()
