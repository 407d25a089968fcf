"""Structure of the library: modules, lines, import cycles, longest import chain, names defined twice.

    python -m benchmarks.structure [TREE]

TREE is a checkout (default: this one). Imports inside functions count.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

# Code that never runs in a hospital's night, in the layout of version 0.2.0 and in the layout of 0.1.0.
OFFLINE = (
    *("deid.learning", "deid.evaluation"),
    *("deid.hospital", "deid.demo", "deid.privacy.attacks", "deid.privacy.audit"),
)
SMALL = 80
PUBLISHER = "import sys, deid.warehouse.publish; print(sum(name.split('.')[0] == 'deid' for name in sys.modules))"


def main(tree: Path) -> None:
    """Print the figures of a tree as a Markdown list."""
    modules = _modules(tree)
    imports = {name: _imports(name, path, modules) for name, path in modules.items()}
    library = [name for name in modules if name.split(".")[0] == "deid"]
    nightly = [name for name in library if not name.startswith(OFFLINE)]
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules.items()}
    packages: dict[str, set[str]] = defaultdict(set)
    for name, found in imports.items():
        for other in found:
            if _package(name) != _package(other) and "deid" not in (_package(name), _package(other)):
                packages[_package(name)].add(_package(other))
    module_cycles = [one for one in _components(imports) if len(one) > 1]
    package_cycles = [one for one in _components(packages) if len(one) > 1]
    names = _public_names({name: modules[name] for name in library})
    twice = {name: found for name, found in names.items() if len(found) > 1}
    importers = Counter(other for found in imports.values() for other in found)
    small = [one for one in library if lines[one] < SMALL and importers[one] == 1 and modules[one].stem != "__init__"]
    loaded = subprocess.run([sys.executable, "-c", PUBLISHER], cwd=tree, capture_output=True, text=True, check=True)
    print(f"- modules of deid: {len(library)}, {sum(lines[name] for name in library)} lines")
    print(f"- without learning and evaluation: {len(nightly)}, {sum(lines[name] for name in nightly)} lines")
    print(f"- packages in an import cycle: {sum(map(len, package_cycles))}; modules: {sum(map(len, module_cycles))}")
    print(f"- longest import chain: {_longest_chain(imports)} modules")
    print(f"- modules of deid loaded by the publisher: {loaded.stdout.strip()}")
    print(f"- public names defined in two or more modules: {len(twice)}")
    print(f"- modules under {SMALL} lines with one importer: {len(small)}")
    print(f"- SQL files: {len(list((tree / 'sql').rglob('*.sql')))}")
    print(f"- README: {len((tree / 'README.md').read_text(encoding='utf-8').split())} words")


def _modules(tree: Path) -> dict[str, Path]:
    found = {}
    for path in sorted((*tree.glob("deid/**/*.py"), *tree.glob("demo/**/*.py"))):
        name = ".".join(path.relative_to(tree).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def _package(name: str) -> str:
    return ".".join(name.split(".")[:2]) if name.startswith("deid") else name.split(".")[0]


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
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
