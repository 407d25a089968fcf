"""The documents name what is there: paths, modules, links, packages, states, commands."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest

from deid.cli import app
from deid.config.policy import Policy, load
from deid.config.settings import Settings
from deid.domain.labels import OPTIONAL, TAGGED
from deid.release.status import DecisionState
from docs import policy_keys, tables
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
    made = set(re.findall(r"CREATE (?:TABLE|VIEW|FUNCTION) (deid\.\w+)", MIGRATIONS))
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


def test_the_readme_stays_short() -> None:
    assert 600 <= len((ROOT / "README.md").read_text().split()) <= 800


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
DOSSIER, ANNEX = "docs/fr/dossier-dpo.md", "deid/reports/annex.py"
QUOTED = [
    (DOSSIER, "83 % (cinq documents : 98 %)", "docs/evaluation.md", "83 %; 29 % (five documents: 98 %; 51 %)"),
    (DOSSIER, "29 % (51 %) avec `document_date: metric`", "docs/evaluation.md", "29 % (five documents: 98 %; 51 %)"),
    (ANNEX, "83 % (98 %) des cas sous la politique `tchouka2023`, dans 29 %", "docs/evaluation.md", "83 %; 29 %"),
    (ANNEX, "retrouver parmi 320 dans 26 % des cas", "benchmarks/known_dates.md", "26.0% (28.3%), 1,058"),
    (DOSSIER, "22 % (visibilité hebdomadaire)", "benchmarks/arrival.md", "| weekly | 22% |"),
    (DOSSIER, "12 % (mensuelle) ; 88 %", "benchmarks/arrival.md", "| monthly | 12% |"),
    (DOSSIER, "12 % (mensuelle) ; 88 %", "benchmarks/arrival.md", "| nightly | 88% |"),
    (DOSSIER, "1 fuite sur 364 textes", "benchmarks/redteam.md", "1 of 364 texts"),
    (DOSSIER, "27 sur 100", "docs/evaluation.md", "27 in 100"),
    (GUIDE, "27 documents difficiles sur 100", "docs/evaluation.md", "27 in 100"),
    (GUIDE, "77 % des patients parmi 320, et 5 % parmi 100 000", "benchmarks/known_dates.md", "77.2% (79.4%), 1,036"),
    (GUIDE, "93,5 % exacts au jour", "benchmarks/utility.md", "gaps of up to 60 days exact | **93.5 %**"),
    (GUIDE, "99,9 % des paires", "benchmarks/utility.md", "pairs of dates in the same order | **99.9 %**"),
    (GUIDE, "51,9 % des classes", "benchmarks/utility.md", "classes of health measures of communes kept | **51.9 %**"),
    (GUIDE, "| 76,1 % |", "benchmarks/utility.md", "ages in the same decade | **76.1 %**"),
    (GUIDE, "| 99,2 % |", "benchmarks/utility.md", "ages in the same stage of life | **99.2 %**"),
]


def test_the_policy_is_documented_key_by_key() -> None:
    written = tables.block((ROOT / "docs/policy.md").read_text(), "keys")["body"].strip()
    assert written == policy_keys.policy(), "run `make docs`"
    plain = {"", "types.NAME", "types.NAME.names"}  # sections that need no word for each key
    for path, model in policy_keys.sections("", Policy):
        told = {"strategy", "provider", "options"} | set(re.findall(r"\w+", model.__doc__ or ""))
        keys = set(re.findall(r"^\| `(\w+)` \|", policy_keys.section(path, model), re.MULTILINE))
        assert path in plain or not {key for key in keys - told if not key.startswith(("warn_", "max_"))}, path


def test_every_setting_is_in_the_table_of_operators() -> None:
    table = (ROOT / "docs/operators.md").read_text()
    names = {f"NOCTURNE_{name.upper()}" for name in Settings.model_fields}
    assert not {name for name in names if not name.endswith(("_DSN", "_LOCATION")) and f"`{name}`" not in table}


def test_numbers_of_labels_and_moves_are_those_that_ship() -> None:
    readme, dossier = ((ROOT / name).read_text() for name in ("README.md", DOSSIER))
    assert f"finds {len(TAGGED)} kinds of mentions" in readme
    assert f"and {len(OPTIONAL)} that a policy may add" in readme
    assert f"{len(TAGGED)} catégories, et {len(OPTIONAL)} que la politique peut ajouter" in dossier
    dates = load().substitution.dates
    assert f"du décalage du patient ({dates.anchor_scale_days:.0f} jours en moyenne)" in dossier
    assert f"d'un bruit propre au séjour ({2 / dates.episode_epsilon:.0f} jours en moyenne)" in dossier


@pytest.mark.parametrize(("quoting", "words", "page", "figure"), QUOTED)
def test_french_pages_give_the_figures_of_the_benchmarks(quoting: str, words: str, page: str, figure: str) -> None:
    assert figure in (ROOT / page).read_text(), f"the figure changed: correct {quoting} too"
    assert words in (ROOT / quoting).read_text()
