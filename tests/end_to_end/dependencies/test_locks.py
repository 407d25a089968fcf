"""The locks hold every pin with its hashes, and pip takes only the file that a lock names."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dependencies.lock import LOCKS, added, hashes, parse, with_builds
from tests import ROOT

NAMES = sorted(path.stem for path in LOCKS.glob("*.txt"))
HOLDS = {
    "requirements.txt": ("run", "torch"),
    "lab/requirements.txt": ("run", "lab"),
    "requirements-dev.txt": ("run", "lab", "dev"),
    "requirements-oracles.txt": ("oracles",),
    "requirements-tools.txt": ("tools",),
    "docker/requirements.txt": ("run", "image"),
    "constraints.txt": ("run", "torch", "lab", "dev"),
    "docker/constraints.txt": ("run", "image"),
}


def entries(name: str) -> dict[str, str]:
    return dict(parse((LOCKS / f"{name}.txt").read_text()))


def pins(path: str) -> dict[str, str]:
    """Package → version of a file of requirements or constraints."""
    lines = [line.split("#")[0].strip() for line in (ROOT / path).read_text().splitlines()]
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines if "==" in line}


@pytest.mark.parametrize("path", HOLDS)
def test_every_pin_is_in_its_lock(path: str) -> None:
    locked = {
        name: next(iter(Requirement(entry.split("\\")[0]).specifier)).version
        for lock in HOLDS[path]
        for name, entry in entries(lock).items()
    }
    wanted = pins(path)
    if path == "constraints.txt":  # what an environment held beside; pip freeze tells no more of it
        wanted = {name: version for name, version in wanted.items() if name in locked}
        assert wanted["setuptools"]
    assert {name: locked.get(name) for name in wanted} == wanted


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_has_hashes_and_names_no_place(name: str) -> None:
    text = (LOCKS / f"{name}.txt").read_text()
    assert text.startswith("# Written by `make lock`")
    assert entries(name)
    assert all(hashes(entry) for entry in entries(name).values())
    assert not re.search(r"://|index-url|find-links|@", text)


def test_no_library_of_cuda_is_installed_without_need() -> None:
    assert not [name for name in entries("run") if name.startswith(("nvidia", "cuda", "triton", "torch"))]
    assert [name for name in entries("cuda") if name.startswith("nvidia")]


def test_hashes_of_other_builds_are_kept_for_the_same_version_only() -> None:
    one, other, build = ("1" * 64, "2" * 64, "3" * 64)
    entry = f"torch==2.13.0 \\\n    --hash=sha256:{one}\n"
    known = with_builds(entry, "", other)
    assert hashes(with_builds(entry, known, build)) == {one, other, build}
    assert hashes(with_builds(entry.replace("2.13.0", "2.14.0"), known, build)) == {one, build}
    assert parse(with_builds(entry, known, build)).keys() == {"torch"}


def test_what_a_lock_adds() -> None:
    known = {"a": "a==1 \\\n", "b": "b==1 ; sys_platform == 'win32' \\\n"}
    assert added({**known, "b": "b==1 \\\n", "c": "c==2 \\\n"}, known) == {"b": "b==1 \\\n", "c": "c==2 \\\n"}


def wheel(folder: Path, content: str) -> Path:
    """A wheel of the package `lantern`, version 1."""
    path = folder / "lantern-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("lantern.py", content)
        archive.writestr("lantern-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: lantern\nVersion: 1\n")
        archive.writestr("lantern-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("lantern-1.dist-info/RECORD", "")
    return path


def test_the_installation_of_make_refuses_another_file_of_the_same_version(tmp_path: Path) -> None:
    """Another file under a locked version, with the options that the Makefile gives to pip."""
    options = re.search(r"--require-hashes [^\\]*?:all:", (ROOT / "Makefile").read_text())
    assert options is not None
    digest = hashlib.sha256(wheel(tmp_path, "LIT = True\n").read_bytes()).hexdigest()
    lock = tmp_path / "lock.txt"
    lock.write_text(f"lantern==1 \\\n    --hash=sha256:{digest}\n")

    def install(target: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
        command += ["--find-links", str(tmp_path), "--target", str(tmp_path / target), *options.group().split()]
        return subprocess.run(
            [*command, "-r", str(lock)], capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path
        )

    assert install("good").returncode == 0
    assert (tmp_path / "good" / "lantern.py").is_file()
    wheel(tmp_path, "LIT = False\n")
    refused = install("bad")
    assert refused.returncode != 0
    assert "DO NOT MATCH THE HASHES" in refused.stderr
    assert not (tmp_path / "bad" / "lantern.py").exists()
