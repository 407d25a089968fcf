"""Check digits: Luhn, the French social security number (NIR), IBAN; codes of drugs (CIP, UCD, CIS)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stdnum import iban

# Twice a digit, its own digits added up.
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def luhn_digit(digits: str) -> str:
    """Return the digit that makes `digits` followed by it a Luhn number (ISO/IEC 7812-1)."""
    values = list(map(int, digits[::-1]))
    return str(-(sum(map(_DOUBLED.__getitem__, values[::2])) + sum(values[1::2])) % 10)


def luhn_holds(digits: str) -> bool:
    """Return whether the last digit is the Luhn digit of the others."""
    return len(digits) > 1 and luhn_digit(digits[:-1]) == digits[-1]


def _corsican(number: str) -> str:
    return number.upper().replace("2A", "19").replace("2B", "18")


def nir_key(number: str) -> str:
    """Return the two-digit key of a thirteen-character NIR: 97 minus the number modulo 97, 2A and 2B as 19 and 18."""
    return f"{97 - int(_corsican(number)) % 97:02d}"


def nir_holds(number: str) -> bool:
    """Return whether `number` is a NIR of fifteen characters that ends in its key."""
    digits = _corsican(number)
    return len(digits) == 15 and digits.isdecimal() and int(nir_key(digits[:13])) == int(digits[13:])


def iban_digits(country: str, account: str) -> str:
    """Return the two check digits of an IBAN (ISO 13616)."""
    spelled = "".join(str(int(char, 36)) for char in account.upper() + country.upper() + "00")
    return f"{98 - int(spelled) % 97:02d}"


def iban_holds(number: str) -> bool:
    """Return whether an IBAN, blanks included, has the length of its country and its check digits (ISO 7064)."""
    return bool(iban.is_valid(number, check_country=False))


def cip_holds(number: str) -> bool:
    """Return whether `number` is a CIP 13, the code of a drug's presentation: an EAN 13 that begins with 34009."""
    if len(number) != 13 or not number.startswith("34009") or not number.isdecimal():
        return False
    return sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number)) % 10 == 0


# ---- Codes of drugs in a text: CIP, UCD and CIS, as they are printed

_REACH = 120  # characters on either side of a code that are read
_GAP = r"[ .\u00a0\u2009\u2011\u202f-]"
_ALONE = rf"(?!\d|{_GAP}\d\d)"
_PRESENTATION = rf"3{_GAP}?4{_GAP}?0{_GAP}?0{_GAP}?[89](?:{_GAP}?\d){{8}}(?!\d)"  # CIP 13 and UCD 13
_SPECIALITY = rf"6(?:{_GAP}?\d){{7}}{_ALONE}"  # CIS
_SHORT = (  # CIP 7 and UCD 7
    rf"(?=[2-69])(?:\d{{7}}|\d{{6}}{_GAP}\d|\d{{3}}{_GAP}?\d{{3}}{_GAP}\d|\d{_GAP}\d{{3}}{_GAP}\d{{3}}"
    rf"|\d{{3}}{_GAP}\d{{4}}){_ALONE}"
)
_KINDS = {r"(?:cip|ucd|amm)": rf"(?:{_PRESENTATION}|{_SHORT})", "cis": _SPECIALITY}
_SIZE = r"(?:\s?-?(?:7|8|13))?"
_LEAD = r"[\W_]{0,3}(?:code|n\s?[°o]|:)?[\W_]{0,3}"
_AND_MORE = r"(?:\s?[/,;]\s?|\s(?:et|ou)\s)"
_NAMED = re.compile(
    "|".join(
        rf"(?:(?<![^\W_])|(?<=code)){kind}{_SIZE}{_LEAD}{code}(?:{_AND_MORE}{code}){{0,6}}"
        for kind, code in _KINDS.items()
    ),
    re.IGNORECASE,
)
_ARTICLE = re.compile(rf"\b(?:code|ean|gtin)[\s\d]{{0,3}}\W{{0,4}}(?P<code>{_PRESENTATION})", re.IGNORECASE)
# "60019927 (CIS)", "3008537 CIP", but not where the word is of the code that follows it
_NAMED_BEHIND = re.compile(
    "|".join(
        rf"(?<![\w,/])(?<!\d{_GAP}){code}(?: ?\((?:code )?{kind}{_SIZE}\)| ?\[(?:code )?{kind}{_SIZE}\]"
        rf"| (?:code {kind}|cip){_SIZE}\b(?![ :=n°]{{0,6}}\d))"
        for kind, code in _KINDS.items()
    ),
    re.IGNORECASE,
)
_KEYED = re.compile(rf"(?<![\w,/])(?<!\d{_GAP}){_PRESENTATION}")
# CIS, UCD and AMM are words of care too: they say nothing of a number behind somebody named, or without brackets.
_SOMEBODY = re.compile(
    r"\b(?:m|mr|mme|mlle|monsieur|madame|mademoiselle|dr|pr|docteur|patiente?|dossier|ipp|nip|nda|iep|nir|n[ée]e?)\b"
    r"[^\n]{0,40}\Z",
    re.IGNORECASE,
)


def is_drug_code(text: str, start: int, end: int) -> bool:
    """Return whether the digits at `[start, end)` are of a drug's code: by their key, or the word beside them."""
    return is_named_drug_code(text, start, end) or is_shown_drug_code(text, start, end)


def is_named_drug_code(text: str, start: int, end: int) -> bool:
    """Return whether the digits at `[start, end)` are of the code that the word before them names."""
    articles = (re.sub(_GAP, "", found["code"]) for found in _around(_ARTICLE, text, start, end))
    return any(True for _ in _around(_NAMED, text, start, end)) or any(map(cip_holds, articles))


def is_shown_drug_code(text: str, start: int, end: int) -> bool:
    """Return whether the digits at `[start, end)` are of a code by its key, or by the word behind it."""
    keyed = (re.sub(_GAP, "", found.group()) for found in _around(_KEYED, text, start, end))
    if any(map(cip_holds, keyed)):
        return True
    behind = _around(_NAMED_BEHIND, text, start, end)
    return any(_SOMEBODY.search(text[max(0, found.start() - 60) : found.start()]) is None for found in behind)


def _around(shape: re.Pattern[str], text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Yield what has a shape and holds `[start, end)`."""
    for found in shape.finditer(text, max(0, start - _REACH), end + _REACH):
        if found.start() <= start and end <= found.end():
            yield found
