"""Formulas in tables of text: a spreadsheet computes cells that begin as one, whatever quotes stand around them."""

from __future__ import annotations

import re

# A sign begins numbers ("-3,5"), results ("+ +") and lists ("- HTA") too: only a call, a link or a sheet makes it one.
_FORMULA = re.compile(r"[\t\r]*(?:[=@]|[+-].*(?:[\w.]\(|\||!))", re.DOTALL)


def guarded(cell: str) -> str:
    """Return a cell, behind an apostrophe if a spreadsheet would compute it."""
    return f"'{cell}" if _FORMULA.match(cell) else cell
