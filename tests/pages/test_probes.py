"""docker/healthy.sh, which compose.yaml asks of each component, on a running API server and Airflow's own jobs."""

import tests.airflow_home  # noqa: F401, I001 - before Airflow is imported

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from airflow.jobs.job import Job
from airflow.utils.session import create_session

from tests.airflow_home import ROOT
from tests.pages.serving import Server
from tests.ports import reserve_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # each probe imports Airflow


def healthy(component: str, **variables: str) -> bool:
    path = f"{Path(sys.executable).parent}:{ROOT / 'docker'}:{os.environ['PATH']}"
    probe = [ROOT / "docker" / "healthy.sh", component]
    told = {**os.environ, "no_proxy": "localhost", "PATH": path, **variables}
    return subprocess.run(probe, env=told, check=False).returncode == 0


def test_the_probe_of_the_api_server_says_whether_it_answers(server: Server) -> None:
    port = server.url.rpartition(":")[2]
    assert any(healthy("api-server", AIRFLOW__API__PORT=port) for _ in range(20))  # a busy one is asked again
    assert not healthy("api-server", AIRFLOW__API__PORT=str(reserve_port()))


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    ("component", "job_type"),
    [("scheduler", "SchedulerJob"), ("dag-processor", "DagProcessorJob"), ("triggerer", "TriggererJob")],
)
def test_the_probe_of_a_component_says_whether_its_job_beats(component: str, job_type: str) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)  # a slow machine imports Airflow in more than a beat
    with create_session() as session:
        job = Job(job_type=job_type, state="running", latest_heartbeat=later)
        session.add(job)
        session.flush()
        job_id = job.id
    try:
        assert healthy(component)
        with create_session() as session:
            session.get(Job, job_id).latest_heartbeat = later - timedelta(hours=2)
        assert not healthy(component)
    finally:
        with create_session() as session:
            session.delete(session.get(Job, job_id))
