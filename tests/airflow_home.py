"""An Airflow of the tests' own: importing this, before anything imports Airflow, keeps it off the machine's own."""

from __future__ import annotations

import atexit
import json
import os
import shutil

from tests import ROOT
from tests.folders import make_server_folder

HOME = make_server_folder("nocturne-airflow-")
atexit.register(shutil.rmtree, HOME, ignore_errors=True)

for name in [name for name in os.environ if name.startswith("AIRFLOW_")]:
    del os.environ[name]
BUNDLE = {
    "name": "nocturne",
    "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
    "kwargs": {"path": str(ROOT)},
}
os.environ.update(
    AIRFLOW_HOME=str(HOME),
    AIRFLOW__CORE__LOAD_EXAMPLES="False",
    AIRFLOW__CORE__PLUGINS_FOLDER=str(ROOT / "plugins"),
    AIRFLOW__CORE__XCOM_BACKEND="nocturne_airflow.xcom.GuardedXCom",
    AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST=json.dumps([BUNDLE]),
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=f"sqlite:///{HOME / 'airflow.db'}",
    AIRFLOW__USAGE_DATA_COLLECTION__ENABLED="False",
)
