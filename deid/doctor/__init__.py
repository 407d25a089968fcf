"""Diagnosis of a deployment: settings, databases, privileges, Airflow, models, secret, references, disks, clocks."""

from __future__ import annotations

from collections.abc import Iterator

from deid.doctor import airflow, databases, machine
from deid.doctor.finding import Check, Finding, Level, error, why
from deid.domain.errors import NocturneError

__all__ = ["Finding", "Level", "diagnose"]

CHECKS: dict[str, Check] = {
    "settings": machine.check_settings,
    "policy": machine.check_policy,
    "models": machine.check_models,
    "secret": machine.check_secret,
    "key service": machine.check_key_service,
    "disk": machine.check_disks,
    "trainings": machine.check_trainings,
    "databases": databases.check_databases,
    "migrations": databases.check_migrations,
    "identity": databases.check_identity,
    "channels": databases.check_channels,
    "source contract": databases.check_source,
    "ledger's secret": databases.check_ledger_secret,
    "references": databases.check_references,
    "Airflow": airflow.check_airflow,
}


def diagnose() -> Iterator[Finding]:
    """Yield the findings of every check; one that fails is itself a finding, and the others go on."""
    for name, check in CHECKS.items():
        try:
            yield from check()
        except NocturneError as refusal:
            yield error(name, f"check impossible: {why(refusal)}", "Correct this, then start again.")
        except Exception as unforeseen:  # its message could quote a value
            where = f"check interrupted by {type(unforeseen).__name__}"
            yield error(name, where, "Report this line to who maintains Nocturne.")
