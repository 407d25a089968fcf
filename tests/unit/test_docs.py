"""The documents name what is there: paths, modules, links, packages, states, commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from deid.cli import app
from deid.config.policy import Policy
from deid.config.settings import REFERENCE_SOURCES, Settings, settings
from deid.doctor.machine import check_settings
from deid.domain.labels import OPTIONAL, TAGGED
from deid.release.status import DecisionState
from deid.reports.wording import WORDING
from deid.stewardship import releases
from docs import claims, machines, policy_keys, settings_table, tables
from tests import ROOT

# Decisions are dated and superseded rather than edited, so they may name what is no more; so may the changelog.
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in (
        "*.md",
        "docs/*.md",
        "docs/fr/*.md",
        "lab/*.md",
        "corpus/*.md",
        "deid/models/*/*.md",
        "benchmarks/*.md",
    )
    for path in ROOT.glob(folder)
    if path.name != "CHANGELOG.md"
)
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text()
README = (ROOT / "README.md").read_text()
MADE_LATER = {"docker/secrets/nocturne_secret"}  # by docker/secrets.sh
TOP = "deid|lab|demo|dags|plugins|sql|docker|docs|tests|benchmarks|corpus"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    text = re.sub(r"```.*?```", "", (ROOT / document).read_text(), flags=re.DOTALL)
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    assert not [link for link in links if link and not ((ROOT / document).parent / link).exists()]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_that_are_named_exist(document: str) -> None:
    named = re.findall(rf"(?<![\w/.-])((?:{TOP})/[\w./-]*[\w/])", (ROOT / document).read_text())
    assert not {path for path in set(named) - MADE_LATER if not [*ROOT.glob(f"{path.rstrip('/')}*")]}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_modules_that_are_named_exist(document: str) -> None:
    named = set(
        re.findall(r"\b((?:deid|nocturne_lab|demo|benchmarks)(?:\.[a-z_]\w*)+)\b(?!\.)", (ROOT / document).read_text())
    )
    tables = {f"deid.{path.stem}" for path in (ROOT / "sql/deid").glob("*.sql")}
    made = set(re.findall(r"CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION) (?:IF NOT EXISTS )?(deid\.\w+)", MIGRATIONS))
    assert not {name for name in named if not is_there(name) and ".".join(name.split(".")[:2]) not in tables | made}


def is_there(name: str) -> bool:
    """Return whether a dotted name is a module, or the name of something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            spec = find_spec(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        if spec is not None:
            left = parts[length:]
            source = Path(spec.origin).read_text() if spec.origin and spec.origin.endswith(".py") else ""
            return not left or re.search(rf"\b{left[0]}\b", source) is not None
    return False


def runs(module: str) -> bool:
    """Return whether `python -m` has something to run in a module or package."""
    path = ROOT / ("lab" if module.startswith("nocturne_lab") else "") / module.replace(".", "/")
    alone = path.with_suffix(".py")
    return (path / "__main__.py").is_file() or (alone.is_file() and "__main__" in alone.read_text())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_that_are_named_exist(document: str) -> None:
    text = (ROOT / document).read_text()
    groups = {info.name or "" for info in app.registered_groups} | {
        command.name or (command.callback.__name__.replace("_", "-") if command.callback else "")
        for command in app.registered_commands
    }
    assert set(re.findall(r"python -m deid ([a-z][a-z-]*)", text)) <= groups
    asked_modules = re.findall(r"python -m ((?:deid|nocturne_lab|demo|benchmarks)[\w.]*\w)", text)
    assert all(runs(name) for name in asked_modules)
    targets = set(re.findall(r"^([a-z%-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = set(re.findall(r"`make ([a-z][a-z-]*)", text))
    assert not {name for name in asked if not any(fnmatch(name, target.replace("%", "*")) for target in targets)}
    assert all((ROOT / f"benchmarks/{name}.py").is_file() for name in re.findall(r"make bench-(\w+)", text))


def test_packages_without_which_tests_are_skipped_are_named_by_the_environment() -> None:
    named = re.search(r"^DEBIAN := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert named is not None
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    assert set(re.findall(r"apt install ([a-z-]+)", tests)) == set(named[1].split())


CODE = re.compile(r"```[^\n]*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
CALL = re.compile(r"(?:python -m deid|^(?:\$ )?nocturne) ((?:[^\n|;&>#`]|\\\n)+)", re.MULTILINE)
COMMANDS = get_command(app)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_take_the_options_that_are_written(document: str) -> None:
    """Each command line in code names a command with all its subcommands, and options that it has."""
    wrong = []
    for block, inline in CODE.findall((ROOT / document).read_text()):
        for line in CALL.findall((block or inline).replace("\\\n", " ")):
            command: Any = COMMANDS
            words = line.split()
            while words and words[0] in getattr(command, "commands", {}):
                command = command.commands[words.pop(0)]
            known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help", "-h"}
            asked = {word.partition("=")[0].rstrip(",.…") for word in words if re.match(r"--[a-z]", word)}
            if command is COMMANDS and words[0][0].isalpha() and words[0].islower():
                wrong.append(line)
            wrong += [f"{line}: {name}" for name in asked - known]
    assert not wrong


def test_the_readme_stays_short() -> None:
    assert 600 <= len(README.split()) <= 800


def test_every_package_is_described() -> None:
    rows = set(re.findall(r"`(deid/\w+(?:/|\.py))`", ARCHITECTURE.split("## Packages and layers")[1].split("## ")[0]))
    there = {f"deid/{path.name}/" for path in (ROOT / "deid").iterdir() if (path / "__init__.py").is_file()}
    assert rows == there | {"deid/pipeline.py", "deid/isolation.py"}


MIGRATIONS = "\n".join(path.read_text() for path in sorted((ROOT / "sql/migrations").glob("*.sql")))


def checked(table: str, column: str) -> set[str]:
    """Values that a check constraint of the migrations allows in a column."""
    made = re.search(rf"CREATE TABLE {re.escape(table)} \((.*?)^\);", MIGRATIONS, re.DOTALL | re.MULTILINE)
    added = re.findall(rf"^ALTER TABLE {re.escape(table)}\n(.*?);", MIGRATIONS, re.DOTALL | re.MULTILINE)
    for text in (*reversed(added), made.group(1) if made else ""):
        found = re.search(rf"(?:\b{column} text NOT NULL[^,]*?|_{column}_check )CHECK \({column} IN \(([^)]*)\)", text)
        if found:
            return set(re.findall(r"'(\w+)'", found.group(1)))
    raise LookupError(f"no check of {table}.{column}")


def computed(view: str) -> set[str]:
    """Values that the last CASE of a view gives, in the last migration that writes it."""
    body = (
        re.split(rf"CREATE (?:OR REPLACE )?VIEW {re.escape(view)} AS", MIGRATIONS)[-1]
        .split("AS state")[0]
        .rsplit("CASE", 1)[1]
    )
    return set(re.findall(r"(?:THEN|ELSE) '(\w+)'", body))


STATES = {
    "deid.document.state": checked("deid.document", "state"),
    "deid.run.state": checked("deid.run", "state"),
    "deid.model.state": checked("deid.model", "state"),
    "deid.interval_state.state": computed("deid.interval_state"),
    "deid.quarantine.standing": checked("deid.quarantine", "standing"),
    "ref.release.state": checked("ref.release", "state"),
    "deid.release": {state.value for state in DecisionState},
}


def drawn(name: str) -> set[str]:
    """States of the diagram of `docs/architecture.md` that follows a comment `states: NAME`."""
    (text,) = re.findall(
        rf"<!-- states: {re.escape(name)} -->\n```mermaid\nstateDiagram-v2\n(.*?)```", ARCHITECTURE, re.DOTALL
    )
    composite = set(re.findall(r"^\s*state (\w+) \{", text, re.MULTILINE))
    ends = re.findall(r"^\s*(\S+) --> (\S+)", text, re.MULTILINE)
    return {end for pair in ends for end in pair} - composite - {"[*]"}


@pytest.mark.parametrize("name", STATES)
def test_diagrams_show_every_state_and_no_other(name: str) -> None:
    assert drawn(name) == STATES[name]


def test_every_diagram_is_compared() -> None:
    assert set(re.findall(r"<!-- states: (\S+) -->", ARCHITECTURE)) == set(STATES)
    assert ARCHITECTURE.count("stateDiagram-v2") == len(STATES)


# What the dossier, its annex and the guide of researchers quote in French, and the page that holds the figure.
GUIDE = "docs/fr/guide-chercheur.md"
DOSSIER, ANNEX = "docs/fr/dossier-dpo.md", "deid/reports/templates/annex.md.j2"
PRIVACY = "docs/privacy.md"
UTILITY, ATTACKS = "docs/utility.md", "benchmarks/privacy_attacks.md"
QUOTED = [
    (ANNEX, "83 % (98 %) des cas sous la politique `tchouka2023`, dans 29 %", "docs/evaluation.md", "83 %; 29 %"),
    (ANNEX, "documents de trois séjours dans 26 %", "benchmarks/known_dates.md", "26.1% (28.4%), 1,058"),
    (ANNEX, "retrouver parmi 320 dans 77 % des cas", "benchmarks/known_dates.md", "76.8% (79.0%), 1,036"),
    (ANNEX, "99,8 % (`benchmarks/known_times.md`)", "benchmarks/known_times.md", "| 99.8% (99.1% to 100.0%), 593 |"),
    (PRIVACY, "57 % under `hour`, 8 % under `strict`", "benchmarks/known_times.md", "| 57.3% (53.2% to 61.4%), 593 |"),
    (
        "docs/decisions/2026-11-28-times-of-day.md",
        "| 7.8 % (5.7 to 10.2) | 5.4 % (3.8 to 7.4) |",
        "benchmarks/known_times.md",
        "| 7.8% (5.7% to 10.2%), 593 | 5.4% (3.8% to 7.4%), 670 |",
    ),
    (
        ANNEX,
        "dans 99 % des cas sous la politique livrée, dans 3,3 %",
        "benchmarks/known_types.md",
        "99.3% (98.6%–99.7%), 1,008",
    ),
    (ANNEX, "dans 3,3 % sous `strict`", "benchmarks/known_types.md", "3.3% (2.3%–4.6%), 1,008 | 7.6% (6.1%–9.5%)"),
    (PRIVACY, "find 99 % by the columns", "benchmarks/known_types.md", "99.3% (98.6%–99.7%), 1,008"),
    (PRIVACY, "19 % of 320 patients", "benchmarks/known_types.md", "19.0% (16.7%–21.6%), 1,008 | 33.2%"),
    (PRIVACY, "with the service too 83 %", "benchmarks/known_types.md", "83.3% (80.9%–85.6%), 1,008 | 94.2%"),
    (PRIVACY, "stay finds 66 and 88 %", "benchmarks/known_types.md", "service | 88.2% (86.0%–90.1%), 1,008"),
    (PRIVACY, "and 3.3 % under `strict`", "benchmarks/known_types.md", "3.3% (2.3%–4.6%), 1,008 | 7.6% (6.1%–9.5%)"),
    ("docs/evaluation.md", "10 %, 50 %, 75 %", "benchmarks/known_types.md", "49.8% (46.7%–52.9%), 1,008 | 74.7%"),
    (GUIDE, "16 documents sur 100", "benchmarks/unseen.md", "| 99.5 (99.3–99.6) | 84.5 (81.0–87.8) |"),
    ("docs/evaluation.md", "99.9 %, 97 %, 52 %, 0.2", "benchmarks/unseen.md", "| 51.6 (32.3–67.7) | 0.2 (0.0–0.5) |"),
    ("docs/evaluation.md", "99.6 %, 77 %, 32 %, 4.4", "benchmarks/unseen.md", "| 32.3 (16.1–48.4) | 4.4 (2.4–6.8) |"),
    ("docs/evaluation.md", "99.8 %, at 98.8 %; 90 %", "benchmarks/corpus_scores.md", "| 99.8 | 98.0 | 98.8 | 89.6 |"),
    ("docs/evaluation.md", "99.9 %, 98.9 %; 94 %", "benchmarks/corpus_scores.md", "| 99.9 | 98.0 | 98.9 | 93.8 |"),
    ("docs/evaluation.md", "84 %, 53 %, 1.7", "benchmarks/unseen.md", "| 53.3 (48.5–58.1) | 1.7 (1.4–2.0) |"),
    (
        "docs/evaluation.md",
        "`corpus/unseen`, 34 mentions each",
        "benchmarks/unseen.md",
        "Documents have 34 mentions each",
    ),
    ("docs/evaluation.md", "16 in 100 still keep", "benchmarks/unseen.md", "| 99.5 (99.3–99.6) | 84.5 (81.0–87.8) |"),
    ("README.md", "84 in 100 keep no direct", "benchmarks/unseen.md", "| 99.5 (99.3–99.6) | 84.5 (81.0–87.8) |"),
    ("README.md", "stay find 77 % of patients among 320", "benchmarks/known_dates.md", "76.8% (79.0%), 1,036"),
    ("README.md", "(`strict`: 2.4 %)", "benchmarks/known_dates.md", "| 320 | 2.4% (3.4%), 1,036 |"),
    ("README.md", "times of day 99.8 % (7.8 %)", "benchmarks/known_times.md", "| 7.8% (5.7% to 10.2%), 593 |"),
    ("README.md", "documents 99 % (3.3 %)", "benchmarks/known_types.md", "3.3% (2.3%–4.6%), 1,008 | 7.6% (6.1%–9.5%)"),
    ("README.md", "find 93 % by all identifiers", "benchmarks/evaluation.md", "| 93.3 % | 83.8–98.2 | 60 |"),
    (PRIVACY, "93 % of 60 patients by all", "benchmarks/evaluation.md", "| 93.3 % | 83.8–98.2 | 60 |"),
    (PRIVACY, "9 %, 6 %, 6 % and 2.4 % of 320", "benchmarks/known_dates.md", "9.3% (10.9%), 1,055 | 6.4% (7.8%)"),
    (PRIVACY, "26 % of patients are found by", "benchmarks/known_dates.md", "26.1% (28.4%), 1,058 | 53.5% (56.1%)"),
    (PRIVACY, "| nightly | 86 % | 51 % | 60 % |", "benchmarks/arrival.md", "| nightly | 51% | 55% | 60% |"),
    (PRIVACY, "(as shipped) | 20 % | 37 % | 59 % |", "benchmarks/arrival.md", "| weekly | 37% | 44% | 59% |"),
    (PRIVACY, "| monthly | 11 % | 15 % | 34 % |", "benchmarks/arrival.md", "| monthly | 15% | 17% | 34% |"),
    (PRIVACY, "| nightly | 86 % | 51 %", "benchmarks/arrival.md", "| nightly | 86% |"),
    (PRIVACY, "| 20 % | 37 %", "benchmarks/arrival.md", "| weekly | 20% |"),
    (PRIVACY, "| monthly | 11 % | 15 %", "benchmarks/arrival.md", "| monthly | 11% |"),
    (
        "docs/evaluation.md",
        "37 %; 51 %; 15 %; 20 %; 86 %; 11 %",
        "benchmarks/arrival.md",
        "| weekly | 37% | 44% | 59% |",
    ),
    (GUIDE, "77 % des patients parmi 320, et 6 % parmi 100 000", "benchmarks/known_dates.md", "76.8% (79.0%), 1,036"),
    (GUIDE, "93,5 % exacts au jour", "benchmarks/utility.md", "gaps of up to 60 days exact | **93.5 %**"),
    (GUIDE, "99,9 % des paires", "benchmarks/utility.md", "pairs of dates in the same order | **99.9 %**"),
    (GUIDE, "51,9 % des classes", "benchmarks/utility.md", "classes of health measures of communes kept | **51.9 %**"),
    (GUIDE, "| 76,1 % |", "benchmarks/utility.md", "ages in the same decade | **76.1 %**"),
    (GUIDE, "| 99,2 % |", "benchmarks/utility.md", "ages in the same stage of life | **99.2 %**"),
    ("docs/evaluation.md", "1.4 years; 9.4 %", "benchmarks/ages.md", "| all | 4,317 | 1.4 | 9.4% |"),
    ("docs/evaluation.md", "| 1 of 4,464, behind", "benchmarks/places.md", "| 0.02% (1 of 4464) |"),
    ("docs/evaluation.md", "100 %; 86.55 %; 100 % of 36", "benchmarks/places.md", "86.55% (1654 of 1911)"),
    ("docs/evaluation.md", "0.42 % (5.92 %); 91 %,", "benchmarks/coherence.md", "| ≤ 1 % | 5.92 % | 0.42 % |"),
    ("docs/evaluation.md", "2.05 % (9.40 %)", "benchmarks/coherence.md", "| ≤ 2 % | 9.40 % | 2.05 % |"),
    (
        "docs/evaluation.md",
        "| 0 of 374 (0 to 0.98 %) |",
        "benchmarks/good_files.md",
        "**0 of 374 held back by the search** (0.00% to 0.98%",
    ),
    (
        PRIVACY,
        "3.5 % of towns, a draw among his candidates for 2.5 %",
        "benchmarks/evaluation.md",
        "| 2.5 % |  | 544 |",
    ),
    (PRIVACY, "kept for 24.5 % of addresses", "benchmarks/places.md", "| 0.25 | 24.5% | 11.2%, 11.2% |"),
    (
        PRIVACY,
        "(24.5 %\nof addresses against 24.1 %)",
        "benchmarks/places.md",
        "a uniform draw in the stratum keeps 24.1%",
    ),
    (PRIVACY, "it is kept clearly (42 %)", "benchmarks/places.md", "| 16 | 41.8% |"),
    (PRIVACY, "for 60 % at 64, where the best guess", "benchmarks/places.md", "| 64 | 60.0% | 11.2%, 22.6% |"),
    (PRIVACY, "from 0.37 % to 0.82 %", ATTACKS, "0.82% of people with the crowd, 0.37% without"),
    (
        PRIVACY,
        "in 83 % of cases (two: 47 %)",
        ATTACKS,
        "| metric | 0.25 | 10.1 % / 35.4 % | 46.7 % / 80.0 % | 82.6 % /",
    ),
    (PRIVACY, "to 29 % (two: 21 %)", ATTACKS, "| 0.25 | 8.2 % / 32.9 % | 21.3 % / 62.7 % | 29.0 % /"),
    (PRIVACY, "give away (32 %)", ATTACKS, "| 0.25 | 0.5 % | 37.2 % | 31.9 % |"),
    (PRIVACY, "6.3 days on average", ATTACKS, "| 6.3 | 73.8 % | 10.1 % |"),
    (PRIVACY, "19 % change places at ε = 0.0625,\n  10 % at 0.25, 1 %", ATTACKS, "| 23.8 | 65.5 % | 18.7 % |"),
    (PRIVACY, "10 % at 0.25, 1 % at 1", ATTACKS, "| 1.3 | 90.5 % | 1.2 % |"),
    (PRIVACY, "13 % under `metric` at 0.25", ATTACKS, "| 54.9 % | 12.9 % |"),
    (
        PRIVACY,
        "24.8 % as shipped",
        "benchmarks/parrot.md",
        "| marked, consistent | 999 | 33.1% (27.4% to 38.4%) | 645 | 24.8%",
    ),
    (PRIVACY, "24.2 % under `natural`", "benchmarks/parrot.md", "29.9% (25.8% to 34.8%) | 645 | 24.2%"),
    (PRIVACY, "25.4 % under `changing`", "benchmarks/parrot.md", "31.1% (26.5% to 36.6%) | 645 | 25.4%"),
    (
        UTILITY,
        "99.6 % of 5,576 relations",
        "benchmarks/utility.md",
        "lengths kept | **99.6 %**<br>99.3 %–99.8 %<br>5,576 |",
    ),
    (UTILITY, "93.5 % of 527 gaps", "benchmarks/utility.md", "| **93.5 %**<br>88.9 %–97.1 %<br>527 |"),
    (UTILITY, "52 % of its classes of health", "benchmarks/utility.md", "communes kept | **51.9 %**"),
    (UTILITY, "one would keep 34 %", "benchmarks/utility.md", "share 34.1 % of"),
    (UTILITY, "right in 96.9 % of texts", "benchmarks/utility.md", "| **96.9 %**<br>95.5 %–98.1 %<br>704 |"),
    (UTILITY, "82.2 % without shared", "benchmarks/utility.md", "| **82.2 %**<br>78.4 %–86.8 %<br>704 |"),
    (UTILITY, "76.0 % without dates too", "benchmarks/utility.md", "| **76.0 %**<br>72.3 %–79.9 %<br>704 |"),
    (UTILITY, "0.84 points of micro F1 (0.34 to 1.35)", "benchmarks/coding.md", "| +0.84 (+0.34 to +1.35) |"),
    (UTILITY, "0.07 (−0.18 to +0.34) with values", "benchmarks/coding.md", "| +0.07 (-0.18 to +0.34) |"),
    (UTILITY, "74.8 % of the assigned codes", "benchmarks/coding_order.md", "| none of them | 276 | 1,795 | 74.8 % |"),
    (UTILITY, "6.5 % are of classes that an age", "benchmarks/coding_order.md", "| age | 11 | 157 | 6.5 % |"),
    (UTILITY, "teach 29,703 words", "benchmarks/coding_order.md", "29,703 of original texts, 20,740 with tags, 32,453"),
    (
        UTILITY,
        "tags gain 4.12 points",
        "benchmarks/coding_order.md",
        "| -4.12 (-5.24 to -2.99) | +2.12 (+1.06 to +3.18) |",
    ),
]
# What the list of public facts says that each singles out, and the rows of the page that counts it.
PAIRS = "benchmarks/adjacent_pairs.md"
QUOTED += [
    (PRIVACY, words, PAIRS, figure)
    for words, figure in (
        ("one to six years of life; 42 patients", "a stay begins and ends | 2592 | 42 |"),
        ("No stay of the hospital ends in a later stage", "stays that end in a later one | 0 | 0 |"),
        ("the order of the history: 315 patients", "its own among them | 2570 | 315 |"),
        ("43 by ties of dates in different units", "a year that holds a month | 189 | 43 |"),
        ("5 by sides of ages", "whether it is the one at the document's date | 217 | 5 |"),
        ("5 patients are singled out, none by ages", "outside of a stay, told in a document before | 216 | 5 |"),
        ("5 patients are singled out, none by ages", "… the age told in a document before | 3 | 0 |"),
        ("of an illness of the past: 22 patients", "episode outside of stays | 30 | 22 |"),
        ("0 in most documents: 6 patients", "told in words of the present | 17 | 6 |"),
        ("| 4 patients are singled out |", "in documents of one stay | 4 | 4 |"),
        ("332 were\ntried, none refuted", "**332 pairs tried, 0 refuted.**"),
    )
]
GROUPS = "| dump without `identity` | 12 | 14 | **3** | 3 |"
QUOTED += [
    (PRIVACY, "links 14 of 19 pseudonyms (12 by what\n", "benchmarks/linkage.md", GROUPS),
    (PRIVACY, "links 14 of 19 pseudonyms (12 by what\n", "benchmarks/linkage.md", "of 19 pseudonyms"),
    ("docs/operators.md", "by groups, 14 of 19 in a\nsynthetic", "benchmarks/linkage.md", GROUPS),
    (
        "docs/operators.md",
        "from 3.3 to 19 %, the service to 83 %",
        "benchmarks/known_types.md",
        "| 83.3% (80.9%–85.6%), 1,008 |",
    ),
    (PRIVACY, "composed afterwards it found 21", "tests/unit/quality/test_uniqueness.py", "21 were found before any"),
    (PRIVACY, "written beside 50 letters, all", "tests/unit/quality/test_uniqueness.py", "warned(TELLING) == 50"),
    (
        DOSSIER,
        "« 48.8566, 2.3522 »\ndevient « 48.9, 2.4 »",
        "tests/unit/substitution/test_generalising.py",
        "GPS 48.9, 2.4.",
    ),
]
# (document, beginning of a table's first row, page): the numbers of each row are in one row of the page, in order.
COPIED = [(PRIVACY, "| strategy, ε | dates a moved copy", ATTACKS)]
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@pytest.mark.parametrize(("document", "name"), [one for one in tables.BLOCKS if one[1] not in ("dags", "raw text")])
def test_tables_of_documents_are_those_of_the_code_and_the_benchmarks(document: str, name: str) -> None:
    assert tables.block((ROOT / document).read_text(), name)["body"].strip() == tables.BLOCKS[document, name](), REMEDY


def test_a_figure_that_a_benchmark_lacks_stops_the_tables() -> None:
    with pytest.raises(LookupError):
        claims.cell(claims.Figure("evaluation.md", "measure", "`attack.nobody`", "value"))
    with pytest.raises(LookupError):
        claims.share(claims.Figure("evaluation.md", "measure", "`attack.membership_no_model`", "value"), "fr")


def changed(name: str, old: str, new: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tables read the pages of benchmarks from a folder, with one of them changed."""
    for path in claims.BENCHMARKS.glob("*.md"):
        text = path.read_text()
        (folder / path.name).write_text(text.replace(old, new) if path.name == name else text)
    assert old in (claims.BENCHMARKS / name).read_text()
    monkeypatch.setattr(claims, "BENCHMARKS", folder)


def test_numbers_and_intervals_of_the_attacks_are_those_of_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed("known_types.md", "among 320 or", "among 400 or", tmp_path, monkeypatch)
    assert "of three whole stays, among 400, by columns alone | 99 % (98.6–99.7) | 3.3 % (2.3–4.6), `strict` |" in (
        claims.english_attacks()
    )
    assert "| Publié, parmi 400 patients |" in claims.french_columns()
    rounded = [line for line in claims.english_attacks().splitlines() if "to the minute" in line]
    assert "| 99.8 % (99.1–100.0) | 7.8 % (5.7–10.2), `strict` |" in rounded[0], "99.8 is not all"


@pytest.mark.parametrize(
    ("page", "old", "new", "table"),
    [
        ("adjacent_pairs.md", "| decade of birth |", "| century of birth |", claims.french_public_facts),
        ("known_types.md", "| 19.0% (16.7%–21.6%)", "| 9.0% (6.7%–11.6%)", claims.french_columns),
        ("known_dates.md", "each group of 320", "every group", claims.french_attacks),
        ("linkage.md", "of 19 pseudonyms", "of the pseudonyms", claims.french_limits),
        ("privacy_attacks.md", "each cell is over 45", "each cell is over some", claims.french_limits),
    ],
)
def test_a_page_that_says_something_else_stops_the_tables(
    page: str, old: str, new: str, table: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(page, old, new, tmp_path, monkeypatch)
    with pytest.raises(LookupError):
        table()


# Numbers of documents of a group of hospitals, which only the measured rates multiply.
GROUP = re.compile(r"900[ ,\u00a0\u202f]?000|130[ \u00a0\u202f]millions?")


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if one.startswith(("docs/", "README"))])
def test_times_of_a_group_of_hospitals_are_generated(document: str) -> None:
    text = (ROOT / document).read_text()
    for held, name in tables.BLOCKS:
        text = text.replace(tables.block(text, name)[0], "") if held == document else text
    assert GROUP.findall(text) == []


def test_a_slower_night_needs_more_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {name: (claims.BENCHMARKS / name).read_text() for name in ("night.md", "detection_speed.md")}
    pages["night.md"] = pages["night.md"].replace("to last: 114 s", "to last: 228 s")
    monkeypatch.setattr(claims, "BENCHMARKS", tmp_path)
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    assert "228 s ÷ 2.421 = 94 s per thousand" in machines.english_machines()
    assert "| 900,000 | 23.5 h | 38.4 h | within 4 hours: 6; 10 |" in machines.english_machines()
    (tmp_path / "night.md").write_text(pages["night.md"].replace("Wall clock", "Time"))
    with pytest.raises(LookupError):
        machines.english_machines()


REMEDY = "run `make docs`"
# A measured figure: a share, a scale, a number of what was counted, a size of groups.
COUNTED = """
minutes? heures? jours? semaines? mois ans? années? séjours? documents? textes? mots? mentions? patients? personnes?
pseudonymes? habitants? communes? territoires? catégories? octets? points? degrés? mètres? kilomètres? km
"""
FIGURE = re.compile(
    rf"\d[\d,  ]*\s?(?:%|(?:{'|'.join(COUNTED.split())})\b)|\d sur \d|\d fois|\b[kl] ?[=≥] ?\d|parmi \d"
    r"|(?i:\b(?:dixième|vingtième|centième|millième)s?\b)"
)
# Years that a law asks for stand in the tables of clauses (parts 4 and 5), which quote it.
LAWS = re.compile(r"^## [45]\. .*?(?=^## )", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("told", ["k = 5", "un dixième de degré", "20 ans", "6 mois", "3 séjours", "parmi 320", "7 %"])
def test_a_figure_is_recognised(told: str) -> None:
    assert FIGURE.search(f"selon le cas, {told} au plus")


def test_every_figure_of_the_dossier_is_generated() -> None:
    text = (ROOT / DOSSIER).read_text()
    blocks = [name for document, name in tables.BLOCKS if document == DOSSIER]
    assert all(FIGURE.search(tables.block(text, name)["body"]) for name in blocks)
    for name in blocks:
        text = text.replace(tables.block(text, name)[0], "")
    assert FIGURE.findall(LAWS.sub("", text)) == []


def test_the_pages_say_how_much_the_audit_of_documents_shows() -> None:
    audit = (ROOT / "benchmarks/epsilon_audit.md").read_text().split("## Published documents")[1].split("\n## ")[0]
    claimed = [line for line in audit.splitlines() if line.endswith("| not refuted |")]
    nought = [line for line in claimed if "| 0.0000 | 0% |" in line]
    assert f"For {len(nought)} of the {len(claimed)} pairs" in " ".join((ROOT / PRIVACY).read_text().split())
    assert f"| none; {len(nought)}; " in (ROOT / "docs/evaluation.md").read_text()


def test_the_dossier_names_each_place_that_holds_data() -> None:
    data = (ROOT / DOSSIER).read_text().split("### Données\n")[1].split("\nColonnes que")[0]
    schemas = set(re.findall(r"CREATE SCHEMA (?:IF NOT EXISTS )?(\w+)", MIGRATIONS)) - {"cdw"}  # a warehouse of tests
    assert {f"`{schema}`" for schema in schemas if f"`{schema}`" not in data} == set()
    read_only = {"sources", "policy", "references", "catalogue", "secret_file", "partition_secret_file"}
    read_only |= {"key_service_certificate", "key_service_authority"}
    written = {name for name, field in Settings.model_fields.items() if "Path" in str(field.annotation)} - read_only
    assert len(written) == 4
    assert {name for name in written if f"NOCTURNE_{name.upper()}" not in data} == set()


def test_the_dossier_names_who_reads_the_hospitals_ids() -> None:
    (row,) = (line for line in (ROOT / DOSSIER).read_text().splitlines() if line.startswith("| `identity` (schéma)"))
    granted = re.findall(r"GRANT SELECT ON [^;]*identity\.mapping[^;]*? TO ([^;]+);", MIGRATIONS)
    readers = {role for roles in granted for role in roles.split(", ")}
    assert readers == set(re.findall(r"`(nocturne_\w+)`", row)) != set()


def test_the_policy_is_documented_key_by_key() -> None:
    plain = {"", "types.NAME", "types.NAME.names"}  # sections that need no word for each key
    for path, model in policy_keys.sections("", Policy):
        told = {"strategy", "provider", "options"} | set(re.findall(r"\w+", model.__doc__ or ""))
        keys = set(re.findall(r"^\| `(\w+)` \|", policy_keys.section(path, model), re.MULTILINE))
        assert path in plain or not {key for key in keys - told if not key.startswith(("warn_", "max_"))}, path


def test_every_setting_says_what_it_is_for() -> None:
    told = settings_table.meanings().keys() | {f"{source}_location" for source in REFERENCE_SOURCES}
    assert told == Settings.model_fields.keys()


def test_doctor_knows_the_variables_that_operators_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    told = (ROOT / "docs/operators.md").read_text().split("<!-- /settings -->")[1].split("\n\n**The secret")[0]
    names = [
        name.replace("<ROLE>", "READER") for name in re.findall(r"^\| `(\w+(?:<ROLE>\w+)?)` \|", told, re.MULTILINE)
    ]
    assert len(names) > 5
    for name in names:
        monkeypatch.setenv(name, "fr")
    settings.cache_clear()
    assert not {name for name in names for one in check_settings() if name in one.message}


def test_the_list_of_states_is_the_one_that_stewards_choose_from() -> None:
    page = " ".join((ROOT / "docs/stewards.md").read_text(encoding="utf-8").split())
    (listed,), words = re.findall(r"Les états sont : (.*?)\. ", page), WORDING["fr"]
    assert sorted(re.findall(r"\*([^*]+)\*", listed)) == sorted(
        words[f"state_{one}"].lower() for one in releases.STATES
    )


def test_the_site_s_navigation_has_each_page() -> None:
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2])
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("**/*.md")}
    assert {page for page in pages if not page.startswith("decisions/")} <= set(named)


def test_numbers_of_labels_are_those_that_ship() -> None:
    told = re.search(r"finds (\d+) kinds of mentions .*?, and (\d+) that a policy may add", README)
    assert told, "README.md says how many labels there are"
    assert (int(told[1]), int(told[2])) == (len(TAGGED), len(OPTIONAL)), "correct the numbers of labels in README.md"


def test_the_numbers_of_steps_to_add_something_are_those_of_the_pages() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    label = (ROOT / "docs/adding-a-label.md").read_text(encoding="utf-8")
    parts = {part.partition("\n")[0]: part for part in re.split(r"^### ", page, flags=re.M)}
    tagged, of_format, of_check = (
        len(re.findall(r"^\d+\. ", one, re.M)) for one in (label, parts["A format"], parts["A check"])
    )
    optional = re.search(r"under an hour: steps 1 to (\d+)", label)
    assert optional
    assert f"is {tagged} steps, an optional one {optional[1]}, a format {of_format}, a check {of_check}," in page


def test_the_changelog_names_the_rules_that_detection_has() -> None:
    (rules,) = re.findall(r'^RULES_VERSION = "(.+)"$', (ROOT / "deid/detection/detector.py").read_text(), re.MULTILINE)
    newest, *_ = re.findall(r"[Rr]ules are `(.+?)`", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert newest == rules


@pytest.mark.parametrize(("quoting", "words", "page", "figure"), QUOTED)
def test_french_pages_give_the_figures_of_the_benchmarks(quoting: str, words: str, page: str, figure: str) -> None:
    assert figure in (ROOT / page).read_text(), f"the figure changed: correct {quoting} too"
    assert words in (ROOT / quoting).read_text()


@pytest.mark.parametrize(("document", "begins", "page"), COPIED)
def test_rows_of_a_copied_table_are_those_of_the_benchmark(document: str, begins: str, page: str) -> None:
    table = (ROOT / document).read_text().split(begins)[1].split("\n\n")[0].splitlines()[2:]
    held = [_numbers(line) for line in (ROOT / page).read_text().splitlines() if line.startswith("|")]
    assert len(table) > 5
    for row in table:
        assert any(_in_order(_numbers(row), other) for other in held), row


def _numbers(row: str) -> list[float]:
    return [float(one.replace(",", "")) for one in NUMBER.findall(row)]


def _in_order(some: list[float], others: list[float]) -> bool:
    left = iter(others)
    return all(one in left for one in some)
