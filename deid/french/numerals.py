"""Numbers in French words, read and written; 0 to 999 999, spoken spellings included."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.french.folding import fold_line

_SMALL = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
).split()
_TENS = ("", "", "vingt", "trente", "quarante", "cinquante", "soixante", "soixante", "quatre-vingt", "quatre-vingt")

_VALUE = {
    "zero": 0, "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8,
    "neuf": 9, "dix": 10, "onze": 11, "douze": 12, "treize": 13, "quatorze": 14, "quinze": 15, "seize": 16,
    "vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "septante": 70,
    "huitante": 80, "octante": 80, "nonante": 90, "cent": 100, "cents": 100, "mille": 1000, "mil": 1000,
}  # fmt: skip
NUMBER_WORDS = frozenset(_VALUE)
# Words that detection lets stand in a number.
DETECTED_NUMBER_WORDS = NUMBER_WORDS | {"premier", "et"}


def read_number(words: Sequence[str]) -> int | None:
    """The number that folded words spell ("quatre", "vingt", "deux": 82), or None if they spell none.

    "et" may stand between two words; nothing else may.
    """
    thousands, hundreds, total = 0, 0, 0
    seen = False
    for position, word in enumerate(words):
        if word == "et" and seen and position + 1 < len(words):
            continue
        value = _VALUE.get(word)
        if value is None:
            return None
        seen = True
        if value == 1000:
            thousands, hundreds, total = (hundreds + total) or 1, 0, 0
        elif value == 100:
            hundreds, total = (total or 1) * 100, 0
        elif word in ("vingt", "vingts") and total == 4:
            total = 80
        elif _follows(total, value):
            total += value
        else:
            return None
    return thousands * 1000 + hundreds + total if seen else None


def read_loosely(words: Sequence[str]) -> int | None:
    """Return the value of folded number words in any order ("mille neuf cent premier": 1901), None for other words.

    Detection reads dictated text, where `read_number` is too strict: hyphens and "et" may stand anywhere, units are
    added up.
    """
    thousands, total, seen = 0, 0, False
    for word in words:
        if word in ("et", "-"):
            continue
        value = 1 if word == "premier" else _VALUE.get(word)
        if word in ("vingt", "vingts") and total % 100 == 4:
            value = 76  # "quatre" has been counted
        elif value is None or word == "vingts":
            return None
        seen = True
        if value == 1000:
            thousands, total = thousands + max(total, 1) * 1000, 0
        elif value == 100:
            total = max(total, 1) * 100
        else:
            total += value
    return thousands + total if seen else None


def _follows(total: int, value: int) -> bool:
    """True if `value` may follow `total`: "soixante" "douze" may, "deux" "trois" may not."""
    if total == 0:
        return True
    if total in (60, 80):
        return value < 20
    if total in (20, 30, 40, 50, 70, 90):
        return value < 10
    return total in (10, 70, 90) and 7 <= value <= 9


def write_number(number: int, *, hyphens: bool = True, feminine: bool = False) -> str:
    """`number` (0 to 999 999) in words, hyphenated between the tens and units or not at all.

    Raises:
        ValueError: out of range.
    """
    if not 0 <= number < 1_000_000:
        raise ValueError("only 0 to 999 999 are written in words")
    thousands, rest = divmod(number, 1000)
    parts = []
    if thousands:
        parts.append("mille" if thousands == 1 else f"{_hundreds(thousands).removesuffix('s')} mille")
    if rest or not thousands:
        parts.append(_hundreds(rest))
    text = " ".join(parts)
    if feminine and text.endswith("un"):
        text += "e"
    return text if hyphens else text.replace("-", " ")


def _hundreds(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _tens(rest)
    head = "cent" if hundreds == 1 else f"{_SMALL[hundreds]} cent"
    if not rest:
        return head + ("s" if hundreds > 1 else "")
    return f"{head} {_tens(rest)}"


def _tens(number: int) -> str:
    if number < 20:
        return _SMALL[number]
    ten, unit = divmod(number, 10)
    if ten in (7, 9):
        unit += 10
    if not unit:
        return _TENS[ten] + ("s" if ten == 8 else "")
    if unit in (1, 11) and ten < 8:
        return f"{_TENS[ten]} et {_SMALL[unit]}"
    return f"{_TENS[ten]}-{_SMALL[unit]}"


# Numbers in words, in the spelling of those they replace: hyphens, "vingt-et-un", "septante".

_TENS_ABROAD = {7: "septante", 8: "quatre-vingt", 9: "nonante"}


def write_like(number: int, model: str, *, feminine: bool = False) -> str:
    """`number` in words, spelt as `model` (a number in words, and what may follow it) spells its own."""
    plain = fold_line(model)
    words = _words_like(number, plain, feminine=feminine)
    if "-et-" in plain:
        words = words.replace(" et ", "-et-")
    return words if _hyphenated(plain) else words.replace("-", " ")


def _words_like(number: int, plain: str, *, feminine: bool) -> str:
    """The words of a number, tens said as in Belgium or Switzerland where the model does."""
    ten, unit = divmod(number % 100, 10)
    eighty = next((word for word in ("huitante", "octante") if word in plain), None)
    if ten not in _TENS_ABROAD or not (eighty or re.search("septante|nonante", plain)) or (ten == 8 and eighty is None):
        return write_number(number, feminine=feminine)
    word = eighty if ten == 8 and eighty else _TENS_ABROAD[ten]
    said = word if not unit else f"{word} et un" if unit == 1 else f"{word}-{write_number(unit)}"
    said += "e" if feminine and unit == 1 else ""
    return f"{write_number(number - number % 100)} {said}" if number >= 100 else said


def _hyphenated(plain: str) -> bool:
    """True if numbers in words take hyphens: unless `plain` spells several words with spaces only."""
    return "-" in plain or len([word for word in plain.split() if word != "et"]) < 2 or " et " in plain
