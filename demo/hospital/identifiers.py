"""Valid numbers of synthetic people, drawn from a seeded stream."""

from __future__ import annotations

import random
from datetime import date

# Ranges that ARCEP keeps for works of fiction (decision 2018-0881, "numéros pour œuvres audiovisuelles").
FICTION_PREFIXES = {"1": "01 99 00", "2": "02 61 91", "3": "03 53 01", "4": "04 65 71", "5": "05 36 49"}
FICTION_MOBILE = "06 39 98"

# First digit of the phone number by department: the five historical areas.
_AREAS = {
    "1": ("75", "77", "78", "91", "92", "93", "94", "95"),
    "2": ("14", "18", "22", "27", "28", "29", "35", "36", "37", "41", "44", "45", "49", "50", "53", "56", "61", "72",
          "76", "85", "974", "976"),
    "3": ("02", "08", "10", "21", "25", "39", "51", "52", "54", "55", "57", "58", "59", "60", "62", "67", "68", "70",
          "71", "80", "88", "89", "90"),
    "5": ("09", "12", "16", "17", "19", "23", "24", "31", "32", "33", "40", "46", "47", "64", "65", "79", "81", "82",
          "86", "87", "971", "972", "973"),
}  # fmt: skip
AREA_OF_DEPARTMENT = {department: area for area, departments in _AREAS.items() for department in departments}
PLATE_LETTERS = "ABCDEFGHJKLMNPQRSTVWXYZ"


def digits(rng: random.Random, count: int) -> str:
    """`count` random digits, the first not zero."""
    return str(rng.randrange(10 ** (count - 1), 10**count))


def luhn_key(number: str) -> str:
    """The digit that makes `number` valid by ISO/IEC 7812-1 annex B."""
    total = 0
    for index, character in enumerate(reversed(number)):
        value = int(character) * (2 if index % 2 == 0 else 1)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def nir_key(body: str) -> str:
    """Two-digit key of a 13-character NIR; 2A and 2B count as 19 and 18 (INSEE)."""
    number = int(body.replace("2A", "19").replace("2B", "18"))
    return f"{97 - number % 97:02d}"


def nir(rng: random.Random, sex: str, born: date, birth_code: str) -> str:
    """A NIR of 15 characters. `birth_code` is the INSEE code of the birth commune, or 99 and a country."""
    body = f"{1 if sex == 'M' else 2}{born:%y%m}{birth_code[:5]}{rng.randrange(1, 480):03d}"
    return body + nir_key(body)


def rpps(rng: random.Random) -> str:
    """A directory number of 11 digits with its Luhn key."""
    body = f"10{rng.randrange(10**8):08d}"
    return body + luhn_key(body)


def landline(rng: random.Random, department: str) -> str:
    """Draw a landline of the area of `department` from the ranges reserved for fiction, in pairs."""
    prefix = FICTION_PREFIXES[AREA_OF_DEPARTMENT.get(department, "4")]
    return f"{prefix} {rng.randrange(100):02d} {rng.randrange(100):02d}"


def mobile(rng: random.Random) -> str:
    """Draw a mobile number from the range reserved for fiction, in pairs."""
    return f"{FICTION_MOBILE} {rng.randrange(100):02d} {rng.randrange(100):02d}"


def plate(rng: random.Random) -> str:
    """A number plate of the present French system."""
    letters = [rng.choice(PLATE_LETTERS) for _ in range(4)]
    return f"{letters[0]}{letters[1]}-{rng.randrange(101, 999)}-{letters[2]}{letters[3]}"


def iban(rng: random.Random) -> str:
    """A French IBAN with its mod-97 key (ISO 13616), in groups of four."""
    account = digits(rng, 5) + digits(rng, 5) + f"{rng.randrange(10**11):011d}"
    bank = int(account[:5]) * 89 + int(account[5:10]) * 15 + int(account[10:]) * 3
    bban = f"{account}{97 - bank % 97:02d}"
    key = 98 - int(f"{bban}152700") % 97  # F=15, R=27
    joined = f"FR{key:02d}{bban}"
    return " ".join(joined[index : index + 4] for index in range(0, len(joined), 4))


def code(rng: random.Random, shape: str) -> str:
    """Fill `shape`: # becomes a digit, @ a capital letter, anything else is kept."""
    filled = (
        str(rng.randrange(10)) if mark == "#" else rng.choice(PLATE_LETTERS) if mark == "@" else mark for mark in shape
    )
    return "".join(filled)
