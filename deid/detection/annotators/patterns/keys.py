"""Check digits of French and bank identifiers."""

from __future__ import annotations

from stdnum import iban, luhn


def nir_key(number: str) -> bool:
    """Whether the two last of 15 digits are 97 minus the rest modulo 97 (Corsica: 2A is 19, 2B is 18)."""
    body = number.lower().replace("2a", "19").replace("2b", "18")
    return len(body) == 15 and body.isdigit() and 97 - int(body[:13]) % 97 == int(body[13:])


def luhn_key(number: str) -> bool:
    """Whether a run of digits ends in its Luhn digit (RPPS, SIRET, SIREN, bank cards)."""
    return number.isdigit() and bool(luhn.is_valid(number))


def iban_key(number: str) -> bool:
    """Whether an IBAN, blanks included, has the right length for its country and ISO 7064 key."""
    return bool(iban.is_valid(number, check_country=False))
