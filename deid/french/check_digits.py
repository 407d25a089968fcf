"""Check digits: Luhn, the French social security number, IBAN."""

from __future__ import annotations

# Twice a digit, its own digits added up.
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def luhn_digit(digits: str) -> str:
    """The digit that makes `digits` followed by it a Luhn number (ISO/IEC 7812-1)."""
    values = list(map(int, digits[::-1]))
    return str(-(sum(map(_DOUBLED.__getitem__, values[::2])) + sum(values[1::2])) % 10)


def luhn_holds(digits: str) -> bool:
    """Whether the last digit is the Luhn digit of the others."""
    return len(digits) > 1 and luhn_digit(digits[:-1]) == digits[-1]


def nir_key(number: str) -> str:
    """The two-digit key of a thirteen-character NIR: 97 minus the number modulo 97, 2A and 2B read as 19 and 18."""
    return f"{97 - int(number.upper().replace('2A', '19').replace('2B', '18')) % 97:02d}"


def iban_digits(country: str, account: str) -> str:
    """The two check digits of an IBAN (ISO 13616)."""
    spelled = "".join(str(int(char, 36)) for char in account.upper() + country.upper() + "00")
    return f"{98 - int(spelled) % 97:02d}"
