"""`python -m deid.detection.lookup` writes the packaged lookup and removes older ones; lists of names are folded."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import ModuleType

import pytest

from deid.detection import lookup
from deid.detection.lookup import known_names
from deid.french import organisations
from deid.french.folding import key


def test_the_command_replaces_the_packaged_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.lookup").write_bytes(b"old")
    monkeypatch.setattr(lookup, "PACKAGED_LOOKUPS", tmp_path)
    monkeypatch.setattr(lookup, "packaged_spellings", lambda: iter([(lookup.Kind.STREET, "rue du bac", 0, True)]))
    runpy.run_module("deid.detection.lookup", run_name="__main__")
    (made,) = tmp_path.iterdir()
    assert made.name.startswith(lookup.lookup_stamp())
    assert f"{made.name}: 1 names" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lists", "title"),
    [
        *((organisations, title) for title in ("HOSPITALS", "COMPANIES", "PUBLIC_BODIES")),
        *((known_names, title) for title in ("FOREIGN_CITIES", "GEOGRAPHY", "BRANDS")),
    ],
)
def test_listed_names_are_folded(lists: ModuleType, title: str) -> None:
    names = getattr(lists, title)
    assert len(names) > 50
    assert [name for name in names if key(name) != name] == []
