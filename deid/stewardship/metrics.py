"""Numbers for monitoring, without ids of documents: metrics of an interval, and what a step read and wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deid.config.policy import load
from deid.config.settings import settings
from deid.database.connection import open_cursor
from deid.database.queries import by_column, execute
from deid.domain.errors import InputRefused, Reason
from deid.domain.outcomes import Severity
from deid.quality.measures import CheckResult

STEPS = ("plan", "detect", "substitute", "validate", "publish")


def read_metrics(interval_key: str) -> dict[str, float]:
    """Return the metrics as they are now, by dotted name (docs/operators.md).

    Raises:
        SettingsError: the publisher's connection string is not set.
        PolicyError: the policy cannot be read.
    """
    asked = {
        "interval_key": interval_key,
        "steps": list(STEPS),
        "reasons": [reason.value for reason in Reason],
        "decision_hours": load(settings().policy).release.decision_hours,
    }
    with open_cursor("publisher", "nocturne metrics", readonly=True) as cursor:
        return {name: float(value) for name, value in execute(cursor, "deid", "metric", "read", asked).fetchall()}


@dataclass(frozen=True, slots=True)
class Lineage:
    """Figures of a batch or of a whole run for lineage: rows by table, digests by name, results of the checks.

    `rows` counts as `files` the documents that were read from files.
    """

    rows: Mapping[str, int]
    versions: Mapping[str, str]
    checks: Sequence[CheckResult]


def read_lineage(role: str, run_id: int, batch_id: int | None = None) -> Lineage:
    """Read as `role` the lineage of a batch, or of a whole run; only the worker may count all tables.

    Raises:
        InputRefused: there is no such run.
    """
    asked = {"run_id": run_id, "batch_id": batch_id}
    with open_cursor(role, "nocturne lineage", readonly=True) as cursor:
        versions = by_column(execute(cursor, "deid", "lineage", "versions", asked))
        if not versions:
            raise InputRefused(f"there is no run {run_id}.", "Plan it first.")
        rows: dict[str, int] = {}
        if role == "worker":
            rows = {name: int(count) for name, count in execute(cursor, "deid", "lineage", "rows", asked).fetchall()}
        checks = [
            CheckResult(suite, rule, Severity(severity), *counts)
            for suite, rule, severity, *counts in execute(cursor, "deid", "lineage", "checks", asked).fetchall()
        ]
    return Lineage(rows, versions[0], checks)
