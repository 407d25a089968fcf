"""Diagnosis of a deployment: settings, databases, privileges, Airflow, models, secret, references, disks, clocks."""

from __future__ import annotations

from collections.abc import Iterator

from deid.doctor import airflow, databases, machine
from deid.doctor.finding import Check, Finding, Level, error, why
from deid.domain.errors import NocturneError

__all__ = ["Finding", "Level", "diagnose"]

CHECKS: dict[str, Check] = {
    "réglages": machine.check_settings,
    "politique": machine.check_policy,
    "modèles": machine.check_models,
    "secret": machine.check_secret,
    "service de clés": machine.check_key_service,
    "disque": machine.check_disks,
    "bases": databases.check_databases,
    "migrations": databases.check_migrations,
    "canaux": databases.check_channels,
    "contrat de la source": databases.check_source,
    "secret du registre": databases.check_ledger_secret,
    "référentiels": databases.check_references,
    "Airflow": airflow.check_airflow,
}


def diagnose() -> Iterator[Finding]:
    """Yield the findings of every check; one that fails is itself a finding, and the others go on."""
    for name, check in CHECKS.items():
        try:
            yield from check()
        except NocturneError as refusal:
            yield error(name, f"contrôle impossible : {why(refusal)}", "Corriger cela, puis recommencer.")
        except Exception as unforeseen:  # its message could quote a value
            where = f"contrôle interrompu par {type(unforeseen).__name__}"
            yield error(name, where, "Signaler cette ligne à qui entretient Nocturne.")
