"""Find the modules that may hold a patient's text, names or dates, by the types and the statements that they use.

A type carries text if it is one of `SEEDS`, has a field of such a type, or is a dataclass of `HOLDERS` with a field of
text. A module may hold text if it defines or names such a type, calls a function that returns one, or runs a statement
that reads a column of text which is not published.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SEEDS = {
    ("deid.domain.document", "Document"),
    ("deid.domain.document", "Patient"),
    ("deid.domain.document", "Substitution"),
    ("deid.domain.document", "Surrogate"),
    ("deid.formats.source", "SourceText"),
    ("deid.source.links", "SourceLink"),
}
# Packages in which a field called text, of type str, is a document's.
HOLDERS = (
    *("deid.source", "deid.ledger", "deid.publication"),
    *("deid.nightly", "deid.reviews", "deid.release", "deid.stewardship", "nocturne_lab.hospital", "nocturne_pages"),
)
# Packages that work on the text itself, in plain strings and their own types: one row each.
WHOLE = {
    "deid/detection/": "the text, the patient's identity, the staff",
    "lab/nocturne_lab/evaluation/": "annotated documents and what was found in them",
    "deid/formats/": "the source's bytes and text, until they are rewritten",
    "lab/nocturne_lab/learning/": "annotated documents: the corpus, and those that a hospital adds",
    "deid/quality/": "source and candidate side by side; gives numbers and reasons, never words",
    "deid/substitution/": "the values that are replaced, and the patient's identity",
}
TEXT_TABLES = re.compile(r"\bdeid\.(candidate|staged_text|review_document)\b")
TEXT_COLUMNS = re.compile(r"\b(text|markup|title)\b")
# A cast, an erasure and a test for absence read no text.
NO_READING = re.compile(r"--[^\n]*|::text(\[\])?|\b(text|markup|title)( = NULL| IS (NOT )?NULL)", re.IGNORECASE)
NAMED = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)

Symbol = tuple[str, str]  # module, name


@dataclass(frozen=True)
class Module:
    """One module of the tree, parsed; `name` is dotted, `path` relative to the root."""

    name: str
    path: str
    tree: ast.Module

    @cached_property
    def imports(self) -> Mapping[str, Symbol]:
        """Local name → what it was imported as: (module, name), name empty for a module itself."""
        found: dict[str, Symbol] = {}
        package = self.name if self.path.endswith("__init__.py") else self.name.rpartition(".")[0]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    top = one.name.split(".")[0]
                    found[one.asname or top] = (one.name if one.asname else top, "")
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    head = package.split(".")[: len(package.split(".")) - node.level + 1]
                    base = ".".join([*head, *([node.module] if node.module else [])])
                for one in node.names:
                    found[one.asname or one.name] = (base, one.name)
        return found

    def classes(self) -> Iterator[ast.ClassDef]:
        """Every class of the module, nested ones too."""
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))


class Tree:
    """The modules below `deid`, `lab` and `plugins`, and what they mean by a name."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        for base, tops in (
            ("", ("deid",)),
            ("lab", ("nocturne_lab",)),
            ("plugins", ("nocturne_airflow", "nocturne_pages")),
        ):
            for top in tops:
                for path in sorted((root / base / top).rglob("*.py")):
                    name = ".".join(path.relative_to(root / base).with_suffix("").parts).removesuffix(".__init__")
                    self.modules[name] = Module(name, str(path.relative_to(root)), ast.parse(path.read_text("utf-8")))

    def origin(self, symbol: Symbol) -> Symbol:
        """Follow re-exports to the module that defines a name; a submodule gives (its name, empty)."""
        module, name = symbol
        if f"{module}.{name}" in self.modules:
            return f"{module}.{name}", ""
        again = self.modules[module].imports.get(name) if module in self.modules else None
        return self.origin(again) if again and again != symbol else symbol

    def meaning(self, module: Module, node: ast.AST) -> Symbol | None:
        """Return the object of a name, dotted name or quoted name in a module; None for any other expression."""
        if isinstance(node, ast.Constant):
            text = node.value if isinstance(node.value, str) and node.value.isidentifier() else None
            return self.meaning(module, ast.Name(text)) if text else None
        if isinstance(node, ast.Name):
            return self.origin(module.imports.get(node.id, (module.name, node.id)))
        if isinstance(node, ast.Attribute):
            base = self.meaning(module, node.value)
            return self.origin((base[0], node.attr)) if base and not base[1] else None
        return None

    def named(self, module: Module, within: ast.AST | None = None) -> set[Symbol]:
        """Return the objects of the names in (a part of) a module; names defined in the module too."""
        return {symbol for node in ast.walk(within or module.tree) if (symbol := self.meaning(module, node))}

    def carriers(self) -> set[Symbol]:
        """Classes whose instances hold text."""
        found = set(SEEDS)
        fields: dict[Symbol, set[Symbol]] = {}
        for module in self.modules.values():
            for node in module.classes():
                annotated = [item for item in node.body if isinstance(item, ast.AnnAssign)]
                fields[module.name, node.name] = {
                    symbol for item in annotated for symbol in self.named(module, item.annotation)
                }
                texts = [item for item in annotated if ast.unparse(item).startswith("text: str")]
                if texts and module.name.startswith(HOLDERS):
                    found.add((module.name, node.name))
        while more := {symbol for symbol, used in fields.items() if used & found} - found:
            found |= more
        return found

    def givers(self, carriers: set[Symbol]) -> dict[Symbol, set[Symbol]]:
        """Public functions of the tree that return a carrier → which."""
        found = {}
        for module in self.modules.values():
            for node in module.tree.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
                    given = self.named(module, node.returns) & carriers
                    if given:
                        found[module.name, node.name] = given
        return found

    def reads_text(self, module: Module) -> set[str]:
        """Tables of text, `schema.table`, that a statement called in a module by its literal name reads."""
        found = set()
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.Call):
                continue
            given = node.args[1:] if len(node.args) > 3 else node.args  # `execute` has the cursor first
            asked = [item.value if isinstance(item, ast.Constant) else None for item in given[:3]]
            if len(asked) < 3:
                continue
            path = self.root / "sql" / str(asked[0]) / f"{asked[1]}.sql"
            if None in asked or not path.is_file():
                continue
            _, *parts = NAMED.split(path.read_text("utf-8"))
            statement = NO_READING.sub("", dict(zip(parts[::2], parts[1::2], strict=True)).get(str(asked[2]), ""))
            if TEXT_COLUMNS.search(statement):
                found |= {match.group() for match in TEXT_TABLES.finditer(statement)}
        return found

    def holding(self) -> dict[str, set[str]]:
        """Path of each module that may hold text → types and tables by which it does."""
        carriers = self.carriers()
        givers = self.givers(carriers)
        found: dict[str, set[str]] = {}
        for module in self.modules.values():
            used = self.named(module)
            defined = {(module.name, node.name) for node in module.classes()} & carriers
            given = {symbol for name in used for symbol in givers.get(name, ())}
            reasons = {name for _, name in (used & carriers) | defined | given if not name.startswith("_")}
            reasons |= self.reads_text(module)
            if reasons or (used & carriers):
                found[module.path] = reasons
        return found


def table(tree: Tree | None = None) -> str:
    """The Markdown table of the modules that may hold text: those of `WHOLE` by package, the others one by one."""
    holding = (tree or Tree()).holding()
    rows = {package: why for package, why in WHOLE.items() if any(path.startswith(package) for path in holding)}
    for path, reasons in holding.items():
        if not path.startswith(tuple(WHOLE)):
            rows[path] = ", ".join(f"`{reason}`" for reason in sorted(reasons))
    return "\n".join(["| Module | may hold |", "|---|---|", *(f"| `{path}` | {rows[path]} |" for path in sorted(rows))])
