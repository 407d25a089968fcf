"""The modules that may hold a patient's text are those that CONTRIBUTING.md names; a new one has to be added there."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import raw_text, tables
from tests import ROOT


@pytest.fixture(scope="module")
def holding() -> dict[str, set[str]]:
    return raw_text.Tree().holding()


def test_every_seed_is_a_class_of_the_tree() -> None:
    tree = raw_text.Tree()
    assert {(name, node.name) for name, module in tree.modules.items() for node in module.classes()} >= raw_text.SEEDS


def test_contributing_names_exactly_these_modules() -> None:
    written = tables.block((ROOT / "CONTRIBUTING.md").read_text(), "raw text")["body"].strip()
    assert written == raw_text.table(), "run `make docs`, and let someone else read what changed"


def test_packages_named_whole_hold_text_and_the_library_below_them_does_not(holding: dict[str, set[str]]) -> None:
    for package in raw_text.WHOLE:
        assert any(path.startswith(package) for path in holding), package
    without = ("deid/config/", "deid/french/", "deid/privacy/", "deid/reference/", "deid/refresh/", "deid/reports/")
    assert not [path for path in holding if path.startswith(without)]


@pytest.mark.parametrize(
    ("source", "reasons"),
    [
        ("from deid.domain.document import Patient\n", None),  # imported, and never named
        ("from deid.domain.document import Patient as P\ndef f(one: P) -> int: ...\n", {"Patient"}),
        ("from deid.domain import document\ndef f() -> document.Patient: ...\n", {"Patient"}),
        ("from deid import domain\nx = domain.document.Patient()\n", {"Patient"}),
        ("from deid.ledger.reading import hold\nx = hold()\n", {"Document"}),
        ("from deid.ledger import reading\nx = reading.hold()\n", {"Document"}),
        ("from deid.ledger.reading import Held\nx: Held\n", {"Held"}),
        ("x = query('deid', 'candidate', 'texts')\n", {"deid.candidate"}),
        ("x = execute(cursor, 'deid', 'candidate', 'texts', row)\n", {"deid.candidate"}),
        ("x = execute(cursor, 'deid', 'candidate', 'texts')\n", {"deid.candidate"}),
        ("x = query('deid', 'candidate', 'counts')\n", None),
        ("class Row:\n    text: str\n", {"Row"}),
        ("x = 1\n", None),
    ],
)
def test_a_module_is_found_by_what_it_names_calls_and_asks(
    tmp_path: Path, source: str, reasons: set[str] | None
) -> None:
    files = {
        "deid/__init__.py": "",
        "deid/domain/__init__.py": "",
        "deid/ledger/__init__.py": "",
        "deid/domain/document.py": "\n".join(f"class {name}: ..." for _, name in sorted(raw_text.SEEDS)),
        "deid/ledger/reading.py": (
            "from deid.domain.document import Document\nclass Held:\n    inner: Document\ndef hold() -> Document: ...\n"
        ),
        "deid/ledger/asked.py": source,
        "sql/deid/candidate.sql": (
            "-- name: texts\nSELECT c.text FROM deid.candidate AS c;\n"
            "-- name: counts\n-- no text\nSELECT count(*)::text FROM deid.candidate AS c WHERE c.text IS NOT NULL;\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert raw_text.Tree(tmp_path).holding().get("deid/ledger/asked.py") == reasons
