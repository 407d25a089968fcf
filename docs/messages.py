"""Write the catalogue of the command line's messages, `deid/locale`: `make messages`, or `python -m docs.messages`.

The code holds English: help of commands, arguments of the functions that print, and messages and remedies of errors,
mostly f-strings. What the code says is read from its syntax, a value as a place named after its expression. Missing
translations are left empty in `nocturne.po`; a test refuses them. The catalogue is compiled beside it (`nocturne.mo`).
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import product
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from deid.cli import app
from deid.cli.language import LOCALE, flat
from deid.source.contract_check import FAULTS

ROOT = Path(__file__).resolve().parents[1]
PO = LOCALE / "fr/LC_MESSAGES/nocturne.po"
# Function → positions of its arguments that are messages. Those of errors and their helpers are found.
CARRIERS: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(("tell", "complain", "translated", "french", "BadParameter", "BadLine"), (0,)),
    **dict.fromkeys(("ok", "not_applicable"), (0, 1)),
    **dict.fromkeys(("attention", "error", "say", "level"), (0, 1, 2)),
    "translated_table": (0,),
    "_say_state": (1,),
    "_conclude": (0, 1),
}
SPOKEN = (
    "deid/cli",
    "lab/nocturne_lab/cli",
    "deid/doctor",
    "deid/source/contract_check.py",
)  # where those functions print
# Tables of messages, printed through a name: module → the tables.
TABLES: Mapping[str, tuple[str, ...]] = {
    "deid/doctor/__init__.py": ("CHECKS",),
    "deid/doctor/databases.py": ("_DOING",),
    "deid/cli/sources.py": ("_THINGS",),
    "lab/nocturne_lab/cli/coding.py": ("_FAULTS", "_LEVELS", "_PARTS", "_ARMS"),
    "lab/nocturne_lab/cli/annotation.py": ("_FAULTS",),
    "lab/nocturne_lab/cli/models.py": ("_OUTCOMES",),
    "deid/cli/stewardship.py": ("_FAULTS",),
    "deid/cli/linking.py": ("UNPUBLISHED", "UNREADABLE", "OUTSIDE"),
    "deid/doctor/finding.py": ("Level",),
}
# Said by the libraries under the command line, whose code holds no catalogue; and what only a run puts together.
OTHERS = r"""
Usage
Error
Arguments
Options
Commands
OPTIONS
COMMAND
ARGS
INTEGER
FLOAT
TEXT
PATH
FILE
DIRECTORY
RANGE
required
default: {default}
Show this message and exit.
Try '{command} {option}' for help.\n
Missing command.
Missing argument {hint}.
Missing option {hint}.
Missing argument {hint}. {choices}
Missing option {hint}. {choices}
Choose from:\n\t{choices}
No such command {name}.
No such command {name}. Did you mean {names}?
No such option: {name}
No such option: {name} (Possible options: {names})
Option {name} does not take a value.
Option {name} requires an argument.
Option {name} requires {number} arguments.
Got unexpected extra argument(s) ({arguments})
Invalid value: {message}
Invalid value for {hint}: {message}
{value} is not one of {choices}.
Value {value} is not a valid {kind}.
{value} is not a valid {kind}.
{value} is not in the range {range}.
{value} does not match the formats {formats}.
{value} does not match the format {formats}.
File {path} does not exist.
Directory {path} does not exist.
Path {path} does not exist.
Input should be a valid integer, unable to parse string as an integer
Input should be a valid number, unable to parse string as a number
Input should be a valid integer
Input should be a valid number
Input should be a valid string
Input should be a valid boolean
Input should be a valid list
Input should be a valid dictionary
Input should be greater than or equal to {bound}
Input should be less than or equal to {bound}
Input should be greater than {bound}
Input should be less than {bound}
Extra inputs are not permitted
Field required
No such file or directory
Permission denied
Is a directory
Not a directory
File exists
No space left on device
{name}: {message}
no such file
{name} no such parameter
CSV, line {line}
CSV, other columns or separator than expected
CSV, another encoding
reference_date is in the future
reference_date is missing
stay ends before it begins
stay has no beginning
""".strip().splitlines()

Found = dict[str, set[str]]  # message → modules that say it
_NAMED = re.compile(r"\W")


@dataclass
class Module:
    """A module, and the functions of the library through which errors are made, with positions of their arguments."""

    path: str
    tree: ast.Module
    errors: set[str]
    helpers: dict[str, set[int]]
    parts: set[int] = field(
        default_factory=set
    )  # arguments of helpers: names or numbers, unless they have several words
    scopes: dict[int, dict[str, list[ast.expr]]] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The whole module, outer ones first."""
        return list(ast.walk(self.tree))

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """Functions and methods, inner ones last."""
        return [node for node in self.nodes if isinstance(node, ast.FunctionDef)]

    def carried(self) -> Iterator[tuple[ast.expr, ast.FunctionDef | None]]:
        """Yield the expressions that are messages, with the function around."""
        spoken = self.path.startswith(SPOKEN)
        for around, node in self._calls:
            name = _called(node)
            if spoken and name == "map" and isinstance(node.args[0], ast.Name) and node.args[0].id == "translated":
                yield node.args[1], around
            if name in self.errors:
                positions = {"ReviewRefused": (1, 2), "DocumentRefused": (2,)}.get(name, (0, 1))
            elif name == "__init__" and around is not None and id(around) in self._of_errors:
                positions = (0, 1)
            elif self._key(name) in self.helpers:
                positions = tuple(self.helpers[self._key(name)])
            else:
                positions = CARRIERS.get(name, ()) if spoken else ()
            for position in positions:
                if position < len(node.args) and not isinstance(node.args[position], ast.Starred):
                    if self._key(name) in self.helpers and name not in self.errors and name not in CARRIERS:
                        self.parts.add(id(node.args[position]))
                    yield node.args[position], around
            if name in self.errors:
                yield from (
                    (word.value, around) for word in node.keywords if word.arg in ("message", "remedy", "detail")
                )
        for function in self.functions if spoken else ():
            yields = [one for one in ast.walk(function) if isinstance(one, ast.Yield) and one.value is not None]
            yield from ((one.value, function) for one in yields if one.value is not None)
        for table in self._tables():
            yield table, None

    def _key(self, name: str) -> str:
        """Return the name of a function; a private one is known in its module only."""
        return f"{self.path}:{name}" if name.startswith("_") else name

    @cached_property
    def _calls(self) -> list[tuple[ast.FunctionDef | None, ast.Call]]:
        inside: dict[int, ast.FunctionDef] = {}
        for function in self.functions:
            inside |= {id(node): function for node in ast.walk(function)}
        return [(inside.get(id(node)), node) for node in self.nodes if isinstance(node, ast.Call)]

    @cached_property
    def _of_errors(self) -> set[int]:
        """Methods of the classes of errors."""
        classes = [one for one in self.nodes if isinstance(one, ast.ClassDef) and one.name in self.errors]
        return {id(method) for one in classes for method in one.body}

    def _assignments(self, scope: ast.AST) -> dict[str, list[ast.expr]]:
        """Return the values that a function or the module gives to each name."""
        if id(scope) not in self.scopes:
            made: dict[str, list[ast.expr]] = {}
            for node in ast.walk(scope):
                name, value = _assignment(node)
                if value is not None:
                    made.setdefault(name, []).append(value)
            self.scopes[id(scope)] = made
        return self.scopes[id(scope)]

    def _tables(self) -> Iterator[ast.expr]:
        """Yield the messages of `TABLES`: values of a dictionary or class, keys of `CHECKS`, a constant."""
        for node in self.nodes if self.path in TABLES else ():
            name, value = _assignment(node)
            if isinstance(node, ast.ClassDef) and node.name in TABLES.get(self.path, ()):
                yield from (one.value for one in node.body if isinstance(one, ast.Assign))
            elif value is not None and name in TABLES.get(self.path, ()):
                tables = [one for one in ast.walk(value) if isinstance(one, ast.Dict)]
                for table in tables:
                    yield from (key for key in table.keys if key is not None) if name == "CHECKS" else table.values
                if not tables:
                    yield value

    def texts(self, node: ast.expr, around: ast.FunctionDef | None, depth: int = 0) -> list[str]:
        """Return what an expression may say, values as places; nothing where only a run can tell."""
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else []
        if isinstance(node, ast.JoinedStr):
            return [_template(node)]
        if isinstance(node, ast.Starred):
            return self.texts(node.value, around, depth)
        if isinstance(node, ast.List | ast.Tuple):
            return [text for one in node.elts for text in self.texts(one, around, depth)]
        if isinstance(node, ast.IfExp):
            return self.texts(node.body, around, depth) + self.texts(node.orelse, around, depth)
        if isinstance(node, ast.BoolOp):
            return [text for value in node.values for text in self.texts(value, around, depth)]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = self.texts(node.left, around, depth), self.texts(node.right, around, depth)
            return [left + right for left, right in product(*sides)]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            return self.texts(node.func.value, around, depth)
        if isinstance(node, ast.Call) and _called(node) == "join" and node.args:
            return self.texts(node.args[0], around, depth)
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            return self.texts(node.elt, around, depth)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return self._assigned(node.value.id, around, depth, table=True)
        if isinstance(node, ast.Name):
            return self._assigned(node.id, around, depth)
        return []

    def inner(self, node: ast.expr, around: ast.FunctionDef | None) -> Iterator[str]:
        """Yield phrases that an f-string takes as values."""
        for part in ast.walk(node):
            if isinstance(part, ast.FormattedValue):
                yield from (text for text in self.texts(part.value, around) if " " in text.strip())

    def _assigned(self, name: str, around: ast.FunctionDef | None, depth: int, *, table: bool = False) -> list[str]:
        if depth > 3:
            return []
        found = []
        for scope in (around, self.tree):
            for value in self._assignments(scope).get(name, ()) if scope is not None else ():
                dicts = [part for part in ast.walk(value) if isinstance(part, ast.Dict)] if table else []
                for one in [entry for part in dicts for entry in part.values] if table else [value]:
                    found += self.texts(one, around, depth + 1)
            if found:
                return found
        return found

    def learn_helpers(self) -> bool:
        """Note the functions whose parameters become messages of errors; tell whether one is new."""
        news = False
        for node, around in list(self.carried()):
            if around is None or around.name.startswith("__"):
                continue
            parameters = [one.arg for one in around.args.args if one.arg not in ("self", "cls")]
            values = [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
            for one in (node, *(node.values if isinstance(node, ast.BoolOp) else ()), *values):
                if isinstance(one, ast.Name) and one.id in parameters:
                    position, key = parameters.index(one.id), self._key(around.name)
                    known = self.helpers.setdefault(key, set())
                    news |= position not in known
                    known.add(position)
        return news


def _assignment(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Return the name that a statement gives a value, and the value."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    return "", None


def _called(node: ast.Call) -> str:
    return (
        node.func.id
        if isinstance(node.func, ast.Name)
        else node.func.attr
        if isinstance(node.func, ast.Attribute)
        else ""
    )


def _place(node: ast.expr) -> str:
    """Name a value after its expression: the last name in it that says what it is."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return (
            node.slice.value
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
            else _place(node.value)
        )
    if isinstance(node, ast.Call):
        return _place(node.args[0]) if node.args else _place(node.func)
    if isinstance(node, ast.BinOp):
        return _place(node.left)
    if isinstance(node, ast.IfExp):
        return _place(node.body)
    if isinstance(node, ast.BoolOp):
        return _place(node.values[0])
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return _place(node.generators[0].iter)
    return "value"


def _template(node: ast.JoinedStr) -> str:
    text, names = "", dict[str, str]()
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(part, ast.FormattedValue):
            said, base = ast.dump(part), _NAMED.sub("", _place(part.value)) or "value"
            name = next(one for one in (base, *(f"{base}{n}" for n in range(2, 99))) if names.get(one, said) == said)
            names[name] = said
            text += f"{{{name}}}"
    return text


def _modules() -> list[Module]:
    folders = ("deid", "lab/nocturne_lab", "plugins/nocturne_airflow")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    errors = {"NocturneError"}
    helpers: dict[str, set[int]] = {}
    made = [Module(path.relative_to(ROOT).as_posix(), tree, errors, helpers) for path, tree in trees.items()]
    classes = [node for module in made for node in module.nodes if isinstance(node, ast.ClassDef)]
    while more := {
        one.name
        for one in classes
        if one.name not in errors and any(isinstance(base, ast.Name) and base.id in errors for base in one.bases)
    }:
        errors |= more
    while sum(module.learn_helpers() for module in made):
        continue
    return made


def messages() -> Found:
    """Return every message that a person may meet on the command line, with the modules that say it."""
    found: Found = {}

    def add(text: str, where: str) -> None:
        if text in OTHERS or sum(map(str.isalpha, re.sub(r"\{\w+\}", "", text))) >= 2:
            found.setdefault(text, set()).add(where)

    for module in _modules():
        for node, around in module.carried():
            phrase = id(node) in module.parts
            for text in (*module.texts(node, around), *module.inner(node, around)):
                if phrase and " " not in text.strip():
                    continue
                add(text, module.path)
    for text in OTHERS:
        add(text.encode("utf-8").decode("unicode_escape") if "\\" in text else text, "typer")
    for fault in FAULTS.values():
        add(fault["message"], "deid/source/contract_check.py")
        add(fault["remedy"], "deid/source/contract_check.py")
    for text in help_texts():
        add(text, "deid/cli")
    return found


def help_texts() -> Iterator[str]:
    """Yield help of commands and options, and placeholders in capitals, as the command line has them."""
    groups = [app, *(group.typer_instance for group in app.registered_groups)]
    for group in groups:
        if group is not None and isinstance(group.info.help, str):
            yield flat(inspect.cleandoc(group.info.help))
        for command in group.registered_commands if group is not None else ():
            yield flat(inspect.getdoc(command.callback) or "")
            for parameter in inspect.signature(command.callback or help, eval_str=True).parameters.values():
                for option in getattr(parameter.annotation, "__metadata__", ()):
                    yield from filter(None, (option.help, *re.findall(r"[A-Z][A-Z_]+", option.metavar or "")))


def catalogue() -> Catalog:
    """Return the translations that are kept."""
    with PO.open("rb") as stream:
        return read_po(stream, locale="fr")


def main() -> None:
    """Write the catalogue anew: translations of messages that are still said, and the others empty."""
    known = catalogue() if PO.exists() else Catalog(locale="fr")
    made = Catalog(
        locale="fr",
        project="nocturne",
        charset="utf-8",
        fuzzy=False,
        header_comment="# The French of the command line; `make messages` writes it from the code.",
    )
    made.creation_date = made.revision_date = known.creation_date if PO.exists() else made.creation_date
    for text, modules in sorted(messages().items()):
        old = known.get(text)
        made.add(text, (old.string if old else "") or "", locations=[(module, None) for module in sorted(modules)])
    with PO.open("wb") as stream:
        write_po(stream, made, width=120, sort_output=True, include_lineno=False)
    PO.with_suffix(".mo").write_bytes(compiled(made))


def compiled(made: Catalog) -> bytes:
    """Return a catalogue as the command line reads it."""
    stream = BytesIO()
    write_mo(stream, made)
    return stream.getvalue()


if __name__ == "__main__":
    main()
