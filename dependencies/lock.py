"""Writing of `dependencies/locks/`: pins with the SHA-256 of every file of their release, for every platform.

`make lock` runs it after `constraints.txt` and `docker/constraints.txt`, whose versions it takes. A lock names packages
and hashes only, never where they come from; a package without a wheel is refused, so that nothing is built at
installation.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ROOT / "dependencies" / "locks"
PYTHON = "3.11"  # the oldest; markers stand in the locks for what later ones need
_ENTRY = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[\w.!+-]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_CUDA = re.compile(r"nvidia-|cuda-|triton$")

Entries = Mapping[str, str]  # name → its lines


def resolve(uv: str, *files: str) -> Entries:
    """Return the entries of a resolution of requirements files, with the versions of the constraints.

    Raises:
        subprocess.CalledProcessError: no resolution, or a package has no wheel; uv says why on standard error.
    """
    command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", PYTHON, "--only-binary", ":all:"]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "-c", "constraints.txt"]
    command += ["-c", "docker/constraints.txt", *files]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return parse(done.stdout)


def parse(text: str) -> Entries:
    """Return the entries of a lock by name."""
    lines = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))
    blocks = re.split(r"^(?=[\w.-]+==)", lines, flags=re.MULTILINE)
    return {match["name"]: block for block in blocks if (match := _ENTRY.match(block))}


def hashes(entry: str) -> set[str]:
    """Return the hashes of an entry."""
    return set(_HASH.findall(entry))


def with_builds(entry: str, known: str, build: str) -> str:
    """Return an entry with the hash of one more build, and with those that the entry `known` of this version has."""
    same = entry.splitlines()[0] == known.splitlines()[0] if known else False
    found = sorted(hashes(entry) | {build} | (hashes(known) if same else set()))
    return " \\\n".join([entry.splitlines()[0].rstrip(" \\"), *(f"    --hash=sha256:{one}" for one in found)]) + "\n"


def local_build(requirement: str) -> str:
    """Return the SHA-256 of the wheel that pip takes here for a requirement: a build for CPU, say."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, requirement]
        subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603
        (wheel,) = Path(folder).iterdir()
        with wheel.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def write(name: str, purpose: str, entries: Entries) -> None:
    """Write one lock."""
    text = f"# Written by `make lock`: {purpose}\n" + "".join(entries[one] for one in sorted(entries))
    (LOCKS / f"{name}.txt").write_text(text, encoding="utf-8")


def added(entries: Entries, known: Entries) -> Entries:
    """Return the entries that are not in `known`, or not for the same platforms."""
    return {name: entry for name, entry in entries.items() if known.get(name) != entry}


def write_all(uv: str) -> None:
    """Write every lock."""
    everything = resolve(uv, "requirements.txt")
    cuda = {name: entry for name, entry in everything.items() if _CUDA.match(name)}
    run = {name: entry for name, entry in everything.items() if name not in cuda and name != "torch"}
    former = parse((LOCKS / "torch.txt").read_text(encoding="utf-8")) if (LOCKS / "torch.txt").exists() else {}
    requirement = everything["torch"].split(" ", 1)[0]
    torch = with_builds(everything["torch"], former.get("torch", ""), local_build(requirement))
    write("run", "what the product runs on, without PyTorch.", run)
    write("torch", "PyTorch, builds for CUDA and the CPU build of Python 3.11 for Linux on x86-64.", {"torch": torch})
    write("cuda", "what PyTorch's build for CUDA needs beside run.txt.", cuda)
    studied = resolve(uv, "requirements.txt", "lab/requirements.txt")
    write("lab", "what the laboratory needs beside run.txt.", added(studied, everything))
    developed = resolve(uv, "requirements.txt", "lab/requirements.txt", "requirements-dev.txt")
    write("dev", "what tests and checks need beside run.txt and lab.txt.", added(developed, studied))
    deployed = resolve(uv, "requirements.txt", "docker/requirements.txt")
    write("image", "what the image holds beside run.txt.", added(deployed, everything))
    write("oracles", "the environment of `make oracles`.", resolve(uv, "requirements-oracles.txt"))
    write("tools", "the environment of the tools of requirements-tools.txt.", resolve(uv, "requirements-tools.txt"))


if __name__ == "__main__":
    write_all(sys.argv[1])
