"""The environment of a night, without the laboratory and without what only the laboratory needs."""

import tests.airflow_home  # noqa: F401, I001 - before Airflow is imported

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from deid.cli import app, laboratory
from deid.ledger import models
from deid.models.directories import directory_hash
from dependencies.lock import LOCKS, parse
from tests import ROOT
from tests.conftest import Database, fresh_database
from tests.database.warehouse.small_hospital import DAY, NIGHT, PAGE, open_hospital, put
from tests.pages.conftest import make_accounts
from tests.pages.metadata import postgresql_metadata
from tests.pages.night import as_deployed
from tests.pages.serving import Server, serving

WITHOUT = ("nocturne_lab", "accelerate", "gensim", "matplotlib", "optuna", "pyarrow", "sklearn")
LETTER = {"id": "1", "text": "Vu ce jour Mme Anne MARTIN, née le 02/03/1951, suivie pour une bronchite."}


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with links to the packages that the locks of a night name, and to no others."""
    named = {canonicalize_name(one) for lock in ("run", "torch") for one in parse((LOCKS / f"{lock}.txt").read_text())}
    folder = tmp_path_factory.mktemp("night")
    for distribution in distributions():
        if canonicalize_name(distribution.name) in named:
            for top in {
                file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")
            }:
                if not (folder / top).exists():
                    (folder / top).symlink_to(str(distribution.locate_file(top)))
    return folder


def run(night: Path, tmp_path: Path, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run Python with the packages of a night and the checkout; `-S` leaves out those of this environment."""
    environment = {
        "PYTHONPATH": ":".join(map(str, (night, ROOT, ROOT / "plugins"))),
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "NOCTURNE_LANG": "en",
        "NOCTURNE_SECRET": "5e05a1c7d2983b4f6e70b9c8114d2fa3968e7bd05c42ef1936a8d4107b5fc2e9",
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__XCOM_BACKEND": "nocturne_airflow.xcom.GuardedXCom",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{tmp_path / 'airflow.db'}",
    }
    command = [sys.executable, "-S", *arguments]
    return subprocess.run(
        command, cwd=tmp_path, env=environment, input=said, capture_output=True, text=True, timeout=200, check=False
    )


@pytest.mark.slow
def test_nothing_of_the_laboratory_is_there(night: Path, tmp_path: Path) -> None:
    code = f"import importlib.util as u; print([name for name in {WITHOUT} if u.find_spec(name)])"
    assert run(night, tmp_path, "-c", code).stdout.strip() == "[]"


@pytest.mark.slow
def test_the_default_policy_deidentifies(night: Path, tmp_path: Path) -> None:
    done = run(night, tmp_path, "-m", "deid", "deidentify", "-", said=json.dumps(LETTER) + "\n")
    assert done.returncode == 0, done.stderr
    text = json.loads(done.stdout)["text"]
    assert "MARTIN" not in text
    assert "02/03/1951" not in text
    assert text.endswith("suivie pour une bronchite.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        ("train", "corpus", "--out", "models"),
        ("annotations", "export", "--help"),
        ("models", "register", "folder"),
        ("policy", "weights", "corpus"),
        ("references", "map", "--packaged"),
    ],
    ids=" ".join,
)
def test_a_command_of_the_laboratory_says_what_to_install(night: Path, tmp_path: Path, asked: tuple[str, ...]) -> None:
    done = run(night, tmp_path, "-m", "deid", *asked)
    assert done.returncode == 2
    assert "nocturne-lab, which is not installed here" in done.stderr
    assert "pip install ./lab" in done.stderr


@pytest.mark.slow
def test_the_other_commands_and_the_pages_answer(night: Path, tmp_path: Path) -> None:
    shown = run(night, tmp_path, "-m", "deid", "models", "--help").stdout
    assert "promote" in shown
    assert "register" not in shown
    code = "import nocturne_pages.app, deid.reports.pdf, deid.formats.pdf, deid.doctor, deid.nightly.steps"
    done = run(night, tmp_path, "-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_its_dags_are_read_and_a_step_of_the_laboratory_says_what_to_install(night: Path, tmp_path: Path) -> None:
    code = (
        "import glob, runpy\n"
        f"for one in glob.glob('{ROOT}/dags/*.py'): runpy.run_path(one)\n"
        "from nocturne_airflow.steps import redacted_errors\n"
        "@redacted_errors\n"
        "def attack():\n"
        "    from nocturne_lab.evaluation import released\n"
        "attack()\n"
    )
    done = run(night, tmp_path, "-c", code)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("deid.domain.errors.SettingsError: this is a part of nocturne-lab"), done.stderr


@pytest.fixture(scope="module")
def hospital(postgres_server: str) -> Iterator[Database]:
    """A warehouse with two documents of one night, and an empty ledger."""
    with fresh_database(postgres_server) as made:
        open_hospital(made)
        put(made, "D000001")
        put(made, "D000002", PAGE, patient="P000002", stay_id="S000002", format="text/html")
        yield made


@pytest.fixture(scope="module")
def variables(night: Path, postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The variables of Airflow's processes: the packages of a night, LocalExecutor, metadata on PostgreSQL."""
    folder = tmp_path_factory.mktemp("accounts")
    bundle = {
        "name": "dags-folder",  # the one that `DAG.test` names
        "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
        "kwargs": {"path": str(ROOT / "dags")},
    }
    with postgresql_metadata(postgres_server) as metadata:
        yield {
            **make_accounts(folder),
            **metadata,
            "PYTHONPATH": os.pathsep.join(map(str, (night, ROOT, ROOT / "plugins"))),
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
            "AIRFLOW__CORE__PARALLELISM": "2",
            "AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": json.dumps([bundle]),
            "AIRFLOW__API_AUTH__JWT_SECRET": "5" * 64,
        }


@pytest.fixture(scope="module")
def server(
    hospital: Database, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, Path]]:
    """The API server of that environment, and its folder."""
    folder = tmp_path_factory.mktemp("api-server")
    with serving(hospital, folder, python=(sys.executable, "-S"), **variables) as running:
        yield running, folder


@pytest.mark.slow
def test_a_steward_promotes_a_model_that_another_machine_trained(
    server: tuple[Server, Path], hospital: Database
) -> None:
    running, folder = server
    building = folder / "models" / "crf" / "new"
    building.mkdir(parents=True)
    (building / "model.json").write_text('{"kind": "crf"}', encoding="utf-8")
    digest = directory_hash(building)
    (building / "README.md").write_text("# Fiche\n\nApprise ailleurs.\n", encoding="utf-8")
    building.rename(building.with_name(digest))
    with as_deployed(hospital):
        models.insert_model("crf", digest, "a.dubois")
        models.record_comparison(digest, models.SHIPPED, {"documents": 60.0})
    assert digest[:12] in running.get("/models").text
    shown = running.get(f"/models/{digest}").text
    assert "Apprise ailleurs." in shown
    given = {"seen": "candidate", "chosen": "promote", "reason": "meilleur sur les lettres", "confirmed": "yes"}
    assert running.ask("POST", f"/models/{digest}/decision", "intendante", data=given).status_code == 303
    assert hospital.rows("SELECT state, decided_by FROM deid.model") == [("serving", "intendante")]
    given |= {"seen": f"serving {digest}", "chosen": "roll_back"}
    assert running.ask("POST", f"/models/{digest}/decision", "intendante", data=given).status_code == 303
    assert hospital.rows("SELECT state, decided_by FROM deid.model") == [("retired", "intendante")]


NIGHTLY = """
from datetime import datetime
from airflow.dag_processing.dagbag import DagBag
from airflow.executors.executor_loader import ExecutorLoader
from airflow.jobs.job import Job
assert type(ExecutorLoader.get_default_executor()).__name__ == "LocalExecutor"
Job()  # a component starts: the plugin makes the pool
dag = DagBag({dags!r}, bundle_name="dags-folder", known_pools={{"default_pool", "gpu"}}).dags["deidentify_documents"]
dag.deadline = None  # `DAG.test` takes the alert for its id and fails; the scheduler does not
done = dag.test(logical_date=datetime.fromisoformat({at!r}), run_conf={{"reason": "essai"}}, use_executor=True)
print("ended:", done.state)
"""


@pytest.mark.slow
@pytest.mark.timeout(700)  # five tasks, each a process that imports everything: minutes on a busy machine
def test_a_night_is_staged_by_the_executor_of_one_machine(
    server: tuple[Server, Path], hospital: Database, variables: dict[str, str], tmp_path: Path
) -> None:
    running, _ = server
    known = {
        **os.environ,
        **hospital.environment,
        **variables,
        "NOCTURNE_HOME": str(tmp_path),
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{running.url}/execution/",
    }
    code = NIGHTLY.format(dags=str(ROOT / "dags"), at=(NIGHT + DAY).isoformat())
    log = tmp_path / "night.log"
    with log.open("w", encoding="utf-8") as written:
        done = subprocess.run(
            [sys.executable, "-S", "-c", code], cwd=tmp_path, env=known, stdout=written, stderr=written, timeout=600
        )
    assert log.read_text(encoding="utf-8").strip().endswith("ended: success"), done
    texts = [text for (text,) in hospital.rows("SELECT text FROM deid.candidate")]
    assert len(texts) == 2
    assert not [text for text in texts if "VASSEROT" in text or "BROUSTET" in text]


def test_every_command_of_the_laboratory_is_known_where_it_lacks() -> None:
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    added: dict[str, set[str]] = {}
    for name, place in {"": app, **groups}.items():
        commands = {laboratory.command_name(one) for one in place.registered_commands if _of_lab(one.callback)}
        inner = {one.name for one in place.registered_groups if _is_group_of_lab(one.typer_instance)}
        if name in laboratory.OF_THE_LAB or (commands and not _is_group_of_lab(place)):
            added[name or ""] = commands | inner
    assert added == {name: set(known) for name, known in laboratory.OF_THE_LAB.items()}


def _of_lab(function: object) -> bool:
    return getattr(function, "__module__", "").startswith("nocturne_lab.")


def _is_group_of_lab(group: object) -> bool:
    commands = getattr(group, "registered_commands", [])
    return bool(commands) and all(_of_lab(one.callback) for one in commands)


def test_pages_and_dags_import_nothing_of_the_laboratory_as_they_are_read() -> None:
    for path in (*(ROOT / "plugins").rglob("*.py"), *(ROOT / "dags").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree) if "nocturne_pages" in path.parts else tree.body:
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith("nocturne_lab")], path
