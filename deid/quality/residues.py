"""Count the identifying patterns (numbers, dates, addresses) left between surrogates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from deid.quality.dates import Reading

_SEPARATOR = r"[\s.\-/\u00a0\u202f]"

# Layouts looser than the standards: a false alarm costs a second look, a miss discloses a patient.
_NIR = re.compile(
    rf"(?<!\d)[1-478]{_SEPARATOR}?\d{{2}}{_SEPARATOR}?(?:0[1-9]|1[0-2]|[2-9]\d){_SEPARATOR}?(?:\d{{2}}|2[abAB])"
    rf"{_SEPARATOR}?\d{{3}}{_SEPARATOR}?\d{{3}}(?:{_SEPARATOR}{{0,3}}\d{{2}})?(?!\d)"
)
_PHONE = re.compile(
    rf"(?<![\d,])(?:(?:\+|00)\s?\d{{2,3}}{_SEPARATOR}?(?:\(0\){_SEPARATOR}?)?|0)[1-9](?:{_SEPARATOR}?\d{{2}}){{4}}(?![\d,])"
)
_EMAIL = re.compile(r"[\w.+\-]+\s?(?:@|\[at\]|\(at\)|＠)\s?[\w\-]+(?:\.[\w\-]+)*", re.IGNORECASE)
_URL = re.compile(
    r"\b(?:https?|ftp)\s?: ?//\S+|\bwww\.\S+"
    r"|(?<![@\w.\-])[a-z0-9\-]{2,}(?:\.[a-z0-9\-]+)*\.(?:fr|com|org|net|eu|info|sante)\b",
    re.IGNORECASE,
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ \u00a0]?[A-Z0-9]{4}){3,7}(?:[ \u00a0]?[A-Z0-9]{1,3})?\b")
_LONG_DIGITS = re.compile(r"\d{7,}")
_SPACED_DIGITS = re.compile(r"(?<![\d.,/])\d{1,4}(?:[ .\-\u00a0]\d{2,4}){2,}(?![\d.,/])")
_ROUND_NUMBER = re.compile(r"[1-9]\d{0,2}0{5,}")
_MONTH_DAYS = 31
_SPACED_LEAST = 10  # digits; shorter spaced groups are measures ("1 200 000 UFC", "120 80 72")


def _long_digits(text: str) -> int:
    runs = sum(_ROUND_NUMBER.fullmatch(run) is None for run in _LONG_DIGITS.findall(text))
    spaced = (re.sub(r"\D", "", group) for group in _SPACED_DIGITS.findall(text))
    return runs + sum(len(digits) >= _SPACED_LEAST and not digits.endswith("00000") for digits in spaced)


def _iban(text: str) -> int:
    return sum(match.startswith("FR") or _mod97(match) for match in _IBAN.findall(text))


def _mod97(iban: str) -> bool:
    """Return whether the check digits are right: the rearranged number is 1 modulo 97 (ISO 13616)."""
    compact = re.sub(r"\s", "", iban)
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


_KINDS: Mapping[str, Callable[[str], int]] = MappingProxyType(
    {
        "residual_nir": lambda text: len(_NIR.findall(text)),
        "residual_phone": lambda text: len(_PHONE.findall(text)),
        "residual_email": lambda text: len(_EMAIL.findall(text)),
        "residual_url": lambda text: len(_URL.findall(text)),
        "residual_iban": _iban,
        "residual_digits": _long_digits,
    }
)


def residues(outside: str, dates: Iterable[Reading]) -> dict[str, float]:
    """Count the patterns of each kind in `outside`, the text between surrogates, with its `dates`."""
    counts = {kind: float(count(outside)) for kind, count in _KINDS.items()}
    full = month = 0
    for reading in dates:
        if reading.signature:
            full += reading.exists
        elif reading.first and reading.last and (reading.last - reading.first).days < _MONTH_DAYS:
            month += 1
    return {**counts, "residual_date": float(full), "residual_month": float(month)}
