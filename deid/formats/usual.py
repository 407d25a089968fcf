"""Names of fonts and styles, and instructions of fields, that tell nothing: those that word processors come with."""

from __future__ import annotations

import re

from deid.domain import read_lists

PAGE_FIELD = re.compile(
    r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|FORMTEXT|FORMCHECKBOX)(?:\s*\\\*\s*(?:MERGEFORMAT|Arabic|roman))*\s*",
    re.IGNORECASE,
)
WORDS = re.compile(r"[^\W\d_]{3}|(?:\d\W?){4}")  # more than signs and numbers of levels
_STYLES, _FONTS = ("".join(lines.splitlines()) for lines in read_lists(__file__).values())
STYLE_NAMES, FONT_NAMES = re.compile(_STYLES, re.IGNORECASE), re.compile(_FONTS)
