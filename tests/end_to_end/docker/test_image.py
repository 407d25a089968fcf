"""Build of the image without a container engine: the Dockerfile is linted, and its steps run in a copy of this machine.

Each stage is an overlay of this machine's own files, in memory and without network; each RUN runs there as root, each
COPY writes into it. What steps fetch is what is here already: Python's packages are those of the tests' environment,
and Debian's are looked up in its lists alone.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

import pytest
from pathspec import GitIgnoreSpec

from tests import ROOT
from tests.end_to_end.docker.test_compose import DOCKER
from tests.folders import make_server_folder
from tests.unit.formats.offices import WRITER
from tests.unit.formats.test_libreoffice import converted
from tests.unit.formats.test_scans import page, saved, with_tesseract

DOCKERFILE = DOCKER / "Dockerfile"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
# Run with an overlay's folder and a command, which it runs at the overlay's root.
ENTER = """
set -e
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for name in proc dev sys; do mount --rbind "/$name" "$1/root/$name"; done
root="$1/root"
shift
exec chroot "$root" "$@"
"""
HADOLINT = shutil.which("hadolint", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
LOOKED_UP = '#!/bin/sh\n[ "$1" = update ] || exec /usr/bin/apt-get --simulate --quiet "$@"\n'
DEBIAN = Path("/var/lib/apt/lists")


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the word of each instruction of a Dockerfile and what stands behind it, its lines joined."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n", " ", lines).splitlines():
        if line.strip():
            word, _, rest = line.strip().partition(" ")
            yield word, rest.strip()


@dataclass
class Stage:
    """A stage of the image: an overlay, the variables of its steps, its folder and user."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    workdir: str = "/"
    user: str = "0:0"

    def __post_init__(self) -> None:
        for name in ("upper", "work", "root"):
            (self.folder / name).mkdir(parents=True)
        self._open(Path(sys.base_prefix))
        self._open(Path(sysconfig.get_path("purelib")).resolve())
        python = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
        self.program("/usr/local/bin/python", f'#!/bin/sh\nexec {python} "$@"\n')
        self.program("/usr/local/bin/apt-get", LOOKED_UP)

    def program(self, name: str, text: str) -> None:
        """Write a program, in the place of one that a step would fetch."""
        path = self.inside(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def _open(self, path: Path) -> None:
        """Let every user reach a folder of this machine, as in an image."""
        for parent in reversed((path, *path.parents[:-1])):
            self.inside(str(parent)).mkdir(mode=0o755, exist_ok=True)

    def inside(self, path: str) -> Path:
        """Return where a path of the stage is written."""
        return self.folder / "upper" / str(Path("/", self.workdir, path)).lstrip("/")

    def run(self, command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of the shell as the stage's user, with its variables and without network."""
        uid, gid = self.user.split(":")
        environment = {"PATH": PATH, "HOME": "/tmp", **self.variables}  # noqa: S108 - in the overlay
        inside = [
            *("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"),
            *("env", "-i", *(f"{name}={value}" for name, value in environment.items())),
            *("sh", "-c", f"cd {shlex.quote(self.workdir)} && {command}"),
        ]
        entering = ["unshare", "--mount", "--net", "sh", "-c", ENTER, "enter", str(self.folder), *inside]
        done = subprocess.run(entering, input=given, capture_output=True, text=True, check=False, timeout=240)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done


class Build:
    """A build of docker/Dockerfile with some of its arguments, else their defaults; `ran` is what its steps wrote."""

    def __init__(self, folder: Path, **arguments: str) -> None:
        self.folder = folder
        self.arguments = arguments
        self.stages: dict[str, Stage] = {}
        self.ran: list[str] = []
        defaults: dict[str, str] = {}
        for word, rest in instructions(DOCKERFILE.read_text(encoding="utf-8")):
            if word == "ARG" and not self.stages:
                name, _, value = rest.partition("=")
                defaults[name] = arguments.get(name, value)
            elif word == "FROM":
                base, _, name = Template(rest).substitute(defaults).partition(" AS ")
                before = self.stages.get(base)
                self.last = self._from(name, before)
            elif word in ("EXPOSE", "LABEL"):
                assert shlex.split(rest)
            elif word in ("CMD", "ENTRYPOINT"):
                assert self.last.run(f"command -v {json.loads(rest)[0]} || [ {word} = CMD ]")
            else:
                getattr(self, f"_{word.lower()}")(self.last, rest)

    def _from(self, name: str, before: Stage | None) -> Stage:
        made = Stage(self.folder / name, dict(before.variables) if before else {})
        self.stages[name] = made
        return made

    def _arg(self, stage: Stage, rest: str) -> None:
        name, _, value = rest.partition("=")
        stage.variables[name] = self.arguments.get(name, value.strip('"'))

    def _env(self, stage: Stage, rest: str) -> None:
        for word in shlex.split(rest):
            name, _, value = word.partition("=")
            stage.variables[name] = Template(value).safe_substitute({"PATH": PATH, **stage.variables})

    def _workdir(self, stage: Stage, rest: str) -> None:
        stage.workdir = rest
        stage.inside(".").mkdir(parents=True, exist_ok=True)

    def _user(self, stage: Stage, rest: str) -> None:
        stage.user = rest

    def _run(self, stage: Stage, rest: str) -> None:
        if rest.startswith("pip download"):  # what it would ask an index for
            rest = rest.replace("pip download", "echo", 1)
        self.ran.append(stage.run(rest).stdout)
        for packages in stage.inside("/opt/venv").glob("lib/python3*/site-packages"):
            for older in packages.glob("setuptools*"):  # that of the interpreter, which pip would replace
                shutil.rmtree(older)
            (packages / "fetched.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
            stage.program("/opt/venv/bin/airflow", '#!/bin/sh\nexec /opt/venv/bin/python -m airflow "$@"\n')

    def _copy(self, stage: Stage, rest: str) -> None:
        words = [Template(word).substitute(stage.variables) for word in rest.split()]
        options = dict(word[2:].split("=") for word in words if word.startswith("--"))
        *sources, target = (word for word in words if not word.startswith("--"))
        for source in sources:
            if "from" in options:
                origin, kept = self.stages[options["from"]].inside(source), None
            else:
                origin, kept = ROOT / source, sent()
            into = stage.inside(target)
            if origin.is_file():
                into = into / origin.name if target.endswith("/") else into
                into.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(origin, into)
                into.chmod(int(options.get("chmod", "644"), 8))
            else:
                copy_folder(origin, into, kept)


def sent() -> GitIgnoreSpec:
    """Return what .dockerignore keeps from an engine; its patterns begin at the root, unlike those of git."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    return GitIgnoreSpec.from_lines([line if line.startswith("**/") else f"/{line}" for line in lines])


def copy_folder(origin: Path, target: Path, left_out: GitIgnoreSpec | None) -> None:
    """Copy a folder into another, but for what an engine is not sent."""

    def ignored(folder: str, names: list[str]) -> list[str]:
        if left_out is None:
            return []
        at = os.path.relpath(folder, ROOT)
        return [one for one in names if left_out.match_file(f"{at}/{one}") or left_out.match_file(f"{at}/{one}/")]

    shutil.copytree(origin, target, symlinks=True, ignore=ignored, dirs_exist_ok=True)


@contextmanager
def built(**arguments: str) -> Iterator[Build]:
    """A build while the block lasts."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("overlays are mounted by root alone, on Linux")
    folder = make_server_folder("nocturne-image-")
    folder.chmod(0o755)
    try:
        yield Build(folder, **arguments)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def build() -> Iterator[Build]:
    with built() as made:
        yield made


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed (requirements-dev.txt)")
def test_hadolint() -> None:
    checked = subprocess.run([str(HADOLINT), DOCKERFILE], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.slow
@pytest.mark.timeout(900)  # the whole build, then Airflow and the models from a cold start
def test_every_step_of_the_build_runs_and_what_it_makes_works(build: Build) -> None:
    """As `make image-test`: Airflow and a detection, by the user of the image, without network."""
    stage = build.last
    assert re.search(r" torch==[\d.]+$", build.ran[1], re.MULTILINE)
    assert "No broken requirements found" in "".join(build.ran)
    assert stage.user == "50000:50000"
    assert stage.run("stat --format %U /opt/airflow/reports /opt/nocturne").stdout.split() == ["nocturne", "root"]
    assert stage.run("test ! -w /opt/nocturne/deid && test ! -e /opt/nocturne/tests && entrypoint.sh version")
    found = stage.run("/entrypoint deid detect -", '{"id": "1", "text": "Vu ce jour Mme Anne MARTIN."}').stdout
    assert json.loads(found.splitlines()[-1])["mentions"]


@pytest.mark.slow
@pytest.mark.timeout(900)  # the whole build where this test runs alone, then LibreOffice from a cold start
@WRITER
@with_tesseract
def test_doc_odt_and_scans_are_read_by_the_user_of_the_image(build: Build, tmp_path: Path) -> None:
    stage = build.last
    given = stage.inside("/srv/given")
    given.mkdir(parents=True)
    for ending in ("doc", "odt"):
        (given / f"{ending}.{ending}").write_bytes(converted(tmp_path, ending))
    (given / "page.png").write_bytes(saved(page()))
    stage.inside("/srv/fields.yaml").write_text("scans: ocr\n", encoding="utf-8")
    options = "--policy deid/config/policies/rules.yaml --fields /srv/fields.yaml --keep-names --report /tmp/said.jsonl"
    stage.variables["NOCTURNE_SECRET"] = secrets.token_hex(32)
    done = stage.run(f"/entrypoint deid file /srv/given /tmp/written {options}; ls /tmp/written; cat /tmp/said.jsonl")
    said = done.stdout.splitlines()
    assert {"doc.docx", "odt.docx", "page.html"} <= set(said)
    told = [json.loads(line) for line in said if line.startswith("{")]
    assert {one["format"] for one in told} == {"doc", "odt", "image"}
    assert all(one["replaced"] for one in told)


@pytest.mark.slow
@pytest.mark.timeout(900)  # a whole build of its own
def test_the_image_of_the_laboratory_and_that_of_a_gpu_are_built() -> None:
    with built(DEVICE="gpu", LAB="lab") as made:
        stage = made.last
        assert stage.run("echo $NOCTURNE_DEVICE").stdout == "gpu\n"
        assert "No broken requirements found" in "".join(made.ran)
        asked = stage.run("/entrypoint deid train --help && python -c 'import nocturne_lab as it; print(it.__file__)'")
        assert asked.stdout.splitlines()[-1].startswith("/opt/venv/lib/")


@pytest.mark.slow
@pytest.mark.timeout(900)  # the whole build, where this test runs alone
@pytest.mark.skipif(not any(DEBIAN.glob("*_Packages*")), reason="without Debian's lists no package can be looked up")
def test_what_reads_doc_odt_and_scans_are_packages_of_debian(build: Build) -> None:
    named = set(build.last.variables["FORMATS"].split())
    assert named >= {"tesseract-ocr-fra", "libreoffice-writer-nogui"}
    assert any("libreoffice-writer-nogui" in said for said in build.ran)
