"""Check digits: Luhn, the French social security number (NIR), IBAN, presentations of drugs (CIP)."""

from __future__ import annotations

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
