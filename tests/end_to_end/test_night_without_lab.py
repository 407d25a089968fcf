"""The environment of a night, without the laboratory and without what only the laboratory needs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from deid.cli import app, laboratory
from dependencies.lock import LOCKS, parse
from tests import ROOT

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
