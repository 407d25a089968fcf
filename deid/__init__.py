"""Nocturne's library: de-identification of French clinical documents, with no Airflow inside."""

__version__ = "0.4.0"
