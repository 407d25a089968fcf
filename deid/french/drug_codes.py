"""Codes of French drugs in a text, told by their own digits or by the word before them: CIP, UCD and CIS."""

from __future__ import annotations

import re

from deid.french.check_digits import cip_holds

_REACH = 60  # characters before a code that are read
_PRESENTATION = re.compile(r"3400[89]\d{8}")  # CIP 13 and UCD 13
_SPECIALITY = re.compile(r"6\d{7}")  # CIS
_SHORT = re.compile(r"\d{7}")  # CIP 7 and UCD 7
_NAMED = re.compile(
    r"\b(?P<kind>cip|ucd|cis)(?:\s?-?(?:7|8|13))?\W{0,3}(?:code|n\s?[°o]|:)?\W{0,3}(?:\d{7,13}(?:\s?[/,;]\s?|\set\s)){0,6}\Z",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:code|ean|gtin)[\s\d]{0,3}\W{0,4}\Z", re.IGNORECASE)


def is_drug_code(text: str, start: int, end: int) -> bool:
    """Return whether the digits at `[start, end)` are a drug's code: by their key, or by CIP, UCD or CIS before."""
    return cip_holds(text[start:end]) or is_named_drug_code(text, start, end)


def is_named_drug_code(text: str, start: int, end: int) -> bool:
    """Return whether the digits at `[start, end)` are of the code that the word before them names."""
    digits, before = text[start:end], text[max(0, start - _REACH) : start]
    named = _NAMED.search(before)
    if named is not None and named["kind"].casefold() == "cis":
        return _SPECIALITY.fullmatch(digits) is not None
    if named is not None and _SHORT.fullmatch(digits):
        return True
    return _PRESENTATION.fullmatch(digits) is not None and (named or _ARTICLE.search(before)) is not None
