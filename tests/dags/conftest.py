"""Airflow in this process, with its own database; and a steward who answers."""

import tests.airflow_home  # noqa: F401 - before Airflow is imported
