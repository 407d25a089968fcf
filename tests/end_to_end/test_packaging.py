"""The wheels hold all that the libraries read, work outside a checkout, and ask for what the pins allow."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import deid
from tests import ROOT

SOURCES = ("deid", "sql", "pyproject.toml", "setup.py", "README.md", "LICENSE", "NOTICE")
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-cache-dir")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LAB = tomllib.loads((ROOT / "lab/pyproject.toml").read_text())["project"]


def sources(*places: str) -> list[str]:
    """Paths of the files that a wheel is made of: tracked ones, and new ones that git does not ignore.

    Of a catalogue of messages the compiled file is shipped, not what translators edit.
    """
    listed = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard", *(places or SOURCES)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [path for path in listed.stdout.splitlines() if (ROOT / path).is_file() and not path.endswith(".po")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network from a copy of the sources."""
    return build(tmp_path_factory.mktemp("wheel"), sources())


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the laboratory, built as the other."""
    return build(tmp_path_factory.mktemp("laboratory"), sources("lab"), "lab")


def build(folder: Path, paths: Sequence[str], project: str = "") -> Path:
    """Build the wheel of a project from links to the files of the checkout."""
    for path in paths:
        (folder / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "source" / path).symlink_to(ROOT / path)
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder / "out"))
    subprocess.run([*PIP, "wheel", *options, str(folder / "source" / project)], check=True, timeout=300)
    (built,) = (folder / "out").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the wheel is installed, without what it depends on."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)], check=True)
    return folder


def run(installed: Path, *command: str | Path) -> str:
    """Run a command that finds `deid` in the installed wheel only, and return its standard output."""
    environment: Mapping[str, str] = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "HOME": str(installed)}
    done = subprocess.run(command, cwd=installed, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_wheel(path: str) -> str:
    """Name inside the wheel of a file of the checkout."""
    return f"deid/{path}" if path.startswith("sql/") else path


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_library_and_no_other(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == {in_wheel(path) for path in sources() if path.startswith(("deid/", "sql/"))}
    assert wheel.name.startswith(f"nocturne-{deid.__version__}-")


@pytest.mark.slow
def test_the_wheel_of_the_laboratory_holds_its_package_and_adds_its_commands(
    laboratory: Path, installed: Path, tmp_path: Path
) -> None:
    held = {name for name in zipfile.ZipFile(laboratory).namelist() if ".dist-info/" not in name}
    assert {f"lab/{name}" for name in held} == set(sources("lab/nocturne_lab"))
    assert laboratory.name.startswith(f"nocturne_lab-{deid.__version__}-")
    assert LAB["dependencies"][0] == f"nocturne=={deid.__version__}"
    shutil.copytree(installed, tmp_path / "both")
    both = tmp_path / "both"
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", str(both), str(laboratory)], check=True)
    where = "import nocturne_lab.cli, deid; print(nocturne_lab.__file__, deid.__file__)"
    assert run(both, sys.executable, "-c", where).split() == [
        *(str(both / package / "__init__.py") for package in ("nocturne_lab", "deid"))
    ]
    assert "--small" in run(both, sys.executable, "-m", "deid", "train", "--help")


@pytest.mark.slow
def test_the_command_line_answers_from_the_wheel(installed: Path) -> None:
    assert "python -m deid COMMANDE --help" in run(installed, sys.executable, installed / "bin" / "nocturne", "--help")
    assert "annotators" in run(installed, sys.executable, "-m", "deid", "policy", "show")


@pytest.mark.slow
def test_statements_and_migrations_are_those_of_the_wheel(installed: Path) -> None:
    code = (
        "from deid.database.queries import SQL, query; import re;"
        "[print(query(p.parent.name, p.stem, n)) for p in SQL.glob('*/*.sql')"
        " for n in re.findall(r'^-- name: (\\w+)$', p.read_text(), re.M)]; print(SQL)"
    )
    said = run(installed, sys.executable, "-c", code)
    assert Path(said.splitlines()[-1]) == installed / "deid" / "sql"
    assert len(re.findall(r"^(SELECT|INSERT|UPDATE|DELETE|WITH)\b", said, re.MULTILINE)) > 50


OPTIONAL = PROJECT["optional-dependencies"]


def pins(name: str) -> dict[str, str]:
    """Package → pinned version of a requirements file."""
    lines = (line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines if "==" in line}


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        ("requirements.txt", [*PROJECT["dependencies"], *OPTIONAL["demo"], *OPTIONAL["sources"]]),
        ("lab/requirements.txt", LAB["dependencies"][1:]),
        ("requirements-dev.txt", [*OPTIONAL["dev"], *LAB["optional-dependencies"]["embeddings"]]),
    ],
)
def test_ranges_hold_the_pins_package_by_package(file: str, lines: list[str]) -> None:
    ranges = [Requirement(line) for line in lines]
    pinned = pins(file)
    assert {canonicalize_name(wanted.name) for wanted in ranges} == set(pinned)
    outside = [wanted.name for wanted in ranges if pinned[canonicalize_name(wanted.name)] not in wanted.specifier]
    assert not outside
