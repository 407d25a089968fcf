"""Metrics of a night and a release through Airflow's own (OpenTelemetry, StatsD), if its configuration has them on."""

from __future__ import annotations

import logging

from airflow.sdk.configuration import conf
from airflow.sdk.observability import stats

from deid.domain.errors import NocturneError

log = logging.getLogger(__name__)


def send(interval_key: str) -> None:
    """Send the metrics of an interval as gauges named `nocturne.…`; a failure is logged and fails no task."""
    from deid.stewardship.metrics import read_metrics

    if not any(conf.getboolean("metrics", name) for name in ("otel_on", "statsd_on", "statsd_datadog_enabled")):
        return
    try:
        for name, value in read_metrics(interval_key).items():
            stats.gauge(f"nocturne.{name}", value)
    except NocturneError as error:
        log.warning("no metrics of %s: %s", interval_key, error)
