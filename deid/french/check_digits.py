"""Check digits: Luhn, the French social security number (NIR), IBAN; codes of drugs (CIP, UCD, CIS)."""

from __future__ import annotations

import re

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


# ---- Codes of drugs in a text: CIP, UCD and CIS

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
