"""Metrics as a collector receives them: by HTTP, from the tasks of a night and of its release."""

from __future__ import annotations

import atexit
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk._shared.observability.metrics.otel_logger import flush_otel_metrics
from airflow.sdk.observability import stats
from airflow.sdk.observability.metrics.stats_utils import get_stats_factory
from opentelemetry import metrics as telemetry
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from deid.domain.errors import Reason
from tests import ROOT
from tests.conftest import Database
from tests.database.warehouse.light import decide
from tests.database.warehouse.small_hospital import DAY, LETTER, NIGHT, open_hospital, put

pytestmark = pytest.mark.slow
DASHBOARD = ROOT / "docker/grafana/nocturne.json"


class Collector(HTTPServer):
    """Receives OTLP over HTTP; `values` holds the last value of each gauge of the product."""

    def __init__(self) -> None:
        self.values: dict[str, float] = {}
        self.attributes: set[str] = set()
        super().__init__(("127.0.0.1", 0), Receiver)

    def take(self, body: bytes) -> None:
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for metric in [metric for scope in resource.scope_metrics for metric in scope.metrics]:
                if "nocturne" not in metric.name:
                    continue
                for point in metric.gauge.data_points:
                    self.values[metric.name] = point.as_double or float(point.as_int)
                    self.attributes |= {pair.key for pair in point.attributes}


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        self.server.take(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that Airflow's metrics are configured to reach, as a worker configures them when it starts."""
    server = Collector()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AIRFLOW__METRICS__OTEL_ON", "True")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
    stats.initialize(factory=get_stats_factory(), export_legacy_names=False)
    yield server
    telemetry.get_meter_provider().shutdown()
    atexit.unregister(flush_otel_metrics)  # it would send to the exporter that was shut down
    monkeypatch.undo()
    stats.initialize(factory=get_stats_factory(), export_legacy_names=False)
    server.shutdown()


def named(metric: str) -> str:
    """The name that a collector gives a gauge for Prometheus."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", metric)


def selects(expression: str, name: str) -> bool:
    """True if an expression of a panel, a name or a pattern of names, gives a gauge."""
    pattern = re.fullmatch(r'{__name__=~"(.+)"}', expression)
    return expression == name if pattern is None else re.fullmatch(pattern[1], name) is not None


def test_a_night_and_its_release_are_measured(
    deployed: Database, play: Any, collector: Collector, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    decide(monkeypatch, tmp_path)
    policy = tmp_path / "policy.yaml"
    policy.write_text(policy.read_text(encoding="utf-8") + "\nrelease: {approval: never}\n", encoding="utf-8")
    open_hospital(deployed)
    for name in "abc":
        put(deployed, name, f"{LETTER}\nExemplaire {name}.")
    put(deployed, "hollow", b"   ")
    assert play("deidentify_documents", at=NIGHT + DAY, reason="essai").state == "success"
    telemetry.get_meter_provider().force_flush()
    found = dict(collector.values)
    assert (found["airflow.nocturne.night.planned"], found["airflow.nocturne.night.staged"]) == (4, 3)
    assert found["airflow.nocturne.quarantined.empty"] == 1
    assert found["airflow.nocturne.quarantined.not_french"] == 0
    assert found["airflow.nocturne.step.detect.documents"] == 4
    ((characters,),) = deployed.rows("SELECT sum(characters) FROM deid.document")
    assert found["airflow.nocturne.step.substitute.characters"] == characters > 0
    assert found["airflow.nocturne.step.detect.seconds"] > 0
    assert found["airflow.nocturne.epsilon"] > 0
    assert found["airflow.nocturne.night.published"] == 0
    assert play("release_dataset", key="2026-03-02").state == "success"
    telemetry.get_meter_provider().force_flush()
    assert collector.values["airflow.nocturne.night.published"] == 3
    assert collector.attributes == set()
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    expressions = {target["expr"] for panel in panels for target in panel["targets"]}
    sent = {named(name) for name in collector.values}
    shown = [{name for name in sent if selects(expression, name)} for expression in expressions]
    assert all(shown)
    assert {f"airflow_nocturne_quarantined_{reason}" for reason in Reason} <= set().union(*shown)


@pytest.mark.usefixtures("deployed")
def test_without_a_database_to_read_a_task_does_not_fail(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from nocturne_airflow import metrics

    from deid.config.settings import settings

    monkeypatch.delenv("NOCTURNE_PUBLISHER_DSN")
    settings.cache_clear()
    metrics.send("2026-03-02")
    assert "NOCTURNE_PUBLISHER_DSN is not set" in caplog.text
    assert collector.values == {}
