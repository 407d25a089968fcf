"""Walk of a run's number through the library: functions that take it, and calls that go upward in the layers.

    python -m benchmarks.walk [TREE]

TREE is a checkout (default: this one). A function takes the number if a parameter is one, or is of a class that holds
one, directly or within another; methods of such a class take it too. Calls are read from the source: of names that a
module defines or imports, of methods of a parameter or of what a call was annotated to return, and of functions that
are handed on as arguments. Calls through anything else, such as a dictionary of functions, are not seen.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

NUMBERS = frozenset({"run_id", "run_ids"})
START = "deid.nightly.steps.detect"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Walk:
    """Functions of `deid` that take a run's number, those among them that `START` reaches, and calls upward there."""

    everywhere: frozenset[str]
    reached: frozenset[str]
    upward: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Library:
    """Functions, classes and names of each module of `deid`, by full name."""

    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    names: dict[str, dict[str, str]] = field(default_factory=dict)  # module → name there → full name
    home: dict[str, str] = field(default_factory=dict)  # function or class → its module

    def add(self, module: str, tree: ast.Module) -> None:
        """Read a module."""
        names = self.names.setdefault(module, {})
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
            elif isinstance(node, ast.Import):
                names |= {one.asname or one.name: one.name for one in node.names if one.asname or "." not in one.name}
        for node in tree.body:
            if isinstance(node, Function):
                self._define(module, node.name, node)
            elif isinstance(node, ast.ClassDef):
                self.classes[f"{module}.{node.name}"] = node
                self.home[f"{module}.{node.name}"] = module
                names[node.name] = f"{module}.{node.name}"
                for part in node.body:
                    if isinstance(part, Function):
                        self._define(module, f"{node.name}.{part.name}", part)

    def _define(self, module: str, name: str, node: Function) -> None:
        self.functions[f"{module}.{name}"] = node
        self.home[f"{module}.{name}"] = module
        self.names[module].setdefault(name, f"{module}.{name}")

    def full(self, module: str, node: ast.expr | None) -> str:
        """Return the full name of what an expression names in a module, through packages that import it; or ""."""
        if isinstance(node, ast.Name):
            return self._origin(self.names.get(module, {}).get(node.id, ""))
        if isinstance(node, ast.Attribute) and (base := self.full(module, node.value)):
            return self._origin(f"{base}.{node.attr}")
        return ""

    def _origin(self, name: str) -> str:
        package, _, last = name.rpartition(".")
        if name in self.home or name in self.names or package not in self.names:
            return name
        other = self.names[package].get(last, name)
        return name if other == name else self._origin(other)

    def named(self, module: str, annotation: ast.expr | None) -> set[str]:
        """Return the classes of the library that an annotation names, alone or within another."""
        if annotation is None:
            return set()
        found = {self.full(module, part) for part in ast.walk(annotation) if isinstance(part, ast.Name | ast.Attribute)}
        return found & self.classes.keys()

    def carriers(self) -> set[str]:
        """Return the classes that hold a run's number, directly or within another."""
        fields = {
            name: [part for part in node.body if isinstance(part, ast.AnnAssign)] for name, node in self.classes.items()
        }
        found = {name for name, parts in fields.items() if any(ast.unparse(one.target) in NUMBERS for one in parts)}
        while True:
            more = {
                name
                for name, parts in fields.items()
                if any(self.named(self.home[name], part.annotation) & found for part in parts)
            }
            if more <= found:
                return found
            found |= more

    def taking(self) -> set[str]:
        """Return the functions that take a run's number."""
        carriers, found = self.carriers(), set()
        for name, node in self.functions.items():
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            held = any(self.named(self.home[name], one.annotation) & carriers for one in given)
            if held or name.rpartition(".")[0] in carriers or any(one.arg in NUMBERS for one in given):
                found.add(name)
        return found

    def calls(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the functions that a function calls, each with who calls it: itself, or one that it is handed to."""
        node, module = self.functions[name], self.home[name]
        given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        types = {one.arg: self.named(module, one.annotation) for one in given}
        if (owner := name.rpartition(".")[0]) in self.classes:
            types["self"] = {owner}
        for part in ast.walk(node):
            if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call):
                made = self.functions.get(self.full(module, part.value.func))
                for target in part.targets if made else ():
                    if isinstance(target, ast.Name) and made:
                        types[target.id] = self.named(self.home[self.full(module, part.value.func)], made.returns)
        for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
            called = self._called(module, call.func, types)
            yield from ((one, name) for one in called)
            handed = [*call.args, *(one.value for one in call.keywords)]
            for one in handed:
                yield from ((other, taker) for other in self._called(module, one, types) for taker in called)

    def _called(self, module: str, node: ast.expr, types: Mapping[str, set[str]]) -> set[str]:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in types:
            found = {f"{owner}.{node.attr}" for owner in types[node.value.id]}
        else:
            found = {self.full(module, node)}
        return found & self.functions.keys()


def walk(tree: Path, start: str = START) -> Walk:
    """Follow a run's number through the library of a checkout.

    Raises:
        KeyError: there is no function `start`, or no list of layers in pyproject.toml.
    """
    library = Library()
    for path in sorted(tree.glob("deid/**/*.py")):
        name = ".".join(path.relative_to(tree).with_suffix("").parts).removesuffix(".__init__")
        library.add(name, ast.parse(path.read_text(encoding="utf-8")))
    taking, levels = library.taking(), _levels(tree)
    reached, waiting, upward = {start}, [start], []
    while waiting:
        for callee, caller in library.calls(waiting.pop()):
            if callee in taking:
                if _level(levels, library.home[callee]) < _level(levels, library.home[caller]):
                    upward.append((caller, callee))
                if callee not in reached:
                    reached.add(callee)
                    waiting.append(callee)
    return Walk(frozenset(taking), frozenset(reached), tuple(sorted(set(upward))))


def _levels(tree: Path) -> dict[str, int]:
    """Return the layer of each package, 0 the highest."""
    settings = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))
    layers = next(one["layers"] for one in settings["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    return {package.strip(): level for level, row in enumerate(layers) for package in row.split("|")}


def _level(levels: Mapping[str, int], module: str) -> int:
    """Return the layer of a module: that of the deepest package that is in the list."""
    while module and module not in levels:
        module = module.rpartition(".")[0]
    return levels.get(module, len(levels))


def lines(found: Walk) -> list[str]:
    """Return what is counted, as lines of Markdown."""
    modules = {one.rpartition(".")[0] for one in found.reached}
    return [
        f"- functions of deid that take the number of a run: {len(found.everywhere)}",
        f"- of these, reached from {START}: {len(found.reached)}, in {len(modules)} modules and classes",
        f"- calls upward in the layers on that way: {len(found.upward)}",
    ]


if __name__ == "__main__":
    told = walk(Path(sys.argv[1] if sys.argv[1:] else ".").resolve())
    print(*lines(told), *(f"  - {one}" for one in sorted(told.reached)), sep="\n")
    print(*(f"  - {one} → {two}" for one, two in told.upward), sep="\n")
