"""Run the commands of README.md and docs/ as they are written, page by page: `python -m docs.commands [PAGE…]`.

The blocks of a page that hold shell commands, sessions (`$ …`) or SQL are run in their order in one shell, in a fresh
folder with the repository's files, this environment and the clients of PostgreSQL. `docs/commands.toml` says what each
page finds there, which values take the place of those written, and what is not run and why. Every command is run, even
where one before it fails. The record of each page's last run is `benchmarks/documented_commands.md`; `--times` writes
how long the commands of each heading took, instead.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from deid import __version__
from deid.database.embedded import EmbeddedServer, binaries
from tests.folders import make_server_folder

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks/documented_commands.md"
DECLARED: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_SHELL = ("bash", "sh", "console")
_PROMPT = "$ "
_ELSEWHERE = ("var", ".git", ".env")  # of the repository, not in the folder
_LIMIT_S = 3600  # of a page

HEADER = """# Documented commands

Written by `python -m docs.commands`: each command of README.md and docs/ run as it is written, in the order of its
page. What a page finds ahead of its first command, and the values that stand for those written, are in
`docs/commands.toml`. Options of commands that prose names are compared with the code by `tests/unit/test_docs.py`.

"""
COLUMNS = ("page", "commands", "passed", "failed", "not run", "version", "day", "digest of the commands")
TIMES = """# Commands of {page}: what they take

Written by `python -m docs.commands {page} --times FILE`,
at a {load}. What the page finds ahead of its first command
(`docs/commands.toml`) and reading are left out, and so are the commands of the last column.

| heading | commands | time | not run |
| :-- | --: | --: | :-- |
"""
ABSENT = """
## Not run, or failed

| page | command | |
| :-- | :-- | :-- |
"""


@dataclass
class Command:
    """One command of a page: its text as written, `sql` or `bash`, its heading, and what became of it.

    `why` is the reason for which it is not run, else None; `status` its exit status, None where it was not reached;
    `seconds` what it took.
    """

    text: str
    kind: str
    heading: str = ""
    why: str | None = None
    status: int | None = None
    seconds: float = 0.0
    said: str = ""

    @property
    def outcome(self) -> str:
        """Return `passed`, `failed` or `not run`."""
        return "not run" if self.why is not None else "passed" if self.status == 0 else "failed"


@dataclass
class Page:
    """A page's commands, and what `docs/commands.toml` says of it."""

    name: str
    text: str
    declared: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.commands = list(commands(self.text))
        for command in self.commands:
            command.why = self._reason(command.text)

    def _reason(self, text: str) -> str | None:
        for begins, why in {**DECLARED["not_run"], **self.declared.get("not_run", {})}.items():
            if text.startswith(begins):
                return str(why)
        return None

    @property
    def digest(self) -> str:
        """Return the first characters of SHA-256 over the commands."""
        return hashlib.sha256("\n".join(one.text for one in self.commands).encode()).hexdigest()[:12]


def pages() -> dict[str, Page]:
    """Return the pages that hold commands, by path."""
    found = {}
    for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/fr/*.md"))]:
        name = path.relative_to(ROOT).as_posix()
        page = Page(name, path.read_text(encoding="utf-8"), DECLARED["pages"].get(name, {}))
        if page.commands:
            found[name] = page
    return found


def blocks(text: str, *languages: str) -> list[str]:
    """Return the blocks of a page in one of the languages, without their indentation."""
    found = _FENCE.findall(text)
    return [textwrap.dedent(body) for _, language, body in found if language in languages]


def commands(text: str) -> Iterator[Command]:
    """Yield the commands of a page.

    A block without a language is one of commands if its first word is a program of `docs/commands.toml`.
    """
    for fence in _FENCE.finditer(text):
        language, lines = fence[2], textwrap.dedent(fence[3]).splitlines()
        heading = (_HEADING.findall(_FENCE.sub("", text[: fence.start()])) or [""])[-1]
        session = any(line.startswith(_PROMPT) for line in lines)
        if language == "sql":
            yield Command("\n".join(lines), "sql", heading)
        elif language in _SHELL or (not language and (session or _first_word(lines) in DECLARED["programs"])):
            yield from (Command(one, "bash", heading) for one in _statements(lines, _PROMPT if session else ""))


def _first_word(lines: Sequence[str]) -> str:
    return next(iter((lines[0] if lines else "").split()), "")


def _statements(lines: Sequence[str], prompt: str) -> Iterator[str]:
    """Yield the commands of a block, each grown until bash has its end; of a session, what follows a prompt."""
    held: list[str] = []
    for line in lines:
        if not held and (not line.startswith(prompt) or not line.strip() or line.lstrip().startswith("#")):
            continue
        held.append(line if held else line.removeprefix(prompt))
        text = "\n".join(held)
        if not line.endswith("\\") and _is_whole(text):
            yield text
            held = []
    if held:
        raise ValueError(f"a command without an end: {held[0]}")


def _is_whole(text: str) -> bool:
    """Return whether bash takes a text for whole commands; a here-document that is open is a warning."""
    read = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)  # noqa: S607
    return read.returncode == 0 and not read.stderr


def run(page: Page, place: Path, prepared: Path | None = None) -> None:
    """Run a page's commands in a folder, and set what became of each.

    Pages that are given one folder `prepared` share what the place `hospital` makes there.
    """
    (place / "said").mkdir()
    for entry in ROOT.iterdir():
        if entry.name not in _ELSEWHERE:
            (place / entry.name).symlink_to(entry)
    script = _script(page, place)
    (place / "script").write_text(script, encoding="utf-8")
    with (place / "prepared").open("wb") as told:
        shell = subprocess.Popen(  # noqa: S603
            ["bash", str(place / "script")],  # noqa: S607
            cwd=place,
            env=_environment(place) | {"PREPARED": str(prepared or place / "hospital")},
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            shell.wait(_LIMIT_S)
        _stop(shell, place)
    ended = {int(number): told for number, *told in map(str.split, (place / "ended").read_text().splitlines())}
    for number, command in enumerate(page.commands):
        said = place / "said" / str(number)
        if number in ended:
            status, began, end = ended[number]
            command.status = int(status)
            command.seconds = float(end.replace(",", ".")) - float(began.replace(",", "."))  # as the locale writes it
        command.said = said.read_text(encoding="utf-8", errors="replace") if said.exists() else ""
    if page.commands and all(one.status is None for one in page.commands if one.why is None):
        page.commands[0].said += (place / "prepared").read_text(encoding="utf-8", errors="replace")


def _stop(shell: subprocess.Popen[bytes], place: Path) -> None:
    """End the shell, what it left running, and the server that the page started."""
    EmbeddedServer(place / "var").stop(immediate=True)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGTERM)
    shell.wait()


def _environment(place: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NOCTURNE_", "AIRFLOW_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), str(binaries()), kept["PATH"]])
    return {**kept, "PATH": path, "PYTHONPATH": f"{ROOT}:{ROOT / 'lab'}", "HOME": str(place), "PLACE": str(place)}


def _script(page: Page, place: Path) -> str:
    """Return the script of a page: what is prepared, then each command, with its exit status in the file `ended`."""
    prepared = "".join(DECLARED["places"][name] for name in page.declared.get("places", ()))
    parts = [f"exec 3>ended\nset -e\n{prepared}set +e"]
    for number, command in enumerate(page.commands):
        if command.why is not None:
            continue
        text = command.text
        for written, value in {**DECLARED["values"], **page.declared.get("values", {})}.items():
            text = text.replace(written, value.replace("{place}", str(place)))
        begins = tuple(page.declared.get("background", ()))
        if command.kind == "sql":
            client = f'psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname "{page.declared["sql"]}"'
            text = f"{client} <<'SQL'\n{text}\nSQL"
        elif begins and command.text.startswith(begins):  # ready once it has written a line
            text = f'exec {{ready}}< <({text})\nread -r -u "$ready"'
        parts.append(
            f"BEGAN=$EPOCHREALTIME\n{{\n{text}\n}} >said/{number} 2>&1\necho {number} $? $BEGAN $EPOCHREALTIME >&3"
        )
        parts += [
            f"set -e\n{more}\nset +e"
            for begins, more in page.declared.get("after", {}).items()
            if command.text.startswith(begins)
        ]
    return "\n".join(parts) + "\n"


def record(done: Sequence[Page], path: Path = RECORD) -> None:
    """Write the rows of pages into the record; those of other pages that still hold commands stay."""
    there, today = pages(), datetime.now(UTC).date().isoformat()
    kept: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if (name := line.removeprefix("| `").partition("`")[0]) in there:
            kept.setdefault(name, []).append(line)
    for page in done:
        count = Counter(one.outcome for one in page.commands)
        numbers = " | ".join(str(count[outcome]) for outcome in ("passed", "failed", "not run"))
        row = f"| `{page.name}` | {len(page.commands)} | {numbers} | {__version__} | {today} | `{page.digest}` |"
        kept[page.name] = [row, *_absences(page)]
    rows = [kept[name] for name in sorted(kept)]
    head = [f"| {' | '.join(COLUMNS)} |", f"| :-- {'| --: ' * 4}{'| :-- ' * 3}|"]
    first, others = [one[0] for one in rows], [line for one in rows for line in one[1:]]
    path.write_text(HEADER + "\n".join([*head, *first]) + "\n" + ABSENT + "\n".join(others) + "\n", encoding="utf-8")


def _absences(page: Page) -> Iterator[str]:
    for one in page.commands:
        if one.outcome != "passed":
            line = one.text.splitlines()[0].rstrip("\\ ").replace("|", "\\|")
            failed = "not reached" if one.status is None else f"failed: {one.status}"
            yield f"| `{page.name}` | `{line}` | {one.why or failed} |"


def times(page: Page) -> str:
    """Return a page's headings with what their commands took, and those that were not run."""
    rows = []
    for heading, held in groupby(page.commands, key=lambda one: one.heading):
        done = list(held)
        absent = ", ".join(f"`{one.text.splitlines()[0]}`" for one in done if one.why is not None)
        rows.append((heading, sum(one.why is None for one in done), sum(one.seconds for one in done), absent))
    rows.append(("In all", sum(row[1] for row in rows), sum(row[2] for row in rows), ""))
    lines = [f"| {name} | {count} | {_minutes(seconds)} | {absent} |" for name, count, seconds, absent in rows]
    load = f"load average of {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors, {datetime.now(UTC).date()}"
    return TIMES.format(page=page.name, load=load) + "\n".join(lines) + "\n"


def _minutes(seconds: float) -> str:
    return f"{round(seconds) // 60} min {round(seconds) % 60:02} s"


def main() -> int:
    """Run the pages named, or all; return 1 if a command failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as docs/operators.md; else all")
    parser.add_argument("--times", type=Path, metavar="FILE", help="of one page: write times to FILE, record nothing")
    parser.add_argument("--keep", action="store_true", help="keep the folder, and say where it is")
    asked = parser.parse_args()
    if asked.times and len(asked.pages) != 1:
        parser.error("--times takes one page.")
    there = pages()
    failed = 0
    folder = make_server_folder("nocturne-commands-")
    for name in asked.pages or there:
        page = there[name]
        place = folder / page.digest
        place.mkdir()
        run(page, place, folder)
        if asked.times:
            asked.times.write_text(times(page), encoding="utf-8")
        else:
            record([page])
        for one in page.commands:
            print(f"{one.outcome:8}{name}: {one.text.splitlines()[0]}")
            if one.outcome == "failed":
                failed += 1
                print(textwrap.indent(one.said[-2000:], "    "), flush=True)
    if asked.keep:
        print(folder)
    else:
        shutil.rmtree(folder)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
