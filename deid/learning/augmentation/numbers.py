"""PHONE, NIR, IPP, NDA, RPPS and ID: other digits in the same layout or in another hospital's, keys that hold."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.check_digits import nir_key
from deid.french.folding import comparable
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.rates import Rates
from deid.substitution.context import DocumentContext
from deid.substitution.generators.numbers import Numbers as Writer

_NATIONAL = re.compile(r"0[1-9](?:[ .\-/]?\d\d){4}")
# 0 is a digit, A a letter; the rest stands for itself.
_LAYOUTS = {
    Label.IPP: "0000000 00000000 000000000 8000000000 A0000000 00-000000 000.000.000 AA0000000 000-00-0000".split(),
    Label.NDA: "00000000 000000000 A00000000 00-00000 00/000000 20000000000 00.000.000 AA-00-00000 00A00000".split(),
    Label.ID: "00A000000 AA-00-0000 00/00000 000000000 A-00000-00 AA 000000 0000-000 A00.00000 00000000000".split(),
}
_PHONES = (
    "{0} {1} {2} {3} {4}",
    "{0}.{1}.{2}.{3}.{4}",
    "{0}-{1}-{2}-{3}-{4}",
    "{0}{1}{2}{3}{4}",
    "+33 {5} {1} {2} {3} {4}",
    "+33{5}{1}{2}{3}{4}",
    "+33 (0){5} {1} {2} {3} {4}",
    "00 33 {5} {1} {2} {3} {4}",
    "{0}/{1}/{2}/{3}/{4}",
    "{0}{1} {2} {3} {4}",
)
_NIR = re.compile(r"(?:\D*\d){13}(?:(?:\D*\d){2})?\D*")
_KEY = 2  # digits
_CORSICA = re.compile(r"2[AB]")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


class Numbers:
    """The numbers of one copy; the same one stays the same."""

    def __init__(self, context: DocumentContext, chance: Chance, rates: Rates) -> None:
        self._context = context
        self._writer = Writer(context)
        self._chance = chance
        self._rates = rates
        self._drawn: dict[tuple[Label, str], str] = {}

    def write(self, mention: Mention) -> str:
        """The new text of a mention."""
        original = self._context.text(mention)
        memory = (mention.label, comparable(original))
        if memory not in self._drawn:
            self._drawn[memory] = self._number(mention, original)
        return self._drawn[memory]

    def _number(self, mention: Mention, original: str) -> str:
        if not any(char.isdigit() for char in original):
            return original
        if mention.label is Label.PHONE:
            return self._phone(original)
        if mention.label is Label.NIR:
            return self._nir(original)
        if mention.label in _LAYOUTS and self._chance.once(self._rates.relaid_number):
            return self._laid(self._chance.choice(_LAYOUTS[mention.label]))
        if original.isascii() and re.search("[A-Za-z]{2}", original) and self._chance.once(self._rates.letters_kept):
            return self._redrawn(original)
        text, _, _ = self._writer.write(mention, 0)
        return text

    def _redrawn(self, text: str) -> str:
        return "".join(self._chance.choice("0123456789") if char.isdigit() else char for char in text)

    def _laid(self, layout: str) -> str:
        drawn = {"0": lambda: self._chance.choice("0123456789"), "A": lambda: self._chance.choice(_LETTERS)}
        return "".join(drawn[char]() if char in drawn else char for char in layout)

    def _phone(self, original: str) -> str:
        """Another number; a national one keeps its zone, and may be laid out otherwise."""
        if _NATIONAL.fullmatch(original) and self._chance.once(self._rates.relaid_phone):
            pairs = [original[:2], *(self._chance.digits(2) for _ in range(4))]
            return self._chance.choice(_PHONES).format(*pairs, original[1])
        head = re.match(r"\s*(?:\+33|0033|00 33)?[ (]*0?\)? ?[1-9]?", original)
        kept = head.end() if head else 0
        return original[:kept] + self._redrawn(original[kept:])

    def _nir(self, original: str) -> str:
        """Sex, birth, commune and order of someone else, and the key of that number where the original has one."""
        if not _NIR.fullmatch(_CORSICA.sub("20", original)):
            return original[:1] + self._redrawn(original[1:]) if len(original) > _KEY else self._redrawn(original)
        chance = self._chance
        commune = chance.choice(pools.towns().all).zips[0]
        place = f"99{chance.randrange(100, 500)}" if chance.once(0.1) else commune[:2] + chance.digits(3)
        number = chance.choice("12") + chance.digits(2) + f"{chance.randrange(1, 13):02d}" + place + chance.digits(3)
        source = iter(number + nir_key(number))
        layout = _CORSICA.sub("20", original)
        return "".join(next(source) if char.isdigit() else char for char in layout)
