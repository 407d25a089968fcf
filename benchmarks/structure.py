"""Structure of the library: modules, lines, import cycles, longest import chain, names defined twice, what is loaded.

    python -m benchmarks.structure [TREE]
    python -m benchmarks.structure --record

TREE is a checkout (default: this one). Imports inside functions count. `--record` writes benchmarks/structure.json: the
ceilings that tests/unit/test_structure.py holds. It refuses a rise of what may only fall (`FALLING`).
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from benchmarks import walk

LIBRARY = ("deid", "nocturne_lab")  # the packages of the two distributions
SMALL = 80
RECORD = Path(__file__).with_suffix(".json")
# Processes, and what each imports: modules of deid are counted.
LOADED = {
    "publisher": "import deid.publication.publish",
    "pages": "import nocturne_pages.app",
    "DAG files": "import glob, runpy; [runpy.run_path(one) for one in glob.glob('dags/*.py')]",
}
# These only fall, and a gain is recorded: what no check holds is lost within days.
FALLING = (
    "packages in an import cycle",
    "modules in an import cycle",
    "longest import chain",
    "public names defined in two or more modules",
    "modules loaded by the publisher",
)
# Most lines of a night without the packages that grow with the forms of a language and of files.
GROWING, REST = ("deid.detection", "deid.substitution", "deid.formats", "deid.french"), 30_811
# What a person waits for at each command; printed, and no ceiling: it is of the machine too.
IMPORTED = "import deid.cli"
_COUNT = "import sys; print(sum(name.split('.')[0] == 'deid' for name in sys.modules), file=sys.stderr)"


def figures(tree: Path) -> dict[str, int]:
    """Return the figures of a tree by name; those of a package, in lines, are named after it."""
    modules = _modules(tree)
    imports = {name: _imports(name, path, modules) for name, path in modules.items()}
    library = [name for name in modules if name.split(".")[0] in LIBRARY]
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules.items()}
    packages: dict[str, set[str]] = defaultdict(set)
    for one, other in arrows(tree):
        packages[one].add(other)
    names = _public_names({name: modules[name] for name in library})
    importers = Counter(other for found in imports.values() for other in found)
    small = [one for one in library if lines[one] < SMALL and importers[one] == 1 and modules[one].stem != "__init__"]
    sizes: Counter[str] = Counter()
    for name in library:
        sizes[_package(name)] += lines[name]
    held = {top: [name for name in library if name.split(".")[0] == top] for top in LIBRARY}
    return {
        **{f"modules of {top}": len(found) for top, found in held.items()},
        **{f"lines of {top}": sum(lines[name] for name in found) for top, found in held.items()},
        "packages in an import cycle": sum(len(one) for one in _components(packages) if len(one) > 1),
        "modules in an import cycle": sum(len(one) for one in _components(imports) if len(one) > 1),
        "longest import chain": _longest_chain(imports),
        "public names defined in two or more modules": sum(len(found) > 1 for found in names.values()),
        f"modules under {SMALL} lines with one importer": len(small),
        "SQL files": len(list((tree / "sql").rglob("*.sql"))),
        "words of README": len((tree / "README.md").read_text(encoding="utf-8").split()),
        **{f"lines of {package}": count for package, count in sorted(sizes.items()) if package not in LIBRARY},
    }


def arrows(tree: Path) -> set[tuple[str, str]]:
    """Return each pair of packages of which a module of the first imports one of the second."""
    modules = _modules(tree)
    pairs = {(_package(one), _package(two)) for one, path in modules.items() for two in _imports(one, path, modules)}
    return {(one, two) for one, two in pairs if one != two and not {one, two} & {*LIBRARY}}


def rest(told: Mapping[str, int]) -> int:
    """Return the lines of deid without the packages of `GROWING`, from its figures."""
    return told["lines of deid"] - sum(told[f"lines of {package}"] for package in GROWING)


def loaded(tree: Path, process: str) -> int:
    """Return the number of modules of deid that a process of `LOADED` has after its imports."""
    return int(_told(tree, f"{LOADED[process]}; {_COUNT}"))


def _import_ms(tree: Path) -> float:
    """Return the processor's time of `IMPORTED`, the least of five new processes."""
    code = f"import sys, time; {IMPORTED}; print(1000 * time.process_time(), file=sys.stderr)"
    return min(float(_told(tree, code)) for _ in range(5))


def _told(tree: Path, code: str) -> str:
    """Return the last line that code, run in a process of a tree, writes on standard error."""
    paths = [str(tree), str(tree / "lab"), str(tree / "plugins")]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()[-1]


def main(tree: Path, *, record: bool = False) -> None:
    """Print the figures of a tree as a Markdown list, and record them as ceilings where that is asked."""
    told = figures(tree) | {f"modules loaded by the {name}": loaded(tree, name) for name in LOADED}
    print(*(f"- {name}: {value}" for name, value in told.items()), sep="\n")
    print(f"- lines of deid without {' and '.join(GROWING)}: {rest(told)}")
    print(f"- arrows between packages: {len(arrows(tree))}")
    print(*walk.lines(walk.walk(tree)), sep="\n")
    print(f"- milliseconds of the processor for `{IMPORTED}`: {_import_ms(tree):.0f}")
    if record:
        keep(told)


def keep(told: Mapping[str, int], path: Path = RECORD) -> None:
    """Write figures as ceilings.

    Raises:
        SystemExit: a figure of `FALLING` is above the recorded one, which then stays, as do all others.
    """
    held = json.loads(path.read_text(encoding="utf-8"))
    if risen := [f"{name} {held[name]} → {told[name]}" for name in FALLING if told[name] > held.get(name, told[name])]:
        raise SystemExit(f"Not recorded: these only fall, {', '.join(risen)}. Import less, or name one thing once.")
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _modules(tree: Path) -> dict[str, Path]:
    found = {}
    places = ("deid", "demo", "lab/nocturne_lab")
    for path in sorted(path for place in places for path in tree.glob(f"{place}/**/*.py")):
        name = ".".join(path.relative_to(tree).with_suffix("").parts).removeprefix("lab.")
        found[name.removesuffix(".__init__")] = path
    return found


def _package(name: str) -> str:
    return ".".join(name.split(".")[:2]) if name.startswith(LIBRARY) else name.split(".")[0]


def _imports(name: str, path: Path, modules: Mapping[str, Path]) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {one if one in modules else node.module for one in full}
    return (found & modules.keys()) - {name}


def _public_names(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(module)
    return found


def _components(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of a graph (Tarjan 1972)."""
    sys.setrecursionlimit(10_000)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            position = stack.index(node)
            found.append(stack[position:])
            del stack[position:]

    for node in list(graph):
        if node not in index:
            visit(node)
    return found


def _longest_chain(graph: Mapping[str, set[str]]) -> int:
    """Return the number of modules on the longest import chain; a cycle counts as one module."""
    components = _components(graph)
    component = {name: number for number, names in enumerate(components) for name in names}

    @cache
    def depth(number: int) -> int:
        below = {component[other] for name in components[number] for other in graph.get(name, ())} - {number}
        return 1 + max(map(depth, below), default=0)

    return max(map(depth, range(len(components))))


if __name__ == "__main__":
    named = [one for one in sys.argv[1:] if one != "--record"]
    main(Path(named[0] if named else ".").resolve(), record="--record" in sys.argv)
