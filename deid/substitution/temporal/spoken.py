"""Numbers in words, in the spelling of those they replace: hyphens, "vingt-et-un", "septante"."""

from __future__ import annotations

import re

from deid.french import numerals
from deid.french.folding import fold_line

_TENS = {7: "septante", 8: "quatre-vingt", 9: "nonante"}


def say(number: int, model: str, *, feminine: bool = False) -> str:
    """`number` in words, spelt as `model` (a number in words, and what may follow it) spells its own."""
    plain = fold_line(model)
    words = _words(number, plain, feminine=feminine)
    if "-et-" in plain:
        words = words.replace(" et ", "-et-")
    return words if _hyphenated(plain) else words.replace("-", " ")


def _words(number: int, plain: str, *, feminine: bool) -> str:
    """The words of a number, tens said as in Belgium or Switzerland where the model does."""
    ten, unit = divmod(number % 100, 10)
    eighty = next((word for word in ("huitante", "octante") if word in plain), None)
    if ten not in _TENS or not (eighty or re.search("septante|nonante", plain)) or (ten == 8 and eighty is None):
        return numerals.write(number, feminine=feminine)
    word = eighty if ten == 8 and eighty else _TENS[ten]
    said = word if not unit else f"{word} et un" if unit == 1 else f"{word}-{numerals.write(unit)}"
    said += "e" if feminine and unit == 1 else ""
    return f"{numerals.write(number - number % 100)} {said}" if number >= 100 else said


def _hyphenated(plain: str) -> bool:
    """Whether numbers in words carry hyphens: unless the model spells several words with spaces only."""
    return "-" in plain or len([word for word in plain.split() if word != "et"]) < 2 or " et " in plain
