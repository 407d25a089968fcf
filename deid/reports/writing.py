"""Write an interval's report where stewards find it: two pages, their numbers as JSON, and the list of all."""

from __future__ import annotations

import json
import os
from pathlib import Path

from deid.reports.figures import Figures, gather
from deid.reports.render import render, render_index


def write_report(interval_key: str, folder: Path) -> dict[str, str]:
    """Gather and write the report of `interval_key`; return the paths `html`, `html_en`, `json` and `index`.

    Raises:
        InputRefused: no run ever worked on this interval.
        WarehouseUnreachable, WarehouseError: nothing was written.
    """
    figures = gather(interval_key)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        "html": folder / f"{interval_key}.html",
        "html_en": folder / f"{interval_key}.en.html",
        "json": folder / f"{interval_key}.json",
        "index": folder / "index.html",
    }
    _replace(paths["json"], json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
    _replace(paths["html"], render(figures, "fr"))
    _replace(paths["html_en"], render(figures, "en"))
    _replace(paths["index"], render_index([_read(path) for path in folder.glob("*.json")]))
    return {name: str(path.resolve()) for name, path in paths.items()}


def _read(path: Path) -> Figures:
    figures: Figures = json.loads(path.read_text(encoding="utf-8"))
    return figures


def _replace(path: Path, text: str) -> None:
    """Write beside, then rename: a reader never finds half a page."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
