"""Docstrings open with a verb or a noun, plainly, and names are the field's words, no metaphors (CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from tests import ROOT

OPENERS = frozenset({"What", "Who", "Whom", "Whose", "Which", "Where", "How", "When", "Why", "Whether"})
METAPHORS = frozenset(
    """
    agenda chronicle chronicles culprit culprits desk door doors dossier dossiers keeper knob knobs objection
    room rooms seal sealed seals shelf shelves traps wall walled walls
    """.split()
)
# Words of a first line that make people read it twice.
CROOKED = re.compile(r"\b(?:of it|that of|tells|stands)\b")
PLACES = ("deid", "lab", "demo", "dags", "plugins")
OPENED = (*PLACES, "benchmarks", "docs", "tests")  # of which the first word of a docstring is read


def files(places: Sequence[str]) -> list[str]:
    """Paths of the modules in these folders."""
    return sorted(path.relative_to(ROOT).as_posix() for place in places for path in (ROOT / place).rglob("*.py"))


FILES = files(PLACES)
Named = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def definitions(path: str) -> Iterator[tuple[str, Named]]:
    """Name of the module, and of each class and function in it, with its node."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    yield path.removesuffix("/__init__.py").removesuffix(".py").rsplit("/", 1)[-1], tree
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node


def words(name: str) -> set[str]:
    """Words of a name in snake case or camel case: `_judgeRooms` → judge, rooms."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def test_docstrings_open_with_a_verb_or_a_noun() -> None:
    assert [
        f"{path}:{getattr(node, 'lineno', 1)} {text.splitlines()[0]}"
        for path in files(OPENED)
        for _, node in definitions(path)
        if (text := ast.get_docstring(node)) and re.split(r"\W", text, maxsplit=1)[0] in OPENERS
    ] == []


def test_first_lines_are_read_once() -> None:
    assert [
        f"{path}:{getattr(node, 'lineno', 1)} {text.splitlines()[0]}"
        for path in FILES
        for _, node in definitions(path)
        if (text := ast.get_docstring(node)) and CROOKED.search(text.splitlines()[0])
    ] == []


def test_names_are_no_metaphors() -> None:
    assert [f"{path}: {name}" for path in FILES for name, _ in definitions(path) if words(name) & METAPHORS] == []


def test_words_of_names() -> None:
    assert words("_judgeRooms") == {"judge", "rooms"}
    assert words("open_HTMLDoor2") == {"open", "html", "door"}
