"""Formulas in tables of text: a spreadsheet computes cells that begin as one, whatever quotes stand around them."""

from __future__ import annotations

import re

_LED = r"[\s\x00-\x1f\u200b\u2060\ufeff]*"  # blanks that a spreadsheet skips
_EQUALS, _SIGN = "[=@\uff1d\uff20]", "[+\\-\uff0b\uff0d]"
_COMPUTING = r"(?:[\w.]\(|\||!)"  # a call, a link or a sheet
# A sign begins numbers ("-3,5"), results ("+ +") and lists ("-HTA") too: only what computes, or a cell with an operator
# or the end behind it, makes it a formula.
_CELL = r"[+(-]*\$?[A-Za-z]{1,3}\$?\d{1,7}\s*(?:\Z|[-+*/^&=<>:])"
_FORMULA = re.compile(rf'{_LED}(?:"{_LED})?(?:{_EQUALS}|{_SIGN}(?:.*{_COMPUTING}|{_CELL}))', re.DOTALL)
# A formula behind a sign at which a spreadsheet may split the cell again
_INSIDE = re.compile(rf"(?P<mark>[;\t])(?=[ \xa0]*(?:{_EQUALS}(?!>)|{_SIGN}(?!\s)[^;\t\r\n]*{_COMPUTING}))")


def guarded(cell: str) -> str:
    """Return a cell, behind an apostrophe if a spreadsheet would compute it."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def guarded_parts(cell: str, delimiter: str) -> str:
    """Return a cell of a table with apostrophes before all that a spreadsheet would compute.

    In French, one splits lines at semicolons or tabs, whatever the delimiter of the file.
    """
    if delimiter == ";":
        return guarded(cell)
    return guarded(_INSIDE.sub(lambda found: f"{found['mark']}'" if found["mark"] != delimiter else found[0], cell))
