"""Values for Airflow's Helm chart and templates of pods: as docker/compose.yaml separates processes, so do they.

The chart itself is not here: docs/operators.md says what was rendered, and that no cluster has run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import airflow
import pytest
import yaml
from airflow.configuration import conf
from airflow.dag_processing.dagbag import DagBag
from airflow.executors import executor_loader
from airflow.providers.cncf.kubernetes.pod_generator import PodGenerator
from kubernetes.client import ApiClient

from deid.domain.errors import SettingsError
from tests.end_to_end.docker.test_compose import COMPOSE, DOCKER, KNOW_IDENTITY, REACHES, ROOT, SERVICES

KUBERNETES = DOCKER / "kubernetes"
VALUES: dict[str, Any] = yaml.safe_load((KUBERNETES / "values.yaml").read_text())
SETS: dict[str, dict[str, Any]] = {one["name"]: one for one in VALUES["workers"]["celery"]["sets"]}
TEMPLATES = sorted(KUBERNETES.glob("pod-*.yaml"))
IMAGE_ROOT = "/opt/nocturne"
# Keys of values.yaml whose contents become parts of manifests as they are, by the models of Kubernetes' client.
COPIED = {
    "env": "list[V1EnvVar]",
    "volumes": "list[V1Volume]",
    "extraVolumes": "list[V1Volume]",
    "volumeMounts": "list[V1VolumeMount]",
    "extraVolumeMounts": "list[V1VolumeMount]",
    "volumeClaimTemplates": "list[V1PersistentVolumeClaim]",
    "resources": "V1ResourceRequirements",
    "pod": "V1PodSecurityContext",
    "containers": "V1SecurityContext",
    "from": "list[V1NetworkPolicyPeer]",
}


def given(environment: list[dict[str, Any]]) -> set[str]:
    """Keys of the secrets that an environment takes, each under the name that the product reads.

    Beside them, who logs in to the hospital's ids is told where they lie, if a secret says so.
    """
    references = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in environment if "valueFrom" in one}
    assert all(name == f"NOCTURNE_{ref['key'].removeprefix('nocturne_').upper()}" for name, ref in references.items())
    keys = {ref["key"] for ref in references.values()}
    assert ("identity_database" in keys) == bool(keys & KNOW_IDENTITY)
    assert {ref["key"] for ref in references.values() if ref.get("optional")} <= {"identity_database"}
    return keys - {"identity_database"}


@pytest.mark.parametrize(
    ("service", "environment"),
    [
        ("worker-cpu", SETS["cpu"]["env"]),
        ("worker-publication", SETS["publication"]["env"]),
        ("worker-references", SETS["references"]["env"]),
        ("api-server", VALUES["apiServer"]["env"]),
        ("init", VALUES["migrateDatabaseJob"]["env"]),
    ],
)
def test_a_process_is_given_what_compose_gives_it(service: str, environment: list[dict[str, Any]]) -> None:
    assert given(environment) - {"admin_password"} == REACHES[service]


def test_queues_are_those_of_the_workers_and_pods_take_the_other() -> None:
    assert {name: one["queue"] for name, one in SETS.items()} == {name: name for name in SETS}
    assert {f"worker-{name}" for name in SETS} | {"worker-gpu", "worker-lab"} == {
        name for name in SERVICES if "worker" in name
    }
    assert VALUES["workers"]["celery"]["enableDefault"] is False


def test_airflow_s_settings_are_those_of_compose() -> None:
    """Only addresses, the executor and what the chart sets by keys of its own are left out."""
    for name, value in COMPOSE["x-environment"].items():
        if not name.startswith("AIRFLOW__") or name.endswith("_FILE"):
            continue
        section, option = name.removeprefix("AIRFLOW__").lower().split("__")
        if option in ("executor", "execution_api_server_url"):
            continue
        assert str(VALUES["config"][section][option]) == value, name
    assert VALUES["executor"].split(",") == [COMPOSE["x-environment"]["AIRFLOW__CORE__EXECUTOR"], "KubernetesExecutor"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_kubernetes_executor_makes_a_pod_that_holds_what_detection_needs(path: Path) -> None:
    pod = PodGenerator.construct_pod(
        dag_id="deidentify_documents",
        task_id="batch.detect",
        pod_id="detect",
        try_number=1,
        map_index=0,
        kube_image=None,
        date=datetime(2026, 3, 2, tzinfo=UTC),
        args=["python", "-m", "airflow.sdk.execution_time.execute_workload"],
        pod_override_object=None,
        base_worker_pod=PodGenerator.deserialize_model_file(str(path)),
        namespace="nocturne",
        scheduler_job_id="1",
    )
    (container,) = pod.spec.containers
    assert (container.name, container.image) == ("base", f"nocturne:{path.stem.removeprefix('pod-')}")
    assert container.args[0] == "python"  # docker/entrypoint.sh runs it in the product's environment
    environment = ApiClient().sanitize_for_serialization(container.env)
    assert given(environment) == REACHES["worker-gpu"]
    (named,) = [one.value for one in container.env if one.name == "NOCTURNE_POD_TEMPLATE"]
    assert named == f"{IMAGE_ROOT}/{path.relative_to(ROOT)}"
    assert {mount.name for mount in container.volume_mounts} == {volume.name for volume in pod.spec.volumes}
    assert pod.spec.restart_policy == "Never"
    assert pod.spec.automount_service_account_token is False
    assert pod.spec.security_context.run_as_non_root is True
    assert container.security_context.allow_privilege_escalation is False
    assert container.security_context.capabilities.drop == ["ALL"]
    assert container.resources.limits["memory"]
    assert ("nvidia.com/gpu" in container.resources.limits) == (path.stem == "pod-gpu")


def read_by_kubernetes(written: Any, kind: str) -> Any:
    """Read a part of a manifest by the models of Kubernetes' client: what they do not know is left out.

    Raises:
        ValueError: a field that must be there lacks.
    """
    client = ApiClient()
    return client.sanitize_for_serialization(client._ApiClient__deserialize(written, kind))


def known_parts(values: Any, where: str = "values") -> Iterator[tuple[str, str, Any]]:
    """The parts of the chart's values that its templates copy into manifests, with their kinds."""
    if isinstance(values, list):
        values = dict(enumerate(values))
    for name, value in values.items() if isinstance(values, dict) else ():
        if name in COPIED:
            yield f"{where}.{name}", COPIED[name], value
        else:
            yield from known_parts(value, f"{where}.{name}")


@pytest.mark.parametrize("path", sorted(KUBERNETES.glob("[!v]*.yaml")), ids=lambda path: path.stem)
def test_a_manifest_is_one_of_its_kind(path: Path) -> None:
    written = yaml.safe_load(path.read_text())
    assert read_by_kubernetes(written, f"V1{written['kind']}") == written


PARTS = list(known_parts(VALUES))


@pytest.mark.parametrize(("where", "kind", "written"), PARTS, ids=[where for where, _, _ in PARTS])
def test_what_the_chart_copies_is_of_its_kind(where: str, kind: str, written: Any) -> None:
    assert read_by_kubernetes(written, kind) == written, where


def test_every_kind_of_part_is_met_and_a_wrong_one_is_noticed() -> None:
    assert {kind for _, kind, _ in PARTS} == set(COPIED.values())
    for wrong in ({"name": "A", "value": 2}, {"name": "A", "valeur": "2"}):
        assert read_by_kubernetes(wrong, "V1EnvVar") != wrong
    with pytest.raises(ValueError, match="must not be"):
        read_by_kubernetes({"value": "2"}, "V1EnvVar")


def test_the_settings_of_airflow_are_settings_of_this_airflow() -> None:
    """A name that Airflow does not know is written to airflow.cfg, and never read."""
    assert VALUES["airflowVersion"] == airflow.__version__
    options = {
        (section, option)
        for section, described in conf.configuration_description.items()
        for option in described["options"]
    }
    assert {(section, option) for section, written in VALUES["config"].items() for option in written} <= options


def test_the_network_of_tasks_is_that_of_the_pods() -> None:
    policy = yaml.safe_load((KUBERNETES / "network.yaml").read_text())["spec"]
    for path in TEMPLATES:
        labels = yaml.safe_load(path.read_text())["metadata"]["labels"]
        assert policy["podSelector"]["matchLabels"].items() <= labels.items()
        allowed = VALUES["apiServer"]["networkPolicy"]["ingress"]["from"][0]["podSelector"]["matchLabels"]
        assert allowed.items() <= labels.items()
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in policy


# Where Airflow keeps the executors that it has read.
PER_TEAM = (f"_{key}_to_executors_per_team" for key in ("alias", "module", "classname"))
EXECUTORS = ("_executor_names", "_team_name_to_executors", *PER_TEAM)


def detection(monkeypatch: pytest.MonkeyPatch, template: Path) -> DagBag:
    monkeypatch.setenv("NOCTURNE_POD_TEMPLATE", str(template))
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "LocalExecutor,KubernetesExecutor")
    for name in EXECUTORS:  # another test of this process may have read other ones
        empty = copy(getattr(executor_loader, name))
        empty.clear()
        monkeypatch.setattr(executor_loader, name, empty)
    return DagBag(ROOT / "dags" / "deidentify_documents.py", bundle_path=ROOT, bundle_name="nocturne")


def test_only_detection_becomes_a_pod_where_a_template_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = detection(monkeypatch, TEMPLATES[0])
    assert bag.import_errors == {}
    tasks = {task.task_id: (task.executor, task.executor_config) for task in bag.dags["deidentify_documents"].tasks}
    assert tasks.pop("batch.detect") == ("KubernetesExecutor", {"pod_template_file": str(TEMPLATES[0])})
    assert set(map(str, tasks.values())) == {str((None, {}))}


def test_a_template_that_is_not_there_is_said_where_dags_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    (error,) = detection(monkeypatch, KUBERNETES / "pod-tpu.yaml").import_errors.values()
    assert SettingsError.__name__ in error
    assert "NOCTURNE_POD_TEMPLATE" in error
    assert "Name a pod template of the image." in error
