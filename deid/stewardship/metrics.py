"""Metrics of an interval and of the deployment, for monitoring: numbers by name, without ids."""

from __future__ import annotations

from deid.config.policy import load
from deid.config.settings import settings
from deid.domain.errors import Reason
from deid.warehouse.connection import open_cursor
from deid.warehouse.queries import query

STEPS = ("plan", "detect", "substitute", "validate", "publish")


def read_metrics(interval_key: str) -> dict[str, float]:
    """Return the metrics as they are now, by dotted name (docs/operators.md).

    Raises:
        SettingsError: the publisher's connection string is not set.
        PolicyError: the policy cannot be read.
        WarehouseUnreachable, WarehouseError: they could not be read.
    """
    asked = {
        "interval_key": interval_key,
        "steps": list(STEPS),
        "reasons": [reason.value for reason in Reason],
        "decision_hours": load(settings().policy).release.decision_hours,
    }
    with open_cursor("publisher", "nocturne metrics", readonly=True) as cursor:
        cursor.execute(query("deid", "metric", "read"), asked)
        return {name: float(value) for name, value in cursor.fetchall()}
