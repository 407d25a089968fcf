"""Map of the territories: a self-contained file with the name of its partition."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deid.cli import app


def test_the_map_fetches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "territories.svg"
    done = CliRunner().invoke(app, ["references", "map", "--packaged", "-o", str(path)])
    assert done.exit_code == 0, done.output
    assert "221" in done.output
    svg = path.read_text(encoding="utf-8")
    assert "<script" not in svg
    links = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', svg)
    assert all((one or other).startswith(("data:image/png", "#")) for one, other in links)


@pytest.mark.parametrize("name", ["territories.pdf", "territories"])
def test_another_format_is_refused(tmp_path: Path, name: str) -> None:
    done = CliRunner().invoke(app, ["references", "map", "--packaged", "-o", str(tmp_path / name)])
    assert done.exit_code == 2
    assert not list(tmp_path.iterdir())
