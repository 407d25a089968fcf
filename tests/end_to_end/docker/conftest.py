"""Airflow of the tests' own, for the few tests here that ask Airflow for its commands."""

import tests.airflow_home  # noqa: F401 - before Airflow is imported
